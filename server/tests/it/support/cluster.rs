//! One throw-away Postgres for all tests of this process, and a fresh database in it for each.

use std::io::Write;
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
    Fresh { url: url(&shared.folder, &name), pool }
}

/// Where to look for the programs, as the server does by default.
pub fn search() -> PostgresSearch {
    PostgresSearch::Usual(std::env::var_os("PATH").unwrap_or_default())
}

/// A new empty folder that everybody may pass, for data folders; in `/tmp`, where paths are short.
pub fn temporary_folder(what: &str) -> PathBuf {
    let dir = PathBuf::from(format!("/tmp/berth-{what}-{}", uuid::Uuid::new_v4().simple()));
    std::fs::create_dir(&dir).expect("a folder in /tmp");
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(&dir, std::fs::Permissions::from_mode(0o711)).expect("open to pass");
    dir
}

async fn start() -> Shared {
    let dir = temporary_folder("tests");
    let root = dir.clone();
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
    let janitor = janitor(&dir);
    execute(&folder, &format!("create database {TEMPLATE}")).await;
    let pool = database::pool(database::options(&Secret::new(url(&folder, TEMPLATE))).expect("an address"));
    database::migrate(&pool).await.expect("tables");
    pool.close().await;
    Shared { folder, _janitor: janitor }
}

/// Ends Postgres and removes its folder when this process is gone, however it ends.
fn janitor(dir: &Path) -> Child {
    let script = r#"read -r dir; pid=$(head -n 1 "$dir/postgres/postmaster.pid"); read -r gone
        kill -INT "$pid"; while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done; rm -rf "$dir""#;
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
