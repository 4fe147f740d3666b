//! The description and the wire types say the same.

use std::collections::BTreeSet;

use domain::card;
use domain::id::{CardUuid, HostId, ReservationId, UserId};
use domain::inventory::{CardInventory, Inventory, Machine, NumaNode};
use domain::reading::Reading;
use domain::topology::{LinkedCard, NvLink, Pair, Remote, Topology};
use domain::window::Window;
use domain::wire::{agent_v1, host_v1, minutes_v1};
use serde_json::{Value, json};
use time::OffsetDateTime;
use uuid::Uuid;

use super::*;

fn keys(value: &Value) -> BTreeSet<String> {
    value.as_object().expect("an object").keys().cloned().collect()
}

fn described(api: &Value, schema: &str) -> BTreeSet<String> {
    keys(&api["components"]["schemas"][schema]["properties"])
}

fn mig_part() -> card::MigPart {
    card::MigPart {
        parent: CardUuid::parse("GPU-1").expect("valid"),
        gpu_instance: 1,
        compute_instance: 0,
        instance: 0,
        profile: String::new(),
        compute_slices: Reading::default(),
        multiprocessors: Reading::default(),
    }
}

fn inventory(uuid: &CardUuid) -> Inventory {
    let node = NumaNode { id: 0, cpus: String::new(), memory_total_mib: Reading::default() };
    let lane = NvLink { link: 0, active: true, version: Reading::default(), remote: Remote::Unknown };
    let linked = LinkedCard {
        uuid: uuid.clone(),
        index: 0,
        pci_bus_id: None,
        cpu_affinity: Reading::default(),
        numa_affinity: Reading::default(),
        gpu_numa_id: Reading::default(),
        nvlinks: vec![lane],
    };
    let pair = Pair { a: 0, b: 1, ancestor: Reading::default(), nvlink_p2p: Reading::default() };
    Inventory {
        machine: Machine { numa: vec![node], ..Machine::default() },
        cards: vec![CardInventory { uuid: uuid.clone(), traits: Default::default() }],
        topology: Topology { cards: vec![linked], pairs: vec![pair] },
    }
}

fn minutes(uuid: &CardUuid) -> minutes_v1::Minutes {
    let account = minutes_v1::AccountMinute {
        os_user: None,
        container: Some(String::new()),
        present_ms: 0,
        memory_max_mib: None,
        compute_ms: None,
    };
    let card = minutes_v1::CardMinute {
        power: Some(minutes_v1::Spread::of(1)),
        accounts: vec![account],
        ..minutes_v1::CardMinute::new(uuid.clone())
    };
    let minute =
        minutes_v1::HostMinute { minute: OffsetDateTime::UNIX_EPOCH, part: 1, clock_ahead_ms: None, cards: vec![card] };
    minutes_v1::Minutes { minutes: vec![minute], dropped: 0 }
}

#[test]
fn every_field_is_described_and_nothing_else() {
    let api = serde_json::to_value(Api::openapi()).expect("json");
    let uuid = CardUuid::parse("GPU-1").expect("valid");
    let facts = card::CardFacts {
        part: Some(mig_part()),
        mig_on: true,
        uuid: uuid.clone(),
        index: 0,
        minor: None,
        name: String::new(),
        pci_bus_id: None,
        memory_total_mib: Reading::default(),
    };
    let process = card::CardProcess {
        started_at: Some(OffsetDateTime::UNIX_EPOCH),
        container: Some(card::Container { runtime: card::Runtime::Docker, id: String::new() }),
        ..card::CardProcess::new(1, card::ProcessKind::Compute)
    };
    let report = json!(agent_v1::Report {
        sent_at: Some(OffsetDateTime::UNIX_EPOCH),
        inventory_id: None,
        inventory: Some(Box::new(inventory(&uuid))),
        agent_version: String::new(),
        boot_id: String::new(),
        seq: 0,
        sampled_at: OffsetDateTime::UNIX_EPOCH,
        nvml: agent_v1::NvmlState::Ok,
        driver_version: None,
        cuda_version: None,
        cpu_percent: Reading::default(),
        memory_total_mib: Reading::default(),
        memory_used_mib: Reading::default(),
        cards: vec![agent_v1::CardReport {
            detail: card::CardDetail {
                last_xid: Some(card::Xid { code: 79, at: OffsetDateTime::UNIX_EPOCH }),
                ..Default::default()
            },
            facts,
            sample: card::CardSample::default(),
            health: card::CardHealth::Ok,
            processes: Some(vec![process]),
        }],
    });
    let end = OffsetDateTime::UNIX_EPOCH + time::Duration::HOUR;
    let table = json!(agent_v1::HostTable {
        made_at: OffsetDateTime::UNIX_EPOCH,
        host_name: String::new(),
        portal_url: String::new(),
        accounts: vec![agent_v1::Account { os_user: String::new(), person: UserId(Uuid::nil()), name: String::new() }],
        bookings: vec![agent_v1::TableBooking {
            id: ReservationId(Uuid::nil()),
            person: UserId(Uuid::nil()),
            holder: String::new(),
            cards: vec![uuid.clone()],
            window: Window::new(OffsetDateTime::UNIX_EPOCH, end).expect("not empty"),
            co_users: vec![UserId(Uuid::nil())],
        }],
        waiting: vec![agent_v1::TableBooking {
            id: ReservationId(Uuid::nil()),
            person: UserId(Uuid::nil()),
            holder: String::new(),
            cards: vec![uuid.clone()],
            window: Window::new(OffsetDateTime::UNIX_EPOCH, end).expect("not empty"),
            co_users: vec![UserId(Uuid::nil())],
        }],
        notices: vec![agent_v1::HostNotice {
            person: UserId(Uuid::nil()),
            at: OffsetDateTime::UNIX_EPOCH,
            sentence: String::new(),
            page: String::new(),
        }],
    });
    let refused = json!(minutes_v1::MinutesReply {
        refused: vec![minutes_v1::RefusedMinute {
            minute: OffsetDateTime::UNIX_EPOCH,
            card: None,
            why: minutes_v1::Refusal::TooOld,
        }],
    });
    let enrolled =
        json!(agent_v1::EnrolReply { host: HostId(Uuid::nil()), host_name: String::new(), credential: String::new() });
    let minutes = json!(minutes(&uuid));
    let minute = &minutes["minutes"][0];
    let card = &report["cards"][0];
    let inventory = &report["inventory"];
    let linked = &inventory["topology"]["cards"][0];
    for (schema, value) in [
        ("Report", &report),
        ("CardReport", card),
        ("CardFacts", &card["facts"]),
        ("CardDetail", &card["detail"]),
        ("Xid", &card["detail"]["last_xid"]),
        ("MigPart", &card["facts"]["part"]),
        ("Container", &card["processes"][0]["container"]),
        ("Inventory", inventory),
        ("Machine", &inventory["machine"]),
        ("NumaNode", &inventory["machine"]["numa"][0]),
        ("CardInventory", &inventory["cards"][0]),
        ("Topology", &inventory["topology"]),
        ("LinkedCard", linked),
        ("NvLink", &linked["nvlinks"][0]),
        ("Pair", &inventory["topology"]["pairs"][0]),
        ("Minutes", &minutes),
        ("HostMinute", minute),
        ("CardMinute", &minute["cards"][0]),
        ("Spread", &minute["cards"][0]["power"]),
        ("AccountMinute", &minute["cards"][0]["accounts"][0]),
        ("MinutesReply", &refused),
        ("RefusedMinute", &refused["refused"][0]),
        ("CardSample", &card["sample"]),
        ("CardProcess", &card["processes"][0]),
        ("HostTable", &table),
        ("Account", &table["accounts"][0]),
        ("TableBooking", &table["bookings"][0]),
        ("EnrolReply", &enrolled),
    ] {
        assert_eq!(described(&api, schema), keys(value), "{schema}");
    }
    let healths: BTreeSet<String> = [
        card::CardHealth::Ok,
        card::CardHealth::Lost,
        card::CardHealth::ResetNeeded,
        card::CardHealth::Asleep,
        card::CardHealth::RepairPending,
        card::CardHealth::Defective,
        card::CardHealth::Failing,
    ]
    .map(|health| json!(health).as_str().expect("a word").to_owned())
    .into();
    let listed = api["components"]["schemas"]["CardHealth"]["enum"].as_array().expect("words").clone();
    assert_eq!(listed.iter().map(|word| word.as_str().expect("a word").to_owned()).collect::<BTreeSet<_>>(), healths);
}

#[test]
fn every_path_of_the_machines_is_described() {
    let api = serde_json::to_value(Api::openapi()).expect("json");
    let expected = [
        agent_v1::ENROL_PATH,
        agent_v1::REPORT_PATH,
        minutes_v1::MINUTES_PATH,
        agent_v1::LINK_PATH,
        host_v1::BOOK_PATH,
        host_v1::CHANGE_PATH,
        agent_v1::ROTATE_PATH,
        agent_v1::SELF_PATH,
        crate::rest::program::PROGRAM_PATH,
        crate::rest::program::HASH_PATH,
        "/healthz",
    ];
    assert_eq!(keys(&api["paths"]), expected.map(str::to_owned).into());
    assert_eq!(api["components"]["securitySchemes"]["host_credential"]["scheme"], "bearer");
}
