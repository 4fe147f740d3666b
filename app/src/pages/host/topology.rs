//! The picture of a host's links, and the matrix in the words of `nvidia-smi topo -m`.

use domain::id::{CardUuid, UserId};
use domain::text::{When, t};
use domain::topology::{Bundle, Fabric, Generation, Layout, Matrix, Path, Topology};
use domain::wire::live_v1::{CardView, HostView};
use leptos::prelude::*;

use super::drawing::{CardBox, Drawing, FabricBar, NodeBox, Rect, Stub, Wire, draw};
use crate::components::card_words::card_words;
use crate::components::node_words::node_words;

/// Everything that the picture is made of.
struct Scene<'a> {
    topology: &'a Topology,
    layout: Layout,
    host: &'a HostView,
    viewer: UserId,
    when: &'a When<'a>,
}

impl Scene<'_> {
    fn index(&self, at: usize) -> u32 {
        self.topology.cards.get(at).map_or(0, |card| card.index)
    }

    fn indices(&self, at: impl IntoIterator<Item = usize>) -> Vec<u32> {
        at.into_iter().map(|at| self.index(at)).collect()
    }

    fn cards(&self, at: impl IntoIterator<Item = usize>) -> String {
        (t().host.cards)(&self.indices(at))
    }

    fn card(&self, at: usize) -> Option<&CardView> {
        let uuid = &self.topology.cards.get(at)?.uuid;
        self.host.cards.iter().find(|card| card.facts.uuid == *uuid)
    }
}

/// Picture, matrix and legend; says so where the host has not told.
pub fn topology_box(topology: Option<&Topology>, host: &HostView, viewer: UserId, when: &When<'_>) -> AnyView {
    let words = &t().host;
    let known = topology.filter(|topology| !topology.cards.is_empty());
    let first = host.cards.iter().find(|card| card.truth.health.is_well() && !card.facts.mig_on);
    let book = first.map(|card| format!("/book?card={}", card.facts.uuid));
    let content = match known {
        None => view! { <p class="pad muted sm">{words.topology_unknown}</p> }.into_any(),
        Some(topology) => {
            let layout = topology.layout();
            let scene = Scene { topology, layout, host, viewer, when };
            let matrix = topology.matrix();
            // One card has nobody to reach.
            let several = matrix.size() > 1;
            view! {
                <div class="pad scroll-x">{picture(&scene)}</div>
                {several
                    .then(|| {
                        view! {
                            <div class="pad split">
                                <div class="scroll-x">{matrix_table(&scene, &matrix)}</div>
                                {legend(&matrix)}
                            </div>
                        }
                    })}
            }
            .into_any()
        }
    };
    view! {
        <section class="box topo-box" id="topology" aria-labelledby="topology-h" data-fresh="">
            <header>
                <h2 id="topology-h">{words.topology}</h2>
                {known.is_some().then(|| view! { <p class="scripted">{words.topology_hint}</p> })}
                {book
                    .map(|href| {
                        view! {
                            <span class="end">
                                <a class="btn small" href=href>
                                    {words.book_here}
                                </a>
                            </span>
                        }
                    })}
            </header>
            {content}
        </section>
    }
    .into_any()
}

fn picture(scene: &Scene<'_>) -> AnyView {
    let Drawing { size: (width, height), nodes, chips, pcie, between, cards, wires, fabric } = draw(&scene.layout);
    let lines = |class: &'static str, paths: Vec<String>| {
        paths.into_iter().map(|d| view! { <path class=class d=d></path> }).collect_view()
    };
    view! {
        <svg
            class="topo"
            viewBox=format!("0 0 {width} {height}")
            style=format!("--width:{width}")
            role="group"
            aria-label=said(scene)
        >
            {nodes.iter().map(|node| numa_node(scene, node)).collect_view()}
            {between
                .into_iter()
                .map(|(d, (x, y))| {
                    view! {
                        <path class="sys" d=d></path>
                        {word("mid sub on-bg", x, y, Path::Sys.word().to_owned())}
                    }
                })
                .collect_view()}
            {lines("pcie", pcie)}
            {chips.into_iter().map(|(rect, path)| chip("chip", rect, pcie_word(path).to_owned())).collect_view()}
            {wires.into_iter().map(|wire| bundle(scene, wire)).collect_view()}
            {fabric.map(|bar| fabric_bar(scene, bar))}
            {cards.into_iter().map(|card| node(scene, card)).collect_view()}
        </svg>
    }
    .into_any()
}

fn pcie_word(path: Path) -> &'static str {
    let words = &t().host;
    match path {
        Path::Pix => words.pcie_switch,
        Path::Pxb => words.pcie_switches,
        _ => words.host_bridge,
    }
}

fn word(class: &'static str, x: i32, y: i32, said: String) -> AnyView {
    view! {
        <text class=class x=x.to_string() y=y.to_string()>
            {said}
        </text>
    }
    .into_any()
}

fn rectangle(class: &'static str, rect: Rect, radius: &'static str) -> AnyView {
    let Rect { x, y, w, h } = rect;
    view! {
        <rect
            class=class
            x=x.to_string()
            y=y.to_string()
            width=w.to_string()
            height=h.to_string()
            rx=radius
        ></rect>
    }
    .into_any()
}

fn chip(class: &'static str, rect: Rect, said: String) -> AnyView {
    view! {
        {rectangle(class, rect, "4")}
        {word("mid", rect.middle(), rect.y + rect.h / 2, said)}
    }
    .into_any()
}

fn numa_node(scene: &Scene<'_>, node: &NodeBox) -> AnyView {
    let words = &t().host;
    let group = scene.layout.nodes.get(node.at);
    let name = group.and_then(|group| group.numa.as_deref()).map_or_else(|| words.numa_unknown.to_owned(), words.numa);
    let cpus = group.and_then(|group| group.cpus.as_deref()).map(|list| (words.cpu_list)(&spaced(list)));
    view! {
        {rectangle("numa", node.edge, "10")}
        {word("lab", node.edge.x + 16, node.name_y, name)}
        {cpus.map(|cpus| word("sub end", node.edge.x + node.edge.w - 16, node.name_y, cpus))}
        {chip("chip", node.cpu, words.cpu.to_owned())}
    }
    .into_any()
}

/// Lists of the kernel, as people write them.
fn spaced(list: &str) -> String {
    list.replace('-', "–").replace(',', ", ")
}

fn speed(generation: Option<Generation>, lanes: u32) -> Option<u32> {
    generation.and_then(|generation| generation.gigabytes_per_second(lanes))
}

fn bundle_words(bundle: &Bundle) -> String {
    let version = bundle.generation.and_then(Generation::name);
    (t().host.bundle)(bundle.lanes, version, speed(bundle.generation, bundle.lanes))
}

fn fabric_words(fabric: &Fabric) -> String {
    let lanes = fabric.lanes_each();
    (t().host.fabric)(lanes, lanes.and_then(|lanes| speed(fabric.generation, lanes)), fabric.switches)
}

fn bundle(scene: &Scene<'_>, wire: Wire) -> AnyView {
    let Some(bundle) = scene.layout.bundles.get(wire.at) else { return ().into_any() };
    let (a, b) = (scene.index(bundle.a), scene.index(bundle.b));
    let tag = Path::NvLink(bundle.lanes).to_string();
    let paths = wire.paths.into_iter().map(|d| view! { <path d=d></path> }).collect_view();
    view! {
        <g class="wire" data-ends=format!("{a} {b}")>
            <title>{(t().host.said_bundle)(a, b, &bundle_words(bundle))}</title>
            {paths}
            {word("mid tag", wire.tag.0, wire.tag.1, tag)}
        </g>
    }
    .into_any()
}

fn fabric_bar(scene: &Scene<'_>, bar: FabricBar) -> AnyView {
    let said = scene.layout.fabric.as_ref().map(fabric_words).unwrap_or_default();
    let stubs = bar.stubs.into_iter().map(|Stub { at, lanes, paths, tag: (x, y) }| {
        let paths = paths.into_iter().map(|d| view! { <path d=d></path> }).collect_view();
        view! {
            <g class="wire" data-ends=scene.index(at).to_string()>
                {paths}
                {word("mid tag", x, y, Path::NvLink(lanes).to_string())}
            </g>
        }
    });
    view! {
        {stubs.collect_view()}
        {rectangle("fabric", bar.edge, "6")}
        {word("mid lab", bar.edge.middle(), bar.edge.y + bar.edge.h / 2, said)}
    }
    .into_any()
}

/// A card; the browser finds its parts again by their classes.
fn node(scene: &Scene<'_>, place: CardBox) -> AnyView {
    let Some(linked) = scene.topology.cards.get(place.at) else { return ().into_any() };
    let Rect { x, y, w, h } = place.edge;
    let uuid = linked.uuid.to_string();
    let index = linked.index.to_string();
    let Some(card) = scene.card(place.at) else { return ().into_any() };
    let words = card_words(card, scene.host, scene.viewer, scene.when);
    let said = node_words(&words, &index, scene.host.parts(&linked.uuid).count());
    let share = card.truth.sample.utilisation_percent.get().unwrap_or(0).min(100);
    view! {
        <a
            class="node"
            id=format!("node-{uuid}")
            href=format!("#card-{uuid}")
            data-state=words.band.state.as_str()
            data-node=uuid
            data-at=index
            aria-label=said.label
            style=format!("--share:{share}")
        >
            <rect x=x.to_string() y=y.to_string() width=w.to_string() height=h.to_string() rx="6"></rect>
            {word("n", x + 10, y + 20, index.clone())}
            {word("w", x + if linked.index < 10 { 28 } else { 38 }, y + 20, said.word)}
            {word("u", x + 10, y + 42, words.truth.utilisation)}
            <path class="m0" d=format!("M{} {}h58", x + 48, y + 42)></path>
            <path class="m1" d=format!("M{} {}h58", x + 48, y + 42) attr:pathLength="100"></path>
        </a>
    }
    .into_any()
}

/// All of the picture in sentences.
fn said(scene: &Scene<'_>) -> String {
    let words = &t().host;
    let mut said = Vec::new();
    for group in &scene.layout.nodes {
        let name = group.numa.as_deref().map_or_else(|| words.numa_unknown.to_owned(), words.numa);
        let cards = group.pcie.iter().flat_map(|pcie| pcie.cards.iter().copied());
        said.push((words.said_node)(&name, &scene.cards(cards)));
        for pcie in group.pcie.iter().filter(|pcie| pcie.cards.len() > 1) {
            if let Some(through) = pcie.through {
                said.push((words.said_pcie)(&scene.cards(pcie.cards.iter().copied()), pcie_word(through)));
            }
        }
    }
    for bundle in &scene.layout.bundles {
        said.push((words.said_bundle)(scene.index(bundle.a), scene.index(bundle.b), &bundle_words(bundle)));
    }
    match &scene.layout.fabric {
        Some(fabric) => {
            let cards = scene.cards(fabric.ports.iter().map(|(at, _)| *at));
            said.push((words.said_fabric)(&cards, &fabric_words(fabric)));
        }
        None if scene.layout.bundles.is_empty() && scene.topology.cards.len() > 1 => {
            said.push(words.said_no_nvlink.to_owned());
        }
        None => {}
    }
    said.join(" ")
}

fn shade(path: Path) -> &'static str {
    match path {
        Path::Same => "self",
        Path::NvLink(_) => "nv",
        Path::Pix => "pix",
        Path::Pxb => "pxb",
        Path::Phb => "phb",
        Path::Node => "node",
        Path::Sys => "sys",
        Path::Unknown => "unknown",
    }
}

fn matrix_table(scene: &Scene<'_>, matrix: &Matrix) -> AnyView {
    let words = &t().host;
    let heads = scene.topology.cards.iter().map(|card| {
        view! {
            <th scope="col" data-ends=card.index.to_string()>
                {card.index}
            </th>
        }
    });
    let rows = scene.topology.cards.iter().zip(matrix.rows()).map(|(card, row)| {
        let cells = row.iter().map(|path| view! { <td class=shade(*path)>{path.to_string()}</td> }).collect_view();
        let near = |list: Option<&String>| list.filter(|list| !list.is_empty()).map(|list| spaced(list));
        let unknown = || t().now.not_available.to_owned();
        view! {
            <tr data-ends=card.index.to_string()>
                <th scope="row">{card.index}</th>
                {cells}
                <td class="x">{near(card.cpu_affinity.value()).unwrap_or_else(unknown)}</td>
                <td class="x">{near(card.numa_affinity.value()).unwrap_or_else(unknown)}</td>
            </tr>
        }
    });
    view! {
        <table class="matrix">
            <caption class="sr">{words.matrix}</caption>
            <thead>
                <tr>
                    <th scope="col">
                        <span class="sr">{words.card}</span>
                    </th>
                    {heads.collect_view()}
                    <th scope="col">{words.cpu}</th>
                    <th scope="col">{words.numa_short}</th>
                </tr>
            </thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
    }
    .into_any()
}

/// The words that occur, from the best path to the worst.
fn legend(matrix: &Matrix) -> AnyView {
    let words = &t().host;
    let mut kinds: Vec<Path> = Vec::new();
    for path in matrix.rows().flatten().filter(|path| **path != Path::Same) {
        if !kinds.iter().any(|known| known.word() == path.word()) {
            kinds.push(*path);
        }
    }
    kinds.sort_by(|a, b| if a.is_better_than(*b) { std::cmp::Ordering::Less } else { std::cmp::Ordering::Greater });
    if kinds.is_empty() {
        return ().into_any();
    }
    let rows = kinds.into_iter().map(|path| {
        let word = if path.lanes() > 0 { format!("{}#", path.word()) } else { path.word().to_owned() };
        view! {
            <dt>
                <b class=format!("k {}", shade(path))>{word}</b>
            </dt>
            <dd>{(words.path)(path.word())}</dd>
        }
    });
    view! {
        <dl class="kv keys">
            {rows.collect_view()} <dd class="full muted">{words.same_words} " " <code>"nvidia-smi topo -m"</code> "."</dd>
        </dl>
    }
    .into_any()
}

/// The picture's name of a card, for links to it.
#[must_use]
pub fn row_id(card: &CardUuid) -> String {
    format!("card-{card}")
}
