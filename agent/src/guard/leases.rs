//! Who has been let on which cards and runs still. A lease is taken before the answer is given, under one lock with the
//! verdict: of two launches at once, the second one knows of the first.

use std::sync::{Mutex, MutexGuard, PoisonError};

use domain::guard::CardUser;
use domain::id::{CardUuid, ReservationId};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::process::{Process, Processes};

/// A job that was let on cards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    /// The process that asked, which becomes the command.
    pub process: Process,
    /// Its account.
    pub os_user: String,
    /// Its cards.
    pub cards: Vec<CardUuid>,
    /// The booking that gives the right.
    pub reservation: ReservationId,
    /// Since when.
    #[serde(with = "time::serde::rfc3339")]
    pub since: OffsetDateTime,
}

/// All leases of the host.
#[derive(Debug, Default)]
pub struct Leases {
    held: Mutex<Vec<Lease>>,
    processes: Processes,
}

/// The leases, while nobody else may take one.
#[derive(Debug)]
pub struct Held<'a> {
    held: MutexGuard<'a, Vec<Lease>>,
    processes: &'a Processes,
}

impl Leases {
    /// Those of processes that run, while nobody else may take one.
    #[must_use]
    pub fn lock(&self) -> Held<'_> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.retain(|lease| self.processes.is_alive(&lease.process));
        Held { held, processes: &self.processes }
    }
}

impl Held<'_> {
    /// Who is on cards by them.
    #[must_use]
    pub fn users(&self) -> Vec<CardUser> {
        let user = |lease: &Lease, card: &CardUuid| CardUser {
            card: card.clone(),
            pid: lease.process.pid,
            os_user: lease.os_user.clone(),
            since: Some(lease.since),
            let_on: true,
        };
        self.held.iter().flat_map(|lease| lease.cards.iter().map(move |card| user(lease, card))).collect()
    }

    /// Every lease.
    #[must_use]
    pub fn all(&self) -> &[Lease] {
        &self.held
    }

    /// Notes that a process has been let on cards. One that asks again, as a run within a run does, has what it was given
    /// last. A process that is gone already is not noted.
    pub fn take(&mut self, pid: u32, os_user: &str, cards: Vec<CardUuid>, reservation: ReservationId) {
        let Some(process) = self.processes.find(pid) else { return };
        self.held.retain(|lease| lease.process != process);
        let since = OffsetDateTime::now_utc();
        self.held.push(Lease { process, os_user: os_user.to_owned(), cards, reservation, since });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn card(n: u32) -> CardUuid {
        CardUuid::parse(&format!("GPU-{n}")).expect("valid")
    }

    #[test]
    fn a_lease_lasts_as_long_as_its_process() {
        let leases = Leases::default();
        let booking = ReservationId(Uuid::from_u128(1));
        let mut child = std::process::Command::new("sleep").arg("60").spawn().expect("sleep");
        leases.lock().take(child.id(), "ada", vec![card(0), card(1)], booking);
        leases.lock().take(std::process::id(), "jonas", vec![card(2)], booking);
        leases.lock().take(u32::MAX, "eve", vec![card(3)], booking);
        let on = |leases: &Leases| leases.lock().users().into_iter().map(|user| user.card).collect::<Vec<_>>();
        assert_eq!(on(&leases), [card(0), card(1), card(2)]);
        // A run within a run.
        leases.lock().take(std::process::id(), "jonas", vec![card(3)], booking);
        assert_eq!(on(&leases), [card(0), card(1), card(3)]);
        child.kill().expect("alive");
        child.wait().expect("ended");
        assert_eq!(on(&leases), [card(3)]);
    }
}
