//! Parts of pages: props in, markup out, no I/O.

pub mod bell;
pub mod booking_state;
pub mod card;
pub mod card_words;
pub mod code_maker;
pub mod confirm;
pub mod copy;
pub mod failure;
pub mod field;
pub mod filters;
pub mod finder;
pub mod host;
pub mod host_live;
pub mod host_words;
pub mod icon;
pub mod link_code;
pub mod live_board;
pub mod node_words;
pub mod notice;
pub mod page;
pub mod person;
pub mod pulse;
pub mod theme;
pub mod top_bar;
