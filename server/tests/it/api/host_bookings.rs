//! What a host may book, extend and end in the name of its people, and what not.

use domain::id::{CardUuid, ReservationId};
use domain::reservation::NewReservation;
use domain::user::Role;
use domain::window::Window;
use domain::wire::agent_v1::{LINK_PATH, REPORT_PATH};
use domain::wire::host_v1::{BOOK_PATH, CHANGE_PATH, HostBooked, HostChanged};
use domain::wire::page::Viewer;
use reqwest::Method;
use serde_json::{Value, json};
use time::format_description::well_known::Rfc3339;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::support::TestApp;
use crate::support::actor::Agent;
use crate::support::clock::MORNING;
use crate::support::report::{report, uuid};

/// A host with so many cards on which nobody is.
async fn host(app: &TestApp, name: &str, cards: u32) -> Agent {
    let agent = app.agent(name).await;
    let mut said = report(name, 1, &(0..cards).collect::<Vec<_>>(), 0);
    said.cards.iter_mut().for_each(|card| card.processes = Some(Vec::new()));
    let answer = agent.request(Method::POST, REPORT_PATH).json(&said).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    agent
}

/// Says that an account on a host is this person's.
async fn link(app: &TestApp, agent: &Agent, person: &str, os_user: &str) {
    let actor = if person == "root-admin" { app.admin().await } else { app.member(person).await };
    let made: Value = actor.submit("new_code", &[]).await.json().await.unwrap();
    let ask = json!({ "code": made[0], "os_user": os_user });
    assert_eq!(agent.request(Method::POST, LINK_PATH).json(&ask).send().await.unwrap().status(), 200);
}

async fn ask(agent: &Agent, path: &str, body: &Value) -> Result<Value, (u16, String)> {
    let answer = agent.request(Method::POST, path).json(body).send().await.unwrap();
    let status = answer.status().as_u16();
    let body: Value = answer.json().await.unwrap();
    if status == 200 { Ok(body) } else { Err((status, body["code"].as_str().unwrap_or_default().to_owned())) }
}

fn some(os_user: &str, count: u32) -> Value {
    json!({ "os_user": os_user, "key": Uuid::new_v4(), "count": count, "minutes": 60 })
}

async fn book(agent: &Agent, body: &Value) -> Result<HostBooked, (u16, String)> {
    ask(agent, BOOK_PATH, body).await.map(|answer| serde_json::from_value(answer).unwrap())
}

async fn change(agent: &Agent, os_user: &str, booking: Value, act: Value) -> Result<HostChanged, (u16, String)> {
    let body = json!({ "os_user": os_user, "booking": booking, "act": act });
    ask(agent, CHANGE_PATH, &body).await.map(|answer| serde_json::from_value(answer).unwrap())
}

fn until(minutes: i64) -> Value {
    json!({ "until": (MORNING + Duration::minutes(minutes)).format(&Rfc3339).unwrap() })
}

fn refusal(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}

async fn rows(app: &TestApp) -> i64 {
    sqlx::query_scalar("select count(*) from reservation").fetch_one(&app.pool).await.unwrap()
}

#[tokio::test]
async fn a_host_books_free_cards_once_for_each_key() {
    let app = TestApp::spawn().await;
    let rig = host(&app, "rig", 4).await;
    host(&app, "tower", 4).await;
    link(&app, &rig, "ada", "ada").await;
    let wish = some("ada", 2);
    let first = book(&rig, &wish).await.unwrap();
    assert_eq!((first.cards.len(), first.window.start(), first.awaits), (2, MORNING, false));
    assert_eq!(first.window.length(), Duration::HOUR);
    assert_eq!(book(&rig, &wish).await.unwrap(), first, "the same key");
    let here: Vec<CardUuid> = (0..4).map(|index| uuid("rig", index)).collect();
    let mut free: Vec<CardUuid> = here.iter().filter(|card| !first.cards.contains(card)).cloned().collect();
    let mut shy = some("ada", 1);
    shy["avoid"] = json!([free.remove(0)]);
    assert_eq!(book(&rig, &shy).await.unwrap().cards, free, "not the one that somebody is on");
    assert_eq!(book(&rig, &some("ada", 2)).await, Err(refusal(409, "reservation.no_shares")), "one is left here");
    let mut named = some("ada", 0);
    named["cards"] = json!([first.cards[0]]);
    assert_eq!(book(&rig, &named).await, Err(refusal(409, "reservation.overlap")));
    named["start"] = json!((MORNING + Duration::HOUR).format(&Rfc3339).unwrap());
    let later = book(&rig, &named).await.unwrap();
    assert_eq!((later.cards.len(), later.window.start()), (1, MORNING + Duration::HOUR));
    assert_eq!(rows(&app).await, 3);
    // Many at once for what is left: one gets it.
    let wishes: Vec<Value> = (0..6).map(|_| some("ada", 1)).collect();
    let all = futures::future::join_all(wishes.iter().map(|wish| book(&rig, wish))).await;
    assert_eq!(all.iter().filter(|outcome| outcome.is_ok()).count(), 1, "{all:?}");
}

#[tokio::test]
async fn a_host_acts_for_its_own_people_and_on_its_own_cards_alone() {
    let app = TestApp::spawn().await;
    let (rig, tower) = (host(&app, "rig", 4).await, host(&app, "tower", 2).await);
    link(&app, &rig, "ada", "ada").await;
    link(&app, &rig, "jonas", "jonas").await;
    link(&app, &rig, "root-admin", "boss").await;
    link(&app, &rig, "ada", "lab").await;
    link(&app, &rig, "jonas", "lab").await;
    for (os_user, agent) in [("eve", &rig), ("lab", &rig), ("ada", &tower)] {
        assert_eq!(book(agent, &some(os_user, 1)).await, Err(refusal(422, "person.unknown")), "{os_user}");
    }
    for cards in [json!([uuid("tower", 0)]), json!([uuid("rig", 0), uuid("tower", 0)]), json!(["GPU-none"])] {
        let mut wish = some("ada", 0);
        wish["cards"] = cards;
        assert_eq!(book(&rig, &wish).await, Err(refusal(422, "reservation.unknown_card")));
    }
    assert_eq!(book(&rig, &some("ada", 0)).await, Err(refusal(422, "input.invalid")));
    assert_eq!(rows(&app).await, 0, "nothing is booked by what is refused");

    let booked = book(&rig, &some("ada", 1)).await.unwrap();
    let id = json!({ "id": booked.reservation });
    // An administrator's account gives a host no administrator's rights.
    for os_user in ["jonas", "boss"] {
        for act in [until(120), json!("end")] {
            assert_eq!(
                change(&rig, os_user, id.clone(), act).await,
                Err(refusal(403, "auth.not_allowed")),
                "{os_user}"
            );
        }
    }
    link(&app, &tower, "ada", "ada").await;
    assert_eq!(change(&tower, "ada", id.clone(), json!("end")).await, Err(refusal(403, "auth.not_allowed")));
    let wide = wide(&app, "ada").await;
    for act in [until(120), json!("end")] {
        assert_eq!(change(&rig, "ada", json!({ "id": wide }), act).await, Err(refusal(403, "auth.not_allowed")));
    }
    let unknown = json!({ "id": Uuid::new_v4() });
    assert_eq!(change(&rig, "ada", unknown, until(120)).await, Err(refusal(404, "not_found")));
}

/// A booking of this person on both hosts, made in the portal.
async fn wide(app: &TestApp, name: &str) -> ReservationId {
    let id: Uuid = sqlx::query_scalar(r#"select user_id from "user" where name = $1"#)
        .bind(name)
        .fetch_one(&app.pool)
        .await
        .unwrap();
    let viewer =
        Viewer { id: domain::id::UserId(id), name: name.to_owned(), display_name: name.to_owned(), role: Role::Member };
    let start: OffsetDateTime = MORNING + Duration::hours(5);
    let window = Window::new(start, start + Duration::HOUR).unwrap();
    let cards = vec![uuid("rig", 3), uuid("tower", 1)];
    let ask = NewReservation::of_cards(cards, window, "", Uuid::new_v4());
    app.services().reservations.book(&viewer, &ask).await.unwrap()
}

#[tokio::test]
async fn a_host_extends_until_somebody_is_next_and_ends_once() {
    let app = TestApp::spawn().await;
    let rig = host(&app, "rig", 1).await;
    link(&app, &rig, "ada", "ada").await;
    link(&app, &rig, "jonas", "jonas").await;
    let wish = some("ada", 1);
    let booked = book(&rig, &wish).await.unwrap();
    let (id, key) = (json!({ "id": booked.reservation }), json!({ "key": wish["key"] }));
    let longer = change(&rig, "ada", id.clone(), until(120)).await.unwrap();
    assert_eq!(longer.window.map(|window| window.end()), Some(MORNING + Duration::hours(2)));
    let mut next = some("jonas", 1);
    next["start"] = json!((MORNING + Duration::hours(3)).format(&Rfc3339).unwrap());
    let next = book(&rig, &next).await.unwrap();
    assert_eq!(change(&rig, "ada", id.clone(), until(240)).await, Err(refusal(409, "reservation.overlap")));
    assert!(change(&rig, "ada", id.clone(), until(180)).await.is_ok());

    app.clock.advance(Duration::minutes(30));
    for booking in [key.clone(), id, key] {
        let ended = change(&rig, "ada", booking, json!("end")).await.unwrap();
        assert_eq!(ended, HostChanged { reservation: Some(booked.reservation), window: None });
    }
    let never = change(&rig, "ada", json!({ "key": Uuid::new_v4() }), json!("end")).await.unwrap();
    assert_eq!(never, HostChanged { reservation: None, window: None });
    // One that has not begun is called off.
    assert!(change(&rig, "jonas", json!({ "id": next.reservation }), json!("end")).await.is_ok());
    assert_eq!(book(&rig, &some("ada", 1)).await.unwrap().cards, booked.cards, "all of it is free again");
}
