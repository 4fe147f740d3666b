//! Settings: read once from flags and the environment, checked once, then passed on as a [`Config`].
//!
//! Nothing else in the server reads the environment.

use std::ffi::OsString;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

use clap::{CommandFactory, Parser};
use http::Uri;
use time::Duration;

use crate::service::SiteFacts;

mod command;

pub use command::{AdminCommand, Command};

/// Berth: a live dashboard and reservation portal for shared GPU servers.
///
/// Without a command it runs the portal. Every setting can be given as a flag or as an environment variable.
#[derive(Parser, Clone)]
#[command(name = "berth-server", version, about, long_about, max_term_width = 100, args_override_self = true)]
pub struct Cli {
    /// Settings.
    #[command(flatten)]
    pub settings: Settings,
    /// What to do instead of running the portal.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// The settings as the operator writes them; [`Settings::check`] makes a [`Config`] of them.
///
/// Each doc comment is the flag's help and the row of the README's table.
#[derive(clap::Args, Clone)]
pub struct Settings {
    /// Address and port that the portal listens on. Beyond loopback it needs an `https://` public URL, or
    /// `BERTH_INSECURE_HTTP`.
    #[arg(long, global = true, env = "BERTH_LISTEN", value_name = "ADDRESS:PORT", default_value = "127.0.0.1:3000")]
    pub listen: SocketAddr,

    /// Address under which people reach the portal, such as `https://gpu.example.org`, when a proxy stands in front.
    #[arg(long, global = true, env = "BERTH_PUBLIC_URL", value_name = "URL")]
    pub public_url: Option<String>,

    /// Set to 1 to serve plain HTTP beyond this machine: passwords can be read on the network, and every page says so.
    #[arg(long, global = true, env = "BERTH_INSECURE_HTTP", value_name = "0|1", num_args = 0..=1,
        default_value = "0", default_missing_value = "1", value_parser = parse_switch)]
    pub insecure_http: bool,

    /// Addresses of proxies, separated by commas, whose `X-Forwarded-For` is believed; used with an `https://`
    /// public URL only.
    #[arg(
        long,
        global = true,
        env = "BERTH_TRUSTED_PROXIES",
        value_name = "ADDRESSES",
        value_delimiter = ',',
        default_value = "127.0.0.1,::1"
    )]
    pub trusted_proxies: Vec<IpAddr>,

    /// Postgres server to keep everything in, such as `postgres://berth:secret@db/berth`. Without it the portal runs a
    /// private Postgres in its data folder.
    #[arg(long, global = true, env = "DATABASE_URL", value_name = "URL", hide_env_values = true)]
    pub database_url: Option<String>,

    /// File that holds the database URL, for those who keep secrets out of the environment.
    #[arg(long, global = true, env = "DATABASE_URL_FILE", value_name = "FILE", conflicts_with = "database_url")]
    pub database_url_file: Option<PathBuf>,

    /// Folder of the private Postgres. Default: `$XDG_DATA_HOME/berth`, else `~/.local/share/berth`; for root
    /// `/var/lib/berth`.
    #[arg(long, global = true, env = "BERTH_DATA_DIR", value_name = "FOLDER")]
    pub data_dir: Option<PathBuf>,

    /// Folder of the Postgres programs for the private Postgres. Default: the newest among `PATH` and
    /// `/usr/lib/postgresql/*/bin`.
    #[arg(long, global = true, env = "BERTH_POSTGRES_BIN", value_name = "FOLDER")]
    pub postgres_bin: Option<PathBuf>,

    /// The `berth` program that new hosts download from the portal. Default: `berth` beside `berth-server`.
    #[arg(long, global = true, env = "BERTH_AGENT_PROGRAM", value_name = "FILE")]
    pub agent_program: Option<PathBuf>,

    /// Time between two reports of each host, in seconds, from 1 to 60. Pages grey a host out after three missed reports.
    #[arg(long, global = true, env = "BERTH_REPORT_INTERVAL", value_name = "SECONDS", default_value = "2",
        value_parser = clap::value_parser!(u32).range(1..=60))]
    pub report_interval: u32,

    /// Length of a recorded minute, in seconds: for tests.
    #[arg(long, global = true, hide = true, value_name = "SECONDS", default_value = "60",
        value_parser = clap::value_parser!(u32).range(1..=60))]
    pub minute: u32,

    /// Time between two looks for what other servers on the same database have written, in seconds: for tests.
    #[arg(long, global = true, hide = true, value_name = "SECONDS", default_value = "1",
        value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub look: u32,

    /// What is logged: a level, or `tracing` directives such as `info,server=debug`.
    #[arg(long, global = true, env = "BERTH_LOG", value_name = "FILTER", default_value = "info")]
    pub log: String,

    /// Form of the log on standard error: `auto` is `text` on a terminal and `json` elsewhere.
    #[arg(long, global = true, env = "BERTH_LOG_FORMAT", value_name = "FORMAT", default_value = "auto")]
    pub log_format: LogFormat,
}

/// Form of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    /// `text` on a terminal, `json` elsewhere.
    Auto,
    /// For people.
    Text,
    /// One object a line, for programs.
    Json,
}

/// A setting does not fit; the sentence says which, why, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadConfig(pub String);

/// Who can reach the portal, and how safely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exposure {
    /// This machine only, plain HTTP.
    Loopback,
    /// People come through a proxy that speaks HTTPS.
    HttpsProxy,
    /// Plain HTTP beyond this machine, because the operator said so.
    InsecureHttp,
}

/// Where the data is kept.
#[derive(Clone, PartialEq, Eq)]
pub enum Database {
    /// A server that somebody else runs.
    Url(Secret),
    /// A private cluster in the data folder.
    Private,
}

/// A text that never gets into a log.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Keeps `text` from being printed.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[redacted]")
    }
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Url(secret) => write!(f, "url {secret:?}"),
            Self::Private => f.write_str("private"),
        }
    }
}

/// Checked settings. `Debug` shows no secret.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where to listen.
    pub listen: SocketAddr,
    /// Scheme, host and port under which people reach the portal, where the operator gave it.
    pub public_origin: Option<String>,
    /// Who can reach it.
    pub exposure: Exposure,
    /// Proxies whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<IpAddr>,
    /// Where the data is kept.
    pub database: Database,
    /// Folder of the private cluster.
    pub data_dir: PathBuf,
    /// Folders to look for the Postgres programs in, in order.
    pub postgres_search: PostgresSearch,
    /// What new hosts download.
    pub agent_program: Option<PathBuf>,
    /// How often agents are asked to report.
    pub report_interval: Duration,
    /// Length of a recorded minute; another one only in tests.
    pub minute: Duration,
    /// How often the database is asked what other servers have written; another one only in tests.
    pub look: Duration,
    /// Log filter.
    pub log: String,
    /// Form of the log.
    pub log_format: LogFormat,
}

/// Where to look for the Postgres programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PostgresSearch {
    /// In this folder alone.
    Only(PathBuf),
    /// In the folders of `PATH`, then where the distributions put them.
    Usual(OsString),
}

impl Config {
    /// The cookie may demand HTTPS.
    #[must_use]
    pub fn secure_cookies(&self) -> bool {
        self.exposure == Exposure::HttpsProxy
    }

    /// Every page warns of plain HTTP beyond this machine.
    #[must_use]
    pub fn warns_of_http(&self) -> bool {
        self.exposure == Exposure::InsecureHttp
    }

    /// The portal's address for links: the public one, else the one listened on.
    #[must_use]
    pub fn portal_url(&self, bound: SocketAddr) -> String {
        match &self.public_origin {
            Some(origin) => origin.clone(),
            None if bound.ip().is_unspecified() => format!("http://127.0.0.1:{}", bound.port()),
            None => format!("http://{bound}"),
        }
    }

    /// What services need to know of it.
    #[must_use]
    pub fn site_facts(&self, bound: SocketAddr) -> SiteFacts {
        SiteFacts {
            portal_url: self.portal_url(bound),
            insecure_http: self.warns_of_http(),
            report_interval: self.report_interval,
            minute: self.minute,
            look: self.look,
        }
    }
}

impl Settings {
    /// Checks the settings against each other and fills in the defaults.
    ///
    /// # Errors
    /// [`BadConfig`] with one sentence for the operator.
    pub fn check(self) -> Result<Config, BadConfig> {
        let public_origin = self.public_url.as_deref().filter(|url| !url.is_empty()).map(origin_of).transpose()?;
        let https = public_origin.as_deref().is_some_and(|origin| origin.starts_with("https://"));
        let exposure = match (self.listen.ip().to_canonical().is_loopback(), https, self.insecure_http) {
            (_, true, _) => Exposure::HttpsProxy,
            (true, false, false) => Exposure::Loopback,
            (_, false, true) => Exposure::InsecureHttp,
            (false, false, false) => {
                return Err(BadConfig(format!(
                    "refusing to listen on {} with plain HTTP, because passwords could be read on the network: put an \
                     HTTPS proxy in front and set BERTH_PUBLIC_URL=https://..., or set BERTH_INSECURE_HTTP=1 if you \
                     accept that",
                    self.listen
                )));
            }
        };
        let exposure = match exposure {
            // Nobody beyond this machine can come, so there is nothing to warn of.
            Exposure::InsecureHttp if self.listen.ip().to_canonical().is_loopback() && public_origin.is_none() => {
                Exposure::Loopback
            }
            other => other,
        };
        let database = database(self.database_url, self.database_url_file.as_deref())?;
        Ok(Config {
            listen: self.listen,
            public_origin,
            exposure,
            trusted_proxies: self.trusted_proxies,
            data_dir: match (self.data_dir, &database) {
                (Some(dir), _) => absolute(&dir)?,
                (None, Database::Private) => default_data_dir()?,
                // Never used; a service may well have no home.
                (None, Database::Url(_)) => PathBuf::from("/var/lib/berth"),
            },
            database,
            postgres_search: match self.postgres_bin {
                Some(dir) => PostgresSearch::Only(dir),
                None => PostgresSearch::Usual(std::env::var_os("PATH").unwrap_or_default()),
            },
            agent_program: self.agent_program.or_else(|| Some(std::env::current_exe().ok()?.with_file_name("berth"))),
            report_interval: Duration::seconds(self.report_interval.into()),
            minute: Duration::seconds(self.minute.into()),
            look: Duration::seconds(self.look.into()),
            log: self.log,
            log_format: self.log_format,
        })
    }
}

fn parse_switch(text: &str) -> Result<bool, String> {
    match text {
        "1" | "true" | "yes" => Ok(true),
        "" | "0" | "false" | "no" => Ok(false),
        _ => Err("expected 0 or 1".to_owned()),
    }
}

/// `https://host[:port]` of a URL without a path.
fn origin_of(url: &str) -> Result<String, BadConfig> {
    let bad = |why: &str| {
        BadConfig(format!("BERTH_PUBLIC_URL `{url}` {why}: expected something like `https://gpu.example.org`"))
    };
    let uri: Uri = url.parse().map_err(|_| bad("cannot be read"))?;
    let scheme = uri.scheme_str().filter(|scheme| ["http", "https"].contains(scheme));
    let scheme = scheme.ok_or_else(|| bad("has no http:// or https://"))?;
    let authority = uri.authority().ok_or_else(|| bad("has no host"))?;
    if authority.as_str().contains('@') || !["", "/"].contains(&uri.path()) || uri.query().is_some() {
        return Err(bad("has more than a host and a port"));
    }
    // Browsers leave the usual port out of `Origin`.
    let usual = if scheme == "https" { ":443" } else { ":80" };
    let host = authority.as_str().to_ascii_lowercase();
    Ok(format!("{scheme}://{}", host.strip_suffix(usual).unwrap_or(&host)))
}

fn database(url: Option<String>, file: Option<&Path>) -> Result<Database, BadConfig> {
    let url = match (url, file) {
        (Some(url), _) => Some(url),
        (None, Some(file)) => Some(
            std::fs::read_to_string(file)
                .map_err(|error| BadConfig(format!("cannot read DATABASE_URL_FILE `{}`: {error}", file.display())))?
                .trim()
                .to_owned(),
        ),
        (None, None) => None,
    };
    match url.filter(|url| !url.is_empty()) {
        None => Ok(Database::Private),
        Some(url) if url.starts_with("postgres://") || url.starts_with("postgresql://") => {
            Ok(Database::Url(Secret::new(url)))
        }
        Some(_) => Err(BadConfig(
            "DATABASE_URL is not a Postgres address: expected something like `postgres://berth:secret@db/berth`"
                .to_owned(),
        )),
    }
}

fn absolute(dir: &Path) -> Result<PathBuf, BadConfig> {
    std::path::absolute(dir)
        .map_err(|error| BadConfig(format!("cannot use BERTH_DATA_DIR `{}`: {error}", dir.display())))
}

fn default_data_dir() -> Result<PathBuf, BadConfig> {
    if nix::unistd::geteuid().is_root() {
        // Below root's home the unprivileged account that runs Postgres could not reach it.
        return Ok(PathBuf::from("/var/lib/berth"));
    }
    let from_env = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|dir| dir.is_absolute());
    from_env("XDG_DATA_HOME")
        .or_else(|| from_env("HOME").map(|home| home.join(".local/share")))
        .map(|dir| dir.join("berth"))
        .ok_or_else(|| BadConfig("there is no home folder: set BERTH_DATA_DIR to a folder for the data".to_owned()))
}

/// The README's table of settings, in Markdown, made from the same text as `--help`.
#[must_use]
pub fn table() -> String {
    let mut rows = vec!["| Setting | Flag | Default | What it does |".to_owned(), "|---|---|---|---|".to_owned()];
    for arg in Cli::command().get_arguments().filter(|arg| arg.get_env().is_some()) {
        let env = arg.get_env().map(|env| env.to_string_lossy().into_owned()).unwrap_or_default();
        let default = arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect::<Vec<_>>();
        let default = if default.is_empty() { String::new() } else { format!("`{}`", default.join(",")) };
        let help = arg.get_long_help().or_else(|| arg.get_help()).map(ToString::to_string).unwrap_or_default();
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|");
        rows.push(format!("| `{env}` | `--{}` | {default} | {help} |", arg.get_long().unwrap_or_default()));
    }
    rows.join("\n") + "\n"
}
