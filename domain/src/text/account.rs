//! The viewer's own account.

/// Words of the account page.
#[derive(Debug)]
pub struct AccountText {
    /// Heading.
    pub title: &'static str,
    /// Heading.
    pub you: &'static str,
    /// Label.
    pub name: &'static str,
    /// Label.
    pub sign_in_name: &'static str,
    /// Label.
    pub role: &'static str,
    /// Heading and label.
    pub zone: &'static str,
    /// Below it.
    pub zone_hint: &'static str,
    /// Saves it.
    pub zone_save: &'static str,
    /// Heading.
    pub accounts: &'static str,
    /// Beside it.
    pub accounts_note: &'static str,
    /// There is none.
    pub none: &'static str,
    /// Takes one back.
    pub unlink: &'static str,
    /// Which one, for those who do not see it.
    pub unlink_which: fn(&str, &str) -> String,
    /// Heading.
    pub link: &'static str,
    /// How.
    pub link_how: &'static str,
}
