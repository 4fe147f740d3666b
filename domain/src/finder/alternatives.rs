//! What works in the place of cards that somebody picked and cannot have.

use std::collections::{BTreeMap, BTreeSet};

use time::OffsetDateTime;

use super::choose::{Aim, Ask, Choice};
use super::leave::{Leave, Picked, Says};
use super::park::Park;
use super::search::{link_word, weakest};
use super::stock::{instant, micros, span};
use super::taken::Micros;
use super::{Link, Reason, Suggestion};
use crate::id::CardUuid;
use crate::reservation::{AHEAD_MAX, LENGTH_MIN};
use crate::topology::Path;
use crate::window::Window;

/// Most times at which rules are asked about the same cards.
const TIMES_MAX: usize = 64;

/// Ways out in the order in which they are offered: shorter, equal cards elsewhere at the same time, the same cards later.
/// None where nothing is in the way, or where a card is not known. `shares`: of these of the cards only so many.
#[must_use]
pub fn alternatives(
    park: &Park,
    cards: &[CardUuid],
    shares: &BTreeMap<CardUuid, u32>,
    window: &Window,
    now: OffsetDateTime,
) -> Vec<Suggestion> {
    alternatives_within(park, cards, shares, window, now, None)
}

/// The same within the rules of whoever asks: what they would refuse is not offered, or as far as they allow it.
#[must_use]
pub fn alternatives_within(
    park: &Park,
    cards: &[CardUuid],
    shares: &BTreeMap<CardUuid, u32>,
    window: &Window,
    now: OffsetDateTime,
    leave: Option<&Leave<'_>>,
) -> Vec<Suggestion> {
    let known: Option<BTreeMap<usize, Option<u32>>> =
        cards.iter().map(|card| Some((park.stock.position(card)?, shares.get(card).copied()))).collect();
    let Some(known) = known.filter(|known| !known.is_empty()) else { return Vec::new() };
    let picked: Vec<Picked> = known.into_iter().collect();
    let (start, end) = span(window);
    let start = start.max(micros(now));
    if start >= end || picked.iter().all(|card| can_have(park, *card, start, end)) {
        return Vec::new();
    }
    let bookable = picked.iter().all(|(card, _)| park.is_bookable(*card));
    let says = |cards: &[Picked], start, end| leave.map_or(Says::Fine, |leave| leave.says(park, cards, start, end));
    let offer = |reason, cards: &[Picked], (start, end)| match says(cards, start, end) {
        Says::Fine => suggestion(park, reason, cards, start, end, None),
        Says::Until(sooner, rule) if sooner < end => suggestion(park, reason, cards, start, sooner, Some(rule)),
        Says::Until(..) | Says::From(_) | Says::No(_) => None,
    };
    let same_later = || {
        let mut times = later(park, &picked, start, end).take(TIMES_MAX);
        times.find_map(|(start, end)| match says(&picked, start, end) {
            // The first time after it at which rules allow it, where the cards are free then.
            Says::From(at) => {
                let (start, end) = (at, at + (end - start));
                let free = picked.iter().all(|(card, shares)| park.has_room(*card, *shares, start, end));
                free.then(|| offer(Reason::SameLater, &picked, (start, end))).flatten()
            }
            _ => offer(Reason::SameLater, &picked, (start, end)),
        })
    };
    let sooner = || shorter(park, &picked, start, end).and_then(|span| offer(Reason::Shorter, &picked, span));
    [
        bookable.then(sooner).flatten(),
        elsewhere(park, &picked, start, end).and_then(|cards| offer(Reason::Elsewhere, &cards, (start, end))),
        bookable.then(same_later).flatten(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Until when such a booking could go on after its end; `None` where nothing is known to follow, or a card is not known.
#[must_use]
pub fn free_until(
    park: &Park,
    cards: &[CardUuid],
    shares: &BTreeMap<CardUuid, u32>,
    window: &Window,
) -> Option<OffsetDateTime> {
    let (start, end) = span(window);
    let next = |card| park.taken_next(park.stock.position(card)?, shares.get(card).copied(), start, end);
    cards.iter().filter_map(next).min().map(instant)
}

/// Whether such a booking would meet no other one, and no maintenance.
#[must_use]
pub fn has_room(park: &Park, card: &CardUuid, shares: Option<u32>, window: &Window) -> bool {
    let (start, end) = span(window);
    park.stock.position(card).is_some_and(|card| park.has_room(card, shares, start, end))
}

fn can_have(park: &Park, (card, shares): Picked, start: Micros, end: Micros) -> bool {
    park.is_bookable(card) && park.has_room(card, shares, start, end)
}

fn shorter(park: &Park, picked: &[Picked], start: Micros, end: Micros) -> Option<(Micros, Micros)> {
    let until = picked.iter().map(|(card, shares)| park.room_until(*card, *shares, start, end)).min()?;
    let least = i64::try_from(LENGTH_MIN.whole_microseconds()).unwrap_or(i64::MAX);
    (until < end && until - start >= least).then_some((start, until))
}

/// Something can only become possible when one of the cards is given back: such instants at which all are free.
fn later(park: &Park, picked: &[Picked], start: Micros, end: Micros) -> impl Iterator<Item = (Micros, Micros)> {
    let length = end - start;
    let latest = park.now + i64::try_from(AHEAD_MAX.whole_microseconds()).unwrap_or(0);
    let given_back: BTreeSet<Micros> =
        picked.iter().flat_map(|(card, shares)| park.given_back_after(*card, *shares, start)).collect();
    let works = move |at: &Micros| picked.iter().all(|(card, shares)| park.has_room(*card, *shares, *at, at + length));
    given_back.into_iter().take_while(move |at| *at <= latest).filter(works).map(move |at| (at, at + length))
}

/// Hosts whose cards are all to be had keep them; the cards of each other host are replaced by equal ones of one host, of
/// their own where that is possible.
fn elsewhere(park: &Park, picked: &[Picked], start: Micros, end: Micros) -> Option<Vec<Picked>> {
    let mut parts: BTreeMap<usize, Vec<Picked>> = BTreeMap::new();
    for one in picked {
        parts.entry(park.stock.host(one.0).cards.start).or_default().push(*one);
    }
    let (stay, go): (Vec<_>, Vec<_>) =
        parts.into_values().partition(|part| part.iter().all(|one| can_have(park, *one, start, end)));
    let mut chosen: Vec<Picked> = stay.into_iter().flatten().collect();
    for part in go {
        let equal = equal_cards(park, &part, &chosen, start, end)?;
        chosen.extend(equal);
    }
    chosen.sort_unstable();
    Some(chosen)
}

/// What makes two cards equal: model, memory in steps of 2 GB, shares.
type Kind<'a> = (&'a str, Option<u64>, Option<u32>);

fn kind(park: &Park, (card, shares): Picked) -> Kind<'_> {
    let card = &park.stock.cards[card];
    (&card.model, card.memory_mib.map(|mib| (mib + 1024) / 2048), shares)
}

fn equal_cards(park: &Park, part: &[Picked], not: &[Picked], start: Micros, end: Micros) -> Option<Vec<Picked>> {
    let mut kinds: Vec<Kind<'_>> = part.iter().map(|one| kind(park, *one)).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let counts: Vec<u32> = kinds
        .iter()
        .map(|wanted| part.iter().filter(|one| kind(park, **one) == *wanted).count())
        .map(|count| u32::try_from(count).unwrap_or(u32::MAX))
        .collect();
    let cards: Vec<usize> = part.iter().map(|(card, _)| *card).collect();
    let at_least = weakest(park, &cards).filter(|path| *path != Path::Unknown);
    let budgets = |wanted: usize| {
        let of_kind = part.iter().filter(|one| kind(park, **one) == kinds[wanted]);
        of_kind.filter_map(|(card, _)| park.stock.cards[*card].share_memory_mib).max()
    };
    let ask = Ask { park, start, end, link: Link::Any, aim: Aim::Fit, at_least, counts: &counts, keep: &cards };
    let mut best: Option<Choice> = None;
    for (at, host) in park.stock.hosts.iter().enumerate() {
        let mut candidates: Vec<(usize, usize)> = Vec::new();
        for card in host.cards.clone().filter(|card| !not.iter().any(|(other, _)| other == card)) {
            let of_kind = |wanted: &usize| {
                let shares = kinds[*wanted].2;
                let roomy = match shares {
                    None => park.is_free(card, start, end),
                    Some(_) => budgets(*wanted) <= park.stock.cards[card].share_memory_mib,
                };
                roomy && kind(park, (card, shares)) == kinds[*wanted] && can_have(park, (card, shares), start, end)
            };
            candidates.extend((0..kinds.len()).find(of_kind).map(|kind| (card, kind)));
        }
        let choice = ask.on_host(at, &candidates, best.as_ref().map(|best| &best.cost));
        if let Some(choice) = choice
            && best.as_ref().is_none_or(|best| choice.cost < best.cost)
        {
            best = Some(choice);
        }
    }
    let chosen = best?.cards;
    // Which card is of which kind follows from the cards, but for shares: those are given to the cards that are open for so
    // many, in order.
    let mut left = counts.clone();
    chosen
        .into_iter()
        .map(|card| {
            let fits = |at: &usize| left[*at] > 0 && kind(park, (card, kinds[*at].2)) == kinds[*at];
            let at = (0..kinds.len()).find(|at| fits(at) && can_have(park, (card, kinds[*at].2), start, end))?;
            left[at] -= 1;
            Some((card, kinds[at].2))
        })
        .collect()
}

fn suggestion(
    park: &Park,
    reason: Reason,
    cards: &[Picked],
    start: Micros,
    end: Micros,
    by_rule: Option<String>,
) -> Option<Suggestion> {
    let only: Vec<usize> = cards.iter().map(|(card, _)| *card).collect();
    let until = cards.iter().filter_map(|(card, shares)| park.taken_next(*card, *shares, start, end)).min();
    Some(Suggestion {
        reason,
        cards: cards.iter().map(|(card, shares)| park.found(*card, *shares)).collect(),
        window: Window::new(instant(start), instant(end)).ok()?,
        link: link_word(park, &only),
        free_until: until.map(instant),
        by_rule,
    })
}
