//! Kubernetes, as kubectl and the schemas of its own interface read it, and Slurm.

use std::collections::BTreeMap;

use domain::launch::Form;
use serde_json::Value;

use super::{Bench, Proof, Run, Seen, Started, only, started};
use crate::cuda;
use crate::stage::{finish, said, tools};

/// A pod that asks for a number of cards of a host.
pub fn pod(bench: &Bench<'_>, form: &Form) -> Vec<Run> {
    let result = read(bench, form).and_then(|documents| {
        let [pod] = documents.as_slice() else { return Err(format!("{} documents", documents.len())) };
        let host = &pod["spec"]["nodeSelector"]["kubernetes.io/hostname"];
        if host != bench.case.host_name() {
            return Err(format!("the host is {host}"));
        }
        let limits = pod["spec"]["containers"][0]["resources"]["limits"].as_object().cloned().unwrap_or_default();
        let mut whole = 0;
        let mut parts = 0;
        for (name, count) in &limits {
            let count = count.as_u64().or_else(|| count.as_str()?.parse().ok()).unwrap_or(0);
            match name.as_str() {
                "nvidia.com/gpu" => whole += count,
                "nvidia.com/mig-3g.40gb" => parts += count,
                other => return Err(format!("asks for {other}")),
            }
        }
        let booked = |start: &str| bench.case.booked.iter().filter(|uuid| uuid.starts_with(start)).count() as u64;
        if (whole, parts) != (booked("GPU-"), booked("MIG-")) {
            return Err(format!("asks for {whole} cards and {parts} instances"));
        }
        let words = command(bench, pod)?;
        let count = usize::try_from(whole + parts).unwrap_or(0);
        Ok(Proof::Starts(vec![Started { seen: Seen::Count(count), words }]))
    });
    vec![Run { by: "kubectl, schema".to_owned(), result }]
}

/// A claim on cards by UUID, and a pod that uses it.
pub fn claim(bench: &Bench<'_>, form: &Form) -> Vec<Run> {
    let result = read(bench, form).and_then(|documents| {
        let [claim, pod] = documents.as_slice() else { return Err(format!("{} documents", documents.len())) };
        let named = &claim["metadata"]["name"];
        let used = &pod["spec"]["resourceClaims"][0];
        let given = &pod["spec"]["containers"][0]["resources"]["claims"][0]["name"];
        if named != &used["resourceClaimName"] || &used["name"] != given || !named.is_string() {
            return Err(format!("the pod uses {used}, its container {given}, and the claim is {named}"));
        }
        let requests = claim["spec"]["devices"]["requests"].as_array().cloned().unwrap_or_default();
        let mut cards = Vec::new();
        for request in &requests {
            let exactly = &request["exactly"];
            let rules: Vec<&str> = exactly["selectors"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|one| one["cel"]["expression"].as_str())
                .collect();
            let fits = chosen(bench, exactly["deviceClassName"].as_str().unwrap_or_default(), &rules)?;
            let [one] = fits.as_slice() else { return Err(format!("{rules:?} fit {} cards", fits.len())) };
            cards.push(one.clone());
        }
        let words = command(bench, pod)?;
        let env = environment(pod);
        let inside = cuda::in_container(&bench.case.machine, &cards, &env)?;
        Ok(started(inside, words))
    });
    vec![Run { by: "kubectl, schema, CEL".to_owned(), result }]
}

/// The documents of a file as kubectl reads them, each right by the strict schema of its kind.
fn read(bench: &Bench<'_>, form: &Form) -> Result<Vec<Value>, String> {
    let text = bench.filled(form);
    let printed = bench.tools.read("kubernetes", &text, || {
        let tools = tools().ok_or("run scripts/launch-tools")?;
        let file = bench.stage.path("manifest.yaml");
        std::fs::write(&file, format!("{text}\n")).map_err(|error| error.to_string())?;
        let mut process = bench.stage.process(tools.join("python/bin/python"));
        process
            .arg("-c")
            .arg(include_str!("../fakes/read_manifest.py"))
            .arg(&file)
            .arg(tools.join("python/bin/kubectl"));
        let output = finish(&mut process)?;
        if output.status.success() {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        } else {
            Err(said(&output))
        }
    })?;
    serde_json::from_str(&printed).map_err(|error| format!("{error}: {printed}"))
}

/// Devices of a class that all rules of CEL fit, as NVIDIA's driver would publish them.
fn chosen(bench: &Bench<'_>, class: &str, rules: &[&str]) -> Result<Vec<String>, String> {
    let whole = bench.case.machine.iter().filter(|card| card.parts.is_empty()).map(|card| card.uuid.clone());
    let parts = bench.case.machine.iter().flat_map(|card| card.parts.iter().map(|(uuid, _)| uuid.clone()));
    let devices: Vec<String> = match class {
        "gpu.nvidia.com" => whole.collect(),
        "mig.nvidia.com" => parts.collect(),
        other => return Err(format!("no such class of devices: {other:?}")),
    };
    let asked = serde_json::json!({ "devices": devices, "rules": rules }).to_string();
    let printed = bench.tools.read("cel", &asked, || {
        let mut process = bench.stage.process(tools().ok_or("run scripts/launch-tools")?.join("python/bin/python"));
        process.arg("-c").arg(include_str!("../fakes/cel_devices.py")).arg(&asked);
        let output = finish(&mut process)?;
        if output.status.success() {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        } else {
            Err(said(&output))
        }
    })?;
    serde_json::from_str(&printed).map_err(|error| format!("{error}: {printed}"))
}

fn environment(pod: &Value) -> BTreeMap<String, String> {
    let all = pod["spec"]["containers"][0]["env"].as_array().into_iter().flatten();
    all.filter_map(|one| Some((one["name"].as_str()?.to_owned(), one["value"].as_str()?.to_owned()))).collect()
}

/// What the container starts, after the kubelet has put variables in.
fn command(bench: &Bench<'_>, pod: &Value) -> Result<Vec<String>, String> {
    let container = &pod["spec"]["containers"][0];
    if container["image"] != bench.case.image() {
        return Err(format!("the image is {}", container["image"]));
    }
    let words = container["command"].as_array().into_iter().flatten().filter_map(Value::as_str);
    Ok(words.map(expanded).collect())
}

/// The kubelet's `$(NAME)`: `$$` is one `$`, and a `$` before anything else stays.
fn expanded(word: &str) -> String {
    let mut out = String::new();
    let mut chars = word.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '$' {
            out.push(c);
            continue;
        }
        match chars.peek().copied() {
            Some('$') => {
                chars.next();
                out.push('$');
            }
            Some('(') if chars.clone().any(|c| c == ')') => {
                let name: String = chars.by_ref().skip(1).take_while(|&c| c != ')').collect();
                out.push_str(&format!("<the value of {name}>"));
            }
            _ => out.push('$'),
        }
    }
    out
}

/// `sbatch`, taken by a Slurm that knows the host and its cards.
pub fn sbatch(bench: &Bench<'_>, form: &Form) -> Vec<Run> {
    bench.in_shells(form, &bench.filled(form), |records| {
        let call = only(records)?;
        if call.program != "sbatch" {
            return Err(format!("{} was started", call.program));
        }
        job(bench, &call.argv, None)
    })
}

/// A script for it.
pub fn script(bench: &Bench<'_>, form: &Form) -> Vec<Run> {
    let named = form.file.as_deref().unwrap_or("job.sh").to_owned();
    vec![Run { by: "sbatch".to_owned(), result: job(bench, &[named], Some(&bench.filled(form))) }]
}

fn job(bench: &Bench<'_>, argv: &[String], script: Option<&str>) -> Result<Proof, String> {
    let case = bench.case;
    let job = match bench.tools.sbatch(bench.stage, case.host_name(), argv, script) {
        Ok(job) => job,
        // Slurm has no host of such a name, and so has taken nothing.
        Err(said) if case.name == "bad host" && said.contains("Invalid node name") => return Ok(Proof::Refused),
        Err(said) => return Err(said),
    };
    if job.hosts != case.host_name() {
        return Err(format!("the job asks for host {:?}", job.hosts));
    }
    Ok(Proof::Starts(vec![Started { seen: Seen::Count(job.cards), words: job.words }]))
}
