//! Unit files of systemd.

/// Any text as one word of `ExecStart=`, where `%` and `$` are expanded.
#[must_use]
pub fn argument(text: &str) -> String {
    quoted(&text.replace('$', "$$"))
}

/// Any text as one word of `Environment=`, where `%` is expanded and `$` is not.
#[must_use]
pub fn environment(text: &str) -> String {
    quoted(text)
}

fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '%' => quoted.push_str("%%"),
            ' '..='~' => quoted.push(c),
            c if c.is_alphanumeric() => quoted.push(c),
            c => quoted.push_str(&format!("\\U{:08x}", u32::from(c))),
        }
    }
    quoted.push('"');
    quoted
}

/// Any text as a description, which is read to the end of the line and by which nothing is found again: white space and
/// what cannot be printed becomes a space, and so does a backslash, which would go on in the next line.
#[must_use]
pub fn description(text: &str) -> String {
    let shown = |c: char| if c.is_control() || c.is_whitespace() || c == '\\' { ' ' } else { c };
    let text: String = text.chars().map(shown).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('%', "%%")
}
