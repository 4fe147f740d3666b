//! The live page's island: keeps the tiles that the server rendered up to date.

use domain::id::UserId;
use domain::zone::ZoneTable;
use leptos::prelude::*;

/// Shows nothing but what is read out: a change of a card of the viewer. `show` is the filter in force.
#[cfg_attr(not(feature = "look"), component)]
#[cfg_attr(feature = "look", island)]
pub fn LiveBoard(viewer: UserId, zone: ZoneTable, show: String) -> impl IntoView {
    #[cfg(feature = "hydrate")]
    crate::live::paint::start(viewer, zone, &show);
    #[cfg(not(feature = "hydrate"))]
    let _ = (viewer, zone, show);
    view! { <p class="sr" aria-live="polite" data-news=""></p> }
}
