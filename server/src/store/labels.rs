//! Labels of hosts and of cards.

use domain::id::{CardUuid, HostId};
use domain::wire::rules::{LabelledCard, LabelledHost};
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use super::StoreError;
use super::decode::{card_uuid, number};

/// Labels that a host or a card has, in order.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn in_use(pool: &PgPool) -> Result<Vec<String>, StoreError> {
    Ok(sqlx::query_scalar("select label from host_label union select label from card_label order by label")
        .fetch_all(pool)
        .await?)
}

/// Host, UUID, index, instance, model, labels.
type CardRow = (Uuid, String, i32, Option<i32>, String, Vec<String>);

/// Hosts that are not retired with the cards that they report, and the labels of both.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn list(pool: &PgPool) -> Result<Vec<LabelledHost>, StoreError> {
    let hosts: Vec<(Uuid, String, Vec<String>)> = sqlx::query_as(
        "select host_id, name, array(select label from host_label where host_label.host_id = host.host_id order by label)
         from host where retired_at is null order by name",
    )
    .fetch_all(pool)
    .await?;
    let cards: Vec<CardRow> = sqlx::query_as(
        "select host_id, card_uuid, card_index, instance, card.name,
                array(select label from card_label where card_label.card_uuid = card.card_uuid order by label)
         from card join host using (host_id)
         where present and retired_at is null
         order by card_index, instance nulls first, card_uuid",
    )
    .fetch_all(pool)
    .await?;
    let mut all: Vec<LabelledHost> = hosts
        .into_iter()
        .map(|(id, name, labels)| LabelledHost { id: HostId(id), name, labels, cards: Vec::new() })
        .collect();
    for (host, uuid, index, instance, name, labels) in cards {
        let Some(host) = all.iter_mut().find(|row| row.id.0 == host) else { continue };
        let (uuid, number) = (card_uuid(uuid)?, number(index, instance));
        let model = domain::card::short_model(&name).to_owned();
        host.cards.push(LabelledCard { uuid, number, model, labels });
    }
    Ok(all)
}

/// Locks a host; gives its name and labels, `None` where there is no such host.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn lock_host(conn: &mut PgConnection, host: HostId) -> Result<Option<(String, Vec<String>)>, StoreError> {
    Ok(sqlx::query_as(
        "select name, array(select label from host_label where host_label.host_id = host.host_id order by label)
         from host where host_id = $1 for no key update of host",
    )
    .bind(host.0)
    .fetch_optional(conn)
    .await?)
}

/// Locks a card; gives what it is called and its own labels, `None` where there is no such card.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn lock_card(conn: &mut PgConnection, card: &CardUuid) -> Result<Option<(String, Vec<String>)>, StoreError> {
    Ok(sqlx::query_as(
        "select host.name || ':' || card_index || coalesce(':' || instance, ''),
                array(select label from card_label where card_label.card_uuid = card.card_uuid order by label)
         from card join host using (host_id) where card_uuid = $1 for no key update of card",
    )
    .bind(card.as_str())
    .fetch_optional(conn)
    .await?)
}

/// Gives a host exactly these labels.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn set_host(conn: &mut PgConnection, host: HostId, labels: &[String]) -> Result<(), StoreError> {
    sqlx::query("delete from host_label where host_id = $1 and label <> all($2)")
        .bind(host.0)
        .bind(labels)
        .execute(&mut *conn)
        .await?;
    sqlx::query("insert into host_label (host_id, label) select $1, unnest($2::text[]) on conflict do nothing")
        .bind(host.0)
        .bind(labels)
        .execute(conn)
        .await?;
    Ok(())
}

/// Gives a card exactly these labels of its own.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn set_card(conn: &mut PgConnection, card: &CardUuid, labels: &[String]) -> Result<(), StoreError> {
    sqlx::query("delete from card_label where card_uuid = $1 and label <> all($2)")
        .bind(card.as_str())
        .bind(labels)
        .execute(&mut *conn)
        .await?;
    sqlx::query("insert into card_label (card_uuid, label) select $1, unnest($2::text[]) on conflict do nothing")
        .bind(card.as_str())
        .bind(labels)
        .execute(conn)
        .await?;
    Ok(())
}
