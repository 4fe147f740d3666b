//! The real podman, with a specification of simulated cards as `nvidia-ctk cdi generate` would write one, and a runtime
//! behind it that keeps the container's configuration and starts nothing.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::case::Device;
use crate::stage::{Stage, finish, libraries, said, tools};

/// What podman tells its runtime.
#[derive(Clone, Debug)]
pub struct Pod {
    /// Cards that were put into the container, in the order in which that was asked for.
    pub given: Vec<String>,
    pub env: BTreeMap<String, String>,
    pub command: Vec<String>,
}

/// Runs it.
///
/// # Errors
/// What podman said, where it did not get as far as its runtime.
pub fn run(stage: &Stage, machine: &[Device], image: &str, argv: &[String]) -> Result<Pod, String> {
    let io = |error: std::io::Error| error.to_string();
    let tools = tools().ok_or("run scripts/launch-tools")?;
    let podman = crate::stage::find("podman").ok_or("podman is missing: run scripts/launch-tools")?;
    let dir = stage.path("pod");
    drop(std::fs::remove_dir_all(&dir));
    for folder in ["cdi", "root", "home/.config/containers"] {
        std::fs::create_dir_all(dir.join(folder)).map_err(io)?;
    }
    let write = |name: &str, text: String| std::fs::write(dir.join(name), text).map_err(io);
    write("cdi/nvidia.json", specification(machine))?;
    let helper = |name: &str| crate::stage::find(name).unwrap_or_else(|| tools.join("usr/bin").join(name));
    write(
        "containers.conf",
        format!(
            "[containers]\nnetns=\"none\"\n[engine]\nconmon_path=[\"{}\"]\ncgroup_manager=\"cgroupfs\"\nevents_logger=\"none\"\n\
             runtime=\"recorder\"\n[engine.runtimes]\nrecorder=[\"{}\"]\n[network]\nnetwork_backend=\"cni\"\n",
            helper("conmon").display(),
            dir.join("runtime").display()
        ),
    )?;
    write(
        "storage.conf",
        format!("[storage]\ndriver=\"vfs\"\ngraphroot=\"{0}/graph\"\nrunroot=\"{0}/state\"\n", dir.display()),
    )?;
    write("home/.config/containers/policy.json", "{\"default\":[{\"type\":\"insecureAcceptAnything\"}]}".to_owned())?;
    write(
        "runtime",
        format!(
            "#!/bin/sh\nlast=\nfor arg; do\n  [ \"$last\" = --bundle ] && cp \"$arg/config.json\" '{}/config.json'\n  last=$arg\ndone\nexit 1\n",
            dir.display()
        ),
    )?;
    std::fs::set_permissions(dir.join("runtime"), PermissionsExt::from_mode(0o755)).map_err(io)?;
    // An image of that name, with nothing in it.
    let start = format!(
        "set -e\nmount -t tmpfs none /run\nmkdir -p /run/cdi\ncp '{0}/cdi/nvidia.json' /run/cdi/\n\
         tar -C '{0}/root' -c . | '{1}' import -q - \"$IMAGE\" >/dev/null\nexec '{1}' \"$@\"\n",
        dir.display(),
        podman.display()
    );
    write("start", start)?;
    let mut process = stage.process("unshare");
    if !crate::stage::is_root() {
        process.arg("-r");
    }
    process.args(["-m", "--propagation", "private", "sh"]).arg(dir.join("start"));
    // Nobody sits at a terminal here, which podman would refuse for `-t`.
    process.args(argv.iter().filter(|arg| !matches!(arg.as_str(), "-it" | "-t" | "-i")));
    process.env("IMAGE", image).env("HOME", dir.join("home")).env("LD_LIBRARY_PATH", libraries(&tools));
    process
        .env("CONTAINERS_CONF", dir.join("containers.conf"))
        .env("CONTAINERS_STORAGE_CONF", dir.join("storage.conf"));
    let output = finish(&mut process)?;
    let config = std::fs::read_to_string(dir.join("config.json")).map_err(|_| format!("podman: {}", said(&output)))?;
    stage.clean()?;
    let config: Value = serde_json::from_str(&config).map_err(|error| error.to_string())?;
    drop(std::fs::remove_dir_all(&dir));
    Ok(read(&config))
}

fn read(config: &Value) -> Pod {
    let texts = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let said = texts(&config["process"]["env"]);
    let pairs = said.iter().filter_map(|said| said.split_once('='));
    Pod {
        given: pairs.clone().filter(|(name, _)| name.starts_with("GIVEN_")).map(|(_, uuid)| uuid.to_owned()).collect(),
        env: pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
        command: texts(&config["process"]["args"]),
    }
}

/// Each card by number and by UUID, as the toolkit names them; being put in shows in the container's environment.
fn specification(machine: &[Device]) -> String {
    let mut devices = Vec::new();
    let shown = |uuid: &str| format!("GIVEN_{}={uuid}", uuid.replace(|c: char| !c.is_ascii_alphanumeric(), "_"));
    let mut add = |name: String, uuids: &[String]| {
        let env: Vec<String> = uuids.iter().map(|uuid| shown(uuid)).collect();
        devices.push(serde_json::json!({ "name": name, "containerEdits": { "env": env } }));
    };
    add("all".to_owned(), &crate::cuda::every(machine));
    for card in machine {
        if card.parts.is_empty() {
            add(card.index.to_string(), std::slice::from_ref(&card.uuid));
            add(card.uuid.clone(), std::slice::from_ref(&card.uuid));
        }
        for (uuid, number) in &card.parts {
            add(format!("{}:{number}", card.index), std::slice::from_ref(uuid));
            add(uuid.clone(), std::slice::from_ref(uuid));
        }
    }
    serde_json::json!({ "cdiVersion": "0.5.0", "kind": "nvidia.com/gpu", "devices": devices }).to_string()
}
