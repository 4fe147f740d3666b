//! Measures the finder over 64 hosts of 8 cards (or as many of 16 as make 512) with 5,000 bookings in two weeks, and prints
//! the medians and the worst of each kind of search as one line of JSON, in milliseconds. Reads no database: what remains in
//! the portal is one query where nothing has changed.
#![expect(clippy::expect_used, reason = "a measurement that cannot set up its world fails, loudly")]

#[path = "../tests/it/finder/world.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod world;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use domain::finder::park::{Hold, NewHost, Park, Stock};
use domain::finder::{Leave, Link, Span, Want, alternatives, find, find_within};
use domain::id::{CardUuid, ReservationId, RuleId};
use domain::rules::hours::WeekSpan;
use domain::rules::{Cards, Clocks, Held, Limit, Period, Rule, Standing};
use domain::window::Window;
use domain::zone::ZoneTable;
use time::Duration;
use uuid::Uuid;

use world::{H100, NOW, RTX3090, T4, Wires, host, uuid, want, window};

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

fn name(host: u32) -> String {
    format!("host-{host:02}")
}

/// A third of the hosts has a switch, a third pairs, a third nothing but PCIe; every second one has a label.
fn hosts(per_host: u32) -> Vec<NewHost> {
    let kinds = [(H100, Wires::Switched), (RTX3090, Wires::Pairs(4)), (T4, Wires::Switches)];
    (0..CARDS / per_host)
        .map(|at| {
            let (model, wires) = kinds[at as usize % 3];
            let labels = if at % 2 == 0 { vec!["training".to_owned()] } else { Vec::new() };
            NewHost { labels, ..host(&name(at), &vec![model; per_host as usize], wires) }
        })
        .collect()
}

/// Somebody with rules of every kind, and with bookings of their own.
fn rules() -> (Vec<Rule>, Standing) {
    let evenings = WeekSpan { days: (1..=7).collect(), from: 6 * 60, to: 2 * 60 };
    let limits = [
        (None, Limit::Longest { minutes: 7 * 24 * 60 }),
        (None, Limit::MostCards { cards: 80 }),
        (Some("training"), Limit::Longest { minutes: 180 }),
        (Some("training"), Limit::GpuHours { hours: 200, per: Period::Week }),
        (None, Limit::Horizon { minutes: 28 * 24 * 60 }),
        (Some("training"), Limit::Hours { spans: vec![evenings] }),
    ];
    let rule = |(label, limit): (Option<&str>, Limit)| Rule {
        id: RuleId(Uuid::nil()),
        name: "rule".to_owned(),
        group: None,
        label: label.map(str::to_owned),
        limit,
    };
    let held = |n: u32| Held {
        reservation: Some(ReservationId(Uuid::from_u128(n.into()))),
        card: uuid(&name(0), n % 8),
        part: Cards::ONE,
        window: window(i64::from(n) * 120, i64::from(n) * 120 + 240),
        labels: vec!["training".to_owned()],
    };
    let standing = Standing { holds: (0..60).map(held).collect(), ..Standing::default() };
    (limits.into_iter().map(rule).collect(), standing)
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
                gpu: uuid(&name(host), card),
                first_slice: 0,
                end_slice: None,
                window: window(start - 600, end - 600),
            });
        }
    }
    holds
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
        let ((rules, standing), zone) = (rules(), ZoneTable::utc());
        let leave = Leave::new(&rules, &standing, Clocks::of(&zone, NOW));
        for (name, want) in searches {
            note(name, measure(|| drop(find(&park, &want, NOW))));
            note(&format!("ruled_{name}"), measure(|| drop(find_within(&park, &want, NOW, Some(&leave)))));
        }
        let cards: Vec<CardUuid> = (0..4).map(|index| uuid(&name(0), index)).collect();
        let day = Window::new(NOW, NOW + Duration::days(2)).expect("not empty");
        note("instead", measure(|| drop(alternatives(&park, &cards, &BTreeMap::new(), &day, NOW))));
    }
    println!("{}", serde_json::Value::Object(said));
}
