//! English for the administrators' page.

use crate::text::AdminText;

/// The words.
pub const TEXT: AdminText = AdminText {
    title: "Admin",
    hosts: "Hosts",
    hosts_note: "Agents report to Berth. Berth never signs in to a host.",
    no_hosts: "No hosts yet. Add the first one below: it takes two steps.",
    host: "Host",
    state: "State",
    cards: "Cards",
    agent: "Agent",
    last_report: "Last report",
    acts: "Actions",
    live: "Live",
    late: "Late",
    silent: "No report",
    never: "Waiting for the first report",
    not_enrolled: "No agent",
    ago: |length| format!("{length} ago"),
    none: "n/a",
    revoke: "Revoke",
    revoke_sure: |host| {
        format!("The agent on {host} is refused from now on. Its cards and bookings stay. A new code lets it back in.")
    },
    revoke_yes: "Revoke its credential",
    add: "Add a host",
    add_note: "The agent runs there as a service, reads card data and sends it here. No inbound port, no SSH key.",
    host_name: "Name of the host",
    host_name_hint: "As people know it: small letters, digits, dots and dashes.",
    make_code: "Make a code",
    code_for: |host| format!("Add {host}"),
    step_copy: "Copy the berth program to the host",
    step_copy_how: "One file for Linux, built beside the portal: target/release/berth. Put it in /usr/local/bin.",
    step_run: "Run there, and give it the code when it asks",
    code: "Enrolment code",
    code_once: "This code is shown once.",
    code_valid: |until| {
        format!(
            "It is valid until {until} and enrols one host. Berth keeps only its hash. Lost it? Make a new one: the \
             old one stops working."
        )
    },
    people: "People",
    person: "Person",
    sign_in_name: "Sign-in name",
    role: "Role",
    member: "Member",
    administrator: "Administrator",
    os_accounts: "Accounts on hosts",
    accounts: "Accounts on hosts",
    accounts_note: "Whose an account is decides whose booking berth run uses.",
    no_accounts: "No account is matched to a person yet. Match one here, or let people run berth link.",
    os_user: "Account on the host",
    all_hosts: "All hosts",
    source: "Known from",
    proven: "berth link",
    set: "an administrator",
    map: "Match an account to a person",
    map_add: "Match account",
    unmap: "Remove",
    choose: "Choose a person",
    mapped: |account| format!("{account} is matched."),
    account_on: |account, host| format!("{account} on {host}"),
};
