//! What was just done, and the button that takes it back.

use leptos::prelude::*;

/// Shown while [`super::desk::Desk::undo`] holds something, for ten seconds.
#[component]
pub fn Toast() -> impl IntoView {}
