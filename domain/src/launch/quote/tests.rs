//! Each language read by a small reader of its own, written from its rules and not from the quoting: what comes out is what
//! went in, whatever it was. That real programs read it so is tested with the commands.

use proptest::prelude::*;

use super::*;

/// Reads one line as POSIX shells do, as far as quoting goes.
pub(in crate::launch) fn posix_words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' | '\n' => words.extend(word.take()),
            '\\' => match chars.next().expect("something is escaped") {
                '\n' => {}
                c => word.get_or_insert_default().push(c),
            },
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next().expect("the quote ends") {
                        '\'' => break,
                        c => word.push(c),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next().expect("the quote ends") {
                        '"' => break,
                        '\\' => match chars.next().expect("something is escaped") {
                            c @ ('$' | '`' | '"' | '\\') => word.push(c),
                            c => word.extend(['\\', c]),
                        },
                        c => {
                            assert!(!"$`".contains(c), "expanded: {line}");
                            word.push(c);
                        }
                    }
                }
            }
            c => {
                assert!(!"$`;&|<>()*?[]{}~#!".contains(c), "a shell acts upon {c}: {line}");
                word.get_or_insert_default().push(c);
            }
        }
    }
    words.extend(word);
    words
}

/// Reads one line as fish does: a backslash escapes `'` and `\` within single quotes too.
fn fish_words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\n' => words.extend(word.take()),
            '\\' => {
                let c = chars.next().expect("something is escaped");
                assert!("'\\\"".contains(c), "fish knows other escapes: {line}");
                word.get_or_insert_default().push(c);
            }
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next().expect("the quote ends") {
                        '\'' => break,
                        '\\' if chars.peek().is_some_and(|c| "'\\".contains(*c)) => word.extend(chars.next()),
                        c => word.push(c),
                    }
                }
            }
            c => {
                assert!(!"$;&|<>()*?[]{}~#\"".contains(c), "fish acts upon {c}: {line}");
                word.get_or_insert_default().push(c);
            }
        }
    }
    words.extend(word);
    words
}

/// Reads a line as PowerShell does: words, and strings in single quotes, for which it takes five characters.
pub(in crate::launch) fn power_shell_words(line: &str) -> Vec<String> {
    const QUOTES: [char; 5] = ['\'', '‘', '’', '‚', '‛'];
    let mut words = Vec::new();
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        let mut word = String::new();
        if c == ' ' {
            continue;
        }
        if QUOTES.contains(&c) {
            while let Some(c) = chars.next() {
                if QUOTES.contains(&c) {
                    match chars.next_if(|next| QUOTES.contains(next)) {
                        Some(second) => word.push(second),
                        None => break,
                    }
                } else {
                    word.push(c);
                }
            }
            assert!(chars.peek().is_none_or(|c| *c == ' '), "goes on after a string: {line}");
        } else {
            word.push(c);
            while let Some(c) = chars.next_if(|c| *c != ' ') {
                word.push(c);
            }
            assert!(!word.contains(|c: char| "$`;&|<>(){}@#,\"".contains(c) || QUOTES.contains(&c)), "{line}");
        }
        words.push(word);
    }
    words
}

/// Joins arguments into a command line as Windows PowerShell 5.1 does.
pub(in crate::launch) fn joined_by_5_1(words: &[String]) -> String {
    let one = |word: &String| match word.contains(char::is_whitespace) && !word.starts_with('"') {
        true => format!("\"{word}\""),
        false => word.clone(),
    };
    words.iter().map(one).collect::<Vec<_>>().join(" ")
}

/// Takes a command line apart as programs for Windows do.
pub(in crate::launch) fn windows_arguments(line: &str) -> Vec<String> {
    let mut arguments = Vec::new();
    let mut argument: Option<String> = None;
    let mut quoted = false;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' if !quoted => arguments.extend(argument.take()),
            '\\' => {
                let mut backslashes = 1;
                while chars.next_if_eq(&'\\').is_some() {
                    backslashes += 1;
                }
                let argument = argument.get_or_insert_default();
                if chars.peek() == Some(&'"') {
                    argument.extend(std::iter::repeat_n('\\', backslashes / 2));
                    if backslashes % 2 == 1 {
                        argument.extend(chars.next());
                    }
                } else {
                    argument.extend(std::iter::repeat_n('\\', backslashes));
                }
            }
            '"' => {
                quoted = !quoted;
                argument.get_or_insert_default();
            }
            c => argument.get_or_insert_default().push(c),
        }
    }
    assert!(!quoted, "{line}");
    arguments.extend(argument);
    arguments
}

/// Reads a line at the prompt of cmd, then as the program does.
pub(in crate::launch) fn cmd_words(line: &str) -> Vec<String> {
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            '%' | '!' | '\n' | '\r' => panic!("cmd acts upon {c}: {line}"),
            '&' | '|' | '<' | '>' | '^' | '(' | ')' => assert!(quoted, "cmd acts upon {c}: {line}"),
            _ => {}
        }
    }
    windows_arguments(line)
}

/// Reads a string with escapes of C: YAML's double-quoted scalars, Python's literals, systemd's words.
pub(in crate::launch) fn escaped(text: &str) -> String {
    let inside = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).expect("in double quotes");
    let mut read = String::new();
    let mut chars = inside.chars();
    while let Some(c) = chars.next() {
        assert!(c != '"' && !c.is_control() && !"\u{85}\u{2028}\u{2029}\u{feff}".contains(c), "{text}");
        if c != '\\' {
            read.push(c);
            continue;
        }
        match chars.next().expect("something is escaped") {
            c @ ('"' | '\\') => read.push(c),
            'U' => {
                let digits: String = chars.by_ref().take(8).collect();
                read.push(char::from_u32(u32::from_str_radix(&digits, 16).expect("hex")).expect("a character"));
            }
            c => panic!("{c}: {text}"),
        }
    }
    read
}

/// Reads `$$` as `$`, as all do that put values in the place of variables; nothing that was typed may be one.
pub(in crate::launch) fn without_variables(text: &str) -> String {
    let mut read = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c == '$' {
            assert_eq!(chars.next(), Some('$'), "a variable: {text}");
        }
        read.push(c);
    }
    read
}

/// Puts values in the place of systemd's specifiers.
pub(in crate::launch) fn without_specifiers(text: &str) -> String {
    let mut read = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c == '%' {
            assert_eq!(chars.next(), Some('%'), "a specifier: {text}");
        }
        read.push(c);
    }
    read
}

/// Anything that can be an argument, and more often what somebody would be hurt by.
pub(in crate::launch) fn hostile() -> impl Strategy<Value = String> {
    let nasty = "['\"\\\\$`!%^&|;<>(){}\\[\\]*?~#=@,:\n\r\t ‘’‚‛\u{85}\u{2028}\u{202e}\u{feff}é日😀a0-]{0,12}";
    let known = prop::sample::select(vec![
        "$(touch /tmp/x)",
        "`id`",
        "'; id; '",
        "\" && id && \"",
        "%PATH%",
        "%n%h",
        "${HOME}",
        "$(HOME)",
        "$$",
        "a\\",
        "\\\"",
        "-rf",
        "--",
        "",
        " ",
        "x\n[Service]\nExecStart=/bin/id",
        "#{pane_id}#(id)",
        "{a,b}",
        "~root",
        "!!",
        "it's",
        "’; id; ’",
        "\u{0}",
    ]);
    prop_oneof![3 => nasty, 2 => "[^\0]{0,16}", 1 => known.prop_map(str::to_owned)]
        .prop_map(|text| text.replace('\0', ""))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn posix_shells_and_fish_get_back_what_went_in(words in prop::collection::vec(hostile(), 0..4)) {
        let line = words.iter().map(|word| posix::word(word)).collect::<Vec<_>>().join(" ");
        prop_assert_eq!(&posix_words(&line), &words, "{}", &line);
        prop_assert_eq!(&fish_words(&line), &words, "{}", &line);
    }

    #[test]
    fn what_is_quoted_twice_is_read_twice(words in prop::collection::vec(hostile(), 1..4)) {
        let inner = words.iter().map(|word| posix::word(word)).collect::<Vec<_>>().join(" ");
        let outer = posix_words(&posix::single_quote(&inner));
        prop_assert_eq!(outer.len(), 1);
        prop_assert_eq!(posix_words(&outer[0]), words);
    }

    #[test]
    fn power_shell_gets_back_what_went_in(words in prop::collection::vec(hostile(), 1..4)) {
        let line = words.iter().map(|word| power_shell::word(word)).collect::<Vec<_>>().join(" ");
        prop_assert_eq!(&power_shell_words(&line), &words, "{}", &line);
    }

    #[test]
    fn old_power_shell_hands_on_what_went_in(words in prop::collection::vec(hostile(), 1..4)) {
        let quoted: Option<Vec<String>> = words.iter().map(|word| power_shell::argument_before_7_3(word)).collect();
        if let Some(quoted) = quoted {
            let line = quoted.join(" ");
            let command = joined_by_5_1(&power_shell_words(&line));
            prop_assert_eq!(&windows_arguments(&command), &words, "{}", &line);
        }
    }

    #[test]
    fn cmd_hands_on_what_went_in(words in prop::collection::vec(hostile(), 1..4)) {
        let quoted: Option<Vec<String>> = words.iter().map(|word| cmd::argument(word)).collect();
        if let Some(quoted) = quoted {
            let line = quoted.join(" ");
            prop_assert_eq!(&cmd_words(&line), &words, "{}", &line);
        }
    }

    #[test]
    fn data_formats_give_back_what_went_in(text in hostile()) {
        prop_assert_eq!(&escaped(&yaml::string(&text)), &text);
        prop_assert_eq!(&escaped(&python::string(&text)), &text);
        prop_assert_eq!(&serde_json::from_str::<String>(&json::string(&text)).expect("JSON"), &text);
        prop_assert!(json::string(&text).lines().count() == 1);
        prop_assert_eq!(&without_variables(&escaped(&yaml::compose_string(&text))), &text);
        prop_assert_eq!(&without_variables(&escaped(&yaml::pod_string(&text))), &text);
    }

    #[test]
    fn systemd_gets_back_what_went_in(text in hostile()) {
        let read = without_specifiers(&escaped(&unit::environment(&text)));
        prop_assert_eq!(&read, &text);
        let read = without_specifiers(&escaped(&unit::argument(&text)));
        prop_assert_eq!(&without_variables(&read), &text);
        let said = unit::description(&text);
        prop_assert!(said.lines().count() <= 1 && !said.contains('\\') && said.trim() == said, "{}", said);
        without_specifiers(&said);
    }
}

#[test]
fn what_cannot_be_said_for_sure_is_not_said() {
    for text in ["%PATH%", "!x!", "a\"b", "a\nb"] {
        assert_eq!(cmd::argument(text), None, "{text}");
    }
    assert_eq!(cmd::argument("a b\\").as_deref(), Some("\"a b\\\\\""));
    for text in ["", "a b\\", "a\\\"b", "a \"b"] {
        assert_eq!(power_shell::argument_before_7_3(text), None, "{text}");
    }
    assert_eq!(power_shell::argument_before_7_3("\"device=0,2\"").as_deref(), Some(r#"'\"device=0,2\"'"#));
}
