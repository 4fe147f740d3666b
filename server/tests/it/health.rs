//! `/healthz`.

use crate::support::TestApp;

#[tokio::test]
async fn says_that_the_database_answers() {
    let app = TestApp::spawn().await;
    let answer = app.anonymous().get("/healthz").await;
    assert_eq!(answer.status(), 200);
    let health: serde_json::Value = answer.json().await.expect("JSON");
    assert_eq!(health["status"], "ok");
    assert_eq!(health["database"], "answers");
    app.stop().await;
}
