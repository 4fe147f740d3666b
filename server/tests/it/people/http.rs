//! The same over HTTP: cookies, statuses, headers, and what agents get.

use domain::wire::agent_v1::{ENROL_PATH, LINK_PATH, REPORT_PATH, ROTATE_PATH, SELF_PATH};
use domain::wire::host_v1::{BOOK_PATH, CHANGE_PATH};
use reqwest::{Method, Response, StatusCode};
use serde_json::{Value, json};
use time::Duration;

use crate::support::actor::Actor;
use crate::support::{PASSWORD, TestApp};

/// The cookie of an answer, as name, value and attributes.
fn cookie(answer: &Response) -> Option<(String, String, String)> {
    let text = answer.headers().get("set-cookie")?.to_str().unwrap();
    let (pair, attributes) = text.split_once("; ")?;
    let (name, value) = pair.split_once('=')?;
    Some((name.to_owned(), value.to_owned(), attributes.to_owned()))
}

async fn sign_in(actor: &Actor, name: &str, password: &str) -> Response {
    actor.submit("sign_in", &[("name", name), ("password", password)]).await
}

/// Whether a browser with this cookie sees pages, rather than being sent to the sign-in page.
async fn is_signed_in(app: &TestApp, cookie: &str) -> bool {
    let request = app.anonymous().request(Method::GET, "/").header("accept", "text/html").header("cookie", cookie);
    request.send().await.unwrap().status() == StatusCode::OK
}

async fn code_of(answer: Response) -> (u16, String) {
    let status = answer.status().as_u16();
    let body: Value = answer.json().await.unwrap();
    let code = body["code"].as_str().or_else(|| body["Api"]["code"].as_str()).unwrap();
    (status, code.to_owned())
}

#[tokio::test]
async fn the_cookie_is_for_this_portal_alone_and_changes_at_every_sign_in() {
    let app = TestApp::spawn().await;
    app.member("ada").await;
    let ada = app.anonymous();
    assert!(cookie(&ada.get("/sign-in").await).is_none(), "nobody gets a session for looking");
    let (name, first, attributes) = cookie(&sign_in(&ada, "ada", PASSWORD).await).unwrap();
    assert_eq!(name, "berth");
    for wanted in ["HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=604800"] {
        assert!(attributes.contains(wanted), "{attributes}");
    }
    assert!(!attributes.contains("Secure") && !attributes.contains("Domain"), "{attributes}");
    assert!(is_signed_in(&app, &format!("berth={first}")).await);

    let (_, second, _) = cookie(&sign_in(&ada, "ada", PASSWORD).await).unwrap();
    assert_ne!(first, second);
    assert!(!is_signed_in(&app, &format!("berth={first}")).await);
    assert!(is_signed_in(&app, &format!("berth={second}")).await);

    let gone = ada.submit("sign_out", &[]).await;
    let (_, value, attributes) = cookie(&gone).unwrap();
    assert!(value.is_empty() && attributes.contains("Max-Age=0"), "{attributes}");
    assert!(!is_signed_in(&app, &format!("berth={second}")).await);
    for broken in ["berth=", "berth=x", "berth=AAAAAAAAAAAAAAAAAAAAAA", "__Host-berth=x"] {
        assert!(!is_signed_in(&app, broken).await, "{broken}");
    }
}

#[tokio::test]
async fn behind_https_the_cookie_is_bound_to_it() {
    let app = TestApp::spawn_with(&["--public-url=https://gpu.example.org"]).await;
    let code = server::service::setup::ensure_code(&app.services()).await.unwrap().unwrap();
    let ask =
        [("code", code.as_str()), ("name", "ruth"), ("display_name", "Ruth"), ("password", PASSWORD), ("zone", "UTC")];
    let answer = app
        .anonymous()
        .request(Method::POST, "/api/page/set_up")
        .header("origin", "https://gpu.example.org")
        .header("host", "gpu.example.org")
        .header("accept", "application/json")
        .form(&ask)
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 200);
    let (name, _, attributes) = cookie(&answer).unwrap();
    assert_eq!(name, "__Host-berth");
    assert!(attributes.contains("Secure") && attributes.contains("Path=/") && !attributes.contains("Domain"));
}

#[tokio::test]
async fn wrong_and_unknown_get_the_same_answer_and_then_a_wait() {
    let app = TestApp::spawn().await;
    app.member("ada").await;
    let eve = app.anonymous();
    let mut bodies = Vec::new();
    for name in ["ada", "nobody"] {
        let answer = sign_in(&eve, name, "wrong wrong").await;
        assert_eq!(answer.status(), 401);
        assert!(cookie(&answer).is_none());
        bodies.push(answer.text().await.unwrap());
    }
    assert_eq!(bodies[0], bodies[1]);
    for _ in 0..4 {
        assert_eq!(sign_in(&eve, "ada", "wrong wrong").await.status(), 401);
    }
    let wait = sign_in(&eve, "ada", PASSWORD).await;
    assert_eq!(wait.headers()["retry-after"], "1");
    assert_eq!(code_of(wait).await, (429, "auth.too_many_attempts".to_owned()));
    app.clock.advance(Duration::seconds(1));
    assert_eq!(sign_in(&eve, "ada", PASSWORD).await.status(), 200);
}

#[tokio::test]
async fn an_ended_session_is_told_apart_from_a_missing_role() {
    let app = TestApp::spawn().await;
    let ada = app.member("ada").await;
    assert_eq!(code_of(ada.submit("new_code", &[("host", "rig")]).await).await.1, "auth.not_allowed");
    app.clock.advance(Duration::hours(13));
    let ended = ada.submit("set_zone", &[("zone", "UTC")]).await;
    assert_eq!(code_of(ended).await, (401, "auth.sign_in_needed".to_owned()));
}

#[tokio::test]
async fn an_agent_enrols_once_links_people_and_is_refused_once_revoked() {
    let app = TestApp::spawn().await;
    let (admin, ada) = (app.admin().await, app.member("ada").await);
    let enrolment: Value = admin.submit("new_code", &[("host", "rig")]).await.json().await.unwrap();
    let ask = json!({ "code": enrolment[0], "hostname": "rig.example.org", "agent_version": "0.1.0", "later": 1 });
    let enrol = || app.anonymous().request(Method::POST, ENROL_PATH).json(&ask).send();
    let enrolled: Value = enrol().await.unwrap().json().await.unwrap();
    let credential = enrolled["credential"].as_str().unwrap().to_owned();
    let again = enrol().await.unwrap();
    assert_eq!(again.headers()["content-type"], "application/problem+json");
    assert_eq!(code_of(again).await, (403, "agent.wrong_code".to_owned()));

    let made: Value = ada.submit("new_code", &[]).await.json().await.unwrap();
    let link = |credential: &str, os_user: &str| {
        let request = app.anonymous().request(Method::POST, LINK_PATH).bearer_auth(credential);
        request.json(&json!({ "code": made[0], "os_user": os_user })).send()
    };
    for wrong in ["", "bh_", "bh_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", &credential[3..], &"bh_x".repeat(1000)] {
        assert_eq!(code_of(link(wrong, "ada").await.unwrap()).await, (401, "agent.unknown".to_owned()), "{wrong}");
    }
    assert_eq!(code_of(link(&credential, "a b").await.unwrap()).await, (422, "input.invalid".to_owned()));
    assert_eq!(code_of(link(&credential, "root").await.unwrap()).await, (403, "auth.not_allowed".to_owned()));
    let linked: Value = link(&credential, "ada").await.unwrap().json().await.unwrap();
    assert_eq!(linked["name"], "ada");
    assert_eq!(code_of(link(&credential, "ada").await.unwrap()).await, (403, "link.wrong_code".to_owned()));

    let host = enrolled["host"].as_str().unwrap();
    assert_eq!(admin.submit("revoke_host", &[("host", host)]).await.status(), 200);
    for path in [LINK_PATH, REPORT_PATH, BOOK_PATH, CHANGE_PATH] {
        let request = app.anonymous().request(Method::POST, path).bearer_auth(&credential).json(&json!({}));
        assert_eq!(code_of(request.send().await.unwrap()).await, (401, "agent.revoked".to_owned()), "{path}");
    }
    // A person's cookie is nobody on the machines' API.
    let by_cookie =
        ada.request(Method::POST, LINK_PATH).header("origin", &app.url).json(&json!({ "code": "x", "os_user": "ada" }));
    assert_eq!(code_of(by_cookie.send().await.unwrap()).await, (401, "agent.unknown".to_owned()));
}

#[tokio::test]
async fn an_agent_renews_its_credential() {
    let app = TestApp::spawn().await;
    let agent = app.agent("rig").await;
    let admin = app.admin().await;
    let host = agent.enrolled.host.to_string();
    let whoami = async |credential: &str| {
        app.anonymous().request(Method::GET, SELF_PATH).bearer_auth(credential).send().await.unwrap()
    };
    let old = agent.enrolled.credential.clone();
    let answer: Value = whoami(&old).await.json().await.unwrap();
    assert_eq!((&answer["host"], &answer["host_name"]), (&json!(host), &json!("rig")));

    assert_eq!(admin.submit("rotate_host", &[("host", &host)]).await.status(), 200);
    let page = admin.get("/admin").await.text().await.unwrap();
    assert!(page.contains("New credential asked for"));
    let answer: Value = agent.request(Method::POST, ROTATE_PATH).send().await.unwrap().json().await.unwrap();
    let new = answer["credential"].as_str().unwrap();
    assert!(new.starts_with("bh_") && new != old);
    assert_eq!(whoami(&old).await.status(), 200);
    assert_eq!(whoami(new).await.status(), 200);
    assert_eq!(code_of(whoami(&old).await).await, (401, "agent.unknown".to_owned()));
    for path in [ROTATE_PATH, LINK_PATH, BOOK_PATH, CHANGE_PATH] {
        let refused = agent.request(Method::POST, path).json(&json!({})).send().await.unwrap();
        assert_eq!(code_of(refused).await, (401, "agent.unknown".to_owned()), "{path}");
    }
    assert!(admin.get("/admin").await.text().await.unwrap().contains("Rotate credential"));
}
