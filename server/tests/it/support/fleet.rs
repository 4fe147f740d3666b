//! People, hosts and cards put straight into the database.

use domain::id::{CardUuid, HostId, UserId};
use domain::user::Role;
use domain::wire::page::Viewer;
use sqlx::PgPool;
use uuid::Uuid;

use super::clock::MORNING;

/// Adds a person.
pub async fn person(pool: &PgPool, name: &str, display_name: &str, role: Role) -> Viewer {
    let id = UserId(Uuid::now_v7());
    sqlx::query(
        r#"insert into "user" (user_id, name, display_name, password_hash, role, hue, zone, created_at)
           values ($1, $2, $3, 'none', $4, 50, 'UTC', $5)"#,
    )
    .bind(id.0)
    .bind(name)
    .bind(display_name)
    .bind(role.as_str())
    .bind(MORNING)
    .execute(pool)
    .await
    .unwrap();
    Viewer { id, name: name.to_owned(), display_name: display_name.to_owned(), role }
}

/// Adds a member.
pub async fn member(pool: &PgPool, name: &str) -> Viewer {
    person(pool, name, &format!("Person {name}"), Role::Member).await
}

/// Adds a host with so many whole cards.
pub async fn host(pool: &PgPool, name: &str, cards: i32) -> (HostId, Vec<CardUuid>) {
    let id = HostId(Uuid::now_v7());
    sqlx::query("insert into host (host_id, name, created_at) values ($1, $2, $3)")
        .bind(id.0)
        .bind(name)
        .bind(MORNING)
        .execute(pool)
        .await
        .unwrap();
    let mut uuids = Vec::new();
    for index in 0..cards {
        // Not in the order of the indices, as on real machines.
        let uuid = CardUuid::parse(&format!("GPU-{:04}-{name}-{index}", (index * 7919 + 13) % 1000)).unwrap();
        sqlx::query(
            "insert into card (card_uuid, host_id, gpu, card_index, name, pci_bus_id, memory_mib, first_seen, last_seen)
             values ($1, $2, $1, $3, 'NVIDIA H100 80GB HBM3', $4, 81559, $5, $5)",
        )
        .bind(uuid.as_str())
        .bind(id.0)
        .bind(index)
        .bind(format!("0000:{index:02x}:00.0"))
        .bind(MORNING)
        .execute(pool)
        .await
        .unwrap();
        uuids.push(uuid);
    }
    (id, uuids)
}
