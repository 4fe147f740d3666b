//! Signing in over plain HTTP beyond this machine, which the operator has to ask for.

use reqwest::Method;
use serde_json::Value;

use crate::support::TestApp;
use crate::support::portal::PASSWORD;

/// Signs the administrator in from a page at `origin`, and gives back the cookie's text.
async fn sign_in(app: &TestApp, origin: &str) -> String {
    let fields = [("name", "root-admin"), ("password", PASSWORD)];
    let answer = app
        .anonymous()
        .request(Method::POST, "/api/page/sign_in")
        .header("origin", origin)
        .header("accept", "application/json")
        .form(&fields)
        .send()
        .await
        .expect("an answer");
    assert_eq!(answer.status(), 200, "{origin}");
    answer.headers()["set-cookie"].to_str().expect("text").to_owned()
}

/// What `frame` tells somebody with this cookie.
async fn frame(app: &TestApp, origin: &str, cookie: &str) -> Value {
    let pair = cookie.split(';').next().expect("a pair").to_owned();
    let request = app.anonymous().request(Method::POST, "/api/page/frame");
    let request = request.header("origin", origin).header("cookie", pair).header("accept", "application/json");
    request.send().await.expect("an answer").json().await.expect("JSON")
}

#[tokio::test]
async fn plain_http_beyond_this_machine_works_and_every_page_warns() {
    let app = TestApp::spawn_with(&["--listen=0.0.0.0:0", "--insecure-http"]).await;
    let admin = app.admin().await;
    let cookie = sign_in(&app, &app.url).await;
    assert!(cookie.starts_with("berth=") && !cookie.contains("Secure"), "{cookie}");
    let frame = frame(&app, &app.url, &cookie).await;
    assert_eq!(frame["viewer"]["name"], "root-admin");
    assert_eq!(frame["insecure_http"], true);
    let warning = domain::text::t().frame.insecure;
    for page in ["/", "/bookings", "/account"] {
        assert!(admin.get(page).await.text().await.expect("a page").contains(warning), "{page}");
    }
}
