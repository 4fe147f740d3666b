//! The host page's island: keeps what the server rendered up to date.

use domain::id::{HostId, UserId};
use domain::zone::ZoneTable;
use leptos::prelude::*;

/// Shows nothing but what is read out: a change of a card of the viewer.
#[cfg_attr(not(feature = "look"), component)]
#[cfg_attr(feature = "look", island)]
pub fn HostLive(viewer: UserId, zone: ZoneTable, host: HostId) -> impl IntoView {
    #[cfg(feature = "hydrate")]
    crate::live::host_paint::start(viewer, zone, host);
    #[cfg(not(feature = "hydrate"))]
    let _ = (viewer, zone, host);
    view! { <p class="sr" aria-live="polite" data-news=""></p> }
}
