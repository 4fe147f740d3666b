//! What a host's guard needs to decide while the server is away: whose the accounts are, and who has booked what.

use domain::id::{HostId, ReservationId, UserId};
use domain::wire::agent_v1::{Account, TableBooking};
use sqlx::{PgConnection, PgPool};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::StoreError;
use super::decode::{card_uuid, window};

/// Bookings that begin within this time are in the table.
pub const AHEAD: Duration = Duration::hours(72);

/// An account that belongs to somebody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// The host; `None` for every host.
    pub host: Option<HostId>,
    /// Account name.
    pub os_user: String,
    /// Person.
    pub person: UserId,
    /// Display name.
    pub name: String,
    /// The person has proven it.
    pub proven: bool,
}

#[derive(sqlx::FromRow)]
struct AccountRow {
    host_id: Uuid,
    os_user: String,
    user_id: Uuid,
    display_name: String,
}

/// Accounts of some hosts, those that are mapped on every host among them, in order of their names.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn accounts(conn: &mut PgConnection, hosts: &[HostId]) -> Result<Vec<(HostId, Account)>, StoreError> {
    let rows: Vec<AccountRow> = sqlx::query_as(
        r#"select distinct asked.host_id, account.os_user, person.user_id, person.display_name
           from unnest($1::uuid[]) as asked (host_id)
           join host_account account on account.host_id = asked.host_id or account.host_id is null
           join "user" person using (user_id)
           where person.disabled_at is null
           order by account.os_user, person.display_name, person.user_id"#,
    )
    .bind(ids(hosts))
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|AccountRow { host_id, os_user, user_id, display_name }| {
            (HostId(host_id), Account { os_user, person: UserId(user_id), name: display_name })
        })
        .collect())
}

#[derive(sqlx::FromRow)]
struct BookingRow {
    host_id: Uuid,
    reservation_id: Uuid,
    user_id: Uuid,
    display_name: String,
    cards: Vec<String>,
    starts: OffsetDateTime,
    ends: OffsetDateTime,
    waits: bool,
    co_users: Vec<Uuid>,
}

/// A booking of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// What the guard is told.
    pub booking: TableBooking,
    /// It waits for approval, or for its owner's answer: nobody may start anything on it.
    pub waits: bool,
}

/// Bookings on some hosts that are active or begin within [`AHEAD`], in order of their start, with the cards that are
/// on that host. Those that nobody has answered in time are not among them.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn bookings(
    conn: &mut PgConnection,
    hosts: &[HostId],
    now: OffsetDateTime,
) -> Result<Vec<(HostId, Held)>, StoreError> {
    let rows: Vec<BookingRow> = sqlx::query_as(
        // Of one card a booking may hold several shares.
        r#"with held as (
               select distinct card.host_id, card.card_index, card.card_uuid, held.reservation_id, held.during
               from reservation_card held join card using (card_uuid)
               where card.host_id = any($1) and held.during && tstzrange($2, $3, '[)') and not held.released
           )
           select held.host_id, held.reservation_id, person.user_id, person.display_name,
                  array_agg(held.card_uuid order by held.card_index, held.card_uuid) as cards,
                  lower(held.during) as starts, upper(held.during) as ends, booked.awaits is not null as waits,
                  array(select named.user_id from reservation_person named
                        where named.reservation_id = held.reservation_id order by 1) as co_users
           from held
           join reservation booked using (reservation_id)
           join "user" person using (user_id)
           where booked.awaits is null or booked.awaits_until > $2
           group by held.host_id, held.reservation_id, person.user_id, person.display_name, held.during, booked.awaits
           order by starts, held.reservation_id"#,
    )
    .bind(ids(hosts))
    .bind(now)
    .bind(now + AHEAD)
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|row| {
            let booking = TableBooking {
                id: ReservationId(row.reservation_id),
                person: UserId(row.user_id),
                holder: row.display_name,
                cards: row.cards.into_iter().map(card_uuid).collect::<Result<_, _>>()?,
                window: window(row.starts, row.ends)?,
                co_users: row.co_users.into_iter().map(UserId).collect(),
            };
            Ok((HostId(row.host_id), Held { booking, waits: row.waits }))
        })
        .collect()
}

#[derive(sqlx::FromRow)]
struct MappingRow {
    host_id: Option<Uuid>,
    os_user: String,
    user_id: Uuid,
    display_name: String,
    proven: bool,
}

/// Every mapped account.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn mappings(pool: &PgPool) -> Result<Vec<Mapping>, StoreError> {
    let rows: Vec<MappingRow> = sqlx::query_as(
        r#"select account.host_id, account.os_user, person.user_id, person.display_name, account.proven
           from host_account account join "user" person using (user_id)
           order by account.host_account_id"#,
    )
    .fetch_all(pool)
    .await?;
    Ok(rows
        .into_iter()
        .map(|MappingRow { host_id, os_user, user_id, display_name, proven }| Mapping {
            host: host_id.map(HostId),
            os_user,
            person: UserId(user_id),
            name: display_name,
            proven,
        })
        .collect())
}

fn ids(hosts: &[HostId]) -> Vec<Uuid> {
    hosts.iter().map(|host| host.0).collect()
}
