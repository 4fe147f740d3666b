//! Whether somebody is on a card who has no booking for it.

use crate::card::{ProcessKind, ProcessState};
use crate::id::UserId;
use crate::wire::live_v1::{CardTruth, ProcessView};

/// Whether others than the person who asks use a card without a booking. `holders` may launch on it now. What nobody can
/// name is taken for a holder's where there is one, as the live page takes it; the asker's own jobs are in nobody's way.
#[must_use]
pub fn used_by_others(truth: &CardTruth, holders: &[UserId], asker: UserId) -> bool {
    // A display server on a card is no job.
    let mut jobs = truth.processes.iter().flatten().filter(|process| process.kind != ProcessKind::Graphics).peekable();
    if jobs.peek().is_none() {
        return holders.is_empty() && truth.hidden_memory_mib().is_some();
    }
    let stranger = |process: &ProcessView| {
        let known = process.account_tells() && !process.people.is_empty();
        if !known {
            return holders.is_empty();
        }
        let own = process.people.contains(&asker) && process.state == ProcessState::Running;
        !own && !process.people.iter().any(|person| holders.contains(person))
    };
    jobs.any(stranger)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::card::{CardHealth, CardSample, Container, Runtime};
    use crate::reading::Reading;
    use uuid::Uuid;

    fn person(n: u128) -> UserId {
        UserId(Uuid::from_u128(n))
    }

    fn process(people: &[u128]) -> ProcessView {
        ProcessView {
            pid: 1,
            kind: ProcessKind::Compute,
            memory_mib: Reading::default(),
            os_user: Some("x".to_owned()),
            command: None,
            state: ProcessState::Running,
            started_at: None,
            utilisation_percent: Reading::default(),
            container: None,
            people: people.iter().copied().map(person).collect(),
            person: None,
            proven: false,
        }
    }

    fn used(processes: Vec<ProcessView>, holders: &[u128]) -> bool {
        let truth = CardTruth {
            sample: CardSample::default(),
            health: CardHealth::Ok,
            processes: Some(processes),
            memory_is_unified: false,
        };
        used_by_others(&truth, &holders.iter().copied().map(person).collect::<Vec<_>>(), person(1))
    }

    #[test]
    fn only_others_without_a_booking_count() {
        assert!(!used(Vec::new(), &[]));
        assert!(!used(vec![process(&[1])], &[]), "one's own job");
        assert!(used(vec![process(&[2])], &[]));
        assert!(!used(vec![process(&[2])], &[2]), "the holder's");
        assert!(used(vec![process(&[3]), process(&[2])], &[2]));
        assert!(used(vec![process(&[])], &[]), "nobody knows whose");
        assert!(!used(vec![process(&[])], &[2]), "probably the holder's");
        let graphics = ProcessView { kind: ProcessKind::Graphics, ..process(&[]) };
        assert!(!used(vec![graphics], &[]));
    }

    #[test]
    fn what_is_left_of_a_job_is_in_the_way_whosever_it_was() {
        let left = ProcessView { state: ProcessState::Orphan, ..process(&[1]) };
        assert!(used(vec![left], &[]));
    }

    #[test]
    fn an_account_in_a_container_names_nobody() {
        let container = Some(Container { runtime: Runtime::Docker, id: "0123".to_owned() });
        let inside = ProcessView { container, ..process(&[1]) };
        assert!(used(vec![inside.clone()], &[]));
        assert!(!used(vec![inside], &[2]));
    }

    #[test]
    fn memory_that_nobody_shows_means_somebody() {
        let sample = CardSample { memory_used_mib: Reading::Value(9000), ..CardSample::default() };
        let truth = CardTruth { sample, health: CardHealth::Ok, processes: None, memory_is_unified: false };
        assert!(used_by_others(&truth, &[], person(1)));
        assert!(!used_by_others(&truth, &[person(2)], person(1)));
    }
}
