//! Text from elsewhere, made harmless for a terminal and a log.

use domain::user::is_deceptive;

/// Longest text taken over from elsewhere, in characters.
const MAX_CHARS: usize = 300;

/// The text without control characters (escape codes, line ends) and without characters that turn the reading
/// direction, each replaced by `?`, and cut at a sane length.
#[must_use]
pub fn clean(text: &str) -> String {
    let safe = |c: char| if is_deceptive(c) || matches!(c, '\u{2028}' | '\u{2029}') { '?' } else { c };
    let mut cleaned: String = text.chars().take(MAX_CHARS).map(safe).collect();
    if text.chars().nth(MAX_CHARS).is_some() {
        cleaned.push('…');
    }
    cleaned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_escape_code_gets_through() {
        assert_eq!(clean("Eve\u{1b}[2J\u{1b}]0;x\u{7}\r\nberth: ok"), "Eve?[2J?]0;x???berth: ok");
        assert_eq!(clean("a\u{202e}b\u{9b}c\u{2028}d"), "a?b?c?d");
        assert_eq!(clean("José 李雷"), "José 李雷");
    }

    #[test]
    fn a_novel_is_cut() {
        assert_eq!(clean(&"é".repeat(1000)).chars().count(), MAX_CHARS + 1);
    }
}
