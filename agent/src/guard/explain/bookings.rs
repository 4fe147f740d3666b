//! Refusals that are about which of one's bookings is meant, and about who is on one's cards.

use std::ffi::OsString;

use domain::wire::guard_v1::Why;
use domain::wire::launch_v1::{OwnBooking, Used, short};

use super::{capital, card_named, cards_named, shell_line};
use crate::clean::clean;
use crate::guard::when::LocalClock;

/// The first sentence.
pub(super) fn reason(why: &Why, host: &str, clock: &LocalClock) -> String {
    match why {
        Why::SeveralBookings { .. } => format!("You have several bookings on {host} now:"),
        Why::NoSuchBooking { asked, bookings } if bookings.is_empty() => {
            format!("You have no booking `{}` on {host}, nor any other.", clean(asked))
        }
        Why::NoSuchBooking { asked, .. } => {
            format!("No single booking of yours on {host} is called `{}`:", clean(asked))
        }
        Why::NotBegun { booking } => {
            let cards = cards_named(&booking.cards);
            format!("Your booking of {cards} on {host} begins at {}.", clock.say(booking.window.start()))
        }
        Why::NotInBooking { cards, booking } => {
            let (is, it) = if cards.len() == 1 { ("is", "it") } else { ("are", "them") };
            let (cards, own) = (capital(cards_named(cards)), cards_named(&booking.cards));
            format!("{cards} on {host} {is} yours now, but booking {} has {own}, and not {it}.", booking.short())
        }
        Why::TooFew { asked: 0 } => "--gpus 0 is no card at all.".to_owned(),
        Why::TooFew { asked } => format!("You hold fewer than {asked} cards on {host} now."),
        Why::InUse { users } => {
            let said: Vec<String> = users.iter().map(|used| in_use(used, clock)).collect();
            let (cards, they) = match users.iter().any(|used| used.card != users[0].card) {
                true => ("Your cards", "them"),
                false => ("Your card", "it"),
            };
            let on: Vec<_> = users.iter().map(|used| &used.card).collect();
            let mut on: Vec<_> = on.into_iter().cloned().collect();
            on.dedup();
            let numbers: Vec<String> = on.iter().map(domain::wire::guard_v1::CardName::label).collect();
            format!(
                "{cards} {} on {host} {}, by somebody who has not booked {they}: {}.",
                numbers.join(", "),
                if on.len() == 1 { "is in use" } else { "are in use" },
                said.join("; ")
            )
        }
        _ => String::new(),
    }
}

/// `Jonas Weber (account jonas, process 4711 since 11:55) on card 0`
fn in_use(used: &Used, clock: &LocalClock) -> String {
    let since = used.since.map(|at| format!(" since {}", clock.say(at))).unwrap_or_default();
    let account = clean(&used.os_user);
    let card = card_named(&used.card);
    match &used.person {
        Some(person) => format!("{} (account {account}, process {}{since}) on {card}", clean(person), used.pid),
        None => format!("the account {account} (process {}{since}) on {card}", used.pid),
    }
}

/// The caller's bookings, a line each, where that is what the refusal is about.
pub(super) fn list(why: &Why, clock: &LocalClock) -> Option<Vec<String>> {
    match why {
        Why::SeveralBookings { bookings } | Why::NoSuchBooking { bookings, .. } => {
            Some(bookings.iter().map(|booking| line(booking, clock)).collect())
        }
        Why::NotBegun { .. } => Some(Vec::new()),
        _ => None,
    }
}

/// `  1f2e3d4c  cards 0, 1 until 18:00`
pub(crate) fn line(booking: &OwnBooking, clock: &LocalClock) -> String {
    let (start, end) = (booking.window.start(), booking.window.end());
    let from = if start > clock.now() { format!(" from {}", clock.say(start)) } else { String::new() };
    let holder = booking.holder.as_ref().map(|name| format!(", of {}", clean(name))).unwrap_or_default();
    format!("  {}  {}{from} until {}{holder}", booking.short(), cards_named(&booking.cards), clock.say(end))
}

/// What to do instead.
pub(super) fn way_out(why: &Why, command: &[OsString]) -> Vec<String> {
    let line = shell_line(command);
    match why {
        Why::SeveralBookings { bookings } | Why::NoSuchBooking { bookings, .. } => {
            let now = bookings.first().map(|booking| short(booking.id));
            now.map(|name| format!("Say which one is meant: berth run --reservation {name} -- {line}"))
                .into_iter()
                .collect()
        }
        Why::InUse { .. } => vec![
            format!("To start beside it all the same: berth run --shared -- {line}"),
            "Their process takes memory and time on it. Talk to them, or tell the administrator.".to_owned(),
        ],
        _ => Vec::new(),
    }
}
