//! The life of the portal: start, serve, drain, stop.

use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::clock::{Clock, SystemClock};
use crate::config::{Config, Database};
use crate::database::{self, State};
use crate::embedded::{self, Cluster, ClusterError};
use crate::error::chain;
use crate::router::{self, Site};
use crate::service::program::AgentProgram;
use crate::service::{Services, setup};

/// Longest time that running requests get at the end.
const DRAIN: Duration = Duration::from_secs(5);

/// The portal cannot start; one sentence for the operator.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Another program has the port, or this one may not have it.
    #[error("{0}")]
    Listen(String),
    /// The private Postgres.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    /// The database answers, but cannot be used.
    #[error(transparent)]
    Database(#[from] database::Unusable),
}

/// Takes the port.
///
/// # Errors
/// [`StartError::Listen`] that says who to ask.
pub async fn listen(address: SocketAddr) -> Result<TcpListener, StartError> {
    TcpListener::bind(address).await.map_err(|error| {
        let what = match error.kind() {
            std::io::ErrorKind::AddrInUse => format!(
                "port {} on {} is in use: stop the program that has it, or choose another address with BERTH_LISTEN",
                address.port(),
                address.ip()
            ),
            std::io::ErrorKind::PermissionDenied => {
                format!("this account may not use port {}: choose one above 1023 with BERTH_LISTEN", address.port())
            }
            std::io::ErrorKind::AddrNotAvailable => {
                format!("this machine has no address {}: choose another with BERTH_LISTEN", address.ip())
            }
            _ => format!("cannot listen on {address}: {error}"),
        };
        StartError::Listen(what)
    })
}

/// Serves until `shutdown` is cancelled, then drains and stops the private Postgres.
///
/// # Errors
/// [`StartError`] where the portal cannot start; once it serves, nothing ends it but `shutdown`.
pub async fn run(config: Config, listener: TcpListener, shutdown: CancellationToken) -> Result<(), StartError> {
    run_at(config, listener, shutdown, Arc::new(SystemClock)).await
}

/// [`run`] with another clock, for tests of what happens later.
///
/// # Errors
/// As [`run`].
pub async fn run_at(
    config: Config,
    listener: TcpListener,
    shutdown: CancellationToken,
    clock: Arc<dyn Clock>,
) -> Result<(), StartError> {
    let bound = listener.local_addr().unwrap_or(config.listen);
    let cluster = match &config.database {
        Database::Private => Some(Cluster::prepare(&config)?),
        Database::Url(_) => None,
    };
    let options = match (&cluster, &config.database) {
        (Some(cluster), _) => cluster.options(),
        (None, Database::Url(url)) => database::options(url)?,
        (None, Database::Private) => return Ok(()),
    };
    let pool = database::pool(options.clone());
    let facts = config.site_facts(bound);
    let program = config.agent_program.clone().map(AgentProgram::at).unwrap_or_default();
    // Begins to look, so that the first administrator who asks need not wait.
    let _ = program.get();
    let services = Services { shutdown: shutdown.clone(), program, ..Services::new(pool.clone(), clock, facts) };
    let (state, watched) = watch::channel(State::Starting);
    let site = Site { services: services.clone(), config: Arc::new(config), database: watched };

    // Stops serving also where the start fails.
    let serving = shutdown.child_token();
    let server = tokio::spawn(serve(listener, site, serving.clone()));
    tracing::info!(address = %bound, "listening");

    let started = tokio::select! {
        started = start(cluster.as_ref(), &pool, &services) => started,
        () = shutdown.cancelled() => Ok(()),
    };
    if started.is_ok() && !shutdown.is_cancelled() {
        state.send_replace(State::Up);
        tokio::select! {
            () = database::watch(options, state) => {}
            () = shutdown.cancelled() => {}
        }
    }
    serving.cancel();
    if server.await.is_err() {
        tracing::error!("the serving task panicked");
    }
    let _ = tokio::time::timeout(Duration::from_secs(2), pool.close()).await;
    if let Some(cluster) = cluster {
        cluster.stop().await;
    }
    tracing::info!("stopped");
    started
}

async fn start(cluster: Option<&Cluster>, pool: &sqlx::PgPool, services: &Services) -> Result<(), StartError> {
    if let Some(cluster) = cluster {
        cluster.start().await?;
    }
    database::migrate(pool).await?;
    services.started().await;
    announce_set_up(services).await;
    Ok(())
}

/// Prints the way in while there is no administrator. The code stands behind `#`, which browsers send nowhere, so it
/// gets into no log.
async fn announce_set_up(services: &Services) {
    match setup::ensure_code(services).await {
        Ok(None) => {}
        Ok(Some(code)) => {
            let link = setup_link(&services.site.portal_url, &code);
            let told = format!("\nThis portal has no administrator yet. Open this link to become it:\n\n    {link}\n");
            // Not `println!`: a closed standard output is no reason to stop.
            let _ = writeln!(std::io::stdout(), "{told}");
        }
        Err(error) => tracing::error!(cause = chain(&error), "no set-up link could be made"),
    }
}

/// The link that makes the first administrator.
#[must_use]
pub fn setup_link(portal_url: &str, code: &str) -> String {
    format!("{portal_url}/setup#code={code}")
}

async fn serve(listener: TcpListener, site: Site, shutdown: CancellationToken) {
    let serving = axum::serve(listener, router::build(site)).with_graceful_shutdown(shutdown.clone().cancelled_owned());
    let too_late = async {
        shutdown.cancelled().await;
        tokio::time::sleep(DRAIN).await;
    };
    tokio::select! {
        ended = serving => if let Err(error) = ended {
            tracing::error!(cause = %error, "stopped serving");
        },
        () = too_late => tracing::warn!("requests still running at the end were cut off"),
    }
}

/// A token that the first SIGINT or SIGTERM cancels; the second ends the process at once.
#[must_use]
pub fn until_signal() -> CancellationToken {
    let token = CancellationToken::new();
    let shutdown = token.clone();
    tokio::spawn(async move {
        signal().await;
        tracing::info!("stopping; a second signal stops at once");
        shutdown.cancel();
        signal().await;
        embedded::end_at_once();
        std::process::exit(130);
    });
    token
}

async fn signal() {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut interrupt), Ok(mut terminate)) = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        // Without handlers the signals end the process by themselves.
        return std::future::pending().await;
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
}
