//! What the database says, whatever the services say of it.

use std::collections::{BTreeMap, BTreeSet};

use domain::id::{CardUuid, ReservationId, UserId};
use domain::reservation::Fate;
use domain::window::Window;
use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::naive::{Booking, Hold, Part};

#[derive(sqlx::FromRow)]
struct Row {
    reservation_id: Uuid,
    user_id: Uuid,
    purpose: String,
    starts: OffsetDateTime,
    ends: OffsetDateTime,
    fate: Option<String>,
}

#[derive(sqlx::FromRow)]
struct CardRow {
    reservation_id: Uuid,
    card_uuid: String,
    gpu: String,
    part_from: i32,
    part_to: Option<i32>,
    starts: OffsetDateTime,
    ends: OffsetDateTime,
    released: bool,
}

/// Every booking there is.
pub async fn bookings(pool: &PgPool) -> BTreeMap<ReservationId, Booking> {
    let rows: Vec<Row> = sqlx::query_as(
        "select reservation_id, user_id, purpose, lower(during) as starts, upper(during) as ends, fate from reservation",
    )
    .fetch_all(pool)
    .await
    .unwrap();
    let mut bookings: BTreeMap<ReservationId, Booking> = rows
        .into_iter()
        .map(|row| {
            let booking = Booking {
                owner: UserId(row.user_id),
                purpose: row.purpose,
                window: Window::new(row.starts, row.ends).unwrap(),
                fate: row.fate.map(|word| Fate::parse(&word).unwrap()),
                holds: Vec::new(),
            };
            (ReservationId(row.reservation_id), booking)
        })
        .collect();
    let rows: Vec<CardRow> = sqlx::query_as(
        "select reservation_id, card_uuid, gpu, lower(slices) as part_from, upper(slices) as part_to,
                lower(during) as starts, upper(during) as ends, released
         from reservation_card",
    )
    .fetch_all(pool)
    .await
    .unwrap();
    for row in rows {
        let hold = Hold {
            card: CardUuid::parse(&row.card_uuid).unwrap(),
            part: Part { gpu: row.gpu, from: row.part_from, to: row.part_to },
            window: Window::new(row.starts, row.ends).unwrap(),
            released: row.released,
        };
        bookings.get_mut(&ReservationId(row.reservation_id)).unwrap().holds.push(hold);
    }
    bookings.into_iter().map(|(id, booking)| (id, booking.sorted())).collect()
}

/// Where the database and the model differ, booking by booking.
pub fn differences(real: &BTreeMap<ReservationId, Booking>, model: &BTreeMap<ReservationId, Booking>) -> Vec<String> {
    let ids: BTreeSet<&ReservationId> = real.keys().chain(model.keys()).collect();
    ids.into_iter()
        .filter_map(|id| {
            let (real, model) = (real.get(id), model.get(id).cloned().map(Booking::sorted));
            (real != model.as_ref()).then(|| format!("{id}: the database has {real:#?}, the model {model:#?}"))
        })
        .collect()
}

/// Pairs of bookings that hold the same part of a card at the same time. Asks the rows, not the constraint.
pub async fn overlaps(pool: &PgPool) -> i64 {
    sqlx::query_scalar(
        "select count(*) from reservation_card a join reservation_card b
            on a.hold_id < b.hold_id and a.gpu = b.gpu and a.slices && b.slices and a.during && b.during
         where not a.released and not b.released",
    )
    .fetch_one(pool)
    .await
    .unwrap()
}
