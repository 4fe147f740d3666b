//! What changes anything must come from our own pages: the answer to cross-site request forgery.
//!
//! Browsers say where a request comes from in `Sec-Fetch-Site`; older ones in `Origin` alone. Requests to `/api/v1`
//! carry no cookie and are checked by their credential instead.

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use domain::error::{ApiError, ErrorCode};
use domain::text;
use http::header::{COOKIE, HOST, ORIGIN};
use http::{HeaderMap, Method};

use super::Site;
use super::plain::refuse;
use crate::config::Config;

/// Refuses what another site made a browser send.
pub async fn layer(State(site): State<Site>, request: Request, next: Next) -> Response {
    let changes = !matches!(*request.method(), Method::GET | Method::HEAD);
    let by_cookie = request.headers().contains_key(COOKIE) || request.uri().path().starts_with("/api/page/");
    if changes && by_cookie && !is_ours(request.headers(), &site.config) {
        return refuse(&request, ApiError::new(ErrorCode::WrongOrigin, text::en().errors.wrong_origin));
    }
    next.run(request).await
}

fn is_ours(headers: &HeaderMap, config: &Config) -> bool {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("unreadable"));
    if let Some(site) = text("sec-fetch-site") {
        return matches!(site, "same-origin" | "none");
    }
    let Some(origin) = text(ORIGIN.as_str()) else { return false };
    match &config.public_origin {
        Some(ours) => origin == ours,
        None => text(HOST.as_str()).is_some_and(|host| origin == format!("http://{host}")),
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;
    use crate::config::Cli;
    use clap::Parser;

    fn config(public_url: Option<&str>) -> Config {
        let mut args = vec!["berth-server", "--data-dir=/nowhere"];
        let flag = public_url.map(|url| format!("--public-url={url}"));
        args.extend(flag.as_deref());
        Cli::parse_from(args).settings.check().expect("valid")
    }

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (http::HeaderName::from_static(name), HeaderValue::from_static(value)))
            .collect()
    }

    #[test]
    fn the_browser_s_own_word_decides() {
        for (site, ours) in [("same-origin", true), ("none", true), ("same-site", false), ("cross-site", false)] {
            let headers = headers(&[("sec-fetch-site", site), ("host", "a:3000"), ("origin", "http://a:3000")]);
            assert_eq!(is_ours(&headers, &config(None)), ours, "{site}");
        }
    }

    #[test]
    fn without_it_the_origin_must_be_exact() {
        let ours = [("host", "a:3000"), ("origin", "http://a:3000")];
        assert!(is_ours(&headers(&ours), &config(None)));
        for origin in ["http://a", "http://a:3001", "https://a:3000", "http://a:3000.evil.org", "null"] {
            assert!(!is_ours(&headers(&[("host", "a:3000"), ("origin", origin)]), &config(None)), "{origin}");
        }
        assert!(!is_ours(&headers(&[("host", "a:3000")]), &config(None)));
    }

    #[test]
    fn behind_a_proxy_the_public_address_counts_and_the_host_header_does_not() {
        let config = config(Some("https://gpu.example.org"));
        assert!(is_ours(&headers(&[("origin", "https://gpu.example.org")]), &config));
        assert!(!is_ours(&headers(&[("host", "evil.org"), ("origin", "http://evil.org")]), &config));
    }
}
