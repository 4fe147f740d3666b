//! Which cards a process sees through `CUDA_VISIBLE_DEVICES`, by CUDA's own rule.

/// How a process's environment numbers the cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order<'a> {
    /// `CUDA_DEVICE_ORDER=PCI_BUS_ID`: as NVML does.
    PciBus,
    /// CUDA's default: positions of the cards, the fastest first.
    FastestFirst(&'a [usize]),
}

/// Positions of the cards that `value` selects, in CUDA's order.
///
/// The list ends before its first entry that names no card; a list that begins with UUIDs ends before the first index
/// and the other way round; a card named twice makes the whole list void.
#[must_use]
pub fn cards(value: &str, order: Order<'_>, uuids: &[&str]) -> Vec<usize> {
    let mut seen = Vec::new();
    let mut by_uuid = None;
    for entry in value.split(',') {
        let entry = entry.trim_start();
        let is_uuid = entry.starts_with("GPU-");
        if *by_uuid.get_or_insert(is_uuid) != is_uuid {
            break;
        }
        let found = if is_uuid { by_prefix(entry.trim_end(), uuids) } else { by_index(entry, order, uuids.len()) };
        let Some(card) = found else { break };
        if seen.contains(&card) {
            return Vec::new();
        }
        seen.push(card);
    }
    seen
}

/// A prefix will do, as long as it fits one card only.
fn by_prefix(entry: &str, uuids: &[&str]) -> Option<usize> {
    let fits = |uuid: &str| uuid.get(..entry.len()).is_some_and(|start| start.eq_ignore_ascii_case(entry));
    let mut fitting = uuids.iter().enumerate().filter(|(_, uuid)| fits(uuid));
    let (card, _) = fitting.next()?;
    fitting.next().is_none().then_some(card)
}

/// Leading digits count, as `strtol` reads them.
fn by_index(entry: &str, order: Order<'_>, count: usize) -> Option<usize> {
    let digits = entry.find(|c: char| !c.is_ascii_digit()).unwrap_or(entry.len());
    let index: usize = entry[..digits].parse().ok()?;
    match order {
        Order::PciBus => (index < count).then_some(index),
        Order::FastestFirst(positions) => positions.get(index).copied(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UUIDS: [&str; 3] = ["GPU-aaaa-1", "GPU-aabb-2", "GPU-cccc-3"];

    fn pci(value: &str) -> Vec<usize> {
        cards(value, Order::PciBus, &UUIDS)
    }

    #[test]
    fn the_list_ends_at_its_first_bad_entry() {
        assert_eq!(pci("2,0"), [2, 0]);
        assert_eq!(pci("0,2,-1,1"), [0, 2]);
        assert_eq!(pci("0,3,1"), [0]);
        assert_eq!(pci("0,,1"), [0]);
        assert_eq!(pci(""), Vec::<usize>::new());
        assert_eq!(pci("-1"), Vec::<usize>::new());
        assert_eq!(pci("NoDevFiles"), Vec::<usize>::new());
        assert_eq!(pci("99999999999999999999999"), Vec::<usize>::new());
    }

    #[test]
    fn uuids_by_unique_prefix_and_never_mixed_with_indices() {
        assert_eq!(pci("GPU-cccc-3,GPU-aaaa-1"), [2, 0]);
        assert_eq!(pci("GPU-c"), [2]);
        assert_eq!(pci("GPU-aa"), Vec::<usize>::new());
        assert_eq!(pci("GPU-cccc-3,0"), [2]);
        assert_eq!(pci("0,GPU-cccc-3"), [0]);
        assert_eq!(pci("GPU-é"), Vec::<usize>::new());
    }

    #[test]
    fn a_card_named_twice_voids_the_list() {
        assert_eq!(pci("0,1,0"), Vec::<usize>::new());
        assert_eq!(pci("GPU-cccc-3,GPU-cccc"), Vec::<usize>::new());
    }

    #[test]
    fn numbers_mean_what_the_order_says() {
        assert_eq!(pci(" 1gpu,2ampere"), [1, 2]);
        assert_eq!(cards("0", Order::FastestFirst(&[1, 2, 0]), &UUIDS), [1]);
        assert_eq!(cards("GPU-aaaa-1", Order::FastestFirst(&[1, 2, 0]), &UUIDS), [0]);
    }
}
