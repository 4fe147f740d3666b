//! Measures the finder over 64 hosts of 8 cards (or as many of 16 as make 512) with 5,000 bookings in two weeks, and prints
//! the medians and the worst of each kind of search as one line of JSON, in milliseconds. Reads no database: what remains in
//! the portal is one query where nothing has changed.
#![expect(clippy::expect_used, reason = "a measurement that cannot set up its world fails, loudly")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use domain::card::{CardHealth, CardNumber};
use domain::finder::park::{Card, Hold, NewHost, Park, Stock};
use domain::finder::{Link, Span, Want, alternatives, find};
use domain::id::{CardUuid, ReservationId};
use domain::reading::Reading;
use domain::topology::{Ancestor, LinkedCard, NvLink, Pair, Remote, Topology};
use domain::trouble::Condition;
use domain::window::Window;
use time::macros::datetime;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

const NOW: OffsetDateTime = datetime!(2026-11-30 10:00 UTC);
const CARDS: u32 = 512;
const BOOKINGS: u32 = 5_000;
const ROUNDS: usize = 51;

/// Numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u32::try_from(self.0 >> 33).expect("31 bits") % limit
    }
}

fn uuid(host: u32, index: u32) -> CardUuid {
    CardUuid::parse(&format!("GPU-{host:04}-{index:02}")).expect("valid")
}

/// A third of the hosts has a switch, a third pairs, a third nothing but PCIe.
fn topology(host: u32, count: u32) -> Topology {
    let links = |index: u32| -> Vec<NvLink> {
        let remote = |_| match host % 3 {
            0 => Remote::Switch { pci_bus_id: None },
            _ => Remote::Card { uuid: uuid(host, index ^ 1) },
        };
        let lanes = [18, 4, 0][host as usize % 3];
        (0..lanes).map(|link| NvLink { link, active: true, version: Reading::Value(6), remote: remote(link) }).collect()
    };
    let cards = (0..count).map(|index| LinkedCard {
        uuid: uuid(host, index),
        index,
        pci_bus_id: None,
        cpu_affinity: Reading::default(),
        numa_affinity: Reading::default(),
        gpu_numa_id: Reading::default(),
        nvlinks: links(index),
    });
    let pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
    let far = |a, b| if a < count / 2 && b >= count / 2 { Ancestor::System } else { Ancestor::Node };
    let pairs = pairs.map(|(a, b)| Pair { a, b, ancestor: Reading::Value(far(a, b)), nvlink_p2p: Reading::default() });
    Topology { cards: cards.collect(), pairs: pairs.collect() }
}

fn hosts(per_host: u32) -> Vec<NewHost> {
    let models = [("H100 80GB HBM3", 80, 535_000_000), ("RTX 3090", 24, 88_000_000), ("L4", 24, 60_000_000)];
    let card = |host: u32, index| {
        let (model, gigabytes, speed) = models[host as usize % 3];
        let condition = Condition {
            retired: false,
            last_report: Some(NOW),
            present: true,
            mig_on: false,
            health: CardHealth::Ok,
            not_bookable: false,
        };
        Card {
            uuid: uuid(host, index),
            gpu: uuid(host, index),
            slice: None,
            number: CardNumber::from(index),
            model: model.to_owned(),
            architecture: None,
            memory_mib: Some(gigabytes * 1024),
            speed: Some(speed),
            labels: Vec::new(),
            shares: None,
            share_memory_mib: None,
            not_bookable: None,
            condition,
        }
    };
    (0..CARDS / per_host)
        .map(|host| NewHost {
            name: format!("host-{host:02}"),
            labels: vec!["training".to_owned()],
            topology: Some(topology(host, per_host)),
            cards: (0..per_host).map(|index| card(host, index)).collect(),
        })
        .collect()
}

/// Bookings that follow each other on each card, of one or two cards.
fn holds(per_host: u32) -> Vec<Hold> {
    let mut dice = Dice(7);
    let mut ends = BTreeMap::new();
    let mut holds = Vec::new();
    for booking in 0..BOOKINGS {
        let (host, first) = (dice.below(CARDS / per_host), dice.below(per_host));
        let cards: Vec<u32> = (0..1 + dice.below(2)).map(|next| (first + next) % per_host).collect();
        let begins = cards.iter().filter_map(|card| ends.get(&(host, *card)).copied()).max().unwrap_or(0);
        let start = begins + i64::from(dice.below(16)) * 30;
        let end = start + 60 + i64::from(dice.below(40)) * 30;
        for card in cards {
            ends.insert((host, card), end);
            holds.push(Hold {
                reservation: ReservationId(Uuid::from_u128(u128::from(booking))),
                gpu: uuid(host, card),
                first_slice: 0,
                end_slice: None,
                window: Window::new(NOW + Duration::minutes(start - 600), NOW + Duration::minutes(end - 600))
                    .expect("not empty"),
            });
        }
    }
    holds
}

fn want(count: u32, link: Link, when: Span) -> Want {
    let (model, architecture, memory_mib) = (None, None, None);
    Want { count, model, architecture, memory_mib, link, spread: false, hosts: Vec::new(), labels: Vec::new(), when }
}

/// Median and worst, in milliseconds.
fn measure(mut act: impl FnMut()) -> [f64; 2] {
    let mut times: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let began = Instant::now();
            act();
            began.elapsed().as_secs_f64() * 1000.0
        })
        .collect();
    times.sort_by(f64::total_cmp);
    [times[ROUNDS / 2], times[ROUNDS - 1]]
}

fn main() {
    let mut said = serde_json::Map::new();
    for per_host in [8, 16] {
        let (hosts, holds) = (hosts(per_host), holds(per_host));
        let mut note = |name: &str, [median, worst]: [f64; 2]| {
            said.insert(format!("{name}_{per_host}_ms"), serde_json::json!({ "median": median, "worst": worst }));
        };
        note("stock", measure(|| drop(Stock::new(hosts.clone(), holds.clone(), Vec::new()))));
        let park = Park::quiet(Arc::new(Stock::new(hosts, holds, Vec::new())), NOW);
        let soon = Window::new(NOW, NOW + Duration::hours(4)).expect("not empty");
        let later = NOW + Duration::days(31);
        let first = Span::Earliest { minutes: 240, from: NOW, until: later };
        let searches = [
            ("one_card", want(1, Link::Any, Span::At(soon))),
            ("two_linked", want(2, Link::NvLink, Span::At(soon))),
            ("four_any", want(4, Link::Any, Span::At(soon))),
            ("half_a_host", want(per_host / 2, Link::NvLink, Span::At(soon))),
            ("earliest_two", want(2, Link::NvLink, first)),
            ("earliest_half", want(per_host / 2, Link::NvLink, first)),
            ("earliest_host", want(per_host, Link::Node, first)),
            ("spread", Want { spread: true, ..want(64, Link::Any, first) }),
        ];
        for (name, want) in searches {
            note(name, measure(|| drop(find(&park, &want, NOW))));
        }
        let cards: Vec<CardUuid> = (0..4).map(|index| uuid(0, index)).collect();
        let day = Window::new(NOW, NOW + Duration::days(2)).expect("not empty");
        note("instead", measure(|| drop(alternatives(&park, &cards, &BTreeMap::new(), &day, NOW))));
    }
    println!("{}", serde_json::Value::Object(said));
}
