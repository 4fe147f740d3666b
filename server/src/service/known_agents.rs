//! Credentials that were right when the database was last asked. While it is away, reports of these hosts are still
//! shown on pages; nothing of them is acknowledged, and no other decision rests on this.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::auth::AgentHost;
use crate::auth::secret::SecretHash;

/// One credential of each host, by its hash.
#[derive(Clone, Default)]
pub struct KnownAgents(Arc<Mutex<HashMap<[u8; 32], AgentHost>>>);

impl KnownAgents {
    fn lock(&self) -> MutexGuard<'_, HashMap<[u8; 32], AgentHost>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The database has said that this credential is this host's.
    pub fn remember(&self, credential: SecretHash, host: &AgentHost) {
        let mut known = self.lock();
        if known.get(&credential.0) != Some(host) {
            known.retain(|_, other| other.id != host.id);
            known.insert(credential.0, host.clone());
        }
    }

    /// The database has said that this credential is nobody's.
    pub fn forget(&self, credential: SecretHash) {
        self.lock().remove(&credential.0);
    }

    /// Whose this credential was.
    #[must_use]
    pub fn recall(&self, credential: SecretHash) -> Option<AgentHost> {
        self.lock().get(&credential.0).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::id::HostId;
    use uuid::Uuid;

    #[test]
    fn one_credential_for_each_host_and_none_that_was_refused() {
        let known = KnownAgents::default();
        let [old, new] = [SecretHash([1; 32]), SecretHash([2; 32])];
        let rig = AgentHost { id: HostId(Uuid::from_u128(1)), name: "rig".to_owned() };
        known.remember(old, &rig);
        known.remember(new, &rig);
        assert_eq!((known.recall(old), known.recall(new)), (None, Some(rig)));
        known.forget(new);
        assert_eq!(known.recall(new), None);
    }
}
