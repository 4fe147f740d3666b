//! Cards that nobody may book, and cards that are open for shares.

use domain::error::{ErrorCode, Field};
use domain::id::{CardUuid, ReservationId};
use domain::notice::Body;
use domain::upkeep::Shares;
use domain::window::Window;
use domain::wire::page::Viewer;
use server::service::upkeep::cards::{keep_back, page, share};
use time::Duration;

use super::{Desk, hours, plan, wish};
use crate::support::fleet::{host, member};

#[tokio::test]
async fn a_card_that_is_kept_back_takes_no_bookings_and_its_holders_are_told() {
    let desk = Desk::new(4).await;
    let (_, cards) = host(&desk.pool, "rig", 4).await;
    let [ada, bob] = [member(&desk.pool, "ada").await, member(&desk.pool, "bob").await];
    let later = desk.book(&ada, &cards[..1], hours(5, 7)).await;
    desk.book(&bob, &cards[1..2], hours(6, 8)).await;
    let maintained = plan(hours(6, 9), super::of_cards(&cards[2..3]));
    server::service::upkeep::plan(&desk.services, &desk.by(), &maintained).await.unwrap();

    keep_back(&desk.services, &desk.by(), &cards[0], Some(" Display card ")).await.unwrap();
    let told = desk.told(&ada).await;
    let [Body::CardTroubled { card, why, instead, window }] = told.as_slice() else { panic!("one notice") };
    assert_eq!((&card.uuid, *window), (&cards[0], hours(5, 7)));
    assert!(why.contains("Display card"), "{why}");
    let offered: Vec<u32> = instead.iter().map(|card| card.number.index).collect();
    assert_eq!(offered, [3], "equal, free and not in maintenance then");
    assert!(desk.told(&bob).await.is_empty());

    let refused = desk.services.reservations.book(&bob, &wish(&cards[..1], hours(0, 1))).await.unwrap_err();
    assert_eq!((refused.code, refused.field), (ErrorCode::CardNotBookable, Some(Field::Cards)));
    assert!(refused.message.contains("Card 0 on rig cannot be booked: Display card."), "{}", refused.message);
    let cared = page(&desk.services).await.unwrap();
    assert_eq!(cared.hosts[0].cards[0].not_bookable.as_deref(), Some("Display card"));
    assert_eq!(cared.hosts[0].cards[0].booked, 1, "what is booked stays");
    // The same again tells nobody twice.
    keep_back(&desk.services, &desk.by(), &cards[0], Some("Display card")).await.unwrap();
    assert_eq!(desk.told(&ada).await.len(), 1);

    keep_back(&desk.services, &desk.by(), &cards[0], None).await.unwrap();
    desk.book(&bob, &cards[..1], hours(0, 1)).await;
    let actions: Vec<String> = desk.record().await.into_iter().map(|(action, ..)| action).collect();
    assert_eq!(actions, ["maintenance.plan", "card.keep_back", "card.let_book"]);
    desk.services.reservations.cancel(&ada, later).await.unwrap();
}

#[tokio::test]
async fn reasons_and_cards_that_do_not_fit() {
    let desk = Desk::new(4).await;
    let (_, cards) = host(&desk.pool, "rig", 1).await;
    for reason in ["", "a\u{202e}b", &"x".repeat(201)] {
        let refused = keep_back(&desk.services, &desk.by(), &cards[0], Some(reason)).await.unwrap_err();
        assert_eq!((refused.code, refused.field), (ErrorCode::BadInput, Some(Field::Reason)));
    }
    let stranger = CardUuid::parse("GPU-not-here").unwrap();
    for refused in [
        keep_back(&desk.services, &desk.by(), &stranger, None).await.unwrap_err(),
        share(&desk.services, &desk.by(), &stranger, None).await.unwrap_err(),
    ] {
        assert_eq!(refused.code, ErrorCode::NotFound);
    }
}

/// Takes one share of a card.
async fn take_share(desk: &Desk, who: &Viewer, card: &CardUuid, slot: i32, window: Window) -> ReservationId {
    let id = desk.book(who, std::slice::from_ref(card), window).await;
    sqlx::query("update reservation_card set slices = int4range($2, $2 + 1) where reservation_id = $1")
        .bind(id.0)
        .bind(slot)
        .execute(&desk.pool)
        .await
        .unwrap();
    id
}

#[tokio::test]
async fn a_card_is_opened_for_shares_and_closed_when_none_is_booked() {
    let desk = Desk::new(4).await;
    let (_, cards) = host(&desk.pool, "rig", 2).await;
    let [ada, bob, cy] =
        [member(&desk.pool, "ada").await, member(&desk.pool, "bob").await, member(&desk.pool, "cy").await];
    let (card, four) = (&cards[0], Shares { count: 4, memory_mib: 20_000 });
    for bad in [Shares { memory_mib: 30_000, ..four }, Shares { count: 1, ..four }, Shares { count: 65, ..four }] {
        let refused = share(&desk.services, &desk.by(), card, Some(bad)).await.unwrap_err();
        assert_eq!((refused.code, refused.field), (ErrorCode::BadInput, Some(Field::Shares)));
        assert!(refused.message.contains("79.6 GB"), "{}", refused.message);
    }
    share(&desk.services, &desk.by(), card, Some(four)).await.unwrap();
    assert_eq!(page(&desk.services).await.unwrap().hosts[0].cards[0].shares, Some(four));

    take_share(&desk, &ada, card, 0, hours(1, 3)).await;
    take_share(&desk, &bob, card, 3, hours(4, 6)).await;
    desk.book(&cy, std::slice::from_ref(card), hours(10, 20)).await;
    let refused = share(&desk.services, &desk.by(), card, None).await.unwrap_err();
    assert_eq!((refused.code, refused.clashes.len()), (ErrorCode::Overlap, 2), "a whole card is no share: {refused:?}");
    assert!(
        refused.message.contains("Person ada until 13:00 and Person bob until 16:00. It can be done from 16:00 on"),
        "{}",
        refused.message
    );
    // Fewer shares, as long as none that goes is booked.
    let three = Shares { count: 3, ..four };
    let refused = share(&desk.services, &desk.by(), card, Some(three)).await.unwrap_err();
    assert_eq!(refused.clashes.len(), 1);
    desk.clock.advance(Duration::hours(6));
    share(&desk.services, &desk.by(), card, Some(three)).await.unwrap();
    share(&desk.services, &desk.by(), card, None).await.unwrap();
    assert_eq!(page(&desk.services).await.unwrap().hosts[0].cards[0].shares, None);
    let actions: Vec<String> = desk.record().await.into_iter().map(|(action, ..)| action).collect();
    assert_eq!(actions, ["card.open_shares", "card.open_shares", "card.close_shares"]);
}

#[tokio::test]
async fn a_card_that_is_cut_is_not_opened_for_shares() {
    let desk = Desk::new(4).await;
    let (_, cards) = host(&desk.pool, "rig", 2).await;
    sqlx::query("update card set mig_on = true where card_index = 0").execute(&desk.pool).await.unwrap();
    let shares = Some(Shares { count: 2, memory_mib: 1024 });
    let refused = share(&desk.services, &desk.by(), &cards[0], shares).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::CardNotBookable);
    share(&desk.services, &desk.by(), &cards[1], shares).await.unwrap();
}
