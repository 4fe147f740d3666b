//! Rows of cards.

use std::sync::Arc;

use domain::card::{CardHealth, MigPart};
use domain::error::ErrorCode;
use domain::id::CardUuid;
use domain::reading::{Missing, Reading};
use domain::reservation::NewReservation;
use domain::trouble::Trouble;
use domain::window::Window;
use domain::wire::agent_v1::{NvmlState, Report};
use server::service::booking_list::BookingList;
use time::Duration;
use tokio::task::JoinSet;
use uuid::Uuid;

use super::Desk;
use crate::support::clock::MORNING;
use crate::support::fleet::member;
use crate::support::report::{report, uuid};

/// The transactions that have written the rows last.
async fn writers(desk: &Desk, table: &'static str) -> Vec<String> {
    let query = match table {
        "card" => "select distinct xmin::text from card",
        _ => "select distinct xmin::text from host",
    };
    sqlx::query_scalar(query).fetch_all(&desk.pool).await.unwrap()
}

#[tokio::test]
async fn a_first_report_makes_cards_and_the_next_one_leaves_them_alone() {
    let desk = Desk::open().await;
    let rig = desk.host("rig").await;
    desk.report(&rig, report("rig", 1, &[0, 1], 10)).await.unwrap();
    assert_eq!(desk.cards().await.len(), 2);
    let before = writers(&desk, "card").await;
    desk.report(&rig, report("rig", 2, &[0, 1], 90)).await.unwrap();
    assert_eq!(writers(&desk, "card").await, before, "values are no reason to write a card's row");
    let mut moved = report("rig", 3, &[0, 1], 90);
    moved.cards[1].facts.index = 7;
    desk.report(&rig, moved).await.unwrap();
    let index: i32 = sqlx::query_scalar("select card_index from card where card_uuid = $1")
        .bind(uuid("rig", 1).as_str())
        .fetch_one(&desk.pool)
        .await
        .unwrap();
    assert_eq!(index, 7);
    let last: (i64, String, String) =
        sqlx::query_as("select last_seq, last_boot_id, agent_version from host").fetch_one(&desk.pool).await.unwrap();
    assert_eq!(last, (3, "boot-of-rig".to_owned(), "0.1.0".to_owned()));
}

#[tokio::test]
async fn many_hosts_share_a_commit() {
    let desk = Desk::open().await;
    let mut tasks = JoinSet::new();
    for n in 0..40 {
        let name = format!("rig{n:02}");
        let (host, ingest) = (desk.host(&name).await, desk.services.ingest.clone());
        tasks.spawn(async move { ingest.report(host, report(&name, 1, &[0, 1], 10)).await });
    }
    for reply in tasks.join_all().await {
        assert!(reply.unwrap().table.host_name.starts_with("rig"));
    }
    assert_eq!(desk.cards().await.len(), 80);
    let writers = writers(&desk, "host").await.len();
    assert!(writers <= 8, "{writers} transactions for 40 reports");
}

#[tokio::test]
async fn a_host_that_is_gone_takes_no_bookings_until_it_is_back() {
    let desk = Desk::open().await;
    let (rig, ada) = (desk.host("rig").await, member(&desk.pool, "ada").await);
    let book = async |in_hours: i64| {
        let start = MORNING + Duration::hours(in_hours);
        let window = Window::new(start, start + Duration::hours(1)).unwrap();
        let (purpose, idempotency_key) = (String::new(), Uuid::new_v4());
        let ask = NewReservation::of_cards(vec![uuid("rig", 0)], window, purpose, idempotency_key);
        desk.services.reservations.book(&ada, &ask).await
    };
    desk.report(&rig, report("rig", 1, &[0], 10)).await.unwrap();
    desk.clock.advance(Duration::hours(24));
    book(25).await.unwrap();
    desk.clock.advance(Duration::SECOND);
    let refused = book(27).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::CardNotBookable);
    assert!(refused.message.contains("rig with card 0 has not reported for more than a day"), "{}", refused.message);
    let list = BookingList::new(desk.pool.clone(), Arc::new(desk.clock.clone()));
    let told = async || list.all(&ada).await.unwrap().mine[0].cards[0].trouble;
    assert_eq!(told().await, Some(Trouble::HostGone), "whoever has booked it is told");
    desk.report(&rig, report("rig", 2, &[0], 10)).await.unwrap();
    book(27).await.unwrap();
    assert_eq!(told().await, None);
    let mut sick = report("rig", 3, &[0], 10);
    sick.cards[0].health = CardHealth::Lost;
    desk.report(&rig, sick).await.unwrap();
    assert_eq!(told().await, Some(Trouble::Sick(CardHealth::Lost)));
}

#[tokio::test]
async fn a_vanished_card_is_not_bookable_until_it_comes_back() {
    let desk = Desk::open().await;
    let (rig, ada) = (desk.host("rig").await, member(&desk.pool, "ada").await);
    let book = async || {
        let ask = NewReservation::of_cards(
            vec![uuid("rig", 1)],
            Window::new(MORNING + Duration::hours(1), MORNING + Duration::hours(2)).unwrap(),
            "",
            Uuid::new_v4(),
        );
        desk.services.reservations.book(&ada, &ask).await
    };
    desk.report(&rig, report("rig", 1, &[0, 1], 10)).await.unwrap();
    desk.report(&rig, report("rig", 2, &[0], 10)).await.unwrap();
    assert_eq!(book().await.unwrap_err().code, ErrorCode::UnknownCard);
    let mut sick = report("rig", 3, &[0, 1], 10);
    sick.cards[1].health = CardHealth::ResetNeeded;
    sick.cards[1].facts.memory_total_mib = Reading::missing(Missing::ResetNeeded);
    sick.cards[1].facts.pci_bus_id = None;
    desk.report(&rig, sick).await.unwrap();
    assert_eq!(book().await.unwrap_err().code, ErrorCode::CardNotBookable);
    let known: (Option<i64>, Option<String>) =
        sqlx::query_as("select memory_mib, pci_bus_id from card where card_index = 1")
            .fetch_one(&desk.pool)
            .await
            .unwrap();
    assert_eq!(known, (Some(81559), Some("0000:01:00.0".to_owned())), "what it was is not forgotten");
    desk.report(&rig, report("rig", 4, &[0, 1], 10)).await.unwrap();
    book().await.unwrap();
}

#[tokio::test]
async fn without_nvml_no_card_is_called_gone() {
    let desk = Desk::open().await;
    let rig = desk.host("rig").await;
    desk.report(&rig, report("rig", 1, &[0, 1], 10)).await.unwrap();
    for (seq, nvml) in [
        (2, NvmlState::NoLibrary { detail: "not found".to_owned() }),
        (3, NvmlState::DriverNotLoaded),
        (4, NvmlState::Failed),
    ] {
        let mut broken = report("rig", seq, &[], 0);
        broken.nvml = nvml;
        desk.report(&rig, broken).await.unwrap();
        assert!(desk.cards().await.iter().all(|(_, _, present)| *present));
    }
}

#[tokio::test]
async fn a_card_moves_only_from_a_host_that_is_silent_or_no_longer_has_it() {
    let desk = Desk::open().await;
    let (old, new) = (desk.host("old").await, desk.host("new").await);
    desk.report(&old, report("gpu", 1, &[0, 1], 10)).await.unwrap();
    desk.report(&new, report("gpu", 1, &[0], 10)).await.unwrap();
    let held_by = |cards: Vec<(String, Uuid, bool)>| cards.into_iter().map(|(_, host, _)| host).collect::<Vec<_>>();
    assert_eq!(held_by(desk.cards().await), [old.id.0, old.id.0], "the old host still reports it");

    desk.report(&old, report("gpu", 2, &[1], 10)).await.unwrap();
    desk.report(&new, report("gpu", 2, &[0], 10)).await.unwrap();
    assert_eq!(held_by(desk.cards().await), [new.id.0, old.id.0], "the old host has let it go");

    desk.clock.advance(Duration::minutes(6));
    desk.report(&new, report("gpu", 3, &[0, 1], 10)).await.unwrap();
    assert_eq!(held_by(desk.cards().await), [new.id.0, new.id.0], "the old host is silent");
}

#[tokio::test]
async fn what_the_database_refuses_of_one_host_keeps_no_other_out() {
    let desk = Desk::open().await;
    let (good, bad) = (desk.host("good").await, desk.host("bad").await);
    sqlx::query("alter table host add constraint no_such_version check (agent_version <> 'poison')")
        .execute(&desk.pool)
        .await
        .unwrap();
    let mut poison = report("bad", 1, &[0], 10);
    poison.agent_version = "poison".to_owned();
    let (fine, refused) = tokio::join!(desk.report(&good, report("good", 1, &[0], 10)), desk.report(&bad, poison));
    fine.unwrap();
    assert_eq!(refused.unwrap_err().code, ErrorCode::Internal);
}

/// A report of one card that is cut into these instances: number and GPU instance.
fn cut(seq: u64, instances: &[(u32, u32)]) -> Report {
    let mut report = report("a100", seq, &[0], 10);
    for (instance, gpu_instance) in instances {
        let mut card = report.cards[0].clone();
        let mut part = MigPart::at(uuid("a100", 0), gpu_instance * 8, *instance);
        part.profile = "3g.40gb".to_owned();
        card.facts.uuid = mig(*gpu_instance);
        card.facts.part = Some(part);
        report.cards.push(card);
    }
    report.cards[0].facts.mig_on = !instances.is_empty();
    report
}

fn mig(gpu_instance: u32) -> CardUuid {
    CardUuid::parse(&format!("MIG-a100-{gpu_instance}")).unwrap()
}

#[tokio::test]
async fn mig_instances_are_booked_in_the_place_of_their_card() {
    let desk = Desk::open().await;
    let (host, ada, bob) = (desk.host("a100").await, member(&desk.pool, "ada").await, member(&desk.pool, "bob").await);
    let book = async |who: &_, card: CardUuid, from: i64| {
        let window = Window::new(MORNING + Duration::hours(from), MORNING + Duration::hours(from + 1)).unwrap();
        let ask = NewReservation::of_cards(vec![card], window, "", Uuid::new_v4());
        desk.services.reservations.book(who, &ask).await
    };
    let whole = uuid("a100", 0);

    // Booked as a whole for the afternoon, then cut up.
    desk.report(&host, cut(1, &[])).await.unwrap();
    book(&ada, whole.clone(), 4).await.unwrap();
    desk.report(&host, cut(2, &[(0, 1), (1, 2)])).await.unwrap();

    let refused = book(&ada, whole.clone(), 1).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::CardNotBookable);
    assert!(refused.message.contains("Card 0 on a100 is cut into MIG instances"), "{}", refused.message);
    book(&ada, mig(1), 1).await.unwrap();
    book(&bob, mig(2), 1).await.unwrap();
    let shown = server::store::booking_list::briefs(&desk.pool, MORNING).await.unwrap();
    let on = |card: &CardUuid| {
        let starts = shown.iter().filter(|(shown, _)| shown == card).map(|(_, brief)| brief.window.start() - MORNING);
        starts.map(Duration::whole_hours).collect::<Vec<_>>()
    };
    assert_eq!((on(&whole), on(&mig(1)), on(&mig(2))), (vec![4], vec![1, 4], vec![1, 4]));
    let taken = book(&bob, mig(1), 1).await.unwrap_err();
    assert_eq!((taken.code, taken.clashes[0].number.to_string()), (ErrorCode::Overlap, "0:0".to_owned()));
    let whole_is_taken = book(&bob, mig(2), 4).await.unwrap_err();
    assert_eq!(whole_is_taken.code, ErrorCode::Overlap, "the card is promised as a whole at that time");

    // Another host cannot lay a part of its own on this card, and so hold its calendar.
    let thief = desk.host("thief").await;
    let mut theft = report("thief", 1, &[0], 10);
    let mut laid = theft.cards[0].clone();
    laid.facts.uuid = CardUuid::parse("MIG-laid").unwrap();
    laid.facts.part = Some(MigPart::at(whole.clone(), 24, 3));
    theft.cards.push(laid.clone());
    desk.report(&thief, theft.clone()).await.unwrap();
    let mut claimed = report("thief", 2, &[0], 10);
    claimed.cards[0].facts.uuid = whole.clone();
    claimed.cards.push(laid.clone());
    desk.report(&thief, claimed).await.unwrap();
    assert_eq!(book(&bob, laid.facts.uuid, 1).await.unwrap_err().code, ErrorCode::UnknownCard);

    // Cut anew: instance 1 is gone, a third one is there, and the one that stays keeps its booking.
    desk.report(&host, cut(3, &[(0, 1), (1, 5)])).await.unwrap();
    let (_, hosts) = desk.services.live.hosts(MORNING);
    let shown: Vec<_> = hosts[0].cards.iter().map(|card| (card.facts.uuid.clone(), card.truth.health)).collect();
    let well = |card| (card, CardHealth::Ok);
    assert_eq!(shown, [whole.clone(), mig(1), mig(5)].map(well), "what was given up is not called lost");
    let gone = book(&bob, mig(2), 2).await.unwrap_err();
    assert_eq!(gone.code, ErrorCode::UnknownCard);
    book(&bob, mig(5), 1).await.unwrap();
    assert_eq!(book(&bob, mig(1), 1).await.unwrap_err().code, ErrorCode::Overlap);

    // In one piece again.
    desk.report(&host, cut(4, &[])).await.unwrap();
    assert_eq!(book(&bob, whole.clone(), 1).await.unwrap_err().code, ErrorCode::Overlap, "parts are promised");
    book(&bob, whole, 2).await.unwrap();
}
