//! Berth's portal.
//!
//! A request goes `router` → `rest` or a page's server function → [`portal`] → [`service`] → [`store`] → Postgres, never
//! upwards. Rules live in `domain`; SQL text lives under [`store`] alone.
//!
//! - [`config`], [`logging`], [`run`], [`admin`]: from the command line to a portal that serves, and back to a clean end
//! - [`database`], [`embedded`]: reaching Postgres, and running a private one
//! - [`router`], [`error`]: every address and layer; how a failure leaves
#![forbid(unsafe_code)]

pub mod admin;
pub mod auth;
pub mod clock;
pub mod config;
pub mod database;
pub mod embedded;
pub mod error;
pub mod job;
pub mod live;
pub mod logging;
pub mod portal;
pub mod rest;
pub mod router;
pub mod run;
pub mod service;
pub mod store;
pub mod zone;

pub use run::{StartError, run};
