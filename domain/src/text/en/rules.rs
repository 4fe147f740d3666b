//! English for this: rules, groups and labels.

use crate::text::RulesText;

/// The words.
pub const TEXT: RulesText = RulesText { title: "Rules" };
