//! A measured value, or the reason why there is none.

use serde::{Deserialize, Serialize};

/// One field of one card: a value, or why it could not be read. Never a made-up zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Reading<T> {
    /// The value as NVML gave it.
    Value(T),
    /// No value.
    Missing {
        /// Why not.
        na: Missing,
    },
}

/// Why a field has no value. Names follow NVML's return codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Missing {
    /// The card or the driver does not offer this value (code 3).
    NotSupported,
    /// The agent's account may not read it (code 4).
    NoPermission,
    /// The card has fallen off the bus (code 15).
    Lost,
    /// The card needs a reset (code 16).
    ResetNeeded,
    /// The installed library lacks the call.
    NoSymbol,
    /// Anything else, among them NVML's `Unknown` (code 999).
    #[serde(other)]
    Unknown,
}

impl<T> Reading<T> {
    /// Shorthand for a missing value.
    #[must_use]
    pub fn missing(na: Missing) -> Self {
        Self::Missing { na }
    }

    /// The value, where there is one.
    #[must_use]
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Missing { .. } => None,
        }
    }

    /// Changes the value, keeps the reason.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Reading<U> {
        match self {
            Self::Value(value) => Reading::Value(f(value)),
            Self::Missing { na } => Reading::Missing { na },
        }
    }
}

impl<T: Copy> Reading<T> {
    /// The value by copy, where there is one.
    #[must_use]
    pub fn get(&self) -> Option<T> {
        self.value().copied()
    }
}

impl<T> Default for Reading<T> {
    fn default() -> Self {
        Self::missing(Missing::Unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::card::{RemappedRows, Slowdown};
    use crate::inventory::ComputeMode;

    #[test]
    fn a_value_travels_bare_and_a_gap_says_why() {
        let value: Reading<u32> = Reading::Value(42);
        let gap: Reading<u32> = Reading::missing(Missing::NotSupported);
        assert_eq!(serde_json::to_string(&value).expect("json"), "42");
        assert_eq!(serde_json::to_string(&gap).expect("json"), r#"{"na":"not_supported"}"#);
        assert_eq!(serde_json::from_str::<Reading<u32>>("42").expect("json"), value);
        assert_eq!(serde_json::from_str::<Reading<u32>>(r#"{"na":"not_supported"}"#).expect("json"), gap);
    }

    #[test]
    fn a_reason_from_a_newer_agent_is_still_a_gap() {
        let gap = serde_json::from_str::<Reading<u32>>(r#"{"na":"eaten_by_a_grue"}"#).expect("json");
        assert_eq!(gap, Reading::missing(Missing::Unknown));
    }

    #[test]
    fn lists_texts_words_and_maps_are_told_from_gaps() {
        let gap = r#"{"na":"lost"}"#;
        assert_eq!(serde_json::from_str::<Reading<Vec<Slowdown>>>(gap).expect("json"), Reading::missing(Missing::Lost));
        assert_eq!(serde_json::from_str::<Reading<String>>(gap).expect("json"), Reading::missing(Missing::Lost));
        assert_eq!(serde_json::from_str::<Reading<ComputeMode>>(gap).expect("json"), Reading::missing(Missing::Lost));
        assert_eq!(serde_json::from_str::<Reading<RemappedRows>>(gap).expect("json"), Reading::missing(Missing::Lost));
        let list: Reading<Vec<Slowdown>> = serde_json::from_str(r#"["idle","from_the_future"]"#).expect("json");
        assert_eq!(list, Reading::Value(vec![Slowdown::Idle, Slowdown::Other]));
        let mode: Reading<ComputeMode> = serde_json::from_str(r#""from_the_future""#).expect("json");
        assert_eq!(mode, Reading::Value(ComputeMode::Other));
    }
}
