//! How the cards of one host are linked, made once as sets of bits so that a choice of cards is judged in a few steps.

use super::stock::Card;
use crate::topology::{Ancestor, Matrix, Path, Topology};

/// A set of cards of one host: bit `n` is the `n`th of its cards. More than 64 are on no host; what is beyond is not linked.
pub(super) type Set = u64;
/// Most cards of one host that links are known of.
pub(super) const SET_MAX: usize = 64;

/// Better than nothing else: kinds of paths from best to worst.
const KINDS: [fn(Path) -> bool; 6] = [
    |path| matches!(path, Path::NvLink(_)),
    |path| matches!(path, Path::NvLink(_) | Path::Pix),
    |path| matches!(path, Path::NvLink(_) | Path::Pix | Path::Pxb),
    |path| matches!(path, Path::NvLink(_) | Path::Pix | Path::Pxb | Path::Phb),
    |path| matches!(path, Path::NvLink(_) | Path::Pix | Path::Pxb | Path::Phb | Path::Node),
    |path| !matches!(path, Path::Unknown),
];

/// What is joined by NVLink, but not every card with every other.
const JOINED: u8 = 1;
/// Class of a set that nothing is known of.
const UNKNOWN: u8 = 7;

/// Links among the cards of one host.
#[derive(Debug)]
pub(super) struct Links {
    size: usize,
    paths: Vec<Path>,
    /// For each kind of path and each card: the cards that it reaches so, or better.
    reach: [Vec<Set>; 6],
    /// For each card: those on its NUMA node.
    node: Vec<Set>,
    /// For each card: those behind its PCIe switch, or linked better.
    switch: Vec<Set>,
    /// Sets that NVLink joins, of at least two.
    pub(super) joined: Vec<Set>,
    /// Whole cards.
    pub(super) whole: Set,
}

impl Links {
    pub(super) fn new(cards: &[Card], topology: Option<&Topology>) -> Self {
        let size = cards.len().min(SET_MAX);
        let matrix = topology.map(Topology::matrix);
        let place = |card: &Card| topology?.cards.iter().position(|known| known.uuid == card.uuid);
        let places: Vec<Option<usize>> = cards.iter().take(size).map(place).collect();
        let at = |a: usize, b: usize| Some((places.get(a).copied()??, places.get(b).copied()??));
        let path = |a: usize, b: usize| match (&matrix, at(a, b)) {
            (Some(matrix), Some((a, b))) => Matrix::get(matrix, a, b),
            _ => Path::Unknown,
        };
        let paths: Vec<Path> = (0..size * size).map(|n| path(n / size, n % size)).collect();
        let within = |admits: &dyn Fn(usize, usize) -> bool| {
            let row = |a: usize| (0..size).filter(|b| a == *b || admits(a, *b)).map(bit).sum();
            (0..size).map(row).collect::<Vec<Set>>()
        };
        let ancestor = |a: usize, b: usize| {
            let (a, b) = at(a, b)?;
            let ends = (a.min(b), a.max(b));
            let pair = topology?.pairs.iter().find(|pair| (pair.a as usize, pair.b as usize) == ends)?;
            pair.ancestor.get()
        };
        let affinity = |a: usize| topology?.cards.get(places.get(a).copied()??)?.numa_affinity.value().cloned();
        let same_node = |a: usize, b: usize| match ancestor(a, b) {
            Some(ancestor) => ancestor != Ancestor::System,
            None => affinity(a).is_some_and(|node| Some(node) == affinity(b)),
        };
        let one_switch = |a: usize, b: usize| {
            matches!(path(a, b), Path::NvLink(_) | Path::Pix)
                || matches!(ancestor(a, b), Some(Ancestor::Internal | Ancestor::Single))
        };
        let reach = KINDS.map(|admits| within(&|a, b| admits(path(a, b))));
        let whole =
            cards.iter().take(size).enumerate().filter(|(_, card)| card.slice.is_none()).map(|(n, _)| bit(n)).sum();
        let mut links = Self {
            size,
            paths,
            node: within(&same_node),
            switch: within(&one_switch),
            reach,
            joined: Vec::new(),
            whole,
        };
        let mut left = whole;
        while left != 0 {
            let group = links.joined_with(left & left.wrapping_neg(), whole);
            left &= !group;
            if group.count_ones() > 1 {
                links.joined.push(group);
            }
        }
        links
    }

    pub(super) fn path(&self, a: usize, b: usize) -> Path {
        if a < self.size && b < self.size { self.paths[a * self.size + b] } else { Path::Unknown }
    }

    /// Everything among `all` that NVLink joins to `some`, step by step.
    pub(super) fn joined_with(&self, some: Set, all: Set) -> Set {
        let mut group = some & all;
        loop {
            let wider = members(group).fold(group, |wide, card| wide | (self.reach[0][card] & all));
            if wider == group {
                return group;
            }
            group = wider;
        }
    }

    /// For each card those that may go with it under this demand. NVLink is no demand on pairs: cards may be joined through
    /// others.
    pub(super) fn mates(&self, card: usize, link: super::Link) -> Set {
        match link {
            super::Link::Any | super::Link::NvLink => Set::MAX,
            super::Link::Node => self.node.get(card).copied().unwrap_or(0),
            super::Link::Switch => self.switch.get(card).copied().unwrap_or(0),
        }
    }

    /// From best (0) to worst. Two cards or more.
    pub(super) fn class(&self, set: Set) -> u8 {
        let holds = |reach: &[Set]| members(set).all(|card| set & !reach.get(card).copied().unwrap_or(0) == 0);
        if holds(&self.reach[0]) {
            return 0;
        }
        if self.joined_with(set & set.wrapping_neg(), set) == set {
            return JOINED;
        }
        let kinds = self.reach.iter().enumerate().skip(1);
        kinds
            .filter(|(_, reach)| holds(reach))
            .map(|(kind, _)| u8::try_from(kind + 1).unwrap_or(UNKNOWN))
            .next()
            .unwrap_or(UNKNOWN)
    }

    /// The worst path of any two of them; `None` for fewer than two.
    pub(super) fn weakest(&self, set: Set) -> Option<Path> {
        let pairs = members(set).flat_map(|a| members(set).filter(move |b| a < *b).map(move |b| (a, b)));
        pairs.map(|(a, b)| self.path(a, b)).reduce(|worst, path| if worst.is_better_than(path) { path } else { worst })
    }
}

/// The set of one.
pub(super) fn bit(card: usize) -> Set {
    if card < SET_MAX { 1 << card } else { 0 }
}

/// Its members, in order.
pub(super) fn members(set: Set) -> impl Iterator<Item = usize> + Clone {
    let mut left = set;
    std::iter::from_fn(move || {
        if left == 0 {
            return None;
        }
        let card = left.trailing_zeros() as usize;
        left &= left - 1;
        Some(card)
    })
}
