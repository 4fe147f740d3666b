//! The best path between two cards, the matrix of all of them, and how well a set of cards is linked.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt;

use super::{Ancestor, LinkedCard, Remote, Topology};
use crate::id::CardUuid;

/// The best path between two cards, in the words of `nvidia-smi topo -m`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Path {
    /// The card itself.
    Same,
    /// So many NVLink lanes together, direct or through a switch.
    NvLink(u32),
    /// One PCIe switch at most.
    Pix,
    /// Several PCIe switches.
    Pxb,
    /// A PCIe host bridge, mostly the CPU's.
    Phb,
    /// Host bridges of one NUMA node.
    Node,
    /// From one NUMA node to another.
    Sys,
    /// NVML does not say.
    Unknown,
}

impl Path {
    /// The path over PCIe.
    #[must_use]
    pub fn over_pcie(ancestor: Ancestor) -> Self {
        match ancestor {
            Ancestor::Internal | Ancestor::Single => Self::Pix,
            Ancestor::Multiple => Self::Pxb,
            Ancestor::HostBridge => Self::Phb,
            Ancestor::Node => Self::Node,
            Ancestor::System => Self::Sys,
        }
    }

    /// Lanes of NVLink; 0 where the path is another one.
    #[must_use]
    pub fn lanes(self) -> u32 {
        if let Self::NvLink(lanes) = self { lanes } else { 0 }
    }

    /// The word of its kind, without the number of lanes: `NV`, `PIX`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Same => "X",
            Self::NvLink(_) => "NV",
            Self::Pix => "PIX",
            Self::Pxb => "PXB",
            Self::Phb => "PHB",
            Self::Node => "NODE",
            Self::Sys => "SYS",
            Self::Unknown => "N/A",
        }
    }

    /// From best to worst; what is not known counts as worst.
    fn rank(self) -> (u8, Reverse<u32>) {
        let kind = match self {
            Self::Same => 0,
            Self::NvLink(_) => 1,
            Self::Pix => 2,
            Self::Pxb => 3,
            Self::Phb => 4,
            Self::Node => 5,
            Self::Sys => 6,
            Self::Unknown => 7,
        };
        (kind, Reverse(self.lanes()))
    }

    /// Whether this path is better than another.
    #[must_use]
    pub fn is_better_than(self, other: Self) -> bool {
        self.rank() < other.rank()
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NvLink(lanes) => write!(f, "NV{lanes}"),
            other => f.write_str(other.word()),
        }
    }
}

/// Every card with every card, in the order of [`Topology::cards`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix {
    size: usize,
    paths: Vec<Path>,
}

impl Matrix {
    /// Number of cards.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// The path between two positions; [`Path::Unknown`] outside.
    #[must_use]
    pub fn get(&self, a: usize, b: usize) -> Path {
        if a >= self.size || b >= self.size {
            return Path::Unknown;
        }
        self.paths.get(a * self.size + b).copied().unwrap_or(Path::Unknown)
    }

    /// The rows, one for each card.
    pub fn rows(&self) -> impl Iterator<Item = &[Path]> {
        self.paths.chunks(self.size.max(1))
    }
}

/// How well a set of at least two cards is linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Linkage {
    /// The worst path of any two of them: what a job that talks among all of them runs at.
    pub weakest: Path,
    /// The best path of any two of them.
    pub strongest: Path,
    /// Each reaches each other over NVLink, if need be through others of them.
    pub joined_by_nvlink: bool,
}

/// The lanes of a card that are up, by where they lead.
pub(super) struct Lanes<'a> {
    /// To cards of this host.
    to_card: HashMap<&'a CardUuid, u32>,
    /// To switches. In virtual machines they are hidden, and often all that can be said is that there is something at the
    /// other end: that is a switch, unless the card has lanes to cards and none to a switch that is known. Then cards
    /// are wired to each other, and the unknown one is a card that is not listed.
    pub(super) to_switch: u32,
    /// All of them.
    up: u32,
    /// It has lanes, be they up or down.
    any: bool,
}

impl<'a> Lanes<'a> {
    fn of(card: &'a LinkedCard) -> Self {
        let mut lanes = Self { to_card: HashMap::new(), to_switch: 0, up: 0, any: !card.nvlinks.is_empty() };
        let mut unknown = 0;
        for link in card.nvlinks.iter().filter(|link| link.active) {
            lanes.up += 1;
            match &link.remote {
                Remote::Card { uuid } => *lanes.to_card.entry(uuid).or_default() += 1,
                Remote::Switch { .. } => lanes.to_switch += 1,
                Remote::Unknown => unknown += 1,
                Remote::Processor => {}
            }
        }
        if lanes.to_switch > 0 || lanes.to_card.is_empty() {
            lanes.to_switch += unknown;
        }
        lanes
    }
}

/// Lanes from one card to the other. Where the other says nothing about its lanes, this one is believed; a lane that
/// is down at the other end does not count.
fn one_way(from: &Lanes<'_>, to: &Lanes<'_>, uuid: &CardUuid) -> u32 {
    let lanes = from.to_card.get(uuid).copied().unwrap_or(0);
    if to.any { lanes.min(to.up) } else { lanes }
}

/// What the lanes of all cards say, made once for all pairs.
pub(super) struct Cabling<'a> {
    cards: &'a [LinkedCard],
    pub(super) lanes: Vec<Lanes<'a>>,
    /// What NVML says of a pair, the lower position first.
    pairs: HashMap<(usize, usize), (Option<Ancestor>, Option<bool>)>,
}

impl<'a> Cabling<'a> {
    pub(super) fn of(topology: &'a Topology) -> Self {
        let mut pairs = HashMap::with_capacity(topology.pairs.len());
        for pair in &topology.pairs {
            let ends = (pair.a.min(pair.b) as usize, pair.a.max(pair.b) as usize);
            pairs.entry(ends).or_insert((pair.ancestor.get(), pair.nvlink_p2p.get()));
        }
        Self { cards: &topology.cards, lanes: topology.cards.iter().map(Lanes::of).collect(), pairs }
    }

    fn said(&self, a: usize, b: usize) -> (Option<Ancestor>, Option<bool>) {
        self.pairs.get(&(a.min(b), a.max(b))).copied().unwrap_or_default()
    }

    /// The nearest thing that both hang on, where that is known.
    pub(super) fn ancestor(&self, a: usize, b: usize) -> Option<Ancestor> {
        self.said(a, b).0
    }

    /// NVML says that lanes between the two do not carry memory traffic.
    pub(super) fn is_denied(&self, a: usize, b: usize) -> bool {
        self.said(a, b).1 == Some(false)
    }

    /// Lanes from card to card.
    pub(super) fn direct(&self, a: usize, b: usize) -> u32 {
        let (Some(near), Some(far)) = (self.lanes.get(a), self.lanes.get(b)) else { return 0 };
        let (Some(one), Some(other)) = (self.cards.get(a), self.cards.get(b)) else { return 0 };
        one_way(near, far, &other.uuid).max(one_way(far, near, &one.uuid))
    }

    /// Lanes through switches: as many as the one with fewer has.
    pub(super) fn switched(&self, a: usize, b: usize) -> u32 {
        match (self.lanes.get(a), self.lanes.get(b)) {
            (Some(one), Some(other)) => one.to_switch.min(other.to_switch),
            _ => 0,
        }
    }

    fn path(&self, a: usize, b: usize) -> Path {
        if a == b {
            return Path::Same;
        }
        let lanes = if self.is_denied(a, b) { 0 } else { self.direct(a, b) + self.switched(a, b) };
        match (lanes, self.ancestor(a, b)) {
            (0, Some(ancestor)) => Path::over_pcie(ancestor),
            (0, None) => Path::Unknown,
            (lanes, _) => Path::NvLink(lanes),
        }
    }
}

impl Topology {
    /// All paths.
    #[must_use]
    pub fn matrix(&self) -> Matrix {
        let (cabling, size) = (Cabling::of(self), self.cards.len());
        let paths = (0..size * size).map(|at| cabling.path(at / size, at % size)).collect();
        Matrix { size, paths }
    }

    /// How well these cards are linked; `None` for fewer than two, and where one is not a physical card of this host.
    #[must_use]
    pub fn linkage(&self, cards: &[CardUuid]) -> Option<Linkage> {
        let position = |uuid: &CardUuid| self.cards.iter().position(|card| card.uuid == *uuid);
        let places = cards.iter().map(position).collect::<Option<Vec<usize>>>()?;
        let matrix = self.matrix();
        let path = |at: usize, of: usize| matrix.get(places[at], places[of]);
        let pairs = (0..places.len()).flat_map(|at| (0..at).map(move |of| (at, of)));
        let paths: Vec<Path> = pairs.map(|(at, of)| path(at, of)).collect();
        let mut reached = vec![false; places.len()];
        let mut next = vec![0];
        while let Some(at) = next.pop() {
            if !std::mem::replace(reached.get_mut(at)?, true) {
                next.extend((0..places.len()).filter(|of| path(at, *of).lanes() > 0));
            }
        }
        Some(Linkage {
            weakest: paths.iter().copied().max_by_key(|path| path.rank())?,
            strongest: paths.iter().copied().min_by_key(|path| path.rank())?,
            joined_by_nvlink: reached.iter().all(|reached| *reached),
        })
    }
}
