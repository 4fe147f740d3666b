//! Containers: which cards the real clients ask their engine for.

use std::collections::BTreeMap;

use domain::launch::Form;
use serde_json::Value;

use super::{Bench, Proof, Run, only, started};
use crate::cuda;
use crate::stage::Record;
use crate::tools::Compose;

/// The line in each shell, then the real client with what it got.
pub fn docker(bench: &Bench<'_>, form: &Form) -> Vec<Run> {
    bench.in_shells(form, &bench.filled(form), |records| {
        let call = only(records)?;
        if call.program != "docker" {
            return Err(format!("{} was started", call.program));
        }
        by_docker(bench, &call.argv)
    })
}

/// nerdctl reads `--gpus` as Docker does, of which its source is a copy; so the Docker client stands in its place.
pub fn nerdctl(bench: &Bench<'_>, form: &Form) -> Vec<Run> {
    let mut runs = bench.in_shells(form, &bench.filled(form), |records| {
        let call = only(records)?;
        if call.program != "nerdctl" {
            return Err(format!("{} was started", call.program));
        }
        by_docker(bench, &call.argv)
    });
    for run in &mut runs {
        run.by.push_str(", Docker's reader");
    }
    runs.push(Run {
        by: "nerdctl".to_owned(),
        result: Ok(Proof::NotHere(
            "nerdctl is in none of Debian 12, PyPI, npm and crates.io; Docker's client reads its options in its place",
        )),
    });
    runs
}

/// Apptainer: what its variables and options say, by its documentation.
pub fn apptainer(bench: &Bench<'_>, form: &Form) -> Vec<Run> {
    let mut runs = bench.in_shells(form, &bench.filled(form), |records| in_apptainer(bench, only(records)?));
    for run in &mut runs {
        run.by.push_str(", by its rules");
    }
    runs.push(Run {
        by: "Apptainer".to_owned(),
        result: Ok(Proof::NotHere("Apptainer is in none of Debian, PyPI, npm and crates.io; a recorder reads its options by its documentation")),
    });
    runs
}

fn in_apptainer(bench: &Bench<'_>, call: &Record) -> Result<Proof, String> {
    let ["exec", rest @ ..] = &call.argv.iter().map(String::as_str).collect::<Vec<_>>()[..] else {
        return Err(format!("{:?}", call.words()));
    };
    let machine = &bench.case.machine;
    let all = cuda::every(machine);
    let named = |list: &str, before: &str| -> Result<Vec<String>, String> {
        let one = |id: &str| id.strip_prefix(before).and_then(|id| cuda::by_container_id(machine, id));
        list.split(',').map(|id| one(id).ok_or_else(|| format!("{id:?} in {list:?}"))).collect()
    };
    let (given, rest) = match rest {
        ["--nv", rest @ ..] => (all, rest),
        ["-uwc", "--nvccli", rest @ ..] => {
            let list = call.env.get("NVIDIA_VISIBLE_DEVICES").ok_or("NVIDIA_VISIBLE_DEVICES is not set")?;
            (named(list, "")?, rest)
        }
        ["--device", list, rest @ ..] => (named(list, "nvidia.com/gpu=")?, rest),
        other => return Err(format!("{other:?}")),
    };
    let [image, words @ ..] = rest else { return Err("no image".to_owned()) };
    if *image != bench.case.image() {
        return Err(format!("the image is {image:?}"));
    }
    // Variables of the host go in, but these have the last word.
    let mut env = call.env.clone();
    for (name, value) in &call.env {
        if let Some(name) = name.strip_prefix("APPTAINERENV_") {
            env.insert(name.to_owned(), value.to_owned());
        }
    }
    inside(bench, &given, &env, words.iter().map(|&word| word.to_owned()).collect())
}

/// `devcontainer.json`: its arguments, handed to the real Docker client.
pub fn devcontainer(bench: &Bench<'_>, form: &Form) -> Vec<Run> {
    let result = (|| {
        let file: Value = serde_json::from_str(&bench.filled(form)).map_err(|error| error.to_string())?;
        let mut argv = vec!["run".to_owned()];
        let arguments = file["runArgs"].as_array().into_iter().flatten();
        argv.extend(arguments.filter_map(Value::as_str).map(str::to_owned));
        for (name, value) in file["containerEnv"].as_object().into_iter().flatten() {
            argv.extend(["-e".to_owned(), format!("{name}={}", value.as_str().unwrap_or_default())]);
        }
        // A word that cannot be made plain stays a placeholder.
        let image = file["image"].as_str().unwrap_or_default();
        argv.push(image.to_owned());
        argv.extend(bench.case.program.clone());
        by_docker(bench, &argv)
    })();
    vec![
        Run { by: "JSON, Docker".to_owned(), result },
        Run {
            by: "editor".to_owned(),
            result: Ok(Proof::NotHere(
                "no editor with dev containers is run; its file is read as JSON and its arguments by Docker's client",
            )),
        },
    ]
}

/// A file of Compose, in both.
pub fn compose(bench: &Bench<'_>, form: &Form) -> Vec<Run> {
    let text = bench.filled(form);
    let run = |(by, version): &(&str, Compose)| Run {
        by: (*by).to_owned(),
        result: match bench.tools.compose(bench.stage, *version, &text) {
            Ok(bodies) => created(bench, &bodies),
            Err(said) => Err(said),
        },
    };
    [("Compose 2", Compose::Two), ("Compose 1", Compose::One)].iter().map(run).collect()
}

/// The line in each shell, then the real podman with what it got.
pub fn podman(bench: &Bench<'_>, form: &Form) -> Vec<Run> {
    bench.in_shells(form, &bench.filled(form), |records| {
        let call = only(records)?;
        if call.program != "podman" {
            return Err(format!("{} was started", call.program));
        }
        let ask = |image: &str, argv: &[String]| {
            let pod = bench.tools.podman(bench.stage, &bench.case.machine, image, argv)?;
            inside(bench, &pod.given, &pod.env, pod.command)
        };
        let image = bench.case.image();
        ask(&image, &call.argv)
            .or_else(|said| with_another_image(bench, &call.argv, said, |argv| ask(ANOTHER_IMAGE, argv)))
    })
}

/// A container with these cards and variables.
fn inside(
    bench: &Bench<'_>,
    given: &[String],
    env: &BTreeMap<String, String>,
    words: Vec<String>,
) -> Result<Proof, String> {
    // Docker Desktop and WSL put in every card, whatever was asked for.
    let all = cuda::every(&bench.case.machine);
    let given = if bench.case.is_wsl() { &all } else { given };
    Ok(started(cuda::in_container(&bench.case.machine, given, env)?, words))
}

/// The container that an engine was asked to create.
fn created(bench: &Bench<'_>, bodies: &[Value]) -> Result<Proof, String> {
    created_of(bench, bodies, &bench.case.image())
}

/// The same, of an image that is a part of the form.
pub fn created_of(bench: &Bench<'_>, bodies: &[Value], wanted: &str) -> Result<Proof, String> {
    let [body] = bodies else { return Err(format!("{} containers are created", bodies.len())) };
    let image = body["Image"].as_str().unwrap_or_default();
    if image != wanted {
        return Err(format!("the image is {image:?}"));
    }
    if body["HostConfig"]["Privileged"].as_bool() == Some(true) {
        return Err("the container is privileged: it sees every card".to_owned());
    }
    let texts = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let said = texts(&body["Env"]);
    let env: BTreeMap<String, String> = said
        .iter()
        .filter_map(|said| said.split_once('='))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let requests = body["HostConfig"]["DeviceRequests"].as_array().cloned().unwrap_or_default();
    let given = match requests.as_slice() {
        [] => given_by_variable(bench, body, &env)?,
        [one] => requested(bench, one)?,
        more => return Err(format!("{} requests for devices: each would count by itself", more.len())),
    };
    inside(bench, &given, &env, texts(&body["Cmd"]))
}

/// What one of `DeviceRequests` asks for, by the rules of the engine.
fn requested(bench: &Bench<'_>, request: &Value) -> Result<Vec<String>, String> {
    let ids: Vec<&str> = request["DeviceIDs"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let cdi = request["Driver"] == "cdi";
    if !cdi {
        if request["Count"].as_i64().unwrap_or(0) != 0 {
            return Err(format!("a count of cards, so the first ones whoever booked them: {request}"));
        }
        let gpu = request["Capabilities"]
            .as_array()
            .into_iter()
            .flatten()
            .any(|all| all.as_array().is_some_and(|all| all.iter().any(|one| one == "gpu")));
        if !gpu {
            return Err(format!("no capability gpu: {request}"));
        }
    }
    if ids.is_empty() {
        return Err(format!("no card is named: {request}"));
    }
    let one = |id: &&str| {
        let id = if cdi { id.strip_prefix("nvidia.com/gpu=").unwrap_or("") } else { id };
        cuda::by_container_id(&bench.case.machine, id).ok_or_else(|| format!("{id:?} is no card: {request}"))
    };
    if cdi && ids == ["nvidia.com/gpu=all"] {
        return Ok(cuda::every(&bench.case.machine));
    }
    ids.iter().map(one).collect()
}

/// By `NVIDIA_VISIBLE_DEVICES`, which NVIDIA's runtime reads.
fn given_by_variable(bench: &Bench<'_>, body: &Value, env: &BTreeMap<String, String>) -> Result<Vec<String>, String> {
    let Some(list) = env.get("NVIDIA_VISIBLE_DEVICES") else { return Err("no card is asked for".to_owned()) };
    if body["HostConfig"]["Runtime"] != "nvidia" {
        return Err("NVIDIA_VISIBLE_DEVICES without --runtime=nvidia".to_owned());
    }
    let one = |id: &str| cuda::by_container_id(&bench.case.machine, id).ok_or_else(|| format!("{id:?} in {list:?}"));
    list.split(',').map(one).collect()
}

/// A client that refuses an image only for its name has read the line all the same: the same arguments are given to it
/// once more with another image, as long as that name was one argument and stood where an image belongs.
fn with_another_image(
    bench: &Bench<'_>,
    argv: &[String],
    said: String,
    again: impl Fn(&[String]) -> Result<Proof, String>,
) -> Result<Proof, String> {
    let image = bench.case.image();
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '/' | ':' | '.' | '-' | '_');
    let about_it = said.contains("invalid reference format") || said.contains("repository name");
    match argv.iter().position(|arg| *arg == image) {
        Some(at) if !image.chars().all(plain) && about_it && argv[at + 1..] == bench.case.program => {
            let mut argv = argv.to_vec();
            argv[at] = ANOTHER_IMAGE.to_owned();
            again(&argv)
        }
        _ => Err(said),
    }
}

/// An image that every client takes.
const ANOTHER_IMAGE: &str = "lab/another:1";

/// What the real Docker client makes of these arguments.
pub fn by_docker(bench: &Bench<'_>, argv: &[String]) -> Result<Proof, String> {
    match bench.tools.docker(bench.stage, argv) {
        Ok(bodies) => created(bench, &bodies),
        Err(said) => with_another_image(bench, argv, said, |argv| {
            created_of(bench, &bench.tools.docker(bench.stage, argv)?, ANOTHER_IMAGE)
        }),
    }
}
