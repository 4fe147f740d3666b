//! What surrounds every address: headers, origin, size, unknown addresses and methods.

use domain::wire::agent_v1::{LINK_PATH, REPORT_PATH};
use reqwest::{Method, Response};
use serde_json::Value;

use crate::support::TestApp;

fn header<'a>(answer: &'a Response, name: &str) -> &'a str {
    answer.headers().get(name).map_or("", |value| value.to_str().expect("text"))
}

async fn problem(answer: Response, status: u16, code: &str) {
    assert_eq!(answer.status(), status);
    assert_eq!(header(&answer, "content-type"), "application/problem+json");
    let id = header(&answer, "x-request-id").to_owned();
    let body: Value = answer.json().await.expect("JSON");
    assert_eq!(body["code"], code);
    assert_eq!(body["status"], status);
    assert!(!body["detail"].as_str().expect("a sentence").is_empty());
    assert_eq!(body["request"], id.as_str(), "the user sees the id that the log has");
}

#[tokio::test]
async fn unknown_addresses_and_methods_of_the_api_are_problems() {
    let app = TestApp::spawn().await;
    let anonymous = app.anonymous();
    problem(anonymous.get("/api/v1/nothing").await, 404, "not_found").await;
    problem(anonymous.get("/api/v1/agent/enrol").await, 405, "method_not_allowed").await;
    problem(anonymous.get("/api/nothing").await, 404, "not_found").await;
    let answer = anonymous.request(Method::DELETE, "/api/v1/agent/enrol").send().await.expect("an answer");
    problem(answer, 405, "method_not_allowed").await;
}

#[tokio::test]
async fn bodies_that_cannot_be_read_or_are_too_large_are_refused() {
    let app = TestApp::spawn().await;
    let post = |body: Vec<u8>| {
        app.anonymous()
            .request(Method::POST, "/api/v1/agent/enrol")
            .header("content-type", "application/json")
            .body(body)
            .send()
    };
    for body in [&b"{"[..], b"", b"[]", b"{\"code\": 7}", b"\xff\xfe", b"null"] {
        problem(post(body.to_vec()).await.expect("an answer"), 400, "input.malformed").await;
    }
    problem(post(vec![b' '; 65 * 1024]).await.expect("an answer"), 413, "input.too_large").await;
    let chunks = futures::stream::iter((0..80).map(|_| Ok::<_, std::io::Error>(vec![b' '; 1024])));
    let unannounced = app
        .anonymous()
        .request(Method::POST, "/api/v1/agent/enrol")
        .header("content-type", "application/json")
        .body(reqwest::Body::wrap_stream(chunks));
    problem(unannounced.send().await.expect("an answer"), 413, "input.too_large").await;
    let nothing = app.anonymous().request(Method::POST, "/api/v1/agent/enrol").send().await.expect("an answer");
    problem(nothing, 400, "input.malformed").await;
}

#[tokio::test]
async fn a_server_function_with_arguments_that_do_not_fit_is_the_caller_s_fault() {
    let app = TestApp::spawn().await;
    let admin = app.admin().await;
    for (function, fields) in [("set_zone", vec![("zon", "UTC")]), ("revoke_host", vec![("host", "seven")])] {
        assert_eq!(admin.submit(function, &fields).await.status(), 400, "{function}");
    }
    assert_eq!(admin.call("book", &serde_json::json!({ "ask": 7 })).await.status(), 400);
}

#[tokio::test]
async fn what_another_site_makes_a_browser_send_changes_nothing() {
    let app = TestApp::spawn().await;
    let ada = app.member("ada").await;
    let post = |headers: &[(&str, &str)]| {
        let request = ada.request(Method::POST, "/api/page/sign_out").header("accept", "application/json");
        headers.iter().fold(request, |request, (name, value)| request.header(*name, *value)).send()
    };
    let port = app.url.rsplit(':').next().expect("a port");
    let foreign = [
        vec![],
        vec![("sec-fetch-site", "cross-site")],
        vec![("sec-fetch-site", "same-site")],
        vec![("sec-fetch-site", "cross-site"), ("origin", app.url.as_str())],
        vec![("origin", "https://evil.example")],
        vec![("origin", "null")],
    ];
    for headers in foreign {
        let answer = post(&headers).await.expect("an answer");
        assert_eq!(answer.status(), 403, "{headers:?}");
        let body: Value = answer.json().await.expect("JSON");
        assert_eq!(body["Api"]["code"], "auth.wrong_origin", "{headers:?}");
    }
    let rebound = [("origin", format!("http://evil.example:{port}"))];
    let rebound: Vec<(&str, &str)> = rebound.iter().map(|(name, value)| (*name, value.as_str())).collect();
    assert_eq!(post(&rebound).await.expect("an answer").status(), 403);
    assert_eq!(ada.get("/").await.status(), 200, "still signed in");
    assert_eq!(post(&[("origin", &app.url)]).await.expect("an answer").status(), 200);
    assert_eq!(ada.get("/").await.status(), 303, "signed out");
}

#[tokio::test]
async fn every_answer_carries_the_security_headers() {
    let app = TestApp::spawn().await;
    let admin = app.admin().await;
    for path in ["/", "/sign-up", "/healthz", "/api/v1/nothing", "/nothing", "/favicon.svg"] {
        let answer = admin.get(path).await;
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "same-origin"),
            ("x-frame-options", "DENY"),
            ("cross-origin-opener-policy", "same-origin"),
            ("strict-transport-security", ""),
        ] {
            assert_eq!(header(&answer, name), value, "{path}");
        }
        assert!(header(&answer, "permissions-policy").contains("camera=()"), "{path}");
        assert!(header(&answer, "content-security-policy").contains("frame-ancestors 'none'"), "{path}");
        assert!(!header(&answer, "x-request-id").is_empty(), "{path}");
    }
}

#[tokio::test]
async fn behind_https_browsers_are_told_to_stay_with_it() {
    let app = TestApp::spawn_with(&["--public-url=https://gpu.example.org"]).await;
    let answer = app.anonymous().get("/sign-in").await;
    assert_eq!(header(&answer, "strict-transport-security"), "max-age=31536000");
}

#[tokio::test]
async fn a_person_s_cookie_is_no_identity_there() {
    let app = TestApp::spawn().await;
    let admin = app.admin().await;
    for path in [REPORT_PATH, LINK_PATH] {
        let ask = admin.request(Method::POST, path).header("sec-fetch-site", "same-origin").body("{}");
        problem(ask.send().await.expect("an answer"), 401, "agent.unknown").await;
    }
}

/// A link or an image on another site must not be able to change anything.
#[test]
fn nothing_that_can_be_loaded_by_a_link_changes_anything() {
    let functions: Vec<_> = leptos::server_fn::axum::server_fn_paths().collect();
    assert!(functions.len() > 10, "the functions register themselves");
    for (path, method) in functions {
        assert_eq!(method, Method::POST, "{path}");
        assert!(path.starts_with("/api/page/"), "{path}");
    }
}
