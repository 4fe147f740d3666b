//! People prove which accounts of operating systems are theirs: a code from the portal, given to `berth link` there.

use domain::user::is_deceptive;
use domain::wire::agent_v1::{LinkReply, LinkRequest};
use domain::wire::page::{LinkCode, Viewer};
use time::Duration;

use super::Services;
use super::account_error::{AccountError, BadInput};
use super::attempts::Subject;
use crate::auth::AgentHost;
use crate::auth::secret::{Secret, SecretHash};
use crate::store::{host_accounts, link_codes};

/// Groups of five characters: 50 bits, enough for ten minutes and a handful of tries, and short enough to type.
const CODE_GROUPS: usize = 2;
/// A link code works for this long.
const CODE_LIFE: Duration = Duration::minutes(10);
/// Longest account name, in characters.
const OS_USER_MAX_CHARS: usize = 64;

/// Makes a code; the one before it stops working.
///
/// # Errors
/// [`AccountError::Store`].
pub async fn make_code(services: &Services, viewer: &Viewer) -> Result<LinkCode, AccountError> {
    let code = Secret::code(CODE_GROUPS)?;
    let expires_at = services.clock.now() + CODE_LIFE;
    link_codes::replace(&services.pool, viewer.id, code.hash(), expires_at).await?;
    Ok(LinkCode { code: code.reveal(), expires_at })
}

/// Maps the account that a host vouches for to the person who made the code.
///
/// # Errors
/// [`AccountError::WrongLinkCode`], [`AccountError::RootNotLinkable`], [`AccountError::TooManyAttempts`],
/// [`BadInput::OsUser`].
pub async fn link(services: &Services, host: &AgentHost, ask: LinkRequest) -> Result<LinkReply, AccountError> {
    let os_user = check_os_user(&ask.os_user)?;
    // Whoever may become root could link it: it says nothing about who somebody is.
    if os_user == "root" {
        return Err(AccountError::RootNotLinkable);
    }
    let guess = Subject::link(host.id, os_user);
    services.admit(&guess).await?;
    let now = services.clock.now();
    let mut tx = services.pool.begin().await?;
    let Some((person, name)) = link_codes::consume(&mut tx, SecretHash::of_code(&ask.code), now).await? else {
        return Err(AccountError::WrongLinkCode);
    };
    host_accounts::prove(&mut *tx, host.id, os_user, person, now).await?;
    tx.commit().await?;
    services.forget(&guess).await?;
    Ok(LinkReply { name })
}

/// An account's name as a host may have it: no spaces, colons, slashes or characters that deceive.
pub(super) fn check_os_user(name: &str) -> Result<&str, BadInput> {
    let fits = |c: char| !c.is_whitespace() && c != ':' && c != '/' && !is_deceptive(c);
    if name.is_empty() || name.chars().count() > OS_USER_MAX_CHARS || !name.chars().all(fits) {
        return Err(BadInput::OsUser);
    }
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn account_names() {
        for good in ["ada", "root", "DOMAIN\\ada", "ada@example.org", "svc_gpu$", "ada.l-2", "jürgen"] {
            assert_eq!(check_os_user(good), Ok(good));
        }
        for bad in ["", "a b", "a:b", "a/b", "a\nb", "a\u{202e}b", "\u{200b}", &"x".repeat(65)] {
            assert_eq!(check_os_user(bad), Err(BadInput::OsUser), "{bad:?}");
        }
    }
}
