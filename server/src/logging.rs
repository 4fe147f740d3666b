//! The log on standard error: a constant message and fields; never cookies, passwords, tokens or bodies.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

use crate::config::{BadConfig, Config, LogFormat};

/// Starts the log.
///
/// # Errors
/// [`BadConfig`] where the filter cannot be read.
pub fn start(config: &Config) -> Result<(), BadConfig> {
    let filter = EnvFilter::try_new(&config.log)
        .map_err(|error| BadConfig(format!("BERTH_LOG `{}` cannot be read: {error}", config.log)))?;
    let terminal = std::io::stderr().is_terminal();
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let text = match config.log_format {
        LogFormat::Auto => terminal,
        LogFormat::Text => true,
        LogFormat::Json => false,
    };
    // A second start in one process, as in tests, keeps the first log.
    let _ = if text { log.with_ansi(terminal).try_init() } else { log.json().flatten_event(true).try_init() };
    Ok(())
}
