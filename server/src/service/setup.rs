//! The first administrator, made by whoever holds the code that the server printed, not by whoever comes first.

use std::net::IpAddr;
use std::sync::atomic::Ordering;

use domain::id::UserId;
use domain::user::Role;
use domain::wire::page::SetUp;

use super::account_error::AccountError;
use super::attempts::Subject;
use super::new_account::check;
use super::{Services, accounts};
use crate::auth::secret::{Secret, SecretHash};
use crate::store::{setup_code, users};

/// Groups of five characters: 150 bits.
const CODE_GROUPS: usize = 6;

/// Whether there is no administrator yet. Asks the database only until there is one who stays: that of a demonstration is
/// removed with it.
///
/// # Errors
/// [`AccountError::Store`].
pub async fn is_needed(services: &Services) -> Result<bool, AccountError> {
    if services.is_set_up.load(Ordering::Acquire) {
        return Ok(false);
    }
    let found = users::administrators(&services.pool).await?;
    services.is_set_up.store(found.lasting, Ordering::Release);
    Ok(!found.any)
}

/// A new set-up code, to be printed; the one before it stops working. `None` once there is an administrator.
///
/// # Errors
/// [`AccountError::Store`].
pub async fn ensure_code(services: &Services) -> Result<Option<String>, AccountError> {
    let code = Secret::code(CODE_GROUPS)?;
    let made = setup_code::replace(&services.pool, code.hash(), services.clock.now()).await?;
    Ok(made.then(|| code.reveal()))
}

/// Makes the first administrator. Of many who hold the code, one succeeds.
///
/// # Errors
/// [`AccountError::AlreadySetUp`], [`AccountError::WrongSetupCode`], [`AccountError::Bad`],
/// [`AccountError::TooManyAttempts`].
pub async fn set_up(services: &Services, ask: SetUp, from: IpAddr) -> Result<UserId, AccountError> {
    if !is_needed(services).await? {
        return Err(AccountError::AlreadySetUp);
    }
    let guess = Subject::code(from);
    services.admit(&guess).await?;
    let code = SecretHash::of_code(&ask.code);
    // Before the form and the work of hashing; taking the code decides.
    if !setup_code::is_current(&services.pool, code).await? {
        return Err(lost(services).await?);
    }
    services.give_back(&guess).await?;
    let account = check(ask.account)?;
    let hash = services.passwords.hash(account.password.clone()).await?;
    let mut tx = services.pool.begin().await?;
    if !setup_code::consume(&mut tx, code).await? || users::administrators(&mut *tx).await?.any {
        tx.rollback().await?;
        return Err(lost(services).await?);
    }
    let id = accounts::insert(&mut tx, services, &account, &hash, Role::Administrator).await?;
    tx.commit().await?;
    services.is_set_up.store(true, Ordering::Release);
    Ok(id)
}

/// Why a code was not taken.
async fn lost(services: &Services) -> Result<AccountError, AccountError> {
    Ok(if is_needed(services).await? { AccountError::WrongSetupCode } else { AccountError::AlreadySetUp })
}
