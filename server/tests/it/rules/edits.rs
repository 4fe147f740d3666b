//! Rules that come, change and go, and bookings that are edited under them.

use app::port::Rules;
use domain::error::ErrorCode;
use domain::id::RuleId;
use domain::reservation::edit::{Edit, Target};
use domain::rules::{Limit, Period};
use domain::wire::rules::{RuleAsk, RulesPage};
use time::Duration;
use uuid::Uuid;

use super::{Yard, again, broken, hours, rule};
use crate::support::people::code;

#[tokio::test]
async fn rules_are_made_changed_and_removed_by_administrators_and_all_of_it_is_on_record() {
    let yard = Yard::new().await;
    let ada = yard.office.member("ada").await;
    let id = yard.rule("Short", Limit::Longest { minutes: 60 }).await;
    broken(yard.book(&ada, &[0], hours(1, 3)).await);
    let longer = RuleAsk { id: Some(id), ..rule("Longer", Limit::Longest { minutes: 120 }) };
    yard.save(&longer).await.unwrap();
    yard.save(&longer).await.unwrap();
    yard.book(&ada, &[0], hours(1, 3)).await.unwrap();

    let page: RulesPage =
        yard.office.act(&mut again(&yard.ruth), async |portal| portal.rules_page().await).await.unwrap();
    assert_eq!(page.rules.len(), 1);
    assert_eq!((page.rules[0].rule.name.as_str(), page.rules[0].made_by.as_str()), ("Longer", "Person ruth"));

    yard.office.act(&mut again(&yard.ruth), async |portal| portal.remove_rule(id).await).await.unwrap();
    yard.book(&ada, &[0], hours(3, 9)).await.unwrap();
    let gone = yard.office.act(&mut again(&yard.ruth), async |portal| portal.remove_rule(id).await).await;
    assert_eq!(code(gone), ErrorCode::NotFound);
    assert_eq!(code(yard.save(&longer).await), ErrorCode::NotFound);
    assert_eq!(code(yard.save(&RuleAsk { id: Some(RuleId(Uuid::nil())), ..longer }).await), ErrorCode::NotFound);

    let (names, before): (Vec<String>, Vec<Option<serde_json::Value>>) =
        sqlx::query_as::<_, (String, Option<serde_json::Value>)>(
            "select action, before from audit where action ~ '^rule' order by audit_id",
        )
        .fetch_all(&yard.office.pool)
        .await
        .unwrap()
        .into_iter()
        .unzip();
    assert_eq!(names, ["rule.make", "rule.change", "rule.remove"]);
    assert_eq!(before[0], None);
    assert_eq!(before[1].as_ref().unwrap()["limit"]["minutes"], 60);
}

#[tokio::test]
async fn what_makes_no_sense_is_no_rule() {
    let yard = Yard::new().await;
    for bad in [
        rule(" ", Limit::Approval),
        rule("x", Limit::Longest { minutes: 1 }),
        RuleAsk { label: Some("a b".to_owned()), ..rule("x", Limit::Approval) },
    ] {
        assert_eq!(code(yard.save(&bad).await), ErrorCode::BadInput, "{bad:?}");
    }
    let nobody = RuleAsk { group: Some(domain::id::GroupId(Uuid::nil())), ..rule("x", Limit::Approval) };
    assert_eq!(code(yard.save(&nobody).await), ErrorCode::NotFound);
    assert!(yard.record().await.is_empty());
}

#[tokio::test]
async fn a_booking_over_a_new_limit_can_be_made_smaller_but_not_larger() {
    let yard = Yard::new().await;
    let ada = yard.office.member("ada").await;
    let id = yard.book(&ada, &[0, 1, 2], hours(1, 9)).await.unwrap();
    yard.rule("Most cards", Limit::MostCards { cards: 1 }).await;
    yard.rule("Longest", Limit::Longest { minutes: 60 }).await;
    // Later by an hour: as broken as before.
    yard.set(&ada, id, hours(2, 10)).await.unwrap();
    broken(yard.set(&ada, id, hours(2, 11)).await);
    let cards = |range: std::ops::Range<usize>| {
        Edit::Set(Target { cards: Some(yard.cards[range].to_vec()), ..Target::default() })
    };
    yard.edit(&ada, id, cards(0..2)).await.unwrap();
    broken(yard.edit(&ada, id, cards(0..4)).await);
}

#[tokio::test]
async fn a_running_booking_is_judged_by_what_is_to_come() {
    let yard = Yard::new().await;
    let ada = yard.office.member("ada").await;
    yard.rule("Longest", Limit::Longest { minutes: 4 * 60 }).await;
    yard.rule("Fair share", Limit::GpuHours { hours: 10, per: Period::Week }).await;
    let id = yard.book(&ada, &[0], hours(0, 4)).await.unwrap();
    broken(yard.set(&ada, id, hours(0, 5)).await);
    yard.office.clock.advance(Duration::hours(3));
    yard.set(&ada, id, hours(0, 7)).await.unwrap();
    // A second card from now on: three hours used, four to come on each.
    let second = Edit::Set(Target { cards: Some(yard.cards[..2].to_vec()), ..Target::default() });
    let (_, said) = broken(yard.edit(&ada, id, second.clone()).await);
    assert!(said.contains("11 GPU-hours"), "{said}");
    yard.set(&ada, id, hours(0, 6)).await.unwrap();
    yard.edit(&ada, id, second).await.unwrap();
    // Given back after an hour, that hour stays used: 6 + 1 of 10, so three hours more are too many by none.
    yard.office.clock.advance(Duration::hours(1));
    let first = Edit::Set(Target { cards: Some(yard.cards[..1].to_vec()), ..Target::default() });
    yard.edit(&ada, id, first).await.unwrap();
    yard.set(&ada, id, hours(0, 8)).await.unwrap();
    yard.book(&ada, &[5], hours(4, 5)).await.unwrap();
    let (_, said) = broken(yard.book(&ada, &[6], hours(4, 5)).await);
    assert!(said.contains("11 GPU-hours"), "{said}");
}

#[tokio::test]
async fn a_colleague_takes_a_booking_over_by_the_colleagues_rules() {
    let yard = Yard::new().await;
    let (ada, bob) = (yard.office.member("ada").await, yard.office.member("bob").await);
    let staff = yard.group("Staff", &[&bob]).await;
    yard.save(&RuleAsk { group: Some(staff), ..rule("Staff", Limit::MostCards { cards: 1 }) }).await.unwrap();
    let to = yard.office.viewer(&mut again(&bob)).await.unwrap().id;
    let two = yard.book(&ada, &[0, 1], hours(1, 2)).await.unwrap();
    broken(yard.edit(&ada, two, Edit::Transfer { to }).await);
    let one = yard.book(&ada, &[2], hours(1, 2)).await.unwrap();
    yard.edit(&ada, one, Edit::Transfer { to }).await.unwrap();
    broken(yard.book(&bob, &[3], hours(1, 2)).await);
}
