//! A real ssh server on this machine alone, with keys of its own and an account for each login shell.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use crate::stage::{PATIENCE, Record, Stage, find, finish, libraries, said, tools};

pub struct Server {
    dir: tempfile::TempDir,
    port: u16,
    process: Child,
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

impl Server {
    /// # Errors
    /// Something of it is missing, or the server does not start.
    pub fn start() -> Result<Self, String> {
        let io = |error: std::io::Error| error.to_string();
        let dir = tempfile::Builder::new().prefix("berth-sshd-").tempdir_in("/tmp").map_err(io)?;
        let path = |name: &str| dir.path().join(name);
        let sshd = find("sshd").ok_or("sshd is missing: run scripts/launch-tools")?;
        let wrapper = nss_wrapper().ok_or("libnss_wrapper.so is missing: run scripts/setup test")?;
        for key in ["host", "person"] {
            let made = finish(Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(path(key)))?;
            if !made.status.success() {
                return Err(format!("ssh-keygen: {}", said(&made)));
            }
        }
        std::fs::copy(path("person.pub"), path("authorized")).map_err(io)?;
        let status = std::fs::read_to_string("/proc/self/status").map_err(io)?;
        let own = |what: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(what)).unwrap_or("0");
            line.split_whitespace().next().unwrap_or("0").to_owned()
        };
        let (uid, gid) = (own("Uid:"), own("Gid:"));
        let mut accounts = String::from("root:x:0:0::/:/bin/sh\nsshd:x:65533:65534::/run/sshd:/bin/false\n");
        for shell in crate::prove::FAR_SHELLS {
            let file = find(shell).ok_or_else(|| format!("{shell} is missing: run scripts/setup test"))?;
            accounts.push_str(&format!("in-{shell}:x:{uid}:{gid}::{}:{}\n", path("home").display(), file.display()));
        }
        std::fs::write(path("passwd"), accounts).map_err(io)?;
        std::fs::write(path("group"), format!("root:x:0:\nnogroup:x:65534:\nown:x:{gid}:\n")).map_err(io)?;
        // Asked for and given back, so that it is free a moment later.
        let port =
            std::net::TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).map_err(io)?.port();
        let settings = format!(
            "ListenAddress 127.0.0.1:{port}\nHostKey {}\nAuthorizedKeysFile {}\nStrictModes no\nPidFile none\nUsePAM no\n\
             PermitRootLogin yes\nPasswordAuthentication no\nSetEnv PATH={}:/usr/bin:/bin\n",
            path("host").display(),
            path("authorized").display(),
            path("bin").display()
        );
        std::fs::write(path("sshd_config"), settings).map_err(io)?;
        // As root it wants a folder that only services have; it gets one that nobody else sees.
        let script = format!(
            "if [ \"$(id -u)\" = 0 ]; then mount -t tmpfs none /run && mkdir -p /run/sshd; fi\n\
             export LD_LIBRARY_PATH='{}' LD_PRELOAD='{}' NSS_WRAPPER_PASSWD='{}' NSS_WRAPPER_GROUP='{}'\n\
             exec '{}' -D -e -f '{}'\n",
            tools().map(|tools| libraries(&tools)).unwrap_or_default(),
            wrapper.display(),
            path("passwd").display(),
            path("group").display(),
            sshd.display(),
            path("sshd_config").display()
        );
        std::fs::write(path("start"), script).map_err(io)?;
        let log = std::fs::File::create(path("log")).map_err(io)?;
        let mut process = if uid == "0" {
            let mut process = Command::new("unshare");
            process.args(["-m", "--propagation", "private", "sh"]);
            process
        } else {
            Command::new("sh")
        };
        let process =
            process.arg(path("start")).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn().map_err(io)?;
        let mut server = Self { dir, port, process };
        server.wait()?;
        Ok(server)
    }

    fn wait(&mut self) -> Result<(), String> {
        let deadline = Instant::now() + PATIENCE;
        while std::net::TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            let ended = self.process.try_wait().is_ok_and(|ended| ended.is_some());
            if ended || Instant::now() > deadline {
                let log = std::fs::read_to_string(self.dir.path().join("log")).unwrap_or_default();
                return Err(format!("sshd does not answer: {}", log.split_whitespace().collect::<Vec<_>>().join(" ")));
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        Ok(())
    }

    /// Runs the real ssh with these arguments, as if every host were here; what it starts there is recorded.
    pub fn run(&self, stage: &Stage, shell: &str, argv: &[String]) -> Result<Vec<Record>, String> {
        stage.forget();
        let path = |name: &str| self.dir.path().join(name);
        let config = format!(
            "Host *\n HostName 127.0.0.1\n Port {}\n User in-{shell}\n IdentityFile {}\n IdentitiesOnly yes\n BatchMode yes\n \
             StrictHostKeyChecking no\n UserKnownHostsFile /dev/null\n LogLevel ERROR\n",
            self.port,
            path("person").display()
        );
        let file = path(&format!("config-{shell}"));
        std::fs::write(&file, config).map_err(|error| error.to_string())?;
        // The first user that is named counts: the account of the case stands in the arguments after it.
        let mut process = stage.process("/usr/bin/ssh");
        process.arg("-F").arg(&file).arg("-l").arg(format!("in-{shell}")).args(argv);
        self.welcome(stage)?;
        let output = finish(&mut process)?;
        if !output.status.success() {
            return Err(format!("ssh: {}: {}", output.status, said(&output)));
        }
        stage.clean()?;
        stage.records()
    }

    /// The accounts' home and programs are those of the stage.
    fn welcome(&self, stage: &Stage) -> Result<(), String> {
        for name in ["bin", "home"] {
            let link = self.dir.path().join(name);
            drop(std::fs::remove_file(&link));
            std::os::unix::fs::symlink(stage.path(name), &link).map_err(|error| error.to_string())?;
        }
        Ok(())
    }
}

fn nss_wrapper() -> Option<PathBuf> {
    let libraries = std::fs::read_dir("/usr/lib").ok()?.flatten().map(|entry| entry.path().join("libnss_wrapper.so"));
    libraries.chain([PathBuf::from("/usr/lib64/libnss_wrapper.so")]).find(|file| file.is_file())
}
