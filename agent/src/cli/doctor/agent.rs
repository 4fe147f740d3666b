//! The agent on this host: whether it runs, hears the portal, and knows whose the caller's account is.

use std::path::Path;

use domain::wire::guard_v1::{Answer, Ask, HostStatus};

use super::finding::Finding;
use crate::clean::clean;
use crate::cli::PATIENCE;
use crate::guard::client::ask;

/// Bookings of this age mean that the portal has not been heard for many reports, in seconds.
const OLD_TABLE_S: u64 = 60;

/// The agent, and what it says.
pub(super) fn check_agent(socket: &Path) -> (Finding, Option<HostStatus>) {
    let status = match ask(socket, &Ask::Status, PATIENCE) {
        Ok(Answer::Status(status)) => status,
        Ok(Answer::Failed { message }) => return (silent(&clean(&message)), None),
        Ok(_) => return (silent("it answers another question than was asked"), None),
        Err(error) => return (silent(&error.to_string()), None),
    };
    let fix = "journalctl -u berth-agent says what the agent has to say about the portal.";
    let finding = match status.table_age_s {
        Some(age) if age <= OLD_TABLE_S => {
            Finding::ok("agent", format!("The agent answers on {} and hears the portal.", socket.display()))
        }
        Some(age) => Finding::problem(
            "agent",
            format!("The agent answers, but has not heard from the portal for {} min.", age / 60),
            "Its reports do not get through. Launches are decided with the bookings known last.",
            fix,
        ),
        None => Finding::problem(
            "agent",
            "The agent answers, but has never heard from the portal.",
            "It has no bookings, so it refuses to start anything.",
            fix,
        ),
    };
    (finding, Some(status))
}

fn silent(why: &str) -> Finding {
    Finding::problem(
        "agent",
        "The agent does not answer.",
        format!("The reason: {why}."),
        "sudo systemctl enable --now berth-agent starts it, journalctl -u berth-agent says why it ends. A host that has no \
         such service gets it with sudo berth enrol URL.",
    )
}

/// Whose the account is that asks.
pub(super) fn check_account(status: Option<&HostStatus>) -> Finding {
    let Some(status) = status else {
        return Finding::skipped("account", "Without the agent nobody knows whose this account is.");
    };
    let account = clean(&status.os_user);
    match &status.person {
        Some(person) => Finding::ok("account", format!("The account {account} belongs to {}.", clean(person))),
        None if account == "root" => Finding::skipped("account", "root belongs to nobody, which is as it should be."),
        None if status.table_age_s.is_none() => {
            Finding::skipped("account", "The agent has not heard from the portal whose accounts are whose.")
        }
        None => Finding::problem(
            "account",
            format!("Nobody in the portal has said that the account {account} is theirs."),
            "berth run cannot tell whose bookings count.",
            format!(
                "Run berth link with a code from your account page ({}), or ask an administrator to match the account.",
                clean(&status.portal_url)
            ),
        ),
    }
}
