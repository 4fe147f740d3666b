//! English for this: the finder.

use crate::text::FinderText;

/// The words.
pub const TEXT: FinderText = FinderText { title: "Find cards" };
