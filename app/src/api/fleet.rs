//! Hosts and cards.

use domain::wire::live_v1::Fleet;
use domain::wire::page::HostPage;
use leptos::prelude::*;

use crate::error::AppError;

/// All hosts and cards, as the live stream continues them.
#[server(name = LoadFleet, prefix = "/api/page", endpoint = "fleet")]
pub async fn fleet() -> Result<Fleet, AppError> {
    use crate::{error::answer, port::portal};
    answer(async { portal()?.fleet().await }.await)
}

/// One host in full.
#[server(name = LoadHost, prefix = "/api/page", endpoint = "host")]
pub async fn host(name: String) -> Result<HostPage, AppError> {
    use crate::{error::answer, port::portal};
    answer(async { portal()?.host_page(name).await }.await)
}
