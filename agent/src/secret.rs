//! The host's credential, which never shows up in a log or a debug print.

use std::fmt;

/// What proves this host to the portal.
#[derive(Clone, PartialEq, Eq)]
pub struct Credential(String);

/// The text cannot be a credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is not a credential of a Berth portal")]
pub struct BadCredential;

impl Credential {
    /// Checks that it can travel in a header.
    ///
    /// # Errors
    /// [`BadCredential`] where it is empty, longer than 512 bytes, or holds anything but visible ASCII.
    pub fn parse(text: &str) -> Result<Self, BadCredential> {
        let ok = !text.is_empty() && text.len() <= 512 && text.bytes().all(|b| b.is_ascii_graphic());
        if ok { Ok(Self(text.to_owned())) } else { Err(BadCredential) }
    }

    /// The credential itself, for the request's header and the state file only.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[redacted]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_does_not_show_itself() {
        assert_eq!(format!("{:?}", Credential::parse("bh_abc")), "Ok([redacted])");
        for bad in ["", "a b", "a\r\nx: y", "é"] {
            assert_eq!(Credential::parse(bad), Err(BadCredential), "{bad:?}");
        }
    }
}
