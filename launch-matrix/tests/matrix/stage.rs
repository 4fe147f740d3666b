//! A folder in which a command is run: every program it may start is a recorder, and whatever a command leaves behind
//! is noticed.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use serde::Deserialize;

/// Programs that are recorders on every stage.
const PROGRAMS: [&str; 31] = [
    "python",
    "docker",
    "docker-compose",
    "podman",
    "nerdctl",
    "apptainer",
    "singularity",
    "berth",
    "ssh",
    "tmux",
    "systemd-run",
    "systemctl",
    "torchrun",
    "accelerate",
    "deepspeed",
    "lightning",
    "fabric",
    "vllm",
    "ollama",
    "llama-server",
    "llama-cli",
    "jupyter",
    "kubectl",
    "sbatch",
    "srun",
    "salloc",
    "nvidia-smi",
    "nvidia-ctk",
    "scontrol",
    "squeue",
    "sudo",
];

/// How long anything may take on a machine that is busy.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// One start of a program, as the recorder wrote it.
#[derive(Clone, Debug, Deserialize)]
pub struct Record {
    pub program: String,
    pub argv: Vec<String>,
    pub env: BTreeMap<String, String>,
}

impl Record {
    /// The program with its arguments.
    pub fn words(&self) -> Vec<String> {
        std::iter::once(&self.program).chain(&self.argv).cloned().collect()
    }
}

pub struct Stage {
    dir: tempfile::TempDir,
}

impl Stage {
    pub fn new() -> Self {
        // Not in a folder with blanks: the kernel ends the name of an interpreter at the first.
        let dir = tempfile::Builder::new().prefix("berth-matrix-").tempdir_in("/tmp").expect("a folder in /tmp");
        let stage = Self { dir };
        let recorder = stage.path("recorder");
        std::fs::copy(env!("CARGO_BIN_EXE_launch-recorder"), &recorder).expect("the recorder is copied");
        for folder in ["bin", "real", "home", "work", "tmux"] {
            std::fs::create_dir(stage.path(folder)).expect("a new folder");
        }
        // Other accounts run some of the programs.
        for folder in [".", "home", "work"] {
            std::fs::set_permissions(stage.path(folder), PermissionsExt::from_mode(0o755)).expect("mode");
        }
        for program in PROGRAMS {
            stage.program("bin", program, &format!("#!{}\n", recorder.display()));
        }
        // `berth env` prints lines for the shell that asks, with a value that has to arrive as it is.
        stage.program("real", "berth", &format!("#!{}\n", recorder.display()));
        let real = stage.path("real").join("berth").display().to_string();
        stage.program("bin", "berth", &include_str!("berth.sh").replace("RECORDER", &real));
        stage
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Writes a program into one of the stage's folders.
    pub fn program(&self, folder: &str, name: &str, text: &str) {
        let file = self.path(folder).join(name);
        std::fs::write(&file, text).expect("a script");
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o755)).expect("mode");
    }

    pub fn search_path(&self) -> String {
        format!("{}:/usr/local/bin:/usr/bin:/bin", self.path("bin").display())
    }

    /// A process with the stage's environment: somebody has set other cards before, which must not count.
    pub fn process(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut process = Command::new(program);
        process
            .env_clear()
            .env("PATH", self.search_path())
            .env("HOME", self.path("home"))
            .env("USER", "lena")
            .env("SHELL", "/bin/bash")
            .env("LC_ALL", "C.UTF-8")
            .env("TERM", "dumb")
            .env("TMUX_TMPDIR", self.path("tmux"))
            .env("XDG_RUNTIME_DIR", self.path("home"))
            .env("CUDA_VISIBLE_DEVICES", "0")
            .env("CUDA_DEVICE_ORDER", "FASTEST_FIRST")
            .current_dir(self.path("work"))
            .stdin(Stdio::null());
        process
    }

    /// Runs a text in a shell without anybody's start files.
    ///
    /// # Errors
    /// What the shell said, where it failed, and what the text left behind.
    pub fn shell(&self, shell: &str, text: &str) -> Result<Vec<Record>, String> {
        let plain: &[&str] = match shell {
            "bash" => &["--noprofile", "--norc", "-c"],
            "zsh" => &["-f", "-c"],
            "fish" => &["--no-config", "-c"],
            _ => &["-c"],
        };
        let mut process = self.process(shell);
        process.args(plain).arg(text);
        self.run(&mut process)
    }

    /// Runs a process to its end and reads what the recorders wrote meanwhile.
    ///
    /// # Errors
    /// As [`Stage::shell`].
    pub fn run(&self, process: &mut Command) -> Result<Vec<Record>, String> {
        self.forget();
        let output = finish(process)?;
        if !output.status.success() {
            return Err(format!("{}: {}", output.status, said(&output)));
        }
        self.clean()?;
        self.records()
    }

    /// Removes what was recorded so far.
    pub fn forget(&self) {
        // There may be nothing yet.
        drop(std::fs::remove_file(self.path("records")));
    }

    /// What the recorders wrote.
    pub fn records(&self) -> Result<Vec<Record>, String> {
        let Ok(text) = std::fs::read_to_string(self.path("records")) else { return Ok(Vec::new()) };
        text.lines().map(|line| serde_json::from_str(line).map_err(|error| format!("{error}: {line}"))).collect()
    }

    /// Waits until this many programs were started, by something that goes on by itself.
    pub fn wait_for(&self, count: usize) -> Result<Vec<Record>, String> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let records = self.records()?;
            if records.len() >= count {
                return Ok(records);
            }
            if Instant::now() > deadline {
                return Err(format!("{} of {count} programs were started", records.len()));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Fails, and tidies up, where a command wrote files: then something that a person typed was run.
    pub fn clean(&self) -> Result<(), String> {
        let mut left = Vec::new();
        for folder in ["work", "home"] {
            for entry in std::fs::read_dir(self.path(folder)).into_iter().flatten().flatten() {
                let name = entry.file_name().to_string_lossy().into_owned();
                if name.starts_with("PWNED") {
                    drop(std::fs::remove_file(entry.path()));
                    left.push(name);
                }
            }
        }
        if left.is_empty() { Ok(()) } else { Err(format!("what somebody typed was run: it left {}", left.join(", "))) }
    }
}

/// Runs a process with a limit to its time.
///
/// # Errors
/// That it does not start, or does not end.
pub fn finish(process: &mut Command) -> Result<Output, String> {
    let name = process.get_program().to_string_lossy().into_owned();
    process.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = process.spawn().map_err(|error| format!("{name}: {error}"))?;
    let id = child.id();
    let (ended, over) = std::sync::mpsc::channel::<()>();
    let watch = std::thread::spawn(move || {
        if over.recv_timeout(PATIENCE) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
            drop(Command::new("kill").arg(id.to_string()).status());
        }
    });
    drop(child.stdin.take());
    let output = child.wait_with_output().map_err(|error| format!("{name}: {error}"));
    drop(ended);
    drop(watch.join());
    output
}

/// The end of what a process said, in one line.
pub fn said(output: &Output) -> String {
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.chars().rev().take(400).collect::<Vec<_>>().into_iter().rev().collect()
}

/// Where a program is: in `PATH`, or where `scripts/launch-tools` unpacked it.
pub fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    folders.extend(["/usr/sbin", "/usr/lib/systemd", "/lib/systemd"].map(PathBuf::from));
    if let Some(tools) = tools() {
        for folder in ["usr/bin", "usr/sbin", "python/bin", "bin"] {
            folders.push(tools.join(folder));
        }
    }
    folders.into_iter().map(|folder| folder.join(program)).find(|file| file.is_file())
}

static TOOLS: OnceLock<PathBuf> = OnceLock::new();

/// Has `scripts/launch-tools` fetch what is missing. Takes minutes the first time, and a moment from then on.
///
/// # Errors
/// What the script said.
pub fn fetch_tools() -> Result<(), String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/launch-tools");
    let output = Command::new(script).stderr(Stdio::inherit()).output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(format!("scripts/launch-tools: {}", output.status));
    }
    // Somebody else cannot have set it: this is the first thing that the program does.
    drop(TOOLS.set(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim())));
    Ok(())
}

/// Where the tools are that were fetched.
pub fn tools() -> Option<PathBuf> {
    TOOLS.get().cloned()
}

/// A tool with the libraries that were unpacked beside it.
pub fn tool(stage: &Stage, program: &str) -> Result<Command, String> {
    let file = find(program).ok_or_else(|| format!("{program} is missing: run scripts/launch-tools"))?;
    let mut process = stage.process(&file);
    if let Some(tools) = tools().filter(|tools| file.starts_with(tools)) {
        process.env("LD_LIBRARY_PATH", libraries(&tools));
    }
    Ok(process)
}

/// Folders of the unpacked libraries.
pub fn libraries(tools: &Path) -> String {
    let base = tools.join("usr/lib");
    let mut folders: Vec<PathBuf> = std::fs::read_dir(&base)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().ends_with("-linux-gnu")))
        .collect();
    folders.extend(folders.clone().into_iter().map(|folder| folder.join("slurm-wlm")));
    folders.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(":")
}

/// Whether this runs as root.
pub fn is_root() -> bool {
    std::fs::read_to_string("/proc/self/status").is_ok_and(|status| status.contains("\nUid:\t0\t"))
}
