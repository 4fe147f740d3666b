//! Passwords: argon2id on threads of their own, no more at once than there are cores, with a queue that has an end.

use std::sync::Arc;

use argon2::password_hash::{PasswordHash, PasswordHasher, PasswordVerifier, SaltString};
use argon2::{Algorithm, Argon2, Params, Version};
use domain::user::PASSWORD_MAX_BYTES;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, TryAcquireError};

/// 46 MiB, one pass, one lane: one of OWASP's equal choices, and the quickest of them on one core.
const MEMORY_KIB: u32 = 46 * 1024;
const PASSES: u32 = 1;
const LANES: u32 = 1;

/// So many may wait for a core before others are turned away.
const QUEUE: usize = 32;

/// Why no answer could be given about a password.
#[derive(Debug, thiserror::Error)]
pub enum PasswordError {
    /// Too many wait already.
    #[error("too many passwords wait to be hashed")]
    Busy,
    /// Hashing itself failed.
    #[error("hashing failed: {0}")]
    Hash(argon2::password_hash::Error),
    /// The thread was lost.
    #[error("the hashing thread was lost")]
    Thread(#[from] tokio::task::JoinError),
    /// No salt.
    #[error(transparent)]
    Salt(#[from] super::secret::NoRandomness),
}

impl From<argon2::password_hash::Error> for PasswordError {
    fn from(error: argon2::password_hash::Error) -> Self {
        Self::Hash(error)
    }
}

/// What a check of a password gave.
#[derive(Debug, PartialEq, Eq)]
pub enum Checked {
    /// Not the password.
    Wrong,
    /// The password.
    Right,
    /// The password; its stored hash is weaker than today's and should be replaced by this one.
    RightRehashed(String),
}

/// Hashes and checks passwords.
#[derive(Clone)]
pub struct Passwords {
    /// Everybody who works or waits.
    queue: Arc<Semaphore>,
    /// Those who work.
    work: Arc<Semaphore>,
}

impl Default for Passwords {
    fn default() -> Self {
        Self::new(std::thread::available_parallelism().map_or(2, usize::from), QUEUE)
    }
}

impl Passwords {
    /// `cores` at once, `queue` more waiting.
    #[must_use]
    pub fn new(cores: usize, queue: usize) -> Self {
        Self { queue: Arc::new(Semaphore::new(cores + queue)), work: Arc::new(Semaphore::new(cores)) }
    }

    /// The text to store for a password.
    ///
    /// # Errors
    /// [`PasswordError`].
    pub async fn hash(&self, password: String) -> Result<String, PasswordError> {
        self.run(move || hash(&password)).await
    }

    /// Checks a password. Without a stored hash (nobody has that name) it does the same work and says `Wrong`.
    ///
    /// # Errors
    /// [`PasswordError`].
    pub async fn check(&self, password: String, stored: Option<String>) -> Result<Checked, PasswordError> {
        if password.len() > PASSWORD_MAX_BYTES {
            return Ok(Checked::Wrong);
        }
        self.run(move || check(&password, stored.as_deref())).await
    }

    async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> Result<T, PasswordError> + Send + 'static,
    ) -> Result<T, PasswordError> {
        let place = self.queue.clone().try_acquire_owned().map_err(|error| match error {
            TryAcquireError::NoPermits | TryAcquireError::Closed => PasswordError::Busy,
        })?;
        let core: OwnedSemaphorePermit = self.work.clone().acquire_owned().await.map_err(|_| PasswordError::Busy)?;
        tokio::task::spawn_blocking(move || {
            // Held by the thread: a caller who hangs up must not make room for a second hash beside this one.
            let _held = (place, core);
            job()
        })
        .await?
    }
}

fn hasher() -> Result<Argon2<'static>, PasswordError> {
    let params = Params::new(MEMORY_KIB, PASSES, LANES, None).map_err(argon2::password_hash::Error::from)?;
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

fn hash(password: &str) -> Result<String, PasswordError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|_| super::secret::NoRandomness)?;
    let salt = SaltString::encode_b64(&bytes)?;
    Ok(hasher()?.hash_password(password.as_bytes(), &salt)?.to_string())
}

fn check(password: &str, stored: Option<&str>) -> Result<Checked, PasswordError> {
    let Some(stored) = stored else {
        hash(password)?;
        return Ok(Checked::Wrong);
    };
    let parsed = PasswordHash::new(stored)?;
    match hasher()?.verify_password(password.as_bytes(), &parsed) {
        Ok(()) if is_weaker(&parsed) => Ok(Checked::RightRehashed(hash(password)?)),
        Ok(()) => Ok(Checked::Right),
        Err(argon2::password_hash::Error::Password) => Ok(Checked::Wrong),
        Err(error) => Err(error.into()),
    }
}

/// Made with other parameters than today's.
fn is_weaker(stored: &PasswordHash<'_>) -> bool {
    let today = (MEMORY_KIB, PASSES, LANES);
    stored.algorithm != Algorithm::Argon2id.ident()
        || Params::try_from(stored).map_or(true, |p| (p.m_cost(), p.t_cost(), p.p_cost()) != today)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn right_wrong_and_nobody() {
        let passwords = Passwords::new(2, 8);
        let stored = passwords.hash("correct horse".to_owned()).await.expect("hash");
        assert!(stored.starts_with("$argon2id$v=19$m=47104,t=1,p=1$"), "{stored}");
        let check = |typed: &str, stored: Option<&str>| passwords.check(typed.to_owned(), stored.map(str::to_owned));
        assert_eq!(check("correct horse", Some(&stored)).await.expect("check"), Checked::Right);
        assert_eq!(check("correct horse ", Some(&stored)).await.expect("check"), Checked::Wrong);
        assert_eq!(check("correct horse", None).await.expect("check"), Checked::Wrong);
        assert_eq!(check(&"x".repeat(1025), Some(&stored)).await.expect("check"), Checked::Wrong);
    }

    #[tokio::test]
    async fn a_hash_with_old_parameters_is_replaced() {
        let salt = SaltString::encode_b64(&[7; 16]).expect("salt");
        let old = Argon2::new(Algorithm::Argon2id, Version::V0x13, Params::new(8 * 1024, 1, 1, None).expect("params"))
            .hash_password(b"correct horse", &salt)
            .expect("hash")
            .to_string();
        let passwords = Passwords::new(2, 8);
        let checked = passwords.check("correct horse".to_owned(), Some(old)).await.expect("check");
        let Checked::RightRehashed(new) = checked else { panic!("{checked:?}") };
        assert_eq!(passwords.check("correct horse".to_owned(), Some(new)).await.expect("check"), Checked::Right);
    }

    #[tokio::test]
    async fn who_finds_the_queue_full_is_turned_away() {
        let passwords = Passwords::new(1, 1);
        let all = futures::future::join_all((0..6).map(|_| passwords.hash("correct horse".to_owned()))).await;
        let busy = all.iter().filter(|r| matches!(r, Err(PasswordError::Busy))).count();
        assert_eq!((all.len() - busy, busy), (2, 4));
        assert!(passwords.hash("correct horse".to_owned()).await.is_ok());
    }

    #[tokio::test]
    async fn an_unknown_name_costs_the_same_work() {
        // With room for one, a second check is turned away, whether or not there is a hash to compare with.
        let passwords = Passwords::new(1, 0);
        let stored = passwords.hash("correct horse".to_owned()).await.expect("hash");
        for hashes in [[None, None], [None, Some(stored.clone())], [Some(stored.clone()), None]] {
            let checks = hashes.map(|hash| passwords.check("correct horse".to_owned(), hash));
            let done = futures::future::join_all(checks).await;
            assert!(done[0].is_ok() && matches!(done[1], Err(PasswordError::Busy)), "{done:?}");
        }
    }
}
