//! Started in a container.

use super::direct::{PROGRAM, note};
use super::{Command, Form, HostCards, Naming, both_namings, single_quote, visible_sets};
use crate::text::LaunchText;

/// Docker: by `--gpus`, and by CDI names.
///
/// Docker reads the value of `--gpus` as one CSV record, so a list of cards must reach it inside double quotes;
/// the single quotes around them are for the shell.
pub(super) fn docker(host: &HostCards, text: &LaunchText) -> Command {
    let gpus = |ids: &str| {
        let value = single_quote(&format!("\"device={ids}\""));
        format!("docker run --gpus {value} \\\n  --rm -it IMAGE {PROGRAM}")
    };
    let mut forms = both_namings(host, text, gpus);
    for set in visible_sets(&host.cards) {
        let devices: String = set.iter().map(|card| format!(" --device nvidia.com/gpu={}", card.uuid)).collect();
        forms.push(Form {
            naming: Naming::Uuid,
            label: "CDI".to_owned(),
            needs: text.cdi_needs.to_owned(),
            // One line and nothing to quote: shells that read neither `\` nor `'` as we do take it as well.
            text: format!("docker run --rm -it{devices} IMAGE {PROGRAM}"),
        });
    }
    Command {
        id: "docker",
        group: text.group_containers,
        title: "Docker",
        forms,
        note: note(host, text, text.docker_note.to_owned()),
    }
}
