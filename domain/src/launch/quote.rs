//! Quoting one word for a shell.

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

#[cfg(test)]
mod tests {
    use super::single_quote;

    #[test]
    fn quotes_and_backslashes_stand_outside() {
        assert_eq!(single_quote(""), "''");
        assert_eq!(single_quote("\"device=0,2\""), "'\"device=0,2\"'");
        assert_eq!(single_quote("it's"), r"'it'\''s'");
        assert_eq!(single_quote(r"a\b"), r"'a'\\'b'");
        assert_eq!(single_quote(r"\'"), r"\\\'");
    }
}
