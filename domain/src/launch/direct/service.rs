//! As a service of systemd.

use crate::launch::here::{Here, ORDER};
use crate::launch::quote::posix::word;
use crate::launch::quote::unit;
use crate::launch::{Command, Dialect, Form, check};

/// A unit of one's own.
pub(in crate::launch) fn unit(here: &Here<'_>) -> Command {
    let name = here.job_name();
    let purpose = unit::description(&here.plan.purpose);
    let description = if purpose.is_empty() { name.clone() } else { purpose };
    let words = here.words();
    let program = here.program_in(unit::argument);
    // systemd looks for a program without a path in the system's folders alone; `env` looks in `PATH`.
    let start = if words.first().is_some_and(|first| first.starts_with('/')) { "" } else { "/usr/bin/env " };
    let forms = here.both(|naming, ids, set| {
        let name = here.name_of(set);
        let text = format!(
            "[Unit]\nDescription={description}\n\n[Service]\nEnvironment=\"{ORDER}\" \
             \"CUDA_VISIBLE_DEVICES={ids}\"\nExecStart={start}{program}\n\n[Install]\nWantedBy=default.target"
        );
        Form::new("unit", Dialect::Unit, naming, text)
            .label(here.named(naming))
            .file(format!("~/.config/systemd/user/{name}.service"))
            .holding(here.program_placeholder())
    });
    Command {
        id: "systemd",
        group: here.text.group_direct,
        title: here.text.systemd,
        forms,
        reason: here.why_by_uuid_alone(),
        note: here.note((here.text.systemd_note)(&name)),
        checks: check::of_process(here, |set| format!("systemctl --user show -P MainPID {}", here.name_of(set))),
    }
}

/// A service without a file, for one run.
pub(in crate::launch) fn run(here: &Here<'_>) -> Command {
    let name = here.job_name();
    // systemd puts the values of variables in place of `$NAME` in the command.
    let program = here.program_in(|text| word(&text.replace('$', "$$")));
    let forms = here.both(|naming, ids, set| {
        let name = here.name_of(set);
        let text = format!(
            "systemd-run --user --same-dir --unit={name} \\\n  --setenv={ORDER} --setenv=CUDA_VISIBLE_DEVICES={ids} \\\n  \
             {program}"
        );
        Form::new("user", Dialect::Posix, naming, text).label(here.named(naming)).holding(here.program_placeholder())
    });
    Command {
        id: "systemd_run",
        group: here.text.group_direct,
        title: "systemd-run",
        forms,
        reason: here.why_by_uuid_alone(),
        note: here.note((here.text.systemd_run_note)(&name)),
        checks: check::of_process(here, |set| format!("systemctl --user show -P MainPID {}", here.name_of(set))),
    }
}
