//! The public vocabulary of refusals: one stable code each, with one HTTP status, for REST, pages and CLI alike.

use serde::{Deserialize, Serialize};

use crate::finder::Suggestion;
use crate::reservation::Clash;

/// A refusal as the outside sees it. What went wrong inside stays in the log, found by `request`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct ApiError {
    /// Stable, for programs.
    pub code: ErrorCode,
    /// What happened, why, and what to do next; for people, from the text catalogue.
    pub message: String,
    /// The input that it is about, where it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<Field>,
    /// Bookings in the way, with `reservation.overlap`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clashes: Vec<Clash>,
    /// What would work instead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub instead: Vec<Suggestion>,
    /// Seconds to wait before another try makes sense.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
    /// The request's id in the server's log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
}

impl ApiError {
    /// A refusal with nothing but its code and sentence.
    #[must_use]
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            field: None,
            clashes: Vec::new(),
            instead: Vec::new(),
            retry_after: None,
            request: None,
        }
    }

    /// Says when another try makes sense, in seconds.
    #[must_use]
    pub fn retry_after(mut self, seconds: u64) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// Ties it to an input.
    #[must_use]
    pub fn on(mut self, field: Field) -> Self {
        self.field = Some(field);
        self
    }
}

/// An input that a refusal can be tied to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Field {
    /// Sign-in name.
    Name,
    /// Display name.
    DisplayName,
    /// Password.
    Password,
    /// A one-time code.
    Code,
    /// Time zone.
    Zone,
    /// Cards of a booking.
    Cards,
    /// Start of a booking.
    Start,
    /// End of a booking.
    End,
    /// Purpose of a booking.
    Purpose,
    /// How a booking repeats.
    Repeat,
    /// A person that a booking names.
    Person,
    /// Why something is done.
    Reason,
    /// How a card is divided into shares.
    Shares,
    /// Name of a host.
    Host,
    /// A label, or several.
    Label,
    /// What a rule limits.
    Limit,
    /// An account of the operating system.
    OsUser,
}

macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident = $text:literal, $status:literal;)*) => {
        /// A stable code. Adding one is fine; changing one is a break.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum ErrorCode {
            $($(#[$doc])* #[serde(rename = $text)] $variant,)*
        }

        impl ErrorCode {
            /// Every code, for documents and tests.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The code as it travels.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// Its one HTTP status.
            #[must_use]
            pub fn status(self) -> u16 {
                match self { $(Self::$variant => $status,)* }
            }
        }
    };
}

codes! {
    /// Nobody is signed in, or the session has expired.
    SignInNeeded = "auth.sign_in_needed", 401;
    /// Name or password is wrong; deliberately no more than that.
    WrongPassword = "auth.wrong_password", 401;
    /// Too many attempts; try later.
    TooManyAttempts = "auth.too_many_attempts", 429;
    /// The role does not allow it.
    NotAllowed = "auth.not_allowed", 403;
    /// The request came from another site.
    WrongOrigin = "auth.wrong_origin", 403;
    /// The first administrator exists already.
    AlreadySetUp = "setup.done", 409;
    /// The set-up code is wrong.
    WrongSetupCode = "setup.wrong_code", 403;
    /// The sign-in name is taken.
    NameTaken = "account.name_taken", 409;
    /// An input does not fit; `field` says which.
    BadInput = "input.invalid", 422;
    /// Clocks show a time twice, and nobody has said which is meant.
    WhichTime = "input.which_time", 422;
    /// The request cannot be read at all.
    Malformed = "input.malformed", 400;
    /// The request is larger than allowed.
    TooLarge = "input.too_large", 413;
    /// The request is packed in a way that is not known.
    UnknownEncoding = "input.unknown_encoding", 415;
    /// No such thing, or not for you to see.
    NotFound = "not_found", 404;
    /// The address takes other methods than this one.
    MethodNotAllowed = "method_not_allowed", 405;
    /// A card is held by somebody at that time; `clashes` says by whom.
    Overlap = "reservation.overlap", 409;
    /// A card is unknown, or gone.
    UnknownCard = "reservation.unknown_card", 422;
    /// A card is lost, sick or retired.
    CardNotBookable = "reservation.card_not_bookable", 409;
    /// Running bookings are ended, not cancelled.
    AlreadyBegun = "reservation.already_begun", 409;
    /// The booking is over, or was cancelled.
    AlreadyOver = "reservation.already_over", 409;
    /// It has not begun: cancel it.
    NotBegun = "reservation.not_begun", 409;
    /// It has been edited since the asker saw it.
    Changed = "reservation.changed", 409;
    /// The past of a booking cannot be edited.
    PastIsFixed = "reservation.past_is_fixed", 409;
    /// It does not wait for what the edit gives: approval, or an answer.
    NotAwaiting = "reservation.not_awaiting", 409;
    /// A rule of the administrators forbids it; the message names it, and how to comply.
    AgainstRule = "rule.broken", 409;
    /// Maintenance is planned in that time.
    Maintenance = "reservation.maintenance", 409;
    /// A card has fewer free shares than were asked for, or is not open for shares.
    NoShares = "reservation.no_shares", 409;
    /// A group of that name exists.
    GroupNameTaken = "group.name_taken", 409;
    /// The group has rules of its own.
    GroupHasRules = "group.has_rules", 409;
    /// A person who was named is not known, or is disabled.
    UnknownPerson = "person.unknown", 422;
    /// The same key came with other content.
    KeyReused = "idempotency.key_reused", 422;
    /// The host credential is wrong.
    UnknownAgent = "agent.unknown", 401;
    /// An administrator has revoked the host credential.
    RevokedAgent = "agent.revoked", 401;
    /// An administrator has retired the host.
    HostRetired = "agent.retired", 403;
    /// The enrolment code is wrong, used or expired.
    WrongEnrolCode = "agent.wrong_code", 403;
    /// The link code is wrong, used or expired.
    WrongLinkCode = "link.wrong_code", 403;
    /// A host of that name exists.
    HostNameTaken = "host.name_taken", 409;
    /// The operating-system account is mapped already.
    AccountTaken = "account.already_mapped", 409;
    /// The database does not answer; nothing was changed.
    Unavailable = "server.unavailable", 503;
    /// Too many people try at once; nothing was changed.
    Busy = "server.busy", 503;
    /// Our fault; the log has it under `request`.
    Internal = "server.internal", 500;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_travel_by_their_text_and_are_unique() {
        let mut seen = std::collections::HashSet::new();
        for code in ErrorCode::ALL {
            assert!(seen.insert(code.as_str()));
            assert_eq!(serde_json::to_string(code).expect("json"), format!("\"{}\"", code.as_str()));
            assert!((400..=503).contains(&code.status()));
        }
    }
}
