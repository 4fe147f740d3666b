use domain::card::{CardFacts, CardHealth, ProcessKind, Runtime, Slowdown};
use domain::id::CardUuid;
use domain::reading::Missing;
use domain::wire::agent_v1::Report;
use time::macros::datetime;

use super::*;

const NOW: OffsetDateTime = datetime!(2026-11-30 10:00 UTC);

fn a_card() -> CardReport {
    let uuid = CardUuid::parse("GPU-1").expect("valid");
    CardReport {
        facts: CardFacts::new(uuid, 0, "NVIDIA H100"),
        sample: CardSample::default(),
        detail: CardDetail::default(),
        health: CardHealth::Ok,
        processes: None,
    }
}

#[test]
fn what_an_agent_of_this_version_says_passes_unchanged() {
    let recorded = include_str!("../../../../domain/tests/vectors/report.json");
    let report: Report = serde_json::from_str(recorded).expect("a report");
    for card in report.cards {
        let mut checked = card.clone();
        values(&mut checked, NOW);
        assert_eq!(checked, card);
        assert!(card.facts.part.as_ref().is_none_or(is_part));
    }
}

#[test]
fn text_and_numbers_and_times_that_cannot_be() {
    let mut card = a_card();
    let mut part = MigPart::at(CardUuid::parse("GPU-1").expect("valid"), 9, 0);
    assert!(is_part(&part));
    part.profile = "3g\u{0}.40gb\u{1b}[2J".repeat(50);
    part.compute_slices = Reading::Value(u32::MAX);
    card.facts.part = Some(part.clone());
    card.sample.power_milliwatts = Reading::Value(u32::MAX);
    card.detail.energy_millijoules = Reading::Value(u64::MAX);
    card.detail.encoder_percent = Reading::Value(101);
    card.detail.slowed_by = Reading::Value(vec![Slowdown::Idle; 5000]);
    card.detail.last_xid = Some(Xid { code: u64::MAX, at: datetime!(9999-01-01 00:00 UTC) });
    card.detail.hot_since = Some(datetime!(1900-01-01 00:00 UTC));
    let process = |id: &str| CardProcess {
        container: Some(Container { runtime: Runtime::Docker, id: id.to_owned() }),
        started_at: Some(datetime!(9999-01-01 00:00 UTC)),
        utilisation_percent: Reading::Value(4000),
        ..CardProcess::new(1, ProcessKind::Compute)
    };
    card.processes = Some(vec![process("a\u{0}b\u{202e}"), process("  "), process(&"x".repeat(1000))]);
    values(&mut card, NOW);

    let profile = &card.facts.part.as_ref().expect("kept").profile;
    assert!(profile.starts_with("3g\u{fffd}.40gb\u{fffd}[2J") && profile.chars().count() == SHORT_MAX, "{profile}");
    let unknown = Reading::missing(Missing::Unknown);
    assert_eq!(card.facts.part.map(|part| part.compute_slices), Some(unknown));
    assert_eq!((card.sample.power_milliwatts, card.detail.encoder_percent), (unknown, unknown));
    assert_eq!(card.detail.energy_millijoules, Reading::missing(Missing::Unknown));
    assert_eq!(card.detail.slowed_by.value().map(Vec::len), Some(REASONS_MAX));
    assert_eq!(card.detail.last_xid, Some(Xid { code: COUNT_MAX, at: NOW }));
    assert_eq!(card.detail.hot_since, Some(NOW));
    let processes = card.processes.expect("kept");
    let ids: Vec<Option<String>> = processes.iter().map(|one| one.container.as_ref().map(|c| c.id.clone())).collect();
    assert_eq!(ids, [Some("a\u{fffd}b\u{fffd}".to_owned()), None, Some("x".repeat(SHORT_MAX))]);
    assert_eq!((processes[0].started_at, processes[0].utilisation_percent), (Some(NOW), unknown));
    part.gpu_instance = u32::MAX;
    assert!(!is_part(&part));
}
