//! PowerShell.

/// PowerShell takes typographic quotes for quotes.
const SINGLE_QUOTES: [char; 5] = ['\'', '\u{2018}', '\u{2019}', '\u{201a}', '\u{201b}'];

/// Any text as a string of PowerShell, of every version. Not for NUL.
///
/// As an argument of a program it arrives unchanged from PowerShell 7.3 on; before, see [`argument_before_7_3`].
#[must_use]
pub fn string(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('\'');
    for c in text.chars() {
        if SINGLE_QUOTES.contains(&c) {
            quoted.push(c);
        }
        quoted.push(c);
    }
    quoted.push('\'');
    quoted
}

/// A string where one is needed.
#[must_use]
pub fn word(text: &str) -> String {
    if super::posix::is_plain(text) { text.to_owned() } else { string(text) }
}

/// Text as one argument of a program that Windows PowerShell 5.1 or PowerShell up to 7.2 starts: they hand on double
/// quotes as they are, so that the program's start-up code takes them for its own.
///
/// `None` for an empty text, which they drop, and for a backslash before a double quote or at the end, which versions
/// treat in different ways.
#[must_use]
pub fn argument_before_7_3(text: &str) -> Option<String> {
    if text.is_empty() || text.ends_with('\\') || text.contains("\\\"") {
        return None;
    }
    if super::posix::is_plain(text) {
        return Some(text.to_owned());
    }
    // They put quotes around an argument with white space unless it begins with one itself.
    if text.contains('"') && text.contains(char::is_whitespace) {
        return None;
    }
    Some(string(&text.replace('"', "\\\"")))
}
