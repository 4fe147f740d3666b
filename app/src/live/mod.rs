//! The stream of changes, the time, and whether the page is connected.
//!
//! - [`board`]: the fleet, continued by events
//! - `stream`: the browser's end: opens, loses and finds the stream again
//! - `paint`: brings what the server rendered to the fleet of now; `host_paint` does so on a host's page
//! - `fresh`: takes over parts of the page as the server renders them now, where the stream does not have all of it
//! - `light`: shows what belongs together in the picture of a host's links
//! - `fetch`: asks the server
//!
//! Islands share it through the module, for each of them has a context of its own. Until they are awake everything here
//! is as on the server, so that both render the same.

#[cfg(any(feature = "hydrate", test))]
pub mod board;
#[cfg(feature = "hydrate")]
pub(crate) mod dom;
#[cfg(feature = "hydrate")]
pub mod fetch;
#[cfg(feature = "hydrate")]
pub mod finder;
#[cfg(feature = "hydrate")]
mod fresh;
#[cfg(feature = "hydrate")]
pub mod host_paint;
#[cfg(feature = "hydrate")]
mod light;
#[cfg(feature = "hydrate")]
pub mod paint;
#[cfg(feature = "hydrate")]
pub mod stream;

use leptos::prelude::*;
use time::OffsetDateTime;

/// Whether the page receives changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// Without scripts, or before they run: the page shows one moment.
    Still,
    /// Changes arrive.
    Live,
    /// Being opened; not for long yet.
    Opening,
    /// No connection. Values are from the instant in [`LiveState::last`].
    Lost,
    /// The session is over.
    SignedOut,
}

/// What the browser knows beyond the rendered page.
#[derive(Clone, Copy)]
pub struct LiveState {
    /// Connection.
    pub link: RwSignal<Link>,
    /// The server's time, once a second; `None` before hydration.
    pub tick: RwSignal<Option<OffsetDateTime>>,
    /// The server's time at the last message.
    pub last: RwSignal<Option<OffsetDateTime>>,
    /// Counts up when bookings, hosts, cards or notices have changed, and when the stream has been away: what a page
    /// shows beyond the stream may be old.
    pub changes: RwSignal<u32>,
}

impl LiveState {
    /// The server's time: `rendered` until the browser's own clock runs.
    #[must_use]
    pub fn now(&self, rendered: OffsetDateTime) -> OffsetDateTime {
        self.tick.get().unwrap_or(rendered)
    }

    /// Why nothing can be sent now, if so: for the title of acts that are disabled meanwhile.
    #[must_use]
    pub fn obstacle(&self) -> Option<&'static str> {
        (self.link.get() == Link::Lost).then_some(domain::text::t().frame.offline_act)
    }
}

impl Default for LiveState {
    fn default() -> Self {
        Self {
            link: RwSignal::new(Link::Still),
            tick: RwSignal::new(None),
            last: RwSignal::new(None),
            changes: RwSignal::new(0),
        }
    }
}

/// The state, one for all islands of a document.
#[must_use]
pub fn use_live() -> LiveState {
    #[cfg(feature = "hydrate")]
    return stream::state();
    #[cfg(not(feature = "hydrate"))]
    LiveState::default()
}

/// Starts the clock and the stream, once per document, in the browser.
pub fn run(rendered: OffsetDateTime) {
    let live = use_live();
    // An effect: it runs in the browser alone, and after hydration.
    Effect::new(move || {
        #[cfg(feature = "hydrate")]
        stream::start(live, rendered);
        #[cfg(not(feature = "hydrate"))]
        let _ = (live, rendered);
    });
}

/// Tries to connect at once.
pub fn retry() {
    #[cfg(feature = "hydrate")]
    stream::retry();
}
