//! A host's own page.

use domain::card::{CardDetail, CardHealth};
use domain::error::ErrorCode;
use domain::inventory::{Inventory, Machine};
use domain::reading::Reading;
use domain::reservation::NewReservation;
use domain::topology::Topology;
use domain::window::Window;
use domain::wire::page::{HostPage, MovedCard};
use server::service::host_page::host_page;
use time::Duration;
use uuid::Uuid;

use super::Desk;
use crate::support::clock::MORNING;
use crate::support::fleet::member;
use crate::support::report::{report, uuid};

async fn page(desk: &Desk, name: &str) -> HostPage {
    host_page(&desk.pool, &desk.services.clock, &desk.services.live, name).await.unwrap()
}

#[tokio::test]
async fn it_shows_what_the_host_told_in_full() {
    let desk = Desk::open().await;
    let (rig, ada) = (desk.host("rig").await, member(&desk.pool, "ada").await);
    let mut said = report("rig", 1, &[0, 1], 10);
    let machine = Machine { kernel: Some("6.1.0".to_owned()), ..Machine::default() };
    let inventory = Inventory { machine, cards: Vec::new(), topology: Topology::default() };
    said.inventory = Some(Box::new(inventory.clone()));
    said.inventory_id = Some("a".to_owned());
    said.cards[1].detail = CardDetail { pcie_width: Reading::Value(8), ..CardDetail::default() };
    desk.report(&rig, said).await.unwrap();
    let ask = NewReservation::of_cards(
        vec![uuid("rig", 1)],
        Window::new(MORNING, MORNING + Duration::hours(1)).unwrap(),
        "",
        Uuid::new_v4(),
    );
    let booking = desk.services.reservations.book(&ada, &ask).await.unwrap();

    let seen = page(&desk, "rig").await;
    assert_eq!(seen.names, ["rig"]);
    assert_eq!(seen.host.cards[1].bookings[0].id, booking);
    assert_eq!(seen.told.agent_version.as_deref(), Some("0.1.0"));
    assert_eq!(seen.told.inventory, Some(inventory.clone()));
    assert_eq!(seen.told.details[1].1.pcie_width, Reading::Value(8));
    assert_eq!(seen.moved, []);

    // What does not come with every report stays known.
    desk.report(&rig, report("rig", 2, &[0], 10)).await.unwrap();
    let seen = page(&desk, "rig").await;
    assert_eq!(seen.told.inventory, Some(inventory));
    assert_eq!(seen.host.cards[1].truth.health, CardHealth::Lost);
    assert_eq!(seen.told.details[1].1.pcie_width, Reading::default(), "a lost card's values are not shown on");

    let unknown = host_page(&desk.pool, &desk.services.clock, &desk.services.live, "nowhere").await.unwrap_err();
    assert_eq!(unknown.code, ErrorCode::NotFound);
}

#[tokio::test]
async fn a_card_that_has_another_index_now_is_told_on_its_host_and_its_bookings() {
    let desk = Desk::open().await;
    let (rig, ada) = (desk.host("rig").await, member(&desk.pool, "ada").await);
    desk.report(&rig, report("rig", 1, &[0, 1, 2], 10)).await.unwrap();
    let book = async |index: u32, hour: i64| {
        let ask = NewReservation::of_cards(
            vec![uuid("rig", index)],
            Window::new(MORNING + Duration::hours(hour), MORNING + Duration::hours(hour + 1)).unwrap(),
            "",
            Uuid::new_v4(),
        );
        desk.services.reservations.book(&ada, &ask).await.unwrap()
    };
    let (kept, shifted) = (book(0, 1).await, book(2, 1).await);

    // Card 1 is lost, and what was card 2 is card 1 from now on.
    desk.clock.advance(Duration::minutes(5));
    let mut said = report("rig", 2, &[0, 2], 10);
    said.cards[1].facts.index = 1;
    desk.report(&rig, said).await.unwrap();
    let moved = MovedCard { card: uuid("rig", 2), before: 2, at: MORNING + Duration::minutes(5) };
    assert_eq!(page(&desk, "rig").await.moved, std::slice::from_ref(&moved));
    let of = async |id| desk.services.booking_list.one(&ada, id).await.unwrap().moved;
    assert_eq!(of(shifted).await, [moved]);
    assert_eq!(of(kept).await, []);
    desk.clock.advance(Duration::minutes(1));
    let since = book(2, 3).await;
    assert_eq!(of(since).await, [], "it never knew another index");

    // Back as it was.
    desk.report(&rig, report("rig", 3, &[0, 1, 2], 10)).await.unwrap();
    assert_eq!(page(&desk, "rig").await.moved[0].before, 1);
    assert_eq!(of(shifted).await, []);
    assert_eq!(of(since).await[0].before, 1);
}
