//! What pages see of it.

use domain::error::ErrorCode;
use domain::reading::Reading;
use domain::reservation::NewReservation;
use domain::window::Window;
use server::live::Event;
use server::service::fleet::fleet;
use time::Duration;
use uuid::Uuid;

use super::{Desk, replica};
use crate::support::clock::MORNING;
use crate::support::fleet::member;
use crate::support::report::{report, uuid};
use crate::support::{PATIENCE, until};

#[tokio::test]
async fn a_restarted_server_shows_hosts_as_they_were() {
    let desk = Desk::open().await;
    let rig = desk.host("rig").await;
    desk.host("new").await;
    desk.report(&rig, report("rig", 1, &[0, 1, 2], 10)).await.unwrap();
    desk.report(&rig, report("rig", 2, &[0, 1], 70)).await.unwrap();
    desk.clock.advance(Duration::hours(1));
    let restarted = replica(&desk.pool, &desk.clock).await;
    let seen = fleet(&restarted.pool, &restarted.clock, &restarted.live).await.unwrap();
    let names: Vec<&str> = seen.hosts.iter().map(|host| host.name.as_str()).collect();
    assert_eq!(names, ["new", "rig"]);
    assert_eq!(seen.hosts[0].pulse.last_report, None);
    let rig = &seen.hosts[1];
    assert_eq!(rig.pulse.last_report, Some(MORNING), "old values have their age");
    assert_eq!(rig.cards[1].truth.sample.utilisation_percent, Reading::Value(70));
    let order: Vec<u32> = rig.cards.iter().map(|card| card.facts.index).collect();
    assert_eq!(order, [0, 1, 2], "the gone one comes last");
    assert!(!matches!(rig.cards[2].truth.health, domain::card::CardHealth::Ok));
    let before = fleet(&desk.pool, &desk.services.clock, &desk.services.live).await.unwrap();
    assert!(seen.seq > before.seq, "a page that outlives the restart meets higher numbers");
}

#[tokio::test]
async fn another_server_sees_reports_and_bookings_of_this_one() {
    let desk = Desk::open().await;
    let (rig, ada) = (desk.host("rig").await, member(&desk.pool, "ada").await);
    let other = replica(&desk.pool, &desk.clock).await;
    desk.report(&rig, report("rig", 1, &[0], 42)).await.unwrap();
    until("the other server has the report", async || {
        let (_, hosts) = other.live.hosts(MORNING);
        hosts
            .iter()
            .any(|host| host.cards.iter().any(|card| card.truth.sample.utilisation_percent == Reading::Value(42)))
    })
    .await;
    let (_, mut events) = other.live.subscribe();
    let ask = NewReservation::of_cards(
        vec![uuid("rig", 0)],
        Window::new(MORNING, MORNING + Duration::hours(1)).unwrap(),
        "",
        Uuid::new_v4(),
    );
    let id = desk.services.reservations.book(&ada, &ask).await.unwrap();
    let resync = async {
        loop {
            if let Event::Resync { .. } = events.recv().await.unwrap() {
                return;
            }
        }
    };
    tokio::time::timeout(PATIENCE, resync).await.expect("told to fetch the fleet anew");
    let seen = fleet(&other.pool, &other.clock, &other.live).await.unwrap();
    let bookings = &seen.hosts[0].cards[0].bookings;
    assert_eq!(bookings.iter().map(|booking| booking.id).collect::<Vec<_>>(), [id]);
}

#[tokio::test]
async fn an_event_follows_a_report_and_goes_on_from_the_fleet() {
    let desk = Desk::open().await;
    let rig = desk.host("rig").await;
    desk.report(&rig, report("rig", 1, &[0], 10)).await.unwrap();
    let (first, mut events) = desk.services.live.subscribe();
    let Event::Hosts { seq: mut last, json } = first else { panic!("{first:?}") };
    assert!(json.contains("GPU-rig-0"), "the first event brings the page up to date");
    desk.report(&rig, report("rig", 2, &[0], 99)).await.unwrap();
    loop {
        match tokio::time::timeout(PATIENCE, events.recv()).await.expect("an event").unwrap() {
            Event::Hosts { seq, json } => {
                assert_eq!(seq, last + 1);
                last = seq;
                if json.contains(r#""utilisation_percent":99"#) {
                    break;
                }
            }
            Event::Resync { seq } => {
                assert_eq!(seq, last + 2, "a gap, for those who were not there");
                last = seq;
            }
        }
    }
    let seen = fleet(&desk.pool, &desk.services.clock, &desk.services.live).await.unwrap();
    assert!(seen.seq >= last);
}

#[tokio::test]
async fn with_the_database_away_the_report_is_shown_and_not_acknowledged() {
    let desk = Desk::open().await;
    let rig = desk.host("rig").await;
    desk.report(&rig, report("rig", 1, &[0], 10)).await.unwrap();
    desk.pool.close().await;
    let refused = desk.report(&rig, report("rig", 2, &[0], 77)).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::Unavailable);
    assert!(refused.retry_after.is_some());
    let (_, hosts) = desk.services.live.hosts(MORNING);
    assert_eq!(hosts[0].cards[0].truth.sample.utilisation_percent, Reading::Value(77));
}

#[tokio::test]
async fn a_card_shows_at_most_four_bookings_in_order_and_none_that_is_over() {
    let desk = Desk::open().await;
    let (rig, ada) = (desk.host("rig").await, member(&desk.pool, "ada").await);
    desk.report(&rig, report("rig", 1, &[0, 1], 10)).await.unwrap();
    let mut made = Vec::new();
    for n in [5, 1, 3, 0, 4, 2] {
        let window = Window::new(MORNING + Duration::hours(n), MORNING + Duration::hours(n + 1)).unwrap();
        let ask = NewReservation::of_cards(vec![uuid("rig", 0)], window, "", Uuid::new_v4());
        made.push((n, desk.services.reservations.book(&ada, &ask).await.unwrap()));
    }
    made.sort_by_key(|(n, _)| *n);
    desk.clock.advance(Duration::hours(1));
    let seen = fleet(&desk.pool, &desk.services.clock, &desk.services.live).await.unwrap();
    let shown: Vec<_> = seen.hosts[0].cards[0].bookings.iter().map(|booking| booking.id).collect();
    assert_eq!(shown, made[1..5].iter().map(|(_, id)| *id).collect::<Vec<_>>());
    assert!(seen.hosts[0].cards[1].bookings.is_empty());
}
