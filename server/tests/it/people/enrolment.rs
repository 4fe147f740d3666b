//! Hosts get their credentials, and lose them.

use app::port::Portal;
use domain::error::{ApiError, ErrorCode, Field};
use domain::id::HostId;
use domain::wire::agent_v1::{EnrolReply, EnrolRequest};
use server::auth::secret::SecretHash;
use server::service::account_error::AccountError;
use server::service::hosts;
use server::store;
use server::store::hosts::Holder;
use time::Duration;

use crate::support::people::{Office, address, code};

async fn enrol(office: &Office, code: &str) -> Result<EnrolReply, AccountError> {
    let ask = EnrolRequest { code: code.to_owned(), hostname: "rig".to_owned(), agent_version: "0.1.0".to_owned() };
    hosts::enrol(&office.services, ask, address()).await
}

async fn found(office: &Office, credential: &str) -> Option<Holder> {
    store::hosts::by_credential(&office.pool, SecretHash::of_code(credential)).await.unwrap()
}

async fn holder(office: &Office, credential: &str) -> Option<HostId> {
    match found(office, credential).await {
        Some(Holder::Host { host, .. }) => Some(host.id),
        Some(Holder::Revoked | Holder::Retired) | None => None,
    }
}

#[tokio::test]
async fn a_retired_host_gets_no_code_until_it_is_taken_back() {
    let (office, _ruth) = Office::set_up().await;
    let made = hosts::enrol_code(&office.services, "rig").await.unwrap();
    hosts::retire(&office.services, made.host).await.unwrap();
    let refused = hosts::enrol_code(&office.services, "rig").await.map_err(ApiError::from).err().unwrap();
    assert_eq!((refused.code, refused.field), (ErrorCode::HostRetired, Some(Field::Host)));
    assert!(refused.message.contains("rig is retired"), "{}", refused.message);
    hosts::take_back(&office.services, made.host).await.unwrap();
    hosts::enrol_code(&office.services, "rig").await.unwrap();
}

#[tokio::test]
async fn a_code_works_once_and_gives_a_credential_that_is_stored_as_a_hash() {
    let (office, _ruth) = Office::set_up().await;
    let made = hosts::enrol_code(&office.services, " RIG-3090 ").await.unwrap();
    assert_eq!(made.host_name, "rig-3090");
    assert_eq!(made.portal_url, "http://127.0.0.1:3000");
    assert!(made.code.len() == 35 && !made.code.contains(['0', 'O', '1', 'I']), "{}", made.code);

    let reply = enrol(&office, &made.code.to_lowercase()).await.unwrap();
    assert_eq!((reply.host, reply.host_name.as_str()), (made.host, "rig-3090"));
    assert!(reply.credential.starts_with("bh_") && reply.credential.len() == 46);
    assert_eq!(holder(&office, &reply.credential).await, Some(made.host));

    assert_eq!(code(enrol(&office, &made.code).await), ErrorCode::WrongEnrolCode);
    let row: String = sqlx::query_scalar("select host::text from host").fetch_one(&office.pool).await.unwrap();
    assert!(!row.contains(&reply.credential[3..]));
}

#[tokio::test]
async fn of_eight_at_once_one_enrols() {
    let (office, _ruth) = Office::set_up().await;
    let made = hosts::enrol_code(&office.services, "rig").await.unwrap();
    let outcomes = futures::future::join_all((0..8).map(|_| enrol(&office, &made.code))).await;
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1);
}

#[tokio::test]
async fn codes_expire_and_a_new_one_replaces_the_old() {
    let (office, _ruth) = Office::set_up().await;
    let old = hosts::enrol_code(&office.services, "rig").await.unwrap();
    let new = hosts::enrol_code(&office.services, "rig").await.unwrap();
    assert_eq!(old.host, new.host);
    assert_eq!(code(enrol(&office, &old.code).await), ErrorCode::WrongEnrolCode);
    office.clock.advance(Duration::hours(1));
    assert_eq!(code(enrol(&office, &new.code).await), ErrorCode::WrongEnrolCode);
}

#[tokio::test]
async fn enrolling_again_ends_the_old_credential_only_then() {
    let (office, _ruth) = Office::set_up().await;
    let (host, old) = office.host("rig").await;
    let made = hosts::enrol_code(&office.services, "rig").await.unwrap();
    assert_eq!(holder(&office, &old).await, Some(host.id));
    let new = enrol(&office, &made.code).await.unwrap().credential;
    assert_eq!(holder(&office, &old).await, None);
    assert_eq!(holder(&office, &new).await, Some(host.id));
}

#[tokio::test]
async fn revoking_takes_credential_and_code_away() {
    let (office, _ruth) = Office::set_up().await;
    let (host, credential) = office.host("rig").await;
    let made = hosts::enrol_code(&office.services, "rig").await.unwrap();
    hosts::revoke(&office.services, host.id).await.unwrap();
    assert_eq!(holder(&office, &credential).await, None);
    assert_eq!(code(enrol(&office, &made.code).await), ErrorCode::WrongEnrolCode);
    let listed = hosts::overview(&office.services).await.unwrap().hosts;
    assert_eq!(listed.iter().map(|h| (h.name.as_str(), h.enrolled, h.cards)).collect::<Vec<_>>(), [("rig", false, 0)]);
    // There is always a way back.
    let again = hosts::enrol_code(&office.services, "rig").await.unwrap();
    enrol(&office, &again.code).await.unwrap();
    let nobody = hosts::revoke(&office.services, HostId(uuid::Uuid::nil())).await;
    assert_eq!(code(nobody), ErrorCode::NotFound);
}

#[tokio::test]
async fn guesses_are_slowed_down_and_hosts_are_named_plainly() {
    let (office, _ruth) = Office::set_up().await;
    for name in ["", "a b", "-rig", "rig;reboot", "rig\n", "ä"] {
        // A line's end is trimmed like a space.
        if name.trim() == "rig" {
            continue;
        }
        let refused: ApiError = hosts::enrol_code(&office.services, name).await.err().unwrap().into();
        assert_eq!((refused.code, refused.field), (ErrorCode::BadInput, Some(Field::Host)), "{name:?}");
    }
    for _ in 0..20 {
        assert_eq!(code(enrol(&office, "AAAAA-AAAAA").await), ErrorCode::WrongEnrolCode);
    }
    assert_eq!(code(enrol(&office, "AAAAA-AAAAA").await), ErrorCode::TooManyAttempts);
}

#[tokio::test]
async fn a_new_credential_ends_the_old_one_when_it_is_used_and_not_before() {
    let (office, _ruth) = Office::set_up().await;
    let (host, old) = office.host("rig").await;
    let lost = hosts::rotate(&office.services, &host).await.unwrap().credential;
    let new = hosts::rotate(&office.services, &host).await.unwrap().credential;
    assert_eq!(holder(&office, &old).await, Some(host.id));
    // An answer that never arrived is worth nothing.
    assert_eq!(found(&office, &lost).await, None);
    assert_eq!(holder(&office, &old).await, Some(host.id));

    assert_eq!(holder(&office, &new).await, Some(host.id));
    assert_eq!(found(&office, &old).await, None);
    assert_eq!(holder(&office, &new).await, Some(host.id));
    let row: String = sqlx::query_scalar("select host::text from host").fetch_one(&office.pool).await.unwrap();
    assert!(!row.contains(&new[3..]));
}

#[tokio::test]
async fn of_eight_first_uses_at_once_all_are_let_in() {
    let (office, _ruth) = Office::set_up().await;
    let (host, _) = office.host("rig").await;
    let new = hosts::rotate(&office.services, &host).await.unwrap().credential;
    let all = futures::future::join_all((0..8).map(|_| holder(&office, &new))).await;
    assert_eq!(all, [Some(host.id); 8]);
}

#[tokio::test]
async fn an_administrator_asks_and_the_host_is_told_until_it_has_done_it() {
    let (office, mut ruth) = Office::set_up().await;
    let (host, old) = office.host("rig").await;
    let asked = async |credential: &str| match found(&office, credential).await {
        Some(Holder::Host { rotate, .. }) => rotate,
        _ => panic!("no host"),
    };
    assert!(!asked(&old).await);
    office.act(&mut ruth, async |portal| portal.rotate_host(host.id).await).await.unwrap();
    assert!(asked(&old).await && asked(&old).await);
    let rotating = async || hosts::overview(&office.services).await.unwrap().hosts[0].rotating;
    assert!(rotating().await);
    let new = hosts::rotate(&office.services, &host).await.unwrap().credential;
    assert!(asked(&old).await);
    assert!(!asked(&new).await && !asked(&new).await && !rotating().await);

    hosts::revoke(&office.services, host.id).await.unwrap();
    let none = office.act(&mut ruth, async |portal| portal.rotate_host(host.id).await).await;
    assert_eq!(code(none), ErrorCode::NotFound);
}

#[tokio::test]
async fn a_revoked_host_is_told_so_and_gets_no_new_credential() {
    let (office, _ruth) = Office::set_up().await;
    let (host, credential) = office.host("rig").await;
    let next = hosts::rotate(&office.services, &host).await.unwrap().credential;
    hosts::revoke(&office.services, host.id).await.unwrap();
    hosts::revoke(&office.services, host.id).await.unwrap();
    assert_eq!(found(&office, &credential).await, Some(Holder::Revoked));
    assert_eq!(found(&office, &next).await, None);
    assert_eq!(code(hosts::rotate(&office.services, &host).await.map(|_| ())), ErrorCode::NotFound);
    // Enrolled anew, the old credential is still the one that was taken away.
    let made = hosts::enrol_code(&office.services, "rig").await.unwrap();
    let new = enrol(&office, &made.code).await.unwrap().credential;
    assert_eq!(holder(&office, &new).await, Some(host.id));
    assert_eq!(found(&office, &credential).await, Some(Holder::Revoked));
}
