//! Slurm's own controller, alone: it knows hosts and how many cards they have, takes or refuses jobs, and starts none,
//! since no daemon runs on the hosts. What a job would start is the script that the controller kept.

use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::Instant;

use crate::stage::{PATIENCE, Stage, finish, said, tool, tools};

/// Hosts of all cases, each with as many cards as the largest has.
const HOSTS: &str = "rig,rig-a,rig-b";
const CARDS: u32 = 16;

/// A job as Slurm took it.
#[derive(Clone, Debug, Default)]
pub struct Job {
    /// Cards that it asked for.
    pub cards: usize,
    /// Hosts that it asked for.
    pub hosts: String,
    /// What it starts.
    pub words: Vec<String>,
}

pub struct Cluster {
    dir: tempfile::TempDir,
    controller: Child,
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.controller.kill());
        drop(self.controller.wait());
    }
}

impl Cluster {
    /// # Errors
    /// Slurm is missing, or does not start.
    pub fn start(stage: &Stage) -> Result<Self, String> {
        let io = |error: std::io::Error| error.to_string();
        let dir = tempfile::Builder::new().prefix("berth-slurm-").tempdir_in("/tmp").map_err(io)?;
        std::fs::create_dir(dir.path().join("state")).map_err(io)?;
        // Asked for and given back, so that it is free a moment later.
        let port =
            std::net::TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).map_err(io)?.port();
        let owner = finish(std::process::Command::new("id").arg("-un"))?;
        let config = format!(
            "ClusterName=matrix\nSlurmctldHost=localhost(127.0.0.1)\nSlurmctldPort={port}\nSlurmdPort=1\n\
             AuthType=auth/none\nCredType=cred/none\nSlurmUser={}\nStateSaveLocation={1}/state\n\
             SlurmctldPidFile={1}/pid\nSlurmdSpoolDir={1}/spool\nPluginDir={2}\nProctrackType=proctrack/linuxproc\n\
             TaskPlugin=task/none\nMpiDefault=none\nGresTypes=gpu\nSelectType=select/cons_tres\n\
             SelectTypeParameters=CR_Core\nMailProg=/bin/true\nNodeName={HOSTS} NodeAddr=127.0.0.1 CPUs=8 State=UNKNOWN\n\
             PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n",
            String::from_utf8_lossy(&owner.stdout).trim(),
            dir.path().display(),
            plugins()?.display()
        );
        std::fs::write(dir.path().join("slurm.conf"), config).map_err(io)?;
        std::fs::write(dir.path().join("cgroup.conf"), "CgroupAutomount=no\n").map_err(io)?;
        let log = std::fs::File::create(dir.path().join("log")).map_err(io)?;
        let mut process = tool(stage, "slurmctld-wlm").or_else(|_| tool(stage, "slurmctld"))?;
        process.args(["-D", "-c"]).env("SLURM_CONF", dir.path().join("slurm.conf"));
        let controller = process.stdout(Stdio::null()).stderr(log).spawn().map_err(io)?;
        let mut cluster = Self { dir, controller };
        cluster.wait(stage)?;
        // Said to the controller, since no host is there to report its cards.
        cluster.call(stage, "scontrol", &["update", &format!("NodeName={HOSTS}"), &format!("Gres=gpu:{CARDS}")])?;
        Ok(cluster)
    }

    fn wait(&mut self, stage: &Stage) -> Result<(), String> {
        let deadline = Instant::now() + PATIENCE;
        while self.call(stage, "scontrol", &["show", "node", "rig"]).is_err() {
            let ended = self.controller.try_wait().is_ok_and(|ended| ended.is_some());
            if ended || Instant::now() > deadline {
                let log = std::fs::read_to_string(self.dir.path().join("log")).unwrap_or_default();
                return Err(format!(
                    "slurmctld does not answer: {}",
                    log.split_whitespace().collect::<Vec<_>>().join(" ")
                ));
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        Ok(())
    }

    /// Runs one of Slurm's real programs.
    fn call(&self, stage: &Stage, program: &str, args: &[&str]) -> Result<String, String> {
        let mut process = tool(stage, program)?;
        let output = finish(process.args(args).env("SLURM_CONF", self.dir.path().join("slurm.conf")))?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        Err(format!("{program}: {}", said(&output)))
    }

    /// Hands a job to the real `sbatch`: as a line, or as a script of this name.
    ///
    /// # Errors
    /// What Slurm said.
    pub fn run(&self, stage: &Stage, argv: &[String], script: Option<&str>) -> Result<Job, String> {
        let mut args: Vec<&str> = argv.iter().map(String::as_str).collect();
        let file: String;
        if let (Some(text), [name]) = (script, argv) {
            let path = self.dir.path().join(name);
            std::fs::write(&path, format!("{text}\n")).map_err(|error| error.to_string())?;
            file = path.display().to_string();
            args = vec![&file];
        }
        let taken = self.call(stage, "sbatch", &args)?;
        let id = taken.split_whitespace().last().unwrap_or_default().to_owned();
        let shown = self.call(stage, "scontrol", &["show", "job", &id]);
        let kept = self.call(stage, "scontrol", &["write", "batch_script", &id, "-"]);
        self.call(stage, "scancel", &[&id])?;
        let (shown, kept) = (shown?, kept?);
        let field =
            |name: &str| shown.split_whitespace().find_map(|field| field.strip_prefix(name)).unwrap_or_default();
        let cards = field("TresPerNode=").rsplit(':').next().and_then(|count| count.parse().ok()).unwrap_or(0);
        let file = self.dir.path().join("kept");
        std::fs::write(&file, kept).map_err(|error| error.to_string())?;
        let records = stage.run(stage.process("bash").arg("--noprofile").arg("--norc").arg(&file))?;
        let [record] = records.as_slice() else { return Err(format!("the job starts {} programs", records.len())) };
        Ok(Job { cards, hosts: field("ReqNodeList=").to_owned(), words: record.words() })
    }
}

fn plugins() -> Result<PathBuf, String> {
    let bases = [tools().map(|tools| tools.join("usr/lib")), Some(PathBuf::from("/usr/lib"))];
    let folders = bases.into_iter().flatten().filter_map(|base| std::fs::read_dir(base).ok()).flatten().flatten();
    let found = folders.map(|entry| entry.path().join("slurm-wlm")).find(|folder| folder.is_dir());
    found.ok_or_else(|| "Slurm is missing: run scripts/launch-tools".to_owned())
}
