//! Repeated and overtaken reports, inventories, clocks.

use domain::card::CardHealth;
use domain::inventory::{CardInventory, CardTraits, Inventory, Machine};
use domain::reading::Reading;
use domain::topology::Topology;
use domain::wire::agent_v1::Report;
use server::store::inventory;
use time::Duration;

use super::Desk;
use crate::support::clock::MORNING;
use crate::support::report::{report, uuid};

/// What the database says of the host and its cards.
async fn state(desk: &Desk) -> (i64, serde_json::Value, Vec<(String, i32, String, bool)>) {
    let (seq, body) = sqlx::query_as("select last_seq, last_report from host").fetch_one(&desk.pool).await.unwrap();
    let cards = sqlx::query_as("select card_uuid, card_index, health, present from card order by card_uuid")
        .fetch_all(&desk.pool)
        .await
        .unwrap();
    (seq, body, cards)
}

/// A history in which cards come, go, fall ill and move.
fn history() -> Vec<Report> {
    let mut history: Vec<Report> = (1..=6).map(|seq| report("rig", seq, &[0, 1], 10)).collect();
    history[1].cards.remove(1);
    history[2].cards[1].health = CardHealth::ResetNeeded;
    history[3].cards[0].facts.index = 5;
    history[4].cards.remove(0);
    history[5].cards[0].sample.memory_used_mib = Reading::Value(4096);
    history
}

#[tokio::test]
async fn repeated_and_overtaken_reports_change_nothing() {
    let history = history();
    let straight = {
        let desk = Desk::open().await;
        let rig = desk.host("rig").await;
        for report in &history {
            desk.report(&rig, report.clone()).await.unwrap();
        }
        state(&desk).await
    };
    // The newest comes early, and all others after it, some twice.
    for order in [&[0, 5, 1, 2, 3, 4, 5, 0][..], &[5, 4, 3, 2, 1, 0], &[2, 2, 5, 5, 1, 1, 4, 4, 0, 3, 5]] {
        let desk = Desk::open().await;
        let rig = desk.host("rig").await;
        for &at in order {
            let table = desk.report(&rig, history[at].clone()).await.unwrap();
            assert_eq!(table.host_name, "rig", "the late one is answered all the same");
        }
        let (seq, body, cards) = state(&desk).await;
        assert_eq!((seq, &body), (straight.0, &straight.1), "{order:?}");
        let shown = &desk.services.live.hosts(MORNING).1[0];
        assert_eq!(shown.cards[0].truth.sample.memory_used_mib, Reading::Value(4096), "{order:?}");
        for (card, index, health, present) in cards {
            // A card that the last report has is as it says, whatever came late.
            assert!(present && health == "ok" && index < 2, "{order:?}: {card}");
        }
    }
}

#[tokio::test]
async fn an_agent_that_was_restarted_is_heard_at_once_and_a_clock_set_back_soon() {
    let desk = Desk::open().await;
    let rig = desk.host("rig").await;
    desk.report(&rig, report("rig", 90, &[0], 10)).await.unwrap();
    let mut restarted = report("rig", 1, &[0], 20);
    restarted.sampled_at = MORNING + Duration::seconds(200);
    desk.report(&rig, restarted).await.unwrap();
    assert_eq!(state(&desk).await.0, 1);
    // The same numbers again, an hour in the past by the host's clock: after a moment that is no straggler.
    desk.clock.advance(Duration::seconds(11));
    desk.report(&rig, report("rig", 1, &[0], 30)).await.unwrap();
    let (_, body, _) = state(&desk).await;
    assert_eq!(body["cards"][0]["sample"]["utilisation_percent"], 30);
}

fn an_inventory(kernel: &str) -> Box<Inventory> {
    Box::new(Inventory {
        machine: Machine { kernel: Some(kernel.to_owned()), ..Machine::default() },
        cards: vec![CardInventory { uuid: uuid("rig", 0), traits: CardTraits::default() }],
        topology: Topology::default(),
    })
}

#[tokio::test]
async fn an_inventory_is_asked_for_until_it_is_here() {
    let desk = Desk::open().await;
    let rig = desk.host("rig").await;
    let named = |seq, id: &str| {
        let mut report = report("rig", seq, &[0], 10);
        report.inventory_id = Some(id.to_owned());
        report
    };
    let wanted = async |report| desk.reply(&rig, report).await.unwrap().want_inventory;
    assert!(!wanted(report("rig", 1, &[0], 10)).await, "an older agent names none");
    assert!(wanted(named(2, "a")).await);
    assert_eq!(inventory::of_host(&desk.pool, rig.id).await.unwrap(), None);
    let mut full = named(3, "a");
    full.inventory = Some(an_inventory("6.1"));
    assert!(!wanted(full.clone()).await);
    assert!(!wanted(named(4, "a")).await);
    assert!(wanted(named(5, "b")).await, "it has changed");
    let known = inventory::of_host(&desk.pool, rig.id).await.unwrap().unwrap();
    assert_eq!((known.id.as_str(), known.inventory.machine.kernel.as_deref()), ("a", Some("6.1")));
    // One that was overtaken does not come back.
    let mut late = named(4, "a");
    late.inventory = Some(an_inventory("5.0"));
    wanted(late).await;
    let mut newer = named(6, "b");
    newer.inventory = Some(an_inventory("6.9"));
    assert!(!wanted(newer).await);
    let known = inventory::of_host(&desk.pool, rig.id).await.unwrap().unwrap();
    assert_eq!((known.id.as_str(), known.inventory.machine.kernel.as_deref()), ("b", Some("6.9")));
    let kept: serde_json::Value =
        sqlx::query_scalar("select last_report from host").fetch_one(&desk.pool).await.unwrap();
    assert!(kept.get("inventory").is_none(), "it is not written anew every two seconds");
}

#[tokio::test]
async fn how_far_a_clock_is_off_is_kept_and_shown() {
    let desk = Desk::open().await;
    let rig = desk.host("rig").await;
    let mut wrong = report("rig", 1, &[0], 10);
    wrong.sent_at = Some(MORNING + Duration::seconds(90));
    desk.report(&rig, wrong).await.unwrap();
    let ahead: Option<i64> = sqlx::query_scalar("select clock_ahead_ms from host").fetch_one(&desk.pool).await.unwrap();
    assert_eq!(ahead, Some(90_000));
    let pulse = desk.services.live.hosts(MORNING).1.remove(0).pulse;
    assert_eq!((pulse.clock_off(), pulse.beat_ms), (Some(Duration::seconds(90)), 2000));
    let mut right = report("rig", 2, &[0], 10);
    right.sent_at = Some(MORNING - Duration::milliseconds(1900));
    desk.report(&rig, right).await.unwrap();
    assert_eq!(desk.services.live.hosts(MORNING).1.remove(0).pulse.clock_off(), None);
}
