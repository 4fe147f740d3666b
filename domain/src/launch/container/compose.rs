//! Docker Compose. YAML is no shell: the list of cards needs no quotes around its commas.

use super::docker::{why_one_naming, with_wsl};
use super::{checks, image_in, placeholders, variables};
use crate::launch::here::{Here, Set};
use crate::launch::quote::yaml;
use crate::launch::{Command, Dialect, Form, Naming};

/// `compose.yaml`.
pub(in crate::launch) fn compose(here: &Here<'_>) -> Command {
    let wsl = here.host.facts.is_wsl();
    let forms = here.both(|naming, ids, set| {
        Form::new("compose", Dialect::Yaml, naming, file(here, naming, ids, set))
            .label(here.named(naming))
            .file("compose.yaml")
            .holding(&placeholders(here))
    });
    Command {
        id: "compose",
        group: here.text.group_containers,
        title: "Compose",
        forms: forms.into_iter().filter(|form| !(wsl && form.naming == Naming::Index)).collect(),
        reason: why_one_naming(here),
        note: here.note(with_wsl(here, here.text.compose_note)),
        checks: checks(here, |set, program| format!("docker compose run --rm {} {program}", service(here, set))),
    }
}

fn file(here: &Here<'_>, naming: Naming, ids: &str, set: &Set<'_>) -> String {
    let list = |words: Vec<String>| words.iter().map(|word| yaml::compose_string(word)).collect::<Vec<_>>().join(", ");
    let variables: String = variables(here, set, naming)
        .iter()
        .map(|(name, value)| format!("      {name}: {}\n", yaml::compose_string(value)))
        .collect();
    let environment = if variables.is_empty() { String::new() } else { format!("    environment:\n{variables}") };
    format!(
        "services:\n  {}:\n    image: {}\n    command: [{}]\n{environment}    deploy:\n      resources:\n        \
         reservations:\n          devices:\n            - driver: nvidia\n              device_ids: [{}]\n              \
         capabilities: [gpu]",
        service(here, set),
        image_in(here, yaml::compose_string),
        list(here.words()),
        list(ids.split(',').map(str::to_owned).collect())
    )
}

/// A key that YAML reads as nothing but text.
fn service(here: &Here<'_>, set: &Set<'_>) -> String {
    format!("job{}", here.suffix(set))
}
