//! Compresses what people are sent: pages, and the answers of server functions. What is built is compressed already,
//! and the live stream must not wait for more to compress.
//!
//! A compressed answer that mixes a secret with what a stranger can put into it tells the secret by its length. None
//! does: requests are known for our own by their origin, not by a token in the page; sessions are in cookies; and codes
//! that are shown once are in answers to requests that no other site can make.

use http::header::CONTENT_TYPE;
use http::{Extensions, HeaderMap, StatusCode, Version};
use tower_http::CompressionLevel;
use tower_http::compression::predicate::{And, SizeAbove};
use tower_http::compression::{CompressionLayer, Predicate};

/// Shorter ones fit into a packet or two anyway.
const SHORTEST: u16 = 1400;

/// Decides by the headers of an answer.
type Judge = fn(StatusCode, Version, &HeaderMap, &Extensions) -> bool;

/// The layer. The lowest level: it takes most of what repeats, and the time counts for each page.
pub fn layer() -> CompressionLayer<And<SizeAbove, Judge>> {
    let judge: Judge = is_ours;
    CompressionLayer::new().quality(CompressionLevel::Fastest).compress_when(SizeAbove::new(SHORTEST).and(judge))
}

/// Pages and answers of server functions.
fn is_ours(_: StatusCode, _: Version, headers: &HeaderMap, _: &Extensions) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    ["text/html", "application/json"].iter().any(|ours| kind.starts_with(ours))
}
