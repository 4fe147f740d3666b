//! Maintenance, and cards that are not to be had.

/// Maintenance, and cards that are not to be had.
#[derive(Debug)]
pub struct UpkeepText {
    /// Heading.
    pub title: &'static str,
}
