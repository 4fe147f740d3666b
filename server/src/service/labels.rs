//! Labels of hosts and cards. A card has those of its host and its own.

use std::collections::BTreeMap;

use domain::error::{ApiError, ErrorCode, Field};
use domain::id::{CardUuid, HostId};
use domain::rules::label;
use domain::text::en;
use domain::user::Act;
use domain::wire::rules::LabelsPage;
use serde_json::json;
use sqlx::PgConnection;

use super::Services;
use super::upkeep::By;
use crate::auth::caller::not_allowed;
use crate::store::audit::Entry;
use crate::store::{StoreError, audit, change, labels as store, rules};

/// Most labels of one thing.
const LABELS_MAX: usize = 16;

/// Hosts and cards with their labels, and the labels for which there are rules.
///
/// # Errors
/// `server.unavailable`.
pub async fn page(services: &Services) -> Result<LabelsPage, ApiError> {
    let hosts = store::list(&services.pool).await?;
    let mut ruled: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for rule in rules::in_force(&services.pool).await? {
        if let Some(label) = rule.label {
            ruled.entry(label).or_default().push(rule.name);
        }
    }
    Ok(LabelsPage { hosts, ruled: ruled.into_iter().collect() })
}

/// Gives a host exactly these labels, which are apart from each other by spaces or commas.
///
/// # Errors
/// `auth.not_allowed`, `input.invalid`, `not_found`, `server.unavailable`.
pub async fn set_host(services: &Services, by: &By<'_>, host: HostId, labels: &str) -> Result<(), ApiError> {
    let labels = checked(by, labels)?;
    let mut tx = services.pool.begin().await.map_err(StoreError::from)?;
    let unknown = || ApiError::new(ErrorCode::NotFound, en().errors.unknown_host);
    let (name, old) = store::lock_host(&mut tx, host).await?.ok_or_else(unknown)?;
    if old == labels {
        return Ok(());
    }
    store::set_host(&mut tx, host, &labels).await?;
    note(&mut tx, by, "host.labels", name, &old, &labels, services).await?;
    tx.commit().await.map_err(StoreError::from)?;
    services.live.resync();
    Ok(())
}

/// Gives a card exactly these labels of its own.
///
/// # Errors
/// As [`set_host`].
pub async fn set_card(services: &Services, by: &By<'_>, card: &CardUuid, labels: &str) -> Result<(), ApiError> {
    let labels = checked(by, labels)?;
    let mut tx = services.pool.begin().await.map_err(StoreError::from)?;
    let unknown = || ApiError::new(ErrorCode::NotFound, (en().reservation.unknown_card)(&card.short()));
    let (name, old) = store::lock_card(&mut tx, card).await?.ok_or_else(unknown)?;
    if old == labels {
        return Ok(());
    }
    store::set_card(&mut tx, card, &labels).await?;
    note(&mut tx, by, "card.labels", name, &old, &labels, services).await?;
    tx.commit().await.map_err(StoreError::from)?;
    services.live.resync();
    Ok(())
}

/// In order, each once.
fn checked(by: &By<'_>, labels: &str) -> Result<Vec<String>, ApiError> {
    if !by.viewer.role.may(Act::ManageRules) {
        return Err(not_allowed());
    }
    let bad = || ApiError::new(ErrorCode::BadInput, (en().rules.bad_labels)(LABELS_MAX)).on(Field::Label);
    let words = labels.split([' ', ',', ';', '\t', '\n', '\r']).filter(|word| !word.is_empty());
    let mut labels: Vec<String> = words.map(label).collect::<Option<_>>().ok_or_else(bad)?;
    labels.sort_unstable();
    labels.dedup();
    if labels.len() > LABELS_MAX { Err(bad()) } else { Ok(labels) }
}

async fn note(
    conn: &mut PgConnection,
    by: &By<'_>,
    action: &str,
    subject: String,
    before: &[String],
    after: &[String],
    services: &Services,
) -> Result<(), StoreError> {
    let now = services.clock.now();
    let (before, after) = (Some(json!(before)), Some(json!(after)));
    let actor = Some(by.viewer.id);
    let entry = Entry { actor, action, subject, before, after, address: by.address, ..Entry::default() };
    audit::write(conn, &[entry], now).await?;
    change::note(conn, now).await
}
