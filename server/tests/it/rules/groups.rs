//! Groups: who makes them, who looks after them, what stays on record.

use app::port::Rules;
use domain::error::{ApiError, ErrorCode};
use domain::id::GroupId;
use domain::rules::Limit;
use domain::wire::rules::{GroupsPage, RuleAsk};
use uuid::Uuid;

use super::{Yard, again, rule};
use crate::support::people::{Browser, code};

impl Yard {
    async fn groups(&self, who: &Browser) -> Result<GroupsPage, ApiError> {
        self.office.act(&mut again(who), async |portal| portal.groups_page().await).await
    }

    async fn put(&self, by: &Browser, group: GroupId, who: &Browser, manager: bool) -> Result<(), ApiError> {
        let person = self.office.viewer(&mut again(who)).await.unwrap().id;
        self.office.act(&mut again(by), async |portal| portal.set_member(group, person, manager).await).await
    }

    async fn take_out(&self, by: &Browser, group: GroupId, who: &Browser) -> Result<(), ApiError> {
        let person = self.office.viewer(&mut again(who)).await.unwrap().id;
        self.office.act(&mut again(by), async |portal| portal.remove_member(group, person).await).await
    }

    async fn rename(&self, group: GroupId, name: &str) -> Result<(), ApiError> {
        let name = name.to_owned();
        self.office.act(&mut again(&self.ruth), async |portal| portal.rename_group(group, name).await).await
    }

    async fn delete(&self, group: GroupId) -> Result<(), ApiError> {
        self.office.act(&mut again(&self.ruth), async |portal| portal.delete_group(group).await).await
    }
}

#[tokio::test]
async fn administrators_make_rename_and_remove_them() {
    let yard = Yard::new().await;
    let ada = yard.office.member("ada").await;
    let vision = yard.group("Vision", &[&ada]).await;
    let nlp = yard.group("NLP", &[]).await;
    assert_eq!(code(yard.rename(nlp, "Vision").await), ErrorCode::GroupNameTaken);
    assert_eq!(code(yard.rename(nlp, " ").await), ErrorCode::BadInput);
    assert_eq!(code(yard.rename(GroupId(Uuid::nil()), "X").await), ErrorCode::NotFound);
    yard.rename(nlp, " Language ").await.unwrap();
    yard.rename(nlp, "Language").await.unwrap();

    let rule_id = yard.save(&RuleAsk { group: Some(vision), ..rule("Few", Limit::Approval) }).await.unwrap();
    let refusal = yard.delete(vision).await.unwrap_err();
    assert_eq!(refusal.code, ErrorCode::GroupHasRules);
    assert!(refusal.message.contains("Few"), "{}", refusal.message);
    yard.office.act(&mut again(&yard.ruth), async |portal| portal.remove_rule(rule_id).await).await.unwrap();
    yard.delete(vision).await.unwrap();

    let page = yard.groups(&yard.ruth).await.unwrap();
    assert_eq!(page.groups.iter().map(|group| group.name.as_str()).collect::<Vec<_>>(), ["Language"]);
    assert!(page.all && page.people.len() == 2);
    let record = yard.record().await;
    let said: Vec<_> = record.iter().map(|(action, subject)| (action.as_str(), subject.as_str())).collect();
    assert_eq!(
        said,
        [
            ("group.make", "Vision"),
            ("group.member", "Vision: ada"),
            ("group.make", "NLP"),
            ("group.rename", "Language"),
            ("rule.make", "Few"),
            ("rule.remove", "Few"),
            ("group.delete", "Vision"),
        ]
    );
}

#[tokio::test]
async fn managers_look_after_the_members_of_their_own_group() {
    let yard = Yard::new().await;
    let (ada, bob, cyd) =
        (yard.office.member("ada").await, yard.office.member("bob").await, yard.office.member("cyd").await);
    let vision = yard.group("Vision", &[&ada]).await;
    let nlp = yard.group("NLP", &[&bob]).await;

    // Ada sees her own group, and nobody sees any without one.
    let page = yard.groups(&ada).await.unwrap();
    assert_eq!(page.groups.iter().map(|group| group.id).collect::<Vec<_>>(), [vision]);
    assert!(!page.all && page.groups[0].members[0].manager);
    assert_eq!(code(yard.groups(&cyd).await), ErrorCode::NotAllowed);

    yard.put(&ada, vision, &cyd, false).await.unwrap();
    // A member is no manager, and a manager manages one group alone.
    assert_eq!(code(yard.put(&cyd, vision, &bob, false).await), ErrorCode::NotAllowed);
    assert_eq!(code(yard.put(&ada, nlp, &cyd, false).await), ErrorCode::NotAllowed);
    // Who manages a group is the administrators' word.
    assert_eq!(code(yard.put(&ada, vision, &cyd, true).await), ErrorCode::NotAllowed);
    yard.put(&yard.ruth, vision, &cyd, true).await.unwrap();
    assert_eq!(code(yard.take_out(&ada, vision, &cyd).await), ErrorCode::NotAllowed);
    yard.put(&yard.ruth, vision, &cyd, false).await.unwrap();
    yard.take_out(&ada, vision, &cyd).await.unwrap();
    // Once more changes nothing and records nothing.
    let before = yard.record().await.len();
    yard.take_out(&ada, vision, &cyd).await.unwrap();
    assert_eq!(yard.record().await.len(), before);
}

#[tokio::test]
async fn a_group_and_its_entry_in_the_record_are_one() {
    let yard = Yard::new().await;
    yard.group("Vision", &[]).await;
    let after: serde_json::Value = sqlx::query_scalar("select after from audit where action = 'group.make'")
        .fetch_one(&yard.office.pool)
        .await
        .unwrap();
    assert_eq!(after["name"], "Vision");
    // Refused: nothing of it is on record.
    let mut ruth = again(&yard.ruth);
    let twice = yard.office.act(&mut ruth, async |portal| portal.make_group("Vision".to_owned()).await).await;
    assert_eq!(code(twice), ErrorCode::GroupNameTaken);
    assert_eq!(yard.record().await.len(), 1);
}
