//! The finder.

/// The finder.
#[derive(Debug)]
pub struct FinderText {
    /// Heading.
    pub title: &'static str,
}
