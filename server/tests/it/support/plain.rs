//! A browser without scripts: it sends forms and reads pages.

use reqwest::Method;
use reqwest::header::LOCATION;

use super::actor::Actor;

/// Sends a form as the page at `page` does, and says where the answer leads.
pub async fn send(actor: &Actor, url: &str, page: &str, function: &str, fields: &[(&str, &str)]) -> String {
    let answer = actor
        .request(Method::POST, &format!("/api/page/{function}"))
        .header("origin", url)
        .header("referer", format!("{url}{page}"))
        .header("sec-fetch-site", "same-origin")
        .header("accept", "text/html")
        .form(fields)
        .send()
        .await
        .expect("an answer");
    let status = answer.status();
    let leads = answer.headers().get(LOCATION).map(|to| to.to_str().expect("text").replace(url, ""));
    leads.unwrap_or_else(|| panic!("{function} was answered with {status}"))
}

/// A page's text.
pub async fn text(actor: &Actor, page: &str) -> String {
    let answer = actor.get(page).await;
    assert_eq!(answer.status(), 200, "{page}");
    answer.text().await.expect("text")
}

/// All of it stands in the page.
pub fn says(page: &str, all: &[&str]) {
    for said in all {
        assert!(page.contains(said), "no `{said}` in {page}");
    }
}
