//! Groups: made by administrators, looked after by their managers. Each act is one transaction with its entry in the
//! record.

use domain::error::{ApiError, ErrorCode, Field};
use domain::id::{GroupId, UserId};
use domain::rules::name as plain_name;
use domain::text::en;
use domain::user::Act;
use domain::wire::page::Viewer;
use domain::wire::rules::GroupsPage;
use serde_json::json;
use sqlx::PgConnection;
use uuid::Uuid;

use super::Services;
use super::upkeep::By;
use crate::auth::caller::not_allowed;
use crate::store::audit::Entry;
use crate::store::{StoreError, audit, change, groups as store, users};

/// What somebody is to be in a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Membership {
    /// In it.
    Member,
    /// Looks after it.
    Manager,
    /// Not in it.
    None,
}

/// The groups that the viewer looks after: all of them, or those that the viewer manages.
///
/// # Errors
/// `auth.not_allowed` for somebody who manages none; `server.unavailable`.
pub async fn page(services: &Services, viewer: &Viewer) -> Result<GroupsPage, ApiError> {
    let all = viewer.role.may(Act::ManageRules);
    let groups = store::list(&services.pool, (!all).then_some(viewer.id)).await?;
    if !all && groups.is_empty() {
        return Err(not_allowed());
    }
    Ok(GroupsPage { groups, people: users::people(&services.pool).await?, all })
}

/// Makes a group.
///
/// # Errors
/// `auth.not_allowed`, `input.invalid`, `group.name_taken`, `server.unavailable`.
pub async fn make(services: &Services, by: &By<'_>, name: &str) -> Result<GroupId, ApiError> {
    by_administrator(by)?;
    let name = checked(name)?;
    let id = GroupId(Uuid::now_v7());
    let now = services.clock.now();
    let mut tx = services.pool.begin().await.map_err(StoreError::from)?;
    store::insert(&mut tx, id, &name, now).await.map_err(taken)?;
    note(&mut tx, by, "group.make", name.clone(), None, Some(json!({ "id": id, "name": name })), services).await?;
    tx.commit().await.map_err(StoreError::from)?;
    Ok(id)
}

/// Gives a group another name.
///
/// # Errors
/// As [`make`]; `not_found`.
pub async fn rename(services: &Services, by: &By<'_>, group: GroupId, name: &str) -> Result<(), ApiError> {
    by_administrator(by)?;
    let name = checked(name)?;
    let mut tx = services.pool.begin().await.map_err(StoreError::from)?;
    let old = store::lock(&mut tx, group).await?.ok_or_else(unknown)?;
    if old == name {
        return Ok(());
    }
    store::rename(&mut tx, group, &name).await.map_err(taken)?;
    let (before, after) = (json!({ "name": old }), json!({ "id": group, "name": name }));
    note(&mut tx, by, "group.rename", name, Some(before), Some(after), services).await?;
    change::note(&mut tx, services.clock.now()).await?;
    tx.commit().await.map_err(StoreError::from)?;
    services.live.resync();
    Ok(())
}

/// Removes a group. One that has rules stays: what was for its members would be for nobody.
///
/// # Errors
/// `auth.not_allowed`, `not_found`, `group.has_rules`, `server.unavailable`.
pub async fn delete(services: &Services, by: &By<'_>, group: GroupId) -> Result<(), ApiError> {
    by_administrator(by)?;
    let mut tx = services.pool.begin().await.map_err(StoreError::from)?;
    let name = store::lock(&mut tx, group).await?.ok_or_else(unknown)?;
    let rules = store::rules(&mut tx, group).await?;
    if !rules.is_empty() {
        return Err(ApiError::new(ErrorCode::GroupHasRules, (en().rules.group_has_rules)(&rules.join(", "))));
    }
    store::delete(&mut tx, group).await?;
    note(&mut tx, by, "group.delete", name.clone(), Some(json!({ "id": group, "name": name })), None, services).await?;
    change::note(&mut tx, services.clock.now()).await?;
    tx.commit().await.map_err(StoreError::from)?;
    services.live.resync();
    Ok(())
}

/// Says what somebody is in a group. Its managers say who is in it; who manages it, administrators alone say.
///
/// # Errors
/// `auth.not_allowed`, `not_found`, `person.unknown`, `server.unavailable`.
pub async fn set_member(
    services: &Services,
    by: &By<'_>,
    group: GroupId,
    person: UserId,
    becomes: Membership,
) -> Result<(), ApiError> {
    let mut tx = services.pool.begin().await.map_err(StoreError::from)?;
    let administrator = by.viewer.role.may(Act::ManageRules);
    let locked = store::lock(&mut tx, group).await?;
    if !administrator && store::membership(&mut tx, group, by.viewer.id).await? != Some(true) {
        return Err(not_allowed());
    }
    let group_name = locked.ok_or_else(unknown)?;
    let is = match store::membership(&mut tx, group, person).await? {
        Some(true) => Membership::Manager,
        Some(false) => Membership::Member,
        None => Membership::None,
    };
    if is == becomes {
        return Ok(());
    }
    if !administrator && (is == Membership::Manager || becomes == Membership::Manager) {
        return Err(ApiError::new(ErrorCode::NotAllowed, en().rules.managers_by_administrators));
    }
    let unknown_person = || ApiError::new(ErrorCode::UnknownPerson, en().errors.unknown_person).on(Field::Person);
    let name = store::person_name(&mut tx, person).await?.ok_or_else(unknown_person)?;
    match becomes {
        Membership::None => store::remove_member(&mut tx, group, person).await?,
        _ => store::set_member(&mut tx, group, person, becomes == Membership::Manager).await?,
    }
    let said = |membership| match membership {
        Membership::None => None,
        other => Some(json!({ "group": group, "person": name, "manager": other == Membership::Manager })),
    };
    note(&mut tx, by, "group.member", format!("{group_name}: {name}"), said(is), said(becomes), services).await?;
    // Which rules hold for somebody is part of the calendar.
    change::note(&mut tx, services.clock.now()).await?;
    tx.commit().await.map_err(StoreError::from)?;
    services.live.resync();
    Ok(())
}

fn by_administrator(by: &By<'_>) -> Result<(), ApiError> {
    if by.viewer.role.may(Act::ManageRules) { Ok(()) } else { Err(not_allowed()) }
}

fn checked(name: &str) -> Result<String, ApiError> {
    plain_name(name).ok_or_else(|| {
        let message = (en().rules.bad_name)(domain::rules::NAME_MAX_CHARS);
        ApiError::new(ErrorCode::BadInput, message).on(Field::Name)
    })
}

fn taken(error: StoreError) -> ApiError {
    if error.constraint() == Some(store::NAME_KEY) {
        return ApiError::new(ErrorCode::GroupNameTaken, en().rules.group_name_taken).on(Field::Name);
    }
    error.into()
}

fn unknown() -> ApiError {
    ApiError::new(ErrorCode::NotFound, en().rules.unknown_group)
}

async fn note(
    conn: &mut PgConnection,
    by: &By<'_>,
    action: &str,
    subject: String,
    before: Option<serde_json::Value>,
    after: Option<serde_json::Value>,
    services: &Services,
) -> Result<(), StoreError> {
    let actor = Some(by.viewer.id);
    let entry = Entry { actor, action, subject, before, after, address: by.address, ..Entry::default() };
    audit::write(conn, &[entry], services.clock.now()).await
}
