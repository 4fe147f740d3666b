//! Started in a container.

use super::here::{Here, Set};
use super::quote::posix::{single_quote, word};
use super::{Command, Dialect, Form, Naming};

/// Docker: by `--gpus`, and by CDI names.
///
/// Docker reads the value of `--gpus` as one CSV record, so a list of cards must reach it inside double quotes;
/// the single quotes around them are for the shell.
pub(super) fn docker(here: &Here<'_>) -> Command {
    let text = here.text;
    let rest = |here: &Here<'_>| format!("{} {}", image(here), here.program());
    let mut forms = here.both(|naming, ids, _| {
        let value = single_quote(&format!("\"device={ids}\""));
        Form::new("gpus", Dialect::Posix, naming, format!("docker run --gpus {value} \\\n  --rm -it {}", rest(here)))
            .label(here.named(naming))
            .holding(image_placeholder(here))
            .holding(here.program_placeholder())
    });
    for set in here.sets() {
        // One line and nothing to quote: shells that read neither `\` nor `'` as we do take it as well.
        let line = format!("docker run --rm -it{} {}", cdi_names(&set), rest(here));
        let form = Form::new("cdi", Dialect::AnyShell, Naming::Uuid, line).label("CDI").needs(text.cdi_needs).of(&set);
        forms.push(form.holding(image_placeholder(here)).holding(here.program_placeholder()));
    }
    Command {
        id: "docker",
        group: text.group_containers,
        title: "Docker",
        forms,
        reason: here.why_by_uuid_alone(),
        note: here.note(text.docker_note),
        checks: Vec::new(),
    }
}

fn cdi_names(set: &Set<'_>) -> String {
    set.cards.iter().map(|card| format!(" --device nvidia.com/gpu={}", card.uuid)).collect()
}

/// The image, quoted for shells.
fn image(here: &Here<'_>) -> String {
    here.plan.job.image.as_deref().map_or_else(|| "IMAGE".to_owned(), word)
}

fn image_placeholder(here: &Here<'_>) -> &'static [&'static str] {
    if here.plan.job.image.is_none() { &["IMAGE"] } else { &[] }
}
