//! Hosts as administrators look after them: enrolment, credentials, whose accounts are whose.

use std::net::IpAddr;

use domain::id::{HostId, UserId};
use domain::user::{Act, is_plain_name};
use domain::wire::agent_v1::{EnrolReply, EnrolRequest, RotateReply};
use domain::wire::page::{Admin, AdminHost, EnrolCode, Viewer};
use time::{Duration, OffsetDateTime};

use super::Services;
use super::account_error::{AccountError, BadInput};
use super::attempts::Subject;
use super::links::check_os_user;
use crate::auth::AgentHost;
use crate::auth::secret::{Secret, SecretHash};
use crate::store::{host_accounts, hosts, users};

/// Groups of five characters: 150 bits.
const CODE_GROUPS: usize = 6;
/// An enrolment code works for this long.
const CODE_LIFE: Duration = Duration::hours(1);
/// Longest version kept, in characters.
const VERSION_MAX_CHARS: usize = 64;

/// Everything that administrators look after.
///
/// # Errors
/// [`AccountError::Store`].
pub async fn overview(services: &Services) -> Result<Admin, AccountError> {
    let pool = &services.pool;
    let (hosts, people, accounts) =
        tokio::try_join!(hosts::for_administrators(pool), users::people(pool), host_accounts::list(pool, None))?;
    let beat_ms = u32::try_from(services.site.report_interval.whole_milliseconds()).unwrap_or(u32::MAX);
    let hosts = hosts.into_iter().map(|host| AdminHost { beat_ms, ..host }).collect();
    let (program, portal_url) = (services.program.for_page(), services.site.portal_url.clone());
    // The program beside the portal's was built with it.
    let platform = std::env::consts::ARCH.to_owned();
    Ok(Admin { hosts, people, accounts, program, platform, portal_url })
}

/// Makes a code that enrols an agent, and the host if it is new. The agent that reports now goes on until the code is
/// used.
///
/// # Errors
/// [`BadInput::HostName`], [`AccountError::RetiredHost`].
pub async fn enrol_code(services: &Services, host_name: &str) -> Result<EnrolCode, AccountError> {
    let host_name = host_name.trim().to_ascii_lowercase();
    if !is_plain_name(&host_name) {
        return Err(BadInput::HostName.into());
    }
    let code = Secret::code(CODE_GROUPS)?;
    let now = services.clock.now();
    let expires_at = now + CODE_LIFE;
    let made = hosts::set_enrol_code(&services.pool, &host_name, code.hash(), now, expires_at).await?;
    // Its reports would be refused, and the code be spent for nothing.
    let Some(host) = made else { return Err(AccountError::RetiredHost(host_name)) };
    let portal_url = services.site.portal_url.clone();
    Ok(EnrolCode { host, host_name, code: code.reveal(), expires_at, portal_url })
}

/// Exchanges a code for the host's credential, once.
///
/// # Errors
/// [`AccountError::WrongEnrolCode`], [`AccountError::TooManyAttempts`].
pub async fn enrol(services: &Services, ask: EnrolRequest, from: IpAddr) -> Result<EnrolReply, AccountError> {
    let guess = Subject::code(from);
    services.admit(&guess).await?;
    let credential = Secret::host_credential()?;
    let version: String = ask.agent_version.chars().filter(|c| !c.is_control()).take(VERSION_MAX_CHARS).collect();
    let code = SecretHash::of_code(&ask.code);
    let host = hosts::enrol(&services.pool, code, credential.hash(), &version, services.clock.now()).await?;
    let host = host.ok_or(AccountError::WrongEnrolCode)?;
    services.give_back(&guess).await?;
    tracing::info!(host = %host.name, hostname = ?ask.hostname, version, "host enrolled");
    Ok(EnrolReply { host: host.id, host_name: host.name, credential: credential.reveal() })
}

/// Gives a host its next credential. The one in use works until the next one is used.
///
/// # Errors
/// [`AccountError::UnknownHost`] where it was revoked meanwhile.
pub async fn rotate(services: &Services, host: &AgentHost) -> Result<RotateReply, AccountError> {
    let next = Secret::host_credential()?;
    if !hosts::set_next_credential(&services.pool, host.id, next.hash()).await? {
        return Err(AccountError::UnknownHost);
    }
    tracing::info!(host = %host.name, "host renews its credential");
    Ok(RotateReply { credential: next.reveal() })
}

/// Has a host renew its credential: it is told so with the answer to its next report.
///
/// # Errors
/// [`AccountError::UnknownHost`].
pub async fn ask_rotation(services: &Services, host: HostId) -> Result<(), AccountError> {
    let asked = hosts::ask_rotation(&services.pool, host, services.clock.now()).await?;
    if asked { Ok(()) } else { Err(AccountError::UnknownHost) }
}

/// Takes a host's credential away: its agent is refused from now on.
///
/// # Errors
/// [`AccountError::UnknownHost`].
pub async fn revoke(services: &Services, host: HostId) -> Result<(), AccountError> {
    if hosts::revoke(&services.pool, host).await? { Ok(()) } else { Err(AccountError::UnknownHost) }
}

/// Retires a host: its reports are refused, and nobody can book its cards. What is booked and what was stays.
///
/// # Errors
/// [`AccountError::UnknownHost`].
pub async fn retire(services: &Services, host: HostId) -> Result<(), AccountError> {
    set_retired(services, host, Some(services.clock.now())).await
}

/// Takes a retired host back.
///
/// # Errors
/// [`AccountError::UnknownHost`].
pub async fn take_back(services: &Services, host: HostId) -> Result<(), AccountError> {
    set_retired(services, host, None).await
}

async fn set_retired(services: &Services, host: HostId, at: Option<OffsetDateTime>) -> Result<(), AccountError> {
    if !hosts::set_retired(&services.pool, host, at, services.clock.now()).await? {
        return Err(AccountError::UnknownHost);
    }
    services.live.resync();
    Ok(())
}

/// Says that an account, on one host or on all, belongs to somebody. `root` too: the administrator knows best.
///
/// # Errors
/// [`BadInput::OsUser`], [`AccountError::AccountTaken`], [`AccountError::UnknownHost`],
/// [`AccountError::UnknownPerson`].
pub async fn map_account(
    services: &Services,
    host: Option<HostId>,
    os_user: &str,
    person: UserId,
) -> Result<(), AccountError> {
    let os_user = check_os_user(os_user)?;
    let now = services.clock.now();
    host_accounts::insert(&services.pool, host, os_user, person, now).await.map_err(|error| match error.constraint() {
        Some(host_accounts::KEY | host_accounts::EVERYWHERE_KEY) => AccountError::AccountTaken(os_user.to_owned()),
        Some(host_accounts::HOST_EXISTS) => AccountError::UnknownHost,
        Some(host_accounts::USER_EXISTS) => AccountError::UnknownPerson,
        _ => error.into(),
    })
}

/// Takes a mapping back. Members may take back their own.
///
/// # Errors
/// [`AccountError::NotAllowed`], [`AccountError::UnknownMapping`].
pub async fn unmap_account(
    services: &Services,
    viewer: &Viewer,
    host: Option<HostId>,
    os_user: &str,
    person: UserId,
) -> Result<(), AccountError> {
    if person != viewer.id && !viewer.role.may(Act::MapAccounts) {
        return Err(AccountError::NotAllowed);
    }
    let os_user = check_os_user(os_user)?;
    if host_accounts::delete(&services.pool, host, os_user, person).await? {
        Ok(())
    } else {
        Err(AccountError::UnknownMapping)
    }
}
