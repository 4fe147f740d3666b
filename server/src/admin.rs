//! `berth-server admin`: what the operator does from the machine that the portal runs on.

use crate::config::{AdminCommand, Config};

/// The command cannot be done; one sentence for the operator.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct AdminError(String);

/// Does `command` on the portal's database.
///
/// # Errors
/// [`AdminError`] for the operator.
pub async fn run(_config: &Config, _command: AdminCommand) -> Result<(), AdminError> {
    Err(AdminError("not here yet".to_owned()))
}
