//! An agent's guard within the test: the real socket and the real desk, with knowledge that the test makes up.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use agent::clock::Stamp;
use agent::guard::desk::{Desk, NotLetGo, Reader};
use agent::guard::leases::Leases;
use agent::guard::server::GuardSocket;
use agent::guard::walk_in::{Bookings, NotDone, WalkIns};
use agent::host::boot_id;
use agent::nvml::{Latest, Snapshot};
use agent::roster::Roster;
use agent::table::{KnownTable, Tables};
use domain::guard::HostCard;
use domain::wire::agent_v1::{HostTable, NvmlState};
use domain::wire::host_v1::{HostBooked, HostBooking, HostChange, HostChanged};
use tempfile::TempDir;
use time::OffsetDateTime;

use super::program::{Said, berth, run};
use super::scene::sampled;

/// A reader of cards that do not change.
struct Still {
    roster: Roster,
    snapshot: Snapshot,
}

impl Reader for Still {
    fn latest(&self) -> Latest {
        Latest { snapshot: Arc::new(self.snapshot.clone()), sampled_at: OffsetDateTime::now_utc(), round: 1 }
    }

    fn cards(&self) -> Vec<HostCard> {
        self.roster.cards()
    }

    fn pause(&self, length: Duration) -> Result<OffsetDateTime, NotLetGo> {
        Ok(OffsetDateTime::now_utc() + length)
    }

    fn resume(&self) {}
}

/// A portal that does not answer.
struct NoPortal;

impl Bookings for NoPortal {
    fn book(&self, _: &HostBooking) -> Result<HostBooked, NotDone> {
        Err(NotDone::Away("there is none in this test".to_owned()))
    }

    fn change(&self, _: &HostChange) -> Result<HostChanged, NotDone> {
        Err(NotDone::Away("there is none in this test".to_owned()))
    }
}

/// A host with four cards and a guard.
pub struct Guard {
    pub tables: Arc<Tables>,
    folder: TempDir,
}

impl Guard {
    /// With this table, received now.
    pub fn with(table: HostTable) -> Self {
        let guard = Self::without_table();
        guard.know(table, 0);
        guard
    }

    pub fn without_table() -> Self {
        Self::reading(Snapshot { cards: (0..4).map(sampled).collect(), ..Snapshot::without_cards(NvmlState::Ok) })
    }

    /// With these cards, and without a table.
    pub fn reading(snapshot: Snapshot) -> Self {
        let folder = tempfile::tempdir().expect("folder");
        let tables = Arc::new(Tables::default());
        let roster = Roster::default();
        roster.update(&snapshot.cards);
        let desk = Desk {
            tables: Arc::clone(&tables),
            reader: Box::new(Still { roster, snapshot }),
            boot_id: boot_id(),
            max_age: domain::guard::TABLE_MAX_AGE,
            linker: Box::new(|code, os_user| match code {
                "GOOD-CODE" => Ok(format!("Ada Lovelace ({os_user})")),
                _ => Err("This code is wrong, used or expired.".to_owned()),
            }),
            walk_ins: Arc::new(WalkIns {
                leases: Leases::default(),
                portal: Box::new(NoPortal),
                tables: Arc::clone(&tables),
                boot_id: boot_id(),
                state: None,
            }),
        };
        GuardSocket::open(&folder.path().join("run/agent.sock"))
            .expect("socket")
            .serve(Arc::new(desk))
            .expect("thread");
        Self { tables, folder }
    }

    /// Puts a table in force that came so many seconds ago.
    pub fn know(&self, mut table: HostTable, age_s: u64) {
        let age = Duration::from_secs(age_s);
        // In an earlier boot, as this machine may be up for a minute only.
        let boot_id = if age_s == 0 { boot_id() } else { "an earlier boot".to_owned() };
        let mut received = Stamp::now(&boot_id);
        received.wall -= age;
        table.made_at -= age;
        self.tables.put(KnownTable { table, received });
    }

    pub fn socket(&self) -> PathBuf {
        self.folder.path().join("run/agent.sock")
    }

    pub fn folder(&self) -> PathBuf {
        self.folder.path().to_path_buf()
    }

    pub fn berth(&self, args: &[&str]) -> Command {
        berth(&self.socket(), args)
    }

    pub fn run(&self, args: &[&str]) -> Said {
        run(&mut self.berth(args))
    }
}
