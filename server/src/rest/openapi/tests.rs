//! The description and the wire types say the same.

use std::collections::BTreeSet;

use domain::card;
use domain::id::{CardUuid, HostId, ReservationId, UserId};
use domain::reading::Reading;
use domain::window::Window;
use domain::wire::agent_v1;
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

#[test]
fn every_field_is_described_and_nothing_else() {
    let api = serde_json::to_value(Api::openapi()).expect("json");
    let uuid = CardUuid::parse("GPU-1").expect("valid");
    let facts = card::CardFacts {
        part: None,
        mig_on: false,
        uuid: uuid.clone(),
        index: 0,
        minor: None,
        name: String::new(),
        pci_bus_id: None,
        memory_total_mib: Reading::default(),
    };
    let process = card::CardProcess::new(1, card::ProcessKind::Compute);
    let report = json!(agent_v1::Report {
        inventory_id: None,
        inventory: None,
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
            detail: Default::default(),
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
            cards: vec![uuid],
            window: Window::new(OffsetDateTime::UNIX_EPOCH, end).expect("not empty"),
        }],
    });
    let enrolled =
        json!(agent_v1::EnrolReply { host: HostId(Uuid::nil()), host_name: String::new(), credential: String::new() });
    let card = &report["cards"][0];
    for (schema, value) in [
        ("Report", &report),
        ("CardReport", card),
        ("CardFacts", &card["facts"]),
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
        agent_v1::LINK_PATH,
        agent_v1::ROTATE_PATH,
        agent_v1::SELF_PATH,
        crate::rest::program::PROGRAM_PATH,
        crate::rest::program::HASH_PATH,
        "/healthz",
    ];
    assert_eq!(keys(&api["paths"]), expected.map(str::to_owned).into());
    assert_eq!(api["components"]["securitySchemes"]["host_credential"]["scheme"], "bearer");
}
