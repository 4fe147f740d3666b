//! What the viewer is told.

use domain::id::{ReservationId, WaitId};
use domain::notice::Notices;
use domain::wire::calendar::{WaitAsk, Waiting};
use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use serde::{Deserialize, Serialize};

use crate::error::AppError;

/// What the page of notices shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NoticesPage {
    /// The viewer's notices, newest first.
    pub notices: Notices,
    /// The viewer's places in the queue.
    pub waiting: Vec<Waiting>,
}

/// The viewer's notices, and what the viewer waits for.
#[server(name = LoadNotices, prefix = "/api/page", endpoint = "notices")]
pub async fn notices() -> Result<NoticesPage, AppError> {
    use crate::{error::answer, port::portal};
    let page = async {
        let portal = portal()?;
        Ok(NoticesPage { notices: portal.notices().await?, waiting: portal.waiting().await? })
    };
    answer(page.await)
}

/// Asks the holder of a booking whether its cards can be had earlier, and leads back to the booking. Gives whether the
/// holder was told now; once a day for each booking.
#[server(prefix = "/api/page", endpoint = "ask_holder")]
pub async fn ask_holder(id: ReservationId) -> Result<bool, AppError> {
    use crate::{error::answer, port::portal};
    let told = answer(async { portal()?.ask_holder(id).await }.await)?;
    leptos_axum::redirect(&format!("/bookings/{id}?asked={}", if told { "now" } else { "before" }));
    Ok(told)
}

/// Takes a place in the queue for cards.
#[server(name = Wait, prefix = "/api/page", endpoint = "wait", input = Json)]
pub async fn wait(ask: WaitAsk) -> Result<WaitId, AppError> {
    use crate::{error::answer, port::portal};
    answer(async { portal()?.wait(ask).await }.await)
}

/// Gives a place in the queue up.
#[server(name = StopWaiting, prefix = "/api/page", endpoint = "stop_waiting")]
pub async fn stop_waiting(id: WaitId) -> Result<(), AppError> {
    use crate::{error::answer, port::portal};
    answer(async { portal()?.stop_waiting(id).await }.await)
}

/// Answers what a notice asks: the word of [`domain::notice::Answer`], and the card that it takes, if it takes one.
#[server(name = AnswerNotice, prefix = "/api/page", endpoint = "answer_notice")]
pub async fn answer_notice(id: i64, answer: String, card: Option<String>) -> Result<(), AppError> {
    use crate::port::portal;
    use domain::error::{ApiError, ErrorCode};
    let done = async {
        let answer = serde_json::from_value(serde_json::json!({ "answer": answer, "card": card }))
            .map_err(|_| ApiError::new(ErrorCode::Malformed, domain::text::t().errors.malformed))?;
        portal()?.answer(id, answer).await
    };
    crate::error::answer(done.await)
}

/// How many notices the viewer has not read.
#[server(name = CountUnread, prefix = "/api/page", endpoint = "unread")]
pub async fn unread() -> Result<u32, AppError> {
    use crate::{error::answer, port::portal};
    let counted = async {
        let frame = portal()?.frame().await?;
        let nobody = || {
            let text = domain::text::t().errors.sign_in_needed;
            domain::error::ApiError::new(domain::error::ErrorCode::SignInNeeded, text)
        };
        frame.viewer.as_ref().map(|_| frame.unread).ok_or_else(nobody)
    };
    answer(counted.await)
}

/// Marks one notice as read.
#[server(prefix = "/api/page", endpoint = "mark_read")]
pub async fn mark_read(id: i64) -> Result<(), AppError> {
    use crate::{error::answer, port::portal};
    answer(async { portal()?.mark_read(domain::notice::Which::Some { ids: vec![id] }).await }.await)
}

/// Marks all notices up to this one as read: those that the viewer has seen.
#[server(prefix = "/api/page", endpoint = "mark_all_read")]
pub async fn mark_all_read(id: i64) -> Result<(), AppError> {
    use crate::{error::answer, port::portal};
    answer(async { portal()?.mark_read(domain::notice::Which::UpTo { id }).await }.await)
}
