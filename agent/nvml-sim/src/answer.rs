//! Calls that do not do what they should, always (by the profile) or for a while (by the control file).

use nvml_wrapper_sys::bindings::nvmlReturn_t;
use serde::Deserialize;

/// A part of a profile: calls that this machine answers with a code. A few lines make a machine on which nearly nothing
/// is supported.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refusal {
    /// NVML's code: 3 is "not supported".
    pub code: nvmlReturn_t,
    /// Names of calls; one that ends in `*` stands for all that begin so.
    pub calls: Vec<String>,
    /// Calls that do answer all the same, written likewise.
    #[serde(default)]
    pub except: Vec<String>,
    /// Only on cards of this model.
    pub model: Option<String>,
}

impl Refusal {
    /// Whether a call is refused.
    #[must_use]
    pub fn hits(&self, call: &str, model: Option<&str>) -> bool {
        let named = |list: &[String]| list.iter().any(|pattern| is_named(pattern, call));
        named(&self.calls)
            && !named(&self.except)
            && self.model.as_deref().is_none_or(|only| model.is_some_and(|model| model == only))
    }
}

/// A part of a control file: a call that fails, is slow or hangs.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// Full name, such as `nvmlDeviceGetPowerUsage`, or its beginning and `*`.
    pub call: String,
    /// Only on this card.
    pub card: Option<usize>,
    /// Only this value of `nvmlDeviceGetFieldValues`.
    pub field: Option<u32>,
    /// Returned instead of a value.
    pub code: Option<nvmlReturn_t>,
    /// Waits this long first.
    #[serde(default)]
    pub hang_ms: u64,
    /// Waits until the fault is no longer in the control file.
    #[serde(default)]
    pub hang: bool,
}

impl Fault {
    /// Whether a call on a card (or on none) is meant.
    #[must_use]
    pub fn hits(&self, call: &str, card: Option<usize>) -> bool {
        self.field.is_none() && is_named(&self.call, call) && (self.card.is_none() || self.card == card)
    }

    /// Whether one value of a card is meant.
    #[must_use]
    pub fn hits_field(&self, card: usize, field: u32) -> bool {
        self.field == Some(field) && self.card.is_none_or(|only| only == card)
    }
}

/// Whether a pattern names a call.
#[must_use]
pub fn is_named(pattern: &str, call: &str) -> bool {
    pattern.strip_suffix('*').map_or(pattern == call, |beginning| call.starts_with(beginning))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_beginnings_of_names() {
        assert!(is_named("nvmlDeviceGetName", "nvmlDeviceGetName"));
        assert!(!is_named("nvmlDeviceGetName", "nvmlDeviceGetNameX"));
        assert!(is_named("nvmlDeviceGet*", "nvmlDeviceGetName"));
        assert!(!is_named("nvmlSystem*", "nvmlDeviceGetName"));
        let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let refusal = Refusal {
            code: 3,
            calls: list(&["nvmlDeviceGet*"]),
            except: list(&["nvmlDeviceGetName"]),
            model: Some("orin".to_owned()),
        };
        assert!(refusal.hits("nvmlDeviceGetUUID", Some("orin")));
        assert!(!refusal.hits("nvmlDeviceGetUUID", Some("t1000")));
        assert!(!refusal.hits("nvmlDeviceGetUUID", None));
        assert!(!refusal.hits("nvmlDeviceGetName", Some("orin")));
    }
}
