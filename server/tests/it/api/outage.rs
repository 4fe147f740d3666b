//! Postgres crashes again and again while people book and hosts report. Whatever was acknowledged is there afterwards.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use domain::error::ErrorCode;
use domain::reservation::NewReservation;
use domain::window::Window;
use server::database;
use server::embedded::{Cluster, Durability};
use server::service::{Services, SiteFacts};
use time::Duration;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::support::clock::{MORNING, TestClock};
use crate::support::cluster::{Temporary, search};
use crate::support::fleet::{host, member};
use crate::support::report::report;
use crate::support::until;

/// Bookings acknowledged between two crashes.
const STEP: usize = 15;

/// Ends Postgres as a crash would: nothing is written any more, sessions are cut.
/// Crashes Postgres, once it runs: it may still be on its way up from the crash before.
async fn crash(folder: &std::path::Path) {
    let file = folder.join("postgres/postmaster.pid");
    until("Postgres runs", async || {
        let pid = std::fs::read_to_string(&file).ok().and_then(|text| text.lines().next()?.parse().ok());
        let quit = nix::sys::signal::Signal::SIGQUIT;
        pid.is_some_and(|pid| nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), quit).is_ok())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nothing_acknowledged_is_lost_and_nothing_is_booked_twice() {
    let folder = Temporary::new("outage");
    let cluster = Cluster::prepare_in(&folder, &search(), Durability::Full).unwrap();
    cluster.start().await.unwrap();
    let pool = database::pool(cluster.options());
    database::migrate(&pool).await.unwrap();
    let site = SiteFacts::at("http://127.0.0.1:3000");
    let services = Services::new(pool.clone(), Arc::new(TestClock::at_morning()), site);
    services.started().await;

    let (_, cards) = host(&pool, "rig", 6).await;
    let mut people = Vec::new();
    for n in 0..6 {
        people.push(member(&pool, &format!("p{n}")).await);
    }
    let reporter = {
        let (id, _) = host(&pool, "reporter", 0).await;
        server::auth::AgentHost { id, name: "reporter".to_owned() }
    };
    let acknowledged = Arc::new(AtomicUsize::new(0));
    let enough = CancellationToken::new();

    let mut bookers = JoinSet::new();
    for (viewer, card) in people.into_iter().zip(cards) {
        let (services, acknowledged, enough) = (services.clone(), acknowledged.clone(), enough.clone());
        bookers.spawn(async move {
            let mut ids = Vec::new();
            for n in 0.. {
                let start = MORNING + Duration::minutes(10 * n);
                let ask = NewReservation::of_cards(
                    vec![card.clone()],
                    Window::new(start, start + Duration::minutes(10)).unwrap(),
                    "",
                    Uuid::new_v4(),
                );
                // Sent again with the same key until there is an answer, as a browser would.
                loop {
                    if enough.is_cancelled() {
                        return ids;
                    }
                    match services.reservations.book(&viewer, &ask).await {
                        Ok(id) => {
                            ids.push(id.0);
                            acknowledged.fetch_add(1, Ordering::Relaxed);
                            break;
                        }
                        Err(refused) => assert_eq!(refused.code, ErrorCode::Unavailable, "{refused:?}"),
                    }
                }
            }
            ids
        });
    }
    let reporting = {
        let (services, reporter, enough) = (services.clone(), reporter.clone(), enough.clone());
        tokio::spawn(async move {
            let mut last = 0;
            for seq in 1.. {
                if enough.is_cancelled() {
                    break;
                }
                match services.ingest.report(reporter.clone(), report("reporter", seq, &[0], 10)).await {
                    Ok(_) => last = seq,
                    Err(refused) => assert_eq!(refused.code, ErrorCode::Unavailable, "{refused:?}"),
                }
            }
            last
        })
    };

    for round in 1..=3 {
        let goal = round * STEP;
        until("bookings go on", async || acknowledged.load(Ordering::Relaxed) >= goal).await;
        crash(&folder).await;
    }
    until("bookings go on after the last crash", async || acknowledged.load(Ordering::Relaxed) >= 4 * STEP).await;
    enough.cancel();
    let told: BTreeSet<Uuid> = bookers.join_all().await.into_iter().flatten().collect();
    let last_report = reporting.await.unwrap();

    // The last bookings may have come in before the last crash had taken its effect.
    let mut answer = None;
    until("the database answers", async || {
        let written = "select reservation_id, count(card_uuid)
             from reservation left join reservation_card using (reservation_id) group by 1";
        let seq = "select last_seq from host where name = 'reporter'";
        let written = sqlx::query_as::<_, (Uuid, i64)>(written).fetch_all(&pool).await;
        let seq = sqlx::query_scalar::<_, i64>(seq).fetch_one(&pool).await;
        answer = written.ok().zip(seq.ok());
        answer.is_some()
    })
    .await;
    let (written, seq) = answer.unwrap();
    assert!(written.iter().all(|(_, cards)| *cards == 1), "no half bookings");
    let written: BTreeSet<Uuid> = written.into_iter().map(|(id, _)| id).collect();
    assert!(told.is_subset(&written), "acknowledged and lost: {:?}", told.difference(&written));
    // Each booker may have given up on one request whose answer it never got.
    assert!(written.len() - told.len() <= 6, "{} written, {} told", written.len(), told.len());
    assert!(seq >= i64::try_from(last_report).unwrap());

    services.shutdown.cancel();
    pool.close().await;
    cluster.stop().await;
}
