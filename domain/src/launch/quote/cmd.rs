//! cmd.exe.

/// Text as one argument of a program that cmd.exe starts, typed at its prompt.
///
/// `None` where that cannot be written for sure: `%` and `!` stand for variables even in quotes, a double quote ends
/// them, and a line has an end.
#[must_use]
pub fn argument(text: &str) -> Option<String> {
    if super::posix::is_plain(text) {
        return Some(text.to_owned());
    }
    let bad = |c: char| matches!(c, '%' | '!' | '"') || c.is_control();
    if text.chars().any(bad) {
        return None;
    }
    // Backslashes before the closing quote are read in pairs.
    let tail = text.chars().rev().take_while(|&c| c == '\\').count();
    Some(format!("\"{text}{}\"", "\\".repeat(tail)))
}
