//! Identifiers, each a type of its own so that one cannot be passed for another.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

macro_rules! uuid_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::parse_str(text).map(Self)
            }
        }
    };
}

uuid_id!(
    /// A person who can sign in.
    UserId
);
uuid_id!(
    /// A machine with cards.
    HostId
);
uuid_id!(
    /// One booking, of any number of cards.
    ReservationId
);
uuid_id!(
    /// Bookings that were asked for at once and repeat.
    SeriesId
);
uuid_id!(
    /// People who share rules.
    GroupId
);
uuid_id!(
    /// Something that administrators allow or not.
    RuleId
);
uuid_id!(
    /// A time in which cards are not to be had.
    MaintenanceId
);
uuid_id!(
    /// Somebody's place in a queue.
    WaitId
);

/// The identity of a card: NVML's UUID of the physical card (`GPU-…`) or of a MIG instance (`MIG-…`).
///
/// An index is display data of one snapshot; this never changes while the card exists.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CardUuid(String);

/// The text is not a card's UUID.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a card UUID: expected `GPU-` or `MIG-` and up to 90 letters, digits, `-` or `/`")]
pub struct BadCardUuid;

impl CardUuid {
    /// Accepts `GPU-…` and `MIG-…` as NVML writes them.
    ///
    /// # Errors
    /// [`BadCardUuid`] for any other prefix, a character outside `[A-Za-z0-9/-]`, or more than 96 bytes (NVML's
    /// buffer). The value goes into shell commands, so nothing that a shell could read as syntax gets in.
    pub fn parse(text: &str) -> Result<Self, BadCardUuid> {
        let rest = text.strip_prefix("GPU-").or_else(|| text.strip_prefix("MIG-")).ok_or(BadCardUuid)?;
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '/';
        if rest.is_empty() || text.len() > 96 || !rest.chars().all(plain) {
            return Err(BadCardUuid);
        }
        Ok(Self(text.to_owned()))
    }

    /// The text as NVML writes it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// First and last characters, for a narrow place: `GPU-3a23c669…7a2a`.
    #[must_use]
    pub fn short(&self) -> String {
        // ASCII by construction, so byte offsets are character offsets.
        if self.0.len() <= 20 { self.0.clone() } else { format!("{}…{}", &self.0[..12], &self.0[self.0.len() - 4..]) }
    }

    /// A MIG instance rather than a physical card.
    #[must_use]
    pub fn is_mig(&self) -> bool {
        self.0.starts_with("MIG-")
    }
}

impl fmt::Display for CardUuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for CardUuid {
    type Err = BadCardUuid;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

impl TryFrom<String> for CardUuid {
    type Error = BadCardUuid;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<CardUuid> for String {
    fn from(card: CardUuid) -> Self {
        card.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn card_uuids_as_nvml_writes_them() {
        for good in ["GPU-3a23c669-1f69-c64e-cf85-44e9b07e7a2a", "MIG-377e0049-aaaa", "MIG-GPU-3a23c669/3/0"] {
            assert_eq!(CardUuid::parse(good).map(String::from), Ok(good.to_owned()));
        }
    }

    #[test]
    fn nothing_a_shell_would_read_gets_in() {
        for bad in ["", "GPU-", "0", "GPU-a b", "GPU-$(id)", "GPU-a;b", "GPU-a'b", "GPU-é", "gpu-aa"] {
            assert_eq!(CardUuid::parse(bad), Err(BadCardUuid), "{bad}");
        }
        assert_eq!(CardUuid::parse(&format!("GPU-{}", "a".repeat(93))), Err(BadCardUuid));
    }

    #[test]
    fn short_form_keeps_both_ends() {
        let card = CardUuid::parse("GPU-3a23c669-1f69-c64e-cf85-44e9b07e7a2a").expect("valid");
        assert_eq!(card.short(), "GPU-3a23c669…7a2a");
    }
}
