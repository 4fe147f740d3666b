use domain::card::{CardFacts, CardSample, ProcessKind, Xid};
use domain::id::{CardUuid, HostId};
use domain::inventory::{CardInventory, CardTraits, Inventory, Machine};
use domain::reading::Reading;
use domain::topology::Topology;
use domain::upkeep::Closed;
use domain::wire::agent_v1::NvmlState;
use domain::wire::live_v1::{CardTruth, HostPulse, HostView, ProcessView};
use domain::wire::page::{HostTold, MovedCard};
use domain::zone::ZoneTable;
use time::macros::datetime;
use uuid::Uuid;

use super::*;

const NOW: OffsetDateTime = datetime!(2026-11-30 10:12 UTC);

fn uuid(index: u32) -> CardUuid {
    CardUuid::parse(&format!("GPU-{index}")).expect("valid")
}

/// A host with nothing wrong and this many cards.
fn well(cards: u32) -> HostPage {
    let card = |index| CardView {
        facts: CardFacts::new(uuid(index), index, "NVIDIA H100 80GB HBM3"),
        truth: CardTruth {
            sample: CardSample { utilisation_percent: Reading::Value(90), ..CardSample::default() },
            health: CardHealth::Ok,
            processes: Some(Vec::new()),
            memory_is_unified: false,
        },
        spark: Vec::new(),
        bookings: Vec::new(),
        closed: Closed::default(),
    };
    let traits = CardTraits { max_pcie_width: Reading::Value(16), ..CardTraits::default() };
    let inventory = Inventory {
        machine: Machine { sees_processes: true, ..Machine::default() },
        cards: (0..cards).map(|index| CardInventory { uuid: uuid(index), traits: traits.clone() }).collect(),
        topology: Topology::default(),
    };
    HostPage {
        now: NOW,
        names: vec!["rig".to_owned()],
        host: HostView {
            id: HostId(Uuid::nil()),
            name: "rig".to_owned(),
            pulse: HostPulse {
                last_report: Some(NOW),
                beat_ms: 2_000,
                clock_ahead_ms: Some(0),
                nvml: Some(NvmlState::Ok),
                cpu_percent: Reading::default(),
                memory_total_mib: Reading::default(),
                memory_used_mib: Reading::default(),
            },
            driver_version: None,
            cuda_version: None,
            cards: (0..cards).map(card).collect(),
        },
        told: HostTold {
            agent_version: None,
            inventory: Some(inventory),
            details: (0..cards).map(|index| (uuid(index), CardDetail::default())).collect(),
        },
        moved: Vec::new(),
    }
}

fn said(page: &HostPage) -> Vec<(Tone, String, String)> {
    let zone = ZoneTable::utc();
    let all = alerts(page, &Facts::of(page), &When::new(&zone, page.now));
    all.into_iter().map(|alert| (alert.tone, alert.lead(), alert.text)).collect()
}

fn leads(page: &HostPage) -> Vec<String> {
    said(page).into_iter().map(|(_, lead, _)| lead).collect()
}

#[test]
fn a_host_with_nothing_wrong_says_nothing() {
    assert_eq!(said(&well(8)), []);
}

#[test]
fn heat_and_power_are_said_after_a_minute_and_by_the_portals_clock() {
    let mut page = well(4);
    for (_, detail) in &mut page.told.details[1..] {
        detail.power_capped_since = Some(NOW - Duration::seconds(90));
    }
    page.told.details[2].1.hot_since = Some(NOW - Duration::seconds(61));
    page.told.details[3].1.hot_since = Some(NOW - Duration::seconds(59));
    assert_eq!(
        leads(&page),
        ["Card 2: too hot since 10:10.", "Cards 1, 2 and 3: at its power limit since 10:10."],
        "the worst first, and the same of several cards once"
    );
    // By a host whose clock is an hour ahead it began an hour later.
    page.host.pulse.clock_ahead_ms = Some(3_600_000);
    for (_, detail) in &mut page.told.details {
        detail.power_capped_since = None;
        detail.hot_since = detail.hot_since.map(|at| at + Duration::hours(1));
    }
    let [hot, clock] = said(&page).try_into().expect("two");
    assert_eq!(hot.1, "Card 2: too hot since 10:10.");
    assert!(hot.2.contains("airflow"), "{}", hot.2);
    assert_eq!(clock.1, "The clock of this host is 1 h ahead of the portal's.");
    page.host.pulse.clock_ahead_ms = Some(-2_000);
    page.told.details[2].1.hot_since = None;
    assert_eq!(said(&page), [], "a report may take some seconds");
    // A host that is silent was hot; nobody knows whether it is.
    page.told.details[2].1.hot_since = Some(NOW - Duration::hours(1));
    page.host.pulse.last_report = Some(NOW - Duration::minutes(10));
    assert_eq!(leads(&page), [""; 0]);
}

#[test]
fn a_sick_card_says_why_and_what_to_do() {
    let mut page = well(2);
    page.host.cards[1].truth.health = CardHealth::Lost;
    assert_eq!(leads(&page), ["Card 1: lost, not bookable."]);
    page.told.details[1].1.last_xid = Some(Xid { code: 79, at: NOW - Duration::hours(7) });
    let [(tone, lead, text)] = said(&page).try_into().expect("one");
    assert_eq!((tone, lead.as_str()), (Tone::Bad, "Card 1: lost, not bookable."));
    assert!(text.starts_with("It reported Xid 79 at 03:12. The card has fallen off the bus."), "{text}");
    assert!(text.contains("Reboot the host"), "{text}");
    page.host.cards[1].truth.health = CardHealth::RepairPending;
    assert!(said(&page)[0].2.contains("Reset the card or reboot"), "{:?}", said(&page));
}

#[test]
fn errors_of_the_card_are_warned_of_for_a_day_and_errors_of_programs_are_not() {
    let mut page = well(1);
    let mut xid = |code, at| {
        page.told.details[0].1.last_xid = Some(Xid { code, at });
        leads(&page)
    };
    assert_eq!(xid(48, NOW - Duration::hours(23)), ["Card 0: reported Xid 48 at Sun 11:12."]);
    assert_eq!(xid(48, NOW - Duration::hours(24)), [""; 0]);
    for code in [13, 31, 43] {
        assert_eq!(xid(code, NOW), [""; 0], "{code}");
    }
    let means = t().host.xid_means;
    for code in [13, 31, 43].into_iter().chain(XIDS_OF_CARDS) {
        assert!(means(code).is_some(), "{code} is explained");
    }
    assert_eq!(means(999), None);
}

#[test]
fn lanes_are_missed_while_the_card_works_only() {
    let mut page = well(1);
    page.told.details[0].1.pcie_width = Reading::Value(8);
    assert_eq!(leads(&page), ["Card 0: on 8 of 16 PCIe lanes."]);
    page.host.cards[0].truth.sample.utilisation_percent = Reading::Value(0);
    assert_eq!(said(&page), []);
    page.host.cards[0].truth.sample.utilisation_percent = Reading::Value(90);
    page.told.details[0].1.pcie_width = Reading::Value(16);
    assert_eq!(said(&page), []);
}

#[test]
fn the_hardware_the_container_and_what_was_left_behind() {
    let mut page = well(2);
    page.told.details[0].1.slowed_by = Reading::Value(vec![Slowdown::PowerCap, Slowdown::PowerBrake]);
    page.told.inventory.as_mut().expect("told").machine.sees_processes = false;
    let orphan = |pid, memory| ProcessView {
        pid,
        kind: ProcessKind::Compute,
        memory_mib: Reading::Value(memory),
        os_user: None,
        command: None,
        state: ProcessState::Orphan,
        started_at: None,
        utilisation_percent: Reading::default(),
        container: None,
        people: Vec::new(),
        person: None,
        proven: false,
    };
    page.host.cards[1].truth.processes = Some(vec![orphan(7, 10_000), orphan(8, 151)]);
    page.moved = vec![MovedCard { card: uuid(1), before: 2, at: NOW - Duration::hours(1) }];
    page.host.pulse.nvml = Some(NvmlState::VersionMismatch {
        kernel: Some("570.86.15".to_owned()),
        library: Some("570.124.06".to_owned()),
    });
    let said = said(&page);
    let leads: Vec<&str> = said.iter().map(|(_, lead, _)| lead.as_str()).collect();
    assert_eq!(
        leads,
        [
            "Driver and library are of different versions.",
            "The agent does not see the processes of this host.",
            "Card 0: slowed down by its hardware.",
            "Card 1: 9.9 GB are held by a process that has ended.",
            "Card 1: was card 2 until 09:12.",
        ]
    );
    assert!(said[0].2.contains("570.86.15") && said[0].2.contains("570.124.06"), "{}", said[0].2);
    assert!(said[2].2.contains("power supply"), "{}", said[2].2);
    assert_eq!(said[4].0, Tone::Info);
}
