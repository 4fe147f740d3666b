//! Bookings that exist, with what they hold, locked until the end of the transaction.

use std::collections::{BTreeMap, BTreeSet};

use domain::id::{CardUuid, ReservationId, SeriesId, UserId};
use domain::reservation::{Awaits, Fate, State, state};
use domain::window::Window;
use serde_json::{Value, json};
use sqlx::PgConnection;
use time::format_description::well_known::Rfc3339;
use time::{Date, OffsetDateTime};
use uuid::Uuid;

use super::cards::Slices;
use crate::store::StoreError;
use crate::store::decode::{card_uuid, window};

/// A booking. What is changed in a copy of it is written by [`super::save::save`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// Identity.
    pub id: ReservationId,
    /// Holder.
    pub owner: UserId,
    /// Who made it, where that is not its owner.
    pub booked_by: Option<UserId>,
    /// What for.
    pub purpose: String,
    /// When, as a whole.
    pub window: Window,
    /// IANA zone in which its times were meant.
    pub zone: String,
    /// Counts up with every edit.
    pub version: i32,
    /// What it waits for before it counts, and until when.
    pub awaits: Option<(Awaits, OffsetDateTime)>,
    /// Who has approved it.
    pub approved_by: Option<UserId>,
    /// What became of it.
    pub fate: Option<End>,
    /// When it was ended early.
    pub ended_at: Option<OffsetDateTime>,
    /// The repeats that it is one of, and the local day that it stands for.
    pub series: Option<(SeriesId, Date)>,
    /// Who may launch on it beside its owner.
    pub co_users: BTreeSet<UserId>,
    /// What it holds and has held.
    pub holds: Vec<Hold>,
}

/// A card, how much of it, whether that is on record only, why it left; and an instant.
type Stretch<'a> = (&'a str, Option<i32>, bool, Option<&'static str>, OffsetDateTime);

/// What became of a booking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    /// What.
    pub fate: Fate,
    /// When.
    pub at: OffsetDateTime,
    /// Through whom; `None`: by a rule.
    pub by: Option<UserId>,
    /// Why, where somebody said so.
    pub why: Option<String>,
}

/// One card, instance or share that a booking holds for a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hold {
    /// Its row; `None` for one that is about to be written.
    pub id: Option<i64>,
    /// Which card.
    pub card: CardUuid,
    /// The physical card.
    pub gpu: String,
    /// The part of it.
    pub slices: Slices,
    /// When.
    pub window: Window,
    /// It is on record only.
    pub released: bool,
    /// Why it ended before its booking did.
    pub left: Option<Left>,
    /// Index of the card when it was booked.
    pub index: Option<i32>,
}

/// Why a card left a booking before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// Somebody took it out.
    Edited,
    /// It was idle, and a rule gave it back.
    Idle,
    /// Nobody came, and a rule gave it back.
    Missed,
}

impl Left {
    /// The word that is stored.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Edited => "edited",
            Self::Idle => "idle",
            Self::Missed => "missed",
        }
    }

    fn parse(word: &str) -> Self {
        match word {
            "idle" => Self::Idle,
            "missed" => Self::Missed,
            _ => Self::Edited,
        }
    }
}

impl Held {
    /// Where it stands. What nobody has answered in time is over, whether that has been written down or not.
    #[must_use]
    pub fn state(&self, now: OffsetDateTime) -> State {
        if self.is_overdue(now) {
            return State::Cancelled;
        }
        state(&self.window, self.awaits.map(|(awaits, _)| awaits), self.fate.as_ref().map(|end| end.fate), now)
    }

    /// It waits for an answer, and the time for it is up.
    #[must_use]
    pub fn is_overdue(&self, now: OffsetDateTime) -> bool {
        self.fate.is_none() && self.awaits.is_some_and(|(_, until)| until <= now)
    }

    /// What it holds to its end, as far as nothing else happens.
    pub fn lasting(&self) -> impl Iterator<Item = &Hold> {
        self.holds.iter().filter(|hold| hold.left.is_none() && !hold.released && hold.window.end() == self.window.end())
    }

    /// The cards that it has to its end, each once, in order.
    #[must_use]
    pub fn cards(&self) -> Vec<CardUuid> {
        self.lasting().map(|hold| hold.card.clone()).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Nothing that anybody could see is different: the count of edits aside, and which of a card's shares it has.
    #[must_use]
    pub fn is_same_as(&self, other: &Self) -> bool {
        let plain = |held: &Self| Self { version: 0, holds: Vec::new(), ..held.clone() };
        plain(self) == plain(other) && self.amounts() == other.amounts()
    }

    /// How much of which card comes and goes when, whatever rows say so.
    fn amounts(&self) -> BTreeMap<Stretch<'_>, i32> {
        let mut amounts: BTreeMap<Stretch<'_>, i32> = BTreeMap::new();
        for hold in &self.holds {
            let width = hold.slices.until.map(|until| until - hold.slices.from);
            let left = hold.left.map(Left::as_str);
            for (at, by) in [(hold.window.start(), 1), (hold.window.end(), -1)] {
                *amounts.entry((hold.card.as_str(), width, hold.released, left, at)).or_default() += by;
            }
        }
        amounts.retain(|_, by| *by != 0);
        amounts
    }

    /// Holds nothing any more: the rows stay on record.
    pub fn release(&mut self, end: End) {
        self.fate = Some(end);
        for hold in &mut self.holds {
            hold.released = true;
        }
    }

    /// The booking as the record keeps it.
    #[must_use]
    pub fn record(&self) -> Value {
        let at = |at: OffsetDateTime| at.format(&Rfc3339).unwrap_or_default();
        let mut cards: BTreeMap<&str, usize> = BTreeMap::new();
        for hold in self.lasting() {
            *cards.entry(hold.card.as_str()).or_default() += usize::from(hold.slices.until.is_some());
        }
        json!({
            "owner": self.owner,
            "start": at(self.window.start()),
            "end": at(self.window.end()),
            "zone": self.zone,
            "purpose": self.purpose,
            // So many slices of it; 0: all of it.
            "cards": cards,
            "co_users": self.co_users,
            "awaits": self.awaits.map(|(awaits, _)| awaits),
            "fate": self.fate.as_ref().map(|end| end.fate),
            "why": self.fate.as_ref().and_then(|end| end.why.as_deref()),
            "version": self.version,
        })
    }
}

/// What decides about the locks, before there are any.
#[derive(Debug, Clone, Copy)]
pub struct Peek {
    /// Holder.
    pub owner: UserId,
    /// The repeats that it is one of, and its day among them.
    pub series: Option<(SeriesId, Date)>,
}

/// Looks at a booking without locking it.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn peek(conn: &mut PgConnection, id: ReservationId) -> Result<Option<Peek>, StoreError> {
    let row: Option<(Uuid, Option<Uuid>, Option<Date>)> =
        sqlx::query_as("select user_id, series_id, series_day from reservation where reservation_id = $1")
            .bind(id.0)
            .fetch_optional(conn)
            .await?;
    Ok(row.map(|(owner, series, day)| Peek { owner: UserId(owner), series: series.map(SeriesId).zip(day) }))
}

/// Those of a series that stand for a day or a later one, belong to somebody and have no fate yet. Without locks.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn following(
    conn: &mut PgConnection,
    (series, day): (SeriesId, Date),
    owner: UserId,
) -> Result<Vec<ReservationId>, StoreError> {
    let ids: Vec<Uuid> = sqlx::query_scalar(
        "select reservation_id from reservation
         where series_id = $1 and series_day >= $2 and user_id = $3 and fate is null",
    )
    .bind(series.0)
    .bind(day)
    .bind(owner.0)
    .fetch_all(conn)
    .await?;
    Ok(ids.into_iter().map(ReservationId).collect())
}

#[derive(sqlx::FromRow)]
struct Row {
    reservation_id: Uuid,
    user_id: Uuid,
    booked_by: Option<Uuid>,
    purpose: String,
    starts: OffsetDateTime,
    ends: OffsetDateTime,
    zone: String,
    version: i32,
    awaits: Option<String>,
    awaits_until: Option<OffsetDateTime>,
    approved_by: Option<Uuid>,
    fate: Option<String>,
    fate_at: Option<OffsetDateTime>,
    fate_by: Option<Uuid>,
    fate_why: Option<String>,
    ended_at: Option<OffsetDateTime>,
    series_id: Option<Uuid>,
    series_day: Option<Date>,
}

#[derive(sqlx::FromRow)]
struct HoldRow {
    reservation_id: Uuid,
    hold_id: i64,
    card_uuid: String,
    gpu: String,
    slice_from: i32,
    slice_until: Option<i32>,
    starts: OffsetDateTime,
    ends: OffsetDateTime,
    released: bool,
    left_why: Option<String>,
    card_index: Option<i32>,
}

/// Locks bookings in the order of their ids, and reads them in the order of their start. What belongs to a booking is
/// only changed by those who have its lock.
///
/// # Errors
/// [`StoreError`], with SQLSTATE 55P03 after three seconds of waiting.
pub async fn lock(conn: &mut PgConnection, ids: &[ReservationId]) -> Result<Vec<Held>, StoreError> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    let rows: Vec<Row> = sqlx::query_as(
        "select reservation_id, user_id, booked_by, purpose, lower(during) as starts, upper(during) as ends, zone, version,
                awaits, awaits_until, approved_by, fate, fate_at, fate_by, fate_why, ended_at, series_id, series_day
         from reservation where reservation_id = any($1) order by reservation_id for no key update",
    )
    .bind(&ids)
    .fetch_all(&mut *conn)
    .await?;
    let holds: Vec<HoldRow> = sqlx::query_as(
        "select reservation_id, hold_id, card_uuid, gpu, lower(slices) as slice_from, upper(slices) as slice_until,
                lower(during) as starts, upper(during) as ends, released, left_why, card_index
         from reservation_card where reservation_id = any($1) order by card_uuid, lower(during), lower(slices)",
    )
    .bind(&ids)
    .fetch_all(&mut *conn)
    .await?;
    let people: Vec<(Uuid, Uuid)> =
        sqlx::query_as("select reservation_id, user_id from reservation_person where reservation_id = any($1)")
            .bind(&ids)
            .fetch_all(conn)
            .await?;
    let mut all: Vec<Held> = rows.into_iter().map(held).collect::<Result<_, _>>()?;
    all.sort_by_key(|held| (held.window.start(), held.id));
    for row in holds {
        let Some(held) = all.iter_mut().find(|held| held.id.0 == row.reservation_id) else { continue };
        held.holds.push(hold(row)?);
    }
    for (id, person) in people {
        let Some(held) = all.iter_mut().find(|held| held.id.0 == id) else { continue };
        held.co_users.insert(UserId(person));
    }
    Ok(all)
}

fn held(row: Row) -> Result<Held, StoreError> {
    let fate = row.fate.as_deref().and_then(Fate::parse).zip(row.fate_at);
    Ok(Held {
        id: ReservationId(row.reservation_id),
        owner: UserId(row.user_id),
        booked_by: row.booked_by.map(UserId),
        purpose: row.purpose,
        window: window(row.starts, row.ends)?,
        zone: row.zone,
        version: row.version,
        awaits: row.awaits.as_deref().and_then(Awaits::parse).zip(row.awaits_until),
        approved_by: row.approved_by.map(UserId),
        fate: fate.map(|(fate, at)| End { fate, at, by: row.fate_by.map(UserId), why: row.fate_why }),
        ended_at: row.ended_at,
        series: row.series_id.map(SeriesId).zip(row.series_day),
        co_users: BTreeSet::new(),
        holds: Vec::new(),
    })
}

fn hold(row: HoldRow) -> Result<Hold, StoreError> {
    Ok(Hold {
        id: Some(row.hold_id),
        card: card_uuid(row.card_uuid)?,
        gpu: row.gpu,
        slices: Slices { from: row.slice_from, until: row.slice_until },
        window: window(row.starts, row.ends)?,
        released: row.released,
        left: row.left_why.as_deref().map(Left::parse),
        index: row.card_index,
    })
}
