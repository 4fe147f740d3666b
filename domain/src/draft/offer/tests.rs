//! Conflicts and their ways out on two small hosts.

use super::*;
use crate::card::{CardFacts, CardSample};
use crate::id::{HostId, ReservationId};
use crate::reading::Reading;
use crate::wire::live_v1::{BookingBrief, CardTruth, HostPulse};
use proptest::prelude::*;
use time::Duration;
use time::macros::datetime;

const NOON: OffsetDateTime = datetime!(2026-11-30 12:00 UTC);

fn hours(from: i64, until: i64) -> Window {
    Window::new(NOON + Duration::hours(from), NOON + Duration::hours(until)).expect("not empty")
}

fn uuid(n: u32) -> CardUuid {
    CardUuid::parse(&format!("GPU-{n}")).expect("valid")
}

fn card(n: u32, model: &str, booked: &[(i64, i64)]) -> CardView {
    let brief = |&(from, until): &(i64, i64)| BookingBrief {
        id: ReservationId(uuid::Uuid::from_u128(u128::from(n) * 100 + u128::from(from.unsigned_abs()))),
        owner: UserId(uuid::Uuid::from_u128(7)),
        holder: "Sofia Marín".to_owned(),
        hue: 330,
        window: hours(from, until),
    };
    CardView {
        facts: CardFacts {
            uuid: uuid(n),
            index: n,
            minor: None,
            name: model.to_owned(),
            pci_bus_id: None,
            memory_total_mib: Reading::default(),
        },
        truth: CardTruth { sample: CardSample::default(), health: CardHealth::Ok, processes: None },
        spark: Vec::new(),
        bookings: booked.iter().map(brief).collect(),
    }
}

fn host(name: &str, cards: Vec<CardView>) -> HostView {
    HostView {
        id: HostId(uuid::Uuid::nil()),
        name: name.to_owned(),
        pulse: HostPulse {
            last_report: None,
            nvml: None,
            cpu_percent: Reading::default(),
            memory_total_mib: Reading::default(),
            memory_used_mib: Reading::default(),
        },
        driver_version: None,
        cuda_version: None,
        cards,
    }
}

fn fleet(cards: Vec<CardView>) -> Fleet {
    Fleet { seq: 0, now: NOON, hosts: vec![host("rig", cards)] }
}

#[test]
fn a_clash_names_card_holder_and_time() {
    let fleet = fleet(vec![card(0, "H100", &[]), card(2, "H100", &[(6, 10), (20, 22)])]);
    let found = clashes(&fleet, &[uuid(0), uuid(2)], &hours(2, 7), UserId(uuid::Uuid::from_u128(1)));
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].index, found[0].holder.as_str(), found[0].window), (2, "Sofia Marín", hours(6, 10)));
    assert!(!found[0].own);
    assert!(clashes(&fleet, &[uuid(2)], &hours(2, 6), UserId(uuid::Uuid::from_u128(1))).is_empty());
}

#[test]
fn shorter_then_elsewhere_then_later() {
    let fleet = fleet(vec![
        card(0, "RTX 3090", &[]),
        card(1, "T1000", &[]),
        card(2, "RTX 3090", &[(6, 10)]),
        card(3, "RTX 3090", &[]),
    ]);
    assert_eq!(
        offers(&fleet, &[uuid(0), uuid(2)], &hours(2, 7), &[]),
        [Offer::Shorter(hours(2, 6)), Offer::Elsewhere(vec![uuid(0), uuid(3)]), Offer::Later(hours(10, 15))]
    );
}

#[test]
fn nothing_is_offered_that_is_not_known_to_be_free() {
    // Taken from the start on, so not shorter; no other card; and after four known bookings anything may follow.
    let fleet = fleet(vec![card(2, "RTX 3090", &[(0, 4), (4, 8), (8, 12), (13, 20)])]);
    assert_eq!(offers(&fleet, &[uuid(2)], &hours(1, 4), &[]), []);
    assert_eq!(offers(&fleet, &[uuid(2)], &hours(1, 2), &[]), [Offer::Later(hours(12, 13))]);
    assert_eq!(offers(&fleet, &[uuid(9)], &hours(1, 2), &[]), []);
}

#[test]
fn a_sick_card_is_no_way_out() {
    let mut sick = card(3, "RTX 3090", &[]);
    sick.truth.health = CardHealth::Lost;
    let fleet = fleet(vec![card(2, "RTX 3090", &[(0, 4)]), sick]);
    assert_eq!(offers(&fleet, &[uuid(2)], &hours(1, 2), &[]), [Offer::Later(hours(4, 5))]);
}

#[test]
fn what_the_server_refused_counts_although_the_page_did_not_know() {
    let fleet = fleet(vec![card(2, "RTX 3090", &[])]);
    let refused = Clash {
        reservation: ReservationId(uuid::Uuid::nil()),
        card: uuid(2),
        host: "rig".to_owned(),
        index: 2,
        holder: "Aiko Tanaka".to_owned(),
        own: false,
        window: hours(0, 6),
    };
    assert_eq!(offers(&fleet, &[uuid(2)], &hours(2, 4), &[refused]), [Offer::Later(hours(6, 8))]);
}

proptest! {
    #[test]
    fn every_offer_is_free(
        booked in prop::collection::vec(prop::collection::vec((0i64..40, 1i64..6), 0..6), 1..5),
        from in 0i64..30,
        length in 1i64..8,
        pick in 1usize..4,
    ) {
        let cards: Vec<CardView> = booked
            .iter()
            .enumerate()
            .map(|(n, starts)| {
                // Lay the bookings one after the other, as on a real card.
                let mut at = 0;
                let spans: Vec<(i64, i64)> = starts
                    .iter()
                    .map(|&(gap, length)| {
                        let start = at + gap % 7;
                        at = start + length;
                        (start, at)
                    })
                    .collect();
                card(u32::try_from(n).expect("few"), "H100", &spans[..spans.len().min(KNOWN)])
            })
            .collect();
        let picked: Vec<CardUuid> = cards.iter().take(pick).map(|card| card.facts.uuid.clone()).collect();
        let fleet = fleet(cards);
        let window = hours(from, from + length);
        let nobody = UserId(uuid::Uuid::nil());
        for offer in offers(&fleet, &picked, &window, &[]) {
            match offer {
                Offer::Shorter(other) | Offer::Later(other) => {
                    prop_assert!(clashes(&fleet, &picked, &other, nobody).is_empty());
                }
                Offer::Elsewhere(cards) => {
                    prop_assert_eq!(cards.len(), picked.len());
                    prop_assert!(clashes(&fleet, &cards, &window, nobody).is_empty());
                }
            }
        }
    }
}
