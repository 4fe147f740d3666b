//! Which cards of those that would do: compared by what they cost, part by part, the most important part first.
//!
//! A host has few cards, so all sets of them are compared where these are not too many, else the best of some that were
//! grown card by card. Whether there is a set at all is never left to chance.

use std::collections::BTreeSet;

use super::Link;
use super::links::{Links, SET_MAX, Set, bit, members};
use super::park::Park;
use super::taken::Micros;
use crate::topology::Path;

/// Sets that are compared on one host.
const SETS_MAX: u64 = 600;
/// Cards from which a set is grown where there are more.
const SEEDS_MAX: usize = 4;
/// Steps of one search, over all sets that do not come about.
const STEPS_MAX: u32 = 20_000;
/// A gap that is longer counts as this long, in minutes: two weeks.
const GAP_MAX_MIN: i64 = 14 * 24 * 60;
/// A card that does not say how much memory it has counts as larger than any that does.
const SIZE_UNKNOWN: i64 = 1 << 20;

/// What a set costs: the first part that differs decides.
pub(super) type Cost = [i64; 11];

/// What is aimed at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aim {
    /// The smallest cards that do.
    Fit,
    /// The fastest.
    Fast,
}

/// What is looked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ask<'a> {
    pub(super) park: &'a Park,
    pub(super) start: Micros,
    pub(super) end: Micros,
    pub(super) link: Link,
    pub(super) aim: Aim,
    /// No two may be linked worse than this.
    pub(super) at_least: Option<Path>,
    /// So many cards of each kind; a candidate's kind is its position here.
    pub(super) counts: &'a [u32],
    /// The more of these stay the better.
    pub(super) keep: &'a [usize],
}

/// A choice: positions of cards in the stock, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) cost: Cost,
    pub(super) cards: Vec<usize>,
}

/// A card that would do, and what it adds to the cost.
struct Candidate {
    /// Position on its host.
    local: usize,
    kind: usize,
    kept: bool,
    size: i64,
    speed: i64,
    memory: i64,
    model: usize,
    open: i64,
    gap: i64,
    load: i64,
}

/// How many pairs, quads and so on can be made of so many: what is lost of it is fragmentation.
fn value(free: u32) -> i64 {
    i64::from(free / 2 + free / 4 * 2 + free / 8 * 4 + free / 16 * 8)
}

/// What taking some of these breaks, beyond what it uses.
fn loss(free: u32, taken: u32) -> i64 {
    value(free) - value(free.saturating_sub(taken)) - value(taken)
}

impl Ask<'_> {
    fn total(&self) -> u32 {
        self.counts.iter().sum()
    }

    fn gap_minutes(&self, card: usize) -> i64 {
        let taken = self.park.taken(card);
        let before = self.start - taken.last(self.start).unwrap_or(i64::MIN).max(self.park.now);
        let after = taken.next(self.end).map_or(i64::MAX, |next| next - self.end);
        [before, after].iter().map(|gap| (gap / 60_000_000).clamp(0, GAP_MAX_MIN)).sum()
    }

    fn candidate(&self, card: usize, first: usize, kind: usize, models: &mut Vec<String>) -> Candidate {
        let it = &self.park.stock.cards[card];
        let model = models.iter().position(|known| *known == it.model).unwrap_or_else(|| {
            models.push(it.model.clone());
            models.len() - 1
        });
        let memory = it.memory_mib.and_then(|mib| i64::try_from(mib).ok());
        Candidate {
            local: card - first,
            kind,
            kept: self.keep.contains(&card),
            // In steps of 2 GB: what drivers keep for themselves makes no card smaller than its sister.
            size: memory.map_or(SIZE_UNKNOWN, |mib| (mib + 1024) / 2048),
            speed: it.speed.and_then(|speed| i64::try_from(speed).ok()).unwrap_or(0),
            memory: memory.unwrap_or(0),
            model,
            open: i64::from(it.shares.is_some()),
            gap: self.gap_minutes(card),
            load: i64::from(self.park.today[card].load_percent.unwrap_or(0)),
        }
    }

    /// The best of these cards of one host, each with its kind; `bound` is the cost of what is known elsewhere.
    pub(super) fn on_host(&self, host: usize, cards: &[(usize, usize)], bound: Option<&Cost>) -> Option<Choice> {
        let place = &self.park.stock.hosts[host];
        let first = place.cards.start;
        let mut models = Vec::new();
        let mut all: Vec<Candidate> =
            cards.iter().map(|(card, kind)| self.candidate(*card, first, *kind, &mut models)).collect();
        if all.len() < self.total() as usize {
            return None;
        }
        if self.total() == 1 {
            return self.single(host, &all);
        }
        all.retain(|one| one.local < SET_MAX);
        all.sort_by_key(|one| (!one.kept, one.size, one.speed, one.gap, one.load, one.local));
        let is_free = |card: usize| self.park.is_bookable(card) && self.park.is_free(card, self.start, self.end);
        let free: Set = members(place.links.whole).filter(|local| is_free(first + local)).map(bit).sum();
        let mut search = Search {
            ask: self,
            links: &place.links,
            all: &all,
            free,
            best: None,
            sets: 0,
            steps: 0,
            mates: all.iter().map(|one| self.mates(&place.links, one.local, &all)).collect(),
        };
        if bound.is_some_and(|bound| search.lower_bound().as_slice() > bound.get(..4).unwrap_or_default()) {
            return None;
        }
        search.run();
        let (cost, set) = search.best?;
        Some(Choice { cost, cards: members(set).map(|local| first + local).collect() })
    }

    /// With whom a card may be.
    fn mates(&self, links: &Links, card: usize, all: &[Candidate]) -> Set {
        let mates = links.mates(card, self.link);
        let Some(least) = self.at_least else { return mates };
        let good = |other: &&Candidate| !least.is_better_than(links.path(card, other.local));
        mates & all.iter().filter(good).map(|other| bit(other.local)).sum::<Set>()
    }

    fn single(&self, host: usize, all: &[Candidate]) -> Option<Choice> {
        let place = &self.park.stock.hosts[host];
        let first = place.cards.start;
        let is_free = |card: usize| self.park.is_bookable(card) && self.park.is_free(card, self.start, self.end);
        let free: Set = members(place.links.whole).filter(|local| is_free(first + local)).map(bit).sum();
        let siblings = |card: usize| {
            let gpu = &self.park.stock.cards[card].gpu;
            place.cards.clone().filter(|other| self.park.stock.cards[*other].gpu == *gpu && is_free(*other)).count()
        };
        let cost = |one: &Candidate| {
            let in_group = place.links.joined.iter().find(|group| *group & bit(one.local) != 0);
            let nvlink = in_group.map_or(0, |group| loss((group & free).count_ones(), 1));
            let host = if self.park.stock.cards[first + one.local].slice.is_some() {
                loss(u32::try_from(siblings(first + one.local)).unwrap_or(0), 1)
            } else {
                loss(free.count_ones(), 1)
            };
            let tail = [nvlink, host, one.open, one.gap, one.load];
            self.cost(i64::from(one.kept), 0, 0, (one.size, one.memory), (one.speed, one.speed), 0, tail)
        };
        let best = all.iter().map(|one| (cost(one), one.local)).min()?;
        Some(Choice { cost: best.0, cards: vec![first + best.1] })
    }

    /// Puts the parts in order. `sizes`: in steps, and in MiB; `speeds`: of all together, and of the slowest.
    #[expect(clippy::too_many_arguments, reason = "the parts of a cost, put in order in one place")]
    fn cost(
        &self,
        kept: i64,
        mixed: i64,
        class: i64,
        sizes: (i64, i64),
        speeds: (i64, i64),
        lanes: i64,
        tail: [i64; 5],
    ) -> Cost {
        let [nvlink, host, open, gap, load] = tail;
        match self.aim {
            Aim::Fit => [-kept, mixed, class, sizes.0, speeds.0, -lanes, nvlink, host, open, gap, load],
            Aim::Fast => [-kept, mixed, -speeds.1, -sizes.1, class, -lanes, nvlink, host, open, gap, load],
        }
    }
}

/// A search among the cards of one host, for two or more.
struct Search<'a> {
    ask: &'a Ask<'a>,
    links: &'a Links,
    /// In the order in which they are tried.
    all: &'a [Candidate],
    /// All whole cards that could be booked then, wanted or not.
    free: Set,
    /// For each of `all`: with whom it may be.
    mates: Vec<Set>,
    best: Option<(Cost, Set)>,
    sets: u64,
    steps: u32,
}

impl Search<'_> {
    /// No set here can cost less: the first four parts.
    fn lower_bound(&self) -> [i64; 4] {
        let count = self.ask.total() as usize;
        let kept = -i64::try_from(self.all.iter().filter(|one| one.kept).count().min(count)).unwrap_or(0);
        match self.ask.aim {
            Aim::Fit => {
                let mut sizes: Vec<i64> = self.all.iter().map(|one| one.size).collect();
                sizes.sort_unstable();
                let linked = self.links.joined.iter().any(|group| group.count_ones() as usize >= count);
                [kept, 0, if linked { 0 } else { 2 }, sizes.iter().take(count).sum()]
            }
            Aim::Fast => {
                let mut speeds: Vec<i64> = self.all.iter().map(|one| one.speed).collect();
                speeds.sort_unstable_by(|a, b| b.cmp(a));
                [kept, 0, -speeds.get(count - 1).copied().unwrap_or(0), i64::MIN]
            }
        }
    }

    fn run(&mut self) {
        let everything: Set = self.all.iter().map(|one| bit(one.local)).sum();
        if self.ask.link != Link::NvLink {
            return self.among(everything);
        }
        let mut left = everything;
        while left != 0 {
            let group = self.links.joined_with(left & left.wrapping_neg(), everything);
            left &= !group;
            if group.count_ones() >= self.ask.total() {
                self.among(group);
            }
        }
    }

    fn among(&mut self, some: Set) {
        let mut counts = self.ask.counts.to_vec();
        if choices(some.count_ones(), self.ask.total()) > SETS_MAX {
            let seeds: Vec<usize> = (0..self.all.len()).filter(|at| some & bit(self.all[*at].local) != 0).collect();
            for seed in seeds.into_iter().take(SEEDS_MAX) {
                self.grow(seed, some);
            }
        }
        (self.sets, self.steps) = (0, 0);
        self.try_all(0, 0, some, self.ask.total(), &mut counts);
    }

    /// Card by card, each time the one with which the set costs least.
    fn grow(&mut self, seed: usize, some: Set) {
        let mut counts = self.ask.counts.to_vec();
        let (mut set, mut allowed, mut next) = (0, some, Some(seed));
        while let Some(at) = next {
            let one = &self.all[at];
            counts[one.kind] -= 1;
            set |= bit(one.local);
            allowed &= self.mates[at];
            let fits = |one: &&Candidate| allowed & !set & bit(one.local) != 0 && counts[one.kind] > 0;
            let joins = |one: &&Candidate| {
                self.ask.link != Link::NvLink || self.links.joined_with(set, set | bit(one.local)) & bit(one.local) != 0
            };
            let best = self.all.iter().filter(fits).filter(joins).min_by_key(|one| self.cost(set | bit(one.local)));
            next = best.and_then(|best| self.all.iter().position(|one| one.local == best.local));
        }
        if set.count_ones() == self.ask.total() {
            self.take(set);
        }
    }

    fn try_all(&mut self, from: usize, set: Set, allowed: Set, left: u32, counts: &mut [u32]) {
        self.steps += 1;
        if left == 0 {
            self.take(set);
            return;
        }
        for at in from..self.all.len() {
            // One set at least is found first, however long that takes.
            if (self.sets > SETS_MAX || self.steps > STEPS_MAX) && self.best.is_some() {
                return;
            }
            let one = &self.all[at];
            if allowed & bit(one.local) == 0 || counts[one.kind] == 0 {
                continue;
            }
            let (kind, with) = (one.kind, set | bit(one.local));
            let still = allowed & self.mates[at];
            let rest = self.all.get(at + 1..).unwrap_or_default();
            let enough = rest.iter().filter(|other| still & bit(other.local) != 0).count() + 1 >= left as usize;
            if enough {
                counts[kind] -= 1;
                self.try_all(at + 1, with, still, left - 1, counts);
                counts[kind] += 1;
            }
        }
    }

    fn take(&mut self, set: Set) {
        self.sets += 1;
        if self.ask.link == Link::NvLink && self.links.joined_with(set & set.wrapping_neg(), set) != set {
            return;
        }
        let cost = self.cost(set);
        if self.best.as_ref().is_none_or(|best| (cost, set) < *best) {
            self.best = Some((cost, set));
        }
    }

    fn cost(&self, set: Set) -> Cost {
        let chosen = || self.all.iter().filter(|one| set & bit(one.local) != 0);
        let mut models: Set = 0;
        let (mut kept, mut slowest) = (0, i64::MAX);
        let (mut size, mut memory, mut speed, mut open, mut gap, mut load) = (0, 0, 0, 0, 0, 0);
        for one in chosen() {
            models |= bit(one.model.min(SET_MAX - 1));
            kept += i64::from(one.kept);
            slowest = slowest.min(one.speed);
            size += one.size;
            memory += one.memory;
            speed += one.speed;
            open += one.open;
            gap += one.gap;
            load += one.load;
        }
        let groups = self.links.joined.iter().map(|group| {
            let taken = (group & set).count_ones();
            if taken == 0 { 0 } else { loss((group & self.free).count_ones(), taken) }
        });
        let tail = [groups.sum(), loss(self.free.count_ones(), set.count_ones()), open, gap, load];
        let lanes = self.links.weakest(set).map_or(0, |path| i64::from(path.lanes()));
        let mixed = i64::from(models.count_ones()) - 1;
        self.ask.cost(kept, mixed, i64::from(self.links.class(set)), (size, memory), (speed, slowest), lanes, tail)
    }
}

/// How many sets of `some` there are among `all`; no more than fit.
fn choices(all: u32, some: u32) -> u64 {
    let some = some.min(all.saturating_sub(some));
    (0..some).fold(1_u64, |sets, n| sets.saturating_mul(u64::from(all - n)) / u64::from(n + 1))
}

/// Whether there is such a set among `free`.
pub(super) fn exists(links: &Links, free: Set, count: u32, link: Link) -> bool {
    match link {
        Link::Any => free.count_ones() >= count,
        Link::NvLink => {
            let mut left = free;
            while left != 0 {
                let group = links.joined_with(left & left.wrapping_neg(), free);
                if group.count_ones() >= count {
                    return true;
                }
                left &= !group;
            }
            false
        }
        Link::Node | Link::Switch => members(free).any(|card| {
            // Those that come later only: each set is looked at from its first card.
            let later = free & links.mates(card, link) & !(bit(card) | (bit(card) - 1));
            count <= 1 || (later.count_ones() + 1 >= count && exists(links, later, count - 1, link))
        }),
    }
}

/// Different models among some cards.
pub(super) fn models(park: &Park, cards: &[usize]) -> usize {
    cards.iter().map(|card| park.stock.cards[*card].model.as_str()).collect::<BTreeSet<_>>().len()
}
