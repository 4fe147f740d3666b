//! What the database says, whatever the services say of it.

use std::collections::{BTreeMap, BTreeSet};

use domain::id::{CardUuid, ReservationId, SeriesId, UserId};
use domain::reservation::{Awaits, Fate};
use domain::window::Window;
use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::naive::timeline::{Amount, Timeline};
use crate::naive::{Booking, Part};
use crate::park::Park;

#[derive(sqlx::FromRow)]
struct Row {
    reservation_id: Uuid,
    user_id: Uuid,
    purpose: String,
    starts: OffsetDateTime,
    ends: OffsetDateTime,
    zone: String,
    version: i32,
    awaits: Option<String>,
    awaits_until: Option<OffsetDateTime>,
    fate: Option<String>,
    series_id: Option<Uuid>,
    co_users: Vec<Uuid>,
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
pub async fn bookings(pool: &PgPool, park: &Park) -> BTreeMap<ReservationId, Booking> {
    let rows: Vec<Row> = sqlx::query_as(
        "select reservation_id, user_id, purpose, lower(during) as starts, upper(during) as ends, zone, version, awaits,
                awaits_until, fate, series_id,
                array(select p.user_id from reservation_person p where p.reservation_id = r.reservation_id) as co_users
         from reservation r",
    )
    .fetch_all(pool)
    .await
    .unwrap();
    let mut cards: BTreeMap<Uuid, Vec<CardRow>> = BTreeMap::new();
    let card_rows: Vec<CardRow> = sqlx::query_as(
        "select reservation_id, card_uuid, gpu, lower(slices) as part_from, upper(slices) as part_to,
                lower(during) as starts, upper(during) as ends, released
         from reservation_card order by card_uuid, lower(during)",
    )
    .fetch_all(pool)
    .await
    .unwrap();
    for row in card_rows {
        cards.entry(row.reservation_id).or_default().push(row);
    }
    rows.into_iter()
        .map(|row| {
            let held = cards.remove(&row.reservation_id).unwrap_or_default();
            let released = held.iter().filter(|row| row.released).count();
            assert!(released == 0 || released == held.len(), "half of {} is released", row.reservation_id);
            let booking = Booking {
                owner: UserId(row.user_id),
                purpose: row.purpose,
                window: Window::new(row.starts, row.ends).unwrap(),
                zone: row.zone,
                version: row.version,
                awaits: row.awaits.map(|word| (Awaits::parse(&word).unwrap(), row.awaits_until.unwrap())),
                fate: row.fate.map(|word| Fate::parse(&word).unwrap()),
                series: row.series_id.map(SeriesId),
                co_users: row.co_users.into_iter().map(UserId).collect(),
                cards: timeline(&held, park),
                released: released > 0,
            };
            (ReservationId(row.reservation_id), booking)
        })
        .collect()
}

/// The rows of one booking as what it has of each card, over time.
fn timeline(rows: &[CardRow], park: &Park) -> Timeline {
    let mut timeline = Timeline::default();
    let cards: BTreeSet<&str> = rows.iter().map(|row| row.card_uuid.as_str()).collect();
    for name in cards {
        let uuid = CardUuid::parse(name).unwrap();
        let all = &park.card(&uuid).unwrap().part;
        let rows: Vec<&CardRow> = rows.iter().filter(|row| row.card_uuid == name).collect();
        let moments: BTreeSet<OffsetDateTime> = rows.iter().flat_map(|row| [row.starts, row.ends]).collect();
        let moments: Vec<OffsetDateTime> = moments.into_iter().collect();
        for pair in moments.windows(2) {
            let here: Vec<Part> = rows
                .iter()
                .filter(|row| row.starts <= pair[0] && pair[0] < row.ends)
                .map(|row| Part { gpu: row.gpu.clone(), from: row.part_from, to: row.part_to })
                .collect();
            let amount = if here.is_empty() {
                continue;
            } else if here == [all.clone()] {
                Amount::Whole
            } else {
                let share = |part: &Part| part.gpu == all.gpu && part.to == Some(part.from + 1);
                assert!(here.iter().all(share), "neither all of {name} nor shares of it: {here:?}");
                Amount::Shares(u32::try_from(here.len()).unwrap())
            };
            timeline.add(&uuid, Window::new(pair[0], pair[1]).unwrap(), amount);
        }
    }
    timeline
}

/// Where the database and the model differ, booking by booking.
pub fn differences(real: &BTreeMap<ReservationId, Booking>, model: &BTreeMap<ReservationId, Booking>) -> Vec<String> {
    let ids: BTreeSet<&ReservationId> = real.keys().chain(model.keys()).collect();
    ids.into_iter()
        .filter_map(|id| {
            let (real, mut model) = (real.get(id), model.get(id).cloned());
            // Without rows there is nothing that could be released.
            if let Some(model) = &mut model {
                model.released &= model.cards != Timeline::default();
            }
            (real != model.as_ref()).then(|| format!("the rows of {id} are {real:#?}, the model has {model:#?}"))
        })
        .collect()
}

/// Pairs of rows that hold the same part of a card at the same time. Asks the rows, not the constraint.
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
