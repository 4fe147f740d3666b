//! English for this: the calendar and its panel.

use crate::text::CalendarText;

/// The words.
pub const TEXT: CalendarText = CalendarText { title: "Calendar" };
