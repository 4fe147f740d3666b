//! English for this: the bell, and what it says.

use crate::text::NoticesText;

/// The words.
pub const TEXT: NoticesText = NoticesText { title: "Notices" };
