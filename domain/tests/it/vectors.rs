//! Messages as they were recorded: what older, present and newer agents and servers say is understood, and what this
//! version says does not change unnoticed. A message that changes on purpose gets a new vector; old ones stay.

use domain::card::{CardHealth, ProcessKind, ProcessState, Runtime, Slowdown};
use domain::inventory::{ComputeMode, Platform};
use domain::reading::{Missing, Reading};
use domain::topology::Remote;
use domain::wire::agent_v1::{NvmlState, Report, ReportReply};
use domain::wire::minutes_v1::{Minutes, MinutesReply, Refusal};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

fn text(name: &str) -> String {
    let path = format!("{}/tests/vectors/{name}.json", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).expect(&path)
}

fn read<T: DeserializeOwned>(name: &str) -> T {
    serde_json::from_str(&text(name)).expect(name)
}

/// What is said again is what was recorded: no field more, none fewer, none called otherwise.
fn stays<T: DeserializeOwned + Serialize>(name: &str) -> T {
    let message: T = read(name);
    let said = serde_json::to_value(&message).expect("json");
    assert_eq!(said, read::<Value>(name), "{name} is said otherwise now");
    message
}

#[test]
fn what_this_version_says_does_not_change_unnoticed() {
    let report: Report = stays("report");
    assert!(report.inventory.is_some_and(|inventory| inventory.topology.cards[0].nvlinks.len() == 4));
    let reply: ReportReply = stays("reply");
    assert!(reply.want_inventory && reply.rotate_credential);
    assert!(reply.table.notices.is_empty(), "nothing to tell is not said");
    assert_eq!(stays::<ReportReply>("reply_notices").table.notices.len(), 1);
    stays::<Minutes>("minutes");
    stays::<MinutesReply>("minutes_reply");
}

#[test]
fn the_first_version_is_understood() {
    let report: Report = read("report_first");
    assert_eq!((report.sent_at, report.inventory_id, report.inventory), (None, None, None));
    let [busy, lost] = &report.cards[..] else { panic!("two cards") };
    assert_eq!(busy.sample.power_milliwatts, Reading::Value(671_234));
    assert_eq!(busy.detail.energy_millijoules, Reading::missing(Missing::Unknown));
    let process = &busy.processes.as_ref().expect("listed")[0];
    assert_eq!((process.state, &process.container), (ProcessState::Running, &None));
    assert_eq!((lost.health, &lost.processes), (CardHealth::Lost, &None));
    assert_eq!(lost.sample.fan_percent, Reading::missing(Missing::Lost));
    let reply: ReportReply = read("reply_first");
    assert_eq!((reply.interval_ms, reply.want_inventory, reply.rotate_credential), (None, false, false));
    assert_eq!(reply.table.bookings.len(), 1);
    let minutes: Minutes = read("minutes_least");
    assert_eq!((minutes.dropped, minutes.minutes[0].cards[0].busy_ms), (0, 0));
}

#[test]
fn words_and_fields_of_a_later_version_cost_nothing_but_themselves() {
    let (mut report, present): (Report, Report) = (read("report_future"), read("report"));
    let card = &mut report.cards[0];
    assert_eq!(card.health, CardHealth::Failing);
    assert_eq!(card.detail.slowed_by, Reading::Value(vec![Slowdown::PowerCap, Slowdown::Other]));
    let process = &mut card.processes.as_mut().expect("listed")[0];
    assert_eq!((process.kind, process.state), (ProcessKind::Compute, ProcessState::Unseen));
    assert_eq!(process.container.as_ref().map(|container| container.runtime), Some(Runtime::Other));
    assert_eq!(process.memory_mib, Reading::missing(Missing::Unknown));
    let inventory = report.inventory.as_ref().expect("there");
    assert_eq!(inventory.machine.platform, Platform::Other);
    assert_eq!(inventory.cards[0].traits.compute_mode, Reading::Value(ComputeMode::Other));
    assert_eq!(inventory.topology.cards[0].nvlinks[3].remote, Remote::Unknown);
    // Whatever has no such word is as it was said.
    assert_eq!(report.cards[1], present.cards[1]);
    assert_eq!((&report.nvml, report.cards[0].facts.clone()), (&present.nvml, present.cards[0].facts.clone()));

    assert_eq!(read::<Report>("report_future_nvml").nvml, NvmlState::Failed);
    assert_eq!(read::<ReportReply>("reply_future"), read::<ReportReply>("reply"));
    assert_eq!(read::<Minutes>("minutes_future"), read::<Minutes>("minutes"));
    assert_eq!(read::<MinutesReply>("minutes_reply_future").refused[0].why, Refusal::Other);
}

#[test]
fn no_vector_is_forgotten() {
    let folder = format!("{}/tests/vectors", env!("CARGO_MANIFEST_DIR"));
    let source = include_str!("vectors.rs");
    for entry in std::fs::read_dir(folder).expect("folder").flatten() {
        let file = entry.file_name().into_string().expect("plain name");
        let name = file.strip_suffix(".json").expect("only vectors are here");
        assert!(source.contains(&format!("\"{name}\"")), "{file} is read by no test");
    }
}
