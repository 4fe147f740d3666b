//! What a text is made of: numbers, words, marks.

use super::Misheard;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// Digits: their value, and how many.
    Number(u32, usize),
    Word(String),
    Mark(char),
}

/// A token, and whether white space comes before it.
pub(super) type Spaced = (Token, bool);

/// Takes a text apart.
pub(super) fn tokens(text: &str) -> Result<Vec<Spaced>, Misheard> {
    let mut tokens: Vec<Spaced> = Vec::new();
    let mut spaced = true;
    let mut rest = text.trim();
    while let Some(first) = rest.chars().next() {
        let length = |same: fn(char) -> bool| rest.find(|c| !same(c)).unwrap_or(rest.len());
        let (token, length) = if first.is_ascii_digit() {
            let length = length(|c| c.is_ascii_digit());
            let digits = &rest[..length];
            let value = digits.parse().map_err(|_| Misheard::Unknown(digits.to_owned()))?;
            (Some(Token::Number(value, length)), length)
        } else if first.is_alphabetic() {
            let length = length(char::is_alphabetic);
            (Some(Token::Word(rest[..length].to_lowercase())), length)
        } else {
            let mark = match first {
                // Brackets as in `02:30 (first)`.
                ',' | '(' | ')' => None,
                c if c.is_whitespace() => None,
                '–' | '—' | '-' | '−' => Some(Token::Mark('-')),
                ':' | '+' | '.' | '/' => Some(Token::Mark(first)),
                other => return Err(Misheard::Unknown(other.to_string())),
            };
            (mark, first.len_utf8())
        };
        match token {
            Some(token) => tokens.push((token, std::mem::take(&mut spaced))),
            None => spaced = true,
        }
        rest = &rest[length..];
    }
    Ok(tokens)
}
