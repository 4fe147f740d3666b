//! What accounts, set-up, enrolment and links can be refused for, and the sentence for each.

use domain::error::{ApiError, ErrorCode, Field};
use domain::text;
use domain::user::{DISPLAY_NAME_MAX_CHARS, PASSWORD_MAX_BYTES, PASSWORD_MIN_CHARS};

use crate::auth::password::PasswordError;
use crate::auth::secret::NoRandomness;
use crate::store::StoreError;

/// A refusal, or a failure of what lies below.
#[derive(Debug, thiserror::Error)]
pub enum AccountError {
    /// Unknown name, wrong password, disabled account: nobody learns which.
    #[error("wrong name or password")]
    WrongPassword,
    /// The next try may be made after so many seconds.
    #[error("too many attempts, wait {0} s")]
    TooManyAttempts(u64),
    /// The name is somebody's.
    #[error("name taken")]
    NameTaken(String),
    /// An input does not fit.
    #[error("bad input: {0:?}")]
    Bad(BadInput),
    /// No administrator yet.
    #[error("not set up")]
    SetUpFirst,
    /// There is an administrator.
    #[error("set up already")]
    AlreadySetUp,
    /// Not the code of the last start.
    #[error("wrong set-up code")]
    WrongSetupCode,
    /// Wrong, used or expired.
    #[error("wrong enrolment code")]
    WrongEnrolCode,
    /// Wrong, used or expired.
    #[error("wrong link code")]
    WrongLinkCode,
    /// Nobody can claim `root`.
    #[error("root cannot be linked")]
    RootNotLinkable,
    /// The same mapping exists.
    #[error("mapped already")]
    AccountTaken(String),
    /// No such host.
    #[error("unknown host")]
    UnknownHost,
    /// It is retired.
    #[error("retired host")]
    RetiredHost(String),
    /// No such person.
    #[error("unknown person")]
    UnknownPerson,
    /// No such mapping.
    #[error("unknown mapping")]
    UnknownMapping,
    /// Somebody else's.
    #[error("not allowed")]
    NotAllowed,
    /// About passwords.
    #[error("no answer about a password")]
    Password(#[from] PasswordError),
    /// The database.
    #[error("the store failed")]
    Store(#[from] StoreError),
    /// Nothing to make a secret of.
    #[error("no secret could be made")]
    Secret(#[from] NoRandomness),
}

/// The input that does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadInput {
    /// Sign-in name.
    Name,
    /// Display name.
    DisplayName,
    /// Password below the least length.
    PasswordTooShort,
    /// Password above the greatest length.
    PasswordTooLong,
    /// Password that is guessed first.
    PasswordCommon,
    /// Time zone.
    Zone,
    /// Name of a host.
    HostName,
    /// Account of an operating system.
    OsUser,
}

impl From<sqlx::Error> for AccountError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

impl From<BadInput> for AccountError {
    fn from(bad: BadInput) -> Self {
        Self::Bad(bad)
    }
}

impl From<BadInput> for ApiError {
    fn from(bad: BadInput) -> Self {
        let words = &text::en().errors;
        let (field, message) = match bad {
            BadInput::Name => (Field::Name, words.bad_name.to_owned()),
            BadInput::DisplayName => (Field::DisplayName, (words.bad_display_name)(DISPLAY_NAME_MAX_CHARS)),
            BadInput::PasswordTooShort => (Field::Password, (words.password_too_short)(PASSWORD_MIN_CHARS)),
            BadInput::PasswordTooLong => (Field::Password, (words.password_too_long)(PASSWORD_MAX_BYTES)),
            BadInput::PasswordCommon => (Field::Password, words.password_common.to_owned()),
            BadInput::Zone => (Field::Zone, words.bad_zone.to_owned()),
            BadInput::HostName => (Field::Host, words.bad_host_name.to_owned()),
            BadInput::OsUser => (Field::OsUser, words.bad_os_user.to_owned()),
        };
        Self::new(ErrorCode::BadInput, message).on(field)
    }
}

impl From<AccountError> for ApiError {
    fn from(error: AccountError) -> Self {
        let words = &text::en().errors;
        match error {
            AccountError::WrongPassword => Self::new(ErrorCode::WrongPassword, words.wrong_password),
            AccountError::TooManyAttempts(seconds) => {
                Self::new(ErrorCode::TooManyAttempts, (words.too_many_attempts)(seconds)).retry_after(seconds)
            }
            AccountError::NameTaken(name) => Self::new(ErrorCode::NameTaken, (words.name_taken)(&name)).on(Field::Name),
            AccountError::Bad(bad) => bad.into(),
            AccountError::SetUpFirst => Self::new(ErrorCode::NotAllowed, words.set_up_first),
            AccountError::AlreadySetUp => Self::new(ErrorCode::AlreadySetUp, words.already_set_up),
            AccountError::WrongSetupCode => {
                Self::new(ErrorCode::WrongSetupCode, words.wrong_setup_code).on(Field::Code)
            }
            AccountError::WrongEnrolCode => {
                Self::new(ErrorCode::WrongEnrolCode, words.wrong_enrol_code).on(Field::Code)
            }
            AccountError::WrongLinkCode => Self::new(ErrorCode::WrongLinkCode, words.wrong_link_code).on(Field::Code),
            AccountError::RootNotLinkable => {
                Self::new(ErrorCode::NotAllowed, words.root_not_linkable).on(Field::OsUser)
            }
            AccountError::AccountTaken(account) => {
                Self::new(ErrorCode::AccountTaken, (words.account_taken)(&account)).on(Field::OsUser)
            }
            AccountError::UnknownHost => Self::new(ErrorCode::NotFound, words.unknown_host).on(Field::Host),
            AccountError::RetiredHost(host) => {
                Self::new(ErrorCode::HostRetired, (words.retired_host)(&host)).on(Field::Host)
            }
            AccountError::UnknownPerson => Self::new(ErrorCode::NotFound, words.unknown_person),
            AccountError::UnknownMapping => Self::new(ErrorCode::NotFound, words.unknown_mapping),
            AccountError::NotAllowed => crate::auth::caller::not_allowed(),
            AccountError::Password(PasswordError::Busy) => {
                Self::new(ErrorCode::Busy, words.busy).retry_after(BUSY_RETRY_SECONDS)
            }
            AccountError::Password(error) => crate::error::internal(&error),
            AccountError::Store(error) => error.into(),
            AccountError::Secret(error) => crate::error::internal(&error),
        }
    }
}

/// The queue for hashing is worked off in this time.
const BUSY_RETRY_SECONDS: u64 = 3;
