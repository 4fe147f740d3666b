//! A private Postgres in the data folder, for those who have no server of their own.
//!
//! It runs from the host's programs, listens on a Unix socket only, and lives as long as the portal: started with it,
//! restarted when it crashes, stopped with it. What a killed portal left running is taken over at the next start.

mod account;
mod error;
mod folder;
mod initdb;
mod process;
mod programs;
mod supervise;

use std::path::Path;

use sqlx::postgres::{PgConnectOptions, PgSslMode};
use tokio::sync::Mutex;

use crate::config::{Config, PostgresSearch};

pub use error::ClusterError;
pub use folder::Folder;
pub use process::end_at_once;
pub use programs::Programs;

use account::Account;
use folder::Lock;
use supervise::Supervisor;

/// Name of the role and of the database in it.
const NAME: &str = "berth";
/// Only part of the socket's name: nothing listens on the network.
const PORT: u16 = 5432;

/// Whether the cluster's data must survive a power cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// Yes.
    Full,
    /// No: a cluster for tests, which is thrown away.
    None,
}

/// The private Postgres of one data folder. Nobody else can have it at the same time.
pub struct Cluster {
    server: process::Launch,
    running: Mutex<Option<Supervisor>>,
    _lock: Lock,
}

impl Cluster {
    /// Finds the programs and takes the data folder; starts nothing yet.
    ///
    /// # Errors
    /// [`ClusterError`] with what to do about it.
    pub fn prepare(config: &Config) -> Result<Self, ClusterError> {
        Self::prepare_in(&config.data_dir, &config.postgres_search, Durability::Full)
    }

    /// As [`Cluster::prepare`], with everything said explicitly.
    ///
    /// # Errors
    /// As [`Cluster::prepare`].
    pub fn prepare_in(data_dir: &Path, search: &PostgresSearch, durability: Durability) -> Result<Self, ClusterError> {
        let account = Account::choose()?;
        let folder = Folder::open(data_dir, &account)?;
        let lock = folder.lock()?;
        let programs = Programs::find(search, folder.major()?, &folder.cluster())?;
        let server = process::Launch { folder, programs, account, durability };
        Ok(Self { server, running: Mutex::new(None), _lock: lock })
    }

    /// How to connect to it.
    #[must_use]
    pub fn options(&self) -> PgConnectOptions {
        options(&self.server.folder)
    }

    /// Makes the cluster if the folder is new, starts it (or takes over one that runs already), and returns once it
    /// accepts connections.
    ///
    /// # Errors
    /// [`ClusterError`] with what to do about it.
    pub async fn start(&self) -> Result<(), ClusterError> {
        if self.server.folder.major()?.is_none() {
            initdb::make(&self.server).await?;
        }
        let running = match self.server.adopt().await? {
            Some(adopted) => adopted,
            None => self.server.start().await?,
        };
        self.server.ensure_database().await?;
        *self.running.lock().await = Some(Supervisor::watch(self.server.clone(), running));
        Ok(())
    }

    /// Stops it: sessions are cut, everything committed is on disk.
    pub async fn stop(self) {
        if let Some(supervisor) = self.running.lock().await.take() {
            supervisor.stop().await;
        }
        self.server.folder.remove_far_socket_dir();
    }
}

/// How to connect to the private Postgres of `folder`, whoever runs it.
#[must_use]
pub fn options(folder: &Folder) -> PgConnectOptions {
    PgConnectOptions::new_without_pgpass()
        .socket(folder.socket_dir())
        .port(PORT)
        .username(NAME)
        .database(NAME)
        .ssl_mode(PgSslMode::Disable)
}
