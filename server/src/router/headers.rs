//! Security headers on every answer. Pages bring their own Content-Security-Policy, with the nonce of their scripts.

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};
use http::{HeaderName, HeaderValue};

use super::Site;

/// For answers without scripts: the plain page needs its style and icon, and nothing else.
const STRICT: &str =
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The policy of a rendered page. Its scripts carry `nonce`; numbers that the portal computed stand in `style`
/// attributes, hence `style-src-attr`.
pub fn page_policy(nonce: &str) -> Option<HeaderValue> {
    HeaderValue::from_str(&format!(
        "default-src 'none'; script-src 'nonce-{nonce}' 'strict-dynamic' 'wasm-unsafe-eval'; \
         style-src 'self' 'nonce-{nonce}'; style-src-attr 'unsafe-inline'; img-src 'self' data:; font-src 'self'; \
         connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ))
    .ok()
}

/// Adds what is missing.
pub async fn layer(State(site): State<Site>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    let mut put = |name: HeaderName, value: &'static str| {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    };
    put(CONTENT_SECURITY_POLICY, STRICT);
    put(X_CONTENT_TYPE_OPTIONS, "nosniff");
    put(REFERRER_POLICY, "same-origin");
    put(X_FRAME_OPTIONS, "DENY");
    put(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    put(
        HeaderName::from_static("permissions-policy"),
        "camera=(), microphone=(), geolocation=(), payment=(), usb=(), clipboard-write=(self)",
    );
    // Whoever uses the machine next must not find the last person's pages with the Back button.
    put(CACHE_CONTROL, "no-store");
    if site.config.secure_cookies() {
        put(STRICT_TRANSPORT_SECURITY, "max-age=31536000");
    }
    response
}
