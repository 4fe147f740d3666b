//! Maintenance: planned, changed, called off. Whoever plans locks the rows of all cards that it concerns, in the order in
//! which bookings lock them; a booking looks here after it has locked its own. So of a booking and a maintenance that
//! meet, the later one always sees the earlier.

use domain::id::{CardUuid, HostId, MaintenanceId, UserId};
use domain::notice::NamedCard;
use domain::upkeep::{MaintenanceBrief, Plan, Targets};
use domain::window::Window;
use domain::wire::calendar::Closure;
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use super::StoreError;
use super::decode::{card_uuid, number, window};
use super::reservations::{lock_cards, texts};

/// A target that is no host.
pub const HOST_EXISTS: &str = "maintenance_host_exists";
/// A target that is no card.
pub const CARD_EXISTS: &str = "maintenance_card_exists";
/// Most past ones that are listed.
const PAST_MAX: i64 = 50;

/// Maintenance that is in the way of a booking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InTheWay {
    /// The maintenance.
    pub brief: MaintenanceBrief,
    /// Which of the wanted cards it concerns, by host and number.
    pub cards: Vec<NamedCard>,
}

/// Maintenance that meets some cards at some time, in order of its start. Inside a booking's transaction, after the
/// cards' rows are locked: then none can be planned before the booking is written. Ask for what a booking newly takes
/// alone; what it held before the maintenance was planned, it keeps.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn in_the_way(
    conn: &mut PgConnection,
    cards: &[CardUuid],
    wanted: &Window,
) -> Result<Vec<InTheWay>, StoreError> {
    let rows: Vec<MetRow> = sqlx::query_as(
        "select m.maintenance_id, m.reason, lower(m.during) as starts, upper(m.during) as ends,
                wanted.card_uuid, host.name as host_name, wanted.card_index, wanted.instance
         from maintenance m
         join card wanted on wanted.card_uuid = any($1)
         join host using (host_id)
         where m.called_off_at is null and m.during && tstzrange($2, $3, '[)')
           and (m.everywhere or exists (
                select from maintenance_target target left join card part using (card_uuid)
                where target.maintenance_id = m.maintenance_id
                  and (target.host_id = wanted.host_id or (part.gpu = wanted.gpu and part.slices && wanted.slices))))
         order by starts, m.maintenance_id, host.name, wanted.card_index, wanted.instance nulls first",
    )
    .bind(texts(cards))
    .bind(wanted.start())
    .bind(wanted.end())
    .fetch_all(conn)
    .await?;
    let mut all: Vec<InTheWay> = Vec::new();
    for row in rows {
        let card = NamedCard {
            uuid: card_uuid(row.card_uuid)?,
            host: row.host_name,
            number: number(row.card_index, row.instance),
        };
        match all.last_mut() {
            Some(last) if last.brief.id.0 == row.maintenance_id => last.cards.push(card),
            _ => {
                let (id, window) = (MaintenanceId(row.maintenance_id), window(row.starts, row.ends)?);
                all.push(InTheWay { brief: MaintenanceBrief { id, reason: row.reason, window }, cards: vec![card] });
            }
        }
    }
    Ok(all)
}

#[derive(sqlx::FromRow)]
struct MetRow {
    maintenance_id: Uuid,
    reason: String,
    starts: OffsetDateTime,
    ends: OffsetDateTime,
    card_uuid: String,
    host_name: String,
    card_index: i32,
    instance: Option<i32>,
}

/// Maintenance that runs or is to come, by card and start.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn briefs(pool: &PgPool, now: OffsetDateTime) -> Result<Vec<(CardUuid, MaintenanceBrief)>, StoreError> {
    let rows: Vec<(String, Uuid, String, OffsetDateTime, OffsetDateTime)> = sqlx::query_as(
        "select card.card_uuid, m.maintenance_id, m.reason, lower(m.during) as starts, upper(m.during)
         from maintenance m
         join card on m.everywhere or exists (
              select from maintenance_target target left join card part using (card_uuid)
              where target.maintenance_id = m.maintenance_id
                and (target.host_id = card.host_id or (part.gpu = card.gpu and part.slices && card.slices)))
         where m.called_off_at is null and m.during && tstzrange($1, null)
         order by card.card_uuid, starts, m.maintenance_id",
    )
    .bind(now)
    .fetch_all(pool)
    .await?;
    rows.into_iter()
        .map(|(card, id, reason, starts, ends)| {
            let brief = MaintenanceBrief { id: MaintenanceId(id), reason, window: window(starts, ends)? };
            Ok((card_uuid(card)?, brief))
        })
        .collect()
}

/// When cards are not to be had within a time, in order of the start; cards that nobody may book at all come first.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn closures(pool: &PgPool, span: &Window) -> Result<Vec<Closure>, StoreError> {
    let kept: Vec<(String, Vec<String>)> = sqlx::query_as(
        "select not_bookable, array_agg(card_uuid order by card_uuid) from card
         where not_bookable is not null and present group by not_bookable order by not_bookable",
    )
    .fetch_all(pool)
    .await?;
    let planned: Vec<(Uuid, String, OffsetDateTime, OffsetDateTime, Vec<String>)> = sqlx::query_as(
        "select m.maintenance_id, m.reason, lower(m.during) as starts, upper(m.during),
                array_agg(card.card_uuid order by card.card_uuid)
         from maintenance m
         join card on m.everywhere or exists (
              select from maintenance_target target left join card part using (card_uuid)
              where target.maintenance_id = m.maintenance_id
                and (target.host_id = card.host_id or (part.gpu = card.gpu and part.slices && card.slices)))
         where m.called_off_at is null and m.during && tstzrange($1, $2, '[)')
         group by m.maintenance_id
         order by starts, m.maintenance_id",
    )
    .bind(span.start())
    .bind(span.end())
    .fetch_all(pool)
    .await?;
    let cards = |cards: Vec<String>| cards.into_iter().map(card_uuid).collect::<Result<Vec<_>, _>>();
    let mut all = Vec::with_capacity(kept.len() + planned.len());
    for (reason, of) in kept {
        all.push(Closure { maintenance: None, reason, window: None, cards: cards(of)? });
    }
    for (id, reason, starts, ends, of) in planned {
        let window = Some(window(starts, ends)?);
        all.push(Closure { maintenance: Some(MaintenanceId(id)), reason, window, cards: cards(of)? });
    }
    Ok(all)
}

/// The cards that some targets concern now, in one order.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn concerned(conn: &mut PgConnection, targets: &Targets) -> Result<Vec<CardUuid>, StoreError> {
    let rows: Vec<String> = sqlx::query_scalar(
        "select card_uuid from card where $1 or host_id = any($2) or card_uuid = any($3) order by card_uuid",
    )
    .bind(targets.everywhere)
    .bind(targets.hosts.iter().map(|host| host.0).collect::<Vec<_>>())
    .bind(texts(&targets.cards))
    .fetch_all(conn)
    .await?;
    rows.into_iter().map(card_uuid).collect()
}

/// Locks everything that some targets concern, so that no booking of it can be written before this transaction ends.
/// Gives the cards.
///
/// # Errors
/// [`StoreError`], with SQLSTATE 55P03 after three seconds of waiting.
pub async fn lock_concerned(conn: &mut PgConnection, targets: &Targets) -> Result<Vec<CardUuid>, StoreError> {
    // A card that a report adds meanwhile would have a row that nobody has locked.
    sqlx::query("lock table card in share mode").execute(&mut *conn).await?;
    let cards = concerned(&mut *conn, targets).await?;
    lock_cards(conn, &cards).await?;
    Ok(cards)
}

/// A maintenance as it is stored.
#[derive(Clone, Debug)]
pub struct Stored {
    /// Identity.
    pub id: MaintenanceId,
    /// What it is.
    pub plan: Plan,
    /// Who planned it: display name.
    pub made_by: String,
    /// When it was called off.
    pub called_off_at: Option<OffsetDateTime>,
}

#[derive(sqlx::FromRow)]
struct StoredRow {
    maintenance_id: Uuid,
    reason: String,
    starts: OffsetDateTime,
    ends: OffsetDateTime,
    everywhere: bool,
    made_by: String,
    called_off_at: Option<OffsetDateTime>,
    hosts: Vec<Uuid>,
    cards: Vec<String>,
}

const STORED: &str = r#"select m.maintenance_id, m.reason, lower(m.during) as starts, upper(m.during) as ends,
        m.everywhere, person.display_name as made_by, m.called_off_at,
        array(select target.host_id from maintenance_target target
              where target.maintenance_id = m.maintenance_id and target.host_id is not null order by 1) as hosts,
        array(select target.card_uuid from maintenance_target target
              where target.maintenance_id = m.maintenance_id and target.card_uuid is not null order by 1) as cards
 from maintenance m join "user" person on person.user_id = m.made_by"#;

impl TryFrom<StoredRow> for Stored {
    type Error = StoreError;

    fn try_from(row: StoredRow) -> Result<Self, StoreError> {
        let targets = Targets {
            everywhere: row.everywhere,
            hosts: row.hosts.into_iter().map(HostId).collect(),
            cards: row.cards.into_iter().map(card_uuid).collect::<Result<_, _>>()?,
        };
        Ok(Self {
            id: MaintenanceId(row.maintenance_id),
            plan: Plan { reason: row.reason, window: window(row.starts, row.ends)?, targets },
            made_by: row.made_by,
            called_off_at: row.called_off_at,
        })
    }
}

/// Those that run or are to come, in order of their start.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn open(pool: &PgPool, now: OffsetDateTime) -> Result<Vec<Stored>, StoreError> {
    let statement = format!(
        "{STORED} where m.called_off_at is null and m.during && tstzrange($1, null) order by starts, m.maintenance_id"
    );
    let rows: Vec<StoredRow> = sqlx::query_as(sqlx::AssertSqlSafe(statement)).bind(now).fetch_all(pool).await?;
    rows.into_iter().map(Stored::try_from).collect()
}

/// Those that are over or were called off, newest first.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn past(pool: &PgPool, now: OffsetDateTime) -> Result<Vec<Stored>, StoreError> {
    let statement = format!(
        "{STORED} where m.called_off_at is not null or upper(m.during) <= $1
         order by starts desc, m.maintenance_id desc limit $2"
    );
    let rows: Vec<StoredRow> =
        sqlx::query_as(sqlx::AssertSqlSafe(statement)).bind(now).bind(PAST_MAX).fetch_all(pool).await?;
    rows.into_iter().map(Stored::try_from).collect()
}

/// Locks one.
///
/// # Errors
/// [`StoreError`], with SQLSTATE 55P03 after three seconds of waiting.
pub async fn lock(conn: &mut PgConnection, id: MaintenanceId) -> Result<Option<Stored>, StoreError> {
    let statement = format!("{STORED} where m.maintenance_id = $1 for no key update of m");
    let row: Option<StoredRow> = sqlx::query_as(sqlx::AssertSqlSafe(statement)).bind(id.0).fetch_optional(conn).await?;
    row.map(Stored::try_from).transpose()
}

/// Reads one.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn one(conn: &mut PgConnection, id: MaintenanceId) -> Result<Option<Stored>, StoreError> {
    let statement = format!("{STORED} where m.maintenance_id = $1");
    let row: Option<StoredRow> = sqlx::query_as(sqlx::AssertSqlSafe(statement)).bind(id.0).fetch_optional(conn).await?;
    row.map(Stored::try_from).transpose()
}

/// How the targets are called: hosts as a whole, and single cards.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn names(conn: &mut PgConnection, targets: &Targets) -> Result<(Vec<String>, Vec<NamedCard>), StoreError> {
    let hosts: Vec<String> = sqlx::query_scalar("select name from host where host_id = any($1) order by name")
        .bind(targets.hosts.iter().map(|host| host.0).collect::<Vec<_>>())
        .fetch_all(&mut *conn)
        .await?;
    let cards: Vec<(String, String, i32, Option<i32>)> = sqlx::query_as(
        "select card_uuid, host.name, card_index, instance from card join host using (host_id)
         where card_uuid = any($1) order by host.name, card_index, instance nulls first",
    )
    .bind(texts(&targets.cards))
    .fetch_all(conn)
    .await?;
    let cards = cards.into_iter().map(|(uuid, host, index, instance)| {
        Ok(NamedCard { uuid: card_uuid(uuid)?, host, number: number(index, instance) })
    });
    Ok((hosts, cards.collect::<Result<_, StoreError>>()?))
}

/// Writes a new one. Tells whether it was new.
///
/// # Errors
/// [`StoreError`] with [`HOST_EXISTS`] or [`CARD_EXISTS`] where a target is not known.
pub async fn insert(
    conn: &mut PgConnection,
    id: MaintenanceId,
    plan: &Plan,
    by: UserId,
    now: OffsetDateTime,
) -> Result<bool, StoreError> {
    let made = sqlx::query(
        "insert into maintenance (maintenance_id, reason, during, everywhere, made_by, made_at)
         values ($1, $2, tstzrange($3, $4, '[)'), $5, $6, $7) on conflict (maintenance_id) do nothing",
    )
    .bind(id.0)
    .bind(&plan.reason)
    .bind(plan.window.start())
    .bind(plan.window.end())
    .bind(plan.targets.everywhere)
    .bind(by.0)
    .bind(now)
    .execute(&mut *conn)
    .await?;
    if made.rows_affected() == 0 {
        return Ok(false);
    }
    insert_targets(conn, id, &plan.targets).await?;
    Ok(true)
}

/// Makes another plan of one.
///
/// # Errors
/// As [`insert`].
pub async fn update(conn: &mut PgConnection, id: MaintenanceId, plan: &Plan) -> Result<(), StoreError> {
    sqlx::query(
        "update maintenance set reason = $2, during = tstzrange($3, $4, '[)'), everywhere = $5
         where maintenance_id = $1",
    )
    .bind(id.0)
    .bind(&plan.reason)
    .bind(plan.window.start())
    .bind(plan.window.end())
    .bind(plan.targets.everywhere)
    .execute(&mut *conn)
    .await?;
    sqlx::query("delete from maintenance_target where maintenance_id = $1").bind(id.0).execute(&mut *conn).await?;
    insert_targets(conn, id, &plan.targets).await
}

async fn insert_targets(conn: &mut PgConnection, id: MaintenanceId, targets: &Targets) -> Result<(), StoreError> {
    sqlx::query(
        "insert into maintenance_target (maintenance_id, host_id, card_uuid)
         select $1, host_id, null from unnest($2::uuid[]) as host (host_id)
         union all select $1, null, card_uuid from unnest($3::text[]) as card (card_uuid)",
    )
    .bind(id.0)
    .bind(targets.hosts.iter().map(|host| host.0).collect::<Vec<_>>())
    .bind(texts(&targets.cards))
    .execute(conn)
    .await?;
    Ok(())
}

/// Calls one off that has not begun.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn call_off(conn: &mut PgConnection, id: MaintenanceId, now: OffsetDateTime) -> Result<(), StoreError> {
    sqlx::query("update maintenance set called_off_at = $2 where maintenance_id = $1")
        .bind(id.0)
        .bind(now)
        .execute(conn)
        .await?;
    Ok(())
}
