//! Berth's pages: rendered on the server, hydrated in the browser.
//!
//! - [`shell`], [`routes`]: the HTML document, and which page stands at which address
//! - [`pages`]: one page each; [`components`]: parts that do no I/O
//! - [`frame`], [`live`]: what all pages share: viewer and zone, the stream of changes, the time
//! - [`api`]: server functions, for the browser alone
//! - [`port`]: what the pages need from the server, as a trait that the server implements
//! - [`error`]: a refusal on its way to the page; [`json`]: reads what the server wrote
//!
//! The browser part is built twice, so that pages load what they need: with the feature `plan` for the pages on which
//! somebody plans a booking, with `look` for all others. An island that one of them alone needs is a plain component, and
//! so no code at all, in the other. [`shell::PLANNING`] says which page is which.
#![forbid(unsafe_code)]
#![recursion_limit = "256"]

#[cfg(all(feature = "ssr", feature = "hydrate"))]
compile_error!("`ssr` and `hydrate` exclude each other: build the server and the browser part one at a time");

pub mod api;
pub mod components;
pub mod error;
pub mod frame;
pub mod json;
pub mod live;
pub mod pages;
#[cfg(feature = "ssr")]
pub mod port;
pub mod routes;
#[cfg(feature = "ssr")]
pub mod shell;

/// Prepares the browser for the islands of the page; the document's script then wakes each of them.
///
/// Everything that is not an `#[island]` is rendered on the server alone and never gets into the browser part.
#[cfg(feature = "hydrate")]
#[wasm_bindgen::prelude::wasm_bindgen]
pub fn hydrate() {
    console_error_panic_hook::set_once();
    leptos::mount::hydrate_islands();
}
