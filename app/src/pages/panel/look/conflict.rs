//! Who is in the way, and what would work instead: shorter, elsewhere, later.

use domain::card::CardNumber;
use domain::draft::Draft;
use domain::draft::offer::{Booked, Known, Offer, offers, taken};
use domain::finder::{Reason, Suggestion};
use domain::id::CardUuid;
use domain::text::{When, t};
use domain::window::Window;

use super::{Sight, question, shares};
use crate::pages::panel::address::address;

/// Most people who are named.
const NAMED_MOST: usize = 5;
/// Most ways out that are offered, waiting for it not counted.
const WAYS_MOST: usize = 3;

/// Cards that are taken at the chosen time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConflictLook {
    /// What is the matter.
    pub head: String,
    /// Who has them.
    pub who: Vec<Who>,
    /// More than these.
    pub more: String,
    /// What would work.
    pub ways: Vec<Way>,
    /// Waiting for such cards at that time; empty where a booking is changed.
    pub wait: String,
}

/// A booking in the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Who {
    /// Name of its holder; why, where an administrator keeps the cards.
    pub name: String,
    /// Colour of the holder; `None` for the viewer, and where it is nobody's.
    pub hue: Option<u16>,
    /// Nobody's.
    pub closed: bool,
    /// What for; may be empty.
    pub purpose: String,
    /// Which cards.
    pub cards: String,
    /// When, and how much of it is in the way.
    pub span: String,
    /// Page of the booking.
    pub href: Option<String>,
}

/// A way out. Each rewrites the form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// What it is.
    pub lead: String,
    /// What comes with it.
    pub rest: String,
    /// The form with it.
    pub draft: Draft,
    /// Address of that form.
    pub href: String,
}

/// What is in the way of a draft; `None` where nothing is known to be.
pub fn look(draft: &Draft, cards: &[CardUuid], window: &Window, sight: &Sight<'_>) -> Option<ConflictLook> {
    let (known, shares, when) = (&sight.scene.known, shares(draft), sight.when());
    let taken = taken(known, cards, &shares, window);
    if taken.is_empty() {
        return None;
    }
    let advised = sight
        .advice
        .filter(|(ask, said)| Some(ask) == question(draft, &sight.scene.zone).as_ref() && !said.instead.is_empty());
    let ways = match advised {
        Some((_, said)) => said.instead.iter().map(|one| suggested(draft, cards, one, &when)).collect(),
        None => offers(known, cards, &shares, window).iter().map(|one| offered(draft, known, one, &when)).collect(),
    };
    let ways: Vec<Way> = Vec::into_iter(ways).take(WAYS_MOST).collect();
    let (who, more) = who(&taken, window, &when);
    let wait = if draft.is_change() { String::new() } else { (t().book.wait)(&when.range(window)) };
    Some(ConflictLook { head: head(&taken, window, &when), who, more, ways, wait })
}

/// "Card 2 on rig is taken from 18:00".
fn head(taken: &[(&Known, Vec<&Booked>)], window: &Window, when: &When<'_>) -> String {
    let words = &t().book;
    let all = || taken.iter().flat_map(|(_, booked)| booked.iter().copied());
    let names = named(&taken.iter().map(|(card, _)| *card).collect::<Vec<_>>());
    let from = all().map(|booked| booked.start).min().unwrap_or_default();
    if from > window.start().unix_timestamp() {
        let from = time::OffsetDateTime::from_unix_timestamp(from).unwrap_or(window.start());
        return (words.taken_from)(&names, taken.len(), &when.at(from));
    }
    (words.taken)(&names, taken.len())
}

fn who(taken: &[(&Known, Vec<&Booked>)], window: &Window, when: &When<'_>) -> (Vec<Who>, String) {
    let words = &t().book;
    // A booking is named once, with all its cards.
    let mut all: Vec<(&Booked, Vec<&Known>)> = Vec::new();
    for (card, booked) in taken {
        for one in booked {
            let same = |(other, _): &&mut (&Booked, _)| {
                (other.reservation, &other.holder, other.start, other.end)
                    == (one.reservation, &one.holder, one.start, one.end)
            };
            match all.iter_mut().find(same) {
                Some((_, cards)) => cards.push(card),
                None => all.push((one, vec![card])),
            }
        }
    }
    all.sort_by_key(|(booked, _)| booked.start);
    let more = all.len().saturating_sub(NAMED_MOST);
    let who = all
        .into_iter()
        .take(NAMED_MOST)
        .map(|(booked, cards)| {
            let span = booked.window().map(|held| {
                let shared = Window::new(held.start().max(window.start()), held.end().min(window.end()));
                let shared = shared.map(|shared| (when.range(&shared), when.length(shared.length())));
                shared.map_or_else(
                    |_| when.range(&held),
                    |(span, length)| (words.overlap)(&when.range(&held), &span, &length),
                )
            });
            let closed = booked.reservation.is_none();
            Who {
                name: if booked.own { words.you.to_owned() } else { booked.holder.clone() },
                hue: (!closed && !booked.own).then_some(booked.hue),
                closed,
                purpose: booked.purpose.clone(),
                cards: named(&cards),
                span: span.unwrap_or_default(),
                href: booked.reservation.map(|id| format!("/bookings/{id}")),
            }
        })
        .collect();
    (who, if more == 0 { String::new() } else { (words.more_in_the_way)(more) })
}

fn suggested(draft: &Draft, cards: &[CardUuid], one: &Suggestion, when: &When<'_>) -> Way {
    let words = &t().book;
    let mut other = draft.clone();
    other.set_window(&one.window, when.zone);
    let same = one.cards.len() == cards.len() && one.cards.iter().all(|card| cards.contains(&card.uuid));
    if !same {
        take_cards(&mut other, one);
    }
    let (span, length) = (when.range(&one.window), when.length(one.window.length()));
    let (lead, rest) = match one.reason {
        Reason::Shorter if same => ((words.end_at)(&when.at(one.window.end())), (words.same_cards)(&length)),
        Reason::SameLater if same => ((words.start_at)(&when.at(one.window.start())), (words.same_cards)(&span)),
        _ => {
            let mut hosts: Vec<(&str, Vec<CardNumber>)> = Vec::new();
            for card in &one.cards {
                match hosts.last_mut().filter(|(host, _)| *host == card.host) {
                    Some((_, numbers)) => numbers.push(card.number),
                    None => hosts.push((&card.host, vec![card.number])),
                }
            }
            let names = spoken(&hosts);
            let names = one.link.as_ref().map_or_else(|| names.clone(), |link| (words.with_link)(&names, link));
            (names, (words.span_and_length)(&span, &length))
        }
    };
    way(lead, rest, other)
}

/// Puts the cards of a suggestion into a form, in the place of its own.
pub fn take_cards(draft: &mut Draft, one: &Suggestion) {
    draft.cards = one.cards.iter().map(|card| card.uuid.as_str().to_owned()).collect();
    let shares = one.cards.iter().filter_map(|card| Some((card.uuid.as_str().to_owned(), card.shares?.to_string())));
    draft.shares = shares.collect();
}

fn offered(draft: &Draft, known: &[Known], one: &Offer, when: &When<'_>) -> Way {
    let words = &t().book;
    let mut other = draft.clone();
    let (lead, rest) = match one {
        Offer::Shorter(window) => {
            other.set_window(window, when.zone);
            ((words.end_at)(&when.at(window.end())), (words.same_cards)(&when.length(window.length())))
        }
        Offer::Later(window) => {
            other.set_window(window, when.zone);
            ((words.start_at)(&when.at(window.start())), (words.same_cards)(&when.range(window)))
        }
        Offer::Elsewhere(cards) => {
            other.cards = cards.iter().map(|card| card.as_str().to_owned()).collect();
            let cards: Vec<&Known> = known.iter().filter(|card| cards.contains(&card.uuid)).collect();
            (named(&cards), words.same_time.to_owned())
        }
    };
    way(lead, rest, other)
}

fn way(lead: String, rest: String, draft: Draft) -> Way {
    let href = address(&draft, None);
    Way { lead, rest, draft, href }
}

/// Cards by host: `rig-3090, cards 0 and 3`.
pub fn named(cards: &[&Known]) -> String {
    let mut hosts: Vec<(&str, Vec<CardNumber>)> = Vec::new();
    for card in cards {
        match hosts.last_mut().filter(|(host, _)| *host == card.host) {
            Some((_, numbers)) => numbers.push(card.number),
            None => hosts.push((&card.host, vec![card.number])),
        }
    }
    spoken(&hosts)
}

fn spoken(hosts: &[(&str, Vec<CardNumber>)]) -> String {
    let words: Vec<String> = hosts.iter().map(|(host, numbers)| (t().booking.cards_on)(host, numbers)).collect();
    words.join("; ")
}
