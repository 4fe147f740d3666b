//! Parks that tests search, written in minutes.

use std::sync::Arc;

use domain::card::{CardHealth, CardNumber};
use domain::finder::park::{Card, Hold, NewHost, Park, Stock, Today, Works};
use domain::finder::{Link, Span, Want};
use domain::id::{CardUuid, ReservationId};
use domain::reading::Reading;
use domain::topology::{Ancestor, LinkedCard, NvLink, Pair, Remote, Topology};
use domain::trouble::Condition;
use domain::window::Window;
use time::macros::datetime;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

pub const NOW: OffsetDateTime = datetime!(2026-11-30 10:00 UTC);

pub fn at(minutes: i64) -> OffsetDateTime {
    NOW + Duration::minutes(minutes)
}

pub fn window(start: i64, end: i64) -> Window {
    Window::new(at(start), at(end)).expect("not empty")
}

/// Name, memory in GB, speed.
pub type Model = (&'static str, u64, u64);
pub const H100: Model = ("H100 80GB HBM3", 80, 500);
pub const A100: Model = ("A100-SXM4-80GB", 80, 150);
pub const RTX3090: Model = ("RTX 3090", 24, 88);
pub const T4: Model = ("T4", 16, 32);

pub fn uuid(host: &str, index: u32) -> CardUuid {
    CardUuid::parse(&format!("GPU-{host}-{index}")).expect("valid")
}

pub fn card(host: &str, index: u32, (model, gigabytes, speed): Model) -> Card {
    Card {
        uuid: uuid(host, index),
        gpu: uuid(host, index),
        slice: None,
        number: CardNumber::from(index),
        model: model.to_owned(),
        architecture: Some(if gigabytes == 80 { "Hopper" } else { "Ampere" }.to_owned()),
        memory_mib: Some(gigabytes * 1024),
        speed: Some(speed),
        labels: Vec::new(),
        shares: None,
        share_memory_mib: None,
        not_bookable: None,
        condition: Condition {
            retired: false,
            last_report: Some(NOW),
            present: true,
            mig_on: false,
            health: CardHealth::Ok,
            not_bookable: false,
        },
    }
}

/// How the cards of a host are wired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wires {
    /// Nothing is known.
    Unknown,
    /// All on one NUMA node, without NVLink.
    Node,
    /// Two by two behind a switch; two nodes, half of the cards on each.
    Switches,
    /// Pairs 0–1, 2–3 by so many lanes; all on one node.
    Pairs(u32),
    /// Pairs 0–2, 1–3; two nodes.
    Crossed(u32),
    /// In a row: each with the next.
    Row,
    /// All through a switch.
    Switched,
}

pub fn wires(host: &str, count: u32, wires: Wires) -> Option<Topology> {
    let lanes = |a: u32, b: u32| match wires {
        Wires::Pairs(lanes) if a / 2 == b / 2 => lanes,
        Wires::Crossed(lanes) if a / 4 == b / 4 && a % 2 == b % 2 => lanes,
        Wires::Row if a.abs_diff(b) == 1 => 2,
        _ => 0,
    };
    let ancestor = |a: u32, b: u32| match wires {
        Wires::Switches if a / 2 == b / 2 => Ancestor::Single,
        Wires::Switches if a < count / 2 && b >= count / 2 => Ancestor::System,
        Wires::Crossed(_) if a / 2 != b / 2 => Ancestor::System,
        _ => Ancestor::Node,
    };
    if wires == Wires::Unknown {
        return None;
    }
    let link = |link, remote| NvLink { link, active: true, version: Reading::Value(6), remote };
    let links = |a: u32| -> Vec<NvLink> {
        if wires == Wires::Switched {
            return (0..18).map(|n| link(n, Remote::Switch { pci_bus_id: None })).collect();
        }
        let to = (0..count).filter(|b| *b != a).flat_map(|b| (0..lanes(a.min(b), a.max(b))).map(move |_| b));
        to.enumerate().map(|(n, b)| link(n as u32, Remote::Card { uuid: uuid(host, b) })).collect()
    };
    let linked = |index| LinkedCard {
        uuid: uuid(host, index),
        index,
        pci_bus_id: None,
        cpu_affinity: Reading::default(),
        numa_affinity: Reading::default(),
        gpu_numa_id: Reading::default(),
        nvlinks: links(index),
    };
    let pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
    let pair = |(a, b)| Pair { a, b, ancestor: Reading::Value(ancestor(a, b)), nvlink_p2p: Reading::default() };
    Some(Topology { cards: (0..count).map(linked).collect(), pairs: pairs.map(pair).collect() })
}

pub fn host(name: &str, models: &[Model], how: Wires) -> NewHost {
    let count = models.len() as u32;
    NewHost {
        name: name.to_owned(),
        labels: Vec::new(),
        topology: wires(name, count, how),
        cards: (0..).zip(models).map(|(index, model)| card(name, index, *model)).collect(),
    }
}

pub fn hold(host: &str, index: u32, start: i64, end: i64) -> Hold {
    let number = u128::from(index) << 64 | u128::from(start.unsigned_abs());
    Hold {
        reservation: ReservationId(Uuid::from_u128(number)),
        gpu: uuid(host, index),
        first_slice: 0,
        end_slice: None,
        window: window(start, end),
    }
}

pub fn share(host: &str, index: u32, slot: u32, start: i64, end: i64) -> Hold {
    Hold { first_slice: slot, end_slice: Some(slot + 1), ..hold(host, index, start, end) }
}

pub fn works(cards: &[CardUuid], start: i64, end: i64) -> Works {
    Works {
        id: domain::id::MaintenanceId(Uuid::from_u128(7)),
        reason: "new fans".to_owned(),
        window: window(start, end),
        cards: cards.iter().cloned().collect(),
    }
}

pub fn park(hosts: Vec<NewHost>, holds: Vec<Hold>) -> Park {
    Park::quiet(Arc::new(Stock::new(hosts, holds, Vec::new())), NOW)
}

/// With somebody on these cards who has not booked them, and these utilisations.
pub fn busy_park(hosts: Vec<NewHost>, holds: Vec<Hold>, used: &[CardUuid], load: &[(CardUuid, u32)]) -> Park {
    Park::new(Arc::new(Stock::new(hosts, holds, Vec::new())), NOW, |card| Today {
        trouble: None,
        used_by_others: used.contains(&card.uuid),
        load_percent: load.iter().find(|(uuid, _)| *uuid == card.uuid).map(|(_, load)| *load),
    })
}

pub fn want(count: u32, link: Link, when: Span) -> Want {
    Want {
        count,
        model: None,
        architecture: None,
        memory_mib: None,
        link,
        spread: false,
        hosts: Vec::new(),
        labels: Vec::new(),
        when,
    }
}

pub fn then(start: i64, end: i64) -> Span {
    Span::At(window(start, end))
}

pub fn earliest(minutes: u32, from: i64, until: i64) -> Span {
    Span::Earliest { minutes, from: at(from), until: at(until) }
}
