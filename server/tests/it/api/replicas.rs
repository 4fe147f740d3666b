//! Two servers on one database: what is booked on one shows on the other's open pages.

use super::events::{Stream, fleet, tell};
use super::wish;
use crate::support::actor::Actor;
use crate::support::fleet::member;
use crate::support::portal::sign_in;
use crate::support::report::uuid;
use crate::support::{TestApp, until};

/// A server that never looks by itself: whatever its pages learn, it has heard.
const NEVER_LOOKS: &str = "--look=86400";

async fn signed_in(app: &TestApp, name: &str) -> Actor {
    let actor = app.anonymous();
    sign_in(&actor, name).await;
    actor
}

/// Waits until the page is told, after event `seen`, to fetch anew, and then finds so many bookings of the card.
async fn until_told(page: &mut Stream, actor: &Actor, seen: u64, bookings: usize) {
    loop {
        let event = page.next().await.expect("the stream goes on");
        let told = event.kind == "resync" && event.id.is_some_and(|id| id > seen);
        if told && fleet(actor).await.hosts[0].cards[1].bookings.len() == bookings {
            return;
        }
    }
}

/// How many connections to the database listen, besides what tests do.
async fn listeners(app: &TestApp) -> i64 {
    let asked = "select count(*) from pg_stat_activity where datname = current_database() and query like 'LISTEN%'";
    sqlx::query_scalar(asked).fetch_one(&app.pool).await.expect("a count")
}

#[tokio::test]
async fn a_booking_on_one_server_is_told_to_the_pages_of_another() {
    let one = TestApp::spawn().await;
    let (agent, ada) = (one.agent("rig").await, one.member("ada").await);
    tell(&agent, 1, 11).await;
    let other = one.spawn_beside(&[NEVER_LOOKS]).await;
    until("both servers listen", async || listeners(&one).await == 2).await;
    let reader = signed_in(&other, "ada").await;
    let mut page = Stream::open(&reader).await;
    // Twice: what was told may be a change from before.
    for hours in 1..3 {
        let seen = fleet(&reader).await.seq;
        assert_eq!(ada.call("book", &wish(&[uuid("rig", 1)], hours * 2, hours * 2 + 1)).await.status(), 200);
        until_told(&mut page, &reader, seen, usize::try_from(hours).expect("few")).await;
    }
}

#[tokio::test]
async fn a_booking_of_which_nobody_called_out_is_found() {
    let app = TestApp::spawn().await;
    let (agent, ada) = (app.agent("rig").await, app.member("ada").await);
    tell(&agent, 1, 11).await;
    let mut page = Stream::open(&ada).await;
    let bob = member(&app.pool, "bob").await;
    // Past the running server: nothing of this one runs beside requests, so nobody is told.
    let silent = app.services();
    for hours in 1..3 {
        let ask = wish(&[uuid("rig", 1)], hours * 2, hours * 2 + 1)["ask"].take();
        let seen = fleet(&ada).await.seq;
        silent.reservations.book(&bob, &serde_json::from_value(ask).expect("a wish")).await.expect("a booking");
        until_told(&mut page, &ada, seen, usize::try_from(hours).expect("few")).await;
    }
}

#[tokio::test]
async fn a_server_whose_line_is_cut_listens_again() {
    let one = TestApp::spawn().await;
    let (agent, ada) = (one.agent("rig").await, one.member("ada").await);
    tell(&agent, 1, 11).await;
    let other = one.spawn_beside(&[NEVER_LOOKS]).await;
    until("both servers listen", async || listeners(&one).await == 2).await;
    let reader = signed_in(&other, "ada").await;
    let cut = "select count(pg_terminate_backend(pid)) from pg_stat_activity \
               where datname = current_database() and query like 'LISTEN%'";
    let ended: i64 = sqlx::query_scalar(cut).fetch_one(&one.pool).await.expect("both ended");
    assert_eq!(ended, 2);
    until("they are gone", async || listeners(&one).await == 0).await;
    until("both listen again", async || listeners(&one).await == 2).await;
    let mut page = Stream::open(&reader).await;
    for hours in 1..3 {
        let seen = fleet(&reader).await.seq;
        assert_eq!(ada.call("book", &wish(&[uuid("rig", 1)], hours * 2, hours * 2 + 1)).await.status(), 200);
        until_told(&mut page, &reader, seen, usize::try_from(hours).expect("few")).await;
    }
}
