//! Passwords that are guessed first: well-known words, alone, with some digits or signs behind them, or in "leet"
//! spelling; runs of the keyboard and of the alphabet; one piece over and over; the account's own name.

use std::collections::HashSet;
use std::sync::LazyLock;

/// In small letters, by lines and spaces; lines that begin with `#` are comments.
static WORDS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    include_str!("common_passwords.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .flat_map(str::split_whitespace)
        .collect()
});

/// Rows of keyboards and the orders that everybody knows; a password that is a piece of one is none.
const RUNS: [&str; 9] = [
    "01234567890123456789",
    "09876543210987654321",
    "abcdefghijklmnopqrstuvwxyz",
    "zyxwvutsrqponmlkjihgfedcba",
    "qwertyuiopasdfghjklzxcvbnm",
    "qwertzuiopasdfghjklyxcvbnm",
    "azertyuiopqsdfghjklmwxcvbn",
    "1q2w3e4r5t6y7u8i9o0p",
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p",
];

/// Whatever stands behind a word, up to so many digits or signs, makes it no harder to guess.
const TAIL_MAX: usize = 4;

/// Whether this password is guessed among the first, or with the account's name in hand.
#[must_use]
pub fn is_common(password: &str, name: &str) -> bool {
    let lower = password.to_lowercase();
    let word = without_tail(&lower);
    let is_run = |text: &str| RUNS.iter().any(|run| run.contains(text));
    WORDS.contains(lower.as_str())
        || WORDS.contains(word)
        || WORDS.contains(plain(&lower).as_str())
        || WORDS.contains(plain(word).as_str())
        || is_run(&lower)
        || (word.chars().count() >= 4 && is_run(word))
        || lower.chars().collect::<HashSet<_>>().len() <= 2
        || is_repeated(&lower)
        || word == name
        || lower == name
}

/// Without the digits and signs at the end, if they are few.
fn without_tail(lower: &str) -> &str {
    let word = lower.trim_end_matches(|c: char| !c.is_alphabetic());
    if lower[word.len()..].chars().count() <= TAIL_MAX { word } else { lower }
}

/// "Leet" spelling taken back.
fn plain(lower: &str) -> String {
    let letter = |c| match c {
        '0' => 'o',
        '1' | '!' => 'i',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' => 't',
        other => other,
    };
    lower.chars().map(letter).collect()
}

/// One piece of at most four characters over and over.
fn is_repeated(lower: &str) -> bool {
    let chars: Vec<char> = lower.chars().collect();
    (1..=4).any(|n| chars.len() > n && chars.iter().zip(chars.iter().skip(n)).all(|(a, b)| a == b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_guessed_first_is_refused() {
        for bad in [
            "password",
            "Password1",
            "P@ssw0rd",
            "p@ssw0rd!",
            "PASSWORD123!",
            "12345678",
            "123456789",
            "87654321",
            "qwertyui",
            "qwerty123",
            "QWERTZUIOP",
            "1q2w3e4r",
            "1qaz2wsx",
            "iloveyou",
            "sunshine",
            "aaaaaaaa",
            "abababab",
            "abcdabcd",
            "abcdefgh",
            "letmein1",
            "trustno1",
            "admin123",
            "changeme",
            "welcome2026",
            "football!",
            "monkey12",
            "berth123",
            "nvidia2026",
            "lovelace",
            "Lovelace99",
            "11112222",
            "superman",
        ] {
            assert!(is_common(bad, "lovelace"), "{bad}");
        }
    }

    #[test]
    fn what_is_not_passes() {
        for good in [
            "correct horse battery",
            "notes on the engine",
            "tr4ctor-beam",
            "kX9#vT2q",
            "пароль-длинный",
            "sunshine-over-dgx",
            "lovelace-wrote-it",
            "mein Hund frisst",
            "8675309-jenny-x",
            "quiet orange ladder",
        ] {
            assert!(!is_common(good, "lovelace"), "{good}");
        }
    }

    #[test]
    fn the_list_is_small_letters() {
        assert!(WORDS.len() > 300);
        assert!(WORDS.iter().all(|word| *word == word.to_lowercase()));
    }
}
