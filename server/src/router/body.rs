//! No body is larger than allowed or slower than patience: it is read here, whole, before anything looks at it. What comes
//! packed is unpacked here, under the same limit.

use std::io::Read;
use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use domain::error::{ApiError, ErrorCode};
use domain::text;
use domain::wire::agent_v1::{REPORT_MAX_BYTES, REPORT_PATH};
use domain::wire::minutes_v1::{MINUTES_MAX_BYTES, MINUTES_PATH};
use flate2::read::MultiGzDecoder;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH};
use http::{HeaderMap, Method};

use super::plain::refuse;

/// Largest body but for reports, in bytes: a form with hundreds of cards stays far below.
const MAX_BYTES: usize = 64 * 1024;
/// Longest time for a body to arrive.
const PATIENCE: Duration = Duration::from_secs(15);

/// Reads the body.
pub async fn layer(request: Request, next: Next) -> Response {
    if matches!(*request.method(), Method::GET | Method::HEAD) {
        return next.run(request).await;
    }
    let words = text::en();
    let limit = match request.uri().path() {
        REPORT_PATH => REPORT_MAX_BYTES,
        MINUTES_PATH => MINUTES_MAX_BYTES,
        _ => MAX_BYTES,
    };
    let too_large = move || {
        let words =
            if limit == MAX_BYTES { words.errors.too_large.to_owned() } else { (words.reports.too_large)(limit) };
        ApiError::new(ErrorCode::TooLarge, words)
    };
    let packing = match packing(request.headers()) {
        Ok(packing) => packing,
        Err(name) => {
            let message = (words.reports.unknown_encoding)(&name);
            return refuse(&request, ApiError::new(ErrorCode::UnknownEncoding, message));
        }
    };
    if request.body().size_hint().lower() > limit as u64 {
        return refuse(&request, too_large());
    }
    let (mut parts, body) = request.into_parts();
    if packing == Packing::Gzip {
        parts.headers.remove(CONTENT_ENCODING);
        parts.headers.remove(CONTENT_LENGTH);
    }
    let read = tokio::time::timeout(PATIENCE, axum::body::to_bytes(body, limit)).await;
    let rebuilt = |body: Body| Request::from_parts(parts, body);
    match read {
        Ok(Ok(bytes)) if packing == Packing::None => next.run(rebuilt(Body::from(bytes))).await,
        Ok(Ok(bytes)) => match unpack(&bytes, limit) {
            Ok(bytes) if bytes.len() > limit => refuse(&rebuilt(Body::empty()), too_large()),
            Ok(bytes) => next.run(rebuilt(Body::from(bytes))).await,
            Err(_) => refuse(&rebuilt(Body::empty()), ApiError::new(ErrorCode::Malformed, words.reports.bad_gzip)),
        },
        Ok(Err(error)) if crate::error::chain(&error).contains("length limit") => {
            refuse(&rebuilt(Body::empty()), too_large())
        }
        Ok(Err(_)) | Err(_) => {
            refuse(&rebuilt(Body::empty()), ApiError::new(ErrorCode::Malformed, text::en().errors.malformed))
        }
    }
}

/// How a body is packed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Packing {
    None,
    Gzip,
}

/// How the body is packed by the headers, or the name of a way that we do not know.
fn packing(headers: &HeaderMap) -> Result<Packing, String> {
    let mut names = headers.get_all(CONTENT_ENCODING).iter();
    let Some(first) = names.next() else { return Ok(Packing::None) };
    let name = first.to_str().unwrap_or("?").trim();
    match name.to_ascii_lowercase().as_str() {
        "" | "identity" if names.next().is_none() => Ok(Packing::None),
        "gzip" | "x-gzip" if names.next().is_none() => Ok(Packing::Gzip),
        _ => Err(name.chars().filter(char::is_ascii_graphic).take(32).collect()),
    }
}

/// Unpacks no more than a byte beyond `limit`, however much there may be: a small body can hold a very large one.
fn unpack(packed: &[u8], limit: usize) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(packed.len().saturating_mul(4).min(limit + 1));
    MultiGzDecoder::new(packed).take(limit as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
