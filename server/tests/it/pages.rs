//! Pages as a browser without scripts gets them: who is sent where, and what may run on them.

use crate::support::TestApp;

#[tokio::test]
async fn until_there_is_an_administrator_every_page_is_set_up() {
    let app = TestApp::spawn().await;
    let anonymous = app.anonymous();
    for page in ["/", "/sign-in", "/sign-up", "/bookings"] {
        let answer = anonymous.get(page).await;
        assert_eq!(answer.status(), 303, "{page}");
        assert_eq!(answer.headers()["location"], "/setup", "{page}");
    }
    assert_eq!(anonymous.get("/setup").await.status(), 200);
    app.admin().await;
    assert_eq!(anonymous.get("/setup").await.headers()["location"], "/");
}

#[tokio::test]
async fn strangers_sign_in_and_come_back_to_the_page_they_wanted() {
    let app = TestApp::spawn().await;
    let admin = app.admin().await;
    let anonymous = app.anonymous();
    assert_eq!(anonymous.get("/").await.headers()["location"], "/sign-in");
    let answer = anonymous.get("/bookings?tab=past").await;
    assert_eq!(answer.status(), 303);
    let there = answer.headers()["location"].to_str().expect("text").to_owned();
    assert_eq!(there, "/sign-in?next=/bookings%3Ftab%3Dpast");
    assert_eq!(anonymous.get(&there).await.status(), 200);
    assert_eq!(admin.get(&there).await.headers()["location"], "/bookings?tab=past");
    assert_eq!(admin.get("/sign-in?next=//evil.example").await.headers()["location"], "/");
}

#[tokio::test]
async fn an_address_without_a_page_says_so_with_404() {
    let app = TestApp::spawn().await;
    let answer = app.admin().await.get("/no-such-page").await;
    assert_eq!(answer.status(), 404);
    assert!(answer.text().await.expect("a page").contains("<html"));
}

#[tokio::test]
async fn only_scripts_with_the_nonce_of_this_very_answer_may_run() {
    let app = TestApp::spawn().await;
    let admin = app.admin().await;
    let mut nonces = Vec::new();
    for page in ["/", "/bookings", "/no-such-page"] {
        let answer = admin.get(page).await;
        let policy = answer.headers()["content-security-policy"].to_str().expect("text").to_owned();
        let nonce =
            policy.split("'nonce-").nth(1).and_then(|rest| rest.split('\'').next()).expect("a nonce").to_owned();
        assert!(nonce.len() >= 22, "{nonce}");
        assert!(
            policy.contains("'strict-dynamic' 'wasm-unsafe-eval'") && !policy.contains("'unsafe-eval'"),
            "{policy}"
        );
        let html = answer.text().await.expect("a page");
        let scripts: Vec<&str> =
            html.split("<script").skip(1).map(|rest| rest.split('>').next().expect("a tag")).collect();
        assert!(!scripts.is_empty(), "{page}");
        for script in scripts {
            assert!(script.contains(&format!("nonce=\"{nonce}\"")), "{page}: {script}");
        }
        nonces.push(nonce);
    }
    nonces.sort();
    nonces.dedup();
    assert_eq!(nonces.len(), 3, "a nonce is used once");
}

#[tokio::test]
async fn files_are_kept_for_ever_and_their_names_change_with_their_content() {
    let app = TestApp::spawn().await;
    let html = app.anonymous().get("/setup").await.text().await.expect("a page");
    let style = html.split("href=\"/pkg/").nth(1).and_then(|rest| rest.split('"').next()).expect("a file");
    let answer = app.anonymous().get(&format!("/pkg/{style}")).await;
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.headers()["cache-control"], "public, max-age=31536000, immutable");
    let gone = app.anonymous().get("/pkg/berth.0000000000000000.css").await;
    assert_eq!(gone.status(), 404);
    assert_eq!(gone.headers()["cache-control"], "no-store");
}
