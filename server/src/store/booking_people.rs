//! Who has to do with a booking beside its owner.

use domain::id::{ReservationId, UserId};
use domain::user::Role;
use domain::wire::page::Person;
use sqlx::PgPool;
use uuid::Uuid;

use super::StoreError;

/// Who may launch on some bookings beside their owners, in order of the display names.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn co_users(pool: &PgPool, ids: &[ReservationId]) -> Result<Vec<(ReservationId, Person)>, StoreError> {
    let rows: Vec<(Uuid, Uuid, String, String, String)> = sqlx::query_as(
        r#"select named.reservation_id, person.user_id, person.name, person.display_name, person.role
           from reservation_person named join "user" person using (user_id)
           where named.reservation_id = any($1)
           order by person.display_name, person.user_id"#,
    )
    .bind(ids.iter().map(|id| id.0).collect::<Vec<_>>())
    .fetch_all(pool)
    .await?;
    let person = |(reservation, id, name, display_name, role): (Uuid, Uuid, String, String, String)| {
        let role = Role::parse(&role).unwrap_or(Role::Member);
        (ReservationId(reservation), Person { id: UserId(id), name, display_name, role })
    };
    Ok(rows.into_iter().map(person).collect())
}

/// Those who are in a group that this person manages.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn managed_by(pool: &PgPool, manager: UserId) -> Result<Vec<UserId>, StoreError> {
    let rows: Vec<(Uuid,)> = sqlx::query_as(
        "select distinct theirs.user_id
         from group_member own join group_member theirs using (group_id)
         where own.user_id = $1 and own.manager",
    )
    .bind(manager.0)
    .fetch_all(pool)
    .await?;
    Ok(rows.into_iter().map(|(id,)| UserId(id)).collect())
}
