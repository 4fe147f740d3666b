//! `berth-server` as a process of its own.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::actor::Actor;
use super::portal::{account, sign_in};
use super::{PATIENCE, until};

/// A running program, and what it has said so far.
pub struct Program {
    child: Child,
    said: Arc<Mutex<String>>,
    readers: Vec<JoinHandle<()>>,
}

/// How a program ended.
pub struct Ended {
    /// Its exit status.
    pub status: ExitStatus,
    /// Everything that it wrote to standard error and output.
    pub said: String,
}

impl Ended {
    /// The program refused to go on with this code, and said so in plain words.
    pub fn refused(&self, code: i32, words: &[&str]) {
        assert_eq!(self.status.code(), Some(code), "{}", self.said);
        for word in words {
            assert!(self.said.contains(word), "no `{word}` in: {}", self.said);
        }
        assert!(!self.said.contains("panicked") && !self.said.contains("stack backtrace"), "{}", self.said);
    }
}

/// A command that runs the program with these flags, with nothing of our own settings.
pub fn command(flags: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_berth-server"));
    command.args(flags).env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs it to its end.
pub fn run(command: &mut Command) -> Ended {
    Program::start(command).end()
}

/// The flags of a portal on any free port with its own Postgres in `folder`.
pub fn private(folder: &Path) -> Vec<String> {
    vec!["--listen=127.0.0.1:0".to_owned(), format!("--data-dir={}", folder.display())]
}

impl Program {
    /// Starts it.
    pub fn start(command: &mut Command) -> Self {
        let mut child = command.spawn().expect("the program");
        let said = Arc::new(Mutex::new(String::new()));
        let outputs: [Box<dyn Read + Send>; 2] =
            [Box::new(child.stderr.take().expect("stderr")), Box::new(child.stdout.take().expect("stdout"))];
        let readers = outputs
            .into_iter()
            .map(|output| {
                let said = said.clone();
                std::thread::spawn(move || {
                    for line in BufReader::new(output).lines().map_while(Result::ok) {
                        let mut said = said.lock().expect("not poisoned");
                        said.push_str(&line);
                        said.push('\n');
                    }
                })
            })
            .collect();
        Self { child, said, readers }
    }

    /// Starts a portal in `folder`, and waits until it is ready.
    pub async fn portal(folder: &Path) -> Self {
        let flags = private(folder);
        let program = Self::start(&mut command(&flags.iter().map(String::as_str).collect::<Vec<_>>()));
        program.ready().await;
        program
    }

    /// Waits until it answers and its database does.
    pub async fn ready(&self) {
        until("the program listens", async || self.address().is_some()).await;
        let anonymous = self.anonymous();
        until("the program is ready", async || anonymous.get("/healthz").await.status() == 200).await;
    }

    /// Somebody with a browser who is not signed in.
    pub fn anonymous(&self) -> Actor {
        Actor::new(&format!("http://{}", self.address().expect("it listens")))
    }

    /// Makes the administrator with the link that the program printed.
    pub async fn admin(&self) -> Actor {
        let actor = self.anonymous();
        until("it prints the set-up link", async || self.said().contains("/setup#code=")).await;
        let said = self.said();
        let code = said.split("/setup#code=").nth(1).and_then(|rest| rest.split_whitespace().next()).expect("a code");
        let mut fields = account("root-admin");
        fields.push(("code", code));
        let answer = actor.submit("set_up", &fields).await;
        assert_eq!(answer.status(), 200, "{}", answer.text().await.expect("text"));
        actor
    }

    /// Somebody who signs in as the administrator that there is already.
    pub async fn returning_admin(&self) -> Actor {
        let actor = self.anonymous();
        sign_in(&actor, "root-admin").await;
        actor
    }

    /// Where it listens, once it does.
    pub fn address(&self) -> Option<String> {
        let said = self.said();
        let line = said.lines().find(|line| line.contains("\"message\":\"listening\""))?;
        let line: serde_json::Value = serde_json::from_str(line).ok()?;
        Some(line["address"].as_str()?.to_owned())
    }

    /// What it has said so far.
    pub fn said(&self) -> String {
        self.said.lock().expect("not poisoned").clone()
    }

    /// Its process id.
    pub fn pid(&self) -> Pid {
        Pid::from_raw(i32::try_from(self.child.id()).expect("a process id"))
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) {
        kill(self.pid(), signal).expect("it runs");
    }

    /// Waits for its end.
    pub fn end(mut self) -> Ended {
        let deadline = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                break status;
            }
            assert!(Instant::now() < deadline, "it does not end: {}", self.said());
            std::thread::sleep(Duration::from_millis(20));
        };
        for reader in self.readers.drain(..) {
            reader.join().expect("no panic");
        }
        Ended { status, said: self.said() }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // After a failed assertion: stop it cleanly, so that its Postgres goes with it.
        if let Ok(None) = self.child.try_wait() {
            let _ = kill(self.pid(), Signal::SIGTERM);
            let _ = self.child.wait();
        }
    }
}
