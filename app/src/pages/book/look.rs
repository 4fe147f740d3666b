//! How the form looks as it stands: every sentence, every link. The server renders it and the browser keeps it true,
//! with the same function.

use std::collections::BTreeMap;

use domain::card::CardNumber;
use domain::draft::offer::{Booked, Known, Offer, offers, taken};
use domain::draft::wall::{self, BadWall};
use domain::draft::{Draft, Problem, Unreadable};
use domain::error::Field;
use domain::id::CardUuid;
use domain::text::{When, t};
use domain::window::Window;
use domain::zone::{Wall, ZoneTable};
use time::{Duration, OffsetDateTime};

use super::query::address;

/// Quick lengths, in hours.
pub const LENGTHS: [i64; 3] = [1, 4, 8];

/// Everything about the form that changes while it is filled.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Look {
    /// How many cards are ticked.
    pub picked: String,
    /// What is wrong with the cards; empty where nothing is.
    pub cards_error: String,
    /// The start.
    pub start: TimeLook,
    /// The end.
    pub end: TimeLook,
    /// What is wrong with the purpose.
    pub purpose_error: String,
    /// The span in UTC; empty where there is none.
    pub utc: String,
    /// The quick length that is chosen.
    pub hours: Option<i64>,
    /// Cards that are ticked and taken.
    pub taken: Vec<CardUuid>,
    /// Who has them and what would work.
    pub conflict: Option<ConflictLook>,
    /// What the button does.
    pub label: String,
}

/// One time field.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct TimeLook {
    /// What is wrong; empty where nothing is.
    pub error: String,
    /// The two meanings of a time that comes twice.
    pub twice: Option<(String, String)>,
    /// One click that makes it right: what the button says, and the instant in seconds.
    pub way: Option<(String, i64)>,
}

/// Cards that are taken at the chosen time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConflictLook {
    /// What is the matter.
    pub head: String,
    /// Each card with holder and time.
    pub who: Vec<String>,
    /// What would work: words, and the form's address with it.
    pub ways: Vec<(String, String)>,
}

impl Look {
    /// Whether the form can be sent. The server judges what arrives by itself.
    #[cfg(any(feature = "hydrate", test))]
    pub fn sendable(&self) -> bool {
        let errors = [&self.cards_error, &self.start.error, &self.end.error, &self.purpose_error];
        errors.iter().all(|error| error.is_empty())
    }
}

/// The form as it stands at `now`. `done` once somebody has tried to send it.
pub fn look(draft: &Draft, known: &[Known], zone: &ZoneTable, now: OffsetDateTime, done: bool) -> Look {
    let when = When::new(zone, now);
    let words = &t().book;
    let cards = cards(draft);
    let window = draft.window(zone);
    let mut look = Look {
        picked: (words.picked)(cards.len()),
        label: (words.book_plain)(cards.len()),
        start: TimeLook { twice: twice(&draft.start, &when), ..TimeLook::default() },
        end: TimeLook { twice: twice(&draft.end, &when), ..TimeLook::default() },
        ..Look::default()
    };
    if let Ok(window) = &window {
        let utc = ZoneTable::utc();
        let hour = |hours: &i64| window.length() == Duration::hours(*hours);
        look.utc = (words.in_utc)(&When::new(&utc, now).range(window));
        look.hours = LENGTHS.into_iter().find(hour);
        look.label = (words.book)(cards.len(), &when.range(window), &when.length(window.length()));
        look.conflict = conflict(draft, known, &cards, window, &when);
        look.taken =
            taken(known, &cards, &shares(draft), window).into_iter().map(|(card, _)| card.uuid.clone()).collect();
    }
    if let Some(problem) = draft.problem(zone, now, done).filter(|problem| done || !is_empty(problem)) {
        let error = t().problem(&problem, &when);
        match problem.field(now) {
            Some(Field::Start) => look.start.error = error,
            Some(Field::End) => look.end.error = error,
            Some(Field::Purpose) => look.purpose_error = error,
            _ => look.cards_error = error,
        }
        look.start.way = (!look.start.error.is_empty()).then(|| way(&window, now, &when)).flatten();
        look.end.way = (!look.end.error.is_empty()).then(|| way(&window, now, &when)).flatten();
    }
    look
}

/// Ticked cards that are cards.
pub fn cards(draft: &Draft) -> Vec<CardUuid> {
    draft.cards.iter().filter_map(|card| CardUuid::parse(card).ok()).collect()
}

/// Shares of cards that are not wanted whole; none while they cannot be read.
pub fn shares(draft: &Draft) -> BTreeMap<CardUuid, u32> {
    draft.shares().unwrap_or_default()
}

/// An empty field is being filled: nothing to complain about until the form is sent.
fn is_empty(problem: &Problem) -> bool {
    matches!(problem, Problem::Unreadable(Unreadable::Start(BadWall::Empty) | Unreadable::End(BadWall::Empty)))
}

fn twice(text: &str, when: &When<'_>) -> Option<(String, String)> {
    let Wall::Twice(first, second) = when.zone.resolve(wall::parse(text)?) else { return None };
    let words = |at| format!("{}, {}", when.clock(at), when.zone.letters(at));
    Some((words(first), words(second)))
}

/// The time that was plainly meant.
fn way(window: &Result<Window, Unreadable>, now: OffsetDateTime, when: &When<'_>) -> Option<(String, i64)> {
    let words = &t().book;
    let take = |at: OffsetDateTime| Some(((words.take)(&when.at(at)), at.unix_timestamp()));
    match window {
        Err(Unreadable::Start(BadWall::Never { next }) | Unreadable::End(BadWall::Never { next })) => take(*next),
        Err(Unreadable::EndsFirst { meant: Some(meant) }) => take(*meant),
        Ok(window) if window.start() < now && window.end() > now => {
            Some((words.start_now.to_owned(), wall::minute(now).unix_timestamp()))
        }
        _ => None,
    }
}

fn conflict(
    draft: &Draft,
    known: &[Known],
    cards: &[CardUuid],
    window: &Window,
    when: &When<'_>,
) -> Option<ConflictLook> {
    let words = &t().book;
    let shares = shares(draft);
    let taken = taken(known, cards, &shares, window);
    if taken.is_empty() {
        return None;
    }
    let line = |card: &Known, booked: &Booked| {
        let holder = if booked.own { words.you } else { &booked.holder };
        let span = booked.window().map(|window| when.range(&window)).unwrap_or_default();
        (words.taken_by)(card.number, &card.host, holder, &span)
    };
    let ways = offers(known, cards, &shares, window)
        .into_iter()
        .map(|offer| {
            let mut other = draft.clone();
            let label = match offer {
                Offer::Shorter(window) => {
                    other.set_window(&window, when.zone);
                    (words.offer_shorter)(&when.at(window.end()), &when.length(window.length()))
                }
                Offer::Later(window) => {
                    other.set_window(&window, when.zone);
                    (words.offer_later)(&when.at(window.start()), &when.range(&window))
                }
                Offer::Elsewhere(cards) => {
                    other.cards = cards.iter().map(|card| card.as_str().to_owned()).collect();
                    (words.offer_elsewhere)(&named(known, &cards))
                }
            };
            (label, address(&other, None))
        })
        .collect();
    Some(ConflictLook {
        head: (words.taken)(taken.len()),
        who: taken.iter().flat_map(|(card, booked)| booked.iter().map(|booked| line(card, booked))).collect(),
        ways,
    })
}

/// Cards by host: `rig-3090, cards 0 and 3`.
fn named(known: &[Known], cards: &[CardUuid]) -> String {
    let mut hosts: Vec<(&str, Vec<CardNumber>)> = Vec::new();
    for card in known.iter().filter(|card| cards.contains(&card.uuid)) {
        match hosts.last_mut().filter(|(host, _)| *host == card.host) {
            Some((_, indices)) => indices.push(card.number),
            None => hosts.push((&card.host, vec![card.number])),
        }
    }
    let words: Vec<String> = hosts.iter().map(|(host, indices)| (t().booking.cards_on)(host, indices)).collect();
    words.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    const NOW: OffsetDateTime = datetime!(2026-11-30 12:00 UTC);

    fn draft(start: &str, end: &str) -> Draft {
        Draft {
            cards: vec!["GPU-2".to_owned()],
            start: start.to_owned(),
            end: end.to_owned(),
            purpose: "seed 3".to_owned(),
            key: uuid::Uuid::nil().to_string(),
            ..Draft::default()
        }
    }

    fn known(index: u32, booked: Option<(OffsetDateTime, OffsetDateTime)>) -> Known {
        let booked = booked.map(|(start, end)| Booked {
            holder: "Sofia Marín".to_owned(),
            start: start.unix_timestamp(),
            end: end.unix_timestamp(),
            ..Booked::default()
        });
        Known {
            uuid: CardUuid::parse(&format!("GPU-{index}")).expect("valid"),
            host: "rig-3090".to_owned(),
            number: index.into(),
            model: "RTX 3090".to_owned(),
            memory_mib: None,
            well: true,
            shares: None,
            share_memory_mib: None,
            booked: booked.into_iter().collect(),
            more: false,
        }
    }

    fn at(draft: &Draft, known: &[Known], done: bool) -> Look {
        look(draft, known, &ZoneTable::utc(), NOW, done)
    }

    #[test]
    fn the_button_says_what_will_happen() {
        let look = at(&draft("2026-11-30T14:00", "2026-11-30T18:00"), &[known(2, None)], false);
        assert_eq!(look.label, "Book 1 card, 14:00 – 18:00 (4 h)");
        assert_eq!((look.hours, look.utc.as_str(), look.picked.as_str()), (Some(4), "14:00 – 18:00 UTC", "1 picked"));
        assert!(look.sendable() && look.conflict.is_none());
    }

    #[test]
    fn a_conflict_names_card_holder_and_time_and_offers_what_works() {
        let taken = (datetime!(2026-11-30 18:00 UTC), datetime!(2026-11-30 22:00 UTC));
        let known = [known(0, None), known(2, Some(taken))];
        let look = at(&draft("2026-11-30T14:00", "2026-11-30T19:00"), &known, false);
        let conflict = look.conflict.expect("a conflict");
        assert_eq!(conflict.who, ["Card 2 on rig-3090: Sofia Marín, 18:00 – 22:00"]);
        let ways: Vec<&str> = conflict.ways.iter().map(|(words, _)| words.as_str()).collect();
        assert_eq!(
            ways,
            [
                "End at 18:00 instead, 4 h on the same cards",
                "Take rig-3090, card 0 instead, at the same time",
                "Book from 22:00 instead: 22:00 – Tue 03:00 on the same cards"
            ]
        );
        assert_eq!(conflict.ways[0].1, "/book?card=GPU-2&start=2026-11-30T14:00&end=2026-11-30T18:00&purpose=seed%203");
        // The portal decides: it may be free by now.
        assert!(at(&draft("2026-11-30T14:00", "2026-11-30T19:00"), &known, true).sendable());
    }

    #[test]
    fn what_is_wrong_stands_at_its_field_with_a_way_out() {
        let known = [known(2, None)];
        let past = at(&draft("2026-11-30T10:00", "2026-11-30T18:00"), &known, false);
        assert!(!past.start.error.is_empty() && !past.sendable());
        assert_eq!(past.start.way, Some((t().book.start_now.to_owned(), NOW.unix_timestamp())));
        let reversed = at(&draft("2026-11-30T14:00", "2026-11-30T09:00"), &known, false);
        assert_eq!(reversed.end.error, "Ends before it starts. Meant Tue 09:00?");
        assert_eq!(reversed.end.way.expect("a way").1, datetime!(2026-12-01 09:00 UTC).unix_timestamp());
        assert_eq!(reversed.label, "Book 1 card");
    }

    #[test]
    fn a_form_that_is_being_filled_is_not_scolded() {
        let empty = Draft { cards: Vec::new(), ..draft("", "2026-11-30T18:00") };
        assert!(at(&empty, &[], false).sendable());
        assert!(!at(&empty, &[], true).start.error.is_empty());
        let no_cards = Draft { cards: Vec::new(), ..draft("2026-11-30T14:00", "2026-11-30T18:00") };
        assert!(at(&no_cards, &[], false).cards_error.is_empty());
        assert!(!at(&no_cards, &[], true).cards_error.is_empty());
    }
}
