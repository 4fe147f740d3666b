//! Berth's rules and wire types, shared by the portal, the agent and the browser.
//!
//! Nothing here does I/O or reads a clock: the caller passes `now` in, so that every rule can be tested at any
//! instant and runs alike on the server, on a host and in WebAssembly.
//!
//! - [`id`], [`user`], [`card`], [`host`]: what there is
//! - [`inventory`], [`topology`]: what a machine is in full, and how its cards are linked
//! - [`strain`]: cards that run too hot or at the end of their power
//! - [`trouble`]: why a card cannot be used for now
//! - [`whose`]: whose a process is, and how sure that is
//! - [`band`]: the state of a card, in the one vocabulary of the portal
//! - [`calendar`]: the calendar as a picture
//! - [`address`]: addresses of pages
//! - [`window`], [`reservation`], [`zone`]: when, and what may be booked
//! - [`repeat`]: the days of a booking that repeats
//! - [`finder`]: which cards serve a wish best, and when
//! - [`rules`]: what administrators allow
//! - [`notice`]: what somebody is told
//! - [`upkeep`]: cards that are not to be had, or are open for shares
//! - [`draft`]: a booking as somebody types it
//! - [`guard`]: may this account start a job now
//! - [`launch`]: the commands that select exactly the reserved cards
//! - [`error`]: the public vocabulary of refusals
//! - [`text`]: every sentence that a person reads
//! - [`wire`]: what travels between the parts, versioned
#![forbid(unsafe_code)]

pub mod address;
pub mod band;
pub mod calendar;
pub mod card;
pub mod draft;
pub mod error;
pub mod finder;
pub mod guard;
pub mod host;
pub mod id;
pub mod idle;
pub mod inventory;
pub mod launch;
pub mod notice;
pub mod reading;
pub mod repeat;
pub mod reservation;
pub mod rules;
pub mod strain;
pub mod text;
pub mod topology;
pub mod trouble;
pub mod upkeep;
pub mod user;
pub mod whose;
pub mod window;
pub mod wire;
pub mod zone;
