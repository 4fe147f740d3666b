//! The table that a host gets in return.

use domain::id::{CardUuid, HostId};
use domain::reservation::NewReservation;
use domain::reservation::edit::{Edit, EditAsk, Scope, Target};
use domain::window::Window;
use domain::wire::page::Viewer;
use time::Duration;
use uuid::Uuid;

use super::Desk;
use crate::support::clock::MORNING;
use crate::support::fleet::member;
use crate::support::report::{report, uuid};

async fn map(desk: &Desk, host: Option<HostId>, os_user: &str, person: &Viewer) {
    sqlx::query(
        "insert into host_account (host_account_id, host_id, os_user, user_id, proven, made_at)
         values (gen_random_uuid(), $1, $2, $3, false, $4)",
    )
    .bind(host.map(|host| host.0))
    .bind(os_user)
    .bind(person.id.0)
    .bind(MORNING)
    .execute(&desk.pool)
    .await
    .unwrap();
}

fn ask(cards: &[CardUuid], from: i64, until: i64) -> NewReservation {
    let window = Window::new(MORNING + Duration::hours(from), MORNING + Duration::hours(until)).unwrap();
    NewReservation::of_cards(cards.to_vec(), window, "", Uuid::new_v4())
}

#[tokio::test]
async fn it_holds_the_accounts_of_the_host_and_those_of_all_hosts() {
    let desk = Desk::open().await;
    let (rig, dgx) = (desk.host("rig").await, desk.host("dgx").await);
    let (ada, bob) = (member(&desk.pool, "ada").await, member(&desk.pool, "bob").await);
    map(&desk, Some(rig.id), "ada", &ada).await;
    map(&desk, None, "ada", &ada).await;
    map(&desk, None, "lab", &bob).await;
    map(&desk, Some(dgx.id), "zoe", &bob).await;
    let table = desk.report(&rig, report("rig", 1, &[0], 10)).await.unwrap();
    let accounts: Vec<(&str, &str)> =
        table.accounts.iter().map(|account| (account.os_user.as_str(), account.name.as_str())).collect();
    assert_eq!(accounts, [("ada", "Person ada"), ("lab", "Person bob")]);
    assert_eq!((table.host_name.as_str(), table.portal_url.as_str()), ("rig", "https://berth.example.org"));
    assert_eq!(table.made_at, MORNING);

    sqlx::query(r#"update "user" set disabled_at = $1 where name = 'ada'"#)
        .bind(MORNING)
        .execute(&desk.pool)
        .await
        .unwrap();
    let table = desk.report(&rig, report("rig", 2, &[0], 10)).await.unwrap();
    assert_eq!(table.accounts.len(), 1, "who is disabled starts nothing");
}

#[tokio::test]
async fn it_holds_what_is_booked_here_now_and_within_72_hours() {
    let desk = Desk::open().await;
    let (rig, dgx) = (desk.host("rig").await, desk.host("dgx").await);
    let ada = member(&desk.pool, "ada").await;
    desk.report(&rig, report("rig", 1, &[0, 1, 2], 10)).await.unwrap();
    desk.report(&dgx, report("dgx", 1, &[0], 10)).await.unwrap();
    let book = async |cards: &[CardUuid], from, until| {
        desk.services.reservations.book(&ada, &ask(cards, from, until)).await.unwrap()
    };
    let later = book(&[uuid("rig", 2), uuid("dgx", 0), uuid("rig", 1)], 71, 80).await;
    let now = book(&[uuid("rig", 0)], 0, 5).await;
    let ended = book(&[uuid("rig", 1)], 0, 5).await;
    let cancelled = book(&[uuid("rig", 1)], 10, 12).await;
    book(&[uuid("rig", 0)], 72, 74).await;
    desk.services.reservations.cancel(&ada, cancelled).await.unwrap();

    let table = desk.report(&rig, report("rig", 2, &[0, 1, 2], 10)).await.unwrap();
    let held: Vec<_> = table.bookings.iter().map(|booking| (booking.id, booking.cards.clone())).collect();
    let first: Vec<_> = held.iter().filter(|(id, _)| *id == now).collect();
    assert_eq!(first.len(), 1);
    assert!(
        held.contains(&(later, vec![uuid("rig", 1), uuid("rig", 2)])),
        "only this host's cards, in order: {held:?}"
    );
    assert!(held.iter().all(|(id, _)| *id != cancelled));
    assert!(table.bookings.iter().all(|booking| booking.holder == "Person ada" && booking.person == ada.id));

    desk.clock.advance(Duration::minutes(2));
    desk.services.reservations.end_now(&ada, ended).await.unwrap();
    let table = desk.report(&rig, report("rig", 3, &[0, 1, 2], 10)).await.unwrap();
    assert!(table.bookings.iter().all(|booking| booking.id != ended), "what was ended holds nothing");
    let starts: Vec<_> = table.bookings.iter().map(|booking| booking.window.start()).collect();
    assert!(starts.is_sorted());
    assert_eq!(table.bookings.len(), 3, "the one that began 72 hours from the morning has come into sight");
}

#[tokio::test]
async fn it_names_those_who_share_a_booking_and_keeps_apart_what_waits() {
    let desk = Desk::open().await;
    let rig = desk.host("rig").await;
    let (ada, bob) = (member(&desk.pool, "ada").await, member(&desk.pool, "bob").await);
    desk.report(&rig, report("rig", 1, &[0, 1, 2], 10)).await.unwrap();
    sqlx::query("update card set shares = 4 where card_index = 2").execute(&desk.pool).await.unwrap();
    let mut shared = ask(&[uuid("rig", 0), uuid("rig", 2)], 0, 4);
    shared.co_users = vec![bob.id];
    shared.shares = [(uuid("rig", 2), 2)].into();
    let shared = desk.services.reservations.book(&ada, &shared).await.unwrap();
    let mut offered = ask(&[uuid("rig", 1)], 0, 4);
    offered.owner = Some(bob.id);
    let until = Some(MORNING + Duration::minutes(30));
    let offered = desk.services.reservations.book_waited(&offered, until).await.unwrap();

    let table = desk.report(&rig, report("rig", 2, &[0, 1, 2], 10)).await.unwrap();
    let [booking] = table.bookings.as_slice() else { panic!("{:?}", table.bookings) };
    assert_eq!((booking.id, &booking.co_users), (shared, &vec![bob.id]));
    assert_eq!(booking.cards, [uuid("rig", 0), uuid("rig", 2)], "a card of which it has two shares is named once");
    assert_eq!(table.waiting.iter().map(|booking| booking.id).collect::<Vec<_>>(), [offered]);

    // A card that comes while it runs has a time of its own.
    desk.clock.advance(Duration::minutes(10));
    let target = Target { cards: Some(vec![uuid("rig", 0)]), ..Target::default() };
    let edit = EditAsk {
        reservation: shared,
        edit: Edit::Set(target),
        scope: Scope::One,
        version: None,
        idempotency_key: Uuid::new_v4(),
    };
    desk.services.reservations.edit(&ada, &edit).await.unwrap();
    desk.clock.advance(Duration::minutes(10));
    let table = desk.report(&rig, report("rig", 3, &[0, 1, 2], 10)).await.unwrap();
    let cards: Vec<_> = table.bookings.iter().map(|booking| booking.cards.clone()).collect();
    assert_eq!(cards, [vec![uuid("rig", 0)]], "and one that has left is not in it");

    // Nobody answers: before anybody has written that down, it holds nothing here.
    desk.clock.advance(Duration::minutes(10));
    let table = desk.report(&rig, report("rig", 4, &[0, 1, 2], 10)).await.unwrap();
    assert!(table.waiting.is_empty());
}
