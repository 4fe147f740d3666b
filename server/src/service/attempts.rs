//! How often something may be guessed. There is no lock-out: who knows the secret gets in after the wait.

use std::net::IpAddr;

use domain::id::HostId;
use domain::user::Username;

use super::Services;
use super::account_error::AccountError;
use crate::store::throttle::{self, Admission};

/// Tries without a wait at one account.
const FREE_PER_NAME: i32 = 5;
/// Tries without a wait from one address, where a whole laboratory may sit.
const FREE_PER_ADDRESS: i32 = 50;
/// Tries without a wait at long random codes from one address.
const FREE_CODES: i32 = 20;
/// Tries without a wait at a link code by one account of a host.
const FREE_LINKS: i32 = 5;

/// Something that can be guessed, seen from one side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    text: String,
    free: i32,
}

impl Subject {
    /// Sign-in at one account.
    #[must_use]
    pub fn name(name: &Username) -> Self {
        Self { text: format!("name:{name}"), free: FREE_PER_NAME }
    }

    /// Sign-in from one place.
    #[must_use]
    pub fn address(address: IpAddr) -> Self {
        Self { text: format!("address:{}", place(address)), free: FREE_PER_ADDRESS }
    }

    /// Set-up and enrolment codes from one place.
    #[must_use]
    pub fn code(address: IpAddr) -> Self {
        Self { text: format!("code:{}", place(address)), free: FREE_CODES }
    }

    /// Link codes, by an account on a host.
    #[must_use]
    pub fn link(host: HostId, os_user: &str) -> Self {
        Self { text: format!("link:{host}:{os_user}"), free: FREE_LINKS }
    }
}

/// One IPv4 address, or the /64 that one customer has of IPv6.
fn place(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(v4) => v4.to_string(),
        IpAddr::V6(v6) => {
            let [a, b, c, d, ..] = v6.segments();
            format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
        }
    }
}

impl Services {
    /// Counts a try before it is made.
    ///
    /// # Errors
    /// [`AccountError::TooManyAttempts`] where the wait is not over.
    pub(super) async fn admit(&self, subject: &Subject) -> Result<(), AccountError> {
        match throttle::admit(&self.pool, &subject.text, subject.free, self.clock.now()).await? {
            Admission::Go => Ok(()),
            Admission::Wait(seconds) => Err(AccountError::TooManyAttempts(seconds)),
        }
    }

    /// The try was no guess: it does not count.
    ///
    /// # Errors
    /// [`AccountError::Store`].
    pub(super) async fn give_back(&self, subject: &Subject) -> Result<(), AccountError> {
        Ok(throttle::give_back(&self.pool, &subject.text).await?)
    }

    /// The secret was right: earlier tries no longer count.
    ///
    /// # Errors
    /// [`AccountError::Store`].
    pub(super) async fn forget(&self, subject: &Subject) -> Result<(), AccountError> {
        Ok(throttle::forget(&self.pool, &subject.text).await?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_subject_for_one_customer() {
        let of = |text: &str| Subject::address(text.parse().expect("address"));
        assert_eq!(of("192.0.2.1"), of("::ffff:192.0.2.1"));
        assert_ne!(of("192.0.2.1"), of("192.0.2.2"));
        assert_eq!(of("2001:db8:1:2::1"), of("2001:db8:1:2:ffff::9"));
        assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
    }
}
