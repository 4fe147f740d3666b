//! The record of who did what. Each entry is written in the transaction of the deed, so that there is no deed without
//! its entry and no entry without its deed; the table refuses to change what it has.

use std::net::IpAddr;

use domain::id::{ReservationId, UserId};
use serde_json::Value;
use sqlx::PgConnection;
use time::OffsetDateTime;

use super::StoreError;

/// One deed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry<'a> {
    /// Who did it; `None`: the portal itself, by a rule.
    pub actor: Option<UserId>,
    /// Such as `reservation.create` or `maintenance.plan`.
    pub action: &'a str,
    /// The booking that it was done to.
    pub reservation: Option<ReservationId>,
    /// What it was done to, in words that stay true: a name, an id.
    pub subject: String,
    /// How it was.
    pub before: Option<Value>,
    /// How it is now.
    pub after: Option<Value>,
    /// From where; `None` where that is not known.
    pub address: Option<IpAddr>,
}

/// Adds deeds to the record, in their order, in the caller's transaction.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn write(conn: &mut PgConnection, entries: &[Entry<'_>], now: OffsetDateTime) -> Result<(), StoreError> {
    if entries.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "insert into audit (at, actor, action, reservation_id, subject, before, after, address)
         select $1, actor, action, reservation_id, subject, before, after, address
         from unnest($2::uuid[], $3::text[], $4::uuid[], $5::text[], $6::jsonb[], $7::jsonb[], $8::text[])
              with ordinality as n (actor, action, reservation_id, subject, before, after, address, place)
         order by place",
    )
    .bind(now)
    .bind(entries.iter().map(|entry| entry.actor.map(|actor| actor.0)).collect::<Vec<_>>())
    .bind(entries.iter().map(|entry| entry.action).collect::<Vec<_>>())
    .bind(entries.iter().map(|entry| entry.reservation.map(|id| id.0)).collect::<Vec<_>>())
    .bind(entries.iter().map(|entry| entry.subject.as_str()).collect::<Vec<_>>())
    .bind(entries.iter().map(|entry| entry.before.clone()).collect::<Vec<_>>())
    .bind(entries.iter().map(|entry| entry.after.clone()).collect::<Vec<_>>())
    .bind(entries.iter().map(|entry| entry.address.map(|address| address.to_string())).collect::<Vec<_>>())
    .execute(conn)
    .await?;
    Ok(())
}
