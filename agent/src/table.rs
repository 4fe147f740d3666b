//! The portal's last word on who may use what, and how old it is.

use std::sync::{Arc, Mutex, PoisonError};

use domain::wire::agent_v1::HostTable;
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

use crate::clock::Stamp;

/// A table and when this host received it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KnownTable {
    /// As the portal sent it.
    pub table: HostTable,
    /// When, by this host's clocks.
    pub received: Stamp,
}

impl KnownTable {
    /// How long ago it was received.
    #[must_use]
    pub fn age(&self, now: &Stamp) -> Duration {
        self.received.age(now)
    }

    /// The present by the portal's clock: when the table was made, and its age on top. A wrong wall clock on this
    /// host then moves no booking.
    #[must_use]
    pub fn portal_now(&self, now: &Stamp) -> OffsetDateTime {
        self.table.made_at.checked_add(self.age(now)).unwrap_or(self.table.made_at)
    }

    /// How far this host's wall clock was ahead of the portal's when the table came.
    #[must_use]
    pub fn clock_ahead(&self) -> Duration {
        self.received.wall - self.table.made_at
    }

    /// Whether a verdict could differ, apart from the age.
    #[must_use]
    pub fn says_the_same(&self, other: &HostTable) -> bool {
        let HostTable { made_at: _, host_name, portal_url, accounts, bookings, waiting, notices: _ } = other;
        let own = &self.table;
        own.host_name == *host_name
            && own.portal_url == *portal_url
            && own.accounts == *accounts
            && own.bookings == *bookings
            && own.waiting == *waiting
    }
}

/// The one table in force, replaced as a whole.
#[derive(Debug, Default)]
pub struct Tables(Mutex<Option<Arc<KnownTable>>>);

impl Tables {
    /// Begins with what was kept on disk.
    #[must_use]
    pub fn new(kept: Option<KnownTable>) -> Self {
        Self(Mutex::new(kept.map(Arc::new)))
    }

    /// The table in force.
    #[must_use]
    pub fn get(&self) -> Option<Arc<KnownTable>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Changes the table in force by what this host knows before the portal sends the next one.
    pub fn patch(&self, change: impl FnOnce(&mut HostTable)) {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = inner.as_ref() {
            let mut known = (**known).clone();
            change(&mut known.table);
            *inner = Some(Arc::new(known));
        }
    }

    /// Puts a newer one in force.
    pub fn put(&self, table: KnownTable) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(table));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    #[test]
    fn the_present_is_the_portals() {
        let table = HostTable {
            made_at: datetime!(2026-11-30 12:00 UTC),
            host_name: "dgx".to_owned(),
            portal_url: String::new(),
            accounts: Vec::new(),
            bookings: Vec::new(),
            waiting: Vec::new(),
            notices: Vec::new(),
        };
        let stamp = |wall, ms| Stamp { wall, boot_id: "b".to_owned(), since_boot_ms: ms };
        let known = KnownTable { table, received: stamp(datetime!(2020-01-01 00:00 UTC), 1_000) };
        let now = stamp(datetime!(2031-01-01 00:00 UTC), 61_000);
        assert_eq!(known.portal_now(&now), datetime!(2026-11-30 12:01 UTC));
        assert!(known.clock_ahead() < Duration::days(-2000));
        let mut later = known.table.clone();
        later.made_at += Duration::seconds(2);
        assert!(known.says_the_same(&later));
        later.host_name.push('x');
        assert!(!known.says_the_same(&later));
    }
}
