use super::*;
use domain::topology::{Bundle, Fabric};

fn node(cards: &[&[usize]]) -> NodeGroup {
    let pcie =
        cards.iter().map(|cards| domain::topology::PcieGroup { through: Some(Path::Pix), cards: cards.to_vec() });
    NodeGroup { numa: Some("0".to_owned()), cpus: None, pcie: pcie.collect() }
}

fn overlap(a: &Rect, b: &Rect) -> bool {
    a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h
}

/// Everything lies inside, and nothing on anything else.
fn is_tidy(drawing: &Drawing) {
    let (width, height) = drawing.size;
    let inside = |rect: &Rect| rect.x >= 0 && rect.y >= 0 && rect.x + rect.w <= width && rect.y + rect.h <= height;
    let nodes: Vec<Rect> = drawing.nodes.iter().map(|node| node.edge).collect();
    let mut chips: Vec<Rect> = drawing.chips.iter().map(|(rect, _)| *rect).collect();
    chips.extend(drawing.nodes.iter().map(|node| node.cpu));
    chips.extend(drawing.cards.iter().map(|card| card.edge));
    let bar: Vec<Rect> = drawing.fabric.iter().map(|bar| bar.edge).collect();
    for group in [&nodes, &chips, &bar] {
        assert!(group.iter().all(inside), "{drawing:?}");
        for (at, one) in group.iter().enumerate() {
            assert!(group[at + 1..].iter().all(|other| !overlap(one, other)), "{one:?}");
        }
    }
    assert!(bar.iter().all(|bar| nodes.iter().all(|node| !overlap(bar, node))), "{drawing:?}");
    for wire in &drawing.wires {
        assert!(wire.tag.1 < height && nodes.iter().all(|node| !(node.y..node.y + node.h).contains(&wire.tag.1)));
    }
}

#[test]
fn eight_cards_in_two_nodes_stand_in_one_row_above_the_fabric() {
    let nodes = vec![node(&[&[0, 1], &[2, 3]]), node(&[&[4, 5], &[6, 7]])];
    let fabric = Fabric { switches: 4, ports: (0..8).map(|at| (at, 18)).collect(), generation: None };
    let drawing = draw(&Layout { nodes, bundles: Vec::new(), fabric: Some(fabric) });
    is_tidy(&drawing);
    assert!(drawing.size.0 <= WIDEST + 2);
    assert_eq!(drawing.nodes[0].edge.y, drawing.nodes[1].edge.y);
    assert_eq!((drawing.cards.len(), drawing.chips.len(), drawing.between.len()), (8, 4, 1));
    let bar = drawing.fabric.expect("a bar");
    assert_eq!(bar.stubs.len(), 8);
    assert_eq!((bar.stubs[0].lanes, bar.stubs[0].paths.len()), (18, 4), "the number says how many, not the lines");
    assert_eq!(bar.edge.y + bar.edge.h + 1, drawing.size.1, "nothing below it");
}

#[test]
fn sixteen_cards_face_each_other_across_the_fabric() {
    let nodes = vec![node(&[&[0, 1, 2, 3], &[4, 5, 6, 7]]), node(&[&[8, 9, 10, 11], &[12, 13, 14, 15]])];
    let fabric = Fabric { switches: 6, ports: (0..16).map(|at| (at, 6)).collect(), generation: None };
    let drawing = draw(&Layout { nodes, bundles: Vec::new(), fabric: Some(fabric) });
    is_tidy(&drawing);
    assert!(drawing.size.0 <= WIDEST + 2, "readable without being made smaller: {:?}", drawing.size);
    let bar = drawing.fabric.expect("a bar").edge.y;
    assert!(drawing.cards.iter().all(|card| (card.edge.y < bar) == (card.at < 8) && card.turned == (card.at >= 8)));
    assert!(drawing.nodes[1].cpu.y > drawing.cards[8].edge.y, "upside down");
}

#[test]
fn bridges_between_cards_that_are_no_neighbours_run_in_lanes_of_their_own() {
    let bundle = |a, b| Bundle { a, b, lanes: 4, generation: None };
    let nodes = vec![node(&[&[0, 1], &[2, 3]])];
    let drawing = draw(&Layout { nodes, bundles: vec![bundle(0, 2), bundle(1, 3)], fabric: None });
    is_tidy(&drawing);
    assert_eq!(drawing.wires.iter().map(|wire| wire.paths.len()).collect::<Vec<_>>(), [4, 4]);
    assert_ne!(drawing.wires[0].tag.1, drawing.wires[1].tag.1);
    let ends = [drawing.cards[1].edge.middle(), drawing.cards[2].edge.middle()];
    assert!(ends.iter().all(|end| (drawing.wires[0].tag.0 - end).abs() > TAG), "no line runs through a number");
    let apart =
        draw(&Layout { nodes: vec![node(&[&[0, 1, 2, 3]])], bundles: vec![bundle(0, 1), bundle(2, 3)], fabric: None });
    assert_eq!(apart.wires[0].tag.1, apart.wires[1].tag.1, "what does not overlap needs no second lane");
}

#[test]
fn a_mesh_over_four_nodes_and_one_over_two_rows() {
    let pairs = |count: usize| (0..count).flat_map(move |a| (a + 1..count).map(move |b| (a, b)));
    let mesh = |count| pairs(count).map(|(a, b)| Bundle { a, b, lanes: 2, generation: None }).collect::<Vec<_>>();
    let nodes = (0..4).map(|at| node(&[&[at]])).collect();
    let drawing = draw(&Layout { nodes, bundles: mesh(4), fabric: None });
    is_tidy(&drawing);
    assert_eq!(drawing.wires.len(), 6);
    let nodes = vec![node(&[&[0, 1, 2, 3, 4, 5, 6, 7]]), node(&[&[8, 9, 10, 11, 12, 13, 14, 15]])];
    let drawing = draw(&Layout { nodes, bundles: mesh(16), fabric: None });
    is_tidy(&drawing);
    assert_eq!(drawing.wires.len(), 120);
}

#[test]
fn nothing_and_many_small_nodes_can_be_drawn() {
    assert_eq!(draw(&Layout::default()).cards, []);
    let nodes = (0..16).map(|at| node(&[&[at]])).collect();
    let drawing = draw(&Layout { nodes, bundles: Vec::new(), fabric: None });
    is_tidy(&drawing);
    assert_eq!(drawing.cards.len(), 16);
    assert!(drawing.nodes.iter().all(|node| node.edge.y < 2 * NODE + 100), "two rows at most");
}
