//! English for the account page.

use crate::text::AccountText;

/// The words.
pub const TEXT: AccountText = AccountText {
    title: "Your account",
    you: "You",
    name: "Name",
    sign_in_name: "Sign-in name",
    role: "Role",
    zone: "Time zone",
    zone_hint: "All times on these pages are in this zone. Hosts and the command line use their own.",
    zone_save: "Save time zone",
    accounts: "Your accounts on hosts",
    accounts_note: "berth run uses your bookings when one of these accounts starts it.",
    none: "No account on a host is linked to you yet. Without one, berth run starts nothing for you.",
    unlink: "Unlink",
    unlink_which: |account, host| format!("Unlink {account} on {host}"),
    link: "Link an account",
    link_how: "Make a code, then give it to berth on the host, signed in there as yourself. Berth sees which account \
               runs it and links that one to you.",
};
