//! What the caller holds now, as a plan for the launch commands: from the agent's table, its cards and its inventory.

use std::path::Path;

use domain::card::CardNumber;
use domain::guard::HostCard;
use domain::id::{CardUuid, HostId};
use domain::launch::{HostCards, HostFacts, Job, LaunchCard, Plan};
use domain::wire::guard_v1::{Answer, Ask, EXIT_REFUSED, HostStatus, Mine, MyBooking};

use super::{EXIT_FAILED, EXIT_USAGE, PATIENCE, start_agent_hint};
use crate::clean::clean;
use crate::guard::client::ask;
use crate::guard::explain;
use crate::guard::when::LocalClock;

/// Fewest digits of a booking's number that name it.
const DIGITS_MIN: usize = 4;

/// Why there is no plan: what to say, and the exit code.
#[derive(Debug)]
pub(super) struct Stop {
    pub message: String,
    pub exit_code: u8,
}

impl Stop {
    fn failed(message: impl Into<String>) -> Self {
        Self { message: message.into(), exit_code: EXIT_FAILED }
    }
}

/// The plan of the booking that is meant, on this host.
pub(super) fn plan(socket: &Path, reservation: Option<&str>, job: Job) -> Result<Plan, Stop> {
    let mine = match asked(socket, &Ask::Mine)? {
        Answer::Mine(mine) => mine,
        Answer::Refused(refusal) => {
            let said = explain::refusal(&refusal, &[], &LocalClock::system());
            // Nothing was to be started here.
            let message = said.replacen("berth: not started. ", "berth: ", 1);
            return Err(Stop { message, exit_code: EXIT_REFUSED });
        }
        answer => return Err(unexpected(answer)),
    };
    let booking = chosen(&mine, reservation)?;
    let status = match asked(socket, &Ask::Status)? {
        Answer::Status(status) => status,
        answer => return Err(unexpected(answer)),
    };
    let facts = match asked(socket, &Ask::Inventory)? {
        Answer::Inventory { inventory } => inventory.map(|known| HostFacts::of(&known)).unwrap_or_default(),
        answer => return Err(unexpected(answer)),
    };
    let cards = cards(booking, &status);
    let mut facts = facts.only(&cards);
    facts.account = Some(mine.os_user.clone());
    let host = HostCards { host: HostId(uuid::Uuid::nil()), host_name: mine.host_name.clone(), cards, facts };
    Ok(Plan { reservation: Some(booking.id), purpose: String::new(), hosts: vec![host], job })
}

fn asked(socket: &Path, question: &Ask) -> Result<Answer, Stop> {
    ask(socket, question, PATIENCE).map_err(|error| Stop::failed(format!("berth: {error}.\n{}", start_agent_hint())))
}

fn unexpected(answer: Answer) -> Stop {
    match answer {
        Answer::Failed { message } => Stop::failed(format!("berth: {}", clean(&message))),
        _ => Stop::failed("berth: The agent answers another question than was asked. Is it older than this program?"),
    }
}

/// The one booking, or the one of this number.
fn chosen<'a>(mine: &'a Mine, reservation: Option<&str>) -> Result<&'a MyBooking, Stop> {
    let fitting: Vec<&MyBooking> = match reservation {
        None => mine.bookings.iter().collect(),
        Some(text) => mine.bookings.iter().filter(|booking| is_called(booking, text)).collect(),
    };
    if let [booking] = fitting.as_slice() {
        return Ok(booking);
    }
    let clock = LocalClock::system();
    let line = |booking: &MyBooking| {
        let cards = match booking.cards.len() {
            1 => "1 card".to_owned(),
            cards => format!("{cards} cards"),
        };
        format!("  {}  {cards}, until {}", short(booking), clock.say(booking.until))
    };
    let all: Vec<String> = mine.bookings.iter().map(line).collect();
    let (why, exit_code) = match (reservation, fitting.as_slice()) {
        (None, _) => ("You have several bookings here now. Say which one with --reservation.".to_owned(), EXIT_REFUSED),
        (Some(text), []) => (format!("None of your bookings here now is {}.", clean(text)), EXIT_USAGE),
        (Some(text), _) => (format!("Several of your bookings here now fit {}.", clean(text)), EXIT_USAGE),
    };
    Err(Stop { message: format!("berth: {why}\n{}", all.join("\n")), exit_code })
}

/// The last eight digits of a booking's number, in which those that were made together differ.
fn short(booking: &MyBooking) -> String {
    let digits = booking.id.0.simple().to_string();
    digits.get(24..).unwrap_or(&digits).to_owned()
}

/// Its number, or some digits of it from either end.
fn is_called(booking: &MyBooking, text: &str) -> bool {
    let digits: String = text.trim().trim_start_matches('#').replace('-', "").to_ascii_lowercase();
    let number = booking.id.0.simple().to_string();
    digits.len() >= DIGITS_MIN && (number.starts_with(&digits) || number.ends_with(&digits))
}

/// The booking's cards as the host reported them last, in order of their index.
fn cards(booking: &MyBooking, status: &HostStatus) -> Vec<LaunchCard> {
    let names = HostCard::all(&status.cards);
    let of = |uuid: &CardUuid| {
        let (name, report) =
            names.iter().map(|card| &card.name).zip(&status.cards).find(|(name, _)| name.uuid == *uuid)?;
        let parent = report.facts.part.as_ref().map_or(uuid, |part| &part.parent);
        let pci =
            status.cards.iter().find(|card| card.facts.uuid == *parent).and_then(|card| card.facts.pci_bus_id.clone());
        Some(LaunchCard {
            uuid: uuid.clone(),
            number: CardNumber { index: name.index.unwrap_or(report.facts.index), instance: name.instance },
            model: report.facts.title(),
            pci_bus_id: pci,
            memory_mib: report.facts.memory_total_mib.get(),
            shared: booking.shared.contains(uuid),
            budget_mib: None,
        })
    };
    booking.cards.iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::id::ReservationId;
    use time::OffsetDateTime;

    fn booking(number: u128) -> MyBooking {
        MyBooking {
            id: ReservationId(uuid::Uuid::from_u128(number)),
            cards: Vec::new(),
            shared: Vec::new(),
            until: OffsetDateTime::UNIX_EPOCH,
        }
    }

    #[test]
    fn a_booking_is_called_by_either_end_of_its_number() {
        let one = booking(0x0193_0000_0000_7000_8000_0000_1a2b_3c4d);
        for name in ["1a2b3c4d", "3C4D", "#01930000", "01930000-0000", &one.id.to_string()] {
            assert!(is_called(&one, name), "{name}");
        }
        for name in ["", "c4d", "7000", "1a2b3c4e"] {
            assert!(!is_called(&one, name), "{name}");
        }
    }

    #[test]
    fn several_bookings_are_listed_and_none_is_guessed() {
        let mine = Mine {
            host_name: "dgx".to_owned(),
            portal_url: String::new(),
            os_user: "ada".to_owned(),
            bookings: vec![booking(0x1111), booking(0x2222)],
            table_age_s: 0,
        };
        let stop = chosen(&mine, None).expect_err("two");
        assert_eq!(stop.exit_code, EXIT_REFUSED);
        assert!(stop.message.contains("00001111") && stop.message.contains("00002222"), "{}", stop.message);
        assert_eq!(chosen(&mine, Some("2222")).expect("one").id, mine.bookings[1].id);
        assert_eq!(chosen(&mine, Some("0000")).expect_err("both").exit_code, EXIT_USAGE);
        assert_eq!(chosen(&mine, Some("9999")).expect_err("none").exit_code, EXIT_USAGE);
    }
}
