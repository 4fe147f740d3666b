//! From a wish to suggestions.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use time::{Duration, OffsetDateTime};

use super::choose::{Aim, Ask, Choice, exists, models};
use super::lack::lack;
use super::leave::Leave;
use super::links::{Set, bit};
use super::offers::{Pick, Search};
use super::park::Park;
use super::stock::{Card, Host, instant, micros, span};
use super::taken::Micros;
use super::{Found, Lack, Link, Part, Reason, Span, Suggestion, Want};
use crate::id::CardUuid;
use crate::topology::Path;
use crate::window::Window;

/// The best cards for a wish: the smallest that do and the fastest that are free at that time, then what comes free later.
///
/// MIG instances are found where one card is wanted: a program uses one of them at most. Cards that somebody uses without a
/// booking are not offered before an hour has passed. The same park and wish always give the same answer.
#[must_use]
pub fn find(park: &Park, want: &Want, now: OffsetDateTime) -> Found {
    find_within(park, want, now, None)
}

/// The same within the rules of whoever asks: what they would refuse is not offered, or as far as they allow it.
#[must_use]
pub fn find_within(park: &Park, want: &Want, now: OffsetDateTime, leave: Option<&Leave<'_>>) -> Found {
    if want.count == 0 {
        return Found { now, suggestions: Vec::new(), fitting: 0, free: 0, lack: None };
    }
    let fitting = Fitting::new(park, want);
    let search = Search { park, want, fitting: &fitting, leave };
    let (picks, at) = picks(&search);
    let (start, end) = (at.0.max(park.now), at.1);
    let at_once = |picks: &[Pick]| match want.when {
        Span::At(_) => picks.iter().any(|found| found.reason != Reason::Later),
        Span::Earliest { .. } => !picks.is_empty(),
    };
    Found {
        now,
        fitting: fitting.count(),
        free: u32::try_from(fitting.all().filter(|card| start < end && park.is_free(*card, start, end)).count())
            .unwrap_or(u32::MAX),
        lack: (!at_once(&picks)).then(|| refused(&search).unwrap_or_else(|| lack(park, want, &fitting))),
        suggestions: picks.into_iter().filter_map(|pick| suggestion(park, pick)).collect(),
    }
}

/// What is offered, and the time that was asked for; with the earliest time its beginning.
fn picks(search: &Search<'_>) -> (Vec<Pick>, (Micros, Micros)) {
    match search.want.when {
        Span::At(window) => (search.at(&window), span(&window)),
        Span::Earliest { minutes, from, until } => {
            let length = micros_of(Duration::minutes(i64::from(minutes)));
            let from = micros(from).max(search.park.now);
            (search.earliest(from, micros(until), length), (from, from + length))
        }
    }
}

/// The rule but for which there would be something.
fn refused(search: &Search<'_>) -> Option<Lack> {
    let leave = search.leave?;
    let (free, _) = picks(&Search { leave: None, ..*search });
    let earliest = matches!(search.want.when, Span::Earliest { .. });
    let pick = free.into_iter().find(|pick| earliest || pick.reason != Reason::Later)?;
    let cards: Vec<_> = pick.cards.iter().map(|card| (*card, None)).collect();
    leave.broken(search.park, &cards, pick.start, pick.end).map(|rule| Lack::AgainstRule { rule })
}

pub(super) fn micros_of(length: Duration) -> Micros {
    i64::try_from(length.whole_microseconds()).unwrap_or(i64::MAX)
}

/// Cards that are what was asked for, free or not, by host.
pub(super) struct Fitting {
    pub(super) hosts: BTreeMap<usize, Vec<usize>>,
}

impl Fitting {
    pub(super) fn new(park: &Park, want: &Want) -> Self {
        Self::of(park, |card, host| fits(want, card, host, None))
    }

    pub(super) fn of(park: &Park, fits: impl Fn(&Card, &Host) -> bool) -> Self {
        let mut hosts = BTreeMap::new();
        for (at, host) in park.stock.hosts.iter().enumerate() {
            let of_host = host.cards.clone();
            let cards: Vec<usize> =
                of_host.filter(|card| park.is_bookable(*card) && fits(&park.stock.cards[*card], host)).collect();
            if !cards.is_empty() {
                hosts.insert(at, cards);
            }
        }
        Self { hosts }
    }

    pub(super) fn all(&self) -> impl Iterator<Item = usize> {
        self.hosts.values().flatten().copied()
    }

    pub(super) fn count(&self) -> u32 {
        u32::try_from(self.all().count()).unwrap_or(u32::MAX)
    }

    pub(super) fn only(&self, keep: impl Fn(usize) -> bool) -> Self {
        let some = |cards: &Vec<usize>| cards.iter().copied().filter(|card| keep(*card)).collect::<Vec<_>>();
        let hosts = self.hosts.iter().map(|(host, cards)| (*host, some(cards))).filter(|(_, cards)| !cards.is_empty());
        Self { hosts: hosts.collect() }
    }
}

/// Whether a card is what was asked for; one part of the wish may be left out.
pub(super) fn fits(want: &Want, card: &Card, host: &Host, but: Option<Part>) -> bool {
    let labelled = |label: &String| host.labels.contains(label) || card.labels.contains(label);
    let holds = |part: Part| match part {
        Part::Model => want.model.as_ref().is_none_or(|model| *model == card.model),
        Part::Architecture => want.architecture.is_none() || want.architecture == card.architecture,
        Part::Memory => want.memory_mib.is_none_or(|least| card.memory_mib.is_some_and(|has| has >= least)),
        Part::Host => want.hosts.is_empty() || want.hosts.contains(&host.name),
        Part::Label => want.labels.iter().all(labelled),
    };
    let parts = [Part::Model, Part::Architecture, Part::Memory, Part::Host, Part::Label];
    (want.count == 1 || card.slice.is_none()) && parts.into_iter().all(|part| Some(part) == but || holds(part))
}

/// Several hosts may serve the wish.
pub(super) fn may_spread(want: &Want) -> bool {
    want.spread && want.link == Link::Any && want.count > 1
}

/// The best cards for that time; on several hosts only where no single one has enough.
pub(super) fn best(
    park: &Park,
    want: &Want,
    fitting: &Fitting,
    start: Micros,
    end: Micros,
    aim: Aim,
) -> Option<Vec<usize>> {
    let free = fitting.only(|card| park.is_free(card, start, end));
    let counts = [want.count];
    let ask = Ask { park, start, end, link: want.link, aim, at_least: None, counts: &counts, keep: &[] };
    let mut best: Option<Choice> = None;
    for (host, cards) in &free.hosts {
        let cards: Vec<(usize, usize)> = cards.iter().map(|card| (*card, 0)).collect();
        let choice = ask.on_host(*host, &cards, best.as_ref().map(|best| &best.cost));
        if let Some(choice) = choice
            && best.as_ref().is_none_or(|best| choice.cost < best.cost)
        {
            best = Some(choice);
        }
    }
    match best {
        Some(best) => Some(best.cards),
        None if may_spread(want) => across(park, &ask, &free),
        None => None,
    }
}

/// On as few hosts as possible, of one model where there are enough.
fn across(park: &Park, ask: &Ask<'_>, free: &Fitting) -> Option<Vec<usize>> {
    let mut kinds: Vec<Option<&str>> = free.all().map(|card| Some(park.stock.cards[card].model.as_str())).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds.push(None);
    let tried = kinds.into_iter().filter_map(|model| {
        let some = free.only(|card| model.is_none_or(|model| park.stock.cards[card].model == model));
        let cards = over(ask, &some)?;
        let hosts: BTreeSet<usize> = cards.iter().map(|card| park.stock.host(*card).cards.start).collect();
        let speed: u64 = cards.iter().map(|card| park.stock.cards[*card].speed.unwrap_or(0)).min().unwrap_or(0);
        let memory: u64 = cards.iter().map(|card| park.stock.cards[*card].memory_mib.unwrap_or(u64::MAX / 512)).sum();
        let (fast, small) = if ask.aim == Aim::Fast { (u64::MAX - speed, 0) } else { (0, memory) };
        Some(((models(park, &cards), fast, hosts.len(), small), cards))
    });
    tried.min_by_key(|(cost, _)| *cost).map(|(_, cards)| cards)
}

/// Fills the hosts with the most free cards first; the last one is that on which least is broken.
fn over(ask: &Ask<'_>, free: &Fitting) -> Option<Vec<usize>> {
    let mut left = ask.counts.iter().sum::<u32>() as usize;
    let mut hosts: Vec<(&usize, &Vec<usize>)> = free.hosts.iter().collect();
    hosts.sort_by_key(|(host, cards)| (Reverse(cards.len()), **host));
    let mut chosen = Vec::new();
    while left > 0 {
        let enough = hosts.iter().rposition(|(_, cards)| cards.len() >= left);
        let (host, cards) = hosts.remove(enough.unwrap_or(0).min(hosts.len().checked_sub(1)?));
        if cards.len() <= left {
            chosen.extend(cards);
            left -= cards.len();
        } else {
            let counts = [u32::try_from(left).unwrap_or(u32::MAX)];
            let cards: Vec<(usize, usize)> = cards.iter().map(|card| (*card, 0)).collect();
            chosen.extend(Ask { counts: &counts, ..*ask }.on_host(*host, &cards, None)?.cards);
            left = 0;
        }
    }
    chosen.sort_unstable();
    Some(chosen)
}

/// The first instant from `from` on at which the wish can be served for so long, ending by `until`.
pub(super) fn earliest(
    park: &Park,
    want: &Want,
    fitting: &Fitting,
    from: Micros,
    until: Micros,
    length: Micros,
) -> Option<Micros> {
    let last = until.checked_sub(length)?;
    let starts = |card: usize| park.taken(card).starts(from.max(park.floor(card)), last, length);
    if want.count == 1 {
        return fitting.all().filter_map(|card| starts(card).next()).map(|(start, _)| start).min();
    }
    if may_spread(want) {
        return sweep(fitting.all().flat_map(starts), want.count);
    }
    let mut best: Option<Micros> = None;
    for (host, cards) in fitting.hosts.iter().filter(|(_, cards)| cards.len() >= want.count as usize) {
        let host = &park.stock.hosts[*host];
        let mut spans: Vec<(Micros, Micros, Set)> = Vec::new();
        for card in cards {
            spans.extend(starts(*card).map(|(a, b)| (a, b, bit(card - host.cards.start))));
        }
        spans.sort_unstable();
        // Something can become possible only when one more card comes free.
        let mut open: Vec<(Micros, Set)> = Vec::new();
        for (at, (start, end, card)) in spans.iter().enumerate() {
            if best.is_some_and(|best| *start >= best) {
                break;
            }
            open.retain(|(end, _)| end >= start);
            open.push((*end, *card));
            if spans.get(at + 1).is_some_and(|next| next.0 == *start) {
                continue;
            }
            let free = open.iter().fold(0, |all, (_, card)| all | card);
            if exists(&host.links, free, want.count, want.link) {
                best = Some(*start);
                break;
            }
        }
    }
    best
}

/// The first instant that lies in so many of the spans, both of whose ends belong to them.
fn sweep(spans: impl Iterator<Item = (Micros, Micros)>, count: u32) -> Option<Micros> {
    let mut events: Vec<(Micros, bool)> = spans.flat_map(|(a, b)| [(a, false), (b, true)]).collect();
    events.sort_unstable();
    let mut open = 0;
    events.into_iter().find_map(|(at, ends)| {
        if ends {
            open -= 1;
            return None;
        }
        open += 1;
        (open >= count).then_some(at)
    })
}

fn suggestion(park: &Park, Pick { reason, cards, start, end, by_rule }: Pick) -> Option<Suggestion> {
    Some(Suggestion {
        reason,
        by_rule,
        link: link_word(park, &cards),
        window: Window::new(instant(start), instant(end)).ok()?,
        free_until: park.free_until(&cards, end).map(instant),
        cards: cards.iter().map(|card| park.found(*card, None)).collect(),
    })
}

/// The worst path among some cards in the words of `nvidia-smi topo -m`; `None` for one card, for several hosts, and where it
/// is not known.
#[must_use]
pub fn link_of(park: &Park, cards: &[CardUuid]) -> Option<String> {
    link_word(park, &cards.iter().map(|card| park.stock.position(card)).collect::<Option<Vec<_>>>()?)
}

/// Likewise.
pub(super) fn link_word(park: &Park, cards: &[usize]) -> Option<String> {
    let weakest = weakest(park, cards)?;
    (weakest != Path::Unknown).then(|| weakest.to_string())
}

/// The worst path among some cards of one host; `None` for one card, and for several hosts.
pub(super) fn weakest(park: &Park, cards: &[usize]) -> Option<Path> {
    let host = park.stock.host(*cards.first()?);
    if !cards.iter().all(|card| host.cards.contains(card)) {
        return None;
    }
    host.links.weakest(cards.iter().fold(0, |set, card| set | bit(card - host.cards.start)))
}
