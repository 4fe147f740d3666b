//! The pages and their server functions, each with a portal for its caller.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use app::port::Portal;
use app::routes::App;
use app::shell::shell;
use axum::Router;
use axum::extract::Request;
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::Response;
use http::StatusCode;
use http::header::{CONTENT_SECURITY_POLICY, COOKIE};
use http::request::Parts;
use leptos::config::LeptosOptions;
use leptos::context::{provide_context, use_context};
use leptos::nonce::use_nonce;
use leptos_axum::{LeptosRoutes, ResponseOptions, generate_route_list, render_app_async_with_context};

use super::{Site, assets, guard, headers};
use crate::auth::Caller;
use crate::portal::RequestPortal;
use crate::service::Services;

/// Longest time that a page may take; a page that waits for itself becomes an answer, not a stuck browser.
const PATIENCE: Duration = Duration::from_secs(10);

/// Pages and server functions.
pub fn router(site: &Site) -> Router {
    let options = options();
    let for_shell = options.clone();
    Router::new()
        .leptos_routes_with_context(&options, generate_route_list(App), context(&site.services), move || {
            shell(for_shell.clone(), assets::addresses(), theme())
        })
        .layer(from_fn_with_state(site.clone(), guard::layer))
        .layer(from_fn(in_time))
        .with_state(options)
}

type Answer = Pin<Box<dyn Future<Output = Response> + Send>>;

/// The page for an address where there is none.
pub fn not_found(site: &Site) -> impl Fn(Request) -> Answer + Clone + Send + Sync + use<> {
    let options = options();
    let context = context(&site.services);
    move |request| {
        let options = options.clone();
        let page = render_app_async_with_context(context.clone(), move || {
            shell(options.clone(), assets::addresses(), theme())
        });
        Box::pin(async move {
            let mut response = page(request).await;
            if response.status() == StatusCode::OK {
                *response.status_mut() = StatusCode::NOT_FOUND;
            }
            response
        })
    }
}

fn options() -> LeptosOptions {
    LeptosOptions::builder().output_name("berth").site_pkg_dir("pkg").build()
}

/// Runs inside Leptos for every request: hands the caller's portal to the page, and the page's nonce to the browser.
fn context(services: &Services) -> impl Fn() + Clone + Send + Sync + use<> {
    let services = services.clone();
    move || {
        if let Some(caller) = use_context::<Parts>().and_then(|parts| parts.extensions.get::<Caller>().cloned()) {
            provide_context::<Arc<dyn Portal>>(Arc::new(RequestPortal { services: services.clone(), caller }));
        }
        if let (Some(nonce), Some(options)) = (use_nonce(), use_context::<ResponseOptions>())
            && let Some(policy) = headers::page_policy(&nonce)
        {
            options.insert_header(CONTENT_SECURITY_POLICY, policy);
        }
    }
}

/// The look that the person has chosen, from its cookie.
fn theme() -> Option<String> {
    let parts = use_context::<Parts>()?;
    let cookies = parts.headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let theme = cookies.flat_map(|line| line.split(';')).find_map(|pair| pair.trim().strip_prefix("theme="))?;
    ["light", "dark"].contains(&theme).then(|| theme.to_owned())
}

async fn in_time(request: Request, next: Next) -> Response {
    let asker = super::plain::Asker::of(request.uri().path(), request.headers());
    match tokio::time::timeout(PATIENCE, next.run(request)).await {
        Ok(response) => response,
        Err(_) => {
            tracing::error!("page took too long");
            let mut response = asker.refuse(crate::error::unavailable());
            *response.status_mut() = StatusCode::GATEWAY_TIMEOUT;
            response
        }
    }
}
