//! Asking the server from the browser, without the machinery of server functions.

use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Headers, RequestInit, Response};

/// Status and body.
pub type Answer = (u16, String);

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
