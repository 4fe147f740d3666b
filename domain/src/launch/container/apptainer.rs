//! Apptainer, once called Singularity.

use super::docker::with_wsl;
use super::{cdi_names, image_in, placeholders, prefix, rest, visible};
use crate::launch::here::{Here, Set};
use crate::launch::quote::posix::word;
use crate::launch::{Command, Dialect, Form, Naming, check};

/// What a variable's name begins with that is for the container.
const INTO: &str = "APPTAINERENV_";

/// `apptainer exec`.
pub(in crate::launch) fn apptainer(here: &Here<'_>) -> Command {
    let text = here.text;
    let mut forms = here.both(|naming, _, set| {
        let line = format!("{}\\\n  apptainer exec --nv {}", prefix(INTO, &visible(set, naming)), rest(here));
        Form::new("nv", Dialect::Posix, naming, line)
            .label(format!("--nv, {}", here.named(naming)))
            .holding(&placeholders(here))
    });
    // Under WSL nothing but variables chooses.
    if !here.host.facts.is_wsl() {
        forms.extend(here.both(|naming, ids, set| {
            let order = prefix(INTO, &inside(set, naming));
            let line = format!("NVIDIA_VISIBLE_DEVICES={ids} {order}\\\n  apptainer exec -uwc --nvccli {}", rest(here));
            Form::new("nvccli", Dialect::Posix, naming, line)
                .label(format!("--nvccli, {}", here.named(naming)))
                .needs(text.nvccli_needs)
                .holding(&placeholders(here))
        }));
        for set in here.sets() {
            let names = cdi_names(here, &set, Naming::Uuid).join(",");
            let order = prefix(INTO, &inside(&set, Naming::Uuid));
            let line = format!("{order}apptainer exec --device {names} {}", rest(here));
            let form =
                Form::new("cdi", Dialect::Posix, Naming::Uuid, line).label("CDI").needs(text.apptainer_cdi_needs);
            forms.push(form.of(&set).holding(&placeholders(here)));
        }
    }
    Command {
        id: "apptainer",
        group: text.group_containers,
        title: "Apptainer",
        forms,
        reason: here.why_by_uuid_alone(),
        note: here.note(with_wsl(here, text.apptainer_note)),
        checks: check::of_visible(here, |set, program| {
            let variables = prefix(INTO, &visible(set, Naming::Uuid));
            format!("{variables}apptainer exec --nv {} {program}", image_in(here, word))
        }),
    }
}

/// Variables of a container that has these cards alone, counted anew. Always both: Apptainer hands on those of the
/// terminal, and what they say there would count in the container too.
fn inside(set: &Set<'_>, naming: Naming) -> Vec<(&'static str, String)> {
    let mut variables = visible(set, Naming::Uuid);
    if naming == Naming::Index
        && let Some((_, ids)) = variables.last_mut()
    {
        *ids = set.places();
    }
    variables
}
