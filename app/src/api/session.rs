//! Who is signed in, signing in and out, one's own account.

use domain::wire::page::{Account, Frame};
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
    use crate::{error::answer_form, port::portal};
    let typed = [("name", name.clone()), ("display_name", display_name.clone())];
    let account = domain::wire::page::NewAccount { name, display_name, password, zone };
    let ask = domain::wire::page::SetUp { code, account };
    answer_form::<SetUp>(async { portal()?.set_up(ask).await }.await, &typed)
}

/// Makes a member's account.
#[server(prefix = "/api/page", endpoint = "sign_up")]
pub async fn sign_up(name: String, display_name: String, password: String, zone: String) -> Result<(), AppError> {
    use crate::{error::answer_form, port::portal};
    let typed = [("name", name.clone()), ("display_name", display_name.clone())];
    let ask = domain::wire::page::NewAccount { name, display_name, password, zone };
    answer_form::<SignUp>(async { portal()?.sign_up(ask).await }.await, &typed)
}

/// Signs in.
#[server(prefix = "/api/page", endpoint = "sign_in")]
pub async fn sign_in(name: String, password: String) -> Result<(), AppError> {
    use crate::{error::answer_form, port::portal};
    let typed = [("name", name.clone())];
    let ask = domain::wire::page::SignIn { name, password };
    answer_form::<SignIn>(async { portal()?.sign_in(ask).await }.await, &typed)
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
