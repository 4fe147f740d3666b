//! Taking cards and giving them back.

mod awaiting;
mod edits;
mod edits_running;
mod race;
mod race_edits;
mod rules;
mod series;
mod shares;
mod whole;

use std::sync::Arc;

use domain::error::{ApiError, ErrorCode};
use domain::id::{CardUuid, ReservationId};
use domain::reservation::NewReservation;
use domain::reservation::edit::{Edit, EditAsk, Edited, Scope, Target};
use domain::window::Window;
use domain::wire::page::Viewer;
use server::live::Live;
use server::service::reservations::Reservations;
use server::zone;
use sqlx::PgPool;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::support::clock::{MORNING, TestClock};
use crate::support::cluster::database;

struct Portal {
    pool: PgPool,
    clock: TestClock,
    reservations: Reservations,
}

async fn portal(connections: u32) -> Portal {
    let pool = database(connections).await;
    let clock = TestClock::at_morning();
    let live = Live::new(Arc::new(clock.clone()));
    let reservations = Reservations::new(pool.clone(), Arc::new(clock.clone()), live, zone::table);
    Portal { pool, clock, reservations }
}

/// Hours from [`MORNING`].
fn hours(from: i64, until: i64) -> Window {
    Window::new(MORNING + Duration::hours(from), MORNING + Duration::hours(until)).unwrap()
}

fn wish(cards: &[CardUuid], window: Window) -> NewReservation {
    NewReservation::of_cards(cards.to_vec(), window, "training", Uuid::new_v4())
}

/// Pairs of bookings that hold the same part of a card at the same time. Asks the rows, not the constraint.
async fn overlaps(pool: &PgPool) -> i64 {
    sqlx::query_scalar(
        "select count(*) from reservation_card a join reservation_card b
            on a.reservation_id < b.reservation_id and a.gpu = b.gpu and a.slices && b.slices and a.during && b.during
         where not a.released and not b.released",
    )
    .fetch_one(pool)
    .await
    .unwrap()
}

/// Every booking in the database with the number of its cards.
async fn booked(pool: &PgPool) -> Vec<(Uuid, i64)> {
    sqlx::query_as(
        "select reservation_id, count(card_uuid) from reservation left join reservation_card using (reservation_id)
         group by 1 order by 1",
    )
    .fetch_all(pool)
    .await
    .unwrap()
}

/// An edit of whatever version there is, with a key of its own.
fn edit(reservation: ReservationId, edit: Edit) -> EditAsk {
    EditAsk { reservation, edit, scope: Scope::One, version: None, idempotency_key: Uuid::new_v4() }
}

fn to_window(window: Window) -> Edit {
    Edit::Set(Target { window: Some(window), ..Target::default() })
}

fn to_cards(cards: &[CardUuid]) -> Edit {
    Edit::Set(Target { cards: Some(cards.to_vec()), ..Target::default() })
}

impl Portal {
    async fn book(&self, viewer: &Viewer, cards: &[CardUuid], window: Window) -> ReservationId {
        self.reservations.book(viewer, &wish(cards, window)).await.unwrap()
    }

    async fn edit(&self, viewer: &Viewer, id: ReservationId, what: Edit) -> Result<Edited, ApiError> {
        self.reservations.edit(viewer, &edit(id, what)).await
    }

    async fn refused(&self, viewer: &Viewer, id: ReservationId, what: Edit) -> ErrorCode {
        self.edit(viewer, id, what).await.unwrap_err().code
    }

    /// What a booking holds and has held: index of the card, slices, minutes from [`MORNING`], and why it left.
    async fn holds(&self, id: ReservationId) -> Vec<(i32, String, [i64; 2], Option<String>)> {
        let rows: Vec<(i32, String, OffsetDateTime, OffsetDateTime, Option<String>)> = sqlx::query_as(
            "select card.card_index, held.slices::text, lower(held.during), upper(held.during), left_why
             from reservation_card held join card using (card_uuid)
             where reservation_id = $1 and not released order by 1, 3, 2",
        )
        .bind(id.0)
        .fetch_all(&self.pool)
        .await
        .unwrap();
        let minutes = |at: OffsetDateTime| (at - MORNING).whole_minutes();
        rows.into_iter()
            .map(|(card, slices, from, to, left)| (card, slices, [minutes(from), minutes(to)], left))
            .collect()
    }

    /// Whole cards that a booking holds to its end, and has not been taken out of: index, and hours from [`MORNING`].
    async fn whole(&self, id: ReservationId) -> Vec<(i32, i64, i64)> {
        let holds = self.holds(id).await;
        let lasting = holds.into_iter().filter(|(_, _, _, left)| left.is_none());
        lasting.map(|(card, _, [from, to], _)| (card, from / 60, to / 60)).collect()
    }

    /// One value that a statement gives.
    async fn one<T>(&self, statement: &'static str) -> T
    where
        T: Send + Unpin + for<'r> sqlx::Decode<'r, sqlx::Postgres> + sqlx::Type<sqlx::Postgres>,
    {
        sqlx::query_scalar(statement).fetch_one(&self.pool).await.unwrap()
    }

    async fn run(&self, statement: &str) {
        sqlx::raw_sql(sqlx::AssertSqlSafe(statement.to_owned())).execute(&self.pool).await.unwrap();
    }

    /// What somebody has been told, oldest first.
    async fn told(&self, viewer: &Viewer) -> Vec<serde_json::Value> {
        sqlx::query_scalar("select body from notice where user_id = $1 order by notice_id")
            .bind(viewer.id.0)
            .fetch_all(&self.pool)
            .await
            .unwrap()
    }
}
