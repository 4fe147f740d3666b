//! Who has been let on which cards and runs still. A lease is taken before the answer is given, under one lock with the
//! verdict: of two launches at once, the second one knows of the first.
//!
//! Where a job came without a booking, its lease owns the booking that was made for it: when its process is gone, however
//! that came about, the booking is to be ended.

use std::sync::{Mutex, MutexGuard, PoisonError};

use domain::guard::CardUser;
use domain::id::{CardUuid, ReservationId};
use domain::wire::host_v1::Which;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use uuid::Uuid;

use super::process::{Process, Processes};

/// A job that was let on cards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    /// The process that asked, which becomes the command.
    pub process: Process,
    /// Its account.
    pub os_user: String,
    /// Its cards; none while they are being booked.
    pub cards: Vec<CardUuid>,
    /// The booking that gives the right; `None` while it is being made.
    pub reservation: Option<ReservationId>,
    /// Since when.
    #[serde(with = "time::serde::rfc3339")]
    pub since: OffsetDateTime,
    /// Of a job that came without a booking: the one that was made for it.
    #[serde(default)]
    pub walk_in: Option<WalkIn>,
}

/// A booking that was made for one job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WalkIn {
    /// The key that it was asked for with.
    pub key: Uuid,
    /// Its end by now, by the portal's clock; `None` while it is being made.
    #[serde(default, with = "time::serde::rfc3339::option")]
    pub until: Option<OffsetDateTime>,
}

/// A booking whose job is gone, and that the portal has not ended yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ending {
    /// Whose.
    pub os_user: String,
    /// Which.
    pub booking: Which,
}

/// What must survive a restart.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// The kernel's id of the boot in which these processes run.
    pub boot_id: String,
    /// Leases that own a booking.
    pub walk_ins: Vec<Lease>,
    /// Bookings to be ended.
    pub endings: Vec<Ending>,
}

#[derive(Debug, Default)]
struct Book {
    held: Vec<Lease>,
    endings: Vec<Ending>,
}

/// All leases of the host.
#[derive(Debug, Default)]
pub struct Leases {
    book: Mutex<Book>,
    processes: Processes,
}

/// The leases, while nobody else may take one.
#[derive(Debug)]
pub struct Held<'a> {
    book: MutexGuard<'a, Book>,
    processes: &'a Processes,
}

impl Leases {
    /// Goes on with what was kept. After a restart of the machine no process of it is left.
    #[must_use]
    pub fn resume(kept: Kept, boot_id: &str) -> Self {
        let Kept { boot_id: then, mut walk_ins, endings } = kept;
        let mut book = Book { held: Vec::new(), endings };
        if then != boot_id {
            book.endings.extend(walk_ins.drain(..).filter_map(|lease| ending(&lease)));
        }
        book.held = walk_ins;
        Self { book: Mutex::new(book), processes: Processes::default() }
    }

    /// Those of processes that run, while nobody else may take one.
    #[must_use]
    pub fn lock(&self) -> Held<'_> {
        let mut book = self.book.lock().unwrap_or_else(PoisonError::into_inner);
        let gone: Vec<Lease> = book.held.extract_if(.., |lease| !self.processes.is_alive(&lease.process)).collect();
        book.endings.extend(gone.iter().filter_map(ending));
        Held { book, processes: &self.processes }
    }
}

fn ending(lease: &Lease) -> Option<Ending> {
    let key = lease.walk_in.as_ref()?.key;
    let booking = lease.reservation.map_or(Which::Key(key), Which::Id);
    Some(Ending { os_user: lease.os_user.clone(), booking })
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
        self.book.held.iter().flat_map(|lease| lease.cards.iter().map(move |card| user(lease, card))).collect()
    }

    /// Bookings that were made for one job each.
    #[must_use]
    pub fn kept_bookings(&self) -> Vec<ReservationId> {
        self.walk_ins().filter_map(|lease| lease.reservation).collect()
    }

    /// Leases that own a booking.
    pub fn walk_ins(&self) -> impl Iterator<Item = &Lease> {
        self.book.held.iter().filter(|lease| lease.walk_in.is_some())
    }

    /// Bookings to be ended.
    #[must_use]
    pub fn endings(&self) -> &[Ending] {
        &self.book.endings
    }

    /// What must survive a restart.
    #[must_use]
    pub fn to_keep(&self, boot_id: &str) -> Kept {
        let (walk_ins, endings) = (self.walk_ins().cloned().collect(), self.book.endings.clone());
        Kept { boot_id: boot_id.to_owned(), walk_ins, endings }
    }

    /// Notes that a process has been let on cards. One that asks again, as a run within a run does, has what it was given
    /// last, and keeps the booking that was made for it. A process that is gone already is not noted.
    pub fn take(&mut self, pid: u32, os_user: &str, cards: Vec<CardUuid>, reservation: ReservationId) {
        let Some(process) = self.processes.find(pid) else { return };
        if let Some(own) = self.book.held.iter_mut().find(|lease| lease.process == process) {
            own.cards = cards;
            return;
        }
        let (since, reservation) = (OffsetDateTime::now_utc(), Some(reservation));
        self.book.held.push(Lease { process, os_user: os_user.to_owned(), cards, reservation, since, walk_in: None });
    }

    /// Begins a lease whose booking is about to be made with this key; `None` where the process is gone.
    pub fn begin(&mut self, pid: u32, os_user: &str, key: Uuid) -> Option<Process> {
        let process = self.processes.find(pid)?;
        self.book.held.retain(|lease| lease.process != process);
        self.book.held.push(Lease {
            process,
            os_user: os_user.to_owned(),
            cards: Vec::new(),
            reservation: None,
            since: OffsetDateTime::now_utc(),
            walk_in: Some(WalkIn { key, until: None }),
        });
        Some(process)
    }

    /// The booking of this key has been made, or lasts until another time. False where its process is gone: then it is to
    /// be ended.
    pub fn booked(&mut self, key: Uuid, booking: ReservationId, cards: Vec<CardUuid>, until: OffsetDateTime) -> bool {
        let own = self.book.held.iter_mut().find(|lease| lease.walk_in.as_ref().is_some_and(|own| own.key == key));
        let Some(lease) = own else { return false };
        lease.reservation = Some(booking);
        lease.cards = cards;
        lease.walk_in = Some(WalkIn { key, until: Some(until) });
        true
    }

    /// A booking that nobody's process owns is to be ended.
    pub fn end_later(&mut self, os_user: &str, booking: ReservationId) {
        self.book.endings.push(Ending { os_user: os_user.to_owned(), booking: Which::Id(booking) });
    }

    /// No booking was made with this key.
    pub fn give_up(&mut self, key: Uuid) {
        self.book.held.retain(|lease| lease.walk_in.as_ref().is_none_or(|own| own.key != key));
        self.ended(Which::Key(key));
    }

    /// Nobody can say whether a booking was made with this key: it is to be ended.
    pub fn doubt(&mut self, key: Uuid) {
        let doubtful = |lease: &mut Lease| lease.walk_in.as_ref().is_some_and(|own| own.key == key);
        let gone: Vec<Lease> = self.book.held.extract_if(.., doubtful).collect();
        self.book.endings.extend(gone.iter().filter_map(ending));
    }

    /// A booking is over.
    pub fn ended(&mut self, booking: Which) {
        self.book.endings.retain(|ending| ending.booking != booking);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card(n: u32) -> CardUuid {
        CardUuid::parse(&format!("GPU-{n}")).expect("valid")
    }

    fn booking(n: u128) -> ReservationId {
        ReservationId(Uuid::from_u128(n))
    }

    #[test]
    fn a_lease_lasts_as_long_as_its_process() {
        let leases = Leases::default();
        let mut child = std::process::Command::new("sleep").arg("60").spawn().expect("sleep");
        leases.lock().take(child.id(), "ada", vec![card(0), card(1)], booking(1));
        leases.lock().take(std::process::id(), "jonas", vec![card(2)], booking(1));
        leases.lock().take(u32::MAX, "eve", vec![card(3)], booking(1));
        let on = |leases: &Leases| leases.lock().users().into_iter().map(|user| user.card).collect::<Vec<_>>();
        assert_eq!(on(&leases), [card(0), card(1), card(2)]);
        // A run within a run.
        leases.lock().take(std::process::id(), "jonas", vec![card(3)], booking(1));
        assert_eq!(on(&leases), [card(0), card(1), card(3)]);
        child.kill().expect("alive");
        child.wait().expect("ended");
        assert_eq!(on(&leases), [card(3)]);
        assert!(leases.lock().endings().is_empty(), "their bookings are not the guard's");
    }

    #[test]
    fn a_booking_ends_with_its_process_over_restarts_of_the_agent_and_of_the_machine() {
        let key = Uuid::from_u128(7);
        let end_of = |until: i64| OffsetDateTime::from_unix_timestamp(until).expect("an instant");
        let leases = Leases::default();
        let mut child = std::process::Command::new("sleep").arg("60").spawn().expect("sleep");
        leases.lock().begin(child.id(), "ada", key).expect("it runs");
        assert!(leases.lock().booked(key, booking(1), vec![card(0)], end_of(100)));
        assert_eq!(leases.lock().kept_bookings(), [booking(1)]);
        let kept = leases.lock().to_keep("this boot");
        let text = serde_json::to_string(&kept).expect("json");
        let again = || serde_json::from_str::<Kept>(&text).expect("json");
        let ending = Ending { os_user: "ada".to_owned(), booking: Which::Id(booking(1)) };

        let state = |leases: &Leases| {
            let held = leases.lock();
            (held.kept_bookings(), held.endings().to_vec())
        };

        let same = Leases::resume(again(), "this boot");
        assert_eq!(state(&same), (vec![booking(1)], Vec::new()));
        let other = Leases::resume(again(), "the next boot");
        assert_eq!(state(&other), (Vec::new(), vec![ending.clone()]));
        child.kill().expect("alive");
        child.wait().expect("ended");
        assert_eq!(state(&same), (Vec::new(), vec![ending]));
        same.lock().ended(Which::Id(booking(1)));
        assert!(same.lock().endings().is_empty());
    }

    #[test]
    fn a_booking_of_which_nobody_heard_is_ended_by_its_key() {
        let leases = Leases::default();
        let [lost, refused] = [Uuid::from_u128(1), Uuid::from_u128(2)];
        leases.lock().begin(std::process::id(), "ada", lost).expect("we run");
        leases.lock().doubt(lost);
        leases.lock().begin(std::process::id(), "ada", refused).expect("we run");
        leases.lock().give_up(refused);
        let endings = leases.lock().endings().to_vec();
        assert_eq!(endings, [Ending { os_user: "ada".to_owned(), booking: Which::Key(lost) }]);
        assert!(!leases.lock().booked(lost, booking(1), Vec::new(), OffsetDateTime::UNIX_EPOCH));
    }
}
