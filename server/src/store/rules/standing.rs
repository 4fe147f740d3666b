//! What somebody has, as far as rules look at it: groups, what they hold and have held, whom they can ask.

use domain::id::{CardUuid, GroupId, ReservationId, UserId};
use domain::rules::{Cards, Held};
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::store::StoreError;
use crate::store::decode::{card_uuid, window};
use crate::store::reservations::texts;

/// Most people who are named as those to ask.
const ASKED_MAX: i64 = 3;

/// A card as rules look at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuledCard {
    /// Identity.
    pub uuid: CardUuid,
    /// Its labels and those of its host.
    pub labels: Vec<String>,
    /// Its part of a physical card, as it is stored: from, until.
    slices: (i32, Option<i32>),
    /// What it counts as where it is taken as it is.
    whole: Cards,
    /// What one share of it counts as; of a card that is not open for shares any more nobody can tell, so a whole one.
    share: Cards,
}

impl RuledCard {
    /// How much of it these slices are.
    #[must_use]
    pub fn part(&self, slices: (i32, Option<i32>)) -> Cards {
        if slices == self.slices { self.whole } else { self.share }
    }
}

#[derive(sqlx::FromRow)]
pub(super) struct CardRow {
    pub card_uuid: String,
    pub card_name: String,
    pub shares: Option<i32>,
    pub card_from: i32,
    pub card_until: Option<i32>,
    pub labels: Vec<String>,
}

impl CardRow {
    pub(super) fn into_card(self) -> Result<RuledCard, StoreError> {
        let shares = self.shares.and_then(|shares| u32::try_from(shares).ok());
        Ok(RuledCard {
            uuid: card_uuid(self.card_uuid)?,
            labels: self.labels,
            slices: (self.card_from, self.card_until),
            whole: Cards::named(&self.card_name),
            share: shares.map_or(Cards::ONE, |shares| Cards::parts(1, shares)),
        })
    }
}

/// Cards as rules look at them; those that are not known are missing.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn cards(conn: &mut PgConnection, cards: &[CardUuid]) -> Result<Vec<RuledCard>, StoreError> {
    let rows: Vec<CardRow> = sqlx::query_as(
        "select card_uuid, card.name as card_name, shares, lower(slices) as card_from, upper(slices) as card_until,
                array(select label from card_label own where own.card_uuid = card.card_uuid
                      union select label from host_label where host_label.host_id = card.host_id) as labels
         from card where card_uuid = any($1)",
    )
    .bind(texts(cards))
    .fetch_all(conn)
    .await?;
    rows.into_iter().map(CardRow::into_card).collect()
}

#[derive(sqlx::FromRow)]
struct HeldRow {
    reservation_id: Uuid,
    starts: OffsetDateTime,
    ends: OffsetDateTime,
    slice_from: i32,
    slice_until: Option<i32>,
    #[sqlx(flatten)]
    card: CardRow,
}

/// Every card that somebody holds or has held since an instant, but for one booking. What nobody has answered in time holds
/// nothing, whether that has been written down or not.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn holds(
    db: impl PgExecutor<'_>,
    person: UserId,
    since: OffsetDateTime,
    except: Option<ReservationId>,
    now: OffsetDateTime,
) -> Result<Vec<Held>, StoreError> {
    let rows: Vec<HeldRow> = sqlx::query_as(
        "select held.reservation_id, lower(held.during) as starts, upper(held.during) as ends,
                lower(held.slices) as slice_from, upper(held.slices) as slice_until,
                card.card_uuid, card.name as card_name, card.shares,
                lower(card.slices) as card_from, upper(card.slices) as card_until,
                array(select label from card_label own where own.card_uuid = card.card_uuid
                      union select label from host_label where host_label.host_id = card.host_id) as labels
         from reservation
         join reservation_card held using (reservation_id)
         join card using (card_uuid)
         where reservation.user_id = $1 and held.during && tstzrange($2, null) and not held.released
           and reservation.reservation_id is distinct from $3 and (awaits_until is null or awaits_until > $4)",
    )
    .bind(person.0)
    .bind(since)
    .bind(except.map(|id| id.0))
    .bind(now)
    .fetch_all(db)
    .await?;
    let held = |row: HeldRow| {
        let (reservation, window) = (Some(ReservationId(row.reservation_id)), window(row.starts, row.ends)?);
        let card = row.card.into_card()?;
        let part = card.part((row.slice_from, row.slice_until));
        Ok(Held { reservation, part, window, card: card.uuid, labels: card.labels })
    };
    rows.into_iter().map(held).collect()
}

/// A person as rules look at them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuledPerson {
    /// IANA zone.
    pub zone: String,
    /// Groups that the person is in.
    pub groups: Vec<GroupId>,
    /// Display names of those who can help: managers of the person's groups, then administrators.
    pub ask: Vec<String>,
}

/// Reads them; `None` where there is no such person.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn person(db: impl PgExecutor<'_>, person: UserId) -> Result<Option<RuledPerson>, StoreError> {
    let row: Option<(String, Vec<Uuid>, Vec<String>)> = sqlx::query_as(
        r#"select zone, array(select group_id from group_member where group_member.user_id = own.user_id),
                  array(
                      select display_name from (
                          select other.display_name, min(case when shared.manager then 0 else 1 end) as place
                          from "user" other
                          left join group_member shared on shared.user_id = other.user_id and shared.manager
                              and shared.group_id in (select group_id from group_member where user_id = own.user_id)
                          where other.user_id <> own.user_id and other.disabled_at is null
                            and (shared.manager or other.role = 'administrator')
                          group by other.user_id, other.display_name) helper
                      order by place, lower(display_name) limit $2)
           from "user" own where user_id = $1"#,
    )
    .bind(person.0)
    .bind(ASKED_MAX)
    .fetch_optional(db)
    .await?;
    Ok(row.map(|(zone, groups, ask)| RuledPerson { zone, groups: groups.into_iter().map(GroupId).collect(), ask }))
}
