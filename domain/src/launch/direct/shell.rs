//! Variables: for one program, for a terminal, for every terminal.

use crate::launch::here::{Here, ORDER, Set};
use crate::launch::quote::{cmd, power_shell};
use crate::launch::{Command, Dialect, Form, Naming, check};

/// For a whole terminal.
pub(in crate::launch) fn session(here: &Here<'_>) -> Command {
    let mut forms = vec![by_berth("berth", Dialect::Posix, "eval \"$(berth env)\"", here)];
    forms.extend(here.both(|naming, ids, _| {
        let text = format!("export {ORDER}\nexport CUDA_VISIBLE_DEVICES={ids}");
        Form::new("posix", Dialect::Posix, naming, text).label(here.named(naming))
    }));
    forms.push(by_berth("berth-fish", Dialect::Fish, "berth env --shell fish | source", here));
    forms.extend(here.both(|naming, ids, _| {
        let text = format!("set -gx CUDA_DEVICE_ORDER PCI_BUS_ID\nset -gx CUDA_VISIBLE_DEVICES {ids}");
        Form::new("fish", Dialect::Fish, naming, text).label(here.named(naming))
    }));
    forms.extend(here.both(|naming, ids, _| {
        let text = format!("{}\n{}", power_shell_set("CUDA_DEVICE_ORDER", "PCI_BUS_ID"), visible(ids));
        Form::new("powershell", Dialect::PowerShell, naming, text).label(here.named(naming))
    }));
    forms.extend(here.both(|naming, ids, _| {
        let text = format!("set \"{ORDER}\"\nset \"CUDA_VISIBLE_DEVICES={ids}\"");
        Form::new("cmd", Dialect::Cmd, naming, text).label(here.named(naming))
    }));
    Command {
        id: "shell",
        group: here.text.group_direct,
        title: here.text.shell,
        forms,
        reason: here.why_by_uuid_alone(),
        note: here.note((here.text.shell_note)(here.host.cards.len())),
        checks: check::of_visible(here, |_, program| program.to_owned()),
    }
}

/// For one program.
pub(in crate::launch) fn once(here: &Here<'_>) -> Command {
    let program = here.program();
    let held = here.program_placeholder();
    let mut forms = here.both(|naming, ids, _| {
        let text = format!("{ORDER} CUDA_VISIBLE_DEVICES={ids} \\\n  {program}");
        Form::new("posix", Dialect::Posix, naming, text).label(here.named(naming)).holding(held)
    });
    forms.extend(here.both(|naming, ids, _| {
        let text = format!("env {ORDER} CUDA_VISIBLE_DEVICES={ids} {program}");
        Form::new("fish", Dialect::Fish, naming, text).label(here.named(naming)).holding(held)
    }));
    if let Some(program) = power_shell_program(here) {
        forms.extend(here.both(|naming, ids, _| {
            // The variables belong to the whole PowerShell, so they are taken away again whatever happens.
            let text = format!(
                "try {{ {}; {}; {program} }} finally {{ Remove-Item Env:CUDA_DEVICE_ORDER, Env:CUDA_VISIBLE_DEVICES }}",
                power_shell_set("CUDA_DEVICE_ORDER", "PCI_BUS_ID"),
                visible(ids)
            );
            Form::new("powershell", Dialect::PowerShell, naming, text).label(here.named(naming)).holding(held)
        }));
    }
    if let Some(program) = cmd_program(here) {
        forms.extend(here.both(|naming, ids, _| {
            // A cmd of its own, so that the variables end with it; no blank before `&&`, which would become a part of
            // the value.
            let text = format!("cmd /c \"set {ORDER}&& set CUDA_VISIBLE_DEVICES={ids}&& {program}\"");
            Form::new("cmd", Dialect::Cmd, naming, text).label(here.named(naming)).holding(held)
        }));
    }
    Command {
        id: "once",
        group: here.text.group_direct,
        title: here.text.once,
        forms,
        reason: here.why_by_uuid_alone(),
        note: here.note(here.text.once_note),
        checks: check::of_visible(here, prefix),
    }
}

/// For every terminal from now on.
pub(in crate::launch) fn profile(here: &Here<'_>) -> Command {
    let text = here.text;
    let by_berth = |key, dialect, line: &str, file: &str| by_berth(key, dialect, line, here).file(file);
    let mut forms = vec![by_berth("berth", Dialect::Posix, "eval \"$(berth env --quiet)\"", "~/.bashrc, ~/.zshrc")];
    forms.extend(here.both(|naming, ids, _| {
        let lines = format!("export {ORDER}\nexport CUDA_VISIBLE_DEVICES={ids}");
        Form::new("posix", Dialect::Posix, naming, lines).label(here.named(naming)).file("~/.bashrc, ~/.zshrc")
    }));
    let fish = "~/.config/fish/conf.d/berth.fish";
    forms.push(by_berth("berth-fish", Dialect::Fish, "berth env --quiet --shell fish | source", fish));
    forms.extend(here.both(|naming, ids, _| {
        let lines = format!("set -gx CUDA_DEVICE_ORDER PCI_BUS_ID\nset -gx CUDA_VISIBLE_DEVICES {ids}");
        Form::new("fish", Dialect::Fish, naming, lines).label(here.named(naming)).file(fish)
    }));
    forms.extend(here.both(|naming, ids, _| {
        let lines = format!("{}\n{}", power_shell_set("CUDA_DEVICE_ORDER", "PCI_BUS_ID"), visible(ids));
        Form::new("powershell", Dialect::PowerShell, naming, lines).label(here.named(naming)).file("$PROFILE")
    }));
    forms.extend(here.both(|naming, ids, _| {
        let lines = format!("setx CUDA_DEVICE_ORDER PCI_BUS_ID\nsetx CUDA_VISIBLE_DEVICES \"{ids}\"");
        Form::new("cmd", Dialect::Cmd, naming, lines).label(here.named(naming)).needs(text.setx_needs)
    }));
    Command {
        id: "profile",
        group: text.group_direct,
        title: text.profile,
        forms,
        reason: here.why_by_uuid_alone(),
        note: here.note(text.profile_note),
        checks: check::of_visible(here, |_, program| program.to_owned()),
    }
}

/// Variables before a program, as every POSIX shell and fish from 3.1 on takes them.
pub(in crate::launch) fn prefix(set: &Set<'_>, program: &str) -> String {
    format!("{ORDER} CUDA_VISIBLE_DEVICES={} {program}", set.uuids())
}

fn by_berth(key: &'static str, dialect: Dialect, line: &str, here: &Here<'_>) -> Form {
    Form::new(key, dialect, Naming::ByBerth, line.to_owned()).label(here.text.env_now)
}

/// Assigns a variable in PowerShell.
fn power_shell_set(name: &str, value: &str) -> String {
    format!("$env:{name} = {}", power_shell::string(value))
}

fn visible(ids: &str) -> String {
    power_shell_set("CUDA_VISIBLE_DEVICES", ids)
}

/// The program for every PowerShell; `None` where an older one would hand on something else.
pub(in crate::launch) fn power_shell_program(here: &Here<'_>) -> Option<String> {
    let words: Option<Vec<String>> = here.words().iter().map(|word| power_shell::argument_before_7_3(word)).collect();
    // What PowerShell 5.1 needs beyond quotes, 7.3 would hand on.
    let words = words.filter(|_| here.words().iter().all(|word| !word.contains('"')))?;
    // A quoted program is a text to PowerShell, unless it is called.
    let call = if words.first().is_some_and(|first| first.starts_with('\'')) { "& " } else { "" };
    Some(format!("{call}{}", words.join(" ")))
}

/// The program for cmd; `None` where it cannot be written for sure.
pub(in crate::launch) fn cmd_program(here: &Here<'_>) -> Option<String> {
    let words: Option<Vec<String>> = here.words().iter().map(|word| cmd::argument(word)).collect();
    Some(words?.join(" "))
}
