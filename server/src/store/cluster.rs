//! Databases of the private Postgres.

use sqlx::{AssertSqlSafe, PgConnection};

use super::StoreError;

/// Makes the database `name` (a plain word of ours) where it is not there yet.
///
/// # Errors
/// [`StoreError`] where Postgres refuses.
pub async fn ensure_database(connection: &mut PgConnection, name: &str) -> Result<(), StoreError> {
    let there: bool = sqlx::query_scalar("select exists (select from pg_database where datname = $1)")
        .bind(name)
        .fetch_one(&mut *connection)
        .await?;
    if !there {
        sqlx::query(AssertSqlSafe(format!("create database \"{name}\""))).execute(&mut *connection).await?;
    }
    Ok(())
}
