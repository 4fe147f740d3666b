//! Berth's portal.
//!
//! A request goes `router` → `rest` or a page's server function → [`portal`] → [`service`] → [`store`] → Postgres, never
//! upwards. Rules live in `domain`; SQL text lives under [`store`] alone.
#![forbid(unsafe_code)]

pub mod auth;
pub mod clock;
pub mod error;
pub mod job;
pub mod live;
pub mod portal;
pub mod rest;
pub mod service;
pub mod store;
pub mod zone;
