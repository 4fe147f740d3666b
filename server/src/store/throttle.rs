//! Rows of `sign_in_throttle`: how often something was tried, and how long the next try has to wait.

use sqlx::PgPool;
use time::{Duration, OffsetDateTime};

use super::StoreError;

/// Longest wait, in seconds.
const LONGEST: f64 = 60.0;
/// After this long without a try all is forgotten.
const FORGET_AFTER: Duration = Duration::minutes(15);

/// May this try be made?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It may, and is counted already.
    Go,
    /// Not before so many seconds.
    Wait(u64),
}

/// Seconds from the last try until the next may be made: none at first, then 1, 2, 4, up to the longest.
macro_rules! wait {
    () => {
        "case when t.failures < $3 then 0 else least($4, power(2::float8, t.failures - $3)) end"
    };
}

/// Counts a try at `subject` before it is made, so that many at once cannot slip through together. The first `free`
/// go without a wait.
///
/// # Errors
/// [`StoreError`].
pub async fn admit(pool: &PgPool, subject: &str, free: i32, now: OffsetDateTime) -> Result<Admission, StoreError> {
    let counted: Option<(i32,)> = sqlx::query_as(concat!(
        "insert into sign_in_throttle as t (subject, failures, last_at) values ($1, 1, $2)
         on conflict (subject) do update
         set failures = case when t.last_at < $5 then 1 else least(t.failures + 1, 1000) end, last_at = $2
         where t.last_at < $5 or t.last_at + make_interval(secs => ",
        wait!(),
        ") <= $2
         returning failures"
    ))
    .bind(subject)
    .bind(now)
    .bind(free)
    .bind(LONGEST)
    .bind(now - FORGET_AFTER)
    .fetch_optional(pool)
    .await?;
    if counted.is_some() {
        return Ok(Admission::Go);
    }
    let left: Option<(f64,)> = sqlx::query_as(concat!(
        "select extract(epoch from t.last_at + make_interval(secs => ",
        wait!(),
        ") - $2)::float8 from sign_in_throttle t where t.subject = $1"
    ))
    .bind(subject)
    .bind(now)
    .bind(free)
    .bind(LONGEST)
    .fetch_optional(pool)
    .await?;
    let seconds = left.map_or(1.0, |(left,)| left.ceil().clamp(1.0, LONGEST));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and 60")]
    let seconds = seconds as u64;
    Ok(Admission::Wait(seconds))
}

/// Takes one count back: the try turned out not to be a guess.
///
/// # Errors
/// [`StoreError`].
pub async fn give_back(pool: &PgPool, subject: &str) -> Result<(), StoreError> {
    sqlx::query("update sign_in_throttle set failures = greatest(failures - 1, 0) where subject = $1")
        .bind(subject)
        .execute(pool)
        .await?;
    Ok(())
}

/// Forgets all tries at `subject`.
///
/// # Errors
/// [`StoreError`].
pub async fn forget(pool: &PgPool, subject: &str) -> Result<(), StoreError> {
    sqlx::query("delete from sign_in_throttle where subject = $1").bind(subject).execute(pool).await?;
    Ok(())
}

/// Deletes what no longer counts; gives how many.
///
/// # Errors
/// [`StoreError`].
pub async fn delete_old(pool: &PgPool, now: OffsetDateTime) -> Result<u64, StoreError> {
    let done =
        sqlx::query("delete from sign_in_throttle where last_at < $1").bind(now - FORGET_AFTER).execute(pool).await?;
    Ok(done.rows_affected())
}
