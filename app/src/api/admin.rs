//! Hosts and accounts, for administrators.

use domain::id::{HostId, UserId};
use domain::wire::page::{Admin, EnrolCode};
use leptos::prelude::*;
use leptos::server_fn::codec::Json;

use crate::error::AppError;

/// What administrators look after.
#[server(name = LoadAdmin, prefix = "/api/page", endpoint = "admin")]
pub async fn admin() -> Result<Admin, AppError> {
    use crate::{error::answer, port::portal};
    answer(async { portal()?.admin().await }.await)
}

/// Makes a code that enrols a host.
#[server(name = MakeEnrolCode, prefix = "/api/page", endpoint = "enrol_code")]
pub async fn enrol_code(host_name: String) -> Result<EnrolCode, AppError> {
    use crate::{error::answer, port::portal};
    answer(async { portal()?.enrol_code(host_name).await }.await)
}

/// Revokes a host's credential.
#[server(prefix = "/api/page", endpoint = "revoke_host")]
pub async fn revoke_host(host: HostId) -> Result<(), AppError> {
    use crate::{error::answer, port::portal};
    answer(async { portal()?.revoke_host(host).await }.await)
}

/// Says whose an OS account is.
#[server(prefix = "/api/page", endpoint = "map_account", input = Json)]
pub async fn map_account(host: Option<HostId>, os_user: String, person: UserId) -> Result<(), AppError> {
    use crate::{error::answer, port::portal};
    answer(async { portal()?.map_account(host, os_user, person).await }.await)
}

/// Takes that back.
#[server(prefix = "/api/page", endpoint = "unmap_account", input = Json)]
pub async fn unmap_account(host: Option<HostId>, os_user: String, person: UserId) -> Result<(), AppError> {
    use crate::{error::answer, port::portal};
    answer(async { portal()?.unmap_account(host, os_user, person).await }.await)
}
