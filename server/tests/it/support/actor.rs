//! Somebody who uses the portal over HTTP.

use domain::wire::agent_v1::{ENROL_PATH, EnrolReply, EnrolRequest};
use reqwest::{Client, Method, RequestBuilder, Response};
use serde::Serialize;

/// A browser (or a program) with its own cookies; follows no redirects, so that tests see them.
pub struct Actor {
    client: Client,
    url: String,
}

impl Actor {
    /// One that talks to the portal at `url`.
    pub fn new(url: &str) -> Self {
        let client = Client::builder()
            .cookie_store(true)
            .redirect(reqwest::redirect::Policy::none())
            .timeout(super::PATIENCE)
            .build()
            .expect("a client");
        Self { client, url: url.to_owned() }
    }

    /// Any request, as a program sends it.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("{}{path}", self.url))
    }

    /// Loads an address.
    pub async fn get(&self, path: &str) -> Response {
        self.request(Method::GET, path).header("accept", "text/html").send().await.expect("an answer")
    }

    /// Calls a server function as our own pages do; `ask` holds its arguments by their names.
    pub async fn call(&self, function: &str, ask: &impl Serialize) -> Response {
        self.page_request(function).json(ask).send().await.expect("an answer")
    }

    /// Sends a form to a server function as our own pages do.
    pub async fn submit(&self, function: &str, fields: &[(&str, &str)]) -> Response {
        self.page_request(function).form(fields).send().await.expect("an answer")
    }

    fn page_request(&self, function: &str) -> RequestBuilder {
        self.request(Method::POST, &format!("/api/page/{function}"))
            .header("origin", &self.url)
            .header("sec-fetch-site", "same-origin")
            .header("accept", "application/json")
    }
}

/// The agent of an enrolled host, as far as the portal can tell.
pub struct Agent {
    actor: Actor,
    /// What it enrolled with.
    pub enrolled: EnrolReply,
}

impl Agent {
    /// Exchanges the code.
    pub async fn enrol(actor: Actor, code: String) -> Self {
        let ask = EnrolRequest { code, hostname: "machine".to_owned(), agent_version: "0.1.0".to_owned() };
        let answer = actor.request(Method::POST, ENROL_PATH).json(&ask).send().await.expect("an answer");
        assert_eq!(answer.status(), 200);
        Self { actor, enrolled: answer.json().await.expect("a credential") }
    }

    /// A request with the host's credential.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.actor.request(method, path).bearer_auth(&self.enrolled.credential)
    }
}
