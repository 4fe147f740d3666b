//! Hosts and accounts, for administrators.

use domain::id::{HostId, UserId};
use domain::wire::page::Admin;
use leptos::prelude::*;

use crate::error::AppError;

/// What administrators look after.
#[server(name = LoadAdmin, prefix = "/api/page", endpoint = "admin")]
pub async fn admin() -> Result<Admin, AppError> {
    use crate::{error::answer, port::portal};
    answer(async { portal()?.admin().await }.await)
}

/// Revokes a host's credential.
#[server(prefix = "/api/page", endpoint = "revoke_host")]
pub async fn revoke_host(host: HostId) -> Result<(), AppError> {
    use crate::{error::answer, port::portal};
    answer(async { portal()?.revoke_host(host).await }.await)
}

/// Has a host renew its credential.
#[server(prefix = "/api/page", endpoint = "rotate_host")]
pub async fn rotate_host(host: HostId) -> Result<(), AppError> {
    use crate::{error::answer, port::portal};
    answer(async { portal()?.rotate_host(host).await }.await)
}

/// Retires a host: its cards take no more bookings.
#[server(prefix = "/api/page", endpoint = "retire_host")]
pub async fn retire_host(host: HostId) -> Result<(), AppError> {
    use crate::{error::answer, port::portal};
    answer(async { portal()?.retire_host(host).await }.await)
}

/// Takes a retired host back.
#[server(prefix = "/api/page", endpoint = "take_back_host")]
pub async fn take_back_host(host: HostId) -> Result<(), AppError> {
    use crate::{error::answer, port::portal};
    answer(async { portal()?.take_back_host(host).await }.await)
}

/// Says whose an OS account is. `host` is empty for all hosts: a form field cannot be absent.
#[server(prefix = "/api/page", endpoint = "map_account")]
pub async fn map_account(#[server(default)] host: String, os_user: String, person: UserId) -> Result<(), AppError> {
    use crate::{error::answer_form, port::portal};
    let typed = [("host", host.clone()), ("os_user", os_user.clone()), ("person", person.to_string())];
    answer_form::<MapAccount>(async { portal()?.map_account(host_of(&host)?, os_user, person).await }.await, &typed)
}

/// Takes that back. `host` likewise.
#[server(prefix = "/api/page", endpoint = "unmap_account")]
pub async fn unmap_account(#[server(default)] host: String, os_user: String, person: UserId) -> Result<(), AppError> {
    use crate::{error::answer, port::portal};
    answer(async { portal()?.unmap_account(host_of(&host)?, os_user, person).await }.await)
}

#[cfg(feature = "ssr")]
fn host_of(text: &str) -> Result<Option<HostId>, domain::error::ApiError> {
    use domain::error::{ApiError, ErrorCode, Field};
    let unknown = |_| ApiError::new(ErrorCode::BadInput, domain::text::t().errors.unknown_host).on(Field::Host);
    Some(text).filter(|text| !text.is_empty()).map(|text| text.parse().map_err(unknown)).transpose()
}
