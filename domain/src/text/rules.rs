//! Rules, groups and labels.

/// Rules, groups and labels.
#[derive(Debug)]
pub struct RulesText {
    /// Heading.
    pub title: &'static str,
}
