//! `GET /download/berth` and `GET /download/berth.sha256`: the program that a new host downloads. Open to everybody:
//! it holds no secret and is the same for all, and so `curl` alone is enough. What a host may do hangs on its code.

use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::error::ApiError;
use futures::stream;
use http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

use crate::error::Problem;
use crate::service::Services;
use crate::service::program::Ready;

/// Path of the program.
pub const PROGRAM_PATH: &str = "/download/berth";
/// Path of its hash.
pub const HASH_PATH: &str = "/download/berth.sha256";
/// Sent at once, in bytes.
const CHUNK_BYTES: usize = 256 * 1024;

/// The program itself, with its hash as `ETag` and `Repr-Digest`.
pub async fn program(State(services): State<Services>, headers: HeaderMap) -> Result<Response, Problem> {
    let ready = services.program.get().map_err(ApiError::from)?;
    let tag = format!("\"{}\"", ready.sha256);
    let has_it = headers
        .get_all(IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .any(|line| line.split(',').any(|one| one.trim().trim_start_matches("W/") == tag || one.trim() == "*"));
    let mut response = if has_it {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let mut response = Body::from_stream(stream::try_unfold((ready.clone(), 0), next)).into_response();
        let answer = response.headers_mut();
        answer.insert(CONTENT_LENGTH, ready.size.into());
        answer.insert(CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
        answer.insert(CONTENT_DISPOSITION, HeaderValue::from_static("attachment; filename=\"berth\""));
        response
    };
    let answer = response.headers_mut();
    answer.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    for (name, value) in [(ETAG, tag), (HeaderName::from_static("repr-digest"), digest(&ready.sha256))] {
        if let Ok(value) = HeaderValue::from_str(&value) {
            answer.insert(name, value);
        }
    }
    Ok(response)
}

/// The hash as `sha256sum --check` reads it.
pub async fn hash(State(services): State<Services>) -> Result<Response, Problem> {
    let ready = services.program.get().map_err(ApiError::from)?;
    let plain = HeaderValue::from_static("text/plain; charset=utf-8");
    Ok(([(CONTENT_TYPE, plain)], format!("{}  berth\n", ready.sha256)).into_response())
}

/// The next piece of the file. Read beside the requests: a disk may be slow.
async fn next((ready, offset): (Arc<Ready>, u64)) -> io::Result<Option<(Bytes, (Arc<Ready>, u64))>> {
    let left = usize::try_from(ready.size.saturating_sub(offset)).unwrap_or(usize::MAX);
    if left == 0 {
        return Ok(None);
    }
    let reading = tokio::task::spawn_blocking(move || {
        let mut chunk = vec![0; left.min(CHUNK_BYTES)];
        ready.file.read_exact_at(&mut chunk, offset)?;
        let after = offset + chunk.len() as u64;
        Ok(Some((Bytes::from(chunk), (ready, after))))
    });
    reading.await.map_err(io::Error::other)?
}

/// RFC 9530.
fn digest(hex: &str) -> String {
    let bytes: Vec<u8> =
        (0..hex.len() / 2).filter_map(|i| u8::from_str_radix(hex.get(2 * i..2 * i + 2)?, 16).ok()).collect();
    format!("sha-256=:{}:", STANDARD.encode(bytes))
}
