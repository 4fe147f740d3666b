//! The agent's log: one line for each event on stderr, as `level=warn msg="..." key=value`, which journald dates.
//!
//! The message is constant; what varies is in the fields. Codes and credentials are never among them.

use std::fmt::{Display, Write as _};
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::clean::clean;

static VERBOSE: AtomicBool = AtomicBool::new(false);

/// Says more, for whoever looks for a fault.
pub fn be_verbose() {
    VERBOSE.store(true, Ordering::Relaxed);
}

/// Something worth knowing.
pub fn info(message: &str, fields: &[(&str, &dyn Display)]) {
    line("info", message, fields);
}

/// Something that somebody should look at.
pub fn warn(message: &str, fields: &[(&str, &dyn Display)]) {
    line("warn", message, fields);
}

/// Only when verbose.
pub fn debug(message: &str, fields: &[(&str, &dyn Display)]) {
    if VERBOSE.load(Ordering::Relaxed) {
        line("debug", message, fields);
    }
}

fn line(level: &str, message: &str, fields: &[(&str, &dyn Display)]) {
    // A log that nobody reads any more is no reason to stop.
    let _ = std::io::stderr().lock().write_all(render(level, message, fields).as_bytes());
}

fn render(level: &str, message: &str, fields: &[(&str, &dyn Display)]) -> String {
    let mut line = format!("level={level} msg=\"{message}\"");
    for (key, value) in fields {
        let value = clean(&value.to_string());
        let plain = !value.is_empty() && value.chars().all(|c| c.is_alphanumeric() || "-_./:+%@".contains(c));
        let _ = if plain { write!(line, " {key}={value}") } else { write!(line, " {key}={value:?}") };
    }
    line.push('\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_stays_in_its_field() {
        let line = render("warn", "refused", &[("server", &"http://x:1"), ("why", &"a \"b\"\nlevel=info"), ("n", &3)]);
        assert_eq!(line, "level=warn msg=\"refused\" server=http://x:1 why=\"a \\\"b\\\"?level=info\" n=3\n");
    }
}
