//! The table: once, in the transaction of the deed, marked as read by the reader alone.

use domain::notice::Which;
use domain::reservation::NewReservation;
use domain::user::Role;
use server::store::{change, notices};
use time::Duration;
use uuid::Uuid;

use super::{by, changed, hours, tell, told};
use crate::support::clock::MORNING;
use crate::support::cluster::database;
use crate::support::fleet::{host, member, person};
use crate::support::people::Office;

#[tokio::test]
async fn the_same_thing_is_said_once_to_each() {
    let pool = database(8).await;
    let (ada, bob) = (member(&pool, "ada").await, member(&pool, "bob").await);
    let news = [
        changed(ada.id, "first", None, Some("end")),
        changed(ada.id, "again", None, Some("end")),
        changed(bob.id, "bob", None, Some("end")),
        changed(ada.id, "always", None, None),
        changed(ada.id, "always", None, None),
    ];
    assert_eq!(tell(&pool, &news).await, 4);
    assert_eq!(tell(&pool, &news[..3]).await, 0, "not in another transaction either");
    assert_eq!(by(&told(&pool, ada.id).await), ["always", "always", "first"], "newest first");
    assert_eq!(by(&told(&pool, bob.id).await), ["bob"]);

    let at_once = (0..8).map(|n| {
        let (pool, user) = (pool.clone(), ada.id);
        tokio::spawn(async move { tell(&pool, &[changed(user, &n.to_string(), None, Some("race"))]).await })
    });
    let mut written = 0;
    for task in at_once.collect::<Vec<_>>() {
        written += task.await.unwrap();
    }
    assert_eq!(written, 1);
}

#[tokio::test]
async fn what_did_not_happen_is_not_told_and_pages_learn_of_what_is() {
    let pool = database(4).await;
    let ada = member(&pool, "ada").await;
    let before = change::version(&pool).await.unwrap();
    let mut tx = pool.begin().await.unwrap();
    notices::write(&mut tx, &[changed(ada.id, "nobody", None, None)], MORNING).await.unwrap();
    tx.rollback().await.unwrap();
    assert!(told(&pool, ada.id).await.is_empty());
    assert_eq!(change::version(&pool).await.unwrap(), before);

    tell(&pool, &[changed(ada.id, "ruth", None, Some("x"))]).await;
    let after = change::version(&pool).await.unwrap();
    assert_ne!(after, before);
    tell(&pool, &[changed(ada.id, "ruth", None, Some("x"))]).await;
    assert_eq!(change::version(&pool).await.unwrap(), after, "nothing new, nothing to look at");
}

#[tokio::test]
async fn only_the_reader_marks_and_only_what_was_seen() {
    let pool = database(4).await;
    let (ada, bob) = (member(&pool, "ada").await, member(&pool, "bob").await);
    for name in ["one", "two", "three"] {
        tell(&pool, &[changed(ada.id, name, None, None)]).await;
    }
    let listed = told(&pool, ada.id).await;
    let ids: Vec<i64> = listed.iter().map(|told| told.notice.id).collect();
    let mut conn = pool.acquire().await.unwrap();
    let some = |ids: &[i64]| Which::Some { ids: ids.to_vec() };
    assert!(!notices::mark_read(&mut conn, bob.id, &some(&ids), MORNING).await.unwrap());
    assert_eq!(notices::unread(&pool, ada.id).await.unwrap(), 3);
    assert!(notices::mark_read(&mut conn, ada.id, &some(&ids[1..2]), MORNING).await.unwrap());
    assert!(!notices::mark_read(&mut conn, ada.id, &some(&ids[1..2]), MORNING).await.unwrap(), "read once");
    assert_eq!(notices::unread(&pool, ada.id).await.unwrap(), 2);

    // One comes between the page and the click.
    tell(&pool, &[changed(ada.id, "four", None, None)]).await;
    notices::mark_read(&mut conn, ada.id, &Which::UpTo { id: ids[0] }, MORNING).await.unwrap();
    let unread: Vec<_> = told(&pool, ada.id).await.into_iter().filter(|told| told.notice.read_at.is_none()).collect();
    assert_eq!(by(&unread), ["four"]);

    let later = MORNING + Duration::days(100);
    assert_eq!(notices::delete_old(&pool, later).await.unwrap(), 3, "what is unread stays");
}

#[tokio::test]
async fn a_notice_names_the_cards_of_its_booking_and_asks_only_while_that_is_open() {
    let office = Office::new().await;
    let (pool, services) = (&office.pool, &office.services);
    let (_, cards) = host(pool, "rig", 3).await;
    let (ada, ruth) = (member(pool, "ada").await, person(pool, "ruth", "Ruth Keller", Role::Administrator).await);
    let ask = NewReservation::of_cards(vec![cards[2].clone(), cards[0].clone()], hours(1, 2), "", Uuid::new_v4());
    let id = services.reservations.book(&ada, &ask).await.unwrap();
    tell(pool, &[changed(ada.id, "ruth", Some(id), None), changed(ruth.id, "ruth", Some(id), None)]).await;
    let hers = told(pool, ada.id).await.remove(0);
    let numbers: Vec<String> = hers.cards.iter().map(|card| format!("{} {}", card.host, card.number)).collect();
    assert_eq!(numbers, ["rig 0", "rig 2"]);
    assert!(hers.open);
    assert!(!told(pool, ruth.id).await[0].open, "it is not hers to answer");
    services.reservations.cancel(&ada, id).await.unwrap();
    assert!(!told(pool, ada.id).await[0].open);
}
