//! Who is signed in, signing in and out, one's own account.

use domain::wire::page::{Account, Frame, LinkCode};
use leptos::prelude::*;

use crate::error::AppError;

/// What every page needs.
#[server(name = LoadFrame, prefix = "/api/page", endpoint = "frame")]
pub async fn frame() -> Result<Frame, AppError> {
    use crate::{error::answer, port::portal};
    answer(async { portal()?.frame().await }.await)
}

/// Makes the first administrator with the one-time code.
#[server(prefix = "/api/page", endpoint = "set_up")]
pub async fn set_up(
    code: String,
    name: String,
    display_name: String,
    password: String,
    zone: String,
) -> Result<(), AppError> {
    use crate::{error::answer, port::portal};
    use domain::wire::page::{NewAccount, SetUp};
    let account = NewAccount { name, display_name, password, zone };
    answer(async { portal()?.set_up(SetUp { code, account }).await }.await)
}

/// Makes a member's account.
#[server(prefix = "/api/page", endpoint = "sign_up")]
pub async fn sign_up(name: String, display_name: String, password: String, zone: String) -> Result<(), AppError> {
    use crate::{error::answer, port::portal};
    use domain::wire::page::NewAccount;
    answer(async { portal()?.sign_up(NewAccount { name, display_name, password, zone }).await }.await)
}

/// Signs in.
#[server(prefix = "/api/page", endpoint = "sign_in")]
pub async fn sign_in(name: String, password: String) -> Result<(), AppError> {
    use crate::{error::answer, port::portal};
    use domain::wire::page::SignIn;
    answer(async { portal()?.sign_in(SignIn { name, password }).await }.await)
}

/// Signs out.
#[server(prefix = "/api/page", endpoint = "sign_out")]
pub async fn sign_out() -> Result<(), AppError> {
    use crate::{error::answer, port::portal};
    answer(async { portal()?.sign_out().await }.await)
}

/// The viewer's own account.
#[server(name = LoadAccount, prefix = "/api/page", endpoint = "account")]
pub async fn account() -> Result<Account, AppError> {
    use crate::{error::answer, port::portal};
    answer(async { portal()?.account().await }.await)
}

/// Sets the viewer's zone.
#[server(prefix = "/api/page", endpoint = "set_zone")]
pub async fn set_zone(zone: String) -> Result<(), AppError> {
    use crate::{error::answer, port::portal};
    answer(async { portal()?.set_zone(zone).await }.await)
}

/// Makes a code for `berth link`.
#[server(name = MakeLinkCode, prefix = "/api/page", endpoint = "link_code")]
pub async fn link_code() -> Result<LinkCode, AppError> {
    use crate::{error::answer, port::portal};
    answer(async { portal()?.link_code().await }.await)
}
