//! Taking cards and giving them back.

mod race;
mod rules;

use std::sync::Arc;

use domain::id::CardUuid;
use domain::reservation::NewReservation;
use domain::window::Window;
use domain::zone::ZoneTable;
use server::live::Live;
use server::service::reservations::Reservations;
use sqlx::PgPool;
use time::Duration;
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
    let reservations =
        Reservations::new(pool.clone(), Arc::new(clock.clone()), Live::new(Arc::new(clock.clone())), |_, _| {
            ZoneTable::utc()
        });
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
