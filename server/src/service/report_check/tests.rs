//! Hostile and broken reports.

use domain::card::{CardFacts, CardHealth, CardProcess, CardSample, ProcessKind};
use domain::id::CardUuid;
use time::macros::datetime;

use super::*;

const NOW: OffsetDateTime = datetime!(2026-11-30 10:00 UTC);

fn a_card(n: u32) -> CardReport {
    CardReport {
        detail: Default::default(),
        facts: CardFacts {
            part: None,
            mig_on: false,
            uuid: CardUuid::parse(&format!("GPU-{n}")).expect("valid"),
            index: n,
            minor: Some(n),
            name: "NVIDIA H100".to_owned(),
            pci_bus_id: Some("0000:1b:00.0".to_owned()),
            memory_total_mib: Reading::Value(81559),
        },
        sample: CardSample::default(),
        health: CardHealth::Ok,
        processes: None,
    }
}

fn a_process() -> CardProcess {
    CardProcess {
        memory_mib: Reading::Value(1),
        os_user: Some("ada".to_owned()),
        command: Some("python train.py".to_owned()),
        ..CardProcess::new(1, ProcessKind::Compute)
    }
}

fn a_report() -> Report {
    Report {
        sent_at: None,
        inventory_id: None,
        inventory: None,
        agent_version: "0.1.0".to_owned(),
        boot_id: "boot".to_owned(),
        seq: 1,
        sampled_at: NOW,
        nvml: NvmlState::Ok,
        driver_version: Some("570.1".to_owned()),
        cuda_version: Some("12.8".to_owned()),
        cpu_percent: Reading::Value(3),
        memory_total_mib: Reading::Value(1000),
        memory_used_mib: Reading::Value(10),
        cards: vec![a_card(0), a_card(1)],
    }
}

#[test]
fn an_ordinary_report_passes_unchanged() {
    let mut report = a_report();
    report.cards[0].processes = Some(vec![a_process()]);
    assert_eq!(checked(report.clone(), NOW), Ok(report));
}

#[test]
fn what_does_not_fit_is_refused() {
    let refused = |change: fn(&mut Report)| {
        let mut report = a_report();
        change(&mut report);
        let error = checked(report, NOW).expect_err("refused");
        assert_eq!(error.code, ErrorCode::BadInput);
        error.message
    };
    assert!(refused(|r| r.cards = (0..257).map(a_card).collect()).contains("256"));
    assert!(refused(|r| r.cards.push(a_card(0))).contains("GPU-0"));
    assert!(refused(|r| r.cards[1].facts.index = u32::MAX).contains("GPU-1"));
    assert!(refused(|r| r.cards[1].facts.minor = Some(u32::MAX)).contains("GPU-1"));
    assert!(refused(|r| r.cards[0].processes = Some(vec![a_process(); 257])).contains("256"));
    refused(|r| r.seq = u64::MAX);
    refused(|r| r.boot_id = " ".to_owned());
}

#[test]
fn text_of_a_host_is_cleaned_and_cut() {
    let mut report = a_report();
    report.agent_version = "9".repeat(1000);
    report.driver_version = Some("570\u{1b}[31m\u{202e}\0".to_owned());
    report.nvml = NvmlState::NoLibrary { detail: format!("line\n{}", "x".repeat(1000)) };
    report.cards[0].facts.name = "\u{0}".to_owned();
    report.cards[1].facts.name = "  ".to_owned();
    report.cards[0].facts.pci_bus_id = Some("0000:1b:00.0; rm -rf /".to_owned());
    let mut hostile = a_process();
    hostile.os_user = Some("ada\n".to_owned());
    hostile.command = Some(format!("sh\u{7}{}", "y".repeat(1000)));
    report.cards[0].processes = Some(vec![hostile]);
    let report = checked(report, NOW).expect("cleaned");
    let json = serde_json::to_string(&report).expect("json");
    assert!(!json.contains("\\u00") && !json.contains("\\n"), "{json}");
    assert_eq!(report.agent_version.len(), SHORT_MAX);
    assert_eq!(report.cards[1].facts.name, en().reports.unreadable_name);
    assert_eq!(report.cards[0].facts.pci_bus_id, None);
    let process = &report.cards[0].processes.as_ref().expect("kept")[0];
    assert_eq!(process.os_user.as_deref(), Some("ada"));
    assert_eq!(process.command.as_ref().map(|command| command.chars().count()), Some(LONG_MAX));
}

#[test]
fn numbers_that_cannot_be_are_unknown() {
    let mut report = a_report();
    report.cards[0].sample.utilisation_percent = Reading::Value(4_294_967_295);
    report.cards[0].sample.memory_used_mib = Reading::Value(u64::MAX);
    report.cards[0].facts.memory_total_mib = Reading::Value(u64::MAX);
    let report = checked(report, NOW).expect("kept");
    let unknown = Reading::missing(Missing::Unknown);
    assert_eq!(report.cards[0].sample.utilisation_percent, Reading::missing(Missing::Unknown));
    assert_eq!(report.cards[0].sample.memory_used_mib, unknown);
    assert_eq!(report.cards[0].facts.memory_total_mib, unknown);
}

#[test]
fn a_wild_clock_is_replaced_and_always_can_be_written() {
    for wild in [datetime!(0001-01-01 00:00 UTC), datetime!(9999-12-31 23:59:59 -23:59)] {
        let mut report = a_report();
        report.sampled_at = wild;
        report.nvml = NvmlState::Stalled { since: wild };
        let report = checked(report, NOW).expect("kept");
        assert_eq!(report.sampled_at, NOW);
        assert_eq!(report.nvml, NvmlState::Stalled { since: NOW });
        serde_json::to_string(&report).expect("json");
    }
}
