//! A booking at a glance, beside its bar.

use leptos::prelude::*;

/// Shown while [`super::desk::Desk::opened`] names a booking.
#[component]
pub fn Popover() -> impl IntoView {}
