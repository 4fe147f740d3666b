//! What cards did, minute by minute. Each part of a minute is taken in once, however often it is sent: whether it was
//! is a row of `host_minute`, written in the transaction that adds it to the cards' rows.

use std::collections::{BTreeMap, HashMap, HashSet};

use domain::id::{CardUuid, HostId};
use domain::wire::minutes_v1::{CardMinute, HostMinute, Spread};
use serde::Serialize;
use sqlx::PgConnection;
use sqlx::types::Json;
use time::OffsetDateTime;

use super::StoreError;

/// Cards of a host, by their UUID, with their short numbers; and the host's own.
#[derive(Debug)]
pub struct Numbers {
    host: i32,
    cards: HashMap<String, i32>,
}

impl Numbers {
    /// Whether the database knows this card as one of the host's.
    #[must_use]
    pub fn has(&self, card: &CardUuid) -> bool {
        self.cards.contains_key(card.as_str())
    }

    /// The short numbers of its cards.
    pub(super) fn cards(&self) -> impl Iterator<Item = i32> {
        self.cards.values().copied()
    }
}

/// The short numbers of a host and of its cards; `None` where there is no such host.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn numbers(conn: &mut PgConnection, host: HostId) -> Result<Option<Numbers>, StoreError> {
    let number: Option<i32> = sqlx::query_scalar("select host_no from host where host_id = $1")
        .bind(host.0)
        .fetch_optional(&mut *conn)
        .await?;
    let Some(number) = number else { return Ok(None) };
    let cards: Vec<(String, i32)> =
        sqlx::query_as("select card_uuid, card_no from card where host_id = $1").bind(host.0).fetch_all(conn).await?;
    Ok(Some(Numbers { host: number, cards: cards.into_iter().collect() }))
}

/// Notes parts of minutes as taken, and gives those that had not been: their position in `minutes`. A minute has at
/// most `parts_max` parts; what comes beyond is in the second list.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn note(
    conn: &mut PgConnection,
    numbers: &Numbers,
    minutes: &[HostMinute],
    parts_max: usize,
    now: OffsetDateTime,
) -> Result<(Vec<usize>, Vec<usize>), StoreError> {
    let times: Vec<OffsetDateTime> = minutes.iter().map(|minute| minute.minute).collect();
    let known: Vec<(OffsetDateTime, i64)> =
        sqlx::query_as("select minute, part from host_minute where host_no = $1 and minute = any($2)")
            .bind(numbers.host)
            .bind(&times)
            .fetch_all(&mut *conn)
            .await?;
    let mut parts: HashMap<OffsetDateTime, HashSet<i64>> = HashMap::new();
    for (minute, part) in known {
        parts.entry(minute).or_default().insert(part);
    }
    let (mut fresh, mut beyond) = (Vec::new(), Vec::new());
    for (at, minute) in minutes.iter().enumerate() {
        let parts = parts.entry(minute.minute).or_default();
        let part = signed(minute.part);
        if parts.contains(&part) {
            continue;
        }
        if parts.len() >= parts_max {
            beyond.push(at);
            continue;
        }
        parts.insert(part);
        fresh.push(at);
    }
    // In one order, so that two requests of one host cannot wait for each other.
    fresh.sort_by_key(|at| (minutes[*at].minute, minutes[*at].part));
    let of = |at: &usize| &minutes[*at];
    let written: Vec<(OffsetDateTime, i64)> = sqlx::query_as(
        "insert into host_minute (host_no, minute, part, received_at, clock_ahead_ms)
         select $1, n.minute, n.part, $5, n.ahead
         from unnest($2::timestamptz[], $3::bigint[], $4::bigint[]) as n (minute, part, ahead)
         on conflict do nothing returning minute, part",
    )
    .bind(numbers.host)
    .bind(fresh.iter().map(|at| of(at).minute).collect::<Vec<_>>())
    .bind(fresh.iter().map(|at| signed(of(at).part)).collect::<Vec<_>>())
    .bind(fresh.iter().map(|at| of(at).clock_ahead_ms).collect::<Vec<_>>())
    .bind(now)
    .fetch_all(conn)
    .await?;
    let written: HashSet<(OffsetDateTime, i64)> = written.into_iter().collect();
    fresh.retain(|at| written.contains(&(of(at).minute, signed(of(at).part))));
    Ok((fresh, beyond))
}

fn signed(part: u64) -> i64 {
    i64::from_ne_bytes(part.to_ne_bytes())
}

#[derive(Serialize)]
struct CardRow {
    #[serde(with = "time::serde::rfc3339")]
    minute: OffsetDateTime,
    card_no: i32,
    watched_ms: u32,
    samples: u32,
    busy_ms: u32,
    unwell_ms: u32,
    utilisation_n: u32,
    utilisation_sum: u64,
    utilisation_min: Option<u64>,
    utilisation_max: Option<u64>,
    memory_n: u32,
    memory_sum_mib: u64,
    memory_max_mib: Option<u64>,
    power_n: u32,
    power_sum_mw: u64,
    power_max_mw: Option<u64>,
    energy_mj: Option<u64>,
    energy_is_counted: bool,
    temperature_max: Option<u32>,
}

#[derive(Serialize)]
struct AccountRow {
    #[serde(with = "time::serde::rfc3339")]
    minute: OffsetDateTime,
    card_no: i32,
    os_user: String,
    container: String,
    present_ms: u32,
    memory_max_mib: Option<u64>,
    compute_ms: Option<u32>,
}

/// Adds cards' minutes to what is there. Cards that the host does not have are left out.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn add<'a>(
    conn: &mut PgConnection,
    numbers: &Numbers,
    minutes: impl Iterator<Item = &'a HostMinute>,
) -> Result<(), StoreError> {
    // Parts of one minute that come together are added up here: a statement touches a row only once.
    let mut sums: BTreeMap<(i32, OffsetDateTime), CardMinute> = BTreeMap::new();
    for minute in minutes {
        for card in &minute.cards {
            let Some(&number) = numbers.cards.get(card.card.as_str()) else { continue };
            sums.entry((number, minute.minute)).or_insert_with(|| CardMinute::new(card.card.clone())).add(card.clone());
        }
    }
    let mut accounts: Vec<AccountRow> = Vec::new();
    let cards: Vec<CardRow> = sums
        .into_iter()
        .map(|((card_no, minute), sum)| {
            accounts.extend(sum.accounts.iter().map(|account| AccountRow {
                minute,
                card_no,
                os_user: account.os_user.clone().unwrap_or_default(),
                container: account.container.clone().unwrap_or_default(),
                present_ms: account.present_ms,
                memory_max_mib: account.memory_max_mib,
                compute_ms: account.compute_ms,
            }));
            card_row(card_no, minute, &sum)
        })
        .collect();
    accounts.sort_by(|a, b| {
        (a.card_no, a.minute, &a.os_user, &a.container).cmp(&(b.card_no, b.minute, &b.os_user, &b.container))
    });
    add_cards(&mut *conn, numbers.host, &cards).await?;
    add_accounts(conn, numbers.host, &accounts).await
}

fn card_row(card_no: i32, minute: OffsetDateTime, sum: &CardMinute) -> CardRow {
    let n = |spread: Option<Spread>| spread.map_or(0, |spread| spread.n);
    let total = |spread: Option<Spread>| spread.map_or(0, |spread| spread.sum);
    let highest = |spread: Option<Spread>| spread.map(|spread| spread.max);
    CardRow {
        minute,
        card_no,
        watched_ms: sum.watched_ms,
        samples: sum.samples,
        busy_ms: sum.busy_ms,
        unwell_ms: sum.unwell_ms,
        utilisation_n: n(sum.utilisation),
        utilisation_sum: total(sum.utilisation),
        utilisation_min: sum.utilisation.map(|spread| spread.min),
        utilisation_max: highest(sum.utilisation),
        memory_n: n(sum.memory),
        memory_sum_mib: total(sum.memory),
        memory_max_mib: highest(sum.memory),
        power_n: n(sum.power),
        power_sum_mw: total(sum.power),
        power_max_mw: highest(sum.power),
        energy_mj: sum.energy_mj,
        energy_is_counted: sum.energy_is_counted,
        temperature_max: sum.temperature_max,
    }
}

async fn add_cards(conn: &mut PgConnection, host: i32, rows: &[CardRow]) -> Result<(), StoreError> {
    sqlx::query(
        "insert into card_minute as m
             (minute, card_no, host_no, watched_ms, samples, busy_ms, unwell_ms, utilisation_n, utilisation_sum,
              utilisation_min, utilisation_max, memory_n, memory_sum_mib, memory_max_mib, power_n, power_sum_mw,
              power_max_mw, energy_mj, energy_is_counted, temperature_max)
         select n.minute, n.card_no, $1, n.watched_ms, n.samples, n.busy_ms, n.unwell_ms, n.utilisation_n,
                n.utilisation_sum, n.utilisation_min, n.utilisation_max, n.memory_n, n.memory_sum_mib,
                n.memory_max_mib, n.power_n, n.power_sum_mw, n.power_max_mw, n.energy_mj, n.energy_is_counted,
                n.temperature_max
         from jsonb_to_recordset($2) as n
              (minute timestamptz, card_no int, watched_ms int, samples int, busy_ms int, unwell_ms int,
               utilisation_n int, utilisation_sum int, utilisation_min smallint, utilisation_max smallint,
               memory_n int, memory_sum_mib bigint, memory_max_mib int, power_n int, power_sum_mw bigint,
               power_max_mw int, energy_mj bigint, energy_is_counted bool, temperature_max smallint)
         order by n.card_no, n.minute
         on conflict (card_no, minute) do update
         set watched_ms = m.watched_ms + excluded.watched_ms,
             samples = m.samples + excluded.samples,
             busy_ms = m.busy_ms + excluded.busy_ms,
             unwell_ms = m.unwell_ms + excluded.unwell_ms,
             utilisation_n = m.utilisation_n + excluded.utilisation_n,
             utilisation_sum = m.utilisation_sum + excluded.utilisation_sum,
             -- Of nothing and a value, `least` and `greatest` give the value.
             utilisation_min = least(m.utilisation_min, excluded.utilisation_min),
             utilisation_max = greatest(m.utilisation_max, excluded.utilisation_max),
             memory_n = m.memory_n + excluded.memory_n,
             memory_sum_mib = m.memory_sum_mib + excluded.memory_sum_mib,
             memory_max_mib = greatest(m.memory_max_mib, excluded.memory_max_mib),
             power_n = m.power_n + excluded.power_n,
             power_sum_mw = m.power_sum_mw + excluded.power_sum_mw,
             power_max_mw = greatest(m.power_max_mw, excluded.power_max_mw),
             energy_is_counted = case when excluded.energy_mj is null then m.energy_is_counted
                                      when m.energy_mj is null then excluded.energy_is_counted
                                      else m.energy_is_counted and excluded.energy_is_counted end,
             energy_mj = case when m.energy_mj is null then excluded.energy_mj
                              else m.energy_mj + coalesce(excluded.energy_mj, 0) end,
             temperature_max = greatest(m.temperature_max, excluded.temperature_max)",
    )
    .bind(host)
    .bind(Json(rows))
    .execute(conn)
    .await?;
    Ok(())
}

async fn add_accounts(conn: &mut PgConnection, host: i32, rows: &[AccountRow]) -> Result<(), StoreError> {
    if rows.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "insert into card_minute_account as m
             (minute, card_no, host_no, os_user, container, present_ms, memory_max_mib, compute_ms)
         select n.minute, n.card_no, $1, n.os_user, n.container, n.present_ms, n.memory_max_mib, n.compute_ms
         from jsonb_to_recordset($2) as n
              (minute timestamptz, card_no int, os_user text, container text, present_ms int, memory_max_mib int,
               compute_ms int)
         order by n.card_no, n.minute, n.os_user, n.container
         on conflict (card_no, minute, os_user, container) do update
         set present_ms = m.present_ms + excluded.present_ms,
             memory_max_mib = greatest(m.memory_max_mib, excluded.memory_max_mib),
             compute_ms = case when m.compute_ms is null then excluded.compute_ms
                               else m.compute_ms + coalesce(excluded.compute_ms, 0) end",
    )
    .bind(host)
    .bind(Json(rows))
    .execute(conn)
    .await?;
    Ok(())
}
