//! What was done to one booking, out of the record.

use domain::id::{ReservationId, UserId};
use domain::window::Window;
use serde::Deserialize;
use sqlx::PgPool;
use std::collections::{BTreeMap, BTreeSet};
use time::OffsetDateTime;

use super::StoreError;

/// Most deeds that are shown.
const DEEDS_MAX: i64 = 100;

/// One deed.
#[derive(Debug)]
pub struct DeedRow {
    /// When.
    pub at: OffsetDateTime,
    /// Who did it; `None`: the portal, by a rule.
    pub by: Option<String>,
    /// Such as `reservation.edit`.
    pub action: String,
    /// How the booking was.
    pub before: Option<Recorded>,
    /// How it was after that.
    pub after: Option<Recorded>,
}

/// A booking as the record has it. What it has beside this is not shown.
#[derive(Debug, Deserialize)]
pub struct Recorded {
    /// Holder.
    pub owner: UserId,
    #[serde(with = "time::serde::rfc3339")]
    start: OffsetDateTime,
    #[serde(with = "time::serde::rfc3339")]
    end: OffsetDateTime,
    /// What for.
    pub purpose: String,
    /// Cards, and slices of them.
    pub cards: BTreeMap<String, u32>,
    /// Who may launch as well.
    pub co_users: BTreeSet<UserId>,
    /// Why it was ended.
    pub why: Option<String>,
}

impl Recorded {
    /// When; `None` where it was given up at once.
    #[must_use]
    pub fn window(&self) -> Option<Window> {
        Window::new(self.start, self.end).ok()
    }
}

/// Everything that was done to a booking, oldest first.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn deeds(pool: &PgPool, id: ReservationId) -> Result<Vec<DeedRow>, StoreError> {
    type Row = (OffsetDateTime, Option<String>, String, Option<serde_json::Value>, Option<serde_json::Value>);
    let rows: Vec<Row> = sqlx::query_as(
        r#"select audit.at, person.display_name, audit.action, audit.before, audit.after
           from audit left join "user" person on person.user_id = audit.actor
           where audit.reservation_id = $1
           order by audit.audit_id limit $2"#,
    )
    .bind(id.0)
    .bind(DEEDS_MAX)
    .fetch_all(pool)
    .await?;
    // What an older version has recorded in another shape is named without what it was about.
    let read = |value: Option<serde_json::Value>| value.and_then(|value| serde_json::from_value(value).ok());
    let deed = |(at, by, action, before, after)| DeedRow { at, by, action, before: read(before), after: read(after) };
    Ok(rows.into_iter().map(deed).collect())
}
