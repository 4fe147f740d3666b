//! The host's state for programs.

use domain::user::is_deceptive;
use domain::wire::guard_v1::HostStatus;
use serde::Serialize;

use super::source::Look;

/// Counts up when a field goes or changes its meaning; new fields may come at any time.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    /// Whether the host's agent answered; without it there are no bookings.
    agent: bool,
    #[serde(flatten)]
    status: &'a HostStatus,
}

/// The document, without characters that a terminal acts upon.
///
/// # Errors
/// What cannot be written as JSON.
pub(super) fn document(look: &Look) -> Result<String, serde_json::Error> {
    let document = Document { version: VERSION, agent: look.no_agent.is_none(), status: &look.status };
    serde_json::to_string_pretty(&document).map(harmless)
}

/// JSON escapes the control characters of ASCII; the others can only be within its strings, so escaping them changes
/// nothing but their looks.
pub(crate) fn harmless(json: String) -> String {
    let acts = |c: char| !c.is_ascii() && (is_deceptive(c) || matches!(c, '\u{2028}' | '\u{2029}'));
    if !json.contains(acts) {
        return json;
    }
    let mut safe = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if acts(c) {
            let mut units = [0; 2];
            safe.extend(c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")));
        } else {
            safe.push(c);
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_acts_upon_is_escaped_and_means_the_same() {
        let text = "a\u{1b}[2J\u{9b}2J\u{202e}b\u{2028}é李\"";
        let json = harmless(serde_json::to_string(text).expect("json"));
        assert_eq!(json, "\"a\\u001b[2J\\u009b2J\\u202eb\\u2028é李\\\"\"");
        assert_eq!(serde_json::from_str::<String>(&json).expect("json"), text);
    }
}
