//! Looking for cards by one sentence of choices, and booking what was found by one click.

use domain::finder::{Choices, Found, Line};
use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::error::AppError;

/// What the sentence and its suggestions are made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinePage {
    /// The sentence.
    pub line: Line,
    /// What there is to choose from.
    pub choices: Choices,
    /// What was found.
    pub found: Found,
    /// What idempotency keys are made from: one for each page that somebody opens.
    pub key: Uuid,
}

/// Looks for what a sentence says; `key` is that of the page which asks again.
#[server(name = LoadLine, prefix = "/api/page", endpoint = "finder_line", input = Json)]
pub async fn finder_line(line: Line, key: Option<Uuid>) -> Result<LinePage, AppError> {
    use crate::{error::answer, port::portal};
    let page = async {
        let portal = portal()?;
        let frame = portal.frame().await?;
        let choices = portal.choices().await?;
        let found = portal.find(line.want(&frame.zone, frame.now)).await?;
        Ok(LinePage { line, choices, found, key: key.unwrap_or_else(Uuid::new_v4) })
    };
    answer(page.await)
}

/// A suggestion as its button sends it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FoundForm {
    /// Cards.
    #[serde(default)]
    pub cards: Vec<String>,
    /// Start, RFC 3339.
    pub start: String,
    /// End, RFC 3339.
    pub end: String,
    /// The page's key: [`LinePage::key`].
    pub key: Uuid,
    /// Where the sentence stands.
    pub back: String,
}

/// Books a suggestion, and leads to the booking; where that fails, to where something else can be chosen.
#[server(prefix = "/api/page", endpoint = "book_found")]
pub async fn book_found(form: FoundForm) -> Result<(), AppError> {
    leptos_axum::redirect(&crate::components::finder::plain::answer(form).await);
    Ok(())
}
