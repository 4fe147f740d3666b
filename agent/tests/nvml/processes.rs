//! Who is on the cards.

use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use domain::card::{ProcessKind, ProcessState};
use domain::reading::{Missing, Reading};

use crate::support::{SimHost, profile};
use crate::{first, start, until};

/// Ends its process however the test ends.
struct Job(Child);

impl Drop for Job {
    fn drop(&mut self) {
        // A test that has ended it already finds nothing to do.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_real_job_with_its_owner_and_without_its_secrets() {
    let host = SimHost::with_profile(&profile("rig-3090").replace("\"rig-3090\"", "\"agent-test-real-job\""));
    let sampler = start(&host);
    let cards = until(&sampler, "four cards", |snapshot| snapshot.cards.len() == 4).snapshot.cards.clone();
    let job = Command::new("sh")
        .arg0("train.py")
        .args(["-c", "read line", "--token=hunter2", "--epochs", "3"])
        // A shell that waits for a line has no child that could outlive it.
        .stdin(Stdio::piped())
        .env("BERTH_SIM_HOST", "agent-test-real-job")
        .env("CUDA_VISIBLE_DEVICES", cards[2].facts.uuid.as_str())
        .spawn()
        .expect("sh");
    let job = Job(job);
    let on_card = |card: &domain::wire::agent_v1::CardReport| {
        card.processes.iter().flatten().find(|process| process.pid == job.0.id()).cloned()
    };
    let busy = until(&sampler, "the job", |snapshot| on_card(&snapshot.cards[2]).is_some()).snapshot;
    let process = on_card(&busy.cards[2]).expect("the job");
    assert_eq!(process.kind, ProcessKind::Compute);
    assert!(process.memory_mib.get().is_some_and(|mib| mib > 0));
    let own = nix::unistd::User::from_uid(nix::unistd::Uid::effective()).ok().flatten().expect("an account");
    assert_eq!(process.os_user, Some(own.name));
    let command = process.command.expect("a command");
    assert!(command.starts_with("train.py -c read line") && command.contains("--epochs 3"), "{command}");
    assert!(!command.contains("hunter2"), "{command}");
    assert!(on_card(&busy.cards[0]).is_none());
}

#[test]
fn a_process_that_has_ended_keeps_its_id_without_an_owner() {
    let host = SimHost::new("rig-3090");
    let mut gone = Command::new("true").spawn().expect("true");
    gone.wait().expect("wait");
    host.control(&format!("[[process]]\ncard = 0\npid = {}\nmemory_mib = 700\n", gone.id()));
    let processes = first(&host)[0].processes.clone().expect("a list");
    assert_eq!(processes[0].pid, gone.id());
    assert_eq!(processes[0].memory_mib, Reading::Value(700));
    assert_eq!((&processes[0].os_user, &processes[0].command), (&None, &None));
}

#[test]
fn memory_that_a_dead_process_has_left_behind_is_an_orphans_and_stays_on_the_card() {
    let host = SimHost::new("rig-3090");
    let mut gone = Command::new("true").spawn().expect("true");
    gone.wait().expect("wait");
    host.control(&format!("[[process]]\ncard = 0\npid = {}\nmemory_mib = 10151\n", gone.id()));
    let orphan = |snapshot: &agent::nvml::Snapshot| {
        let process = snapshot.cards[0].processes.iter().flatten().next();
        process.is_some_and(|process| process.state == ProcessState::Orphan)
    };
    let cards = &until(&start(&host), "an orphan", orphan).snapshot.cards;
    let process = &cards[0].processes.as_ref().expect("a list")[0];
    assert_eq!((process.pid, process.memory_mib), (gone.id(), Reading::Value(10_151)));
    assert!(cards[0].sample.memory_used_mib.get().is_some_and(|used| used >= 10_151));
}

#[test]
fn a_job_tells_when_it_began_and_how_much_it_does() {
    let host = SimHost::new("rig-3090");
    host.control(&format!("[[process]]\ncard = 0\npid = {}\nmemory_mib = 700\n", std::process::id()));
    let busy = |snapshot: &agent::nvml::Snapshot| {
        let process = snapshot.cards[0].processes.iter().flatten().next();
        process.is_some_and(|process| process.utilisation_percent.get().is_some_and(|share| share > 0))
    };
    let cards = &until(&start(&host), "a busy process", busy).snapshot.cards;
    let process = &cards[0].processes.as_ref().expect("a list")[0];
    assert_eq!(process.state, ProcessState::Running);
    let age = time::OffsetDateTime::now_utc() - process.started_at.expect("a start");
    assert!(age >= time::Duration::seconds(-1) && age < time::Duration::hours(12), "{age}");
}

#[test]
fn no_samples_on_an_idle_card_is_no_error() {
    let host = SimHost::new("rig-3090");
    host.control(&format!(
        "[[set]]\ngpu_percent = 0\n[[process]]\ncard = 0\npid = {}\nmemory_mib = 700\n\
         [[fault]]\ncall = \"nvmlDeviceGetProcessUtilization\"\ncode = 6\n",
        std::process::id()
    ));
    let process = first(&host)[0].processes.as_ref().expect("a list")[0].clone();
    assert_eq!(process.utilisation_percent, Reading::Value(0));
}

#[test]
fn a_client_of_mps_is_one() {
    let host = SimHost::new("dgx-h100");
    host.control("[[process]]\ncard = 0\npid = 1\nmemory_mib = 10\nkind = \"mps\"\n");
    assert_eq!(first(&host)[0].processes.as_ref().expect("a list")[0].kind, ProcessKind::Mps);
}

#[test]
fn a_list_that_has_grown_a_little_is_read_all_the_same() {
    let host = SimHost::new("rig-3090");
    host.control("[[grow]]\ncard = 0\nby = 6\ntimes = 2\n[[process]]\ncard = 0\npid = 1\n");
    let read = |snapshot: &agent::nvml::Snapshot| snapshot.cards[0].processes.is_some();
    until(&start(&host), "a list", read);
}

#[test]
fn a_command_that_is_no_text_and_a_very_long_one_are_shown_as_far_as_they_can_be() {
    use std::os::unix::ffi::OsStrExt;
    let host = SimHost::new("rig-3090");
    let name = std::ffi::OsStr::from_bytes(b"\xe9\x1b[31mtrain");
    let long = "x".repeat(100 * 1024);
    let job = Command::new("sh").arg0(name).args(["-c", "read line", &long, &long]).stdin(Stdio::piped()).spawn();
    let job = Job(job.expect("sh"));
    host.control(&format!("[[process]]\ncard = 0\npid = {}\nmemory_mib = 1\n", job.0.id()));
    let seen = |snapshot: &agent::nvml::Snapshot| {
        let process = snapshot.cards[0].processes.iter().flatten().next();
        process.and_then(|process| process.command.clone())
    };
    let snapshot = until(&start(&host), "a command", |snapshot| seen(snapshot).is_some()).snapshot;
    let command = seen(&snapshot).expect("a command");
    assert!(command.starts_with("\u{fffd}?[31mtrain -c read line") && command.ends_with('…'), "{command}");
    assert!(command.len() <= 256 && !command.contains('\u{1b}'));
}

#[test]
fn memory_that_the_driver_does_not_know_is_unknown() {
    let host = SimHost::new("rig-3090");
    host.control("[[process]]\ncard = 0\npid = 1\n");
    let processes = first(&host)[0].processes.clone().expect("a list");
    assert_eq!(processes[0].memory_mib, Reading::missing(Missing::Unknown));
}

#[test]
fn one_process_on_two_lists_is_told_once() {
    let host = SimHost::new("rig-3090");
    host.control("[[process]]\ncard = 0\npid = 1\nmemory_mib = 10\nkind = \"both\"\n");
    let processes = first(&host)[0].processes.clone().expect("a list");
    assert_eq!(processes.len(), 1);
    assert_eq!(processes[0].kind, ProcessKind::ComputeAndGraphics);
    assert_eq!(processes[0].os_user.as_deref(), Some("root"));
}

#[test]
fn impossible_ids_make_a_list_unknown_and_not_empty() {
    let host = SimHost::new("rig-3090");
    for pid in [0, u32::MAX] {
        host.control(&format!(
            "[[process]]\ncard = 1\npid = 1184\nmemory_mib = 1\n[[process]]\ncard = 1\npid = {pid}\nmemory_mib = 1\n"
        ));
        let cards = first(&host);
        assert_eq!(cards[1].processes, None);
        assert_eq!(cards[0].processes, Some(Vec::new()));
    }
}

#[test]
fn a_list_that_cannot_be_read_is_unknown_and_not_empty() {
    let host = SimHost::new("rig-3090");
    for code in [3, 4, 28, 999] {
        host.control(&format!("[[fault]]\ncall = \"nvmlDeviceGetComputeRunningProcesses_v3\"\ncode = {code}\n"));
        assert_eq!(first(&host)[0].processes, None, "{code}");
    }
}

#[test]
fn a_list_that_grows_faster_than_it_is_read_is_unknown() {
    let host = SimHost::new("rig-3090");
    host.control("growing = [0]\n[[process]]\ncard = 0\npid = 1\n[[process]]\ncard = 1\npid = 1\n");
    let cards = first(&host);
    assert_eq!(cards[0].processes, None);
    assert_eq!(cards[1].processes.as_ref().map(Vec::len), Some(1));
}

#[test]
fn lists_of_drivers_that_break_them_are_not_even_asked_for() {
    let host = SimHost::with_profile(&profile("rig-3090").replace("595.58.03", "535.54.03"));
    host.control("[[process]]\ncard = 0\npid = 1\nmemory_mib = 10\n");
    let cards = first(&host);
    assert_eq!(cards.len(), 4);
    assert!(cards.iter().all(|card| card.processes.is_none()));
}
