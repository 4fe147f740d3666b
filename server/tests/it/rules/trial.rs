//! A rule is tried on the last 30 days before it is saved.

use app::port::{Portal, Rules};
use domain::error::ErrorCode;
use domain::rules::Limit;
use domain::wire::rules::{RuleAsk, Trial};
use time::Duration;

use super::{Yard, again, hours, rule};
use crate::support::people::{Browser, PASSWORD, code};

impl Yard {
    async fn attempt(&self, ask: &RuleAsk) -> Trial {
        let (ask, mut ruth) = (ask.clone(), self.back("ruth").await);
        self.office.act(&mut ruth, async |portal| portal.try_rule(ask).await).await.unwrap()
    }

    /// Somebody who signs in again: sessions do not last for weeks.
    async fn back(&self, name: &str) -> Browser {
        let mut browser = Browser::default();
        self.office.sign_in(&mut browser, name, PASSWORD).await.unwrap();
        browser
    }
}

/// Whose bookings would have been refused, and of how many cards.
fn refused(trial: &Trial) -> Vec<(&str, u32)> {
    trial.refused.iter().map(|row| (row.owner.as_str(), row.cards)).collect()
}

#[tokio::test]
async fn it_lists_who_would_have_been_refused_and_saves_nothing() {
    let yard = Yard::new().await;
    let (ada, bob) = (yard.office.member("ada").await, yard.office.member("bob").await);
    let students = yard.group("Students", &[&bob]).await;
    yard.book(&ada, &[0, 1], hours(0, 4)).await.unwrap();
    yard.book(&ada, &[2], hours(0, 4)).await.unwrap();
    yard.book(&bob, &[3, 4, 5], hours(0, 4)).await.unwrap();
    yard.office.clock.advance(Duration::days(20));

    let most = |cards| rule("Most", Limit::MostCards { cards });
    let trial = yard.attempt(&most(2)).await;
    assert_eq!((trial.days, trial.bookings, trial.refused_count), (30, 3, 2));
    assert_eq!(refused(&trial), [("Person ada", 1), ("Person bob", 3)]);
    assert!(trial.refused[0].why.contains("3 cards at a time"), "{}", trial.refused[0].why);
    // What would have been refused does not count against what came later.
    assert_eq!(refused(&yard.attempt(&most(1)).await), [("Person ada", 2), ("Person bob", 3)]);
    assert_eq!(refused(&yard.attempt(&RuleAsk { group: Some(students), ..most(1) }).await), [("Person bob", 3)]);
    assert_eq!(refused(&yard.attempt(&RuleAsk { label: Some("none".to_owned()), ..most(0) }).await), []);
    assert_eq!(yard.attempt(&rule("Ask", Limit::Approval)).await.approvals, 3);

    let ada = yard.back("ada").await;
    yard.book(&ada, &[0, 1, 2], hours(20 * 24 + 1, 20 * 24 + 2)).await.unwrap();
    yard.office.clock.advance(Duration::days(11));
    let trial = yard.attempt(&most(2)).await;
    assert_eq!((trial.bookings, trial.refused_count), (1, 1), "the others are older than 30 days");
    let made: i64 = sqlx::query_scalar("select count(*) from rule").fetch_one(&yard.office.pool).await.unwrap();
    assert_eq!(made, 0);
}

#[tokio::test]
async fn a_booking_is_judged_as_it_was_asked_for() {
    let yard = Yard::new().await;
    let ada = yard.office.member("ada").await;
    // Asked for eight hours, ended after one.
    let id = yard.book(&ada, &[0], hours(0, 8)).await.unwrap();
    yard.office.clock.advance(Duration::hours(1));
    yard.office.act(&mut again(&ada), async |portal| portal.end_now(id).await).await.unwrap();
    // Called off before the next one was made: they were never held at once.
    let off = yard.book(&ada, &[1], hours(20, 24)).await.unwrap();
    yard.office.clock.advance(Duration::hours(1));
    yard.office.act(&mut again(&ada), async |portal| portal.cancel(off).await).await.unwrap();
    yard.office.clock.advance(Duration::hours(1));
    yard.book(&ada, &[2], hours(20, 24)).await.unwrap();

    let trial = yard.attempt(&rule("Longest", Limit::Longest { minutes: 4 * 60 })).await;
    assert_eq!(trial.refused.iter().map(|row| row.reservation).collect::<Vec<_>>(), [id]);
    assert_eq!(trial.refused[0].window, hours(0, 8));
    assert_eq!(yard.attempt(&rule("Most", Limit::MostCards { cards: 1 })).await.refused_count, 0);
}

#[tokio::test]
async fn what_makes_no_sense_is_not_tried() {
    let yard = Yard::new().await;
    let ask = rule("x", Limit::Longest { minutes: 1 });
    let tried = yard.office.act(&mut again(&yard.ruth), async |portal| portal.try_rule(ask).await).await;
    assert_eq!(code(tried), ErrorCode::BadInput);
}
