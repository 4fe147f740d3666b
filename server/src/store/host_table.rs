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
}

/// Bookings on some hosts that are active or begin within [`AHEAD`], in order of their start, with the cards that are
/// on that host.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn bookings(
    conn: &mut PgConnection,
    hosts: &[HostId],
    now: OffsetDateTime,
) -> Result<Vec<(HostId, TableBooking)>, StoreError> {
    let rows: Vec<BookingRow> = sqlx::query_as(
        r#"select card.host_id, held.reservation_id, person.user_id, person.display_name,
                  array_agg(card.card_uuid order by card.card_index, card.card_uuid) as cards,
                  lower(held.during) as starts, upper(held.during) as ends
           from reservation_card held
           join card using (card_uuid)
           join reservation using (reservation_id)
           join "user" person using (user_id)
           where card.host_id = any($1) and held.during && tstzrange($2, $3, '[)') and not held.released
           group by card.host_id, held.reservation_id, person.user_id, person.display_name, held.during
           order by starts, held.reservation_id"#,
    )
    .bind(ids(hosts))
    .bind(now)
    .bind(now + AHEAD)
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|BookingRow { host_id, reservation_id, user_id, display_name, cards, starts, ends }| {
            let booking = TableBooking {
                id: ReservationId(reservation_id),
                person: UserId(user_id),
                holder: display_name,
                cards: cards.into_iter().map(card_uuid).collect::<Result<_, _>>()?,
                window: window(starts, ends)?,
            };
            Ok((HostId(host_id), booking))
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
