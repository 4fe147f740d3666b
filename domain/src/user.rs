//! People: names, roles, and what each role may do.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a person may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Books cards and manages own bookings.
    Member,
    /// Also manages hosts, accounts and everybody's bookings.
    Administrator,
}

impl Role {
    /// The word stored in the database and on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Member => "member",
            Self::Administrator => "administrator",
        }
    }

    /// Reads the stored word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "member" => Some(Self::Member),
            "administrator" => Some(Self::Administrator),
            _ => None,
        }
    }
}

/// An act that is not open to everybody who is signed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Act {
    /// See hosts, cards and bookings.
    ViewFleet,
    /// Book cards in one's own name.
    Book,
    /// Cancel or end one's own booking.
    ChangeOwnBooking,
    /// Cancel or end somebody else's booking.
    ChangeAnyBooking,
    /// Make enrolment codes, remove hosts.
    ManageHosts,
    /// Say which OS account belongs to whom.
    MapAccounts,
    /// Prove an OS account of one's own.
    LinkAccount,
    /// Make groups, labels and rules.
    ManageRules,
}

impl Act {
    /// Every act, for tests that go through the whole matrix.
    pub const ALL: [Self; 8] = [
        Self::ViewFleet,
        Self::Book,
        Self::ChangeOwnBooking,
        Self::ChangeAnyBooking,
        Self::ManageHosts,
        Self::MapAccounts,
        Self::LinkAccount,
        Self::ManageRules,
    ];
}

impl Role {
    /// The one table of authorisation.
    #[must_use]
    pub fn may(self, act: Act) -> bool {
        match act {
            Act::ViewFleet | Act::Book | Act::ChangeOwnBooking | Act::LinkAccount => true,
            Act::ChangeAnyBooking | Act::ManageHosts | Act::MapAccounts | Act::ManageRules => {
                self == Self::Administrator
            }
        }
    }
}

/// A sign-in name: `^[a-z0-9][a-z0-9._-]{0,62}$`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Username(String);

/// The text is not a sign-in name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a name has 1 to 63 small letters, digits, `.`, `_` or `-`, and begins with a letter or digit")]
pub struct BadUsername;

impl Username {
    /// Trims, lowers the case and checks.
    ///
    /// # Errors
    /// [`BadUsername`] where a character or the length does not fit.
    pub fn parse(text: &str) -> Result<Self, BadUsername> {
        let name = text.trim().to_ascii_lowercase();
        if is_plain_name(&name) { Ok(Self(name)) } else { Err(BadUsername) }
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Username {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for Username {
    type Error = BadUsername;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<Username> for String {
    fn from(name: Username) -> Self {
        name.0
    }
}

/// `^[a-z0-9][a-z0-9._-]{0,62}$`: the form of sign-in names and host names, harmless in every shell.
#[must_use]
pub fn is_plain_name(name: &str) -> bool {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let bytes = name.as_bytes();
    bytes.len() <= 63
        && bytes.first().is_some_and(|&b| plain(b))
        && bytes.iter().all(|&b| plain(b) || matches!(b, b'.' | b'_' | b'-'))
}

/// Shortest password accepted (ASVS 5.0, 6.2.1).
pub const PASSWORD_MIN_CHARS: usize = 8;
/// Longest password accepted, in bytes: far above the 64 that must be allowed, low enough to hash.
pub const PASSWORD_MAX_BYTES: usize = 1024;
/// Longest display name, in characters.
pub const DISPLAY_NAME_MAX_CHARS: usize = 80;

/// A display name, or `None` where it is empty, too long or holds control or direction-changing characters.
#[must_use]
pub fn clean_display_name(text: &str) -> Option<String> {
    let name = text.trim();
    let ok = !name.is_empty() && name.chars().count() <= DISPLAY_NAME_MAX_CHARS && !name.chars().any(is_deceptive);
    ok.then(|| name.to_owned())
}

/// Control characters, and those that make text read in another order than it is stored.
#[must_use]
pub fn is_deceptive(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Two letters for an avatar: the first of the first and of the last word.
#[must_use]
pub fn initials(display_name: &str) -> String {
    // What stands in brackets is no name.
    let mut words = display_name.split_whitespace().filter(|word| word.starts_with(char::is_alphanumeric));
    let first = words.next().and_then(|word| word.chars().next());
    let last = words.next_back().and_then(|word| word.chars().next());
    first.into_iter().chain(last).flat_map(char::to_uppercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert_eq!(Username::parse(" Ada.L ").map(|n| n.to_string()), Ok("ada.l".to_owned()));
        for bad in ["", "-a", ".a", "a b", "a;b", "ä", &"a".repeat(64)] {
            assert_eq!(Username::parse(bad), Err(BadUsername), "{bad}");
        }
    }

    #[test]
    fn display_names_keep_every_script_but_no_tricks() {
        assert_eq!(clean_display_name(" 李雷 ").as_deref(), Some("李雷"));
        assert_eq!(clean_display_name("a\u{202e}b"), None);
        assert_eq!(clean_display_name("a\nb"), None);
        assert_eq!(clean_display_name("  "), None);
    }

    #[test]
    fn initials_of_one_and_more_words() {
        assert_eq!(initials("Ada"), "A");
        assert_eq!(initials("Grace Brewster Hopper"), "GH");
        assert_eq!(initials("李雷"), "李");
        assert_eq!(initials("Ada Lovelace (demo)"), "AL");
    }

    #[test]
    fn members_manage_only_their_own() {
        for act in Act::ALL {
            assert!(Role::Administrator.may(act), "{act:?}");
        }
        for act in [Act::ChangeAnyBooking, Act::ManageHosts, Act::MapAccounts] {
            assert!(!Role::Member.may(act), "{act:?}");
        }
    }
}
