//! `berth-server admin`: what the operator does from the machine that the portal runs on. Answers go to standard output
//! alone, so that scripts can use them.

use std::io::IsTerminal as _;
use std::sync::Arc;
use std::time::Duration;

use domain::error::ApiError;
use domain::user::Role;
use sqlx::PgPool;

use crate::clock::SystemClock;
use crate::config::{AdminCommand, Config, Database};
use crate::database::{self, Unusable};
use crate::embedded::{self, Folder};
use crate::error::chain;
use crate::run::setup_link;
use crate::service::account_error::AccountError;
use crate::service::demo::DemoError;
use crate::service::{Services, accounts, demo, hosts, setup};

/// Longest wait for the database.
const PATIENCE: Duration = Duration::from_secs(10);

/// Longest wait for a host that reports cards.
const CARDS_PATIENCE: Duration = Duration::from_secs(30);
/// Time between two looks for it.
const CARDS_LOOK: Duration = Duration::from_millis(300);

/// The command cannot be done; one sentence for the operator.
#[derive(Debug, thiserror::Error)]
pub enum AdminError {
    /// No portal runs on the data folder.
    #[error(
        "no berth-server runs on the data folder {folder}, or this account may not reach its database ({cause}): start \
         it, or run this command as the same account and with the same settings"
    )]
    NotRunning {
        /// The folder.
        folder: String,
        /// What went wrong.
        cause: String,
    },
    /// The operator's own database.
    #[error("the database at DATABASE_URL does not answer: {0}")]
    NoAnswer(String),
    /// Not an address.
    #[error(transparent)]
    Unusable(#[from] Unusable),
    /// The portal's own refusal.
    #[error("{0}")]
    Refused(String),
    /// There is an administrator.
    #[error("this portal has an administrator already: sign in, or ask them")]
    AlreadySetUp,
    /// The database is the operator's own.
    #[error("with DATABASE_URL there is no private Postgres, and so no socket")]
    NoSocket,
}

impl<E: Into<ApiError>> From<E> for AdminError {
    fn from(error: E) -> Self {
        Self::Refused(error.into().message)
    }
}

/// Does `command` on the portal's database.
///
/// # Errors
/// [`AdminError`] for the operator.
pub async fn run(config: &Config, command: AdminCommand) -> Result<(), AdminError> {
    if command == AdminCommand::SocketDir {
        return match config.database {
            Database::Private => {
                println!("{}", Folder::at(&config.data_dir).socket_dir().display());
                Ok(())
            }
            Database::Url(_) => Err(AdminError::NoSocket),
        };
    }
    let pool = connect(config).await?;
    let facts = config.site_facts(config.listen);
    let services = Services::new(pool.clone(), Arc::new(SystemClock), facts);
    match command {
        AdminCommand::SetupCode => {
            let code = setup::ensure_code(&services).await?.ok_or(AdminError::AlreadySetUp)?;
            println!("{}", setup_link(&services.site.portal_url, &code));
        }
        AdminCommand::EnrolCode { host } => println!("{}", hosts::enrol_code(&services, &host).await?.code),
        AdminCommand::NewPassword { name } => {
            accounts::replace_password(&services, &name, typed_password()?).await.map_err(|error| match error {
                AccountError::UnknownPerson => AdminError::Refused(format!("nobody signs in as {name}")),
                other => other.into(),
            })?;
            eprintln!("berth-server: {name} signs in with the new password from now on");
        }
        AdminCommand::Demo { remove: true, .. } => {
            let removed = demo::remove(&services).await.map_err(|error| AdminError::Refused(error.to_string()))?;
            eprintln!(
                "berth-server: {}",
                if removed { "the demonstration data is removed" } else { "there is no demonstration data" }
            );
            // Its administrator has gone with it.
            if let Some(code) = setup::ensure_code(&services).await? {
                eprintln!("berth-server: the portal has no administrator now. Open this link to become it:");
                println!("{}", setup_link(&services.site.portal_url, &code));
            }
        }
        AdminCommand::Demo { anyway, .. } => fill(&services, anyway).await?,
        AdminCommand::SocketDir => {}
    }
    pool.close().await;
    Ok(())
}

/// Fills the portal with demonstration data, and says how to look at it.
async fn fill(services: &Services, anyway: bool) -> Result<(), AdminError> {
    let deadline = tokio::time::Instant::now() + CARDS_PATIENCE;
    // The agents of a portal that has just started report any moment.
    while hosts::overview(services).await?.hosts.iter().any(|host| host.enrolled && host.last_report.is_none())
        && tokio::time::Instant::now() < deadline
    {
        tokio::time::sleep(CARDS_LOOK).await;
    }
    let filled = loop {
        match demo::fill(services, anyway).await {
            // Likewise.
            Err(DemoError::NoCards) if tokio::time::Instant::now() < deadline => tokio::time::sleep(CARDS_LOOK).await,
            other => break other.map_err(|error| AdminError::Refused(error.to_string()))?,
        }
    };
    let demo::Filled { people, bookings, name, password, role } = filled;
    let sees = match role {
        Role::Administrator => "an administrator, who sees every page",
        Role::Member => "a member; administrators sign in with their own accounts",
    };
    println!(
        "This portal shows demonstration data now: {people} people and {bookings} bookings, all marked \"(demo)\".\n\n\
         \x20   Sign in   {}\n\
         \x20   Name      {name}\n\
         \x20   Password  {password}\n\n\
         This is {sees}. The password is shown this once; filling anew makes another.\n\
         `berth-server admin demo --remove` removes all of it, this account too.",
        services.site.portal_url
    );
    Ok(())
}

/// One line of standard input: never an argument, which every account of the machine could read.
fn typed_password() -> Result<String, AdminError> {
    if std::io::stdin().is_terminal() {
        eprint!("New password: ");
    }
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).map_err(|error| AdminError::Refused(format!("no password: {error}")))?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

async fn connect(config: &Config) -> Result<PgPool, AdminError> {
    let options = match &config.database {
        Database::Private => embedded::options(&Folder::at(&config.data_dir)),
        Database::Url(url) => database::options(url)?,
    };
    let pool = database::pool(options);
    let cause = match tokio::time::timeout(PATIENCE, pool.acquire()).await {
        Ok(Ok(_)) => return Ok(pool),
        Ok(Err(error)) => chain(&error),
        Err(_) => "it took too long".to_owned(),
    };
    Err(match &config.database {
        Database::Private => AdminError::NotRunning { folder: config.data_dir.display().to_string(), cause },
        Database::Url(_) => AdminError::NoAnswer(cause),
    })
}
