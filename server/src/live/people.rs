//! Whose an account of the operating system is, as the processes on a page need it.

use std::collections::HashMap;

use domain::card::CardProcess;
use domain::id::{HostId, UserId};
use domain::reading::Reading;
use domain::wire::live_v1::ProcessView;

use crate::store::host_table::Mapping;

/// Host (`None` for all) and account name.
type Account = (Option<HostId>, String);
/// Person, display name, and whether the person has proven the account.
type Owner = (UserId, String, bool);

/// Every mapping, by host and account.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct People {
    by_account: HashMap<Account, Vec<Owner>>,
}

impl People {
    pub(super) fn new(mappings: Vec<Mapping>) -> Self {
        let mut by_account: HashMap<Account, Vec<Owner>> = HashMap::new();
        for Mapping { host, os_user, person, name, proven } in mappings {
            by_account.entry((host, os_user)).or_default().push((person, name, proven));
        }
        Self { by_account }
    }

    fn owners(&self, host: HostId, os_user: &str) -> Vec<Owner> {
        let mut owners: Vec<Owner> = [Some(host), None]
            .into_iter()
            .filter_map(|scope| self.by_account.get(&(scope, os_user.to_owned())))
            .flatten()
            .cloned()
            .collect();
        // Of two mappings of one person the proven one counts.
        owners.sort_by(|a, b| a.1.cmp(&b.1).then(a.0.cmp(&b.0)).then(b.2.cmp(&a.2)));
        owners.dedup_by_key(|owner| owner.0);
        owners
    }

    /// A process with its people.
    pub(super) fn view(&self, host: HostId, process: &CardProcess) -> ProcessView {
        let CardProcess { pid, kind, memory_mib, os_user, command, state, started_at, utilisation_percent, container } =
            process;
        let owners = os_user.as_deref().map(|user| self.owners(host, user)).unwrap_or_default();
        ProcessView {
            pid: *pid,
            kind: *kind,
            memory_mib: *memory_mib,
            os_user: os_user.clone(),
            command: command.clone(),
            state: *state,
            started_at: *started_at,
            utilisation_percent: *utilisation_percent,
            container: container.clone(),
            people: owners.iter().map(|owner| owner.0).collect(),
            person: match owners.as_slice() {
                [(_, name, _)] => Some(name.clone()),
                _ => None,
            },
            proven: matches!(owners.as_slice(), [(_, _, true)]),
        }
    }

    /// Processes of a card, most memory first.
    pub(super) fn views(&self, host: HostId, processes: &[CardProcess]) -> Vec<ProcessView> {
        let mut views: Vec<ProcessView> = processes.iter().map(|process| self.view(host, process)).collect();
        let memory = |view: &ProcessView| match view.memory_mib {
            Reading::Value(mib) => mib,
            Reading::Missing { .. } => 0,
        };
        views.sort_by(|a, b| memory(b).cmp(&memory(a)).then(a.pid.cmp(&b.pid)));
        views
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::card::ProcessKind;
    use uuid::Uuid;

    fn process(pid: u32, os_user: Option<&str>, memory: u64) -> CardProcess {
        CardProcess {
            memory_mib: Reading::Value(memory),
            os_user: os_user.map(str::to_owned),
            ..CardProcess::new(pid, ProcessKind::Compute)
        }
    }

    #[test]
    fn one_owner_is_named_and_a_shared_account_is_nobodys_alone() {
        let (host, other) = (HostId(Uuid::from_u128(1)), HostId(Uuid::from_u128(2)));
        let (ada, bob) = (UserId(Uuid::from_u128(3)), UserId(Uuid::from_u128(4)));
        let mapping = |host, os_user: &str, person, name: &str| Mapping {
            host,
            os_user: os_user.to_owned(),
            person,
            name: name.to_owned(),
            proven: host.is_none(),
        };
        let people = People::new(vec![
            mapping(Some(host), "ada", ada, "Ada"),
            mapping(None, "ada", ada, "Ada"),
            mapping(Some(host), "lab", ada, "Ada"),
            mapping(None, "lab", bob, "Bob"),
            mapping(Some(other), "zoe", bob, "Bob"),
        ]);
        let processes = [process(7, Some("ada"), 10), process(8, Some("lab"), 30), process(9, Some("zoe"), 20)];
        let views = people.views(host, &processes);
        assert_eq!(views.iter().map(|view| view.pid).collect::<Vec<_>>(), [8, 9, 7]);
        assert_eq!((views[0].people.as_slice(), views[0].person.as_deref()), ([ada, bob].as_slice(), None));
        assert_eq!((views[1].people.as_slice(), views[1].person.as_deref()), ([].as_slice(), None));
        assert_eq!((views[2].people.as_slice(), views[2].person.as_deref()), ([ada].as_slice(), Some("Ada")));
        assert!(views[2].proven, "of two mappings of one person the proven one counts");
        assert!(!views[0].proven);
    }
}
