//! What the agents of test hosts say.

use domain::card::{CardFacts, CardHealth, CardProcess, CardSample, ProcessKind};
use domain::id::CardUuid;
use domain::reading::Reading;
use domain::wire::agent_v1::{CardReport, NvmlState, Report};
use time::Duration;

use super::clock::MORNING;

/// A card of a host.
pub fn uuid(host: &str, index: u32) -> CardUuid {
    CardUuid::parse(&format!("GPU-{host}-{index}")).unwrap()
}

/// Report number `seq` of a host with the cards of these indices, all busy to `percent`.
pub fn report(host: &str, seq: u64, indices: &[u32], percent: u32) -> Report {
    let card = |&index: &u32| CardReport {
        detail: Default::default(),
        facts: CardFacts {
            part: None,
            mig_on: false,
            uuid: uuid(host, index),
            index,
            minor: Some(index),
            name: "NVIDIA H100 80GB HBM3".to_owned(),
            pci_bus_id: Some(format!("0000:{index:02x}:00.0")),
            memory_total_mib: Reading::Value(81559),
        },
        sample: CardSample {
            utilisation_percent: Reading::Value(percent),
            memory_used_mib: Reading::Value(1024),
            ..CardSample::default()
        },
        health: CardHealth::Ok,
        processes: Some(vec![CardProcess {
            memory_mib: Reading::Value(512),
            os_user: Some("ada".to_owned()),
            command: Some("python".to_owned()),
            ..CardProcess::new(4711, ProcessKind::Compute)
        }]),
    };
    Report {
        sent_at: None,
        inventory_id: None,
        inventory: None,
        agent_version: "0.1.0".to_owned(),
        boot_id: format!("boot-of-{host}"),
        seq,
        sampled_at: MORNING + Duration::seconds(2) * i32::try_from(seq).unwrap(),
        nvml: NvmlState::Ok,
        driver_version: Some("570.86.15".to_owned()),
        cuda_version: Some("12.8".to_owned()),
        cpu_percent: Reading::Value(3),
        memory_total_mib: Reading::Value(515_000),
        memory_used_mib: Reading::Value(20_000),
        cards: indices.iter().map(card).collect(),
    }
}
