//! One Postgres for the whole run, with a database of its own for every test.
//!
//! The server lives on a Unix socket in a folder under `/tmp` and ends with the test program, even when that is killed.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use sqlx::PgPool;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use tokio::sync::OnceCell;

/// The server of this run.
pub struct Cluster {
    folder: PathBuf,
}

static CLUSTER: OnceLock<Cluster> = OnceLock::new();
static TEMPLATE: OnceCell<()> = OnceCell::const_new();
static COUNT: AtomicU32 = AtomicU32::new(0);

/// A fresh, migrated database, with at most `connections` at once.
pub async fn database(connections: u32) -> PgPool {
    let cluster = CLUSTER.get_or_init(Cluster::start);
    TEMPLATE
        .get_or_init(|| async {
            let admin = cluster.pool("postgres", 1).await;
            sqlx::query("create database template_berth").execute(&admin).await.unwrap();
            let template = cluster.pool("template_berth", 1).await;
            sqlx::migrate!("../migrations").run(&template).await.unwrap();
            template.close().await;
            admin.close().await;
        })
        .await;
    let name = format!("test_{}", COUNT.fetch_add(1, Ordering::Relaxed));
    let admin = cluster.pool("postgres", 1).await;
    let create = format!("create database {name} template template_berth");
    sqlx::query(sqlx::AssertSqlSafe(create)).execute(&admin).await.unwrap();
    admin.close().await;
    cluster.pool(&name, connections).await
}

impl Cluster {
    fn start() -> Self {
        let folder = PathBuf::from(format!("/tmp/berth-it-{}", std::process::id()));
        sweep();
        std::fs::create_dir_all(&folder).unwrap();
        let root = nix::unistd::geteuid().is_root();
        if root {
            let user = nix::unistd::User::from_name("postgres").unwrap().unwrap();
            nix::unistd::chown(&folder, Some(user.uid), Some(user.gid)).unwrap();
        }
        let data = folder.join("data");
        let run = |program: &str| {
            let program = bin().join(program);
            if root {
                let mut command = Command::new("setpriv");
                command
                    .args(["--reuid=postgres", "--regid=postgres", "--clear-groups", "--pdeathsig=INT"])
                    .arg(program);
                command
            } else {
                let mut command = Command::new("setpriv");
                command.arg("--pdeathsig=INT").arg(program);
                command
            }
        };
        let mut initdb = run("initdb");
        initdb.arg("-D").arg(&data).args(["-U", "postgres", "-A", "trust", "-N", "-E", "UTF8", "--locale=C.UTF-8"]);
        let made = initdb.current_dir("/").output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let mut server = run("postgres");
        server
            .arg("-D")
            .arg(&data)
            .arg("-k")
            .arg(&folder)
            .args(["-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=300"])
            .args(["-c", "deadlock_timeout=1s", "-c", "log_min_messages=panic"])
            .current_dir("/")
            .stdin(Stdio::null());
        // The signal at the parent's death is bound to the thread that started the child, so that thread stays.
        std::thread::spawn(move || {
            let mut child = server.spawn().unwrap();
            child.wait().unwrap();
        });
        let socket = folder.join(".s.PGSQL.5432");
        let deadline = Instant::now() + Duration::from_secs(60);
        while std::os::unix::net::UnixStream::connect(&socket).is_err() {
            assert!(Instant::now() < deadline, "Postgres does not start");
            std::thread::sleep(Duration::from_millis(20));
        }
        Self { folder }
    }

    async fn pool(&self, database: &str, connections: u32) -> PgPool {
        let options = PgConnectOptions::new().socket(&self.folder).username("postgres").database(database);
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            let pool = PgPoolOptions::new().max_connections(connections).acquire_timeout(Duration::from_secs(20));
            match pool.connect_with(options.clone()).await {
                Ok(pool) => return pool,
                Err(error) => assert!(Instant::now() < deadline, "{error}"),
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

/// Folder of the newest Postgres programs.
fn bin() -> PathBuf {
    let mut found: Vec<(u32, PathBuf)> = std::fs::read_dir("/usr/lib/postgresql")
        .unwrap()
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter_map(|path| Some((path.file_name()?.to_str()?.parse().ok()?, path.join("bin"))))
        .collect();
    found.sort();
    found.pop().unwrap().1
}

/// Removes what earlier runs left behind.
fn sweep() {
    for entry in std::fs::read_dir("/tmp").unwrap().flatten() {
        let name = entry.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.strip_prefix("berth-it-")) else { continue };
        if !Path::new("/proc").join(pid).exists() {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}
