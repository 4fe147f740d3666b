//! Parts of pages: props in, markup out, no I/O.

pub mod card;
pub mod failure;
pub mod field;
pub mod filters;
pub mod host;
pub mod icon;
pub mod notice;
pub mod page;
pub mod person;
pub mod theme;
pub mod top_bar;
