//! The bell, and what it says.

/// The bell, and what it says.
#[derive(Debug)]
pub struct NoticesText {
    /// Heading.
    pub title: &'static str,
}
