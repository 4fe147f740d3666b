//! Masks secrets in an argument that holds more than one thing: a script, JSON, a header or a query.
//!
//! Where it is not clear how far a secret goes, it goes to the end of what is in quotes.

use super::{
    Before, MASK, is_option, is_plain_name, is_scheme, is_secret_name, is_user_name, mask_user_info, mask_values,
    secret_mark, user_mark,
};

/// Separates the pieces.
pub(super) fn is_separator(c: char) -> bool {
    c.is_whitespace() || is_quote(c) || is_opening(c) || matches!(c, ';' | '&' | '|' | ')' | '}' | ',' | '?')
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\'' | '`')
}

fn is_opening(c: char) -> bool {
    matches!(c, '(' | '{')
}

/// May stand between a name and its value.
fn is_between(c: char) -> bool {
    (is_separator(c) && !is_quote(c) && !is_opening(c)) || matches!(c, ':' | '=' | ']' | '>')
}

/// The argument with its secrets masked. What its end announces is not followed any further.
pub(super) fn mask(argument: &str) -> String {
    let mut script = Script { text: argument, at: 0, masked: String::with_capacity(argument.len()), quoted: false };
    script.run();
    script.masked
}

struct Script<'a> {
    text: &'a str,
    /// Everything before is done.
    at: usize,
    masked: String,
    /// This is what stands in quotes: a secret in it goes to the end.
    quoted: bool,
}

impl<'a> Script<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn keep(&mut self, bytes: usize) {
        self.masked.push_str(&self.rest()[..bytes]);
        self.at += bytes;
    }

    fn hide(&mut self, bytes: usize) {
        let value = &self.rest()[..bytes];
        match value.chars().next().filter(|first| is_quote(*first)) {
            Some(quote) if close(value, 0) == Some(bytes - 1) => {
                self.masked.push(quote);
                self.masked.push_str(MASK);
                self.masked.push(quote);
            }
            _ => self.masked.push_str(MASK),
        }
        self.at += bytes;
    }

    fn run(&mut self) -> Before {
        let mut before = Before::Nothing;
        while let Some(first) = self.rest().chars().next() {
            if before != Before::Nothing && is_between(first) {
                self.keep(first.len_utf8());
                continue;
            }
            before = match before {
                Before::Nothing => self.piece(first),
                Before::UserName => self.user(first),
                announced => self.secret(announced),
            };
        }
        before
    }

    /// At a secret's value.
    fn secret(&mut self, announced: Before) -> Before {
        let word = self.word();
        if announced == Before::SecretOption && is_option(word) {
            return Before::Nothing;
        }
        if is_scheme(word) && word.len() < self.rest().len() {
            self.keep(word.len());
            return announced;
        }
        let length = if self.quoted { self.rest().len() } else { value_length(self.rest(), announced) };
        self.hide(length);
        Before::Nothing
    }

    /// At what may be `user:password`.
    fn user(&mut self, first: char) -> Before {
        let length = if self.quoted { self.rest().len() } else { value_length(self.rest(), Before::UserName) };
        let value = &self.rest()[..length];
        if let (false, Some(colon)) = (is_opening(first), value.find(':')) {
            self.keep(colon + 1);
            self.masked.push_str(MASK);
            if is_quote(first) && value.ends_with(first) {
                self.masked.push(first);
            }
            self.at += length - colon - 1;
        }
        Before::Nothing
    }

    fn word(&self) -> &'a str {
        let rest = self.rest();
        &rest[..rest.find(is_separator).unwrap_or(rest.len())]
    }

    /// At anything; gives what it announces.
    fn piece(&mut self, first: char) -> Before {
        if is_quote(first) {
            return self.quotes();
        }
        if is_separator(first) {
            self.keep(first.len_utf8());
            return Before::Nothing;
        }
        if self.address() {
            return Before::Nothing;
        }
        let word = self.word();
        if let Some(mark) = secret_mark(word) {
            // Between `;` and `;`, as in what a database is opened with, values may hold blanks.
            let line = word[..mark].ends_with('>')
                || self.text[..self.at].ends_with(';')
                || (word[..mark].ends_with(':') && self.rest()[mark..].starts_with(char::is_whitespace));
            self.keep(mark);
            return if line { Before::SecretLine } else { Before::SecretValue };
        }
        if word.starts_with('-') && is_secret_name(word) {
            self.keep(word.len());
            return Before::SecretOption;
        }
        if is_plain_name(word)
            && is_secret_name(word)
            && let Some(announced) = announced_by_mark(&self.rest()[word.len()..])
        {
            self.keep(word.len());
            return announced;
        }
        if let Some(mark) = user_mark(word) {
            self.keep(mark);
            return Before::UserName;
        }
        self.masked.push_str(&mask_values(word));
        self.at += word.len();
        Before::Nothing
    }

    /// An address with user and password: the password may hold signs that separate.
    fn address(&mut self) -> bool {
        if !self.word().contains("://") {
            return false;
        }
        let rest = self.rest();
        let whole = &rest[..rest.find(|c: char| c.is_whitespace() || is_quote(c)).unwrap_or(rest.len())];
        let masked = mask_user_info(whole);
        let (Some(end), true) = (masked.rfind(&format!("{MASK}@")), masked != whole) else { return false };
        let kept = masked.len() - end - MASK.len();
        self.masked.push_str(&masked[..end + MASK.len()]);
        self.at += whole.len() - kept;
        true
    }

    fn quotes(&mut self) -> Before {
        let end = close(self.text, self.at);
        let content = &self.text[self.at + 1..end.unwrap_or(self.text.len())];
        self.keep(1);
        let mut inner = Script { text: content, at: 0, masked: String::with_capacity(content.len()), quoted: true };
        let announced = inner.run();
        self.masked.push_str(&inner.masked);
        self.at += content.len();
        if end.is_some() {
            self.keep(1);
        }
        let name = content.trim_end_matches('\\');
        if is_secret_name(name) {
            let by_mark = announced_by_mark(self.rest());
            if by_mark.is_some() || is_plain_name(name) {
                let by_name = if name.starts_with('-') { Before::SecretOption } else { Before::SecretValue };
                return by_mark.unwrap_or(by_name);
            }
        }
        if is_plain_name(name) && is_user_name(name) {
            return Before::UserName;
        }
        if !matches!(announced, Before::Nothing | Before::UserName) && self.at < self.text.len() {
            // A name in quotes whose value is outside: how far that goes is anybody's guess.
            self.hide(self.text.len() - self.at);
            return Before::Nothing;
        }
        announced
    }
}

/// What a secret's name announces before this text, where a mark follows.
fn announced_by_mark(after: &str) -> Option<Before> {
    match after.trim_start_matches(|c: char| c.is_whitespace() || c == '\\').chars().next()? {
        ':' => Some(Before::SecretLine),
        '=' => Some(Before::SecretValue),
        _ => None,
    }
}

/// Whether this text, after a comma, is the next entry of a list of names and values.
fn is_entry(text: &str) -> bool {
    let name = text.trim_start().trim_start_matches(|c| is_quote(c) || c == '\\');
    let end = name.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))).unwrap_or(name.len());
    let after = name[end..].trim_start_matches(|c: char| is_quote(c) || c == '\\' || c.is_whitespace());
    end > 0 && after.starts_with(':')
}

/// Bytes of the value that a text begins with.
fn value_length(text: &str, announced: Before) -> usize {
    let line = announced == Before::SecretLine;
    let (mut at, mut after_end) = (0, false);
    while let Some(c) = text[at..].chars().next() {
        let next = at + c.len_utf8();
        let ends = match c {
            '\n' => true,
            ',' if line && !after_end => is_entry(&text[next..]),
            ',' | '}' | ']' | ')' => after_end,
            ';' | '&' | '|' => !line,
            _ => c.is_whitespace() && !line,
        };
        if ends {
            break;
        }
        after_end = is_quote(c) || matches!(c, '(' | '{' | '[');
        at = match c {
            _ if is_quote(c) => close(text, at).map_or(text.len(), |end| end + 1),
            '(' | '{' | '[' => close_bracket(text, at),
            // What is escaped belongs to the value; a quote that is escaped is a quote all the same.
            '\\' => match text[next..].chars().next() {
                Some(escaped) if !is_quote(escaped) && escaped != '\\' => next + escaped.len_utf8(),
                _ => next,
            },
            _ => next,
        };
    }
    at
}

/// Where the quote that opens at `open` closes: at the next of its kind that is escaped as often.
fn close(text: &str, open: usize) -> Option<usize> {
    let quote = text[open..].chars().next()?;
    let escapes = |at: usize| text[..at].bytes().rev().take_while(|byte| *byte == b'\\').count();
    let own = escapes(open);
    let mut after = text[open..].match_indices(quote).skip(1).map(|(at, _)| open + at);
    after.find(|at| escapes(*at) == own)
}

/// The end of what is in brackets from `open` on.
fn close_bracket(text: &str, open: usize) -> usize {
    let (mut at, mut depth) = (open, 0_u32);
    while let Some(c) = text[at..].chars().next() {
        at = match c {
            _ if is_quote(c) => close(text, at).map_or(text.len(), |end| end + 1),
            _ => at + c.len_utf8(),
        };
        match c {
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    text.len()
}
