//! What administrators allow. Each change is one transaction with its entry in the record; a booking is judged by the
//! rules as they stand when its transaction looks.
//!
//! - [`ask`]: judging a booking inside its own transaction
//! - [`trial`]: what a rule would have done

pub mod ask;
pub mod trial;

use domain::error::{ApiError, ErrorCode, Field};
use domain::id::RuleId;
use domain::rules::{NAME_MAX_CHARS, Rule, label, name};
use domain::text::en;
use domain::user::Act;
use domain::wire::page::Viewer;
use domain::wire::rules::{OwnRules, RuleAsk, RulesPage};
use serde_json::{Value, json};
use sqlx::PgConnection;
use uuid::Uuid;

use super::Services;
use super::upkeep::By;
use crate::auth::caller::not_allowed;
use crate::store::audit::Entry;
use crate::store::{StoreError, audit, change, groups, labels, rules as store};

/// Longest time for an approval, in hours: a month.
pub const APPROVAL_HOURS_MAX: u32 = 31 * 24;

/// Rules, and what they can be for.
///
/// # Errors
/// `server.unavailable`.
pub async fn page(services: &Services) -> Result<RulesPage, ApiError> {
    let pool = &services.pool;
    let (rules, groups, labels, approval_hours) =
        tokio::try_join!(store::list(pool), groups::names(pool), labels::in_use(pool), store::approval_hours(pool))?;
    Ok(RulesPage { rules, groups, labels, approval_hours })
}

/// Rules that are for somebody, and what they have: enough to judge by while they type.
///
/// # Errors
/// `server.unavailable`.
pub async fn own(services: &Services, viewer: &Viewer) -> Result<OwnRules, ApiError> {
    let rules = store::of_person(&services.pool, viewer.id).await?;
    let mut conn = services.pool.acquire().await.map_err(StoreError::from)?;
    let now = services.clock.now();
    let person = ask::person(&mut conn, viewer.id).await?;
    let mut standing = ask::standing(&mut conn, viewer.id, &person, now, None, now).await?;
    standing.approves = ask::may_approve(&mut conn, viewer, viewer.id).await?;
    Ok(OwnRules { rules, standing })
}

/// Makes a rule, or puts it in the place of one.
///
/// # Errors
/// `auth.not_allowed`, `input.invalid`, `not_found`, `server.unavailable`.
pub async fn save(services: &Services, by: &By<'_>, ask: &RuleAsk) -> Result<RuleId, ApiError> {
    let ask = checked(by, ask)?;
    let now = services.clock.now();
    let mut tx = services.pool.begin().await.map_err(StoreError::from)?;
    let old = match ask.id {
        Some(id) => Some(store::lock(&mut tx, id).await?.ok_or_else(unknown)?),
        None => None,
    };
    let id = ask.id.unwrap_or_else(|| RuleId(Uuid::now_v7()));
    store::save(&mut tx, id, &ask, by.viewer.id, now).await.map_err(|error| {
        let gone = error.constraint() == Some(store::GROUP_EXISTS);
        if gone { ApiError::new(ErrorCode::NotFound, en().rules.unknown_group) } else { error.into() }
    })?;
    let RuleAsk { name, group, label, limit, .. } = ask;
    let new = Rule { id, name, group, label, limit };
    if old.as_ref() == Some(&new) {
        return Ok(id);
    }
    let action = if old.is_some() { "rule.change" } else { "rule.make" };
    note(&mut tx, by, action, new.name.clone(), old.map(|old| json!(old)), Some(json!(new)), services).await?;
    tx.commit().await.map_err(StoreError::from)?;
    services.live.resync();
    Ok(id)
}

/// Takes a rule out of force.
///
/// # Errors
/// `auth.not_allowed`, `not_found`, `server.unavailable`.
pub async fn remove(services: &Services, by: &By<'_>, rule: RuleId) -> Result<(), ApiError> {
    by_administrator(by)?;
    let mut tx = services.pool.begin().await.map_err(StoreError::from)?;
    let old = store::lock(&mut tx, rule).await?.ok_or_else(unknown)?;
    store::remove(&mut tx, rule, services.clock.now()).await?;
    note(&mut tx, by, "rule.remove", old.name.clone(), Some(json!(old)), None, services).await?;
    tx.commit().await.map_err(StoreError::from)?;
    services.live.resync();
    Ok(())
}

/// Says after how many hours nobody's approval is a no. Bookings that wait already keep their time.
///
/// # Errors
/// `auth.not_allowed`, `input.invalid`, `server.unavailable`.
pub async fn set_approval_hours(services: &Services, by: &By<'_>, hours: u32) -> Result<(), ApiError> {
    by_administrator(by)?;
    if !(1..=APPROVAL_HOURS_MAX).contains(&hours) {
        let message = (en().rules.bad_approval_hours)(APPROVAL_HOURS_MAX);
        return Err(ApiError::new(ErrorCode::BadInput, message).on(Field::Limit));
    }
    let mut tx = services.pool.begin().await.map_err(StoreError::from)?;
    let old = store::approval_hours(&mut *tx).await?;
    if old == hours {
        return Ok(());
    }
    store::set_approval_hours(&mut tx, hours).await?;
    let subject = "approval_hours".to_owned();
    note(&mut tx, by, "setting.change", subject, Some(json!(old)), Some(json!(hours)), services).await?;
    tx.commit().await.map_err(StoreError::from)?;
    Ok(())
}

/// What does not fit cannot have come from a form of ours.
fn checked(by: &By<'_>, ask: &RuleAsk) -> Result<RuleAsk, ApiError> {
    by_administrator(by)?;
    let bad = |message: String, field| Err(ApiError::new(ErrorCode::BadInput, message).on(field));
    let Some(name) = name(&ask.name) else {
        return bad((en().rules.bad_name)(NAME_MAX_CHARS), Field::Name);
    };
    let label = match ask.label.as_deref().map(|text| label(text).ok_or(())) {
        None => None,
        Some(Ok(label)) => Some(label),
        Some(Err(())) => return bad(en().rules.bad_label.to_owned(), Field::Label),
    };
    if let Err(why) = ask.limit.check() {
        return bad(en().bad_rule(&why.into()), Field::Limit);
    }
    Ok(RuleAsk { name, label, ..ask.clone() })
}

fn by_administrator(by: &By<'_>) -> Result<(), ApiError> {
    if by.viewer.role.may(Act::ManageRules) { Ok(()) } else { Err(not_allowed()) }
}

fn unknown() -> ApiError {
    ApiError::new(ErrorCode::NotFound, en().rules.unknown_rule)
}

async fn note(
    conn: &mut PgConnection,
    by: &By<'_>,
    action: &str,
    subject: String,
    before: Option<Value>,
    after: Option<Value>,
    services: &Services,
) -> Result<(), StoreError> {
    let now = services.clock.now();
    let actor = Some(by.viewer.id);
    let entry = Entry { actor, action, subject, before, after, address: by.address, ..Entry::default() };
    audit::write(conn, &[entry], now).await?;
    // Which rules there are is part of the calendar.
    change::note(conn, now).await
}
