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
    rotate: "Rotate credential",
    rotate_sure: |host| {
        format!(
            "The agent on {host} gets itself a new credential with its next report. Nothing stops meanwhile: the old \
                 one works until the new one is used."
        )
    },
    rotate_yes: "Ask for a new credential",
    rotating: "New credential asked for",
    retired: "Retired",
    retire: "Retire",
    retire_sure: |host| {
        format!("Nobody can book the cards of {host} any more, and its reports are refused. Bookings and history stay.")
    },
    retire_yes: "Retire the host",
    take_back: "Take back",
    add: "Add a host",
    add_note: "The agent runs there as a service, reads card data and sends it here. No inbound port, no SSH key.",
    host_name: "Name of the host",
    host_name_hint: "As people know it: small letters, digits, dots and dashes.",
    make_code: "Make a code",
    code_for: "Add",
    step_copy: "On the host, download the berth program",
    step_copy_how: |platform| format!("One file for Linux on {platform}, handed out by this portal. It is no secret."),
    no_program: "This portal has no berth program to hand out.",
    no_program_how: "Put the file berth beside berth-server, or name it with BERTH_AGENT_PROGRAM, and reload this page. \
                     Or copy it to /usr/local/bin on the host yourself.",
    program_not_ready: "The portal is still reading its berth program. Reload this page in a few seconds.",
    step_run: "Enrol it, and give the code when it asks",
    code: "Enrolment code",
    code_once: "This code is shown once.",
    code_valid: "Valid until",
    code_rest: "It enrols one host. Berth keeps only its hash. Lost it? Make a new one: the old one stops working.",
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
    account_on: |account, host| format!("{account} on {host}"),
};
