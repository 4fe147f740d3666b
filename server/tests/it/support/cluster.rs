//! One throw-away Postgres for all tests of this process, and a fresh database in it for each.

use std::fs::Permissions;
use std::io::Write;
use std::ops::Deref;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use server::config::{PostgresSearch, Secret};
use server::database;
use server::embedded::{Cluster, Durability, Folder, options};
use sqlx::postgres::PgPoolOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, PgPool};
use tokio::sync::OnceCell;

const TEMPLATE: &str = "template_berth";

/// A database that only one test knows.
pub struct Fresh {
    /// As in `DATABASE_URL`.
    pub url: String,
    /// The folder of its server's socket.
    pub socket_dir: String,
    /// Connections to it.
    pub pool: PgPool,
}

struct Shared {
    folder: Folder,
    // Dropped with the process, which ends the shell that waits at the other end of its input.
    _janitor: Child,
}

static SHARED: OnceCell<Shared> = OnceCell::const_new();

/// A new database with all tables and no rows.
pub async fn fresh() -> Fresh {
    fresh_with(4).await
}

/// The same, as a pool of at most `connections`.
pub async fn database(connections: u32) -> PgPool {
    fresh_with(connections).await.pool
}

async fn fresh_with(connections: u32) -> Fresh {
    let shared = SHARED.get_or_init(start).await;
    let name = format!("t_{}", uuid::Uuid::new_v4().simple());
    execute(&shared.folder, &format!("create database {name} template {TEMPLATE}")).await;
    let options = options(&shared.folder).database(&name);
    let pool = PgPoolOptions::new().max_connections(connections).acquire_timeout(Duration::from_secs(20));
    let pool = pool.connect_lazy_with(options);
    Fresh { url: url(&shared.folder, &name), socket_dir: shared.folder.socket_dir().display().to_string(), pool }
}

/// Where to look for the programs, as the server does by default.
pub fn search() -> PostgresSearch {
    PostgresSearch::Usual(std::env::var_os("PATH").unwrap_or_default())
}

/// A folder in `/tmp`, where paths are short, that everybody may pass; removed in the end.
pub struct Temporary(PathBuf);

impl Temporary {
    /// A new empty one.
    pub fn new(what: &str) -> Self {
        let dir = PathBuf::from(format!("/tmp/berth-{what}-{}", uuid::Uuid::new_v4().simple()));
        std::fs::create_dir(&dir).expect("a folder in /tmp");
        std::fs::set_permissions(&dir, Permissions::from_mode(0o711)).expect("open to pass");
        Self(dir)
    }

    /// A data folder with an empty cluster in it, copied from one that is made once.
    pub async fn with_cluster() -> Self {
        static MADE: OnceCell<Temporary> = OnceCell::const_new();
        let made = MADE.get_or_init(|| async {
            let dir = Temporary::new("cluster");
            let cluster = Cluster::prepare_in(&dir, &search(), Durability::None).expect("a cluster");
            cluster.start().await.expect("a cluster");
            cluster.stop().await;
            std::mem::forget(remove_later(&dir));
            dir
        });
        let (made, fresh) = (made.await, Self::new("data"));
        let copied = Command::new("cp").arg("-a").arg(made.join("postgres")).arg(fresh.join("postgres")).status();
        assert!(copied.expect("cp").success());
        fresh
    }
}

impl Deref for Temporary {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

async fn start() -> Shared {
    let dir = Temporary::new("tests");
    let root = dir.to_owned();
    let (ready, started) = tokio::sync::oneshot::channel();
    // On a thread of its own: the runtime of the test that happens to come first ends with that test.
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("runtime");
        runtime.block_on(async move {
            let cluster = Cluster::prepare_in(&root, &search(), Durability::None).expect("Postgres for the tests");
            cluster.start().await.expect("Postgres for the tests");
            let _ = ready.send(());
            std::future::pending::<()>().await;
            drop(cluster);
        });
    });
    started.await.expect("Postgres for the tests");
    let folder = Folder::at(&dir);
    let janitor = remove_later(&dir);
    std::mem::forget(dir);
    execute(&folder, &format!("create database {TEMPLATE}")).await;
    let pool = database::pool(database::options(&Secret::new(url(&folder, TEMPLATE))).expect("an address"));
    database::migrate(&pool).await.expect("tables");
    pool.close().await;
    Shared { folder, _janitor: janitor }
}

/// Ends the Postgres of the folder, if it runs, and removes the folder when this process is gone, however it ends: a
/// static is never dropped.
fn remove_later(dir: &Path) -> Child {
    let script = r#"read -r dir; read -r gone
        if pid=$(head -n 1 "$dir/postgres/postmaster.pid" 2>/dev/null); then
            kill -INT "$pid"; while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
        fi
        rm -rf "$dir""#;
    let mut child = Command::new("sh").args(["-c", script]).stdin(Stdio::piped()).spawn().expect("a shell");
    let input = child.stdin.as_mut().expect("its input");
    writeln!(input, "{}", dir.display()).expect("a line");
    child
}

fn url(folder: &Folder, name: &str) -> String {
    format!("postgres:///{name}?host={}&user=berth", folder.socket_dir().display())
}

async fn execute(folder: &Folder, statement: &str) {
    let mut connection = options(folder).database("postgres").connect().await.expect("a connection");
    sqlx::query(AssertSqlSafe(statement.to_owned())).execute(&mut connection).await.expect(statement);
    connection.close().await.expect("a clean end");
}
