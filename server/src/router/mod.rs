//! Every address of the portal and every layer around it, in one place.
//!
//! From the outside in: request id and log line, panic, security headers, database gate, origin check, body limit;
//! then compression, sessions and the page guard for what people see. `/api/v1` takes bearer credentials only: it stands outside
//! the session layer, so a cookie can never be an identity there.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::extract::connect_info::IntoMakeServiceWithConnectInfo;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::Response;
use axum::routing::{get, post};
use domain::error::{ApiError, ErrorCode};
use domain::text;
use domain::wire::agent_v1::{ENROL_PATH, LINK_PATH, REPORT_PATH, ROTATE_PATH, SELF_PATH};
use domain::wire::host_v1::{BOOK_PATH, CHANGE_PATH};
use domain::wire::live_v1::EVENTS_PATH;
use domain::wire::minutes_v1::MINUTES_PATH;
use tokio::sync::watch;

use crate::auth::session::{self, CookieRules};
use crate::config::Config;
use crate::database::State;
use crate::rest;
use crate::rest::commands::COMMANDS_PATH;
use crate::rest::openapi::OPENAPI_PATH;
use crate::rest::program::{HASH_PATH, PROGRAM_PATH};
use crate::service::Services;

mod address;
mod assets;
mod body;
mod caller;
mod compress;
mod gate;
mod guard;
mod headers;
mod health;
mod origin;
mod pages;
mod panic;
mod plain;
pub mod request_id;

/// What the handlers and layers share.
#[derive(Clone)]
pub struct Site {
    /// Rules and transactions.
    pub services: Services,
    /// Settings.
    pub config: Arc<Config>,
    /// Whether the database answers.
    pub database: watch::Receiver<State>,
}

/// The whole portal.
#[must_use]
pub fn build(site: Site) -> IntoMakeServiceWithConnectInfo<Router, SocketAddr> {
    let services = &site.services;
    let cookie = if site.config.secure_cookies() { CookieRules::SECURE } else { CookieRules::PLAIN };
    let sessions = session::layer(services.pool.clone(), services.clock.clone(), cookie);
    let machines = Router::new()
        .route(ENROL_PATH, post(rest::enrol::enrol))
        .route(LINK_PATH, post(rest::link::link))
        .route(BOOK_PATH, post(rest::host_bookings::book))
        .route(CHANGE_PATH, post(rest::host_bookings::change))
        .route(REPORT_PATH, post(rest::report::report))
        .route(ROTATE_PATH, post(rest::rotate::rotate))
        .route(SELF_PATH, get(rest::rotate::whoami))
        .route(MINUTES_PATH, post(rest::minutes::minutes))
        .route(OPENAPI_PATH, get(rest::openapi::openapi))
        .route(PROGRAM_PATH, get(rest::program::program))
        .route(HASH_PATH, get(rest::program::hash))
        .with_state(services.clone());
    let people = Router::new()
        .route(EVENTS_PATH, get(rest::events::events).with_state(services.clone()))
        .route(COMMANDS_PATH, get(rest::commands::booking_commands).with_state(services.clone()))
        .merge(pages::router(&site))
        .fallback(not_found(&site))
        .layer(from_fn_with_state(site.clone(), caller::layer))
        .layer(sessions)
        .layer(compress::layer());
    let root: Router = Router::new()
        .route("/healthz", get(health::check).with_state(site.clone()))
        .route("/favicon.svg", get(assets::icon))
        .route("/pkg/{name}", get(assets::file))
        .merge(machines)
        .merge(people)
        .method_not_allowed_fallback(method_not_allowed)
        .layer(from_fn(body::layer))
        .layer(from_fn_with_state(site.clone(), address::layer))
        .layer(from_fn_with_state(site.clone(), origin::layer))
        .layer(from_fn_with_state(site.clone(), gate::layer))
        .layer(panic::layer())
        .layer(from_fn_with_state(site, headers::layer))
        .layer(from_fn(request_id::layer));
    root.into_make_service_with_connect_info()
}

fn not_found(
    site: &Site,
) -> impl Fn(Request) -> std::pin::Pin<Box<dyn Future<Output = Response> + Send>> + Clone + use<> {
    let page = pages::not_found(site);
    move |request: Request| {
        if request.uri().path().starts_with("/api/") {
            let error = ApiError::new(ErrorCode::NotFound, text::en().errors.not_found);
            let answer = plain::refuse(&request, error);
            Box::pin(async { answer })
        } else {
            page(request)
        }
    }
}

async fn method_not_allowed(request: Request) -> Response {
    plain::refuse(&request, ApiError::new(ErrorCode::MethodNotAllowed, text::en().errors.method_not_allowed))
}
