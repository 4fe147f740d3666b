//! Packed bodies, the interval, and retired hosts, over HTTP.

use std::io::Write;

use domain::error::ErrorCode;
use domain::wire::agent_v1::{LINK_PATH, REPORT_PATH, ReportReply};
use domain::wire::minutes_v1::{MINUTES_PATH, Minutes, MinutesReply};
use flate2::Compression;
use flate2::write::GzEncoder;
use reqwest::{Method, Response};
use serde_json::Value;

use crate::support::TestApp;
use crate::support::actor::Agent;
use crate::support::report::{report, uuid};

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

async fn send(agent: &Agent, path: &str, encoding: &str, body: Vec<u8>) -> Response {
    let request = agent.request(Method::POST, path).header("content-encoding", encoding);
    request.header("content-type", "application/json").body(body).send().await.unwrap()
}

async fn code(answer: Response) -> (u16, String, String) {
    let status = answer.status().as_u16();
    let problem: Value = answer.json().await.unwrap();
    (status, problem["code"].as_str().unwrap().to_owned(), problem["detail"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn a_packed_report_is_read_like_a_plain_one() {
    let app = TestApp::spawn_with(&["--report-interval=5"]).await;
    let agent = app.agent("rig").await;
    let body = serde_json::to_vec(&report("rig", 1, &[0], 10)).unwrap();
    for (encoding, body) in [("gzip", packed(&body)), ("GZIP", packed(&body)), ("identity", body.clone())] {
        let answer = send(&agent, REPORT_PATH, encoding, body).await;
        assert_eq!(answer.status(), 200, "{encoding}");
        let reply: ReportReply = answer.json().await.unwrap();
        assert_eq!((reply.table.host_name.as_str(), reply.interval_ms), ("rig", Some(5000)));
    }
    let minutes = serde_json::to_vec(&Minutes { minutes: Vec::new(), dropped: 0 }).unwrap();
    let answer = send(&agent, MINUTES_PATH, "gzip", packed(&minutes)).await;
    assert_eq!(answer.json::<MinutesReply>().await.unwrap(), MinutesReply::default());
}

#[tokio::test]
async fn what_unpacks_to_too_much_or_to_nothing_is_refused_in_words() {
    let app = TestApp::spawn().await;
    let agent = app.agent("rig").await;
    // A gigabyte of nothing in a megabyte, and again packed.
    let bomb = packed(&vec![b' '; 64 * 1024 * 1024]);
    assert!(bomb.len() < 1024 * 1024);
    for path in [REPORT_PATH, MINUTES_PATH] {
        let (status, code, detail) = code(send(&agent, path, "gzip", bomb.clone()).await).await;
        assert_eq!((status, code.as_str()), (413, "input.too_large"));
        assert!(detail.contains("1048576 bytes"), "{detail}");
    }
    let (status, small, _) = code(send(&agent, LINK_PATH, "gzip", packed(&vec![b' '; 70_000])).await).await;
    assert_eq!((status, small.as_str()), (413, "input.too_large"), "each address has its own limit");
    let good = packed(b"{}");
    for broken in [&good[..good.len() / 2], b"not gzip at all", b""] {
        let (status, code, _) = code(send(&agent, REPORT_PATH, "gzip", broken.to_vec()).await).await;
        assert_eq!((status, code.as_str()), (400, "input.malformed"), "{broken:?}");
    }
    for encoding in ["br", "zstd", "deflate", "gzip, gzip", "gzip, br"] {
        let (status, code, detail) = code(send(&agent, REPORT_PATH, encoding, good.clone()).await).await;
        assert_eq!((status, code.as_str()), (415, "input.unknown_encoding"), "{encoding}");
        assert!(detail.contains("gzip"), "{detail}");
    }
}

#[tokio::test]
async fn a_retired_host_is_refused_until_it_is_taken_back() {
    let app = TestApp::spawn().await;
    let (agent, admin, ada) = (app.agent("rig").await, app.admin().await, app.member("ada").await);
    let body = || serde_json::to_vec(&report("rig", 1, &[0], 10)).unwrap();
    assert_eq!(send(&agent, REPORT_PATH, "identity", body()).await.status(), 200);
    let book = async |from| ada.call("book", &super::wish(&[uuid("rig", 0)], from, from + 1)).await;
    assert_eq!(book(1).await.status(), 200);

    let host = agent.enrolled.host.to_string();
    assert_eq!(admin.submit("retire_host", &[("host", &host)]).await.status(), 200);
    for path in [REPORT_PATH, MINUTES_PATH, LINK_PATH] {
        let (status, code, detail) = code(send(&agent, path, "identity", body()).await).await;
        assert_eq!((status, code.as_str()), (403, ErrorCode::HostRetired.as_str()), "{path}");
        assert!(detail.contains("retired this host"), "{detail}");
    }
    let refused = book(3).await;
    assert_eq!(refused.status(), 409);
    let said = refused.text().await.unwrap();
    assert!(said.contains("reservation.card_not_bookable") && said.contains("the host is retired"), "{said}");
    let kept: i64 = sqlx::query_scalar("select count(*) from reservation").fetch_one(&app.pool).await.unwrap();
    assert_eq!(kept, 1, "what was booked stays");
    let page = admin.get("/admin").await.text().await.unwrap();
    assert!(page.contains("Retired") && page.contains("Take back"), "{page}");

    assert_eq!(admin.submit("take_back_host", &[("host", &host)]).await.status(), 200);
    assert_eq!(send(&agent, REPORT_PATH, "identity", body()).await.status(), 200);
    assert_eq!(book(3).await.status(), 200);
}
