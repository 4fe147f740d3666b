//! What the rules of the person who asks leave of a wish. Nothing is offered that would be refused: what would keep a rule
//! by ending earlier is offered so, and says by which rule; what would keep it later is looked for then.

use std::collections::BTreeMap;

use super::park::Park;
use super::search::Fitting;
use super::stock::{instant, micros};
use super::taken::Micros;
use crate::id::{CardUuid, ReservationId};
use crate::reservation::LENGTH_MIN;
use crate::rules::{Asked, Breach, Cards, Claim, Clocks, Held, Judgement, Rule, Standing, judge};
use crate::window::Window;

/// How often an end is looked for that keeps all rules: each may ask for another one.
const ENDS_MAX: usize = 4;

/// A card, and how many of its shares; `None`: all of it.
pub(super) type Picked = (usize, Option<u32>);

/// An end, and the rule by which it is not the one that was asked for.
type End = (Micros, Option<String>);

/// The rules that are for somebody, and all that they look at.
#[derive(Clone, Debug)]
pub struct Leave<'a> {
    rules: &'a [Rule],
    standing: &'a Standing,
    clocks: Clocks<'a>,
    was: Option<Claim>,
}

/// What rules say of some cards at some time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Says {
    /// They can be booked.
    Fine,
    /// They can be booked with another end; by which rule.
    Until(Micros, String),
    /// Not before then.
    From(Micros),
    /// No; by which rule.
    No(String),
}

/// Cards that may be had until an instant.
pub(super) struct Open {
    pub(super) cards: Fitting,
    pub(super) end: Micros,
    /// The rule by which that is not the end that was asked for.
    pub(super) by_rule: Option<String>,
}

impl<'a> Leave<'a> {
    /// Somebody with these rules, who has this much.
    #[must_use]
    pub fn new(rules: &'a [Rule], standing: &'a Standing, clocks: Clocks<'a>) -> Self {
        Self { rules, standing, clocks, was: None }
    }

    /// The same for changing a booking: it may break a rule as much as it does already. `park` is the one with it, the
    /// person's standing is without it.
    #[must_use]
    pub fn instead_of(self, park: &Park, booking: ReservationId) -> Self {
        let was = park.wish_of(booking).map(|(cards, shares, window)| {
            let picked = |card: &CardUuid| Some((park.stock.position(card)?, shares.get(card).copied()));
            Claim { window, cards: cards.iter().filter_map(picked).map(|card| held(park, card, window)).collect() }
        });
        Self { was, ..self }
    }

    fn judge(&self, park: &Park, cards: &[Picked], start: Micros, end: Micros) -> Option<Judgement> {
        let window = Window::new(instant(start), instant(end)).ok()?;
        let cards = cards.iter().map(|card| held(park, *card, window)).collect();
        let asked = Asked { claim: Claim { window, cards }, was: self.was.clone() };
        Some(judge(self.rules, self.standing, &asked, &self.clocks))
    }

    /// What rules say of them.
    pub(super) fn says(&self, park: &Park, cards: &[Picked], start: Micros, end: Micros) -> Says {
        let Some(first) = self.judge(park, cards, start, end) else { return Says::No(String::new()) };
        let Some(rule) = first.breaches.first().map(|breach| breach.name.clone()) else { return Says::Fine };
        let least = i64::try_from(LENGTH_MIN.whole_microseconds()).unwrap_or(i64::MAX);
        let mut breaches = first.breaches.clone();
        for _ in 0..ENDS_MAX {
            let ends: Option<Vec<Micros>> = breaches.iter().map(|breach| breach.way.end.map(micros)).collect();
            let Some(end) = ends.and_then(|ends| ends.into_iter().min()).filter(|end| end - start >= least) else {
                break;
            };
            let Some(next) = self.judge(park, cards, start, end) else { break };
            if next.is_fine() {
                return Says::Until(end, rule);
            }
            breaches = next.breaches;
        }
        let later = |breach: &Breach| breach.way.start.map(micros).filter(|at| *at > start);
        let starts: Option<Vec<Micros>> =
            first.breaches.iter().map(|breach| later(breach).or(breach.way.end.map(|_| start))).collect();
        match starts.and_then(|starts| starts.into_iter().max()).filter(|at| *at > start) {
            Some(at) => Says::From(at),
            None => Says::No(rule),
        }
    }

    /// The first rule that they break at that time.
    pub(super) fn broken(&self, park: &Park, cards: &[Picked], start: Micros, end: Micros) -> Option<String> {
        self.judge(park, cards, start, end)?.breaches.into_iter().next().map(|breach| breach.name)
    }

    /// Of the cards that fit those that may be had, so many at once, from `start` on: for as long as is asked for first, then
    /// for less. And from when on more of them may be had.
    pub(super) fn open(
        &self,
        park: &Park,
        fitting: &Fitting,
        count: u32,
        start: Micros,
        end: Micros,
    ) -> (Vec<Open>, Option<Micros>) {
        // Rules tell cards apart by their labels, and by how much of a card they are.
        let mut kinds: BTreeMap<(Vec<String>, Cards), Vec<usize>> = BTreeMap::new();
        for card in fitting.all() {
            kinds.entry((labels(park, card), part(park, (card, None)))).or_default().push(card);
        }
        let mut ends: BTreeMap<usize, End> = BTreeMap::new();
        let mut next: Option<Micros> = None;
        for cards in kinds.into_values() {
            let Some(one) = cards.first() else { continue };
            let some = vec![(*one, None); count as usize];
            let until = match self.says(park, &some, start, end) {
                Says::Fine => (end, None),
                Says::Until(end, rule) => (end, Some(rule)),
                Says::From(at) => {
                    next = Some(next.map_or(at, |next| next.min(at)));
                    continue;
                }
                Says::No(_) => continue,
            };
            ends.extend(cards.into_iter().map(|card| (card, until.clone())));
        }
        let mut moments: Vec<End> = ends.values().cloned().collect();
        // First what was asked for, then what comes nearest.
        moments.sort_by_key(|(at, rule)| ((at - end).abs(), rule.is_some()));
        moments.dedup_by_key(|(at, _)| *at);
        let open = moments.into_iter().map(|(at, by_rule)| {
            let may = |card: usize| ends.get(&card).is_some_and(|(own, _)| *own == at || (*own > at && *own <= end));
            Open { cards: fitting.only(may), end: at, by_rule }
        });
        (open.collect(), next)
    }
}

fn labels(park: &Park, card: usize) -> Vec<String> {
    let mut labels: Vec<String> = park.stock.host(card).labels.iter().cloned().collect();
    labels.extend(park.stock.cards[card].labels.iter().cloned());
    labels.sort_unstable();
    labels.dedup();
    labels
}

fn part(park: &Park, (card, shares): Picked) -> Cards {
    let it = &park.stock.cards[card];
    match (shares, it.slice) {
        (Some(shares), _) => it.shares.map_or(Cards::ONE, |of| Cards::parts(shares, of)),
        (None, None) => Cards::ONE,
        (None, Some(_)) => {
            // Some models have fewer slices than others.
            let whole = park.stock.position(&it.gpu).map(|gpu| park.stock.cards[gpu].model.as_str());
            Cards::named(&format!("{} {}", whole.unwrap_or_default(), it.model))
        }
    }
}

fn held(park: &Park, picked: Picked, window: Window) -> Held {
    let card = park.stock.cards[picked.0].uuid.clone();
    Held { reservation: None, card, part: part(park, picked), window, labels: labels(park, picked.0) }
}
