//! A host whose cards the test makes busy, minute by minute, and the jobs that watch it.

use domain::card::{CardFacts, CardHealth, CardProcess, CardSample, MigPart, ProcessKind};
use domain::id::{CardUuid, HostId, ReservationId};
use domain::notice::Told;
use domain::reading::Reading;
use domain::reservation::NewReservation;
use domain::window::Window;
use domain::wire::agent_v1::CardReport;
use domain::wire::page::Viewer;
use server::clock::Clock;
use server::job::watch;
use server::service::Services;
use server::store::host_table;
use sqlx::PgPool;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::told;
use crate::support::clock::{MORNING, TestClock};
use crate::support::fleet;
use crate::support::people::Office;
use crate::support::report::report;

/// Somebody's process on a card: number of the card, account, how busy the card is.
pub type Busy<'a> = (usize, &'a str, u32);

pub struct Tower {
    pub pool: PgPool,
    pub clock: TestClock,
    pub services: Services,
    pub host: HostId,
    pub cards: Vec<CardUuid>,
    /// The cards are MIG instances, of which nobody measures how busy they are.
    pub parts: bool,
    seq: u64,
}

impl Tower {
    pub async fn with_cards(cards: i32) -> Self {
        let Office { pool, clock, services, .. } = Office::new().await;
        let (host, cards) = fleet::host(&pool, "rig", cards).await;
        Self { pool, clock, services, host, cards, parts: false, seq: 0 }
    }

    /// A member whose account on every host has the same name.
    pub async fn member(&self, name: &str) -> Viewer {
        let person = fleet::member(&self.pool, name).await;
        sqlx::query(
            "insert into host_account (host_account_id, host_id, os_user, user_id, proven, made_at)
             values ($1, null, $2, $3, true, $4)",
        )
        .bind(Uuid::now_v7())
        .bind(name)
        .bind(person.id.0)
        .bind(MORNING)
        .execute(&self.pool)
        .await
        .unwrap();
        self.services.live.set_people(host_table::mappings(&self.pool).await.unwrap());
        person
    }

    /// Books cards, given by their numbers, between two minutes after [`MORNING`].
    pub async fn book(&self, who: &Viewer, cards: &[usize], from: i64, until: i64) -> ReservationId {
        let cards = cards.iter().map(|card| self.cards[*card].clone()).collect();
        let window = Window::new(minute(from), minute(until)).unwrap();
        let ask = NewReservation::of_cards(cards, window, "training", Uuid::new_v4());
        self.services.reservations.book(who, &ask).await.unwrap()
    }

    /// The host says what its cards do.
    pub fn beat(&mut self, busy: &[Busy<'_>]) {
        self.seq += 1;
        let mut report = report("rig", self.seq, &[], 0);
        for (index, uuid) in self.cards.iter().enumerate() {
            let here: Vec<&Busy<'_>> = busy.iter().filter(|(card, ..)| *card == index).collect();
            let busiest = here.iter().map(|(.., percent)| *percent).max().unwrap_or(0);
            let utilisation = if self.parts { Reading::default() } else { Reading::Value(busiest) };
            let number = u32::try_from(index).unwrap();
            let process = |(_, os_user, _): &&Busy<'_>| CardProcess {
                os_user: Some((*os_user).to_owned()),
                ..CardProcess::new(4711, ProcessKind::Compute)
            };
            report.cards.push(CardReport {
                facts: CardFacts {
                    part: self.parts.then(|| MigPart::at(uuid.clone(), number, number)),
                    mig_on: false,
                    uuid: uuid.clone(),
                    index: number,
                    minor: None,
                    name: "NVIDIA H100 80GB HBM3".to_owned(),
                    pci_bus_id: None,
                    memory_total_mib: Reading::Value(81559),
                },
                sample: CardSample { utilisation_percent: utilisation, ..CardSample::default() },
                detail: Default::default(),
                health: CardHealth::Ok,
                processes: Some(here.iter().map(process).collect()),
            });
        }
        self.services.live.report(self.host, "rig", &mut report, self.now());
    }

    pub fn now(&self) -> OffsetDateTime {
        self.clock.now()
    }

    /// Looks once.
    pub async fn look(&self) {
        assert!(watch::once(&self.services).await.unwrap(), "nobody else is at it");
    }

    /// So many minutes pass, each with a report and a look.
    pub async fn pass(&mut self, minutes: i64, busy: &[Busy<'_>]) {
        for _ in 0..minutes {
            self.clock.advance(Duration::MINUTE);
            self.beat(busy);
            self.look().await;
        }
    }

    /// All that somebody was told, oldest first.
    pub async fn told(&self, reader: &Viewer) -> Vec<Told> {
        let mut told = told(&self.pool, reader.id).await;
        told.reverse();
        told
    }

    /// What somebody reads in the portal, oldest first.
    pub async fn read(&self, reader: &Viewer) -> Vec<String> {
        let (zone, now) = (domain::zone::ZoneTable::utc(), self.now());
        self.told(reader).await.iter().map(|told| domain::text::en().notice(told, &zone, now).sentence).collect()
    }

    /// Of each card of a booking: its number, the end of its hold in minutes after [`MORNING`], and why it left.
    pub async fn holds(&self, booking: ReservationId) -> Vec<(i32, i64, Option<String>)> {
        let rows: Vec<(i32, OffsetDateTime, Option<String>)> = sqlx::query_as(
            "select card.card_index, upper(held.during), held.left_why
             from reservation_card held join card using (card_uuid)
             where reservation_id = $1 order by card.card_index",
        )
        .bind(booking.0)
        .fetch_all(&self.pool)
        .await
        .unwrap();
        rows.into_iter().map(|(card, end, why)| (card, (end - MORNING).whole_minutes(), why)).collect()
    }

    pub async fn fate(&self, booking: ReservationId) -> Option<String> {
        sqlx::query_scalar("select fate from reservation where reservation_id = $1")
            .bind(booking.0)
            .fetch_one(&self.pool)
            .await
            .unwrap()
    }
}

/// Minutes after [`MORNING`].
pub fn minute(n: i64) -> OffsetDateTime {
    MORNING + Duration::minutes(n)
}
