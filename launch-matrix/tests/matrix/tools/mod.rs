//! Real tools, and what stands behind them: each is set up once, when it is needed first, and asked once for the same.

mod bus;
mod engine;
mod pod;
mod slurm;
mod sshd;

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use crate::case::Device;
use crate::stage::{Record, Stage, finish, said, tool};

pub use bus::Asked;
pub use pod::Pod;

/// What was asked before, and what came of it.
type Memo<T> = Mutex<HashMap<String, Result<T, String>>>;

#[derive(Default)]
pub struct Tools {
    engine: Mutex<Option<engine::Engine>>,
    containers: Memo<Vec<Value>>,
    pods: Memo<Pod>,
    sshd: Mutex<Option<Result<sshd::Server, String>>>,
    slurm: Mutex<Option<Result<slurm::Cluster, String>>>,
    jobs: Memo<slurm::Job>,
    read: Memo<String>,
}

/// A panic elsewhere has been told already.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The answer to something that was asked before, or a new one. Whoever asks meanwhile waits.
fn once<T: Clone>(memo: &Memo<T>, key: String, ask: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    let mut known = lock(memo);
    if let Some(answer) = known.get(&key) {
        return answer.clone();
    }
    let answer = ask();
    known.insert(key, answer.clone());
    answer
}

impl Tools {
    /// The bodies that the real Docker client sends to make the container of this call.
    pub fn docker(&self, stage: &Stage, argv: &[String]) -> Result<Vec<Value>, String> {
        once(&self.containers, format!("docker {argv:?}"), || {
            self.engine(|engine| {
                // `create` reads the same options as `run`, and does not ask for a terminal and a container's end.
                let argv: Vec<&str> = argv
                    .iter()
                    .enumerate()
                    .map(|(n, arg)| if n == 0 && arg == "run" { "create" } else { arg })
                    .collect();
                let mut process = tool(stage, "docker")?;
                process.args(argv).env("DOCKER_HOST", engine.address());
                let output = finish(&mut process)?;
                if output.status.success() { Ok(()) } else { Err(said(&output)) }
            })
        })
    }

    /// The bodies that Compose sends to make the containers of a file.
    pub fn compose(&self, stage: &Stage, version: Compose, text: &str) -> Result<Vec<Value>, String> {
        once(&self.containers, format!("{version:?} {text}"), || {
            self.engine(|engine| {
                let folder = stage.path("compose");
                drop(std::fs::remove_dir_all(&folder));
                std::fs::create_dir(&folder).map_err(|error| error.to_string())?;
                std::fs::write(folder.join("compose.yaml"), text).map_err(|error| error.to_string())?;
                let mut process = version.process(stage)?;
                process.current_dir(&folder).env("DOCKER_HOST", engine.address());
                process.args(["-f", "compose.yaml", "up", "--no-start"]);
                let output = finish(&mut process)?;
                if output.status.success() { Ok(()) } else { Err(said(&output)) }
            })
        })
    }

    fn engine(&self, run: impl FnOnce(&engine::Engine) -> Result<(), String>) -> Result<Vec<Value>, String> {
        let mut engine = lock(&self.engine);
        if engine.is_none() {
            *engine = Some(engine::Engine::start()?);
        }
        let Some(engine) = engine.as_ref() else { return Err("no engine".to_owned()) };
        engine.forget();
        run(engine)?;
        Ok(engine.created())
    }

    /// What the real podman hands to its runtime for this call, on this machine.
    pub fn podman(&self, stage: &Stage, machine: &[Device], image: &str, argv: &[String]) -> Result<Pod, String> {
        let cards: Vec<&str> = machine.iter().map(|card| card.uuid.as_str()).collect();
        once(&self.pods, format!("{cards:?} {argv:?}"), || pod::run(stage, machine, image, argv))
    }

    /// What the real ssh starts on a host whose account has this login shell.
    pub fn ssh(&self, stage: &Stage, shell: &str, argv: &[String]) -> Result<Vec<Record>, String> {
        let mut server = lock(&self.sshd);
        let server = server.get_or_insert_with(sshd::Server::start).as_ref().map_err(Clone::clone)?;
        server.run(stage, shell, argv)
    }

    /// What `systemd-run` asks of systemd.
    pub fn systemd_run(&self, stage: &Stage, argv: &[String]) -> Result<Asked, String> {
        bus::ask(stage, argv)
    }

    /// A job as a one-node Slurm took it and ran it.
    pub fn sbatch(
        &self,
        stage: &Stage,
        host: &str,
        argv: &[String],
        script: Option<&str>,
    ) -> Result<slurm::Job, String> {
        once(&self.jobs, format!("{host} {argv:?} {script:?}"), || {
            let mut cluster = lock(&self.slurm);
            let cluster = cluster.get_or_insert_with(|| slurm::Cluster::start(stage)).as_ref().map_err(Clone::clone)?;
            cluster.run(stage, argv, script)
        })
    }

    /// What a reader of files prints about one; asked once for each text.
    pub fn read(&self, key: &str, text: &str, ask: impl FnOnce() -> Result<String, String>) -> Result<String, String> {
        once(&self.read, format!("{key} {text}"), ask)
    }
}

/// Which Compose.
#[derive(Clone, Copy, Debug)]
pub enum Compose {
    /// In Go, as Docker ships it: `docker compose`.
    Two,
    /// In Python, as older distributions have it: `docker-compose`.
    One,
}

impl Compose {
    fn process(self, stage: &Stage) -> Result<std::process::Command, String> {
        let tools = crate::stage::tools().ok_or("run scripts/launch-tools")?;
        match self {
            Self::Two => {
                let lib = tools.join("python/lib");
                let found = std::fs::read_dir(&lib).into_iter().flatten().flatten();
                let file = found
                    .map(|entry| entry.path().join("site-packages/compose/docker-compose"))
                    .find(|file| file.is_file());
                Ok(stage.process(file.ok_or("Compose 2 is missing: run scripts/launch-tools")?))
            }
            Self::One => {
                let mut process = stage.process("/usr/bin/python3");
                process.env("PYTHONPATH", tools.join("usr/lib/python3/dist-packages"));
                process.arg(tools.join("usr/bin/docker-compose"));
                Ok(process)
            }
        }
    }
}
