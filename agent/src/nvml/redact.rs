//! Takes secrets out of command lines. What looks like one is taken out; a name too many is better than a key too many.
//!
//! Recognised are values of options and variables that are named like secrets (`--hf-token x`, `API_KEY=x`,
//! `Authorization: Bearer x`), user names and passwords in addresses, keys with well-known beginnings, and long random
//! text. What holds several things, such as a script, is taken apart by `script`. A secret that stands alone and looks like a word cannot be recognised.

mod script;

/// Stands for what was taken out.
pub const MASK: &str = "***";

/// Beginnings of keys that announce themselves. What follows must be long enough to be one.
const KEY_PREFIXES: [&str; 17] = [
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "hf_",
    "sk-",
    "sk_",
    "AKIA",
    "ASIA",
    "xoxb-",
    "xoxp-",
    "npm_",
    "pypi-",
    "eyJ",
];
/// Shortest rest of such a key.
const KEY_REST_MIN: usize = 8;
/// Shortest random text that counts as a secret.
const RANDOM_MIN: usize = 32;
/// Words that make a name a secret's.
const SECRET_WORDS: [&str; 19] = [
    "token",
    "secret",
    "secrets",
    "password",
    "passwords",
    "passwd",
    "passphrase",
    "passphrases",
    "passcode",
    "pwd",
    "pass",
    "apikey",
    "apikeys",
    "credential",
    "credentials",
    "auth",
    "authorization",
    "cookie",
    "cookies",
];
/// Endings that do, where words are not separated.
const SECRET_ENDINGS: [&str; 7] = ["token", "secret", "password", "passwd", "pwd", "apikey", "passphrase"];
/// Words before `key` that make it a secret one.
const KEY_KINDS: [&str; 9] =
    ["api", "access", "private", "secret", "auth", "account", "encryption", "signing", "wandb"];
/// Last words of names of things that may be `user:password`.
const USER_WORDS: [&str; 3] = ["user", "username", "login"];
/// Say how a secret is meant; the secret comes after them.
const SCHEMES: [&str; 4] = ["bearer", "basic", "token", "digest"];

/// The arguments with their secrets masked.
#[must_use]
pub fn arguments(arguments: &[String]) -> Vec<String> {
    let mut before = Before::Nothing;
    arguments.iter().map(|argument| one(argument, &mut before)).collect()
}

/// What came before announced.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    /// A secret, unless an option follows.
    SecretOption,
    /// A secret.
    SecretValue,
    /// A secret that goes to the end of the line or of the entry: what follows `password: `.
    SecretLine,
    /// `user:password`.
    UserName,
}

fn one(argument: &str, before: &mut Before) -> String {
    match std::mem::replace(before, Before::Nothing) {
        announced @ (Before::SecretOption | Before::SecretValue | Before::SecretLine)
            if announced != Before::SecretOption || !is_option(argument) =>
        {
            if is_scheme(argument) {
                *before = announced;
                return argument.to_owned();
            }
            return MASK.to_owned();
        }
        Before::UserName => {
            if let Some((user, _)) = argument.split_once(':') {
                return format!("{user}:{MASK}");
            }
        }
        _ => {}
    }
    // The name comes before anything that separates; the value is the whole rest of the argument.
    let first = &argument[..argument.find(script::is_separator).unwrap_or(argument.len())];
    if let Some(mark) = secret_mark(first) {
        let (name, value) = argument.split_at(argument.len() - argument[mark..].trim_start().len());
        if value.is_empty() {
            *before = Before::SecretValue;
        }
        return if value.is_empty() { name.to_owned() } else { format!("{name}{MASK}") };
    }
    if let Some(mark) = user_mark(first) {
        let (name, value) = argument.split_at(mark);
        if value.is_empty() {
            *before = Before::UserName;
            return argument.to_owned();
        }
        if let Some((user, _)) = value.split_once(':') {
            return format!("{name}{user}:{MASK}");
        }
    }
    if first.len() < argument.len() {
        return script::mask(argument);
    }
    if argument.starts_with('-') && is_secret_name(argument) {
        *before = Before::SecretOption;
        return argument.to_owned();
    }
    mask_values(argument)
}

fn is_option(argument: &str) -> bool {
    argument.starts_with("--") || (argument.starts_with('-') && argument.len() == 2)
}

fn is_scheme(word: &str) -> bool {
    SCHEMES.contains(&word.to_ascii_lowercase().as_str())
}

/// Where the value of a secret begins: after the first `=`, `:` or end of a tag whose name, the text back to the mark before, is a
/// secret's. `--set=db.password=x` has a name within the value of another.
fn secret_mark(word: &str) -> Option<usize> {
    let mut start = 0;
    for (at, mark) in word.match_indices(['=', ':', '>']) {
        let is_scheme = word[at..].starts_with("://");
        let is_tag = mark != ">" || word[start..at].trim_start_matches('\\').starts_with('<');
        if is_tag && !is_scheme && is_secret_name(&word[start..at]) {
            return Some(at + 1);
        }
        start = at + 1;
    }
    None
}

/// Where `user:password` begins in an option of that kind: at the word's end where it is the next one.
fn user_mark(word: &str) -> Option<usize> {
    if word.starts_with('-') && !word.starts_with("--") {
        // Short options stand together: `-su ada:password`, `-sSuada:password`.
        let is_user = |c: char| matches!(c, 'u' | 'U');
        let options = word.find(':').map_or(word, |colon| &word[..colon]);
        return match options.find(is_user) {
            Some(at) if options.len() < word.len() => Some(at + 1),
            _ => word.ends_with(is_user).then_some(word.len()),
        };
    }
    match word.find('=') {
        Some(at) => is_user_name(&word[..at]).then_some(at + 1),
        None => (word.starts_with("--") && is_user_name(word)).then_some(word.len()),
    }
}

/// Only what could be a name, whole.
fn is_plain_name(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

/// Whether a thing of this name may be `user:password`.
fn is_user_name(name: &str) -> bool {
    words(name).last().is_some_and(|last| USER_WORDS.contains(&last.as_str()))
}

/// Whether a thing of this name is a secret. Words count, not parts of words: `tokenizer` and `max_tokens` are harmless.
fn is_secret_name(name: &str) -> bool {
    let words = words(name);
    let (is_key, are_keys) = words.last().map_or((false, false), |last| (last == "key", last == "keys"));
    let of_secrets = |kind: &String| KEY_KINDS.contains(&kind.as_str());
    let kind = words.len().checked_sub(2).and_then(|at| words.get(at));
    words.iter().any(|word| SECRET_WORDS.contains(&word.as_str()))
        || words.iter().any(|word| SECRET_ENDINGS.iter().any(|ending| word.ends_with(ending)))
        || (is_key && kind.is_none_or(of_secrets))
        || (are_keys && kind.is_some_and(of_secrets))
}

/// `--hfToken`, `HF_TOKEN` and `hf-token` are the words `hf` and `token`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut lower_before = false;
    for c in name.chars() {
        if !c.is_ascii_alphanumeric() || (c.is_ascii_uppercase() && lower_before) {
            words.push(String::new());
        }
        if let (true, Some(word)) = (c.is_ascii_alphanumeric(), words.last_mut()) {
            word.push(c.to_ascii_lowercase());
        }
        lower_before = c.is_ascii_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// A piece without separators: masks what is a secret by its looks.
fn mask_values(piece: &str) -> String {
    let piece = mask_user_info(piece);
    let mut masked = String::with_capacity(piece.len());
    let mut rest = piece.as_str();
    while !rest.is_empty() {
        let in_run = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '_' | '-');
        let end = rest.find(|c| !in_run(c)).unwrap_or(rest.len());
        let (run, tail) = rest.split_at(end);
        if !run.is_empty() {
            masked.push_str(if is_secret(run) { MASK } else { run });
        }
        // The padding of base64 goes with its text.
        let next = tail.find(in_run).unwrap_or(tail.len());
        masked.push_str(&tail[..next]);
        rest = &tail[next..];
    }
    masked
}

/// `scheme://user:password@host` without user and password.
fn mask_user_info(piece: &str) -> String {
    let Some(scheme_end) = piece.find("://").map(|at| at + 3) else { return piece.to_owned() };
    let (scheme, rest) = piece.split_at(scheme_end);
    let authority_end = rest.find(['/', '#']).unwrap_or(rest.len());
    // A password may hold a slash that should have been escaped; a port has digits only.
    let has_password = || {
        let after = rest[..authority_end].split_once(':').map(|(_, after)| after);
        after.is_some_and(|after| !after.chars().all(|c| c.is_ascii_digit()))
    };
    let at = rest[..authority_end].rfind('@').or_else(|| rest.rfind('@').filter(|_| has_password()));
    match at {
        Some(at) => format!("{scheme}{MASK}{}", &rest[at..]),
        None => piece.to_owned(),
    }
}

/// A run of letters, digits and the signs of base64 that is a key by its beginning or random by its looks.
fn is_secret(run: &str) -> bool {
    if is_card(run) {
        return false;
    }
    let announced = KEY_PREFIXES.iter().any(|prefix| {
        let starts = run.match_indices(prefix).map(|(at, _)| at);
        starts.into_iter().any(|at| {
            let own_word = at == 0 || !run.as_bytes()[at - 1].is_ascii_alphanumeric();
            let rest = &run[at + prefix.len()..];
            own_word && rest.chars().filter(char::is_ascii_alphanumeric).count() >= KEY_REST_MIN && looks_made_up(rest)
        })
    });
    announced || longest_hex(run) >= RANDOM_MIN || is_random(run)
}

/// A card's UUID is as random as a key, and everybody may know it.
fn is_card(run: &str) -> bool {
    let Some(rest) = run.strip_prefix("GPU-").or_else(|| run.strip_prefix("MIG-")) else { return false };
    rest.split('-').map(str::len).eq([8, 4, 4, 4, 12]) && rest.chars().all(|c| c == '-' || c.is_ascii_hexdigit())
}

/// Digits or mixed case: not just a word.
fn looks_made_up(text: &str) -> bool {
    let has = |class: fn(&char) -> bool| text.chars().any(|c| class(&c));
    has(char::is_ascii_digit) || (has(char::is_ascii_uppercase) && has(char::is_ascii_lowercase)) || text.len() >= 20
}

fn longest_hex(run: &str) -> usize {
    run.split(|c: char| !c.is_ascii_hexdigit()).map(str::len).max().unwrap_or(0)
}

/// In random text the class of character (upper, lower, digit) changes all the time; in names and paths it seldom does.
fn is_random(run: &str) -> bool {
    if run.len() < RANDOM_MIN {
        return false;
    }
    let class = |byte: u8| match byte {
        b'a'..=b'z' => 1,
        b'A'..=b'Z' => 2,
        b'0'..=b'9' => 3,
        _ => 0,
    };
    let pairs: Vec<(u8, u8)> = run.bytes().map(class).zip(run.bytes().skip(1).map(class)).collect();
    let inner: Vec<&(u8, u8)> = pairs.iter().filter(|(a, b)| *a > 0 && *b > 0).collect();
    let changes = inner.iter().filter(|(a, b)| a != b).count();
    let mixed = run.bytes().any(|byte| byte.is_ascii_uppercase());
    // Two classes change about half as often as three.
    let limit = if mixed { 40 } else { 30 };
    inner.len() >= 20 && changes * 100 >= inner.len() * limit
}

#[cfg(test)]
#[path = "redact_tests.rs"]
mod tests;
