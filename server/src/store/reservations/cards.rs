//! Cards that are about to be taken or given back: their rows, locked in one order.

use domain::card::CardNumber;
use domain::id::{CardUuid, ReservationId, UserId};
use domain::trouble::Condition;
use domain::window::Window;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::keys::{KeyUse, key_use};
use super::texts;
use crate::store::StoreError;
use crate::store::decode::{card_uuid, health, number, window};

/// A part of a physical card, `[from, until)`; without an end it is the whole card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slices {
    /// First.
    pub from: i32,
    /// The one after the last.
    pub until: Option<i32>,
}

impl Slices {
    /// The whole card.
    pub const WHOLE: Self = Self { from: 0, until: None };

    /// One slice.
    #[must_use]
    pub fn one(slot: i32) -> Self {
        Self { from: slot, until: Some(slot + 1) }
    }

    /// Whether the two have a slice in common.
    #[must_use]
    pub fn meets(self, other: Self) -> bool {
        self.until.is_none_or(|until| other.from < until) && other.until.is_none_or(|until| self.from < until)
    }
}

/// A card as far as it matters whether it can be booked.
#[derive(Debug, Clone)]
pub struct LockedCard {
    /// Identity.
    pub uuid: CardUuid,
    /// The physical card.
    pub gpu: String,
    /// The part of that which this one is.
    pub slices: Slices,
    /// Name of its host.
    pub host_name: String,
    /// Index as last reported.
    pub index: i32,
    /// Number on its host.
    pub number: CardNumber,
    /// Its own condition and its host's.
    pub condition: Condition,
    /// Why an administrator keeps it from being booked.
    pub not_bookable: Option<String>,
    /// Open for so many shares.
    pub shares: Option<u32>,
}

#[derive(sqlx::FromRow)]
struct Row {
    card_uuid: String,
    gpu: String,
    slice_from: i32,
    slice_until: Option<i32>,
    host_name: String,
    card_index: i32,
    instance: Option<i32>,
    mig_on: bool,
    health: String,
    present: bool,
    retired: bool,
    last_report_at: Option<OffsetDateTime>,
    not_bookable: Option<String>,
    shares: Option<i32>,
    request_hash: Option<Vec<u8>>,
    outcome: Option<serde_json::Value>,
}

/// Locks the rows of cards, and of everything else that is part of the same physical cards, in one order. Gives those
/// that were asked for, as far as they exist, by UUID.
///
/// # Errors
/// [`StoreError`], with SQLSTATE 55P03 after three seconds of waiting.
pub async fn lock_cards(conn: &mut PgConnection, cards: &[CardUuid]) -> Result<Vec<LockedCard>, StoreError> {
    Ok(lock_cards_for(conn, cards, None).await?.0)
}

/// The same, and what a key of a person, whose row is locked, has been used for: one way to the database instead of two.
///
/// # Errors
/// As [`lock_cards`].
pub async fn lock_cards_for(
    conn: &mut PgConnection,
    cards: &[CardUuid],
    key: Option<(UserId, Uuid)>,
) -> Result<(Vec<LockedCard>, Option<KeyUse>), StoreError> {
    let rows: Vec<Row> = if cards.is_empty() {
        Vec::new()
    } else {
        sqlx::query_as(
            "select card.card_uuid, card.gpu, lower(card.slices) as slice_from, upper(card.slices) as slice_until,
                    host.name as host_name, card.card_index, card.instance, card.mig_on, card.health, card.present,
                    host.retired_at is not null as retired, host.last_report_at, card.not_bookable, card.shares,
                    used.request_hash, used.outcome
             from card join host using (host_id)
             left join request_key used on used.user_id = $2 and used.key = $3
             where card.gpu in (select gpu from card where card_uuid = any($1))
             order by card.card_uuid
             for no key update of card",
        )
        .bind(texts(cards))
        .bind(key.map(|(person, _)| person.0))
        .bind(key.map(|(_, key)| key))
        .fetch_all(&mut *conn)
        .await?
    };
    let used = match (rows.first(), key) {
        (Some(row), _) => row.request_hash.clone().zip(row.outcome.clone()),
        // Without a card there is no row that could have said so.
        (None, Some((person, key))) => return Ok((Vec::new(), key_use(conn, person, key).await?)),
        (None, None) => None,
    };
    let asked = |row: &Row| cards.iter().any(|card| card.as_str() == row.card_uuid);
    let cards = rows.into_iter().filter(asked).map(locked).collect::<Result<_, _>>()?;
    Ok((cards, used.map(|(request_hash, outcome)| KeyUse { request_hash, outcome })))
}

fn locked(row: Row) -> Result<LockedCard, StoreError> {
    Ok(LockedCard {
        uuid: card_uuid(row.card_uuid)?,
        gpu: row.gpu,
        slices: Slices { from: row.slice_from, until: row.slice_until },
        host_name: row.host_name,
        index: row.card_index,
        number: number(row.card_index, row.instance),
        condition: Condition {
            retired: row.retired,
            last_report: row.last_report_at,
            present: row.present,
            mig_on: row.mig_on,
            health: health(&row.health),
            not_bookable: row.not_bookable.is_some(),
        },
        not_bookable: row.not_bookable,
        shares: row.shares.and_then(|shares| u32::try_from(shares).ok()),
    })
}

/// A part of a physical card that is held for a while.
#[derive(Debug, Clone)]
pub struct Taken {
    /// The physical card.
    pub gpu: String,
    /// The part.
    pub slices: Slices,
    /// When.
    pub window: Window,
}

/// What is held of physical cards, whose rows are locked, within a window, by others than these bookings.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn taken(
    conn: &mut PgConnection,
    gpus: &[&str],
    within: &Window,
    except: &[ReservationId],
) -> Result<Vec<Taken>, StoreError> {
    let rows: Vec<(String, i32, Option<i32>, OffsetDateTime, OffsetDateTime)> = sqlx::query_as(
        "select gpu, lower(slices), upper(slices), lower(during), upper(during)
         from reservation_card
         where gpu = any($1) and during && tstzrange($2, $3, '[)') and not released
           and reservation_id <> all($4)",
    )
    .bind(gpus)
    .bind(within.start())
    .bind(within.end())
    .bind(except.iter().map(|id| id.0).collect::<Vec<_>>())
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|(gpu, from, until, starts, ends)| {
            Ok(Taken { gpu, slices: Slices { from, until }, window: window(starts, ends)? })
        })
        .collect()
}
