//! What a new host downloads, and the steps that the page shows for it.

use std::path::Path;

use reqwest::{Method, Response, StatusCode};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::support::{TestApp, until};

const PROGRAM: &str = "/download/berth";
const HASH: &str = "/download/berth.sha256";

fn write(path: &Path, content: &[u8]) -> String {
    // As an upgrade does it: a new file under the old name.
    let beside = path.with_extension("new");
    std::fs::write(&beside, content).unwrap();
    std::fs::rename(beside, path).unwrap();
    Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect()
}

async fn ready(app: &TestApp, path: &str) -> Response {
    until("the program is known", async || app.anonymous().get(path).await.status() == StatusCode::OK).await;
    app.anonymous().get(path).await
}

fn header(answer: &Response, name: &str) -> String {
    answer.headers().get(name).map(|value| value.to_str().unwrap().to_owned()).unwrap_or_default()
}

#[tokio::test]
async fn anybody_can_download_the_program_and_its_hash() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("berth");
    // More than one piece, and not a whole number of them.
    let content: Vec<u8> = (0..700_001_u32).map(|i| (i % 251) as u8).collect();
    let hash = write(&path, &content);
    let app = TestApp::spawn_with(&[&format!("--agent-program={}", path.display())]).await;

    let answer = ready(&app, PROGRAM).await;
    assert_eq!(header(&answer, "content-type"), "application/octet-stream");
    assert_eq!(header(&answer, "content-length"), "700001");
    assert_eq!(header(&answer, "etag"), format!("\"{hash}\""));
    assert!(header(&answer, "repr-digest").starts_with("sha-256=:"), "{answer:?}");
    assert!(answer.bytes().await.unwrap() == content[..]);
    let line = ready(&app, HASH).await.text().await.unwrap();
    assert_eq!(line, format!("{hash}  berth\n"));

    let again = |tag: String| app.anonymous().request(Method::GET, PROGRAM).header("if-none-match", tag).send();
    let same = again(format!("\"x\", W/\"{hash}\"")).await.unwrap();
    assert_eq!((same.status().as_u16(), same.bytes().await.unwrap().len()), (304, 0));
    assert_eq!(again("\"x\"".to_owned()).await.unwrap().status(), 200);
    let head = app.anonymous().request(Method::HEAD, PROGRAM).send().await.unwrap();
    assert_eq!((head.status().as_u16(), header(&head, "content-length")), (200, "700001".to_owned()));

    // Replaced while the portal runs: never a hash that is not that of what is sent.
    let hash = write(&path, b"#!/bin/sh\n");
    until("the new program is known", async || {
        let answer = app.anonymous().get(PROGRAM).await;
        answer.status() == 200 && header(&answer, "etag") == format!("\"{hash}\"")
    })
    .await;
    assert_eq!(ready(&app, PROGRAM).await.text().await.unwrap(), "#!/bin/sh\n");
    app.stop().await;
}

#[tokio::test]
async fn without_a_program_the_page_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("berth");
    let app = TestApp::spawn_with(&[&format!("--agent-program={}", path.display())]).await;
    for address in [PROGRAM, HASH] {
        let answer = app.anonymous().get(address).await;
        assert_eq!(
            (answer.status().as_u16(), header(&answer, "content-type").as_str()),
            (404, "application/problem+json")
        );
        let problem: Value = answer.json().await.unwrap();
        assert!(problem["detail"].as_str().unwrap().contains("BERTH_AGENT_PROGRAM"), "{problem}");
    }
    let admin = app.admin().await;
    let page = admin.get("/admin").await.text().await.unwrap();
    assert!(page.contains("This portal has no berth program to hand out."));

    // It needs no restart.
    let hash = write(&path, b"program");
    ready(&app, HASH).await;
    let page = admin.get("/admin").await.text().await.unwrap();
    let text = page.replace("&#x27;", "'").replace("&#39;", "'").replace("&amp;", "&");
    for wanted in [
        &format!("{}/download/berth", app.url),
        &hash,
        "| sha256sum",
        "/usr/local/bin/berth",
        &format!("sudo berth enrol {}", app.url),
    ] {
        assert!(text.contains(wanted), "{wanted}");
    }
    app.stop().await;
}
