//! YAML.

/// Any text as a double-quoted scalar, in ASCII but for letters. YAML's escapes are those of C, and unlike JSON's they
/// name characters beyond 16 bits by one number.
#[must_use]
pub fn string(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            ' '..='~' => quoted.push(c),
            c if c.is_alphanumeric() => quoted.push(c),
            c => quoted.push_str(&format!("\\U{:08x}", u32::from(c))),
        }
    }
    quoted.push('"');
    quoted
}

/// The same for Compose, which puts the values of variables in place of `$NAME`.
#[must_use]
pub fn compose_string(text: &str) -> String {
    string(&text.replace('$', "$$"))
}

/// The same for the command of a container in Kubernetes, which does so with `$(NAME)`, and takes `$$` for `$` anywhere.
#[must_use]
pub fn pod_string(text: &str) -> String {
    string(&text.replace('$', "$$"))
}
