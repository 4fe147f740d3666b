//! English.

mod account;
mod admin;
mod agenda;
mod book;
mod booking;
mod bookings;
mod calendar;
mod finder;
mod frame;
mod host;
mod launch;
mod notices;
mod now;
mod reports;
mod reservation;
mod rule_pages;
mod rules;
mod sign_in;
mod spoken;
mod upkeep;
mod when;

use super::{ErrorText, Text};

/// The catalogue.
pub static TEXT: Text = Text {
    account: account::TEXT,
    admin: admin::TEXT,
    agenda: agenda::TEXT,
    book: book::TEXT,
    booking: booking::TEXT,
    bookings: bookings::TEXT,
    calendar: calendar::TEXT,
    finder: finder::TEXT,
    frame: frame::TEXT,
    host: host::TEXT,
    launch: launch::TEXT,
    notices: notices::TEXT,
    now: now::TEXT,
    reports: reports::TEXT,
    reservation: reservation::TEXT,
    rules: rules::TEXT,
    sign_in: sign_in::TEXT,
    spoken: spoken::TEXT,
    upkeep: upkeep::TEXT,
    when: when::TEXT,
    errors: ErrorText {
        sign_in_needed: "You are not signed in, or your session is over. Sign in to go on.",
        wrong_password: "Name or password is wrong",
        too_many_attempts: |seconds| match seconds {
            0 | 1 => "Too many wrong attempts. Try again in 1 second.".to_owned(),
            n => format!("Too many wrong attempts. Try again in {n} seconds."),
        },
        not_allowed: "Your role does not allow this. Ask an administrator.",
        wrong_origin: "Refused: the request came from another site. Open the portal and try again there.",
        already_set_up: "This portal has an administrator already. Sign in, or ask the administrator.",
        wrong_setup_code: "The set-up code is wrong or old. Each start of the server prints a new one: take the last.",
        set_up_first: "This portal is not set up yet. Open the set-up link that the server printed at its start.",
        name_taken: |name| format!("The name {name} is taken. Choose another one."),
        bad_name: "A name has 1 to 63 letters a to z, digits, dots, dashes or underscores, and begins with a letter or digit.",
        bad_display_name: |most| format!("Enter the name that others see: 1 to {most} characters, no invisible ones."),
        password_too_short: |least| format!("The password is too short. Use at least {least} characters."),
        password_too_long: |most| format!("The password is too long. Use at most {most} bytes."),
        password_common: "This password is among the first that are guessed. Choose another one.",
        bad_zone: "This time zone is not known. Choose one from the list, such as Europe/Berlin.",
        bad_host_name: "A host name has 1 to 63 letters a to z, digits, dots, dashes or underscores, and begins with a letter or digit.",
        bad_os_user: "Enter the account name as the host knows it: 1 to 64 characters, no spaces, colons or slashes.",
        retired_host: |host| format!("{host} is retired. Take it back first, in the list of hosts, then make a code."),
        unknown_host: "This host is not known any more. Reload the page.",
        unknown_person: "This person has no account here. Reload the page.",
        unknown_mapping: "This account is not mapped any more. Reload the page.",
        account_taken: |account| format!("The account {account} belongs to this person already. Nothing was changed."),
        unknown_agent: "This portal does not know the host's credential. Ask an administrator for a new enrolment code.",
        revoked_agent: "An administrator has revoked this host's credential. Ask for a new enrolment code.",
        no_program: "This portal has no berth program to hand out. Its operator puts one beside berth-server, or names \
                     one with BERTH_AGENT_PROGRAM.",
        program_not_ready: "The portal is still looking at its berth program. Try again in a few seconds.",
        wrong_enrol_code: "The enrolment code is wrong, used or older than an hour. Ask an administrator for a new one.",
        wrong_link_code: "The code is wrong, used or older than ten minutes. Make a new one on your account page.",
        root_not_linkable: "The root account is shared by everybody who may become root, so nobody can claim it. \
             Link your own account, or ask an administrator to map root.",
        malformed: "The request cannot be read. Reload the page and try again.",
        too_large: "The request is larger than allowed.",
        not_found: "There is nothing here, or it is not for you to see.",
        method_not_allowed: "This address does not take this kind of request.",
        unavailable: "The database does not answer. Nothing was changed. Try again in a moment.",
        disk_full: "The portal's disk is full, so nothing was saved. Tell an administrator. It works again as soon as there \
                    is space.",
        busy: "Too many people sign in at this moment. Nothing was changed. Try again in a few seconds.",
        internal: "Something went wrong on the server. Nothing was changed. Try again, or tell an administrator.",
    },
};

/// A number and its noun.
fn plural(n: usize, one: &str, many: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {many}") }
}
