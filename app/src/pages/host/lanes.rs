//! Where bundles of NVLinks run in the picture, and where they leave a card.

use domain::topology::Layout;

use super::drawing::CardBox;

/// Most lines drawn of a bundle; its number says the rest.
pub(super) const STRANDS_MAX: u32 = 4;

/// In which lane each bundle runs, so that none runs over another.
pub(super) struct Lanes {
    /// The lane of each bundle.
    pub(super) of: Vec<i32>,
    /// How many there are.
    pub(super) count: i32,
    /// Most lines drawn of each bundle.
    pub(super) strands: u32,
}

impl Lanes {
    /// From where the cards stand.
    pub(super) fn of(layout: &Layout, rows: &[Vec<usize>]) -> Self {
        // Where a card stands in its row is enough to tell what overlaps, as all rows begin at the left.
        let mut place = Vec::new();
        for row in rows {
            let cards = row.iter().flat_map(|at| &layout.nodes[*at].pcie).flat_map(|group| &group.cards);
            place.extend(cards.enumerate().map(|(x, &card)| (card, x)));
        }
        let x = |card: usize| place.iter().find(|(known, _)| *known == card).map_or(0, |(_, x)| *x);
        let spans: Vec<(usize, usize)> =
            layout.bundles.iter().map(|bundle| (x(bundle.a).min(x(bundle.b)), x(bundle.a).max(x(bundle.b)))).collect();
        let mut order: Vec<usize> = (0..spans.len()).collect();
        order.sort_by_key(|&at| (spans[at].1 - spans[at].0, spans[at].0));
        let mut lanes: Vec<Vec<(usize, usize)>> = Vec::new();
        let mut of = vec![0; spans.len()];
        for at in order {
            let span = spans[at];
            let free = |lane: &Vec<(usize, usize)>| lane.iter().all(|other| other.1 < span.0 || span.1 < other.0);
            let lane = lanes.iter().position(free).unwrap_or(lanes.len());
            if lane == lanes.len() {
                lanes.push(Vec::new());
            }
            lanes[lane].push(span);
            of[at] = i32::try_from(lane).unwrap_or(0);
        }
        let busiest = place.iter().map(|(card, _)| ends(layout, *card).count()).max().unwrap_or(0);
        let strands = if busiest > 2 { 2 } else { STRANDS_MAX };
        Self { of, count: i32::try_from(lanes.len()).unwrap_or(0), strands }
    }

    /// Where on a card a bundle begins, from the left: in the order of the other ends.
    pub(super) fn port(&self, layout: &Layout, card: &CardBox, bundle: usize) -> i32 {
        let mut here: Vec<(usize, usize)> = ends(layout, card.at).collect();
        here.sort_unstable();
        let count = i32::try_from(here.len()).unwrap_or(1);
        let at = here.iter().position(|(_, known)| *known == bundle).and_then(|at| i32::try_from(at).ok()).unwrap_or(0);
        card.edge.x + card.edge.w * (at + 1) / (count + 1)
    }
}

/// The other end and the position of each bundle of a card.
fn ends(layout: &Layout, card: usize) -> impl Iterator<Item = (usize, usize)> {
    layout.bundles.iter().enumerate().filter_map(move |(at, bundle)| match bundle {
        bundle if bundle.a == card => Some((bundle.b, at)),
        bundle if bundle.b == card => Some((bundle.a, at)),
        _ => None,
    })
}
