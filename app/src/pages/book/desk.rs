//! The form on a page of its own: the list of all cards on one side, the panel on the other.

use domain::draft::Draft;
use domain::text::t;
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::frame::go;
use crate::pages::panel::scene::Scene;
use crate::pages::panel::state::Panel;
use crate::pages::panel::{PanelForm, view};

/// What the form begins with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Start {
    /// What the panel knows.
    pub scene: Scene,
    /// What stands in the fields.
    pub draft: Draft,
    /// The form was sent and came back.
    pub done: bool,
}

/// The form: `children` are the cards to pick from.
#[cfg_attr(not(feature = "plan"), component)]
#[cfg_attr(feature = "plan", island)]
pub fn BookDesk(
    /// [`Start`], as JSON.
    start: String,
    /// The list of cards.
    children: Children,
) -> impl IntoView {
    let Some(Start { scene, draft, done }) = crate::json::read::<Start>(&start) else { return ().into_any() };
    let panel = Panel::new(scene, draft, done);
    let after = Callback::new(move |sent: crate::api::bookings::Sent| match sent.reservations.first() {
        Some(first) => go(&format!("/bookings/{first}")),
        None => panel.refused.set(Some(t().book.none_of_series.to_owned())),
    });
    anew();
    view! {
        <PanelForm panel class="bookform" after>
            {children()}
            <div class="bookside box panelbody">{view::fields(panel)}</div>
        </PanelForm>
    }
    .into_any()
}

/// Back from the booking that this form made: the page is fetched anew, with no card ticked.
fn anew() {
    Effect::new(|| {
        #[cfg(feature = "hydrate")]
        {
            let shown = window_event_listener(leptos::ev::pageshow, |event| {
                if event.persisted() {
                    let _ = window().location().reload();
                }
            });
            on_cleanup(move || shown.remove());
        }
    });
}
