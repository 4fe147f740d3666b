//! English for this: maintenance, and cards that are not to be had.

use crate::text::UpkeepText;

/// The words.
pub const TEXT: UpkeepText = UpkeepText { title: "Maintenance" };
