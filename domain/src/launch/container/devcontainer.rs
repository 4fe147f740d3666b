//! Dev containers. `runArgs` are arguments as they are: only JSON's own quotes are needed.

use super::docker::{device, why_one_naming, with_wsl};
use super::{IMAGE, cdi_names, image, variables};
use crate::launch::here::{Here, Set};
use crate::launch::quote::json;
use crate::launch::{Check, Command, Dialect, Form, Naming};

/// `devcontainer.json`.
pub(in crate::launch) fn devcontainer(here: &Here<'_>) -> Command {
    let text = here.text;
    let write = |key, naming, arguments: Vec<String>, set: &Set<'_>| {
        let held: &[&'static str] = if said(here).is_none() { &[IMAGE] } else { &[] };
        Form::new(key, Dialect::Json, naming, file(here, naming, &arguments, set))
            .file(".devcontainer/devcontainer.json")
            .holding(held)
    };
    let mut forms = here.both(|naming, ids, set| {
        write("gpus", naming, vec!["--gpus".to_owned(), device(ids)], set).label(here.named(naming))
    });
    forms.retain(|form| !(here.host.facts.is_wsl() && form.naming == Naming::Index));
    for set in here.sets() {
        let names = cdi_names(here, &set, Naming::Uuid);
        let arguments = names.into_iter().flat_map(|name| ["--device".to_owned(), name]).collect();
        forms.push(write("cdi", Naming::Uuid, arguments, &set).label("CDI").of(&set));
    }
    Command {
        id: "devcontainer",
        group: text.group_containers,
        title: "devcontainer",
        forms,
        reason: why_one_naming(here),
        note: here.note(with_wsl(here, text.devcontainer_note)),
        // In the terminal of the editor, which is inside.
        checks: here.sets().iter().map(|set| super::checked(here, set, str::to_owned)).collect::<Vec<Check>>(),
    }
}

/// The image; `${` would be the beginning of a variable, and nothing makes it plain.
fn said<'a>(here: &Here<'a>) -> Option<&'a str> {
    image(here).filter(|image| !image.contains("${"))
}

fn file(here: &Here<'_>, naming: Naming, arguments: &[String], set: &Set<'_>) -> String {
    let image = json::string(said(here).unwrap_or(IMAGE));
    let arguments: Vec<String> = arguments.iter().map(|argument| json::string(argument)).collect();
    let variables: Vec<String> = variables(here, set, naming)
        .iter()
        .map(|(name, value)| format!("{}: {}", json::string(name), json::string(value)))
        .collect();
    let environment = if variables.is_empty() {
        String::new()
    } else {
        format!(",\n  \"containerEnv\": {{{}}}", variables.join(", "))
    };
    format!("{{\n  \"image\": {image},\n  \"runArgs\": [{}]{environment}\n}}", arguments.join(", "))
}
