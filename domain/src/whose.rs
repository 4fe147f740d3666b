//! Whose a process is, how sure that is, and why. Nobody is accused by a guess: a page shows the certainty beside the name.

use crate::card::{ProcessState, Runtime};
use crate::wire::live_v1::{BookingBrief, ProcessView};

/// How far a name can be relied on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sure {
    /// The account is this person's.
    Verified,
    /// It is likely, and no more: an account in a container, or the booking alone, says so.
    Inferred,
    /// It is one of several people.
    Ambiguous,
    /// Nobody can say.
    Unknown,
}

/// What the answer rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The person has proven the account with `berth link`.
    Linked,
    /// An administrator has matched the account to the person.
    Matched,
    /// It runs in a container whose account belongs to nobody, on a card that one person has booked now.
    ContainerOnBookedCard,
    /// It runs in a container under an account of this person; a container's accounts need not be the host's.
    ContainerAccount,
    /// Several people share the account.
    SharedAccount,
    /// A service of the machine.
    Service,
    /// The account belongs to nobody in the portal.
    UnknownAccount,
    /// It has ended, and its memory was not given back.
    Ended,
    /// The agent cannot see the host's processes.
    Unseen,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Whose {
    /// Display name, where it is one person.
    pub name: Option<String>,
    /// How sure.
    pub sure: Sure,
    /// Why.
    pub why: Why,
}

/// Judges a process on a card that `holder` has booked now.
///
/// An account that is matched to somebody decides, booked or not. In a container it only suggests: its accounts need not be
/// the host's, and root there is whoever may start containers; then the booking is asked.
#[must_use]
pub fn whose(process: &ProcessView, holder: Option<&BookingBrief>) -> Whose {
    let unknown = |why| Whose { name: None, sure: Sure::Unknown, why };
    let people = if process.account_tells() || !process.is_root() { process.people.as_slice() } else { &[] };
    match people {
        [_] if !process.account_tells() => {
            return Whose { name: process.person.clone(), sure: Sure::Inferred, why: Why::ContainerAccount };
        }
        [_] => {
            let why = if process.proven { Why::Linked } else { Why::Matched };
            return Whose { name: process.person.clone(), sure: Sure::Verified, why };
        }
        [] => {}
        several => {
            // Of those who share it, the one who has booked the card.
            let booked = holder.filter(|booking| several.contains(&booking.owner));
            return Whose {
                name: booked.map(|booking| booking.holder.clone()),
                sure: Sure::Ambiguous,
                why: Why::SharedAccount,
            };
        }
    }
    match (process.state, &process.container, holder) {
        (ProcessState::Orphan, ..) => unknown(Why::Ended),
        (ProcessState::Unseen, ..) => unknown(Why::Unseen),
        (ProcessState::Running, Some(container), Some(booking)) if container.runtime.holds_others_work() => {
            Whose { name: Some(booking.holder.clone()), sure: Sure::Inferred, why: Why::ContainerOnBookedCard }
        }
        (ProcessState::Running, container, _) => {
            let is_unit = container.as_ref().is_some_and(|container| container.runtime == Runtime::SystemdUnit);
            let service = is_unit && process.is_root();
            unknown(if service { Why::Service } else { Why::UnknownAccount })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::card::{Container, ProcessKind};
    use crate::id::{ReservationId, UserId};
    use crate::reading::Reading;
    use crate::window::Window;
    use time::macros::datetime;
    use uuid::Uuid;

    fn person(n: u128) -> UserId {
        UserId(Uuid::from_u128(n))
    }

    fn process(people: &[u128]) -> ProcessView {
        ProcessView {
            pid: 4711,
            kind: ProcessKind::Compute,
            memory_mib: Reading::default(),
            os_user: Some("root".to_owned()),
            command: None,
            state: ProcessState::Running,
            started_at: None,
            utilisation_percent: Reading::default(),
            container: None,
            people: people.iter().copied().map(person).collect(),
            person: (people.len() == 1).then(|| "Ada Lovelace".to_owned()),
            proven: false,
        }
    }

    fn booked() -> BookingBrief {
        BookingBrief {
            id: ReservationId(Uuid::nil()),
            owner: person(2),
            holder: "Grace Hopper".to_owned(),
            hue: 50,
            window: Window::new(datetime!(2026-11-30 10:00 UTC), datetime!(2026-11-30 12:00 UTC)).expect("not empty"),
            co_users: Vec::new(),
            waits: false,
        }
    }

    fn in_a(runtime: Runtime) -> ProcessView {
        let container = Some(Container { runtime, id: "0123456789ab".to_owned() });
        ProcessView { container, ..process(&[]) }
    }

    #[test]
    fn an_account_decides_booked_or_not() {
        let mut one = process(&[1]);
        for holder in [None, Some(&booked())] {
            let found = whose(&one, holder);
            assert_eq!(
                (found.name.as_deref(), found.sure, found.why),
                (Some("Ada Lovelace"), Sure::Verified, Why::Matched)
            );
        }
        one.proven = true;
        assert_eq!(whose(&one, None).why, Why::Linked);
        // Also in a container, and when it has ended.
        one.state = ProcessState::Orphan;
        assert_eq!(whose(&one, Some(&booked())).name.as_deref(), Some("Ada Lovelace"));
    }

    #[test]
    fn a_shared_account_is_nobodys_for_certain() {
        let shared = whose(&process(&[1, 3]), Some(&booked()));
        assert_eq!((shared.name, shared.sure), (None, Sure::Ambiguous));
        let shared = whose(&process(&[1, 2]), Some(&booked()));
        assert_eq!((shared.name.as_deref(), shared.sure), (Some("Grace Hopper"), Sure::Ambiguous));
    }

    #[test]
    fn a_container_is_taken_for_the_holders_and_for_nobodys_on_a_free_card() {
        let found = whose(&in_a(Runtime::Docker), Some(&booked()));
        assert_eq!(
            (found.name.as_deref(), found.sure, found.why),
            (Some("Grace Hopper"), Sure::Inferred, Why::ContainerOnBookedCard)
        );
        assert_eq!(whose(&in_a(Runtime::Docker), None).why, Why::UnknownAccount);
    }

    #[test]
    fn an_account_in_a_container_proves_nothing() {
        let mut inside =
            ProcessView { people: vec![person(1)], person: Some("Ada Lovelace".to_owned()), ..in_a(Runtime::Docker) };
        inside.proven = true;
        // Root in a container is whoever may start containers, whosever the host's root is.
        assert_eq!(whose(&inside, Some(&booked())).why, Why::ContainerOnBookedCard);
        assert_eq!(whose(&inside, None).why, Why::UnknownAccount);
        inside.os_user = Some("ada".to_owned());
        let found = whose(&inside, Some(&booked()));
        assert_eq!(
            (found.name.as_deref(), found.sure, found.why),
            (Some("Ada Lovelace"), Sure::Inferred, Why::ContainerAccount)
        );
        inside.container = Some(Container { runtime: Runtime::Slurm, id: "42".to_owned() });
        assert_eq!(whose(&inside, None).sure, Sure::Verified, "Slurm starts jobs in the name of their owners");
    }

    #[test]
    fn services_orphans_and_the_unseen_are_called_so() {
        assert_eq!(
            whose(&process(&[]), Some(&booked())).why,
            Why::UnknownAccount,
            "an administrator's job is no service"
        );
        assert_eq!(whose(&in_a(Runtime::SystemdUnit), Some(&booked())).why, Why::Service);
        let somebody = ProcessView { os_user: Some("tom".to_owned()), ..process(&[]) };
        assert_eq!(whose(&somebody, Some(&booked())).why, Why::UnknownAccount);
        for (state, why) in [(ProcessState::Orphan, Why::Ended), (ProcessState::Unseen, Why::Unseen)] {
            let gone = ProcessView { state, ..in_a(Runtime::Docker) };
            assert_eq!(whose(&gone, Some(&booked())), Whose { name: None, sure: Sure::Unknown, why });
        }
    }
}
