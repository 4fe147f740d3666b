//! sh, dash, bash and zsh; and fish, by the same words.

/// Writes any text as one word of a command line that sh, bash, dash, zsh and fish read alike. Not for NUL, which no
/// argument can hold.
///
/// Everything stands in single quotes but `'` and `\`: those two stand outside behind a backslash, since fish, unlike
/// the others, reads a backslash before them inside single quotes too.
#[must_use]
pub fn single_quote(text: &str) -> String {
    if text.is_empty() {
        return "''".to_owned();
    }
    let mut quoted = String::with_capacity(text.len() + 2);
    let mut inside = false;
    for c in text.chars() {
        let special = matches!(c, '\'' | '\\');
        if inside == special {
            quoted.push('\'');
            inside = !special;
        }
        if special {
            quoted.push('\\');
        }
        quoted.push(c);
    }
    if inside {
        quoted.push('\'');
    }
    quoted
}

/// The same, as it stands where nothing in it needs quotes.
#[must_use]
pub fn word(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { single_quote(text) }
}

/// Not empty, and nothing but letters, digits and what no shell reads as more than itself, be it cmd or PowerShell, which
/// cuts an option in two at a dot or colon.
#[must_use]
pub fn is_plain(text: &str) -> bool {
    let option = text.starts_with('-');
    let mark = |c: char| matches!(c, '-' | '_' | '/') || (!option && matches!(c, '.' | ':'));
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || mark(c))
}

#[cfg(test)]
mod tests {
    use super::{single_quote, word};

    #[test]
    fn quotes_and_backslashes_stand_outside() {
        assert_eq!(single_quote(""), "''");
        assert_eq!(single_quote("\"device=0,2\""), "'\"device=0,2\"'");
        assert_eq!(single_quote("it's"), r"'it'\''s'");
        assert_eq!(single_quote(r"a\b"), r"'a'\\'b'");
        assert_eq!(single_quote(r"\'"), r"\\\'");
    }

    #[test]
    fn plain_words_stay_as_they_are() {
        assert_eq!(word("ghcr.io/lab/train:2.1"), "ghcr.io/lab/train:2.1");
        for odd in ["", "-O.5", "~x", "a=b", "=ls", "a b", "$x", "{a,b}", "#x", "é", "!x", "%1", "^x"] {
            assert!(word(odd).starts_with('\''), "{odd}");
        }
    }
}
