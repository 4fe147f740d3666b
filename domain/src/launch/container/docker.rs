//! Docker and nerdctl: by `--gpus`, and Docker by CDI names.
//!
//! Docker reads the value of `--gpus` as one CSV record, so a list of cards must reach it inside double quotes. How they
//! get there is different in every shell.

use super::{cdi_options, checks, image, image_in, options, placeholders, rest, rest_is_plain, variables};
use crate::launch::direct::shell::{cmd_program, power_shell_program};
use crate::launch::here::{Here, Set};
use crate::launch::quote::posix::{single_quote, word};
use crate::launch::quote::{cmd, power_shell};
use crate::launch::{Command, Dialect, Form, Naming};

/// `docker run`.
pub(in crate::launch) fn docker(here: &Here<'_>) -> Command {
    let text = here.text;
    let mut forms = gpus(here, "docker");
    for set in here.sets() {
        // One line and nothing to quote: shells that read neither `\` nor `'` as we do take it as well.
        let dialect = if rest_is_plain(here) { Dialect::AnyShell } else { Dialect::Posix };
        let line = format!(
            "docker run --rm -it{}{} {}",
            cdi_options(here, &set, Naming::Uuid),
            options(&variables(here, &set, Naming::Uuid)),
            rest(here)
        );
        let form = Form::new("cdi", dialect, Naming::Uuid, line).label("CDI").needs(text.cdi_needs).of(&set);
        forms.push(form.holding(&placeholders(here)));
    }
    forms.extend(other_shells(here));
    Command {
        id: "docker",
        group: text.group_containers,
        title: "Docker",
        forms,
        reason: why_one_naming(here),
        note: here.note(with_wsl(here, text.docker_note)),
        checks: checks(here, |set, program| {
            let variables = options(&variables(here, set, Naming::Uuid));
            format!("docker run --rm --gpus {}{variables} {} {program}", quoted(&set.uuids()), image_in(here, word))
        }),
    }
}

/// `nerdctl run`, which reads `--gpus` as Docker does.
pub(in crate::launch) fn nerdctl(here: &Here<'_>) -> Command {
    Command {
        id: "nerdctl",
        group: here.text.group_containers,
        title: "nerdctl",
        forms: gpus(here, "nerdctl"),
        reason: why_one_naming(here),
        note: here.note(with_wsl(here, here.text.nerdctl_note)),
        checks: checks(here, |set, program| {
            let variables = options(&variables(here, set, Naming::Uuid));
            format!("nerdctl run --rm --gpus {}{variables} {} {program}", quoted(&set.uuids()), image_in(here, word))
        }),
    }
}

/// One line that starts a container on these cards, for a shell elsewhere.
pub(in crate::launch) fn line(here: &Here<'_>, set: &Set<'_>) -> String {
    let variables = options(&variables(here, set, Naming::Uuid));
    format!("docker run --gpus {} --rm -it{variables} {}", quoted(&set.uuids()), rest(here))
}

/// `'"device=a,b"'`.
fn quoted(ids: &str) -> String {
    single_quote(&device(ids))
}

/// What Docker itself must get, quotes included.
pub(super) fn device(ids: &str) -> String {
    format!("\"device={ids}\"")
}

/// By UUID and by index, for POSIX shells and fish.
fn gpus(here: &Here<'_>, program: &str) -> Vec<Form> {
    both(here, |naming, ids, set| {
        let variables = options(&variables(here, set, naming));
        let line = format!("{program} run --gpus {} \\\n  --rm -it{variables} {}", quoted(ids), rest(here));
        Form::new("gpus", Dialect::Posix, naming, line)
    })
}

/// The same for PowerShell, old and new, and cmd.
fn other_shells(here: &Here<'_>) -> Vec<Form> {
    let line = |naming, gpus: String, set: &Set<'_>, image: &str, program: &str| {
        format!("docker run --gpus {gpus} --rm -it{} {image} {program}", options(&variables(here, set, naming)))
    };
    let mut forms = Vec::new();
    if let Some(program) = power_shell_arguments(here) {
        let image = image_in(here, power_shell::word);
        forms.extend(both(here, |naming, ids, set| {
            let text = line(naming, power_shell::string(&device(ids)), set, &image, &program);
            Form::new("gpus-powershell", Dialect::PowerShell, naming, text)
        }));
    }
    let old_image = image(here).map_or_else(|| Some("IMAGE".to_owned()), power_shell::argument_before_7_3);
    if let (Some(program), Some(image)) = (power_shell_program(here), old_image) {
        forms.extend(both(here, |naming, ids, set| {
            let gpus = power_shell::argument_before_7_3(&device(ids)).unwrap_or_default();
            let text = line(naming, gpus, set, &image, program.trim_start_matches("& "));
            Form::new("gpus-powershell5", Dialect::WindowsPowerShell, naming, text)
        }));
    }
    let cmd_image = image(here).map_or_else(|| Some("IMAGE".to_owned()), cmd::argument);
    if let (Some(program), Some(image)) = (cmd_program(here), cmd_image) {
        forms.extend(both(here, |naming, ids, set| {
            let text = line(naming, format!("\"\\\"device={ids}\\\"\""), set, &image, &program);
            Form::new("gpus-cmd", Dialect::Cmd, naming, text)
        }));
    }
    forms
}

/// The words of the program as arguments for PowerShell 7.3 and newer; `None` where there are no such words.
fn power_shell_arguments(here: &Here<'_>) -> Option<String> {
    let words = here.words();
    // Without a word of its own an image starts what it likes.
    (!words.is_empty()).then(|| words.iter().map(|word| power_shell::word(word)).collect::<Vec<_>>().join(" "))
}

/// Forms of both namings; under WSL, where only variables choose, by UUID alone.
fn both(here: &Here<'_>, write: impl Fn(Naming, &str, &Set<'_>) -> Form) -> Vec<Form> {
    let forms =
        here.both(|naming, ids, set| write(naming, ids, set).label(here.named(naming)).holding(&placeholders(here)));
    let wsl = here.host.facts.is_wsl();
    forms.into_iter().filter(|form| !(wsl && form.naming == Naming::Index)).collect()
}

/// Why there is only one naming.
pub(super) fn why_one_naming(here: &Here<'_>) -> String {
    if here.host.facts.is_wsl() { here.text.wsl_no_index.to_owned() } else { here.why_by_uuid_alone() }
}

/// A note, with what is different under WSL.
pub(super) fn with_wsl(here: &Here<'_>, note: &str) -> String {
    if here.host.facts.is_wsl() { format!("{note} {}", here.text.wsl_note) } else { note.to_owned() }
}
