//! The matrices of public reports, made again from what NVML says on those machines.

use super::*;

fn uuid(position: usize) -> CardUuid {
    CardUuid::parse(&format!("GPU-{position:08x}-1f69-c64e-cf85-44e9b07e7a2a")).expect("valid")
}

fn lane(link: u32, version: u32, remote: Remote) -> NvLink {
    NvLink { link, active: true, version: Reading::Value(version), remote }
}

fn switch(address: &str) -> Remote {
    Remote::Switch { pci_bus_id: Some(address.to_owned()) }
}

fn card_at(position: usize) -> Remote {
    Remote::Card { uuid: uuid(position) }
}

/// Cards without NVLink, in the sockets given as CPUs and NUMA node, and the levels of their pairs.
fn host(sockets: &[(&str, &str)], level: impl Fn(usize, usize) -> Ancestor) -> Topology {
    let cards = sockets.iter().enumerate().map(|(at, (cpus, numa))| LinkedCard {
        uuid: uuid(at),
        index: u32::try_from(at).expect("few"),
        pci_bus_id: None,
        cpu_affinity: Reading::Value((*cpus).to_owned()),
        numa_affinity: Reading::Value((*numa).to_owned()),
        gpu_numa_id: Reading::missing(crate::reading::Missing::NotSupported),
        nvlinks: Vec::new(),
    });
    let cards: Vec<LinkedCard> = cards.collect();
    let size = u32::try_from(cards.len()).expect("few");
    let pairs = (0..size).flat_map(|a| (a + 1..size).map(move |b| (a, b)));
    let pairs = pairs.map(|(a, b)| Pair {
        a,
        b,
        ancestor: Reading::Value(level(a as usize, b as usize)),
        nvlink_p2p: Reading::default(),
    });
    Topology { pairs: pairs.collect(), cards }
}

impl Topology {
    /// Each card's lanes.
    fn cabled(mut self, lanes: impl Fn(usize) -> Vec<NvLink>) -> Self {
        for (at, card) in self.cards.iter_mut().enumerate() {
            card.nvlinks = lanes(at);
        }
        self
    }

    /// What NVML says of memory over NVLink.
    fn confirmed(mut self, p2p: impl Fn(u32, u32) -> bool) -> Self {
        for pair in &mut self.pairs {
            pair.nvlink_p2p = Reading::Value(p2p(pair.a, pair.b));
        }
        self
    }

    fn words(&self) -> Vec<Vec<String>> {
        self.matrix().rows().map(|row| row.iter().map(ToString::to_string).collect()).collect()
    }
}

/// The text as a terminal shows it, after a line break, without what is blank at the ends of lines.
fn on_screen(text: &str) -> String {
    let line = |line: &str| {
        let mut shown = String::new();
        for letter in line.chars() {
            match letter {
                '\t' => shown.extend(std::iter::repeat_n(' ', 8 - shown.len() % 8)),
                letter => shown.push(letter),
            }
        }
        shown.trim_end().to_owned()
    };
    text.lines().map(|text| format!("\n{}", line(text))).collect()
}

fn rig_3090() -> Topology {
    let level = |a, b| if matches!((a, b), (0, 1) | (2, 3)) { Ancestor::HostBridge } else { Ancestor::Node };
    let lanes = |at| (0..4).map(|link| lane(link, 5, card_at([2, 3, 0, 1][at]))).collect();
    host(&[("0-23", "0"); 4], level).cabled(lanes).confirmed(|a, b| b - a == 2)
}

#[test]
fn four_3090s_with_bridges_between_cards_that_are_no_neighbours() {
    let rig = rig_3090();
    let recorded = "
        GPU0    GPU1    GPU2    GPU3    CPU Affinity    NUMA Affinity   GPU NUMA ID
GPU0     X      PHB     NV4     NODE    0-23            0               N/A
GPU1    PHB      X      NODE    NV4     0-23            0               N/A
GPU2    NV4     NODE     X      PHB     0-23            0               N/A
GPU3    NODE    NV4     PHB      X      0-23            0               N/A";
    assert_eq!(on_screen(&rig.table()), recorded);
    assert!(
        rig.table().starts_with("\tGPU0\tGPU1\tGPU2\tGPU3\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\nGPU0\t X \tPHB\t")
    );
    assert!(rig.table().contains("NODE\t0-23\t\t0\t\tN/A\n"));
    let text = rig.table_with_legend();
    assert!(
        text.starts_with(&rig.table()) && text.contains("\n\nLegend:\n\n  X    = ") && text.contains("\n  NV#  = ")
    );
}

#[test]
fn a_dgx_a100_counts_lanes_to_its_switches() {
    let sockets = [("48-63,176-191", "3"), ("16-31,144-159", "1"), ("112-127,240-255", "7"), ("80-95,208-223", "5")];
    let sockets: Vec<_> = (0..8).map(|at| sockets[at / 2]).collect();
    let level = |a, b| if a / 2 == b / 2 { Ancestor::Multiple } else { Ancestor::System };
    let lanes = |_| (0..12).map(|link| lane(link, 4, switch(&format!("0000:c{}:00.0", 4 + link / 2)))).collect();
    let dgx = host(&sockets, level).cabled(lanes);
    for (a, row) in dgx.words().iter().enumerate() {
        assert!(row.iter().enumerate().all(|(b, word)| word == if a == b { "X" } else { "NV12" }), "{row:?}");
    }
    let table = on_screen(&dgx.table());
    let rows: Vec<&str> = table.lines().collect();
    assert!(rows[2].ends_with("NV12    48-63,176-191   3               N/A"), "{}", rows[2]);
    assert!(rows[6].ends_with("NV12    112-127,240-255 7               N/A"), "{}", rows[6]);

    let layout = dgx.layout();
    let fabric = layout.fabric.expect("switches");
    assert_eq!((fabric.switches, fabric.ports.len(), fabric.lanes_each()), (6, 8, Some(12)));
    let generation = fabric.generation.expect("known");
    assert_eq!((generation.name(), generation.gigabytes_per_second(12)), (Some("3.0"), Some(300)));
    assert_eq!(layout.bundles, []);
    let nodes: Vec<_> = layout.nodes.iter().map(|node| (node.numa.as_deref(), node.pcie[0].cards.clone())).collect();
    assert_eq!(
        nodes,
        [(Some("3"), vec![0, 1]), (Some("1"), vec![2, 3]), (Some("7"), vec![4, 5]), (Some("5"), vec![6, 7])]
    );
    assert_eq!(layout.nodes[0].pcie[0].through, Some(Path::Pxb));
}

fn h100(remote: impl Fn(u32) -> Remote) -> Topology {
    let sockets: Vec<_> =
        (0..8).map(|at| if at < 4 { ("0-55,112-167", "0") } else { ("56-111,168-223", "1") }).collect();
    let level = |a, b| if a / 4 == b / 4 { Ancestor::Node } else { Ancestor::System };
    host(&sockets, level).cabled(|_| (0..18).map(|link| lane(link, 6, remote(link))).collect())
}

#[test]
fn an_hgx_h100_and_one_whose_switches_are_hidden() {
    let open = h100(|link| switch(&format!("0000:0{}:00.0", link % 4)));
    let hidden = h100(|_| Remote::Switch { pci_bus_id: None });
    let nameless = h100(|_| Remote::Unknown);
    for (host, switches) in [(&open, 4), (&hidden, 0), (&nameless, 0)] {
        assert_eq!(host.matrix().get(0, 7), Path::NvLink(18));
        assert_eq!(host.words(), open.words());
        let layout = host.layout();
        let fabric = layout.fabric.expect("switches");
        assert_eq!((fabric.switches, fabric.lanes_each()), (switches, Some(18)));
        assert_eq!(fabric.generation.and_then(|it| it.gigabytes_per_second(18)), Some(450));
        assert_eq!(layout.nodes.len(), 2);
        assert_eq!(layout.nodes[1].cpus.as_deref(), Some("56-111,168-223"));
    }
    let row = on_screen(&open.table()).lines().nth(2).expect("a row").to_owned();
    assert!(
        row.starts_with("GPU0     X      NV18    NV18 ") && row.ends_with("0-55,112-167    0               N/A"),
        "{row}"
    );
}

#[test]
fn fewer_lanes_at_one_end_are_fewer_lanes() {
    let mut host = h100(|_| Remote::Switch { pci_bus_id: None });
    host.cards[3].nvlinks[0].active = false;
    host.cards[5].nvlinks.iter_mut().for_each(|lane| lane.active = false);
    let matrix = host.matrix();
    assert_eq!(
        (matrix.get(0, 3), matrix.get(3, 0), matrix.get(0, 1)),
        (Path::NvLink(17), Path::NvLink(17), Path::NvLink(18))
    );
    assert_eq!((matrix.get(5, 4), matrix.get(0, 5)), (Path::Node, Path::Sys));
    let fabric = host.layout().fabric.expect("switches");
    assert_eq!((fabric.ports.len(), fabric.lanes_each()), (7, None));
}

#[test]
fn a_dgx_2_has_sixteen_cards() {
    let sockets: Vec<_> = (0..16).map(|at| if at < 8 { ("0-23,48-71", "0") } else { ("24-47,72-95", "1") }).collect();
    let level = |a: usize, b: usize| match (a ^ b).leading_zeros() {
        zeros if zeros >= usize::BITS - 1 => Ancestor::Single,
        zeros if zeros >= usize::BITS - 2 => Ancestor::Multiple,
        zeros if zeros >= usize::BITS - 3 => Ancestor::Node,
        _ => Ancestor::System,
    };
    let lanes = |_| (0..6).map(|link| lane(link, 2, switch(&format!("0000:{:02x}:00.0", 0xb0 + link)))).collect();
    let dgx = host(&sockets, level).cabled(lanes);
    let words = dgx.words();
    assert_eq!(words.iter().flatten().filter(|word| *word == "NV6").count(), 16 * 15);
    let table = on_screen(&dgx.table());
    assert!(table.lines().nth(17).expect("a row").starts_with("GPU15   NV6     NV6"), "{table}");
    let layout = dgx.layout();
    assert_eq!(layout.nodes.iter().map(|node| node.pcie.len()).collect::<Vec<_>>(), [2, 2]);
    assert_eq!(layout.nodes[1].pcie[0], PcieGroup { through: Some(Path::Pxb), cards: vec![8, 9, 10, 11] });
    assert_eq!(layout.fabric.expect("switches").generation.and_then(Generation::name), Some("2.0"));
}

#[test]
fn four_a100s_wired_to_each_other() {
    let sockets = [("24-31,56-63", "3"), ("16-23,48-55", "2"), ("8-15,40-47", "1"), ("0-7,32-39", "0")];
    let lanes = |at: usize| {
        let others = (0..4).filter(move |other| *other != at).flat_map(|other| [other; 4]);
        (0..).zip(others).map(|(link, other)| lane(link, 4, card_at(other))).collect()
    };
    let polaris = host(&sockets, |_, _| Ancestor::System).cabled(lanes);
    let recorded = "
        GPU0    GPU1    GPU2    GPU3    CPU Affinity    NUMA Affinity   GPU NUMA ID
GPU0     X      NV4     NV4     NV4     24-31,56-63     3               N/A
GPU1    NV4      X      NV4     NV4     16-23,48-55     2               N/A
GPU2    NV4     NV4      X      NV4     8-15,40-47      1               N/A
GPU3    NV4     NV4     NV4      X      0-7,32-39       0               N/A";
    assert_eq!(on_screen(&polaris.table()), recorded);
    let layout = polaris.layout();
    assert_eq!((layout.bundles.len(), layout.fabric), (6, None));
    assert_eq!(layout.bundles[5], Bundle { a: 2, b: 3, lanes: 4, generation: Some(Generation(4)) });
    assert_eq!(layout.nodes.len(), 4);
}

#[test]
fn lanes_to_a_card_that_is_not_listed_lead_to_no_switch() {
    // Four cards wired to each other, of which the third is in the machine but not shown to the agent.
    let sockets = [("24-31,56-63", "3"), ("16-23,48-55", "2"), ("0-7,32-39", "0")];
    let lanes = |at: usize| {
        let others = (0..4).filter(move |other| *other != at).flat_map(|other| [other; 4]);
        let remote = |other| if other == 3 { Remote::Unknown } else { card_at(other) };
        (0..).zip(others).map(|(link, other)| lane(link, 4, remote(other))).collect()
    };
    let three = host(&sockets, |_, _| Ancestor::System).confirmed(|_, _| true).cabled(lanes);
    assert_eq!(three.words(), [["X", "NV4", "NV4"], ["NV4", "X", "NV4"], ["NV4", "NV4", "X"]]);
    let layout = three.layout();
    assert_eq!(layout.fabric, None);
    assert_eq!(layout.bundles.iter().map(|it| it.lanes).collect::<Vec<_>>(), [4, 4, 4]);
}

#[test]
fn three_a6000s_of_which_one_has_no_bridge() {
    let lanes = |at: usize| {
        let other = |at| if at < 2 { card_at(1 - at) } else { Remote::Unknown };
        (0..4).map(|link| NvLink { active: at < 2, ..lane(link, 5, other(at)) }).collect()
    };
    let host = host(&[("0-31", "0"); 3], |_, _| Ancestor::Node).cabled(lanes);
    assert_eq!(host.words(), [["X", "NV4", "NODE"], ["NV4", "X", "NODE"], ["NODE", "NODE", "X"]]);
    let layout = host.layout();
    assert_eq!(layout.bundles, [Bundle { a: 0, b: 1, lanes: 4, generation: Some(Generation(5)) }]);
    assert_eq!(layout.fabric, None);
    assert_eq!(layout.bundles[0].generation.and_then(|it| it.gigabytes_per_second(4)), Some(56));
}

#[test]
fn a_workstation_of_unequal_cards() {
    let near = ("0-7,16-23", "0");
    let sockets = [("8-15,24-31", "1"), near, near, near, near];
    let level = |a, b| match (a, b) {
        (0, _) => Ancestor::System,
        (1, 2) | (3, 4) => Ancestor::HostBridge,
        _ => Ancestor::Node,
    };
    let station = host(&sockets, level);
    let recorded = "
        GPU0    GPU1    GPU2    GPU3    GPU4    CPU Affinity    NUMA Affinity   GPU NUMA ID
GPU0     X      SYS     SYS     SYS     SYS     8-15,24-31      1               N/A
GPU1    SYS      X      PHB     NODE    NODE    0-7,16-23       0               N/A
GPU2    SYS     PHB      X      NODE    NODE    0-7,16-23       0               N/A
GPU3    SYS     NODE    NODE     X      PHB     0-7,16-23       0               N/A
GPU4    SYS     NODE    NODE    PHB      X      0-7,16-23       0               N/A";
    assert_eq!(on_screen(&station.table()), recorded);
    let nodes = station.layout().nodes;
    assert_eq!(nodes[0].pcie, [PcieGroup { through: None, cards: vec![0] }]);
    let bridge = |cards: [usize; 2]| PcieGroup { through: Some(Path::Phb), cards: cards.to_vec() };
    assert_eq!(nodes[1].pcie, [bridge([1, 2]), bridge([3, 4])]);
}

#[test]
fn eight_cards_without_nvlink() {
    let host = host(&[("0-55,112-167", "0"); 8], |_, _| Ancestor::System);
    assert_eq!(host.words().iter().flatten().filter(|word| *word == "SYS").count(), 56);
    assert_eq!((host.layout().bundles.len(), host.layout().fabric), (0, None));
}

#[test]
fn lanes_that_are_up_are_no_link_where_memory_does_not_go_across() {
    // In a virtual machine the other ends of bridges are hidden as switches' are; only NVML knows which cards they join.
    let rig = rig_3090().cabled(|_| (0..4).map(|link| lane(link, 5, Remote::Switch { pci_bus_id: None })).collect());
    assert_eq!(rig.words(), rig_3090().words());
    let layout = rig.layout();
    assert_eq!(layout.fabric, None);
    assert_eq!(layout.bundles.iter().map(|it| (it.a, it.b, it.lanes)).collect::<Vec<_>>(), [(0, 2, 4), (1, 3, 4)]);
    let torn = rig_3090().confirmed(|_, _| false);
    assert_eq!((torn.matrix().get(0, 2), torn.layout().bundles.len()), (Path::Node, 0));
}

#[test]
fn cards_switches_and_processors_at_once() {
    let lanes = |at: usize| {
        let mut lanes = vec![lane(0, 4, card_at(1 - at)), lane(1, 4, switch("0000:c4:00.0"))];
        lanes.push(lane(2, 4, Remote::Processor));
        lanes
    };
    let host = host(&[("0", "0"); 2], |_, _| Ancestor::Single).cabled(lanes);
    assert_eq!(host.matrix().get(0, 1), Path::NvLink(2));
}

#[test]
fn a_card_that_is_silent_about_its_lanes_keeps_those_of_the_others() {
    let mut rig = rig_3090();
    rig.cards[2].nvlinks.clear();
    assert_eq!(rig.words(), rig_3090().words());
    rig.cards[2].nvlinks = vec![NvLink { active: false, ..lane(0, 5, Remote::Unknown) }];
    assert_eq!(rig.matrix().get(0, 2), Path::Node, "a lane that is down at one end is down");
}

#[test]
fn what_nvml_does_not_say_stays_unknown() {
    let mut host = host(&[("", ""); 2], |_, _| Ancestor::Single);
    for card in &mut host.cards {
        card.cpu_affinity = Reading::missing(crate::reading::Missing::NotSupported);
    }
    host.cards[1].gpu_numa_id = Reading::Value(8);
    host.pairs.clear();
    let expected = "
        GPU0    GPU1    CPU Affinity    NUMA Affinity   GPU NUMA ID
GPU0     X      N/A     N/A             N/A             N/A
GPU1    N/A      X      N/A             N/A             8";
    assert_eq!(on_screen(&host.table()), expected);
    assert_eq!(host.layout().nodes.len(), 1);
    assert_eq!(Topology::default().table(), "\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID");
    assert_eq!(Generation(8).name().or(Generation(0).name()), None);
    assert_eq!(Generation(8).gigabytes_per_second(4), None);
}

#[test]
fn nonsense_from_the_wire_is_harmless() {
    let mut rig = rig_3090();
    let wrong = |a, b| Pair { a, b, ancestor: Reading::Value(Ancestor::Internal), nvlink_p2p: Reading::Value(false) };
    rig.pairs.extend([wrong(9, 1), wrong(u32::MAX, 0), wrong(1, 1), wrong(0, 2)]);
    rig.cards[0].nvlinks.push(lane(9, 99, Remote::Card { uuid: uuid(77) }));
    assert_eq!(rig.words(), rig_3090().words());
    assert_eq!(rig.matrix().get(4, 0), Path::Unknown);
    assert_eq!(rig.layout(), rig_3090().layout());
}

#[test]
fn how_well_a_set_of_cards_is_linked() {
    let rig = rig_3090();
    let of = |cards: &[usize]| rig.linkage(&cards.iter().map(|at| uuid(*at)).collect::<Vec<_>>());
    let pair = of(&[0, 2]).expect("two");
    assert_eq!((pair.weakest, pair.strongest, pair.joined_by_nvlink), (Path::NvLink(4), Path::NvLink(4), true));
    let apart = of(&[0, 1]).expect("two");
    assert_eq!((apart.weakest, apart.joined_by_nvlink), (Path::Phb, false));
    let all = of(&[3, 2, 1, 0]).expect("four");
    assert_eq!((all.weakest, all.strongest, all.joined_by_nvlink), (Path::Node, Path::NvLink(4), false));
    assert_eq!((of(&[1]), of(&[]), of(&[0, 9])), (None, None, None));

    let chain = |at: usize| match at {
        0 => vec![lane(0, 4, card_at(1))],
        1 => vec![lane(0, 4, card_at(0)), lane(1, 4, card_at(2))],
        _ => vec![lane(0, 4, card_at(1))],
    };
    let chain = host(&[("0", "0"); 3], |_, _| Ancestor::Node).cabled(chain);
    let all = chain.linkage(&[uuid(0), uuid(2), uuid(1)]).expect("three");
    assert_eq!((all.weakest, all.joined_by_nvlink), (Path::Node, true));
}

#[test]
fn more_lanes_and_shorter_ways_are_better() {
    let order = [
        Path::Same,
        Path::NvLink(18),
        Path::NvLink(4),
        Path::Pix,
        Path::Pxb,
        Path::Phb,
        Path::Node,
        Path::Sys,
        Path::Unknown,
    ];
    assert!(order.is_sorted_by(|better, worse| better.is_better_than(*worse)));
}
