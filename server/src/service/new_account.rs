//! A new account as it was typed, and as it passed the rules.

use domain::user::{PASSWORD_MAX_BYTES, PASSWORD_MIN_CHARS, Username, clean_display_name};
use domain::wire::page::NewAccount;

use super::account_error::BadInput;
use super::common_passwords::is_common;
use crate::zone;

/// The hues of design: apart from each other, and from blue (the viewer's own) and red (wrong).
const HUES: [i16; 12] = [50, 75, 95, 122, 150, 172, 195, 225, 285, 300, 330, 350];

/// An account that passed the rules.
pub struct CheckedAccount {
    /// Sign-in name.
    pub name: Username,
    /// Display name.
    pub display_name: String,
    /// As typed.
    pub password: String,
    /// A zone that exists.
    pub zone: String,
}

/// Checks what was typed.
///
/// # Errors
/// The first [`BadInput`], in the order of the form.
pub fn check(account: NewAccount) -> Result<CheckedAccount, BadInput> {
    let NewAccount { name, display_name, password, zone } = account;
    let name = Username::parse(&name).map_err(|_| BadInput::Name)?;
    let display_name = clean_display_name(&display_name).ok_or(BadInput::DisplayName)?;
    check_password(&password, &name)?;
    // A browser's word, not a person's: one that is unknown here is no reason to refuse.
    let zone = zone::canonical(&zone).unwrap_or_else(|| "UTC".to_owned());
    Ok(CheckedAccount { name, display_name, password, zone })
}

/// Checks a password for the person of that name.
///
/// # Errors
/// [`BadInput::PasswordTooShort`], [`BadInput::PasswordTooLong`], [`BadInput::PasswordCommon`].
pub fn check_password(password: &str, name: &Username) -> Result<(), BadInput> {
    if password.chars().count() < PASSWORD_MIN_CHARS {
        return Err(BadInput::PasswordTooShort);
    }
    if password.len() > PASSWORD_MAX_BYTES {
        return Err(BadInput::PasswordTooLong);
    }
    if is_common(password, name.as_str()) {
        return Err(BadInput::PasswordCommon);
    }
    Ok(())
}

/// The hue that the fewest people have.
#[must_use]
pub fn least_used_hue(used: &[(i16, i64)]) -> i16 {
    let count = |hue: i16| used.iter().filter(|(h, _)| *h == hue).map(|(_, n)| n).sum::<i64>();
    HUES.into_iter().min_by_key(|hue| count(*hue)).unwrap_or(HUES[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed() -> NewAccount {
        NewAccount {
            name: " Ada ".to_owned(),
            display_name: " Ada Lovelace ".to_owned(),
            password: "notes on the engine".to_owned(),
            zone: "europe/london".to_owned(),
        }
    }

    #[test]
    fn what_fits_is_cleaned() {
        let ok = check(typed()).expect("fits");
        assert_eq!(
            (ok.name.as_str(), ok.display_name.as_str(), ok.zone.as_str()),
            ("ada", "Ada Lovelace", "Europe/London")
        );
        let utc = check(NewAccount { zone: "Mars/Olympus".to_owned(), ..typed() }).expect("fits");
        assert_eq!(utc.zone, "UTC");
    }

    #[test]
    fn passwords_are_taken_as_typed_within_their_limits() {
        let with = |password: &str| check(NewAccount { password: password.to_owned(), ..typed() }).map(|a| a.password);
        assert_eq!(with("1234567"), Err(BadInput::PasswordTooShort));
        assert_eq!(with("пароль7!"), Ok("пароль7!".to_owned()));
        let long: String = (1000..1256).map(|n| n.to_string()).collect();
        assert_eq!(with(&long).map(|p| p.len()), Ok(1024));
        assert_eq!(with(&format!("{long}!")), Err(BadInput::PasswordTooLong));
        assert_eq!(with(" spaces count "), Ok(" spaces count ".to_owned()));
        assert_eq!(with("password1"), Err(BadInput::PasswordCommon));
    }

    #[test]
    fn the_least_used_hue_comes_next() {
        assert_eq!(least_used_hue(&[]), 50);
        assert_eq!(least_used_hue(&[(50, 1)]), 75);
        let all: Vec<_> = HUES.into_iter().map(|hue| (hue, if hue == 300 { 1 } else { 2 })).collect();
        assert_eq!(least_used_hue(&all), 300);
    }
}
