//! Jobs that any server may run, and one at a time does.

use sqlx::PgConnection;

use super::StoreError;

/// A job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Job {
    /// Watches booked cards.
    CardWatch,
    /// Serves those who wait.
    Waiting,
}

/// Takes a job on until the transaction ends. Gives false where another server, or another connection of this one, is at
/// it.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn take(conn: &mut PgConnection, job: Job) -> Result<bool, StoreError> {
    // Any numbers do that nothing else uses as such a lock: the migrations lock by one number, this by two.
    let number = match job {
        Job::CardWatch => 1,
        Job::Waiting => 2,
    };
    Ok(sqlx::query_scalar("select pg_try_advisory_xact_lock(8417, $1)").bind(number).fetch_one(conn).await?)
}
