use domain::id::CardUuid;
use domain::topology::Ancestor;
use time::macros::datetime;

use super::*;

const NOW: OffsetDateTime = datetime!(2026-11-30 10:00 UTC);

fn uuid(n: usize) -> CardUuid {
    CardUuid::parse(&format!("GPU-{n}")).expect("valid")
}

fn inventory(cards: usize) -> Inventory {
    let linked = |n| LinkedCard {
        uuid: uuid(n),
        index: 0,
        pci_bus_id: Some("0000:1b:00.0".to_owned()),
        cpu_affinity: Reading::Value("0-55".to_owned()),
        numa_affinity: Reading::default(),
        gpu_numa_id: Reading::default(),
        nvlinks: Vec::new(),
    };
    Inventory {
        machine: Machine::default(),
        cards: (0..cards).map(|n| CardInventory { uuid: uuid(n), traits: CardTraits::default() }).collect(),
        topology: Topology { cards: (0..cards).map(linked).collect(), pairs: Vec::new() },
    }
}

#[test]
fn what_fits_stays_as_it_is() {
    let mut good = inventory(16);
    good.machine.kernel = Some("6.1.0-28-amd64".to_owned());
    good.cards[0].traits.compute_capability = Reading::Value((9, 0));
    good.topology.pairs =
        vec![Pair { a: 0, b: 15, ancestor: Reading::Value(Ancestor::Node), nvlink_p2p: Reading::Value(true) }];
    assert_eq!(checked(good.clone(), NOW).expect("fits"), good);
}

#[test]
fn text_is_cleaned_and_impossible_numbers_are_unknown() {
    let mut odd = inventory(2);
    odd.machine.os = Some(format!("Debian\u{1b}[2J{}", "x".repeat(1000)));
    odd.machine.cpu_model = Some("  ".to_owned());
    odd.cards[0].traits.serial = Reading::Value("1\u{202e}2".to_owned());
    odd.cards[0].traits.slowdown_celsius = Reading::Value(4_000_000_000);
    odd.cards[0].traits.power_limit_range_milliwatts = Reading::Value((1, u32::MAX));
    odd.topology.cards[0].pci_bus_id = Some("<script>".to_owned());
    odd.topology.cards[0].nvlinks = vec![
        NvLink {
            link: 1,
            active: true,
            version: Reading::Value(u32::MAX),
            remote: Remote::Switch { pci_bus_id: Some("../..".to_owned()) },
        };
        1000
    ];
    let link = |a, b| Pair { a, b, ancestor: Reading::default(), nvlink_p2p: Reading::default() };
    odd.topology.pairs = vec![link(0, 1), link(0, 1), link(1, 0), link(1, 1), link(0, 9)];
    let clean = checked(odd, NOW).expect("kept");
    let os = clean.machine.os.expect("kept");
    assert!(os.starts_with("Debian\u{fffd}[2Jx") && os.chars().count() == NAME_MAX, "{os}");
    assert_eq!(clean.machine.cpu_model, None);
    let traits = &clean.cards[0].traits;
    assert_eq!(traits.serial, Reading::Value("1\u{fffd}2".to_owned()));
    assert_eq!(traits.slowdown_celsius, Reading::missing(Missing::Unknown));
    assert_eq!(traits.power_limit_range_milliwatts, Reading::missing(Missing::Unknown));
    assert_eq!(clean.topology.cards[0].pci_bus_id, None);
    let lanes = &clean.topology.cards[0].nvlinks;
    assert_eq!((lanes.len(), &lanes[0].remote), (LANES_MAX, &Remote::Switch { pci_bus_id: None }));
    assert_eq!(clean.topology.pairs, [link(0, 1)]);
}

#[test]
fn too_much_is_refused() {
    let refused = |inventory| checked(inventory, NOW).expect_err("refused").code;
    assert_eq!(refused(inventory(LINKED_MAX + 1)), ErrorCode::BadInput);
    let mut twice = inventory(2);
    twice.cards[1].uuid = uuid(0);
    assert_eq!(refused(twice), ErrorCode::BadInput);
    let mut large = inventory(64);
    let node = NumaNode { id: 0, cpus: "1".repeat(LIST_MAX), memory_total_mib: Reading::default() };
    large.machine.numa = vec![node; NODES_MAX];
    for card in &mut large.topology.cards {
        card.cpu_affinity = Reading::Value("1".repeat(LIST_MAX));
        let remote = Remote::Card { uuid: CardUuid::parse(&format!("GPU-{}", "a".repeat(90))).expect("valid") };
        card.nvlinks = vec![NvLink { link: 1, active: true, version: Reading::Value(1), remote }; LANES_MAX];
    }
    assert_eq!(refused(large), ErrorCode::BadInput);
}
