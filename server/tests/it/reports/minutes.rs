//! The record of minutes.

use domain::error::ErrorCode;
use domain::id::CardUuid;
use domain::wire::minutes_v1::{
    AccountMinute, CardMinute, HostMinute, MINUTES_MAX, Minutes, MinutesReply, Refusal, Spread,
};
use server::auth::AgentHost;
use server::service::minutes;
use time::{Duration, OffsetDateTime};

use super::Desk;
use crate::support::clock::MORNING;
use crate::support::report::{report, uuid};

fn account(os_user: Option<&str>, present_ms: u32) -> AccountMinute {
    AccountMinute {
        os_user: os_user.map(str::to_owned),
        container: None,
        present_ms,
        memory_max_mib: Some(u64::from(present_ms)),
        compute_ms: Some(present_ms / 2),
    }
}

/// A part of a minute, different for each `n`.
fn card(card: CardUuid, n: u32) -> CardMinute {
    CardMinute {
        watched_ms: 2000 * n,
        samples: n,
        utilisation: Some(Spread { n, sum: u64::from(n * 50), min: u64::from(50 - n), max: u64::from(50 + n) }),
        memory: Some(Spread::of(1000 * u64::from(n))),
        energy_mj: (n != 2).then_some(u64::from(n) * 700_000),
        energy_is_counted: n != 3,
        temperature_max: Some(40 + n),
        busy_ms: 1000 * n,
        unwell_ms: n,
        accounts: vec![account(Some("ada"), 100 * n), account(None, n)],
        ..CardMinute::new(card)
    }
}

fn minute(ago: i64, part: u64, cards: Vec<CardMinute>) -> HostMinute {
    HostMinute { minute: MORNING - Duration::minutes(ago), part, clock_ahead_ms: Some(12), cards }
}

async fn take(desk: &Desk, host: &AgentHost, minutes: Vec<HostMinute>) -> MinutesReply {
    minutes::take(&desk.services, host, Minutes { minutes, dropped: 0 }).await.unwrap()
}

/// Everything that was recorded, as text.
async fn record(desk: &Desk) -> Vec<String> {
    sqlx::query_scalar(
        "select row::text from (
             select 0 as kind, c.card_uuid, m.minute, to_jsonb(m) - 'card_no' - 'host_no' as row
             from card_minute m join card c using (card_no)
             union all
             select 1, c.card_uuid, a.minute, to_jsonb(a) - 'card_no' - 'host_no'
             from card_minute_account a join card c using (card_no)
         ) as all_rows order by kind, card_uuid, minute, row::text",
    )
    .fetch_all(&desk.pool)
    .await
    .unwrap()
}

#[tokio::test]
async fn what_is_sent_again_changes_nothing() {
    let desk = Desk::open().await;
    let rig = desk.host("rig").await;
    desk.report(&rig, report("rig", 1, &[0, 1], 10)).await.unwrap();
    let sent = vec![
        minute(3, 1, vec![card(uuid("rig", 0), 1), card(uuid("rig", 1), 2)]),
        minute(2, 2, vec![card(uuid("rig", 0), 3)]),
    ];
    assert_eq!(take(&desk, &rig, sent.clone()).await, MinutesReply::default());
    let first = record(&desk).await;
    assert_eq!(first.len(), 3 + 6);
    for _ in 0..3 {
        assert_eq!(take(&desk, &rig, sent.clone()).await, MinutesReply::default());
    }
    // The same twice in one message, backwards, and with one more.
    let mut again: Vec<HostMinute> = sent.iter().chain(&sent).rev().cloned().collect();
    again.push(minute(1, 3, vec![card(uuid("rig", 1), 1)]));
    take(&desk, &rig, again).await;
    assert_eq!(record(&desk).await.len(), 3 + 6 + 3);
    let row: (i64, i32, i32, i32, i16, i16, i64) = sqlx::query_as(
        "select energy_mj, samples, watched_ms, utilisation_sum, utilisation_min, utilisation_max, memory_sum_mib
         from card_minute join card using (card_no) where card_uuid = $1 and minute = $2",
    )
    .bind(uuid("rig", 0).as_str())
    .bind(MORNING - Duration::minutes(2))
    .fetch_one(&desk.pool)
    .await
    .unwrap();
    assert_eq!(row, (2_100_000, 3, 6000, 150, 47, 53, 3000));
}

#[tokio::test]
async fn requests_at_once_with_the_same_minutes_count_once() {
    let desk = Desk::open().await;
    let rig = desk.host("rig").await;
    desk.report(&rig, report("rig", 1, &[0], 10)).await.unwrap();
    let sent: Vec<HostMinute> = (1..=20).map(|n| minute(n, 7, vec![card(uuid("rig", 0), 1)])).collect();
    let mut backwards = sent.clone();
    backwards.reverse();
    let (a, b, c, d) = tokio::join!(
        take(&desk, &rig, sent.clone()),
        take(&desk, &rig, backwards),
        take(&desk, &rig, sent.clone()),
        take(&desk, &rig, sent)
    );
    assert!([a, b, c, d].iter().all(|reply| reply.refused.is_empty()));
    let (rows, samples): (i64, i64) =
        sqlx::query_as("select count(*), sum(samples) from card_minute").fetch_one(&desk.pool).await.unwrap();
    assert_eq!((rows, samples), (20, 20));
}

#[tokio::test]
async fn parts_of_a_minute_add_up_in_any_order_and_any_packing() {
    let parts: Vec<HostMinute> = (1..=4).map(|n| minute(2, n.into(), vec![card(uuid("rig", 0), n)])).collect();
    let mut found = Vec::new();
    for messages in [
        vec![vec![0, 1, 2, 3]],
        vec![vec![3], vec![2], vec![1], vec![0]],
        vec![vec![1, 1, 0], vec![0, 3], vec![2, 3]],
        vec![vec![2], vec![2, 0], vec![3, 1], vec![1]],
    ] {
        let desk = Desk::open().await;
        let rig = desk.host("rig").await;
        desk.report(&rig, report("rig", 1, &[0], 10)).await.unwrap();
        for message in messages {
            take(&desk, &rig, message.into_iter().map(|at: usize| parts[at].clone()).collect()).await;
        }
        found.push(record(&desk).await);
    }
    assert!(found.iter().all(|record| *record == found[0]), "{found:#?}");
    assert!(
        found[0][0].contains("\"samples\": 10") && found[0][0].contains("\"energy_is_counted\": false"),
        "{found:?}"
    );
}

#[tokio::test]
async fn a_host_writes_for_its_own_cards_alone() {
    let desk = Desk::open().await;
    let (rig, thief) = (desk.host("rig").await, desk.host("thief").await);
    desk.report(&rig, report("rig", 1, &[0], 10)).await.unwrap();
    desk.report(&thief, report("thief", 1, &[0], 10)).await.unwrap();
    let unknown = CardUuid::parse("GPU-never-seen").unwrap();
    let cards = vec![card(uuid("rig", 0), 1), card(uuid("thief", 0), 1), card(unknown.clone(), 1)];
    let reply = take(&desk, &thief, vec![minute(1, 1, cards)]).await;
    let refused: Vec<_> = reply.refused.into_iter().map(|refused| (refused.card.unwrap(), refused.why)).collect();
    assert_eq!(refused, [(uuid("rig", 0), Refusal::NotYours), (unknown, Refusal::NotYours)]);
    let written: Vec<String> = sqlx::query_scalar("select card_uuid from card_minute join card using (card_no)")
        .fetch_all(&desk.pool)
        .await
        .unwrap();
    assert_eq!(written, [uuid("thief", 0).as_str()]);
}

#[tokio::test]
async fn what_cannot_be_is_refused_alone() {
    let desk = Desk::open().await;
    let rig = desk.host("rig").await;
    desk.report(&rig, report("rig", 1, &[0], 10)).await.unwrap();
    let one = || vec![card(uuid("rig", 0), 1)];
    let odd = HostMinute { minute: MORNING - Duration::seconds(90), ..minute(0, 9, one()) };
    let oldest = 72 * 60;
    let sent =
        vec![minute(1, 1, one()), minute(oldest, 2, one()), minute(oldest + 61, 3, one()), minute(-9, 4, one()), odd];
    let reply = take(&desk, &rig, sent).await;
    let why: Vec<Refusal> = reply.refused.iter().map(|refused| refused.why).collect();
    assert_eq!(why, [Refusal::TooOld, Refusal::NotYet, Refusal::NotAMinute]);
    let kept: Vec<OffsetDateTime> =
        sqlx::query_scalar("select minute from card_minute order by minute").fetch_all(&desk.pool).await.unwrap();
    assert_eq!(kept, [MORNING - Duration::hours(72), MORNING - Duration::minutes(1)]);

    let parts = (1..=20).map(|part| minute(5, part, one())).collect();
    let reply = take(&desk, &rig, parts).await;
    assert_eq!(reply.refused.len(), 4);
    assert!(reply.refused.iter().all(|refused| refused.why == Refusal::TooManyParts));

    let many = (0..=MINUTES_MAX).map(|n| minute(i64::try_from(n).unwrap(), 1, one())).collect();
    let error = minutes::take(&desk.services, &rig, Minutes { minutes: many, dropped: 0 }).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::BadInput);
}
