//! Reports: who may send them, and what becomes of broken and hostile ones.

use domain::wire::agent_v1::{REPORT_PATH, ReportReply};
use reqwest::{Method, Response};
use serde_json::{Value, json};

use crate::support::TestApp;
use crate::support::actor::Agent;
use crate::support::report::report;

async fn send(agent: &Agent, body: impl Into<reqwest::Body>) -> Response {
    agent.request(Method::POST, REPORT_PATH).body(body).send().await.unwrap()
}

async fn code(answer: Response) -> (u16, String) {
    let status = answer.status().as_u16();
    assert_eq!(answer.headers()["content-type"], "application/problem+json");
    let problem: Value = answer.json().await.unwrap();
    (status, problem["code"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn a_report_is_answered_with_the_table_of_its_host() {
    let app = TestApp::spawn().await;
    let agent = app.agent("rig").await;
    let answer = agent.request(Method::POST, REPORT_PATH).json(&report("rig", 1, &[0, 1], 10)).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    let ReportReply { table, .. } = answer.json().await.unwrap();
    assert_eq!((table.host_name.as_str(), table.portal_url.as_str()), ("rig", app.url.as_str()));
    let host: uuid::Uuid = sqlx::query_scalar("select host_id from card limit 1").fetch_one(&app.pool).await.unwrap();
    assert_eq!(host, agent.enrolled.host.0);
    app.stop().await;
}

#[tokio::test]
async fn a_wrong_missing_or_revoked_credential_is_refused() {
    let app = TestApp::spawn().await;
    let agent = app.agent("rig").await;
    let body = serde_json::to_vec(&report("rig", 1, &[0], 10)).unwrap();
    let unknown = (401, "agent.unknown".to_owned());
    let anonymous = app.anonymous();
    let bare = anonymous.request(Method::POST, REPORT_PATH).body(body.clone()).send().await.unwrap();
    assert_eq!(code(bare).await, unknown);
    for credential in ["bh_wrong", "", "admin", &"x".repeat(5000), &format!("{}x", agent.enrolled.credential)] {
        let request = anonymous.request(Method::POST, REPORT_PATH).bearer_auth(credential).body(body.clone());
        assert_eq!(code(request.send().await.unwrap()).await, unknown);
    }
    // A person's session is no host's credential.
    let admin = app.admin().await;
    let request = admin.request(Method::POST, REPORT_PATH).header("origin", &app.url).body(body.clone());
    assert_eq!(code(request.send().await.unwrap()).await, unknown);

    assert_eq!(send(&agent, body.clone()).await.status(), 200);
    let answer = admin.submit("revoke_host", &[("host", &agent.enrolled.host.to_string())]).await;
    assert_eq!(answer.status(), 200, "{}", answer.text().await.unwrap());
    assert_eq!(code(send(&agent, body).await).await, (401, "agent.revoked".to_owned()));
}

#[tokio::test]
async fn malformed_and_hostile_reports_are_refused_with_the_reason() {
    let app = TestApp::spawn().await;
    let agent = app.agent("rig").await;
    for body in [&b""[..], b"{", b"not json", b"\xff\xfe\x00", br#"{"seq": 1"#] {
        assert_eq!(code(send(&agent, body.to_vec()).await).await, (400, "input.malformed".to_owned()));
    }
    let nested = "[".repeat(100_000);
    assert!(matches!(code(send(&agent, nested).await).await.0, 400 | 422));

    let good = serde_json::to_value(report("rig", 1, &[0], 10)).unwrap();
    let with = |path: &str, value: Value| {
        let mut bad = good.clone();
        *bad.pointer_mut(path).unwrap() = value;
        bad.to_string()
    };
    let mut without_seq = good.clone();
    without_seq.as_object_mut().unwrap().remove("seq");
    for body in [
        "null".to_owned(),
        "[]".to_owned(),
        "{}".to_owned(),
        without_seq.to_string(),
        with("/seq", json!(-1)),
        with("/seq", json!(1.5)),
        with("/seq", json!(u64::MAX)),
        with("/boot_id", json!("")),
        with("/sampled_at", json!("yesterday")),
        with("/sampled_at", json!("+999999-01-01T00:00:00Z")),
        with("/cards/0/facts/uuid", json!("GPU-$(reboot)")),
        with("/cards/0/facts/index", json!(4_000_000_000_u32)),
        with("/cards/0/facts/index", json!(-1)),
        with("/cards/0/processes", json!(vec![good["cards"][0]["processes"][0].clone(); 257])),
        with("/cards", json!(vec![good["cards"][0].clone(); 2])),
        with("/cards", json!(vec![good["cards"][0].clone(); 257])),
    ] {
        let shown = body.chars().take(200).collect::<String>();
        assert_eq!(code(send(&agent, body).await).await, (422, "input.invalid".to_owned()), "{shown}");
    }
    let large = with("/driver_version", json!("x".repeat(2 * 1024 * 1024)));
    assert_eq!(code(send(&agent, large).await).await, (413, "input.too_large".to_owned()));

    let cards: i64 = sqlx::query_scalar("select count(*) from card").fetch_one(&app.pool).await.unwrap();
    assert_eq!(cards, 0, "nothing of all that was kept");
    // Text that tries something is kept harmless, and the host goes on.
    let tricky = with("/cards/0/facts/name", json!("<script>\u{0}\u{202e}\u{1b}[2J"));
    assert_eq!(send(&agent, tricky).await.status(), 200);
    let name: String = sqlx::query_scalar("select name from card").fetch_one(&app.pool).await.unwrap();
    assert!(name.starts_with("<script>") && !name.contains(['\u{202e}', '\u{1b}']), "{name:?}");
}

#[tokio::test]
async fn a_host_speaks_for_itself_alone() {
    let app = TestApp::spawn().await;
    let (rig, thief) = (app.agent("rig").await, app.agent("thief").await);
    let mut body = serde_json::to_value(report("rig", 1, &[0], 10)).unwrap();
    assert_eq!(send(&rig, body.to_string()).await.status(), 200);
    body["host"] = json!(rig.enrolled.host);
    body["host_id"] = json!(rig.enrolled.host);
    body["host_name"] = json!("rig");
    let answer = send(&thief, body.to_string()).await;
    let ReportReply { table, .. } = answer.json().await.unwrap();
    assert_eq!(table.host_name, "thief");
    let holder: uuid::Uuid = sqlx::query_scalar("select host_id from card").fetch_one(&app.pool).await.unwrap();
    assert_eq!(holder, rig.enrolled.host.0, "a card is not taken from a host that reports it");
}

#[tokio::test]
async fn the_description_of_the_api_is_served() {
    let app = TestApp::spawn().await;
    let answer = app.anonymous().request(Method::GET, "/api/v1/openapi.json").send().await.unwrap();
    assert_eq!(answer.status(), 200);
    let api: Value = answer.json().await.unwrap();
    assert!(api["paths"][REPORT_PATH]["post"]["responses"]["503"].is_object());
}
