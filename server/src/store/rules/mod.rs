//! What administrators allow: the rules, and the settings that are one value each.
//!
//! - [`standing`]: what somebody has, as far as rules look at it
//! - [`past`]: bookings of the last days, to try a rule on

pub mod past;
pub mod standing;

use domain::id::{GroupId, RuleId, UserId};
use domain::rules::{Limit, Rule};
use domain::wire::rules::{RuleAsk, RuleRow};
use serde_json::Value;
use sqlx::types::Json;
use sqlx::{PgConnection, PgExecutor, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use super::StoreError;

/// A group that is not known.
pub const GROUP_EXISTS: &str = "rule_group_exists";
/// Hours after which nobody's approval is a no, where administrators have not said.
pub const APPROVAL_HOURS: u32 = 24;
const APPROVAL_HOURS_SETTING: &str = "approval_hours";

#[derive(sqlx::FromRow)]
struct Row {
    rule_id: Uuid,
    name: String,
    group_id: Option<Uuid>,
    label: Option<String>,
    body: Json<Limit>,
}

impl Row {
    fn into_rule(self) -> Rule {
        let Self { rule_id, name, group_id, label, body: Json(limit) } = self;
        Rule { id: RuleId(rule_id), name, group: group_id.map(GroupId), label, limit }
    }
}

/// Rules in force that are for the person `$1`, by name, as one value: it is asked for beside other things, too.
macro_rules! of_person {
    () => {
        "select coalesce(jsonb_agg(jsonb_build_object('id', rule_id, 'name', name, 'group', group_id, 'label', label,
                                                      'limit', body) order by lower(name), rule_id), '[]')
         from rule
         where removed_at is null and (group_id is null or exists (
             select from group_member where group_member.group_id = rule.group_id and user_id = $1))"
    };
}
pub(in crate::store) use of_person as of_person_sql;

/// Rules in force that are for somebody, by name.
///
/// # Errors
/// [`StoreError`] where the database does not answer, or holds a rule that this version does not know: nothing is booked
/// past a rule that cannot be read.
pub async fn of_person(db: impl PgExecutor<'_>, person: UserId) -> Result<Vec<Rule>, StoreError> {
    let Json(rules): Json<Vec<Rule>> = sqlx::query_scalar(of_person!()).bind(person.0).fetch_one(db).await?;
    Ok(rules)
}

/// The same for being shown: a rule that this version cannot read is left out.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn shown_to_person(db: impl PgExecutor<'_>, person: UserId) -> Result<Vec<Rule>, StoreError> {
    let Json(rules): Json<Vec<Value>> = sqlx::query_scalar(of_person!()).bind(person.0).fetch_one(db).await?;
    Ok(rules.into_iter().filter_map(|rule| serde_json::from_value(rule).ok()).collect())
}

/// Every rule in force, by name.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn in_force(db: impl PgExecutor<'_>) -> Result<Vec<Rule>, StoreError> {
    let rows: Vec<Row> = sqlx::query_as(
        "select rule_id, name, group_id, label, body from rule where removed_at is null order by lower(name), rule_id",
    )
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(Row::into_rule).collect())
}

/// Every rule in force, with who made it or changed it last, by name.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn list(pool: &PgPool) -> Result<Vec<RuleRow>, StoreError> {
    #[derive(sqlx::FromRow)]
    struct Listed {
        #[sqlx(flatten)]
        rule: Row,
        made_by_name: String,
        made_at: OffsetDateTime,
    }
    let rows: Vec<Listed> = sqlx::query_as(
        r#"select rule_id, rule.name, group_id, label, body, display_name as made_by_name, made_at
           from rule join "user" on user_id = made_by
           where removed_at is null
           order by lower(rule.name), rule_id"#,
    )
    .fetch_all(pool)
    .await?;
    let row = |row: Listed| RuleRow { rule: row.rule.into_rule(), made_by: row.made_by_name, made_at: row.made_at };
    Ok(rows.into_iter().map(row).collect())
}

/// Locks a rule in force; `None` where there is no such rule.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn lock(conn: &mut PgConnection, id: RuleId) -> Result<Option<Rule>, StoreError> {
    let row: Option<Row> = sqlx::query_as(
        "select rule_id, name, group_id, label, body from rule where rule_id = $1 and removed_at is null for update",
    )
    .bind(id.0)
    .fetch_optional(conn)
    .await?;
    Ok(row.map(Row::into_rule))
}

/// Makes a rule, or puts another one in the place of one that is locked.
///
/// # Errors
/// [`StoreError`], with [`GROUP_EXISTS`] where there is no such group.
pub async fn save(
    conn: &mut PgConnection,
    id: RuleId,
    ask: &RuleAsk,
    by: UserId,
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    sqlx::query(
        "insert into rule (rule_id, name, group_id, label, body, made_by, made_at) values ($1, $2, $3, $4, $5, $6, $7)
         on conflict (rule_id) do update set name = $2, group_id = $3, label = $4, body = $5, made_by = $6, made_at = $7",
    )
    .bind(id.0)
    .bind(&ask.name)
    .bind(ask.group.map(|group| group.0))
    .bind(&ask.label)
    .bind(Json(&ask.limit))
    .bind(by.0)
    .bind(now)
    .execute(conn)
    .await?;
    Ok(())
}

/// Takes a rule out of force.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn remove(conn: &mut PgConnection, id: RuleId, now: OffsetDateTime) -> Result<(), StoreError> {
    sqlx::query("update rule set removed_at = $2 where rule_id = $1").bind(id.0).bind(now).execute(conn).await?;
    Ok(())
}

/// Hours after which nobody's approval is a no.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn approval_hours(db: impl PgExecutor<'_>) -> Result<u32, StoreError> {
    let row: Option<Json<u32>> = sqlx::query_scalar("select value from setting where name = $1")
        .bind(APPROVAL_HOURS_SETTING)
        .fetch_optional(db)
        .await?;
    Ok(row.map_or(APPROVAL_HOURS, |Json(hours)| hours))
}

/// Sets them.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn set_approval_hours(conn: &mut PgConnection, hours: u32) -> Result<(), StoreError> {
    sqlx::query("insert into setting (name, value) values ($1, $2) on conflict (name) do update set value = $2")
        .bind(APPROVAL_HOURS_SETTING)
        .bind(Json(hours))
        .execute(conn)
        .await?;
    Ok(())
}
