//! The calendar: what the browser fetches, and the page without scripts.

use domain::error::ErrorCode;
use domain::reading::Reading;
use domain::reservation::State;
use domain::wire::agent_v1::REPORT_PATH;
use domain::wire::calendar::{Calendar, CalendarAsk};
use reqwest::{Method, Response};
use serde_json::{Value, json};
use time::Duration;

use super::bookings::app_with_cards;
use super::wish;
use crate::support::TestApp;
use crate::support::actor::Actor;
use crate::support::clock::MORNING;
use crate::support::plain::{says, send};
use crate::support::report::{report, uuid};

async fn booked(answer: Response) -> String {
    assert_eq!(answer.status(), 200);
    answer.json().await.unwrap()
}

async fn asked(actor: &Actor, from: i64, hours: i64) -> Response {
    let from = MORNING + Duration::hours(from);
    let span = CalendarAsk { from, to: from + Duration::hours(hours) };
    actor.call("calendar", &json!({ "span": span })).await
}

async fn calendar(actor: &Actor) -> Calendar {
    asked(actor, -10, 48).await.json().await.unwrap()
}

async fn page(actor: &Actor, address: &str) -> String {
    let answer = actor.get(address).await;
    assert_eq!(answer.status(), 200, "{address}");
    answer.text().await.unwrap()
}

async fn execute(app: &TestApp, sql: &'static str) {
    sqlx::query(sql).execute(&app.services().pool).await.unwrap();
}

#[tokio::test]
async fn it_has_what_holds_cards_and_nothing_else() {
    let app = app_with_cards().await;
    let (ada, bob) = (app.member("ada").await, app.member("bob").await);
    let mut ask = wish(&[uuid("rig", 1), uuid("rig", 0), uuid("dgx", 2)], 1, 3);
    ask["ask"]["purpose"] = json!("Depth pretrain");
    let soon = booked(ada.call("book", &ask).await).await;
    let off = booked(ada.call("book", &wish(&[uuid("rig", 3)], 2, 4)).await).await;
    assert_eq!(ada.submit("cancel_booking", &[("id", &off)]).await.status(), 200);
    // Ends where what was asked for begins.
    booked(ada.call("book", &wish(&[uuid("rig", 2)], 38, 40)).await).await;

    let seen = calendar(&bob).await;
    let names: Vec<_> = seen.hosts.iter().map(|host| (host.name.as_str(), host.cards.len())).collect();
    assert_eq!(names, [("dgx", 4), ("rig", 4)]);
    assert_eq!(seen.hosts[1].cards[2].number.to_string(), "2");
    let [booking] = seen.bookings.as_slice() else { panic!("{:?}", seen.bookings) };
    assert_eq!((booking.id.to_string(), booking.holder.as_str()), (soon, "ada"));
    assert_eq!((booking.purpose.as_str(), booking.state), ("Depth pretrain", State::Scheduled));
    let held: Vec<_> = booking.holds.iter().map(|hold| hold.card.clone()).collect();
    assert_eq!(held, [uuid("dgx", 2), uuid("rig", 0), uuid("rig", 1)]);
    assert!(booking.holds.iter().all(|hold| hold.window.is_none() && hold.shares.is_none()));
    assert!(!booking.may_change && !booking.co_user && !booking.repeats && !booking.may_approve);
    assert!(calendar(&ada).await.bookings[0].may_change);
    assert!(calendar(&app.admin().await).await.bookings[0].may_change);
}

#[tokio::test]
async fn a_change_changes_the_version() {
    let app = app_with_cards().await;
    let ada = app.member("ada").await;
    let before = calendar(&ada).await.version;
    assert_eq!(calendar(&ada).await.version, before);
    booked(ada.call("book", &wish(&[uuid("rig", 0)], 1, 2)).await).await;
    assert_ne!(calendar(&ada).await.version, before);
}

#[tokio::test]
async fn it_has_closed_cards_labels_shares_and_those_who_wait() {
    let app = app_with_cards().await;
    let (ada, bob) = (app.member("ada").await, app.member("bob").await);
    booked(ada.call("book", &wish(&[uuid("rig", 0)], 1, 6)).await).await;
    execute(&app, "update card set not_bookable = 'Display card' from host where host.host_id = card.host_id and host.name = 'dgx' and card_index = 3").await;
    execute(&app, "update card set shares = 4 from host where host.host_id = card.host_id and host.name = 'dgx' and card_index = 1").await;
    execute(&app, "insert into host_label select host_id, 'training' from host where name = 'rig'").await;
    execute(&app, "insert into card_label select card_uuid, 'inference' from card join host using (host_id) where host.name = 'dgx' and card_index = 1").await;
    execute(
        &app,
        r#"with plan as (
               insert into maintenance (maintenance_id, reason, during, everywhere, made_by, made_at)
               select gen_random_uuid(), 'Driver update', '[2026-11-30 12:00+00, 2026-11-30 14:00+00)', false, user_id, now()
               from "user" where name = 'ada' returning maintenance_id)
           insert into maintenance_target (maintenance_id, host_id)
           select maintenance_id, host_id from plan, host where host.name = 'rig'"#,
    )
    .await;
    execute(
        &app,
        r#"insert into waiting (wait_id, user_id, made_at, want, purpose, mode, until)
           select gen_random_uuid(), user_id, now(),
                  '{"count": 1, "hosts": ["rig"], "when": {"earliest": {"minutes": 60, "from": "2026-11-30T10:00:00Z", "until": "2026-12-01T10:00:00Z"}}}',
                  'probe', 'book', '2026-12-01T10:00:00Z'
           from "user" where name = 'bob'"#,
    )
    .await;

    let seen = calendar(&bob).await;
    let [never, plan] = seen.closures.as_slice() else { panic!("{:?}", seen.closures) };
    assert_eq!(
        (never.reason.as_str(), never.window, never.cards.clone()),
        ("Display card", None, vec![uuid("dgx", 3)])
    );
    assert_eq!((plan.reason.as_str(), plan.cards.len()), ("Driver update", 4));
    assert!(plan.maintenance.is_some() && plan.window.is_some_and(|window| window.length() == Duration::hours(2)));
    assert_eq!(seen.hosts[1].labels, ["training"]);
    assert_eq!(
        (seen.hosts[0].cards[1].labels.clone(), seen.hosts[0].cards[1].shares),
        (vec!["inference".to_owned()], Some(4))
    );
    assert_eq!(seen.bookings[0].waiting, 1);
    assert_eq!(seen.waiting.iter().map(|place| place.position).collect::<Vec<_>>(), [1]);
    assert!(calendar(&ada).await.waiting.is_empty(), "the places of others are nobody's business");
}

#[tokio::test]
async fn a_stretch_without_end_is_refused() {
    let app = app_with_cards().await;
    let ada = app.member("ada").await;
    for (hours, status) in [(0, 400), (-1, 400), (45 * 24, 200), (45 * 24 + 1, 400)] {
        let answer = asked(&ada, 0, hours).await;
        assert_eq!(answer.status(), status, "{hours}");
        if status == 400 {
            let body: Value = answer.json().await.unwrap();
            assert_eq!(body["Api"]["code"], ErrorCode::Malformed.as_str());
        }
    }
    assert_eq!(asked(&app.anonymous(), 0, 1).await.status(), 401);
}

#[tokio::test]
async fn the_page_works_without_scripts() {
    let app = app_with_cards().await;
    let ada = app.member("ada").await;
    let mut ask = wish(&[uuid("rig", 0), uuid("rig", 1)], 1, 3);
    ask["ask"]["purpose"] = json!("<b onmouseover=alert(1)>\"Depth\"");
    let id = booked(ada.call("book", &ask).await).await;

    let html = page(&ada, "/calendar").await;
    assert!(html.contains(&format!("href=\"/bookings/{id}\"")), "bars are links");
    assert!(!html.contains("<b onmouseover"), "what somebody typed is text");
    assert!(html.contains("&lt;b onmouseover=alert(1)&gt;&quot;Depth&quot;"));
    assert!(html.contains("rig cards 0, 1, 12:00 – 14:00"), "in the viewer's zone");
    assert!(html.contains("data-host=\"dgx\"") && html.contains("data-host=\"rig\""));
    assert!(html.contains("href=\"/calendar?zoom=week\""));

    let one = page(&ada, "/calendar?zoom=week&host=rig").await;
    assert!(!one.contains("data-host=\"dgx\"") && one.contains("data-host=\"rig\""));
    assert!(one.contains("href=\"/calendar?zoom=2w&amp;host=rig\""), "the zoom keeps the filter");
    let mine = page(&ada, "/calendar?mine=1").await;
    assert_eq!(mine.matches("class=\"lane\" data-card").count(), 2);
    let nothing = page(&ada, "/calendar?q=no+such+thing").await;
    assert!(nothing.contains("No card matches.") && !nothing.contains("data-host="));
    let folded = page(&ada, "/calendar?fold=rig&host=rig").await;
    assert!(folded.contains("data-folded") && folded.contains("Free cards on rig"));
    assert!(!folded.contains("class=\"lane\" data-card"));

    let found = page(&ada, "/calendar?from=2026-12-02&host=rig&cards=2&begin=tomorrow").await;
    let line = found.split_once("id=\"finder\"").expect("the finder's line").1.split_once("</section>").unwrap().0;
    assert!(line.contains("action=\"/calendar\"") && line.contains("value=\"2026-12-02\""), "keeps the view");
    assert!(line.contains("<option value=\"2\" selected"), "says what was asked");
    let back = "/calendar?cards=2&amp;begin=tomorrow&amp;from=2026-12-02&amp;host=rig";
    assert!(line.contains(back), "a lost race leads back to all of it");
    assert!(found.find("id=\"finder\"") < found.find("class=\"calbar\""), "first on the page");
    assert!(found.contains("datetime=\"2026-12-02\""), "the day that was asked for");

    let there = app.anonymous().get("/calendar?zoom=week").await;
    assert_eq!(there.headers()["location"], "/sign-in?next=/calendar%3Fzoom%3Dweek");
}

#[tokio::test]
async fn a_day_has_as_many_hours_as_its_zone_gives_it() {
    let app = app_with_cards().await;
    let ada = app.member("ada").await;
    for (day, hours) in [("2026-10-25", 25), ("2027-03-28", 23), ("2026-12-01", 24)] {
        let html = page(&ada, &format!("/calendar?from={day}")).await;
        let column = format!("style=\"--at:0;--for:{hours};\"><time datetime=\"{day}\"");
        assert!(html.contains(&column), "{day}");
    }
    // Nobody can make the portal count to the end of time.
    page(&ada, "/calendar?zoom=2w&from=9999-12-31").await;
}

#[tokio::test]
async fn a_pending_approval_is_for_those_who_may_give_it() {
    let app = app_with_cards().await;
    let (ada, bob, eve) = (app.member("ada").await, app.member("bob").await, app.member("eve").await);
    booked(ada.call("book", &wish(&[uuid("rig", 0)], 1, 3)).await).await;
    execute(&app, "update reservation set awaits = 'approval', awaits_until = '2026-12-01T10:00:00Z'").await;
    execute(
        &app,
        r#"with made as (insert into person_group values (gen_random_uuid(), 'vision', now()) returning group_id)
           insert into group_member select group_id, user_id, name = 'bob' from made, "user" where name in ('ada', 'bob')"#,
    )
    .await;
    let may = async |actor: &Actor| {
        let seen = calendar(actor).await;
        assert_eq!(seen.bookings[0].state, State::Awaiting);
        (seen.bookings[0].may_approve, seen.groups)
    };
    assert_eq!(may(&bob).await, (true, vec!["vision".to_owned()]));
    assert_eq!(may(&ada).await, (false, vec!["vision".to_owned()]));
    assert_eq!(may(&eve).await, (false, Vec::new()));
    assert!(may(&app.admin().await).await.0);
}

#[tokio::test]
async fn cards_can_be_asked_to_be_free_for_long_enough() {
    let app = TestApp::spawn().await;
    let (ada, agent) = (app.member("ada").await, app.agent("rig").await);
    let mut idle = report("rig", 1, &[0, 1, 2], 0);
    for card in &mut idle.cards {
        card.processes = Some(Vec::new());
        card.sample.memory_used_mib = Reading::Value(0);
    }
    assert_eq!(agent.request(Method::POST, REPORT_PATH).json(&idle).send().await.unwrap().status(), 200);
    booked(ada.call("book", &wish(&[uuid("rig", 1)], 0, 1)).await).await;
    booked(ada.call("book", &wish(&[uuid("rig", 2)], 2, 3)).await).await;
    for (query, shown) in [
        ("?host=rig", [true, true, true]),
        ("?host=rig&free=1", [true, false, true]),
        ("?host=rig&free=4", [true, false, false]),
        // Days of which the calendar does not have now in it.
        ("?host=rig&free=1&from=2026-12-07", [true, false, true]),
        ("?host=rig&free=4&from=2026-12-07", [true, false, false]),
        ("?host=rig&free=3", [true, true, true]),
    ] {
        let html = page(&ada, &format!("/calendar{query}")).await;
        let seen = [0, 1, 2].map(|index| html.contains(&format!("data-card=\"{}\"", uuid("rig", index))));
        assert_eq!(seen, shown, "{query}");
        assert_eq!(html.contains("<option value=\"4\" selected"), query.contains("free=4"), "{query}");
    }
}

#[tokio::test]
async fn whoever_wants_the_cards_of_somebody_else_asks_and_finds_where_to_wait() {
    let app = app_with_cards().await;
    let (ada, bob) = (app.member("ada").await, app.member("bob").await);
    let id = booked(ada.call("book", &wish(&[uuid("rig", 0)], 1, 3)).await).await;
    let there = format!("/bookings/{id}");
    let seen = page(&bob, &there).await;
    says(&seen, &["action=\"/api/page/ask_holder\"", "Ask the holder", "Wait for such cards", "/book?card="]);
    let own = page(&ada, &there).await;
    assert!(!own.contains("Ask the holder") && !own.contains("Wait for such cards"));
    for (asked, said) in [("now", "ada has been asked."), ("before", "You have asked ada today already.")] {
        let back = send(&bob, &app.url, &there, "ask_holder", &[("id", &id)]).await;
        assert_eq!(back, format!("{there}?asked={asked}"));
        says(&page(&bob, &back).await, &[said]);
    }
    says(&page(&ada, "/notices").await, &["bob asks whether rig card 0 can be had earlier."]);
    let way = seen.split_once("href=\"/book?card=").unwrap().1.split_once('"').unwrap().0.replace("&amp;", "&");
    says(&page(&bob, &format!("/book?card={way}")).await, &["ada", "value=\"wait\""]);
}
