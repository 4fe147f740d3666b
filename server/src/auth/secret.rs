//! Codes and credentials: random, shown once, kept as SHA-256. They have at least 50 bits and a short life, or 150
//! bits and more, so a slow hash would add nothing.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

/// Digits and capitals without 0, O, 1 and I: 32 characters that nobody confuses.
const ALPHABET: &[u8; 32] = b"23456789ABCDEFGHJKLMNPQRSTUVWXYZ";

/// A secret as it is shown once. Neither printed nor logged.
pub struct Secret(String);

/// What is stored of a secret.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SecretHash(pub [u8; 32]);

/// The machine has no randomness to give.
#[derive(Debug, thiserror::Error)]
#[error("the operating system gave no random bytes")]
pub struct NoRandomness;

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[redacted]")
    }
}

impl fmt::Debug for SecretHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[redacted]")
    }
}

impl Secret {
    /// A code of `groups` groups of five characters, five bits each: `7KQ2M-XA9PT`.
    ///
    /// # Errors
    /// [`NoRandomness`].
    pub fn code(groups: usize) -> Result<Self, NoRandomness> {
        let mut bytes = vec![0; groups * 5];
        getrandom::fill(&mut bytes).map_err(|_| NoRandomness)?;
        let mut text = String::with_capacity(groups * 6);
        for (i, byte) in bytes.iter().enumerate() {
            if i > 0 && i % 5 == 0 {
                text.push('-');
            }
            // 256 is a multiple of 32: every character is as likely as any other.
            text.push(char::from(ALPHABET[usize::from(byte % 32)]));
        }
        Ok(Self(text))
    }

    /// A host's credential: `bh_` and 256 bits.
    ///
    /// # Errors
    /// [`NoRandomness`].
    pub fn host_credential() -> Result<Self, NoRandomness> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|_| NoRandomness)?;
        Ok(Self(format!("bh_{}", URL_SAFE_NO_PAD.encode(bytes))))
    }

    /// What to store.
    #[must_use]
    pub fn hash(&self) -> SecretHash {
        SecretHash::of_code(&self.0)
    }

    /// What to show.
    #[must_use]
    pub fn reveal(self) -> String {
        self.0
    }
}

impl SecretHash {
    /// The hash of a code as somebody typed it: case, dashes and spaces do not matter.
    #[must_use]
    pub fn of_code(typed: &str) -> Self {
        // A credential is case-sensitive and copied by machines; only codes are typed.
        if typed.starts_with("bh_") {
            return Self::of_bytes(typed.as_bytes());
        }
        let plain: String =
            typed.chars().filter(|c| !c.is_whitespace() && *c != '-').map(|c| c.to_ascii_uppercase()).collect();
        Self::of_bytes(plain.as_bytes())
    }

    /// The hash of bytes.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// For a `bytea` column.
    #[must_use]
    pub fn as_slice(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_found_again_however_they_are_typed() {
        let code = Secret::code(2).expect("random");
        let hash = code.hash();
        let shown = code.reveal();
        assert_eq!(shown.len(), 11);
        assert_eq!(SecretHash::of_code(&shown.to_lowercase()), hash);
        assert_eq!(SecretHash::of_code(&format!(" {} ", shown.replace('-', " "))), hash);
        assert_ne!(SecretHash::of_code(&Secret::code(2).expect("random").reveal()), hash);
    }

    #[test]
    fn credentials_have_their_form_and_keep_their_case() {
        let credential = Secret::host_credential().expect("random");
        let hash = credential.hash();
        let shown = credential.reveal();
        assert_eq!(shown.len(), 46);
        assert_eq!(SecretHash::of_code(&shown), hash);
        assert_ne!(SecretHash::of_code(&format!("bh_{}", shown[3..].to_uppercase())), hash);
    }

    #[test]
    fn nothing_prints_a_secret() {
        let code = Secret::code(6).expect("random");
        assert_eq!(format!("{code:?} {:?}", code.hash()), "[redacted] [redacted]");
    }
}
