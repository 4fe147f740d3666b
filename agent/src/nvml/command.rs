//! A process's command line as it may be shown to colleagues: bounded, readable, without secrets.

use domain::user::is_deceptive;

use super::redact;

/// Longest line, in bytes.
pub const LINE_MAX: usize = 256;

/// A line from the bytes of `/proc/PID/cmdline`: arguments that each end in a NUL. `cut` says that there was more.
///
/// `None` where nothing readable is left.
#[must_use]
pub fn line(raw: &[u8], cut: bool) -> Option<String> {
    // Half an argument at the end could be half a secret, which nothing would recognise.
    let end = if cut { raw.iter().rposition(|&byte| byte == 0 || byte == b' ').unwrap_or(0) } else { raw.len() };
    let arguments: Vec<String> = raw[..end]
        .split(|&byte| byte == 0)
        .map(|argument| readable(&String::from_utf8_lossy(argument)))
        .filter(|argument| !argument.is_empty())
        .collect();
    let line = redact::arguments(&arguments).join(" ");
    (!line.is_empty()).then(|| shorten(line, cut))
}

/// Line ends and tabs become blanks; what could act on a terminal or turn the reading direction becomes `?`.
fn readable(text: &str) -> String {
    let safe = |c: char| match c {
        '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}' => ' ',
        c if is_deceptive(c) => '?',
        c => c,
    };
    text.trim().chars().map(safe).collect()
}

/// Cuts at a character and says so.
fn shorten(mut line: String, cut: bool) -> String {
    const MARK: &str = "…";
    if line.len() <= LINE_MAX && !cut {
        return line;
    }
    let mut end = line.len().min(LINE_MAX - MARK.len());
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    line.truncate(end);
    line + MARK
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_become_one_line() {
        assert_eq!(line(b"python\0train.py\0--epochs\x003\0", false).as_deref(), Some("python train.py --epochs 3"));
        assert_eq!(line(b"", false), None);
        assert_eq!(line(b"\0\0\0", false), None);
    }

    #[test]
    fn nothing_acts_on_a_terminal_or_reads_backwards() {
        let hostile = "a\u{1b}[2J\0b\nc\td\0e\u{202e}f\u{9b}g\u{2028}h\0".as_bytes();
        assert_eq!(line(hostile, false).as_deref(), Some("a?[2J b c d e?f?g h"));
        assert_eq!(line(b"\xff\xfe\0x\0", false).as_deref(), Some("\u{fffd}\u{fffd} x"));
    }

    #[test]
    fn a_long_line_is_cut_at_a_character() {
        let long = "é".repeat(2000);
        let cut = line(long.as_bytes(), false).expect("a line");
        assert!(cut.len() <= LINE_MAX && cut.ends_with('…') && cut.starts_with("éé"));
    }

    #[test]
    fn secrets_go_before_the_line_is_cut() {
        let padding = "x".repeat(240);
        let raw = format!("run\0{padding}\0--token=hunter2hunter2\0");
        assert!(!line(raw.as_bytes(), false).expect("a line").contains("hunter"));
    }

    #[test]
    fn half_an_argument_at_the_end_of_the_buffer_is_dropped() {
        let cut = line(b"run\0--name\0x\0ghp_ab", true).expect("a line");
        assert_eq!(cut, "run --name x…");
        assert_eq!(line(b"ghp_ab", true), None);
    }
}
