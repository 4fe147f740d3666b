//! From another machine, and in a terminal that stays.

use crate::launch::here::{Here, ORDER};
use crate::launch::quote::posix::{is_plain, single_quote, word};
use crate::launch::quote::{cmd, power_shell};
use crate::launch::{Command, Dialect, Form, Naming, check};

/// Over ssh: one command, quoted twice, since the shell on the host reads it again.
pub(in crate::launch) fn ssh(here: &Here<'_>) -> Command {
    let held = here.program_placeholder();
    let program = here.program();
    let mut forms = in_shells(here, "berth", Naming::ByBerth, &format!("berth run -- {program}"), |form| {
        form.label((here.text.run_all)(&here.host.host_name)).holding(held)
    });
    for set in here.sets() {
        let by = [(Naming::Uuid, Some(set.uuids())), (Naming::Index, set.indices())];
        for (naming, ids) in by {
            let Some(ids) = ids else { continue };
            // `env` sets variables whatever shell the account has over there.
            let line = format!("env {ORDER} CUDA_VISIBLE_DEVICES={ids} {program}");
            forms.extend(in_shells(here, "env", naming, &line, |form| {
                form.label(here.named(naming)).of(&set).holding(held)
            }));
        }
    }
    for set in here.sets() {
        // The other shell takes one pair of quotes away, and Docker wants the next.
        let line = crate::launch::container::docker::line(here, &set);
        forms.extend(in_shells(here, "docker", Naming::Uuid, &line, |form| {
            form.label(here.text.ssh_docker).of(&set).holding(&crate::launch::container::placeholders(here))
        }));
    }
    Command {
        id: "ssh",
        group: here.text.group_direct,
        title: "ssh",
        forms,
        reason: here.why_by_uuid_alone(),
        note: here.note((here.text.ssh_note)(&here.host.host_name)),
        checks: check::of_visible(here, |set, program| {
            let line = format!("env {ORDER} CUDA_VISIBLE_DEVICES={} {program}", set.uuids());
            format!("ssh {} {}", target(here, word), single_quote(&line))
        }),
    }
}

/// `lena@dgx`, or the host alone where the account is not known.
fn target(here: &Here<'_>, quote: impl Fn(&str) -> String) -> String {
    let name = match &here.host.facts.account {
        Some(account) => format!("{account}@{}", here.host.host_name),
        None => here.host.host_name.clone(),
    };
    // What begins with a dash would be taken for an option.
    let end = if name.starts_with('-') { "-- " } else { "" };
    format!("{end}{}", quote(&name))
}

/// A line for the host, sent from here: one form where every shell reads it alike, else one for each that can.
fn in_shells(here: &Here<'_>, key: &'static str, naming: Naming, line: &str, with: impl Fn(Form) -> Form) -> Vec<Form> {
    let within = |c: char| c.is_ascii_alphanumeric() || "-_./:=, ".contains(c);
    let name = target(here, str::to_owned);
    if line.chars().all(within) && name.split('@').all(is_plain) {
        // Nothing within these double quotes is special to any of them.
        return vec![with(Form::new(key, Dialect::AnyShell, naming, format!("ssh -t {name} \"{line}\"")))];
    }
    let mut forms = Vec::new();
    let send = |quoted: String, to: String| format!("ssh -t {to} {quoted}");
    forms.push(with(Form::new(key, Dialect::Posix, naming, send(single_quote(line), target(here, word)))));
    forms.push(with(Form::new(
        key,
        Dialect::PowerShell,
        naming,
        send(power_shell::string(line), target(here, power_shell::word)),
    )));
    if let (Some(line), Some(_)) = (cmd::argument(line), cmd::argument(&name)) {
        let to = target(here, |name| cmd::argument(name).unwrap_or_default());
        forms.push(with(Form::new(key, Dialect::Cmd, naming, send(line, to))));
    }
    forms
}

/// In a terminal that goes on when the connection ends.
pub(in crate::launch) fn tmux(here: &Here<'_>) -> Command {
    let held = here.program_placeholder();
    let program = here.program();
    let name = here.job_name();
    let start = |name: &str, inside: &str| {
        // tmux gives the text to the account's own shell, which may be fish or csh: `env` is the same in all of them.
        format!("tmux new-session -d -s {name} {}", single_quote(inside))
    };
    let mut forms = vec![
        Form::new("berth", Dialect::Posix, Naming::ByBerth, start(&name, &format!("exec berth run -- {program}")))
            .label((here.text.run_all)(&here.host.host_name))
            .holding(held),
    ];
    forms.extend(here.both(|naming, ids, set| {
        let name = here.name_of(set);
        let inside = format!("exec env {ORDER} CUDA_VISIBLE_DEVICES={ids} {program}");
        Form::new("env", Dialect::Posix, naming, start(&name, &inside)).label(here.named(naming)).holding(held)
    }));
    Command {
        id: "tmux",
        group: here.text.group_direct,
        title: "tmux",
        forms,
        reason: here.why_by_uuid_alone(),
        note: here.note((here.text.tmux_note)(&name)),
        checks: check::of_process(here, |set| format!("tmux list-panes -t {} -F '#{{pane_pid}}'", here.name_of(set))),
    }
}
