//! Podman: by CDI names. Its `--gpus` means something else than Docker's.

use super::docker::{why_one_naming, with_wsl};
use super::{cdi_options, checks, image_in, options, placeholders, rest, rest_is_plain, variables};
use crate::launch::here::Here;
use crate::launch::quote::posix::word;
use crate::launch::{Command, Dialect, Form, Naming};

/// `podman run`.
pub(in crate::launch) fn podman(here: &Here<'_>) -> Command {
    let wsl = here.host.facts.is_wsl();
    let dialect = if rest_is_plain(here) { Dialect::AnyShell } else { Dialect::Posix };
    let forms = here.both(|naming, _, set| {
        let line = format!(
            "podman run --rm -it{} --security-opt=label=disable{} {}",
            cdi_options(here, set, naming),
            options(&variables(here, set, naming)),
            rest(here)
        );
        Form::new("cdi", dialect, naming, line)
            .label(here.named(naming))
            .needs(here.text.podman_needs)
            .holding(&placeholders(here))
    });
    Command {
        id: "podman",
        group: here.text.group_containers,
        title: "Podman",
        forms: forms.into_iter().filter(|form| !(wsl && form.naming == Naming::Index)).collect(),
        reason: why_one_naming(here),
        note: here.note(with_wsl(here, here.text.podman_note)),
        checks: checks(here, |set, program| {
            format!(
                "podman run --rm{} --security-opt=label=disable{} {} {program}",
                cdi_options(here, set, Naming::Uuid),
                options(&variables(here, set, Naming::Uuid)),
                image_in(here, word)
            )
        }),
    }
}
