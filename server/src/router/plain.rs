//! Refusals by the layers, before a page or handler is reached, each in the form that the asker understands.

use app::error::AppError;
use axum::Json;
use axum::extract::Request;
use axum::response::{Html, IntoResponse, Response};
use domain::error::ApiError;
use http::{HeaderMap, header};

use super::assets;
use crate::error::{Problem, status};

/// Who asks, and so in what form the refusal goes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asker {
    /// A program, over REST.
    Program,
    /// One of our own pages, through a server function.
    Script,
    /// A browser that shows whatever comes.
    Person,
}

impl Asker {
    /// Tells by the address, and for server functions by what the browser wants: a form sent without scripts wants
    /// a page.
    pub fn of(path: &str, headers: &HeaderMap) -> Self {
        if path.starts_with("/api/page/") {
            let html = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
            if html.is_some_and(|accept| accept.contains("text/html")) { Self::Person } else { Self::Script }
        } else if path.starts_with("/api/") || path == "/healthz" || path == domain::wire::live_v1::EVENTS_PATH {
            Self::Program
        } else {
            Self::Person
        }
    }

    /// The refusal for this asker.
    pub fn refuse(self, error: ApiError) -> Response {
        let retry_after = error.retry_after;
        let mut response = match self {
            Self::Program => Problem(error).into_response(),
            Self::Script => (status(error.code), Json(AppError::Api(error))).into_response(),
            Self::Person => page(&error),
        };
        if let Some(seconds) = retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        response
    }
}

/// The refusal of `request`.
pub fn refuse(request: &Request, error: ApiError) -> Response {
    Asker::of(request.uri().path(), request.headers()).refuse(error)
}

/// A page that needs neither database nor scripts.
fn page(error: &ApiError) -> Response {
    let request = error.request.clone().or_else(crate::router::request_id::current).unwrap_or_default();
    let body = format!(
        "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>Berth</title>\
         <link rel=\"icon\" href=\"{icon}\"><link rel=\"stylesheet\" href=\"{style}\"></head>\
         <body><main id=\"main\" class=\"page plain\"><h1>Berth</h1><p role=\"alert\">{message}</p>\
         <p><a href=\"/\">Back to all cards</a></p><p class=\"faint\">Request {request}</p></main></body></html>",
        icon = assets::addresses().icon,
        style = assets::addresses().style,
        message = escape(&error.message),
        request = escape(&request),
    );
    (status(error.code), Html(body)).into_response()
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
