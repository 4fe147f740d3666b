//! Booking from a browser: the server functions behind the form and the lists.

use app::api::bookings::BookingsPage;
use domain::error::ApiError;
use domain::id::ReservationId;
use domain::reservation::State;
use domain::wire::agent_v1::REPORT_PATH;
use domain::wire::page::{BookingPage, Bookings, Person};
use reqwest::{Method, Response};
use serde_json::{Value, json};
use time::Duration;

use super::wish;
use crate::support::TestApp;
use crate::support::actor::Actor;
use crate::support::plain::{says, send, text};
use crate::support::report::{report, uuid};

pub async fn app_with_cards() -> TestApp {
    let app = TestApp::spawn().await;
    for host in ["rig", "dgx"] {
        let agent = app.agent(host).await;
        let answer = agent.request(Method::POST, REPORT_PATH).json(&report(host, 1, &[0, 1, 2, 3], 10)).send().await;
        assert_eq!(answer.unwrap().status(), 200);
    }
    app
}

async fn booked(answer: Response) -> ReservationId {
    assert_eq!(answer.status(), 200);
    answer.json().await.unwrap()
}

/// Status and refusal of a server function.
async fn refused(answer: Response) -> (u16, ApiError) {
    let status = answer.status().as_u16();
    let body: Value = answer.json().await.unwrap();
    (status, serde_json::from_value(body["Api"].clone()).unwrap_or_else(|_| panic!("{body}")))
}

async fn page(actor: &Actor, id: ReservationId) -> BookingPage {
    let answer = actor.submit("booking", &[("id", &id.to_string())]).await;
    answer.json::<(BookingPage, Vec<Person>)>().await.unwrap().0
}

async fn lists(actor: &Actor) -> Bookings {
    actor.submit("bookings", &[]).await.json::<BookingsPage>().await.unwrap().lists
}

#[tokio::test]
async fn the_second_person_is_told_who_was_first() {
    let app = app_with_cards().await;
    let (ada, bob) = (app.member("ada").await, app.member("bob").await);
    let id = booked(ada.call("book", &wish(&[uuid("rig", 0), uuid("dgx", 3)], 1, 3)).await).await;
    let (status, refusal) = refused(bob.call("book", &wish(&[uuid("dgx", 3), uuid("dgx", 2)], 2, 4)).await).await;
    assert_eq!((status, refusal.code.as_str()), (409, "reservation.overlap"));
    // In Berlin, where the browser said it is, it is an hour later than in UTC.
    assert_eq!(refusal.message, "Not booked. ada has card 3 on dgx until 14:00. Choose another card or time.");
    assert_eq!(refusal.clashes[0].reservation, id);
    assert!(lists(&bob).await.mine.is_empty(), "all or nothing");
}

#[tokio::test]
async fn lists_and_pages_tell_mine_others_and_past() {
    let app = app_with_cards().await;
    let (ada, bob) = (app.member("ada").await, app.member("bob").await);
    let soon = booked(ada.call("book", &wish(&[uuid("rig", 1), uuid("rig", 0), uuid("dgx", 2)], 1, 3)).await).await;
    let now = booked(ada.call("book", &wish(&[uuid("rig", 2)], 0, 5)).await).await;
    let off = booked(ada.call("book", &wish(&[uuid("rig", 3)], 2, 4)).await).await;
    let bobs = booked(bob.call("book", &wish(&[uuid("rig", 0)], 4, 6)).await).await;
    assert_eq!(ada.submit("cancel_booking", &[("id", &off.to_string())]).await.status(), 200);

    let seen = lists(&ada).await;
    let ids = |list: &[domain::wire::page::Booking]| list.iter().map(|booking| booking.id).collect::<Vec<_>>();
    assert_eq!((ids(&seen.mine), ids(&seen.others), ids(&seen.past)), (vec![now, soon], vec![bobs], vec![off]));
    assert_eq!(seen.past[0].state, State::Cancelled);
    assert!(seen.mine.iter().all(|booking| booking.may_change) && !seen.others[0].may_change);
    let order: Vec<_> = seen.mine[1].cards.iter().map(|card| (card.host_name.as_str(), card.number.index)).collect();
    assert_eq!(order, [("dgx", 2), ("rig", 0), ("rig", 1)]);
    assert_eq!(seen.mine[1].cards[0].model, "H100 80GB HBM3");
    assert!(lists(&app.admin().await).await.others.iter().all(|booking| booking.may_change));

    let own = page(&ada, soon).await;
    assert_eq!(own.wanted_next.len(), 1);
    let (card, window, who) = &own.wanted_next[0];
    assert_eq!((card, who.as_str()), (&uuid("rig", 0), "bob"));
    assert_eq!(window.length(), Duration::hours(2));
    assert!(!page(&bob, soon).await.booking.may_change, "everybody sees it, its owner changes it");

    app.clock.advance(Duration::hours(1));
    assert_eq!(ada.submit("end_booking", &[("id", &now.to_string())]).await.status(), 200);
    let seen = lists(&ada).await;
    assert_eq!((ids(&seen.mine), ids(&seen.past)), (vec![soon], vec![off, now]));
    assert_eq!(seen.past[1].window.length(), Duration::hours(1), "the used time stays on record");
    assert!(!seen.past[1].may_change);
}

#[tokio::test]
async fn bookings_by_role_and_owner() {
    let app = app_with_cards().await;
    let (ada, bob, admin) = (app.member("ada").await, app.member("bob").await, app.admin().await);
    let nobody = app.anonymous();
    let ask = || wish(&[uuid("rig", 0)], 1, 2);
    assert_eq!(refused(nobody.call("book", &ask()).await).await.0, 401);
    let id = booked(ada.call("book", &ask()).await).await;
    let id = id.to_string();
    let act = async |actor: &Actor, function: &str| actor.submit(function, &[("id", &id)]).await.status().as_u16();
    for function in ["cancel_booking", "end_booking"] {
        assert_eq!((act(&nobody, function).await, act(&bob, function).await), (401, 403), "{function}");
    }
    // These get as far as the state of the booking: it has not begun.
    assert_eq!((act(&ada, "end_booking").await, act(&admin, "end_booking").await), (409, 409));
    assert_eq!(act(&admin, "cancel_booking").await, 200);
    assert_eq!(act(&ada, "cancel_booking").await, 409, "it is cancelled already");
    for function in ["bookings", "fleet"] {
        assert_eq!(nobody.submit(function, &[]).await.status(), 401, "{function}");
        assert_eq!(bob.submit(function, &[]).await.status(), 200, "{function}");
    }
    let unknown = uuid::Uuid::new_v4().to_string();
    assert_eq!(nobody.submit("booking", &[("id", &unknown)]).await.status(), 401);
    assert_eq!(bob.submit("booking", &[("id", &unknown)]).await.status(), 404);
}

#[tokio::test]
async fn wishes_that_make_no_sense_are_refused_and_say_which_input() {
    let app = app_with_cards().await;
    let ada = app.member("ada").await;
    let mut reversed = wish(&[uuid("rig", 0)], 1, 2);
    reversed["ask"]["window"]["end"] = reversed["ask"]["window"]["start"].clone();
    let answer = ada.call("book", &reversed).await;
    assert!(answer.status().is_client_error(), "{}", answer.status());

    let (status, past) = refused(ada.call("book", &wish(&[uuid("rig", 0)], -2, 2)).await).await;
    assert_eq!((status, past.field), (422, Some(domain::error::Field::Start)));
    let (status, stranger) = refused(ada.call("book", &wish(&[uuid("elsewhere", 0)], 1, 2)).await).await;
    assert_eq!((status, stranger.code.as_str()), (422, "reservation.unknown_card"));
    let mut twice = wish(&[uuid("rig", 0)], 1, 2);
    let id = booked(ada.call("book", &twice).await).await;
    assert_eq!(booked(ada.call("book", &twice).await).await, id, "sent twice, booked once");
    twice["ask"]["purpose"] = json!("something else");
    let (status, reused) = refused(ada.call("book", &twice).await).await;
    assert_eq!((status, reused.code.as_str()), (422, "idempotency.key_reused"));
}

#[tokio::test]
async fn colleagues_are_added_by_name_on_the_bookings_page_and_taken_away() {
    let app = app_with_cards().await;
    let (ada, bob, _eve) = (app.member("ada").await, app.member("bob").await, app.member("eve").await);
    let id: String = ada.call("book", &wish(&[uuid("rig", 0)], 1, 3)).await.json().await.unwrap();
    let there = format!("/bookings/{id}");
    let fields = |act: &'static str, to: &str| {
        let key = uuid::Uuid::new_v4().to_string();
        [("form[id]", id.clone()), ("form[act]", act.to_owned()), ("form[key]", key), ("form[to]", to.to_owned())]
    };
    let act = async |who: &Actor, act, to: &str| {
        let fields = fields(act, to);
        let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let back = send(who, &app.url, &there, "act_on_booking", &fields).await;
        text(who, &back).await
    };
    says(&text(&ada, &there).await, &["Add a colleague by name", "<option value=\"bob\">"]);
    assert!(!text(&bob, &there).await.contains("Add a colleague by name"), "it is not bob's");
    for (typed, why) in [("bobby", "Nobody here is called"), ("ada", "s booking already")] {
        says(&act(&ada, "share", typed).await, &["Nobody was added.", why]);
    }
    let shared = act(&ada, "share", " BOB ").await;
    says(&shared, &["<b>bob</b>", "Remove: bob"]);
    says(&text(&bob, "/notices").await, &["ada lets you launch on rig card 0"]);
    says(&act(&bob, "share", "eve").await, &["This booking is somebody else"]);
    let bob_id = shared.split_once("value=\"unshare\"").unwrap().1.split_once("name=\"form[to]\" value=\"").unwrap().1;
    let gone = act(&ada, "unshare", &bob_id[..36]).await;
    assert!(!gone.contains("<b>bob</b>"), "{gone}");
}
