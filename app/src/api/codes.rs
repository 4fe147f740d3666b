//! Codes that are shown once.

use leptos::prelude::*;

use crate::error::AppError;

/// Makes a code that enrols `host`; without a host one with which the caller proves an account of their own.
///
/// The answer is text for the page as it stands: the code, until when it is valid, and for a host the portal's address
/// and the host's name. One function and no types of its own, because the browser carries the code of each.
#[server(prefix = "/api/page", endpoint = "new_code")]
pub async fn new_code(#[server(default)] host: String) -> Result<Vec<String>, AppError> {
    use crate::{error::answer, port::portal};
    use domain::text::When;
    let code = async {
        let portal = portal()?;
        let frame = portal.frame().await?;
        let when = When::new(&frame.zone, frame.now);
        if host.is_empty() {
            let made = portal.link_code().await?;
            return Ok(vec![made.code, when.at(made.expires_at)]);
        }
        let made = portal.enrol_code(host).await?;
        Ok(vec![made.code, when.at(made.expires_at), made.portal_url, made.host_name])
    };
    answer(code.await)
}
