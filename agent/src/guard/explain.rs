//! The agent's answers in words for the terminal: what happened, who holds what, what is free, what to do next.
//!
//! Names of people and hosts come from the portal and are cleaned before they are printed.

pub(crate) mod bookings;

use std::ffi::OsString;

use domain::wire::guard_v1::{CardName, Free, Grant, Held, Refusal, Why};

use crate::clean::clean;
use crate::guard::when::{LocalClock, how_long};

/// From this age on, the age of the bookings is said, in seconds.
const SAY_AGE_FROM_S: u64 = 60;
/// A command longer than this is not repeated in a message, in bytes.
const COMMAND_SHOWN_MAX: usize = 120;

/// Why nothing was started, line by line; the first begins with `berth: not started.`
#[must_use]
pub fn refusal(refusal: &Refusal, command: &[OsString], clock: &LocalClock) -> String {
    let host = host(&refusal.host_name);
    let mut lines = vec![format!("berth: not started. {}", reason(&refusal.why, &host, clock))];
    let (own, others): (Vec<&Held>, Vec<&Held>) = refusal.held.iter().partition(|held| held.own);
    let named = matches!(refusal.why, Why::HeldByOthers { .. });
    let knows = !matches!(refusal.why, Why::NoTable | Why::TableTooOld { .. });
    if let Some(list) = bookings::list(&refusal.why, clock) {
        lines.extend(list);
    } else if knows {
        if !own.is_empty() {
            lines.push(format!("Yours now: {}.", held_list(&own, clock, Holder::Unnamed)));
        }
        if !others.is_empty() && !named {
            lines.push(format!("Reserved now: {}.", held_list(&others, clock, Holder::Named)));
        }
        let (used, free): (Vec<&Free>, Vec<&Free>) = refusal.free.iter().partition(|free| free.used_by.is_some());
        lines.push(match free.as_slice() {
            [] => "No card is free now.".to_owned(),
            free => format!("Free now: {}.", free_list(free, clock)),
        });
        if !used.is_empty() {
            lines.push(format!("Booked by nobody, but in use: {}.", used_list(&used)));
        }
    }
    lines.extend(way_out(refusal, &own, command));
    lines.extend(age(refusal.table_age_s.unwrap_or(0)).filter(|_| knows));
    if let (true, Some(zone)) = (knows, clock.zone_name()) {
        lines.push(format!("Times are in {}.", clean(zone)));
    }
    lines.join("\n")
}

fn reason(why: &Why, host: &str, clock: &LocalClock) -> String {
    match why {
        Why::UnknownAccount { os_user } => {
            format!("The account {} on {host} belongs to nobody in the portal.", clean(os_user))
        }
        Why::SeveralBookings { .. }
        | Why::NoSuchBooking { .. }
        | Why::NotBegun { .. }
        | Why::NotInBooking { .. }
        | Why::TooFew { .. }
        | Why::InUse { .. } => bookings::reason(why, host, clock),
        Why::NoReservation { next: None } => format!("You have no card on {host} now."),
        Why::NoReservation { next: Some(at) } => {
            format!("You have no card on {host} now. Your next booking there begins at {}.", clock.say(*at))
        }
        Why::HeldByOthers { cards } => {
            let groups = grouped(cards, |held| (held.holder.clone(), held.window.end()));
            let mut said: Vec<String> = Vec::new();
            for ((holder, end), held) in groups {
                let (cards, verb) = match (said.is_empty(), held.len()) {
                    (true, 1) => (format!("Card {} on {host}", numbers(held)), " is reserved"),
                    (true, _) => (format!("Cards {} on {host}", numbers(held)), " are reserved"),
                    (false, _) => (cards_named(held.iter().map(|held| &held.card)), ""),
                };
                said.push(format!("{cards}{verb} by {} until {}", clean(&holder), clock.say(end)));
            }
            format!("{}.", said.join(", "))
        }
        Why::NotReserved { cards } if cards.len() == 1 => {
            format!("{} on {host} is free, but not booked.", capital(cards_named(cards)))
        }
        Why::NotReserved { cards } => format!("{} on {host} are free, but not booked.", capital(cards_named(cards))),
        Why::NotReported { cards } => {
            let (is, it) = if cards.len() == 1 { ("is", "it") } else { ("are", "them") };
            let cards = capital(cards_named(cards));
            format!(
                "{cards} on {host} {is} yours now, but the host no longer reports {it}: the driver may have lost {it}."
            )
        }
        Why::UnknownCard { asked } => match asked.trim() {
            "" => "--cards has an empty place.".to_owned(),
            text if text.bytes().all(|b| b.is_ascii_digit()) => format!("There is no card {} on {host}.", clean(text)),
            text => {
                format!("`{}` is not the index of a card on {host}, and not the beginning of one UUID.", clean(text))
            }
        },
        Why::Split { card, instances } => {
            let instances = match instances.as_slice() {
                [] => "none of them is reported now".to_owned(),
                instances => instances.iter().map(CardName::label).collect::<Vec<_>>().join(", "),
            };
            format!(
                "{} on {host} is cut into MIG instances, and those are booked and used in its place: {instances}.",
                capital(card_named(card))
            )
        }
        Why::SeveralInstances { cards } => {
            format!("A process sees one MIG instance and nothing beside it, but this would be {}.", cards_named(cards))
        }
        Why::AskedTwice { card } => format!("--cards names {} twice.", card_named(card)),
        Why::NoTable => {
            "This host has not heard from the portal yet, so it does not know whose the cards are.".to_owned()
        }
        Why::TableTooOld { limit_s } => {
            format!(
                "The portal has not answered for more than {}, so the bookings known on {host} no longer count.",
                how_long(*limit_s)
            )
        }
    }
}

fn way_out(refusal: &Refusal, own: &[&Held], command: &[OsString]) -> Vec<String> {
    let portal = clean(&refusal.portal_url);
    let at_portal = if portal.is_empty() { String::new() } else { format!(" at {portal}") };
    let mut lines = Vec::new();
    match &refusal.why {
        Why::UnknownAccount { .. } => {
            lines.push(format!(
                "To link it, get a code on your account page{at_portal}, then run here: berth link CODE"
            ));
        }
        Why::NoTable | Why::TableTooOld { .. } => {
            lines.push("Ask the administrator to look at the agent: journalctl -u berth-agent".to_owned());
        }
        Why::NotReported { .. } => lines.push("Tell the administrator; `nvidia-smi -L` lists what is left.".to_owned()),
        Why::SeveralBookings { .. } | Why::NoSuchBooking { .. } | Why::NotBegun { .. } | Why::InUse { .. } => {
            lines.extend(bookings::way_out(&refusal.why, command));
        }
        _ => {
            let cards = startable(refusal, own);
            if !cards.is_empty() {
                lines.push(format!("This starts: berth run --cards {} -- {}", cards.join(","), shell_line(command)));
            }
            if matches!(refusal.why, Why::SeveralInstances { .. }) {
                lines.push("Start one job for each instance.".to_owned());
            } else if !matches!(refusal.why, Why::UnknownCard { .. } | Why::AskedTwice { .. }) {
                lines.push(format!("To use another card, book it first{at_portal}"));
                if matches!(refusal.why, Why::NoReservation { .. }) && !refusal.free.is_empty() {
                    let line = shell_line(command);
                    lines
                        .push(format!("Or book a free card for as long as the job runs: berth run --gpus 1 -- {line}"));
                }
            }
        }
    }
    lines
}

/// Cards of the caller's that one command can be started on: the whole ones, or else one instance.
fn startable(refusal: &Refusal, own: &[&Held]) -> Vec<String> {
    let split = |card: &CardName| matches!(&refusal.why, Why::Split { card: split, .. } if split.uuid == card.uuid);
    let own = own.iter().map(|held| &held.card).filter(|card| card.index.is_some() && !split(card));
    let (instances, whole): (Vec<_>, Vec<_>) = own.partition(|card| card.uuid.is_mig());
    let cards = if whole.is_empty() { instances.into_iter().take(1).collect() } else { whole };
    cards.into_iter().map(CardName::label).collect()
}

/// What is said about a launch that goes ahead; often nothing.
#[must_use]
pub fn grant(grant: &Grant, clock: impl FnOnce() -> LocalClock) -> Option<String> {
    let mut lines = Vec::new();
    if grant.walk_in {
        let (cards, until) = (cards_named(&grant.cards), clock().say(grant.until));
        lines.push(format!(
            "berth: {cards} booked for you until {until}: longer while this runs and nobody else has booked, and given back \
             when it ends."
        ));
    }
    if !grant.missing.is_empty() {
        let cards = cards_named(&grant.missing);
        lines.push(format!("berth: not used, as the host no longer reports it: your {cards}."));
    }
    lines.extend(age(grant.table_age_s).map(|age| format!("berth: {age}")));
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// The age of the bookings, where it is worth a word.
pub(crate) fn age(seconds: u64) -> Option<String> {
    let said = format!("Using bookings as of {} ago: the portal has not answered since.", how_long(seconds));
    (seconds > SAY_AGE_FROM_S).then_some(said)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Holder {
    Named,
    Unnamed,
}

/// `cards 0, 1 by Jonas Weber until 20:00; card 3 by Ruth Keller until Tue 18:00`
fn held_list(held: &[&Held], clock: &LocalClock, holder: Holder) -> String {
    let groups = grouped(held.iter().copied(), |held| (held.holder.clone(), held.window.end()));
    let said = groups.into_iter().map(|((name, end), held)| {
        let cards = cards_named(held.iter().map(|held| &held.card));
        match holder {
            Holder::Named => format!("{cards} by {} until {}", clean(&name), clock.say(end)),
            Holder::Unnamed => format!("{cards} until {}", clock.say(end)),
        }
    });
    said.collect::<Vec<_>>().join("; ")
}

/// `cards 0, 1 from 18:00 until 20:00; ...`
pub(crate) fn later_list(held: &[&Held], clock: &LocalClock) -> String {
    let groups = grouped(held.iter().copied(), |held| held.window);
    let said = groups.into_iter().map(|(window, held)| {
        let cards = cards_named(held.iter().map(|held| &held.card));
        format!("{cards} from {} until {}", clock.say(window.start()), clock.say(window.end()))
    });
    said.collect::<Vec<_>>().join("; ")
}

/// `cards 4, 5 until 16:00; card 7`
pub(crate) fn free_list(free: &[&Free], clock: &LocalClock) -> String {
    let said = grouped(free.iter().copied(), |free| free.until).into_iter().map(|(until, free)| {
        let cards = cards_named(free.iter().map(|free| &free.card));
        until.map_or_else(|| cards.clone(), |at| format!("{cards} until {}", clock.say(at)))
    });
    said.collect::<Vec<_>>().join("; ")
}

/// `card 3 by eve; cards 4, 5 by Jonas Weber`
fn used_list(used: &[&Free]) -> String {
    let by = grouped(used.iter().copied(), |free| free.used_by.clone().unwrap_or_default()).into_iter();
    let said = by.map(|(who, used)| format!("{} by {}", cards_named(used.iter().map(|free| &free.card)), clean(&who)));
    said.collect::<Vec<_>>().join("; ")
}

/// Items with the same key together, in order of first appearance.
fn grouped<'a, T: 'a, K: PartialEq>(
    items: impl IntoIterator<Item = &'a T>,
    key: impl Fn(&T) -> K,
) -> Vec<(K, Vec<&'a T>)> {
    let mut groups: Vec<(K, Vec<&T>)> = Vec::new();
    for item in items {
        let of = key(item);
        match groups.iter_mut().find(|(group, _)| *group == of) {
            Some((_, members)) => members.push(item),
            None => groups.push((of, vec![item])),
        }
    }
    groups
}

fn host(name: &str) -> String {
    if name.is_empty() { "this host".to_owned() } else { clean(name) }
}

fn numbers(held: Vec<&Held>) -> String {
    held.iter().map(|held| held.card.label()).collect::<Vec<_>>().join(", ")
}

fn card_named(card: &CardName) -> String {
    format!("card {}", card.label())
}

/// `card 6`, `cards 4, 5`
pub(crate) fn cards_named<'a>(cards: impl IntoIterator<Item = &'a CardName>) -> String {
    let numbers: Vec<String> = cards.into_iter().map(CardName::label).collect();
    format!("{} {}", if numbers.len() == 1 { "card" } else { "cards" }, numbers.join(", "))
}

fn capital(text: String) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// The command as it can be typed again, or `COMMAND` where that would be no help.
pub(crate) fn shell_line(command: &[OsString]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c);
    let words: Option<Vec<String>> = command
        .iter()
        .map(|word| match word.to_str() {
            Some(word) if !word.is_empty() && word.chars().all(plain) => Some(word.to_owned()),
            Some(word) if clean(word) == *word => Some(format!("'{}'", word.replace('\'', r"'\''"))),
            _ => None,
        })
        .collect();
    words.map(|words| words.join(" ")).filter(|l| l.len() <= COMMAND_SHOWN_MAX).unwrap_or_else(|| "COMMAND".to_owned())
}

#[cfg(test)]
mod tests;
