//! Who may load which page: the sign-in page comes before all others, and set-up before anybody can sign in.
//!
//! This is for people's comfort only. What a caller may see or do is decided by the portal behind each page.

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use domain::address::with_query;
use http::Method;

use super::Site;
use super::plain::refuse;
use crate::auth::Caller;
use crate::service::setup;

const SIGN_IN: &str = "/sign-in";
const SIGN_UP: &str = "/sign-up";
const SET_UP: &str = "/setup";

/// Sends people to the page that they need first.
pub async fn layer(State(site): State<Site>, request: Request, next: Next) -> Response {
    let is_page = request.method() == Method::GET && !request.uri().path().starts_with("/api/");
    let Some(caller) = request.extensions().get::<Caller>().filter(|_| is_page).cloned() else {
        return next.run(request).await;
    };
    let signed_in = match caller.viewer() {
        Ok(viewer) => viewer.is_some(),
        Err(error) => return refuse(&request, error),
    };
    let needs_set_up = match setup::is_needed(&site.services).await {
        Ok(needed) => needed && !signed_in,
        Err(error) => return refuse(&request, error.into()),
    };
    match redirect(request.uri(), signed_in, needs_set_up) {
        // 303: whatever was asked for, the next request is a GET.
        Some(to) => Redirect::to(&to).into_response(),
        None => next.run(request).await,
    }
}

fn redirect(uri: &http::Uri, signed_in: bool, needs_set_up: bool) -> Option<String> {
    let path = uri.path();
    match path {
        SET_UP if needs_set_up => None,
        _ if needs_set_up => Some(SET_UP.to_owned()),
        SET_UP => Some("/".to_owned()),
        SIGN_IN | SIGN_UP if signed_in => Some(next_page(uri.query())),
        SIGN_IN | SIGN_UP => None,
        _ if signed_in => None,
        "/" => Some(SIGN_IN.to_owned()),
        _ => {
            let asked = uri.path_and_query().map_or(path, |whole| whole.as_str());
            Some(with_query(SIGN_IN, [("next", asked)]))
        }
    }
}

/// The page that `next` names, where it is one of ours. `//host` and `/\\host` are other sites to a browser.
fn next_page(query: Option<&str>) -> String {
    let next = query.unwrap_or_default().split('&').find_map(|pair| pair.strip_prefix("next=")).map(decode);
    let ours = |page: &String| {
        let mut chars = page.chars();
        let rooted = chars.next() == Some('/') && !matches!(chars.next(), Some('/' | '\\'));
        rooted && page.chars().all(|c| c.is_ascii_graphic() && c != '\\') && !page.starts_with(SIGN_IN)
    };
    next.filter(ours).unwrap_or_else(|| "/".to_owned())
}

fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let code = after.get(..2).filter(|_| first == b'%').and_then(|two| std::str::from_utf8(two).ok());
        match code.and_then(|two| u8::from_str_radix(two, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(if first == b'+' { b' ' } else { first });
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to(uri: &str, signed_in: bool, needs_set_up: bool) -> Option<String> {
        redirect(&uri.parse().expect("a URI"), signed_in, needs_set_up)
    }

    #[test]
    fn strangers_sign_in_first_and_come_back_to_where_they_wanted() {
        assert_eq!(to("/", false, false).as_deref(), Some("/sign-in"));
        let there = to("/bookings/7?a=b&c=d", false, false).expect("a redirect");
        assert_eq!(there, "/sign-in?next=/bookings/7%3Fa%3Db%26c%3Dd");
        assert_eq!(to(&there, true, false).as_deref(), Some("/bookings/7?a=b&c=d"));
        assert_eq!(to("/sign-in", false, false), None);
        assert_eq!(to("/sign-up", false, false), None);
        assert_eq!(to("/bookings", true, false), None);
    }

    #[test]
    fn before_there_is_an_administrator_only_set_up_is_open() {
        for page in ["/", "/sign-in", "/sign-up", "/bookings"] {
            assert_eq!(to(page, false, true).as_deref(), Some("/setup"), "{page}");
        }
        assert_eq!(to("/setup", false, true), None);
        assert_eq!(to("/setup", false, false).as_deref(), Some("/"));
    }

    #[test]
    fn next_never_leads_to_another_site() {
        for evil in [
            "//evil.org",
            "/%2Fevil.org",
            "/\\evil.org",
            "/%5Cevil.org",
            "https://evil.org",
            "evil.org",
            "/%0d%0aX: y",
            "",
        ] {
            let uri = format!("/sign-in?next={}", evil.replace('\\', "%5C").replace(' ', "%20"));
            assert_eq!(to(&uri, true, false).as_deref(), Some("/"), "{evil}");
        }
        assert_eq!(to("/sign-in?next=/sign-in", true, false).as_deref(), Some("/"), "no circles");
    }
}
