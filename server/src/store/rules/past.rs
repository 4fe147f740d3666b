//! Bookings that were made in the last days, to try a rule on.

use domain::id::{GroupId, ReservationId, UserId};
use domain::rules::Held;
use domain::window::Window;
use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use super::standing::CardRow;
use crate::store::StoreError;
use crate::store::decode::window;

/// A booking as it was asked for.
#[derive(Clone, Debug)]
pub struct Made {
    /// Identity.
    pub id: ReservationId,
    /// Whose.
    pub owner: UserId,
    /// Display name of the owner.
    pub owner_name: String,
    /// Groups in which the owner is now.
    pub groups: Vec<GroupId>,
    /// The owner's zone.
    pub owner_zone: String,
    /// The booking's zone.
    pub zone: String,
    /// When it was made.
    pub made_at: OffsetDateTime,
    /// When it was to be, as the record has it.
    pub window: Window,
    /// When it was called off, refused or given up; it counts for nothing from then on.
    pub gone_at: Option<OffsetDateTime>,
    /// What it took, with the labels that the cards have now; each for the whole of its time.
    pub cards: Vec<Held>,
}

#[derive(sqlx::FromRow)]
struct MadeRow {
    reservation_id: Uuid,
    user_id: Uuid,
    display_name: String,
    groups: Vec<Uuid>,
    owner_zone: String,
    zone: String,
    created_at: OffsetDateTime,
    starts: OffsetDateTime,
    ends: OffsetDateTime,
    gone_at: Option<OffsetDateTime>,
}

#[derive(sqlx::FromRow)]
struct TakenRow {
    reservation_id: Uuid,
    slice_from: i32,
    slice_until: Option<i32>,
    #[sqlx(flatten)]
    card: CardRow,
}

/// Bookings that were made since an instant, and those from before that reach into it, in the order in which they were
/// made.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn made(pool: &PgPool, since: OffsetDateTime) -> Result<Vec<Made>, StoreError> {
    let rows: Vec<MadeRow> = sqlx::query_as(
        r#"select reservation_id, user_id, display_name, "user".zone as owner_zone, reservation.zone,
                  array(select group_id from group_member where group_member.user_id = reservation.user_id) as groups,
                  reservation.created_at,
                  coalesce(first.starts, lower(during)) as starts, coalesce(first.ends, upper(during)) as ends,
                  case when fate in ('cancelled', 'refused', 'lapsed') then fate_at end as gone_at
           from reservation
           join "user" using (user_id)
           -- As it was asked for, where it was changed or ended early since.
           left join lateral (
               select (after->>'start')::timestamptz as starts, (after->>'end')::timestamptz as ends
               from audit
               where audit.reservation_id = reservation.reservation_id and action = 'reservation.create'
                 and (after->>'start')::timestamptz < (after->>'end')::timestamptz
               order by audit_id limit 1) first on true
           where during && tstzrange($1, null) or reservation.created_at >= $1
           order by reservation.created_at, reservation_id"#,
    )
    .bind(since)
    .fetch_all(pool)
    .await?;
    let ids: Vec<Uuid> = rows.iter().map(|row| row.reservation_id).collect();
    let taken: Vec<TakenRow> = sqlx::query_as(
        "select distinct held.reservation_id, lower(held.slices) as slice_from, upper(held.slices) as slice_until,
                card.card_uuid, card.name as card_name, card.shares,
                lower(card.slices) as card_from, upper(card.slices) as card_until,
                array(select label from card_label own where own.card_uuid = card.card_uuid
                      union select label from host_label where host_label.host_id = card.host_id) as labels
         from reservation_card held
         join reservation using (reservation_id)
         join card using (card_uuid)
         -- What came to it while it ran was not asked for at first.
         where held.reservation_id = any($1) and lower(held.during) = lower(reservation.during)",
    )
    .bind(&ids)
    .fetch_all(pool)
    .await?;
    let mut all: std::collections::HashMap<Uuid, Made> = std::collections::HashMap::new();
    for row in rows {
        let made = Made {
            id: ReservationId(row.reservation_id),
            owner: UserId(row.user_id),
            owner_name: row.display_name,
            groups: row.groups.into_iter().map(GroupId).collect(),
            owner_zone: row.owner_zone,
            zone: row.zone,
            made_at: row.created_at,
            window: window(row.starts, row.ends)?,
            gone_at: row.gone_at,
            cards: Vec::new(),
        };
        all.insert(row.reservation_id, made);
    }
    for row in taken {
        let Some(made) = all.get_mut(&row.reservation_id) else { continue };
        let card = row.card.into_card()?;
        let part = card.part((row.slice_from, row.slice_until));
        let (card, labels) = (card.uuid, card.labels);
        made.cards.push(Held { reservation: Some(made.id), card, part, window: made.window, labels });
    }
    Ok(ids.iter().filter_map(|id| all.remove(id)).collect())
}
