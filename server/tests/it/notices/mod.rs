//! What people are told: written once, read by their reader, the same in the bell and on hosts.

mod asked;
mod bell;
mod ending;
mod hosts;
mod idle;
mod kept;
mod tower;
mod troubled;
mod waiting;

use domain::id::{ReservationId, UserId};
use domain::notice::{Body, Told, What};
use domain::window::Window;
use server::store::notices::{self, NewNotice};
use sqlx::PgPool;
use time::Duration;

use crate::support::clock::MORNING;

/// Hours from [`MORNING`].
fn hours(from: i64, until: i64) -> Window {
    Window::new(MORNING + Duration::hours(from), MORNING + Duration::hours(until)).unwrap()
}

/// Somebody did something to a booking.
fn changed(user: UserId, by: &str, reservation: Option<ReservationId>, once: Option<&str>) -> NewNotice {
    let body = Body::Changed { by: by.to_owned(), what: What::Cancelled, window: hours(1, 2) };
    NewNotice { user, body, reservation, once: once.map(str::to_owned) }
}

/// Writes in a transaction of its own.
async fn tell(pool: &PgPool, notices: &[NewNotice]) -> u64 {
    let mut tx = pool.begin().await.unwrap();
    let told = notices::write(&mut tx, notices, MORNING).await.unwrap();
    tx.commit().await.unwrap();
    told
}

/// All that somebody was told, newest first.
async fn told(pool: &PgPool, reader: UserId) -> Vec<Told> {
    let mut conn = pool.acquire().await.unwrap();
    let told = notices::list(&mut conn, &[reader], false, 100, MORNING).await.unwrap();
    told.into_iter().map(|(_, told)| told).collect()
}

/// Who did it, of notices made by [`changed`].
fn by(told: &[Told]) -> Vec<&str> {
    told.iter()
        .map(|told| match &told.notice.body {
            Body::Changed { by, .. } => by.as_str(),
            other => panic!("{other:?}"),
        })
        .collect()
}
