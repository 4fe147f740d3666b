//! People prove their accounts, administrators map them.

use app::port::Portal;
use domain::error::{ApiError, ErrorCode, Field};
use domain::id::{HostId, UserId};
use domain::wire::agent_v1::{LinkReply, LinkRequest};
use server::auth::AgentHost;
use server::service::account_error::AccountError;
use server::service::{hosts, links};
use time::Duration;

use crate::support::people::{Browser, Office, code};

async fn link_code(office: &Office, browser: &mut Browser) -> String {
    office.act(browser, async |portal| portal.link_code().await).await.unwrap().code
}

async fn link(office: &Office, host: &AgentHost, code: &str, os_user: &str) -> Result<LinkReply, AccountError> {
    links::link(&office.services, host, LinkRequest { code: code.to_owned(), os_user: os_user.to_owned() }).await
}

/// Mapped accounts as host, account, owner and proof.
async fn mapped(office: &Office) -> Vec<(Option<String>, String, String, bool)> {
    let rows = hosts::overview(&office.services).await.unwrap().accounts;
    rows.into_iter().map(|row| (row.host_name, row.os_user, row.person_name, row.proven)).collect()
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[tokio::test]
async fn a_code_links_one_account_once() {
    let (office, _ruth) = Office::set_up().await;
    let mut ada = office.member("ada").await;
    let (rig, _) = office.host("rig").await;
    let made = link_code(&office, &mut ada).await;
    assert_eq!(made.len(), 11);
    let reply = link(&office, &rig, &made.to_lowercase().replace('-', ""), "alovelace").await.unwrap();
    assert_eq!(reply.name, "Person ada");
    assert_eq!(mapped(&office).await, [(some("rig"), "alovelace".to_owned(), "Person ada".to_owned(), true)]);
    assert_eq!(code(link(&office, &rig, &made, "other").await), ErrorCode::WrongLinkCode);
    let own = office.act(&mut ada, async |portal| portal.account().await).await.unwrap();
    assert_eq!(own.accounts.len(), 1);
    assert_eq!(own.zone, "Europe/Berlin");
}

#[tokio::test]
async fn codes_expire_and_a_new_one_replaces_the_old() {
    let (office, _ruth) = Office::set_up().await;
    let mut ada = office.member("ada").await;
    let (rig, _) = office.host("rig").await;
    let old = link_code(&office, &mut ada).await;
    let new = link_code(&office, &mut ada).await;
    assert_eq!(code(link(&office, &rig, &old, "ada").await), ErrorCode::WrongLinkCode);
    office.clock.advance(Duration::minutes(10));
    assert_eq!(code(link(&office, &rig, &new, "ada").await), ErrorCode::WrongLinkCode);
}

#[tokio::test]
async fn of_eight_at_once_one_takes_the_code() {
    let (office, _ruth) = Office::set_up().await;
    let mut ada = office.member("ada").await;
    let (rig, _) = office.host("rig").await;
    let made = link_code(&office, &mut ada).await;
    let names: Vec<String> = (0..8).map(|n| format!("user{n}")).collect();
    let outcomes = futures::future::join_all(names.iter().map(|name| link(&office, &rig, &made, name))).await;
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1);
    assert_eq!(mapped(&office).await.len(), 1);
}

#[tokio::test]
async fn root_is_nobodys_to_claim_but_an_administrator_may_map_it() {
    let (office, mut ruth) = Office::set_up().await;
    let mut ada = office.member("ada").await;
    let (rig, _) = office.host("rig").await;
    let made = link_code(&office, &mut ada).await;
    assert_eq!(code(link(&office, &rig, &made, "root").await), ErrorCode::NotAllowed);
    let ada_id = office.viewer(&mut ada).await.unwrap().id;
    office
        .act(&mut ruth, async |portal| portal.map_account(Some(rig.id), "root".to_owned(), ada_id).await)
        .await
        .unwrap();
    assert_eq!(mapped(&office).await, [(some("rig"), "root".to_owned(), "Person ada".to_owned(), false)]);
    // The refusal did not use the code up.
    link(&office, &rig, &made, "ada").await.unwrap();
}

#[tokio::test]
async fn guesses_by_one_account_do_not_slow_down_another() {
    let (office, _ruth) = Office::set_up().await;
    let mut ada = office.member("ada").await;
    let (rig, _) = office.host("rig").await;
    let made = link_code(&office, &mut ada).await;
    for _ in 0..5 {
        assert_eq!(code(link(&office, &rig, "AAAAA-AAAAA", "eve").await), ErrorCode::WrongLinkCode);
    }
    assert_eq!(code(link(&office, &rig, &made, "eve").await), ErrorCode::TooManyAttempts);
    link(&office, &rig, &made, "ada").await.unwrap();
}

#[tokio::test]
async fn mapping_twice_and_mapping_nothing_are_refused_by_the_database() {
    let (office, mut ruth) = Office::set_up().await;
    let id = office.viewer(&mut ruth).await.unwrap().id;
    let (rig, _) = office.host("rig").await;
    for host in [Some(rig.id), None] {
        hosts::map_account(&office.services, host, "ruth", id).await.unwrap();
        let twice: ApiError = hosts::map_account(&office.services, host, "ruth", id).await.unwrap_err().into();
        assert_eq!((twice.code, twice.field), (ErrorCode::AccountTaken, Some(Field::OsUser)));
    }
    let nil = uuid::Uuid::nil();
    let no_host = hosts::map_account(&office.services, Some(HostId(nil)), "ruth", id).await;
    assert_eq!(code(no_host), ErrorCode::NotFound);
    let nobody: ApiError = hosts::map_account(&office.services, None, "ruth", UserId(nil)).await.unwrap_err().into();
    assert_eq!(nobody.code, ErrorCode::NotFound);
    assert!(nobody.message.contains("person"), "{}", nobody.message);
    let bad: ApiError = hosts::map_account(&office.services, None, "a b", id).await.unwrap_err().into();
    assert_eq!((bad.code, bad.field), (ErrorCode::BadInput, Some(Field::OsUser)));
    // Several people may share an account, and proof makes what an administrator set stronger.
    let mut ada = office.member("ada").await;
    let made = link_code(&office, &mut ada).await;
    link(&office, &rig, &made, "ruth").await.unwrap();
    let made = link_code(&office, &mut ruth).await;
    link(&office, &rig, &made, "ruth").await.unwrap();
    let (ada, ruth) = ("Person ada".to_owned(), "Person ruth".to_owned());
    let os_user = "ruth".to_owned();
    assert_eq!(
        mapped(&office).await,
        [
            (None, os_user.clone(), ruth.clone(), false),
            (some("rig"), os_user.clone(), ada, true),
            (some("rig"), os_user, ruth, true)
        ]
    );
}

#[tokio::test]
async fn members_take_back_their_own_and_administrators_all() {
    let (office, mut ruth) = Office::set_up().await;
    let (mut ada, mut eve) = (office.member("ada").await, office.member("eve").await);
    let id = office.viewer(&mut ada).await.unwrap().id;
    let unmap = async |browser: &mut Browser| {
        office.act(browser, async |portal| portal.unmap_account(None, "ada".to_owned(), id).await).await
    };
    hosts::map_account(&office.services, None, "ada", id).await.unwrap();
    assert_eq!(code(unmap(&mut eve).await), ErrorCode::NotAllowed);
    unmap(&mut ada).await.unwrap();
    assert_eq!(code(unmap(&mut ada).await), ErrorCode::NotFound);
    hosts::map_account(&office.services, None, "ada", id).await.unwrap();
    unmap(&mut ruth).await.unwrap();
    assert_eq!(mapped(&office).await, []);
}
