//! What the viewer is told.

use domain::notice::Notices;
use leptos::prelude::*;

use crate::error::AppError;

/// The viewer's notices, newest first.
#[server(name = LoadNotices, prefix = "/api/page", endpoint = "notices")]
pub async fn notices() -> Result<Notices, AppError> {
    use crate::{error::answer, port::portal};
    answer(async { portal()?.notices().await }.await)
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
