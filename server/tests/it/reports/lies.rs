//! A host that lies about cards, names and accounts learns nothing of other hosts' bookings and people, and changes nothing
//! about them.

use domain::card::CardHealth;
use domain::reservation::NewReservation;
use domain::reservation::edit::{Edit, EditAsk, Scope, Target};
use domain::user::Role;
use domain::window::Window;
use domain::wire::agent_v1::HostTable;
use time::Duration;
use uuid::Uuid;

use super::Desk;
use crate::support::clock::MORNING;
use crate::support::fleet::{member, person};
use crate::support::report::{report, uuid};

/// What administrators decide about cards, and what their hosts say of them.
async fn kept(desk: &Desk) -> Vec<String> {
    sqlx::query_scalar(
        "select concat_ws(' ', card_uuid, host_id, health, present, shares, share_memory_mib, not_bookable) from card
         where host_id = (select host_id from host where name = 'rig') order by card_uuid",
    )
    .fetch_all(&desk.pool)
    .await
    .unwrap()
}

fn is_empty(table: &HostTable) -> bool {
    table.bookings.is_empty() && table.waiting.is_empty() && table.notices.is_empty() && table.accounts.is_empty()
}

#[tokio::test]
async fn whoever_names_cards_of_another_host_gets_none_of_its_bookings_shares_and_notices() {
    let desk = Desk::open().await;
    let (rig, liar) = (desk.host("rig").await, desk.host("liar").await);
    let ada = member(&desk.pool, "ada").await;
    let boss = person(&desk.pool, "boss", "Boss", Role::Administrator).await;
    desk.report(&rig, report("rig", 1, &[0, 1, 2], 10)).await.unwrap();
    sqlx::query("update card set shares = 4, share_memory_mib = 20000 where card_index = 1")
        .execute(&desk.pool)
        .await
        .unwrap();
    sqlx::query("update card set not_bookable = 'Display card' where card_index = 2")
        .execute(&desk.pool)
        .await
        .unwrap();
    sqlx::query(
        "insert into host_account (host_account_id, host_id, os_user, user_id, proven, made_at)
         values (gen_random_uuid(), $1, 'ada', $2, false, $3)",
    )
    .bind(rig.id.0)
    .bind(ada.id.0)
    .bind(MORNING)
    .execute(&desk.pool)
    .await
    .unwrap();
    let window = Window::new(MORNING, MORNING + Duration::hours(4)).unwrap();
    let mut ask = NewReservation::of_cards(vec![uuid("rig", 0), uuid("rig", 1)], window, "secret", Uuid::new_v4());
    ask.shares = [(uuid("rig", 1), 2)].into();
    let booking = desk.services.reservations.book(&ada, &ask).await.unwrap();
    let renamed = EditAsk {
        reservation: booking,
        edit: Edit::Set(Target { purpose: Some("changed".to_owned()), ..Target::default() }),
        scope: Scope::One,
        version: None,
        idempotency_key: Uuid::new_v4(),
    };
    desk.services.reservations.edit(&boss, &renamed).await.unwrap();
    let before = kept(&desk).await;

    // Sick, gone, cut: of cards that are not its own; with the account of somebody whom it does not have.
    for (seq, health) in [(1, CardHealth::Lost), (2, CardHealth::Ok)] {
        let mut lie = report("rig", seq, &[0, 1, 2], 0);
        lie.boot_id = "boot-of-liar".to_owned();
        for card in &mut lie.cards {
            card.health = health;
            card.facts.name = "Mine".to_owned();
        }
        lie.cards[0].facts.mig_on = true;
        let table = desk.report(&liar, lie).await.unwrap();
        assert!(is_empty(&table), "{table:?}");
        assert_eq!(kept(&desk).await, before);
    }
    let of_liar: i64 = sqlx::query_scalar("select count(*) from card where host_id = $1")
        .bind(liar.id.0)
        .fetch_one(&desk.pool)
        .await
        .unwrap();
    assert_eq!(of_liar, 0);
    let page = desk.services.booking_list.one(&ada, booking).await.unwrap();
    assert!(page.booking.cards.iter().all(|card| card.host_name == "rig" && card.trouble.is_none()));

    // Its own host has all of it.
    let table = desk.report(&rig, report("rig", 2, &[0, 1, 2], 10)).await.unwrap();
    assert_eq!((table.bookings.len(), table.accounts.len(), table.notices.len()), (1, 1, 1), "{table:?}");
}

#[tokio::test]
async fn names_are_cut_and_cleaned_before_the_finder_offers_them() {
    let desk = Desk::open().await;
    let (liar, ada) = (desk.host("liar").await, member(&desk.pool, "ada").await);
    let mut lie = report("liar", 1, &[0, 1], 0);
    lie.cards[0].facts.name = "H".repeat(100_000);
    lie.cards[1].facts.name = "A\u{202e}001H\n\u{0}".to_owned();
    desk.report(&liar, lie).await.unwrap();
    let choices = desk.services.finder.choices(&ada).await.unwrap();
    let models: Vec<&str> = choices.models.iter().map(|(model, _)| model.as_str()).collect();
    assert_eq!(models.len(), 2);
    assert!(models.iter().all(|model| model.chars().count() <= 96), "{models:?}");
    assert!(models.iter().all(|model| !model.contains(['\u{202e}', '\n', '\u{0}'])), "{models:?}");
}
