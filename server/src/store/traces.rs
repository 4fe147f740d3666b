//! What cards did in each quarter of an hour: worked out from their minutes whenever some of them come in, and read for
//! many cards at once.

use domain::calendar::traces::QUARTER;
use domain::id::CardUuid;
use sqlx::{PgConnection, PgPool};
use time::{Duration, OffsetDateTime};

use super::StoreError;
use super::decode::card_uuid;
use super::minutes::Numbers;

/// Works out again the quarters that these minutes of a host's cards lie in. From what is recorded, so that doing it
/// twice changes nothing, and what is missing is made up for.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn roll(conn: &mut PgConnection, numbers: &Numbers, minutes: &[OffsetDateTime]) -> Result<(), StoreError> {
    let mut quarters: Vec<i32> = minutes.iter().map(|minute| quarter(*minute)).collect();
    quarters.sort_unstable();
    quarters.dedup();
    if quarters.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "insert into card_quarter (quarter, card_no, watched_ms, busy_ms, utilisation_n, utilisation_sum)
         select q.quarter, c.card_no, sum(m.watched_ms), sum(m.busy_ms), sum(m.utilisation_n), sum(m.utilisation_sum)
         from unnest($1::int[]) as q (quarter) cross join unnest($2::int[]) as c (card_no)
         join card_minute m on m.card_no = c.card_no
                           and m.minute >= to_timestamp(q.quarter * 900::bigint)
                           and m.minute < to_timestamp((q.quarter + 1) * 900::bigint)
         group by q.quarter, c.card_no
         order by c.card_no, q.quarter
         on conflict (card_no, quarter) do update
         set watched_ms = excluded.watched_ms, busy_ms = excluded.busy_ms, utilisation_n = excluded.utilisation_n,
             utilisation_sum = excluded.utilisation_sum",
    )
    .bind(quarters)
    .bind(numbers.cards().collect::<Vec<_>>())
    .execute(conn)
    .await?;
    Ok(())
}

/// Which quarter of an hour an instant lies in, counted from 1970.
fn quarter(at: OffsetDateTime) -> i32 {
    i32::try_from(at.unix_timestamp().div_euclid(QUARTER.whole_seconds())).unwrap_or(i32::MAX)
}

/// A card, and its use: steps counted from the first, each with the percentage.
pub type Steps = (CardUuid, Vec<(usize, u8)>);

/// The use of all cards of which something was recorded, in steps of whole quarters of an hour from `from` on.
///
/// The utilisation where it could be read; otherwise (of an instance of a card that is cut up, say) the part of the time
/// in which something ran.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn read(
    pool: &PgPool,
    from: OffsetDateTime,
    to: OffsetDateTime,
    step: Duration,
) -> Result<Vec<Steps>, StoreError> {
    let rows: Vec<(String, Vec<i32>, Vec<i32>)> = sqlx::query_as(
        "with steps as (
             select card_no, (quarter - $1) / $3 as step,
                    case when sum(utilisation_n) > 0 then ceil(sum(utilisation_sum)::float8 / sum(utilisation_n))
                         else ceil(sum(busy_ms)::float8 * 100 / sum(watched_ms)) end as percent
             from card_quarter
             where quarter >= $1 and quarter <= $2 and watched_ms > 0
             group by card_no, step
         ), traces as (
             select card_no, array_agg(step) as steps, array_agg(least(percent, 100)::int) as percents
             from steps group by card_no
         )
         select card_uuid, steps, percents from traces join card using (card_no)",
    )
    .bind(quarter(from))
    // The last instant of the stretch, not the first after it.
    .bind(quarter(to - Duration::NANOSECOND))
    .bind(i32::try_from(step.whole_seconds() / QUARTER.whole_seconds()).unwrap_or(1).max(1))
    .fetch_all(pool)
    .await?;
    rows.into_iter()
        .map(|(card, steps, percents)| {
            let whole = |(step, percent): (i32, i32)| Some((usize::try_from(step).ok()?, u8::try_from(percent).ok()?));
            Ok((card_uuid(card)?, steps.into_iter().zip(percents).filter_map(whole).collect()))
        })
        .collect()
}
