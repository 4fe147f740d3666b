//! What was just done, and the button that takes it back.

use domain::text::t;
use leptos::prelude::*;

use super::desk::use_desk;

/// So long a change can be taken back.
#[cfg(feature = "hydrate")]
const SHOWN: std::time::Duration = std::time::Duration::from_secs(10);

/// Shown while [`super::desk::Desk::undo`] holds something, for ten seconds.
#[component]
pub fn Toast() -> impl IntoView {
    let Some(desk) = use_desk() else { return ().into_any() };
    #[cfg(feature = "hydrate")]
    Effect::new(move || {
        let shown = desk.undo.get();
        if shown.is_some() {
            set_timeout(
                move || {
                    if desk.undo.get_untracked() == shown {
                        desk.undo.set(None);
                    }
                },
                SHOWN,
            );
        }
    });
    let toast = move || {
        desk.undo.get().map(|undo| {
            let back = undo.back.map(|back| {
                let take_back = move |_| {
                    desk.undo.set(None);
                    #[cfg(feature = "hydrate")]
                    super::stage::send::undo(desk, back.clone());
                    #[cfg(not(feature = "hydrate"))]
                    let _ = &back;
                };
                view! {
                    <button type="button" class="btn small" on:click=take_back>
                        {t().calendar.undo}
                    </button>
                }
            });
            view! {
                <div class="toast caltoast">
                    <span>{undo.done}</span>
                    {back}
                </div>
            }
        })
    };
    toast.into_any()
}
