//! Where a booking stands: icon, word, colour.

use domain::reservation::State;
use domain::text::t;
use leptos::prelude::*;

use crate::components::icon::Icon;

/// The state of a booking.
#[component]
pub fn BookingState(
    /// State.
    state: State,
    /// Whether the viewer holds it.
    own: bool,
) -> impl IntoView {
    let (look, icon) = match state {
        State::Active if own => ("mine", "mine"),
        State::Active => ("booked", "user"),
        State::Scheduled => ("booked", "cal"),
        State::Ended => ("booked", "check"),
        State::Cancelled | State::Released | State::Missed => ("booked", "x"),
        State::Awaiting | State::Offered => ("booked", "clock"),
    };
    view! {
        <span class="st" data-state=look>
            <Icon name=icon />
            {t().booking_state(state)}
        </span>
    }
}
