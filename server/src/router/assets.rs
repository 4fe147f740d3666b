//! The built browser part and the style sheet, embedded in the program. Content hashes are in the names, so browsers
//! may keep them for ever.

use std::sync::LazyLock;

use app::shell::{Assets, Part};
use axum::extract::Path;
use axum::response::{IntoResponse, Response};
use http::header::{ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, VARY};
use http::{HeaderMap, HeaderValue, StatusCode};

/// A file as built.
struct File {
    /// Its name below `/pkg/`.
    name: &'static str,
    /// Its content.
    plain: &'static [u8],
    /// Its content, compressed with brotli.
    brotli: Option<&'static [u8]>,
}

// `FILES`, and the addresses `LOOK_SCRIPT`, `LOOK_WASM`, `PLAN_SCRIPT`, `PLAN_WASM`, `STYLE` and `ICON`.
include!(concat!(env!("OUT_DIR"), "/assets.rs"));

static ADDRESSES: LazyLock<Assets> = LazyLock::new(|| Assets {
    look: Part { script: LOOK_SCRIPT.to_owned(), wasm: LOOK_WASM.to_owned() },
    plan: Part { script: PLAN_SCRIPT.to_owned(), wasm: PLAN_WASM.to_owned() },
    style: STYLE.to_owned(),
    icon: ICON.to_owned(),
});

/// Where the pages find them.
pub fn addresses() -> &'static Assets {
    &ADDRESSES
}

/// One file.
pub async fn file(Path(name): Path<String>, headers: HeaderMap) -> Response {
    let Some(file) = FILES.iter().find(|file| file.name == name) else {
        // A page from before an upgrade may ask for what is gone; never cache that.
        return StatusCode::NOT_FOUND.into_response();
    };
    let mut response = match file.brotli.filter(|_| takes_brotli(&headers)) {
        Some(brotli) => ([(CONTENT_ENCODING, HeaderValue::from_static("br"))], brotli).into_response(),
        None => file.plain.into_response(),
    };
    let answer = response.headers_mut();
    answer.insert(CONTENT_TYPE, HeaderValue::from_static(kind(file.name)));
    answer.insert(CACHE_CONTROL, HeaderValue::from_static("public, max-age=31536000, immutable"));
    answer.insert(VARY, HeaderValue::from_static("accept-encoding"));
    response
}

/// The icon at the address where programs look for it unasked.
pub async fn icon(headers: HeaderMap) -> Response {
    let name = ICON.rsplit('/').next().unwrap_or_default().to_owned();
    let mut response = file(Path(name), headers).await;
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("public, max-age=86400"));
    response
}

fn takes_brotli(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    accepted.flat_map(|line| line.split(',')).any(|entry| {
        let mut parts = entry.split(';').map(str::trim);
        parts.next() == Some("br") && !parts.any(|part| ["q=0", "q=0.0", "q=0.00", "q=0.000"].contains(&part))
    })
}

fn kind(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("js") => "text/javascript; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("woff2") => "font/woff2",
        Some("png") => "image/png",
        _ => "application/octet-stream",
    }
}
