//! What hosts and their cards are, as their agents last said.

use domain::id::HostId;
use domain::inventory::Inventory;
use sqlx::types::Json;
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use super::StoreError;

/// An inventory and when it came.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    /// The agent's name for this content.
    pub id: String,
    /// What it says.
    pub inventory: Inventory,
    /// When the server received it.
    pub at: OffsetDateTime,
}

/// The inventory of a host; `None` where none has come, or it cannot be read by this version.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn of_host(pool: &PgPool, host: HostId) -> Result<Option<Known>, StoreError> {
    let row: Option<(String, serde_json::Value, OffsetDateTime)> = sqlx::query_as(
        "select inventory_id, inventory, inventory_at from host
         where host_id = $1 and inventory_id is not null and inventory is not null and inventory_at is not null",
    )
    .bind(host.0)
    .fetch_optional(pool)
    .await?;
    let Some((id, body, at)) = row else { return Ok(None) };
    match serde_json::from_value(body) {
        Ok(inventory) => Ok(Some(Known { id, inventory, at })),
        Err(error) => {
            tracing::warn!(host = %host.0, cause = %error, "a stored inventory cannot be read");
            Ok(None)
        }
    }
}

/// Keeps inventories: host, the agent's name for it, content, time of receipt. Each host at most once per call.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn keep(
    conn: &mut PgConnection,
    inventories: &[(HostId, &str, &Inventory, OffsetDateTime)],
) -> Result<(), StoreError> {
    if inventories.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "update host set inventory_id = n.id, inventory = n.inventory, inventory_at = n.at
         from unnest($1::uuid[], $2::text[], $3::jsonb[], $4::timestamptz[]) as n (host_id, id, inventory, at)
         where host.host_id = n.host_id",
    )
    .bind(inventories.iter().map(|(host, ..)| host.0).collect::<Vec<_>>())
    .bind(inventories.iter().map(|(_, id, ..)| *id).collect::<Vec<_>>())
    .bind(inventories.iter().map(|(_, _, inventory, _)| Json(*inventory)).collect::<Vec<_>>())
    .bind(inventories.iter().map(|(.., at)| *at).collect::<Vec<_>>())
    .execute(conn)
    .await?;
    Ok(())
}

/// Of these hosts with the names of their present inventories, those whose content is not here.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn lacking(conn: &mut PgConnection, named: &[(HostId, &str)]) -> Result<Vec<HostId>, StoreError> {
    if named.is_empty() {
        return Ok(Vec::new());
    }
    let rows: Vec<Uuid> = sqlx::query_scalar(
        "select n.host_id from unnest($1::uuid[], $2::text[]) as n (host_id, id)
         join host using (host_id)
         where host.inventory is null or host.inventory_id is distinct from n.id",
    )
    .bind(named.iter().map(|(host, _)| host.0).collect::<Vec<_>>())
    .bind(named.iter().map(|(_, id)| *id).collect::<Vec<_>>())
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(HostId).collect())
}
