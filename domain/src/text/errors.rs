//! Refusals: what happened, why, and what to do next.

/// The sentences of [`crate::error::ApiError`].
#[derive(Debug)]
pub struct ErrorText {
    /// Nobody is signed in, or the session is over.
    pub sign_in_needed: &'static str,
    /// Unknown name or wrong password: the same words.
    pub wrong_password: &'static str,
    /// Too many attempts; the argument is the wait in seconds.
    pub too_many_attempts: fn(u64) -> String,
    /// The role is not enough.
    pub not_allowed: &'static str,
    /// A request from another site.
    pub wrong_origin: &'static str,
    /// There is an administrator already.
    pub already_set_up: &'static str,
    /// Not the code of the last start.
    pub wrong_setup_code: &'static str,
    /// Sign-up before there is an administrator.
    pub set_up_first: &'static str,
    /// The name belongs to somebody; the argument is the name.
    pub name_taken: fn(&str) -> String,
    /// Not a sign-in name.
    pub bad_name: &'static str,
    /// Not a display name; the argument is the longest length.
    pub bad_display_name: fn(usize) -> String,
    /// Argument: the shortest length.
    pub password_too_short: fn(usize) -> String,
    /// Argument: the longest length in bytes.
    pub password_too_long: fn(usize) -> String,
    /// Known to everybody who guesses.
    pub password_common: &'static str,
    /// No such zone.
    pub bad_zone: &'static str,
    /// Not a host name.
    pub bad_host_name: &'static str,
    /// Not an account name of an operating system.
    pub bad_os_user: &'static str,
    /// No host of that identity.
    pub unknown_host: &'static str,
    /// A host that is retired is to be enrolled; its name.
    pub retired_host: fn(&str) -> String,
    /// No person of that identity.
    pub unknown_person: &'static str,
    /// The mapping is not there (any more).
    pub unknown_mapping: &'static str,
    /// The same mapping exists; the argument is the account.
    pub account_taken: fn(&str) -> String,
    /// The host's credential is not ours.
    pub unknown_agent: &'static str,
    /// The host's credential was revoked.
    pub revoked_agent: &'static str,
    /// There is no program for hosts beside the portal's.
    pub no_program: &'static str,
    /// That program is still being looked at.
    pub program_not_ready: &'static str,
    /// Wrong, used or expired.
    pub wrong_enrol_code: &'static str,
    /// Wrong, used or expired.
    pub wrong_link_code: &'static str,
    /// `root` belongs to whoever may become it.
    pub root_not_linkable: &'static str,
    /// The request cannot be read.
    pub malformed: &'static str,
    /// The request is larger than allowed.
    pub too_large: &'static str,
    /// Nothing there, or not for this viewer.
    pub not_found: &'static str,
    /// The address takes another method.
    pub method_not_allowed: &'static str,
    /// The database does not answer.
    pub unavailable: &'static str,
    /// Its disk is full.
    pub disk_full: &'static str,
    /// Too many at once.
    pub busy: &'static str,
    /// Our fault.
    pub internal: &'static str,
}
