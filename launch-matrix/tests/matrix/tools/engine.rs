//! A socket in the place of Docker's engine: it says yes to everything and keeps what it is asked to create.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::lock;

pub struct Engine {
    dir: tempfile::TempDir,
    created: Arc<Mutex<Vec<Value>>>,
}

impl Engine {
    /// # Errors
    /// No socket can be made.
    pub fn start() -> Result<Self, String> {
        let dir =
            tempfile::Builder::new().prefix("berth-engine-").tempdir_in("/tmp").map_err(|error| error.to_string())?;
        let listener = UnixListener::bind(dir.path().join("docker.sock")).map_err(|error| error.to_string())?;
        let created = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&created);
        // Ends with the program: nothing waits for it.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let kept = Arc::clone(&kept);
                std::thread::spawn(move || drop(serve(&stream, &kept)));
            }
        });
        Ok(Self { dir, created })
    }

    pub fn address(&self) -> String {
        format!("unix://{}", self.dir.path().join("docker.sock").display())
    }

    pub fn forget(&self) {
        lock(&self.created).clear();
    }

    /// Bodies of all containers that were to be created since.
    pub fn created(&self) -> Vec<Value> {
        lock(&self.created).clone()
    }
}

/// Answers requests of one connection until it ends.
fn serve(stream: &UnixStream, created: &Mutex<Vec<Value>>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    loop {
        let mut first = String::new();
        if reader.read_line(&mut first)? == 0 {
            return Ok(());
        }
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line)?;
            let line = line.trim_end();
            if line.is_empty() {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().unwrap_or(0);
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let mut words = first.split_whitespace();
        let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let (status, answer) = answer(method, path, &body, created);
        let mut stream = stream;
        write!(
            stream,
            "HTTP/1.1 {status}\r\nApi-Version: 1.48\r\nDocker-Experimental: false\r\nOstype: linux\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            answer.len()
        )?;
        if method != "HEAD" {
            stream.write_all(answer.as_bytes())?;
        }
    }
}

fn answer(method: &str, path: &str, body: &[u8], created: &Mutex<Vec<Value>>) -> (&'static str, String) {
    const ID: &str = "5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed5eed";
    let plain = path.split('?').next().unwrap_or_default();
    // Behind `/v1.48`.
    let plain = plain.strip_prefix("/v1.").and_then(|rest| rest.find('/').map(|at| &rest[at..])).unwrap_or(plain);
    let image = json!({
        "Id": format!("sha256:{ID}"), "RepoTags": [], "RepoDigests": [], "Os": "linux", "Architecture": "amd64",
        "ContainerConfig": {}, "Config": { "Volumes": null, "Env": [], "Labels": {} }, "Created": "2026-01-01T00:00:00Z",
    });
    let value = match (method, plain) {
        (_, "/_ping") => return ("200 OK", "OK".to_owned()),
        ("GET", "/version") => json!({
            "Version": "28.5.0", "ApiVersion": "1.48", "MinAPIVersion": "1.24", "Os": "linux", "Arch": "amd64",
            "Components": [],
        }),
        ("GET", "/info") => {
            json!({ "ID": "recorder", "OSType": "linux", "Runtimes": {}, "ServerVersion": "28.5.0", "Swarm": {} })
        }
        ("POST", "/containers/create") => {
            let said = serde_json::from_slice(body).unwrap_or(Value::Null);
            let mut created = lock(created);
            created.push(said);
            return ("201 Created", json!({ "Id": ID, "Warnings": [] }).to_string());
        }
        ("POST", "/networks/create") => return ("201 Created", json!({ "Id": ID, "Warning": "" }).to_string()),
        ("GET", path) if path.starts_with("/images/") && path.ends_with("/json") && path != "/images/json" => image,
        ("GET", path) if path.starts_with("/containers/") && path != "/containers/json" => json!({
            "Id": ID, "Name": "/job", "Image": format!("sha256:{ID}"), "State": { "Status": "created" },
            "Config": { "Labels": {}, "Tty": false }, "HostConfig": {}, "NetworkSettings": { "Networks": {} }, "Mounts": [],
        }),
        ("GET", path) if path.starts_with("/networks/") => {
            return ("404 Not Found", json!({ "message": "no such network" }).to_string());
        }
        ("GET", "/volumes") => json!({ "Volumes": [] }),
        ("GET", _) => json!([]),
        ("POST" | "DELETE", _) => return ("204 No Content", String::new()),
        _ => json!({}),
    };
    ("200 OK", value.to_string())
}
