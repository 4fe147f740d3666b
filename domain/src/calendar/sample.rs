//! A small calendar for the tests of this module.

use time::macros::datetime;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::id::{CardUuid, HostId, ReservationId, UserId};
use crate::reservation::State;
use crate::window::Window;
use crate::wire::calendar::{Calendar, CalendarAsk, CalendarBooking, CalendarCard, CalendarHost, Closure, Hold};

/// Midnight of the first day.
pub const DAY: OffsetDateTime = datetime!(2026-11-30 00:00 UTC);

/// A card.
pub fn card(n: u32) -> CardUuid {
    CardUuid::parse(&format!("GPU-{n}")).expect("valid")
}

/// From so many hours after midnight to so many.
pub fn hours(from: i64, to: i64) -> Window {
    Window::new(DAY + Duration::hours(from), DAY + Duration::hours(to)).expect("not empty")
}

/// A host with cards of these numbers.
pub fn host(name: &str, cards: &[u32], linked: &[&[u16]]) -> CalendarHost {
    let row = |n: &u32| CalendarCard {
        uuid: card(*n),
        number: (*n % 10).into(),
        model: "H100".to_owned(),
        memory_mib: None,
        labels: Vec::new(),
        shares: None,
        share_memory_mib: None,
    };
    CalendarHost {
        id: HostId(Uuid::from_u128(name.len() as u128)),
        name: name.to_owned(),
        labels: Vec::new(),
        cards: cards.iter().map(row).collect(),
        linked: linked.iter().map(|set| (set.to_vec(), "NV4".to_owned())).collect(),
    }
}

/// A booking of whole cards.
pub fn booking(id: u128, window: Window, cards: &[u32]) -> CalendarBooking {
    let hold = |n: &u32| Hold { card: card(*n), shares: None, window: None };
    CalendarBooking {
        id: ReservationId(Uuid::from_u128(id)),
        version: 1,
        owner: UserId(Uuid::from_u128(id)),
        holder: format!("Person {id}"),
        hue: 50,
        purpose: String::new(),
        state: State::Scheduled,
        window,
        holds: cards.iter().map(hold).collect(),
        repeats: false,
        waiting: 0,
        co_user: false,
        may_change: false,
        may_approve: false,
    }
}

/// A time in which cards are not to be had.
pub fn closure(window: Option<Window>, cards: &[u32]) -> Closure {
    let cards = cards.iter().map(|n| card(*n)).collect();
    Closure { maintenance: None, reason: "Driver update".to_owned(), window, cards }
}

/// All of it, for one day.
pub fn calendar(hosts: Vec<CalendarHost>, bookings: Vec<CalendarBooking>, closures: Vec<Closure>) -> Calendar {
    Calendar {
        span: CalendarAsk { from: DAY, to: DAY + Duration::DAY },
        now: DAY + Duration::hours(10),
        version: String::new(),
        hosts,
        bookings,
        closures,
        waiting: Vec::new(),
        rules: Vec::new(),
        groups: Vec::new(),
    }
}
