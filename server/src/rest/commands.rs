//! `GET /api/v1/bookings/{id}/commands`: the launch commands of a booking, as its page shows them.
//!
//! `?format=docker` or `?format=docker/cdi` gives one of them; `?text` gives text to be read instead of JSON. Whoever is
//! signed in and may launch on the booking may ask.

use axum::Extension;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use domain::error::{ApiError, ErrorCode};
use domain::id::ReservationId;
use domain::launch::{Command, Plan, commands, listing, select};
use domain::text::en;
use domain::user::Act;
use domain::wire::page::BookingPage;
use http::HeaderValue;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use serde::{Deserialize, Serialize};

use crate::auth::Caller;
use crate::error::Problem;
use crate::service::Services;

/// Path of the commands.
pub const COMMANDS_PATH: &str = "/api/v1/bookings/{id}/commands";

/// Counts up when a field goes or changes its meaning; new fields may come at any time.
const VERSION: u32 = 1;

/// What is asked for.
#[derive(Debug, Deserialize)]
pub struct Asked {
    /// One of them, by its name.
    format: Option<String>,
    /// Text instead of JSON.
    text: Option<String>,
}

#[derive(Serialize)]
struct Document {
    version: u32,
    reservation: ReservationId,
    hosts: Vec<HostDocument>,
}

#[derive(Serialize)]
struct HostDocument {
    host: String,
    commands: Vec<Command>,
}

/// The commands of every host of the booking.
///
/// # Errors
/// `not_found` for a booking or a format that is not there, `auth.required`, `auth.forbidden`.
pub async fn booking_commands(
    State(services): State<Services>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<ReservationId>,
    Query(asked): Query<Asked>,
) -> Result<Response, Problem> {
    let viewer = caller.may(Act::ViewFleet)?;
    let page = services.booking_list.one(viewer, id).await?;
    if !launches(&page, viewer.id) {
        return Err(ApiError::new(ErrorCode::NotAllowed, en().errors.not_allowed).into());
    }
    let plan = Plan::from(&page);
    let mut hosts = Vec::with_capacity(plan.hosts.len());
    for (at, host) in plan.hosts.iter().enumerate() {
        let mut all = commands(&plan, at, &en().launch);
        if let Some(name) = &asked.format {
            let one = select(&all, name);
            all = vec![one.ok_or_else(|| ApiError::new(ErrorCode::NotFound, (en().launch.no_format)(name)))?];
        }
        hosts.push(HostDocument { host: host.host_name.clone(), commands: all });
    }
    let mut response = match asked.text {
        Some(_) => {
            let several = hosts.len() > 1;
            let parts = hosts.iter().map(|host| {
                let listing = listing(&host.commands, &en().launch);
                if several { format!("# {}\n\n{listing}", host.host) } else { listing }
            });
            let mut response = format!("{}\n", parts.collect::<Vec<_>>().join("\n\n")).into_response();
            response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
            response
        }
        None => axum::Json(Document { version: VERSION, reservation: id, hosts }).into_response(),
    };
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

/// Whether somebody may start something on it: its owner, and whoever shares it.
fn launches(page: &BookingPage, viewer: domain::id::UserId) -> bool {
    page.booking.owner == viewer || page.booking.co_users.iter().any(|person| person.id == viewer)
}
