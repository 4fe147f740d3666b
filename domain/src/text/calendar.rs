//! The calendar and its panel.

/// The calendar and its panel.
#[derive(Debug)]
pub struct CalendarText {
    /// Heading.
    pub title: &'static str,
}
