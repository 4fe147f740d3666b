//! Who is on a card without a right to it, by what the agent has seen last.

use time::OffsetDateTime;

use super::Scene;
use crate::card::{ProcessKind, ProcessState};
use crate::id::{CardUuid, UserId};
use crate::wire::agent_v1::CardReport;
use crate::wire::guard_v1::CardName;
use crate::wire::launch_v1::Used;

/// A job on a card: a process that was seen there, or one that has just been let on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardUser {
    /// Which card.
    pub card: CardUuid,
    /// Process id.
    pub pid: u32,
    /// Account.
    pub os_user: String,
    /// Since when, where known.
    pub since: Option<OffsetDateTime>,
    /// It was let on the card by the guard, and counts although it may not be seen there yet.
    pub let_on: bool,
}

impl CardUser {
    /// The jobs of a sample. What nobody can name is left out: processes that the agent cannot see, those that have ended
    /// and left memory behind, and those in containers, whose accounts need not be the host's.
    #[must_use]
    pub fn all(sample: &[CardReport]) -> Vec<Self> {
        let on = |report: &CardReport| {
            let card = report.facts.uuid.clone();
            let jobs = report.processes.iter().flatten().filter(|process| {
                let in_container = process.container.as_ref().is_some_and(|made| made.runtime.holds_others_work());
                process.kind != ProcessKind::Graphics && process.state == ProcessState::Running && !in_container
            });
            let user = move |process: &crate::card::CardProcess| {
                let os_user = process.os_user.clone()?;
                let (card, pid, since) = (card.clone(), process.pid, process.started_at);
                Some(Self { card, pid, os_user, since, let_on: false })
            };
            jobs.filter_map(user).collect::<Vec<_>>()
        };
        sample.iter().flat_map(on).collect()
    }
}

impl Scene<'_> {
    /// Who is on a card beside the caller and beside those who hold it now, each account once. Root is nobody's: what
    /// watches over the machine runs as root.
    pub(super) fn strangers(&self, card: &CardName) -> Vec<Used> {
        let mut holders: Vec<UserId> = self.people();
        for booking in self.bookings().filter(|b| b.window.contains(self.now) && b.cards.contains(&card.uuid)) {
            holders.push(booking.person);
            holders.extend(&booking.co_users);
        }
        let mut strangers: Vec<Used> = Vec::new();
        for user in self.users.iter().filter(|user| user.card == card.uuid) {
            let accounts = || self.table.into_iter().flat_map(|table| &table.accounts);
            let people: Vec<_> = accounts().filter(|account| account.os_user == user.os_user).collect();
            let has_right = people.iter().any(|account| holders.contains(&account.person));
            let known = strangers.iter().any(|known| known.os_user == user.os_user);
            if user.os_user == self.os_user || user.os_user == "root" || has_right || known {
                continue;
            }
            let person = if let [one] = people.as_slice() { Some(one.name.clone()) } else { None };
            let (os_user, pid, since) = (user.os_user.clone(), user.pid, user.since);
            strangers.push(Used { card: card.clone(), os_user, person, pid, since });
        }
        strangers
    }

    /// How many jobs of the caller's own were let on a card and run still.
    pub(super) fn own_jobs(&self, card: &CardName) -> usize {
        let own = |user: &&CardUser| user.let_on && user.os_user == self.os_user && user.card == card.uuid;
        self.users.iter().filter(own).count()
    }
}
