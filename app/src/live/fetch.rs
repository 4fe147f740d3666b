//! Asking the server from the browser, without the machinery of server functions.

use leptos::server_fn::ServerFn;
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Headers, RequestInit, Response};

use crate::error::AppError;
use crate::json;

/// What a form without files is sent as.
pub const FORM: &str = "application/x-www-form-urlencoded";
/// What server functions with `input = Json` take.
const JSON: &str = "application/json";

/// Status and body.
pub type Answer = (u16, String);

/// Calls a server function that takes JSON.
///
/// # Errors
/// The server's refusal, or that it could not be reached.
pub async fn call<F>(ask: &F) -> Result<F::Output, AppError>
where
    F: ServerFn<Error = AppError> + Serialize,
    F::Output: DeserializeOwned,
{
    let body = serde_json::to_string(ask).unwrap_or_default();
    understood(post(F::PATH, JSON, &body).await)
}

/// Calls a server function that takes a form, with this as what was filled in.
///
/// # Errors
/// The server's refusal, or that it could not be reached.
pub async fn call_form<F>(filled: &str) -> Result<F::Output, AppError>
where
    F: ServerFn<Error = AppError>,
    F::Output: DeserializeOwned,
{
    understood(post(F::PATH, FORM, filled).await)
}

fn understood<T: DeserializeOwned>(answer: Option<Answer>) -> Result<T, AppError> {
    let lost = || AppError::Transport(String::new());
    let (status, body) = answer.ok_or_else(lost)?;
    match status {
        200 => json::read(&body).ok_or_else(lost),
        _ => Err(json::read(&body).unwrap_or_else(lost)),
    }
}

/// Posts to a server function; `None` where no answer comes. The body is a form's (`name=value`) or JSON.
pub async fn post(path: &str, kind: &str, body: &str) -> Option<Answer> {
    send(path, kind, body).await.ok()
}

/// Fetches a page of the portal; `None` where no answer comes.
pub async fn get(path: &str) -> Option<Answer> {
    answer(&RequestInit::new(), path).await.ok()
}

async fn send(path: &str, kind: &str, body: &str) -> Result<Answer, JsValue> {
    let headers = Headers::new()?;
    headers.set("content-type", kind)?;
    headers.set("accept", "application/json")?;
    let ask = RequestInit::new();
    ask.set_method("POST");
    ask.set_headers(&headers);
    ask.set_body(&JsValue::from_str(body));
    answer(&ask, path).await
}

async fn answer(ask: &RequestInit, path: &str) -> Result<Answer, JsValue> {
    let window = web_sys::window().ok_or(JsValue::NULL)?;
    let response: Response = JsFuture::from(window.fetch_with_str_and_init(path, ask)).await?.unchecked_into();
    let text = JsFuture::from(response.text()?).await?.as_string().unwrap_or_default();
    Ok((response.status(), text))
}
