//! The form as it is sent without scripts: answered with an address, that of the booking or that of the form.

use domain::error::{ApiError, ErrorCode};

use super::query::address;
use crate::api::bookings::PlainForm;
use crate::frame::sign_in_path;
use crate::port::portal;

/// Books, and says where to go next. Every failure leads back to the form with all that was typed.
pub async fn answer(form: PlainForm) -> String {
    match book(&form).await {
        Ok(path) => path,
        Err(error) if error.code == ErrorCode::SignInNeeded => sign_in_path(&address(&form.draft, None)),
        Err(error) => address(&form.draft, Some(error.code.as_str())),
    }
}

async fn book(form: &PlainForm) -> Result<String, ApiError> {
    let portal = portal()?;
    let frame = portal.frame().await?;
    let words = domain::text::t();
    if frame.viewer.is_none() {
        return Err(ApiError::new(ErrorCode::SignInNeeded, words.errors.sign_in_needed));
    }
    if form.zone != frame.zone.name() {
        // The times were typed in another zone than the one that they would be read in now.
        return Ok(address(&form.draft, Some(&format!("zone:{}", frame.zone.name()))));
    }
    // What is wrong is said by the page, which judges the same fields in the same way.
    let unreadable = |_| ApiError::new(ErrorCode::BadInput, words.errors.malformed);
    let ask = form.draft.read(&frame.zone).map_err(unreadable)?;
    portal.book(ask).await.map(|id| format!("/bookings/{id}"))
}
