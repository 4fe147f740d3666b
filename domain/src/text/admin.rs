//! What administrators look after.

/// Words of the administrators' page.
#[derive(Debug)]
pub struct AdminText {
    /// Heading.
    pub title: &'static str,
    /// Heading.
    pub hosts: &'static str,
    /// Beside it.
    pub hosts_note: &'static str,
    /// There is none.
    pub no_hosts: &'static str,
    /// Column.
    pub host: &'static str,
    /// Column.
    pub state: &'static str,
    /// Column.
    pub cards: &'static str,
    /// Column.
    pub agent: &'static str,
    /// Column.
    pub last_report: &'static str,
    /// Column of buttons.
    pub acts: &'static str,
    /// Reports as it should.
    pub live: &'static str,
    /// Has been silent for a moment.
    pub late: &'static str,
    /// Is silent.
    pub silent: &'static str,
    /// Has an agent but never reported.
    pub never: &'static str,
    /// No agent holds a credential.
    pub not_enrolled: &'static str,
    /// So long ago.
    pub ago: fn(&str) -> String,
    /// No value.
    pub none: &'static str,
    /// Takes the credential away.
    pub revoke: &'static str,
    /// What that means.
    pub revoke_sure: fn(&str) -> String,
    /// Does it.
    pub revoke_yes: &'static str,
    /// Renews the credential.
    pub rotate: &'static str,
    /// What that means.
    pub rotate_sure: fn(&str) -> String,
    /// Does it.
    pub rotate_yes: &'static str,
    /// Asked for and not done yet.
    pub rotating: &'static str,
    /// The portal takes nothing from it.
    pub retired: &'static str,
    /// Retires a host.
    pub retire: &'static str,
    /// What that means.
    pub retire_sure: fn(&str) -> String,
    /// Does it.
    pub retire_yes: &'static str,
    /// Takes a retired host back.
    pub take_back: &'static str,
    /// Heading and button.
    pub add: &'static str,
    /// What the agent is.
    pub add_note: &'static str,
    /// Label.
    pub host_name: &'static str,
    /// Below it.
    pub host_name_hint: &'static str,
    /// Makes a code.
    pub make_code: &'static str,
    /// Heading after that, before the host.
    pub code_for: &'static str,
    /// First step.
    pub step_copy: &'static str,
    /// How; the argument is what it runs on.
    pub step_copy_how: fn(&str) -> String,
    /// There is no program to download.
    pub no_program: &'static str,
    /// What to do then.
    pub no_program_how: &'static str,
    /// It is still being looked at.
    pub program_not_ready: &'static str,
    /// Second step.
    pub step_run: &'static str,
    /// Label of the code.
    pub code: &'static str,
    /// First words about it.
    pub code_once: &'static str,
    /// Before the time until which it is valid.
    pub code_valid: &'static str,
    /// What more there is to know about it.
    pub code_rest: &'static str,
    /// Heading.
    pub people: &'static str,
    /// Column.
    pub person: &'static str,
    /// Column.
    pub sign_in_name: &'static str,
    /// Column.
    pub role: &'static str,
    /// Role.
    pub member: &'static str,
    /// Role.
    pub administrator: &'static str,
    /// Column: mapped accounts.
    pub os_accounts: &'static str,
    /// Heading.
    pub accounts: &'static str,
    /// Beside it.
    pub accounts_note: &'static str,
    /// There is none.
    pub no_accounts: &'static str,
    /// Column and label.
    pub os_user: &'static str,
    /// On every host.
    pub all_hosts: &'static str,
    /// Column: where a mapping comes from.
    pub source: &'static str,
    /// By `berth link`.
    pub proven: &'static str,
    /// By an administrator.
    pub set: &'static str,
    /// Label of the form.
    pub map: &'static str,
    /// Button of the form.
    pub map_add: &'static str,
    /// Takes a mapping back.
    pub unmap: &'static str,
    /// Choice before a person is chosen.
    pub choose: &'static str,
    /// Account and host, short.
    pub account_on: fn(&str, &str) -> String,
}
