//! The view in memory, without a database.

use domain::card::{CardFacts, CardHealth, CardProcess, CardSample, ProcessKind};
use domain::id::UserId;
use domain::reading::{Missing, Reading};
use domain::wire::agent_v1::{CardReport, NvmlState};
use time::Duration;
use time::macros::datetime;
use uuid::Uuid;

use super::*;

const AT: OffsetDateTime = datetime!(2026-11-30 10:00 UTC);

struct Still;

impl Clock for Still {
    fn now(&self) -> OffsetDateTime {
        AT
    }
}

fn uuid(n: u32) -> CardUuid {
    CardUuid::parse(&format!("GPU-{n}")).expect("valid")
}

fn host(n: u128) -> HostId {
    HostId(Uuid::from_u128(n))
}

fn report(seq: u64, cards: &[u32]) -> Report {
    let card = |&n: &u32| CardReport {
        detail: Default::default(),
        facts: CardFacts {
            part: None,
            mig_on: false,
            uuid: uuid(n),
            index: n,
            minor: None,
            name: "NVIDIA H100".to_owned(),
            pci_bus_id: None,
            memory_total_mib: Reading::Value(81559),
        },
        sample: CardSample { utilisation_percent: Reading::Value(50), ..CardSample::default() },
        health: CardHealth::Ok,
        processes: Some(vec![CardProcess {
            memory_mib: Reading::Value(10),
            os_user: Some("ada".to_owned()),
            ..CardProcess::new(7, ProcessKind::Compute)
        }]),
    };
    Report {
        sent_at: None,
        inventory_id: None,
        inventory: None,
        agent_version: "0.1.0".to_owned(),
        boot_id: "boot".to_owned(),
        seq,
        sampled_at: AT + Duration::seconds(i64::try_from(seq).expect("small") * 2),
        nvml: NvmlState::Ok,
        driver_version: Some("570.1".to_owned()),
        cuda_version: None,
        cpu_percent: Reading::Value(3),
        memory_total_mib: Reading::default(),
        memory_used_mib: Reading::default(),
        cards: cards.iter().map(card).collect(),
    }
}

fn live() -> Live {
    Live::new(Arc::new(Still))
}

fn shown(live: &Live, host: usize) -> Vec<(CardUuid, CardHealth)> {
    let (_, hosts) = live.hosts(AT);
    hosts[host].cards.iter().map(|card| (card.facts.uuid.clone(), card.truth.health)).collect()
}

/// Number before the first event.
fn base() -> u64 {
    u64::try_from(AT.unix_timestamp()).expect("after 1970") * 1000
}

/// What pages got since the last call, numbered from the start.
fn received(events: &mut broadcast::Receiver<Event>) -> Vec<(&'static str, u64)> {
    std::iter::from_fn(|| events.try_recv().ok())
        .map(|event| match event {
            Event::Hosts { seq, .. } => ("hosts", seq - base()),
            Event::Resync { seq } => ("resync", seq - base()),
        })
        .collect()
}

#[test]
fn values_are_news_and_new_cards_are_a_resync() {
    let live = live();
    let (_, mut events) = live.subscribe();
    live.report(host(1), "rig", &mut report(1, &[0, 1]), AT);
    live.send_news();
    assert_eq!(received(&mut events), [("hosts", 1), ("resync", 3)]);
    live.report(host(1), "rig", &mut report(2, &[0, 1]), AT);
    live.report(host(2), "dgx", &mut report(1, &[5]), AT);
    live.send_news();
    assert_eq!(received(&mut events), [("hosts", 4), ("resync", 6)], "two hosts in one event");
    live.report(host(1), "rig", &mut report(3, &[0, 1]), AT);
    live.send_news();
    assert_eq!(received(&mut events), [("hosts", 7)]);
    live.send_news();
    assert_eq!(received(&mut events), []);
    assert_eq!(live.hosts(AT).0, base() + 7);
}

#[test]
fn a_repeat_is_no_news() {
    let live = live();
    let (_, mut events) = live.subscribe();
    live.report(host(1), "rig", &mut report(2, &[0]), AT);
    live.send_news();
    received(&mut events);
    live.report(host(1), "rig", &mut report(2, &[0]), AT + Duration::seconds(1));
    live.report(host(1), "rig", &mut report(1, &[0]), AT + Duration::seconds(1));
    live.send_news();
    assert_eq!(received(&mut events), []);
    // The agent was restarted: it counts from the beginning, and time has gone on.
    let mut restarted = report(1, &[0]);
    restarted.sampled_at += Duration::minutes(1);
    live.report(host(1), "rig", &mut restarted, AT + Duration::seconds(3));
    live.send_news();
    assert_eq!(received(&mut events), [("hosts", 4)]);
}

#[test]
fn who_falls_behind_is_told() {
    let live = live();
    let (_, mut events) = live.subscribe();
    for seq in 0..200 {
        live.report(host(1), "rig", &mut report(seq, &[0]), AT);
        live.send_news();
    }
    assert!(matches!(events.try_recv(), Err(broadcast::error::TryRecvError::Lagged(_))));
}

#[test]
fn a_card_that_vanishes_is_lost_and_comes_back() {
    let live = live();
    live.report(host(1), "rig", &mut report(1, &[0, 1]), AT);
    live.report(host(1), "rig", &mut report(2, &[1]), AT);
    assert_eq!(shown(&live, 0), [(uuid(1), CardHealth::Ok), (uuid(0), CardHealth::Lost)]);
    let week_later = live.hosts(AT + Duration::days(8)).1;
    assert_eq!(week_later[0].cards.len(), 1, "not shown for ever");
    live.report(host(1), "rig", &mut report(3, &[0, 1]), AT);
    assert_eq!(shown(&live, 0), [(uuid(0), CardHealth::Ok), (uuid(1), CardHealth::Ok)]);
}

#[test]
fn without_nvml_the_cards_stay_and_their_values_are_unknown() {
    let live = live();
    live.report(host(1), "rig", &mut report(1, &[0]), AT);
    let mut broken = report(2, &[]);
    broken.nvml = NvmlState::VersionMismatch { kernel: None, library: None };
    broken.driver_version = None;
    live.report(host(1), "rig", &mut broken, AT);
    let (_, hosts) = live.hosts(AT);
    let card = &hosts[0].cards[0];
    assert_eq!(card.truth.health, CardHealth::Ok);
    assert_eq!(card.truth.sample.utilisation_percent, Reading::missing(Missing::Unknown));
    assert_eq!(card.truth.processes, None);
    assert_eq!(hosts[0].driver_version.as_deref(), Some("570.1"));
}

#[test]
fn a_card_is_not_taken_from_a_host_that_still_reports() {
    let live = live();
    live.report(host(1), "rig", &mut report(1, &[0]), AT);
    let mut thief = report(1, &[0, 7]);
    live.report(host(2), "thief", &mut thief, AT + Duration::minutes(4));
    assert_eq!(thief.cards.len(), 1, "struck out of what is stored, too");
    assert_eq!(live.holder(&uuid(0)), Some(host(1)));
    assert_eq!(live.holder(&uuid(7)), Some(host(2)));
    live.report(host(2), "thief", &mut report(2, &[0, 7]), AT + Duration::minutes(6));
    assert_eq!(live.holder(&uuid(0)), Some(host(2)), "the card has moved");
    let (_, hosts) = live.hosts(AT);
    assert!(hosts[0].cards.is_empty());
}

#[test]
fn processes_get_their_people_when_the_mapping_comes_later() {
    let live = live();
    live.report(host(1), "rig", &mut report(1, &[0]), AT);
    live.send_news();
    let (_, mut events) = live.subscribe();
    let mapping = Mapping {
        host: None,
        os_user: "ada".to_owned(),
        person: UserId(Uuid::from_u128(9)),
        name: "Ada".to_owned(),
        proven: true,
    };
    live.set_people(vec![mapping.clone()]);
    live.send_news();
    assert_eq!(received(&mut events), [("hosts", 4)]);
    let (_, hosts) = live.hosts(AT);
    let processes = hosts[0].cards[0].truth.processes.as_ref().expect("known");
    assert_eq!(processes[0].person.as_deref(), Some("Ada"));
    live.set_people(vec![mapping]);
    live.send_news();
    assert_eq!(received(&mut events), [], "nothing has changed");
}
