//! Who is in the way.

use domain::id::{CardUuid, ReservationId, UserId};
use domain::reservation::Clash;
use domain::window::Window;
use sqlx::PgExecutor;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::store::StoreError;
use crate::store::decode::{card_uuid, number, window};

/// A card that is wanted for a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// Which.
    pub card: CardUuid,
    /// When.
    pub window: Window,
    /// Shares of it alone: only who has the whole card is in the way.
    pub shared: bool,
}

/// Who holds which of these cards, as a whole or in part, within a window, by host, card and time.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn clashes(
    conn: impl PgExecutor<'_>,
    asker: UserId,
    cards: &[CardUuid],
    window: &Window,
) -> Result<Vec<Clash>, StoreError> {
    let wanted: Vec<Wanted> =
        cards.iter().map(|card| Wanted { card: card.clone(), window: *window, shared: false }).collect();
    in_the_way_of(conn, Some(asker), &wanted, &[]).await
}

#[derive(sqlx::FromRow)]
struct Row {
    reservation_id: Uuid,
    card_uuid: String,
    host_name: String,
    card_index: i32,
    instance: Option<i32>,
    user_id: Uuid,
    display_name: String,
    starts: OffsetDateTime,
    ends: OffsetDateTime,
}

/// Who holds which of these cards at the times at which they are wanted, by host, card and time; bookings in `except`
/// are not in their own way.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn in_the_way_of(
    conn: impl PgExecutor<'_>,
    asker: Option<UserId>,
    wanted: &[Wanted],
    except: &[ReservationId],
) -> Result<Vec<Clash>, StoreError> {
    let rows: Vec<Row> = sqlx::query_as(
        r#"select distinct held.reservation_id, card.card_uuid, host.name as host_name, card.card_index, card.instance,
                  person.user_id, person.display_name, lower(held.during) as starts, upper(held.during) as ends
           from unnest($1::text[], $2::timestamptz[], $3::timestamptz[], $4::bool[])
                as wanted (card_uuid, starts, ends, shared)
           join card on card.card_uuid = wanted.card_uuid
           join host using (host_id)
           join reservation_card held on held.gpu = card.gpu and held.slices && card.slices
                and held.during && tstzrange(wanted.starts, wanted.ends, '[)') and not held.released
                and (not wanted.shared or upper_inf(held.slices)) and held.reservation_id <> all($5)
           join reservation on reservation.reservation_id = held.reservation_id
           join "user" person using (user_id)
           order by host.name, card.card_index, card.instance nulls first, card.card_uuid, starts,
                    held.reservation_id"#,
    )
    .bind(wanted.iter().map(|wanted| wanted.card.as_str()).collect::<Vec<_>>())
    .bind(wanted.iter().map(|wanted| wanted.window.start()).collect::<Vec<_>>())
    .bind(wanted.iter().map(|wanted| wanted.window.end()).collect::<Vec<_>>())
    .bind(wanted.iter().map(|wanted| wanted.shared).collect::<Vec<_>>())
    .bind(except.iter().map(|id| id.0).collect::<Vec<_>>())
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|row| {
            Ok(Clash {
                reservation: ReservationId(row.reservation_id),
                card: card_uuid(row.card_uuid)?,
                host: row.host_name,
                number: number(row.card_index, row.instance),
                own: asker.is_some_and(|asker| row.user_id == asker.0),
                holder: row.display_name,
                window: window(row.starts, row.ends)?,
            })
        })
        .collect()
}
