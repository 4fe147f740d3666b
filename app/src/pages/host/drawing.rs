//! Where everything stands in the picture of a host's links: numbers only, in the units of the picture.
//!
//! NUMA nodes stand side by side, CPU above, cards below. What links cards runs below them: a lane for each bundle of
//! NVLinks, or the one bar of the fabric. Where the nodes do not fit side by side they stand in rows, the second one
//! upside down, with the links between the two.

use domain::topology::{Layout, NodeGroup, Path};

use super::lanes::{Lanes, STRANDS_MAX};

/// Size of a card.
pub const CARD: (i32, i32) = (116, 58);
/// Height of a CPU or a switch.
pub const CHIP: i32 = 24;
/// Width of a CPU or a switch.
pub const CHIP_WIDTH: i32 = 116;
/// Height of the fabric's bar.
pub const BAR: i32 = 34;

/// Between cards of a group.
const GAP: i32 = 10;
/// Between groups.
const GROUP_GAP: i32 = 20;
/// Inside a node's edge.
const PAD: i32 = 16;
/// Between nodes.
const NODE_GAP: i32 = 24;
/// Least width of a node: its name and its CPUs stand side by side.
const NODE_MIN: i32 = 284;
/// Wider than this, and nodes stand in another row.
const WIDEST: i32 = 1260;
/// From a node's top to the middle of its name.
const NAME_AT: i32 = 22;
/// From a node's top to its CPU.
const CPU_AT: i32 = 40;
/// From a node's top to its switches.
const SWITCH_AT: i32 = 84;
/// From a node's top to its cards.
const CARDS_AT: i32 = 128;
/// Height of a node.
const NODE: i32 = CARDS_AT + CARD.1 + PAD;
/// From nodes to the first lane of links, and between nodes in rows without links.
const CLEAR: i32 = 24;
/// Between two lanes of links.
const LANE: i32 = 24;
/// From nodes to the fabric's bar.
const STUB: i32 = 46;
/// Between the lines of a bundle.
const STRAND: i32 = 5;
/// Room on each side of the middle of a number.
const TAG: i32 = 30;

/// A rectangle: left, top, width, height.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Rect {
    /// Left.
    pub x: i32,
    /// Top.
    pub y: i32,
    /// Width.
    pub w: i32,
    /// Height.
    pub h: i32,
}

impl Rect {
    /// The middle, from left to right.
    #[must_use]
    pub fn middle(&self) -> i32 {
        self.x + self.w / 2
    }
}

/// A NUMA node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeBox {
    /// Position in [`Layout::nodes`].
    pub at: usize,
    /// Its edge.
    pub edge: Rect,
    /// Where the middle of its name is, from the top.
    pub name_y: i32,
    /// Its CPU.
    pub cpu: Rect,
}

/// A card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CardBox {
    /// Position in the topology.
    pub at: usize,
    /// Its edge.
    pub edge: Rect,
    /// In a row that stands upside down: links leave at the top.
    pub turned: bool,
}

/// A bundle of NVLinks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wire {
    /// Position in [`Layout::bundles`].
    pub at: usize,
    /// Its lines.
    pub paths: Vec<String>,
    /// The middle of its number.
    pub tag: (i32, i32),
}

/// The fabric.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FabricBar {
    /// Its edge.
    pub edge: Rect,
    /// From each card that it joins.
    pub stubs: Vec<Stub>,
}

/// What joins a card to the fabric.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stub {
    /// Position of the card.
    pub at: usize,
    /// Lanes.
    pub lanes: u32,
    /// Its lines.
    pub paths: Vec<String>,
    /// The middle of its number.
    pub tag: (i32, i32),
}

/// The whole picture.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Drawing {
    /// Width and height.
    pub size: (i32, i32),
    /// NUMA nodes.
    pub nodes: Vec<NodeBox>,
    /// PCIe switches and host bridges, and which they are.
    pub chips: Vec<(Rect, Path)>,
    /// PCIe.
    pub pcie: Vec<String>,
    /// From CPU to CPU, and the middle of its word.
    pub between: Vec<(String, (i32, i32))>,
    /// Cards, in the order of the topology.
    pub cards: Vec<CardBox>,
    /// Bundles of NVLinks.
    pub wires: Vec<Wire>,
    /// The fabric.
    pub fabric: Option<FabricBar>,
}

/// Draws it.
#[must_use]
pub fn draw(layout: &Layout) -> Drawing {
    let mut drawing = Drawing::default();
    let rows = rows(&layout.nodes);
    let width = |row: &[usize]| {
        let nodes: i32 = row.iter().map(|at| node_width(&layout.nodes[*at])).sum();
        nodes + NODE_GAP * i32::try_from(row.len().saturating_sub(1)).unwrap_or(0)
    };
    let widest = rows.iter().map(|row| width(row)).max().unwrap_or(0);
    let lanes = Lanes::of(layout, &rows);
    let zone = match (&layout.fabric, lanes.count) {
        (Some(_), 0) => 2 * STUB + BAR,
        (Some(_), count) => 2 * STUB + BAR + count * LANE,
        (None, 0) => CLEAR,
        (None, count) => CLEAR + count * LANE,
    };
    let mut y = 1;
    for (number, row) in rows.iter().enumerate() {
        let turned = number == 1;
        let mut x = 1 + (widest - width(row)) / 2;
        for &at in row {
            let node = &layout.nodes[at];
            let place = Rect { x, y, w: node_width(node), h: NODE };
            drawing.node(at, node, place, turned);
            x += place.w + NODE_GAP;
        }
        drawing.between_cpus(row.len());
        y += NODE + if number == 0 { zone } else { CLEAR };
    }
    drawing.cards.sort_by_key(|card| card.at);
    let alone = rows.len() < 2;
    drawing.wires(layout, &lanes, 1 + NODE + CLEAR);
    drawing.bar(layout, widest, 1 + NODE + STUB + lanes.count * LANE, rows.len());
    let below = match (&layout.fabric, alone) {
        (Some(_), true) => 1 + NODE + STUB + lanes.count * LANE + BAR,
        (None, true) if lanes.count > 0 => 1 + NODE + CLEAR + lanes.count * LANE,
        (_, true) => 1 + NODE,
        (_, false) => y - CLEAR,
    };
    drawing.size = (widest + 2, below + 1);
    drawing
}

/// Nodes side by side, as many as fit; never more than two rows where links run between.
fn rows(nodes: &[NodeGroup]) -> Vec<Vec<usize>> {
    let mut rows: Vec<Vec<usize>> = Vec::new();
    let mut width = 0;
    for (at, node) in nodes.iter().enumerate() {
        let wide = node_width(node);
        match rows.last_mut() {
            Some(row) if width + NODE_GAP + wide <= WIDEST => {
                width += NODE_GAP + wide;
                row.push(at);
            }
            _ => {
                width = wide;
                rows.push(vec![at]);
            }
        }
    }
    // Two rows face each other; with three the half of them would be far from the links.
    if rows.len() > 2 {
        let half = nodes.len().div_ceil(2);
        return vec![(0..half).collect(), (half..nodes.len()).collect()];
    }
    rows
}

fn group_width(cards: usize) -> i32 {
    let cards = i32::try_from(cards).unwrap_or(0);
    cards * (CARD.0 + GAP) - GAP
}

fn node_width(node: &NodeGroup) -> i32 {
    let groups: i32 = node.pcie.iter().map(|group| group_width(group.cards.len()) + GROUP_GAP).sum();
    (groups - GROUP_GAP + 2 * PAD).max(NODE_MIN)
}

impl Drawing {
    fn node(&mut self, at: usize, node: &NodeGroup, edge: Rect, turned: bool) {
        // Upside down everything is as far from the bottom as it was from the top.
        let top = |from: i32, height: i32| edge.y + if turned { NODE - from - height } else { from };
        let cpu = Rect { x: edge.middle() - CHIP_WIDTH / 2, y: top(CPU_AT, CHIP), w: CHIP_WIDTH, h: CHIP };
        let (from_cpu, to_switch) = (top(CPU_AT + CHIP, 0), top(SWITCH_AT, 0));
        let (from_switch, to_card) = (top(SWITCH_AT + CHIP, 0), top(CARDS_AT, 0));
        let bend = |from: i32, to: i32| i32::midpoint(from, to);
        let groups: i32 = node.pcie.iter().map(|group| group_width(group.cards.len()) + GROUP_GAP).sum();
        let mut x = edge.x + (edge.w - (groups - GROUP_GAP)) / 2;
        for group in &node.pcie {
            let wide = group_width(group.cards.len());
            let middle = x + wide / 2;
            if let Some(through) = group.through {
                let chip = Rect { x: middle - CHIP_WIDTH / 2, y: top(SWITCH_AT, CHIP), w: CHIP_WIDTH, h: CHIP };
                self.chips.push((chip, through));
                self.pcie.push(elbow(cpu.middle(), from_cpu, bend(from_cpu, to_switch), middle, to_switch));
            }
            for &card in &group.cards {
                let place = Rect { x, y: top(CARDS_AT, CARD.1), w: CARD.0, h: CARD.1 };
                self.cards.push(CardBox { at: card, edge: place, turned });
                self.pcie.push(if group.through.is_some() {
                    elbow(middle, from_switch, bend(from_switch, to_card), place.middle(), to_card)
                } else {
                    elbow(cpu.middle(), from_cpu, bend(from_cpu, to_switch), place.middle(), to_card)
                });
                x += CARD.0 + GAP;
            }
            x += GROUP_GAP - GAP;
        }
        self.nodes.push(NodeBox { at, edge, name_y: top(NAME_AT, 0), cpu });
    }

    /// Joins the CPUs of the last nodes that were added.
    fn between_cpus(&mut self, row: usize) {
        let from = self.nodes.len().saturating_sub(row);
        for pair in self.nodes[from..].windows(2) {
            let [left, right] = pair else { continue };
            let y = left.cpu.y + CHIP / 2;
            let (from, to) = (left.cpu.x + left.cpu.w, right.cpu.x);
            let middle = i32::midpoint(left.edge.x + left.edge.w, right.edge.x);
            self.between.push((format!("M{from} {y}H{to}"), (middle, y)));
        }
    }

    fn card(&self, at: usize) -> Option<&CardBox> {
        self.cards.iter().find(|card| card.at == at)
    }

    fn wires(&mut self, layout: &Layout, lanes: &Lanes, top: i32) {
        let mut wires = Vec::new();
        let this = &*self;
        let ports: Vec<i32> = layout
            .bundles
            .iter()
            .enumerate()
            .flat_map(|(at, bundle)| {
                let port = move |end: usize| this.card(end).map(|card| lanes.port(layout, card, at));
                [port(bundle.a), port(bundle.b)]
            })
            .flatten()
            .collect();
        for (at, bundle) in layout.bundles.iter().enumerate() {
            let (Some(a), Some(b)) = (self.card(bundle.a), self.card(bundle.b)) else { continue };
            let y = top + lanes.of[at] * LANE;
            let (from, to) = (lanes.port(layout, a, at), lanes.port(layout, b, at));
            let strands = i32::try_from(bundle.lanes.min(lanes.strands)).unwrap_or(1).max(1);
            let paths = (0..strands).map(|strand| {
                let off = STRAND * strand - STRAND * (strands - 1) / 2;
                // Nested where both ends are on one side, so that the lines do not cross.
                let (left, right) = if from < to { (off, -off) } else { (-off, off) };
                let (right, depth) = if a.turned == b.turned { (right, -off / 2) } else { (-right, off / 2) };
                let y = y + if a.turned { -depth } else { depth };
                format!("M{} {}V{y}H{}V{}", from + left, edge_y(a), to + right, edge_y(b))
            });
            wires.push(Wire { at, paths: paths.collect(), tag: (clear(from, to, &ports), y) });
        }
        self.wires = wires;
    }

    fn bar(&mut self, layout: &Layout, width: i32, y: i32, rows: usize) {
        let Some(fabric) = &layout.fabric else { return };
        let edge = Rect { x: 1, y, w: width, h: BAR };
        let stub = |&(at, lanes): &(usize, u32)| {
            let card = self.card(at)?;
            let strands = i32::try_from(lanes.min(STRANDS_MAX)).unwrap_or(0);
            let end = if card.turned { y + BAR } else { y };
            let line = |strand: i32| {
                let x = card.edge.middle() + STRAND * strand - STRAND * (strands - 1) / 2;
                format!("M{x} {}V{end}", edge_y(card))
            };
            // Between the node's edge and the bar.
            let tag = if card.turned { end + STUB / 2 } else { end - STUB / 2 };
            let paths = (0..strands).map(line).collect();
            Some(Stub { at, lanes, paths, tag: (card.edge.middle(), tag) })
        };
        let stubs = if rows > 2 { Vec::new() } else { fabric.ports.iter().filter_map(stub).collect() };
        self.fabric = Some(FabricBar { edge, stubs });
    }
}

/// Where the number of a bundle is best read: as near to the middle as no other bundle crosses it.
fn clear(from: i32, to: i32, ports: &[i32]) -> i32 {
    let along = |part: i32| from + (to - from) * part / 16;
    let is_clear = |x: &i32| ports.iter().all(|port| (port - x).abs() > TAG);
    let parts = [8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13];
    parts.into_iter().map(along).find(is_clear).unwrap_or_else(|| along(8))
}

/// Where links leave a card.
fn edge_y(card: &CardBox) -> i32 {
    if card.turned { card.edge.y } else { card.edge.y + card.edge.h }
}

fn elbow(x: i32, y: i32, bend: i32, to_x: i32, to_y: i32) -> String {
    format!("M{x} {y}V{bend}H{to_x}V{to_y}")
}

#[cfg(test)]
#[path = "drawing_tests.rs"]
mod tests;
