//! Signing up and in, and one's own account.

use std::net::IpAddr;

use domain::id::UserId;
use domain::user::{Role, Username};
use domain::wire::page::{Account, NewAccount, SignIn, Viewer};
use uuid::Uuid;

use super::Services;
use super::account_error::{AccountError, BadInput};
use super::attempts::Subject;
use super::new_account::{CheckedAccount, check, check_password, least_used_hue};
use super::setup;
use crate::auth::password::Checked;
use crate::store::users::{self, NewUser};
use crate::store::{groups, host_accounts, sessions};
use crate::zone;

/// Makes a member's account.
///
/// # Errors
/// [`AccountError::SetUpFirst`], [`AccountError::Bad`], [`AccountError::NameTaken`].
pub async fn sign_up(services: &Services, ask: NewAccount) -> Result<UserId, AccountError> {
    if setup::is_needed(services).await? {
        return Err(AccountError::SetUpFirst);
    }
    let account = check(ask)?;
    // Before the work of hashing; the constraint decides all the same.
    if users::credentials(&services.pool, &account.name).await?.is_some() {
        return Err(AccountError::NameTaken(account.name.into()));
    }
    let hash = services.passwords.hash(account.password.clone()).await?;
    let mut db = services.pool.acquire().await?;
    insert(&mut db, services, &account, &hash, Role::Member).await
}

/// Inserts an account that passed the rules.
pub(super) async fn insert(
    db: &mut sqlx::PgConnection,
    services: &Services,
    account: &CheckedAccount,
    password_hash: &str,
    role: Role,
) -> Result<UserId, AccountError> {
    let hue = least_used_hue(&users::hues(&mut *db).await?);
    let id = UserId(Uuid::now_v7());
    let new = NewUser {
        id,
        name: &account.name,
        display_name: &account.display_name,
        password_hash,
        role,
        hue,
        zone: &account.zone,
        created_at: services.clock.now(),
    };
    users::insert(&mut *db, new).await.map_err(|error| match error.constraint() {
        Some(users::NAME_KEY) => AccountError::NameTaken(account.name.to_string()),
        _ => error.into(),
    })?;
    Ok(id)
}

/// Gives somebody another password and ends all their sessions: the operator's way out for a forgotten one.
///
/// # Errors
/// [`AccountError::UnknownPerson`], [`AccountError::Bad`].
pub async fn replace_password(services: &Services, name: &str, password: String) -> Result<(), AccountError> {
    let name = Username::parse(name).map_err(|_| AccountError::UnknownPerson)?;
    let person = users::credentials(&services.pool, &name).await?.ok_or(AccountError::UnknownPerson)?;
    check_password(&password, &name)?;
    let hash = services.passwords.hash(password).await?;
    let mut tx = services.pool.begin().await?;
    users::set_hash(&mut *tx, person.id, &hash).await?;
    sessions::delete_of(&mut *tx, person.id).await?;
    tx.commit().await?;
    Ok(())
}

/// Who signs in with this name and password. An unknown name, a wrong password and a disabled account get the same
/// answer after the same work.
///
/// # Errors
/// [`AccountError::WrongPassword`], [`AccountError::TooManyAttempts`], [`AccountError::Password`] where too many hash.
pub async fn sign_in(services: &Services, ask: SignIn, from: IpAddr) -> Result<UserId, AccountError> {
    let SignIn { name, password } = ask;
    let address = Subject::address(from);
    services.admit(&address).await?;
    // What cannot be a name is nobody's, and says so no sooner.
    let name = Username::parse(&name).ok();
    let account = name.as_ref().map(Subject::name);
    if let Some(account) = &account
        && let Err(error) = services.admit(account).await
    {
        // Nothing was guessed. Otherwise one person's impatience would make all others at the address wait.
        services.give_back(&address).await?;
        return Err(error);
    }
    let known = match &name {
        Some(name) => users::credentials(&services.pool, name).await?,
        None => None,
    };
    let stored = known.as_ref().map(|known| known.password_hash.clone());
    let checked = services.passwords.check(password, stored).await;
    if checked.is_err() {
        services.give_back(&address).await?;
        if let Some(account) = &account {
            services.give_back(account).await?;
        }
    }
    let new_hash = match checked? {
        Checked::Wrong => return Err(AccountError::WrongPassword),
        Checked::Right => None,
        Checked::RightRehashed(hash) => Some(hash),
    };
    let Some(known) = known.filter(|known| !known.disabled) else { return Err(AccountError::WrongPassword) };
    if let Some(account) = &account {
        services.forget(account).await?;
    }
    services.give_back(&address).await?;
    if let Some(new) = new_hash {
        users::replace_hash(&services.pool, known.id, &known.password_hash, &new).await?;
    }
    Ok(known.id)
}

/// One's own account.
///
/// # Errors
/// [`AccountError::Store`].
pub async fn own(services: &Services, viewer: &Viewer, zone: String) -> Result<Account, AccountError> {
    let accounts = host_accounts::list(&services.pool, Some(viewer.id)).await?;
    let groups = groups::of_person(&services.pool, viewer.id).await?;
    Ok(Account { viewer: viewer.clone(), zones: zone::choices(&zone), zone, accounts, groups })
}

/// Sets one's own zone.
///
/// # Errors
/// [`BadInput::Zone`] where there is no such zone.
pub async fn set_zone(services: &Services, viewer: &Viewer, zone: &str) -> Result<(), AccountError> {
    let zone = zone::canonical(zone).ok_or(BadInput::Zone)?;
    Ok(users::set_zone(&services.pool, viewer.id, &zone).await?)
}
