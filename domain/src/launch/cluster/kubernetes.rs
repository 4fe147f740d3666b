//! Kubernetes: by number, which cannot name a card; and by a claim on UUIDs.

use std::collections::BTreeMap;

use crate::launch::container::{image_in, placeholders, variables};
use crate::launch::here::{Here, Set};
use crate::launch::quote::yaml;
use crate::launch::{Check, Command, Dialect, Form, Naming};

/// A pod that asks for so many cards of the host.
pub(in crate::launch) fn count(here: &Here<'_>) -> Command {
    let text = here.text;
    let name = here.job_name();
    let limits: String = resources(here).iter().map(|(name, count)| format!("          {name}: {count}\n")).collect();
    let resources = format!("      resources:\n        limits:\n{limits}");
    let pod = format!("{}{}{resources}", head(here, &name, true), container(here, &[]));
    let form = Form::new("pod", Dialect::Yaml, Naming::Count, pod.trim_end().to_owned())
        .file(format!("{name}.yaml"))
        .holding(&placeholders(here));
    // An instance's line stands below that of its card, which may be any.
    let (kind, seen) = match here.host.cards.iter().filter(|card| card.uuid.is_mig()).count() {
        0 => ("GPU", here.host.cards.len()),
        instances => ("MIG", instances),
    };
    Command {
        id: "kubernetes",
        group: text.group_schedulers,
        title: "Kubernetes",
        forms: vec![form],
        reason: text.kubernetes_reason.to_owned(),
        note: here.shared_note((text.kubernetes_note)(&name)),
        checks: vec![Check {
            text: format!("kubectl exec {name} -- sh -c 'nvidia-smi -L | grep -c \"UUID: {kind}-\"'"),
            expected: seen.to_string(),
        }],
    }
}

/// Names of resources and how many of each: `nvidia.com/gpu`, or `nvidia.com/mig-3g.40gb` for instances.
fn resources(here: &Here<'_>) -> BTreeMap<String, usize> {
    let mut resources = BTreeMap::new();
    for card in &here.host.cards {
        let profile = card.model.rsplit_once("MIG ").map(|(_, profile)| profile).filter(|_| card.uuid.is_mig());
        // A profile may have a `+`, which no name of a resource has.
        let plain = |profile: &&str| profile.chars().all(|c| c.is_ascii_alphanumeric() || ".+".contains(c));
        let name = match profile.filter(plain) {
            Some(profile) => format!("nvidia.com/mig-{}", profile.replace('+', ".")),
            None => "nvidia.com/gpu".to_owned(),
        };
        *resources.entry(name).or_insert(0) += 1;
    }
    resources
}

/// A claim on exactly these cards, and a pod with it.
pub(in crate::launch) fn dra(here: &Here<'_>) -> Command {
    let text = here.text;
    let form = |set: &Set<'_>| {
        let name = here.name_of(set);
        let pod = format!(
            "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata:\n  name: {}\nspec:\n  devices:\n    \
             requests:\n{}---\n{}  resourceClaims:\n    - name: cards\n      resourceClaimName: {}\n{}      \
             resources:\n        claims:\n          - name: cards",
            yaml::string(&name),
            requests(set),
            head(here, &name, false),
            yaml::string(&name),
            container(here, &variables(here, set, Naming::Uuid))
        );
        Form::new("claim", Dialect::Yaml, Naming::Uuid, pod)
            .label(text.by_uuid)
            .needs(text.dra_needs)
            .file(format!("{name}.yaml"))
            .of(set)
            .holding(&placeholders(here))
    };
    let check = |set: &Set<'_>| {
        let name = here.name_of(set);
        crate::launch::container::checked(here, set, |program| format!("kubectl exec {name} -- {program}"))
    };
    Command {
        id: "kubernetes_dra",
        group: text.group_schedulers,
        title: "Kubernetes DRA",
        forms: here.sets().iter().map(form).collect(),
        reason: text.dra_reason.to_owned(),
        note: here.note((text.dra_note)(&here.job_name())),
        checks: here.sets().iter().map(check).collect(),
    }
}

/// One request for each card, so that each is given.
fn requests(set: &Set<'_>) -> String {
    let request = |(place, card): (usize, &&crate::launch::LaunchCard)| {
        let class = if card.uuid.is_mig() { "mig.nvidia.com" } else { "gpu.nvidia.com" };
        format!(
            "      - name: card-{place}\n        exactly:\n          deviceClassName: {class}\n          selectors:\n            \
             - cel:\n                expression: 'device.attributes[\"gpu.nvidia.com\"].uuid == \"{}\"'\n",
            card.uuid
        )
    };
    set.cards.iter().enumerate().map(request).collect()
}

/// The pod down to its containers. A claim leads to the right host by itself.
fn head(here: &Here<'_>, name: &str, on_host: bool) -> String {
    let host = if on_host {
        format!("  nodeSelector:\n    kubernetes.io/hostname: {}\n", yaml::string(&here.host.host_name))
    } else {
        String::new()
    };
    format!(
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: {}\nspec:\n  restartPolicy: Never\n{host}",
        yaml::string(name)
    )
}

/// The container, with what it needs beside the order of the bus.
fn container(here: &Here<'_>, variables: &[(&str, String)]) -> String {
    let words: Vec<String> = here.words().iter().map(|word| yaml::pod_string(word)).collect();
    let visible = variables.iter().filter(|(name, _)| *name == "CUDA_VISIBLE_DEVICES");
    let more: String = visible
        .map(|(name, ids)| format!("        - name: {name}\n          value: {}\n", yaml::string(ids)))
        .collect();
    format!(
        "  containers:\n    - name: job\n      image: {}\n      command: [{}]\n      env:\n        - name: \
         CUDA_DEVICE_ORDER\n          value: PCI_BUS_ID\n{more}",
        image_in(here, yaml::string),
        words.join(", ")
    )
}
