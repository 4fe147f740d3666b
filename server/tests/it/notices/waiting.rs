//! Waiting for cards: served in fair order, each once, never against a rule.

use domain::error::ErrorCode;
use domain::finder::{Link, Span, Want};
use domain::id::WaitId;
use domain::notice::{Answer, Body};
use domain::reservation::NewReservation;
use domain::rules::Limit;
use domain::window::Window;
use domain::wire::calendar::{CalendarAsk, WaitAsk, WaitMode};
use domain::wire::page::Viewer;
use server::service::{notices, waiting};
use sqlx::types::Json;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::tower::{Tower, minute};
use crate::support::clock::MORNING;
use crate::support::people::code;

/// So many cards from one minute to another.
fn want(count: u32, from: i64, until: i64) -> Want {
    Want {
        count,
        model: None,
        architecture: None,
        memory_mib: None,
        link: Link::Any,
        spread: false,
        hosts: Vec::new(),
        labels: Vec::new(),
        when: Span::At(Window::new(minute(from), minute(until)).unwrap()),
    }
}

async fn wait(tower: &Tower, who: &Viewer, mode: WaitMode, want: Want) -> WaitId {
    let ask = WaitAsk { want, purpose: "tune".to_owned(), mode, until: minute(600) };
    waiting::wait(&tower.services, who, &ask).await.unwrap()
}

async fn serve(tower: &Tower) -> usize {
    waiting::serve(&tower.services).await.unwrap()
}

/// Bookings that are not over, with their owner, what they wait for and their beginning.
async fn booked(tower: &Tower, who: &Viewer) -> Vec<(Option<String>, OffsetDateTime)> {
    sqlx::query_as(
        "select awaits, lower(during) from reservation
         where user_id = $1 and fate is null and upper(during) > $2 order by lower(during)",
    )
    .bind(who.id.0)
    .bind(tower.now())
    .fetch_all(&tower.pool)
    .await
    .unwrap()
}

/// Somebody's places; "my bookings" and the calendar say the same.
async fn places(tower: &Tower, who: &Viewer) -> Vec<u32> {
    let own = waiting::of(&tower.services, who).await.unwrap();
    let now = tower.services.clock.now();
    let span = CalendarAsk { from: now, to: now + Duration::days(1) };
    assert_eq!(tower.services.calendar.read(who, span).await.unwrap().waiting, own);
    own.iter().map(|place| place.position).collect()
}

#[tokio::test]
async fn cards_are_booked_for_who_waits_as_soon_as_they_are_free_and_once() {
    let tower = Tower::with_cards(2).await;
    let (ada, bob) = (tower.member("ada").await, tower.member("bob").await);
    let held = tower.book(&bob, &[0, 1], 0, 240).await;
    wait(&tower, &ada, WaitMode::Book, want(2, 120, 180)).await;
    assert_eq!(serve(&tower).await, 0);
    tower.clock.advance(Duration::minutes(30));
    tower.services.reservations.end_now(&bob, held).await.unwrap();
    assert_eq!(serve(&tower).await, 1);
    assert_eq!(booked(&tower, &ada).await, [(None, minute(120))]);
    assert_eq!(tower.read(&ada).await, ["You waited for cards: rig cards 0, 1 booked for you, 12:00 – 13:00."]);
    assert!(places(&tower, &ada).await.is_empty());
    assert_eq!(serve(&tower).await, 0);
    assert_eq!(booked(&tower, &ada).await.len(), 1);
}

#[tokio::test]
async fn who_had_the_least_comes_first_and_then_who_came_first() {
    let tower = Tower::with_cards(1).await;
    let (eve, cy, ada) = (tower.member("eve").await, tower.member("cy").await, tower.member("ada").await);
    let bob = tower.member("bob").await;
    tower.book(&eve, &[0], 0, 60).await;
    tower.clock.advance(Duration::minutes(60));
    let held = tower.book(&bob, &[0], 60, 600).await;
    for person in [&eve, &cy, &ada] {
        wait(&tower, person, WaitMode::Book, want(1, 120, 180)).await;
        tower.clock.advance(Duration::MINUTE);
    }
    assert_eq!(
        (places(&tower, &cy).await, places(&tower, &ada).await, places(&tower, &eve).await),
        (vec![1], vec![2], vec![3])
    );
    // Whoever wants another time is in nobody's way.
    let other = tower.member("dan").await;
    wait(&tower, &other, WaitMode::Tell, want(1, 400, 500)).await;
    assert_eq!(places(&tower, &other).await, [1]);
    tower.services.reservations.end_now(&bob, held).await.unwrap();
    serve(&tower).await;
    assert_eq!(
        (booked(&tower, &cy).await.len(), booked(&tower, &ada).await.len(), booked(&tower, &eve).await.len()),
        (1, 0, 0)
    );
    assert_eq!((places(&tower, &ada).await, places(&tower, &eve).await), (vec![1], vec![2]));
    // What was long ago does not count: two weeks later the one who came first of them is.
    tower.clock.advance(Duration::days(15));
    for person in [&eve, &ada] {
        let later = i64::from(15_u8) * 24 * 60;
        let ask = WaitAsk {
            want: want(1, later + 200, later + 260),
            purpose: String::new(),
            mode: WaitMode::Tell,
            until: minute(later + 600),
        };
        waiting::wait(&tower.services, person, &ask).await.unwrap();
    }
    assert_eq!((places(&tower, &eve).await, places(&tower, &ada).await), (vec![1], vec![2]));
}

#[tokio::test]
async fn an_offer_is_held_a_quarter_of_an_hour_and_then_passes_on() {
    let tower = Tower::with_cards(1).await;
    let (ada, cy, dan) = (tower.member("ada").await, tower.member("cy").await, tower.member("dan").await);
    for person in [&ada, &cy, &dan] {
        wait(&tower, person, WaitMode::Tell, want(1, 120, 180)).await;
        tower.clock.advance(Duration::SECOND);
    }
    serve(&tower).await;
    assert_eq!(booked(&tower, &ada).await[0].0.as_deref(), Some("answer"));
    assert!(tower.read(&ada).await[0].ends_with(" Held for you until 10:15."), "{:?}", tower.read(&ada).await);
    assert!(tower.told(&cy).await.is_empty());
    tower.clock.advance(Duration::minutes(14));
    tower.services.reservations.lapse_overdue().await.unwrap();
    assert_eq!(serve(&tower).await, 0);
    tower.clock.advance(Duration::minutes(1));
    tower.services.reservations.lapse_overdue().await.unwrap();
    assert_eq!(serve(&tower).await, 1);
    assert!(booked(&tower, &ada).await.is_empty(), "who does not answer is not asked again");
    let late = notices::answer(&tower.services, &ada, tower.told(&ada).await[0].notice.id, &Answer::Accept).await;
    assert_eq!(code(late), ErrorCode::AlreadyOver);

    // The next one does not want them, and the one after takes them.
    let told = tower.told(&cy).await.remove(0);
    notices::answer(&tower.services, &cy, told.notice.id, &Answer::Decline).await.unwrap();
    assert_eq!(serve(&tower).await, 1);
    let told = tower.told(&dan).await.remove(0);
    assert!(matches!(told.notice.body, Body::Free { held_until: Some(_), .. }));
    notices::answer(&tower.services, &dan, told.notice.id, &Answer::Accept).await.unwrap();
    assert_eq!(booked(&tower, &dan).await, [(None, minute(120))]);
    tower.clock.advance(Duration::minutes(30));
    tower.services.reservations.lapse_overdue().await.unwrap();
    assert_eq!(booked(&tower, &dan).await.len(), 1, "what was taken stays");
}

#[tokio::test]
async fn no_rule_is_broken_for_who_waits_and_that_is_said_once() {
    let tower = Tower::with_cards(1).await;
    let (ada, bob) = (tower.member("ada").await, tower.member("bob").await);
    sqlx::query("insert into rule (rule_id, name, body, made_by, made_at) values ($1, 'Short ones', $2, $3, $4)")
        .bind(Uuid::now_v7())
        .bind(Json(Limit::Longest { minutes: 30 }))
        .bind(bob.id.0)
        .bind(MORNING)
        .execute(&tower.pool)
        .await
        .unwrap();
    wait(&tower, &ada, WaitMode::Book, want(1, 120, 180)).await;
    // Somebody behind is not held up.
    wait(&tower, &bob, WaitMode::Book, want(1, 120, 150)).await;
    assert_eq!(serve(&tower).await, 1);
    assert_eq!((booked(&tower, &ada).await.len(), booked(&tower, &bob).await.len()), (0, 1));
    serve(&tower).await;
    let read = tower.read(&ada).await;
    assert_eq!(read.len(), 1);
    assert!(read[0].contains("Short ones") && read[0].ends_with("You wait on."), "{read:?}");
    assert_eq!(places(&tower, &ada).await, [1]);
}

#[tokio::test]
async fn many_servers_serve_each_once() {
    let tower = Tower::with_cards(4).await;
    let mut people = Vec::new();
    for name in ["ada", "bob", "cy", "dan"] {
        let person = tower.member(name).await;
        wait(&tower, &person, WaitMode::Book, want(1, 120, 180)).await;
        people.push(person);
    }
    let serving: Vec<_> = (0..6)
        .map(|_| {
            let services = tower.services.clone();
            tokio::spawn(async move { waiting::serve(&services).await })
        })
        .collect();
    for done in serving {
        done.await.unwrap().unwrap();
    }
    serve(&tower).await;
    for person in &people {
        assert_eq!(booked(&tower, person).await.len(), 1);
        assert_eq!(tower.told(person).await.len(), 1);
    }
}

#[tokio::test]
async fn a_server_that_stopped_in_between_has_not_booked_twice() {
    let tower = Tower::with_cards(2).await;
    let ada = tower.member("ada").await;
    let id = wait(&tower, &ada, WaitMode::Book, want(1, 120, 180)).await;
    let window = Window::new(minute(120), minute(180)).unwrap();
    let ask = NewReservation {
        owner: Some(ada.id),
        ..NewReservation::of_cards(vec![tower.cards[1].clone()], window, "tune", id.0)
    };
    tower.services.reservations.book_waited(&ask, None).await.unwrap();
    assert_eq!(serve(&tower).await, 1);
    assert_eq!(booked(&tower, &ada).await.len(), 1);
    assert_eq!(tower.read(&ada).await, ["You waited for cards: rig card 1 booked for you, 12:00 – 13:00."]);
}

#[tokio::test]
async fn a_place_is_its_owners_and_ends() {
    let tower = Tower::with_cards(1).await;
    let (ada, bob) = (tower.member("ada").await, tower.member("bob").await);
    tower.book(&bob, &[0], 0, 600).await;
    let id = wait(&tower, &ada, WaitMode::Tell, want(1, 120, 180)).await;
    assert_eq!(code(waiting::stop(&tower.services, &bob, id).await), ErrorCode::NotFound);
    waiting::stop(&tower.services, &ada, id).await.unwrap();
    assert_eq!(code(waiting::stop(&tower.services, &ada, id).await), ErrorCode::NotFound);
    assert!(places(&tower, &ada).await.is_empty());

    wait(&tower, &ada, WaitMode::Tell, want(1, 120, 180)).await;
    tower.clock.advance(Duration::minutes(600));
    serve(&tower).await;
    serve(&tower).await;
    assert_eq!(tower.read(&ada).await, ["Nothing that you waited for became free by 20:00."]);

    let mut bad = WaitAsk { want: want(0, 700, 800), purpose: String::new(), mode: WaitMode::Tell, until: minute(900) };
    assert_eq!(code(waiting::wait(&tower.services, &ada, &bad).await), ErrorCode::BadInput, "no cards");
    bad.want.count = 1;
    bad.until = minute(1);
    assert_eq!(code(waiting::wait(&tower.services, &ada, &bad).await), ErrorCode::BadInput, "over before it begins");
    bad.until = minute(900);
    for _ in 0..20 {
        waiting::wait(&tower.services, &ada, &bad).await.unwrap();
    }
    assert_eq!(code(waiting::wait(&tower.services, &ada, &bad).await), ErrorCode::BadInput, "so many and no more");
}
