//! Whatever people type, every command still says the same: the same lines, the same cards, and their words as words.

use proptest::prelude::*;

use super::*;
use crate::launch::quote::tests::{
    cmd_words, escaped, hostile, joined_by_5_1, posix_words, power_shell_words, windows_arguments, without_specifiers,
    without_variables,
};

fn typed() -> impl Strategy<Value = (String, String, Option<String>, String, Vec<String>)> {
    let program = prop::collection::vec(hostile(), 1..4).prop_filter("a program has a name", |words| {
        words.first().is_some_and(|first| !first.is_empty() && !first.starts_with('-') && !first.starts_with("python"))
    });
    (hostile(), hostile(), prop::option::of(hostile()), hostile(), program)
}

fn hosts(name: &str, account: Option<String>) -> Vec<HostCards> {
    let mut one = host(vec![card(A, 2), card(B, 3)]);
    name.clone_into(&mut one.host_name);
    one.facts.account = account;
    let mut other = host(vec![card("GPU-c", 0), card("GPU-d", 1)]);
    other.host = HostId(uuid::Uuid::from_u128(7));
    vec![one, other]
}

/// Whether these words stand beside each other in a line.
fn holds(line: &[String], words: &[String]) -> bool {
    line.windows(words.len()).any(|part| part == words)
}

/// Whether the words of a line hold the program; of what is handed on to another shell, those of its last word.
fn starts(id: &str, words: &[String], program: &[String]) -> bool {
    match id {
        "ssh" | "tmux" => holds(&posix_words(words.last().expect("a line for the other shell")), program),
        "systemd_run" => {
            let doubled: Vec<String> = program.iter().map(|word| word.replace('$', "$$")).collect();
            holds(words, &doubled)
        }
        _ => holds(words, program),
    }
}

/// Words within square brackets, each a double-quoted string.
fn list_after(line: &str, key: &str) -> Option<Vec<String>> {
    let rest = line.trim_start().strip_prefix(key)?.strip_suffix(']')?.strip_prefix('[')?;
    let mut words = Vec::new();
    let mut from = 0;
    let mut inside = false;
    let mut escape = false;
    for (at, c) in rest.char_indices() {
        match c {
            _ if escape => escape = false,
            '\\' => escape = true,
            '"' if inside => {
                words.push(escaped(&rest[from..=at]));
                inside = false;
            }
            '"' => (from, inside) = (at, true),
            _ => {}
        }
    }
    Some(words)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    #[test]
    fn what_people_type_arrives_as_they_typed_it((purpose, name, account, image, program) in typed()) {
        let job = Job { image: Some(image.clone()), program: program.clone() };
        let plan = Plan { reservation: None, purpose: purpose.clone(), hosts: hosts(&name, account), job };
        let usable = !image.is_empty() && !image.starts_with('-');
        for command in commands(&plan, 0, english()) {
            for form in &command.forms {
                let text = &form.text;
                let about = format!("{} {}: {text}", command.id, form.key);
                let takes_program = !text.contains("berth env") && !["shell", "profile", "vllm", "ollama", "llama_cpp"].contains(&command.id);
                match form.dialect {
                    Dialect::Posix | Dialect::AnyShell if takes_program && command.id != "slurm" => {
                        let words = posix_words(text);
                        prop_assert!(starts(command.id, &words, &program), "{}", about);
                        if usable && ["docker", "podman", "nerdctl", "apptainer"].contains(&command.id) {
                            prop_assert!(words.contains(&image), "{}", about);
                        }
                    }
                    Dialect::PowerShell if command.id == "docker" => {
                        let words = power_shell_words(text);
                        prop_assert!(holds(&words, &program), "{}", about);
                        prop_assert!(words.iter().any(|word| word.starts_with("\"device=")), "{}", about);
                    }
                    Dialect::WindowsPowerShell => {
                        let words = windows_arguments(&joined_by_5_1(&power_shell_words(text)));
                        prop_assert!(holds(&words, &program), "{}", about);
                        prop_assert!(words.iter().any(|word| word.starts_with("\"device=")), "{}", about);
                    }
                    Dialect::Cmd if command.id == "docker" => {
                        prop_assert!(holds(&cmd_words(text), &program), "{}", about);
                    }
                    Dialect::Json => {
                        let value: serde_json::Value = serde_json::from_str(text).expect("JSON");
                        let wanted = if usable && !image.contains("${") { image.as_str() } else { "IMAGE" };
                        match command.id {
                            "devcontainer" => prop_assert_eq!(&value["image"], wanted),
                            _ => prop_assert!(
                                purpose.trim().is_empty() || value["display_name"] == purpose.trim(),
                                "{}",
                                about
                            ),
                        }
                    }
                    Dialect::Yaml => {
                        let lists: Vec<_> = text.lines().filter_map(|line| list_after(line, "command: ")).collect();
                        let read: Vec<String> = lists.concat().iter().map(|word| without_variables(word)).collect();
                        prop_assert_eq!(&read, &program, "{}", about);
                    }
                    Dialect::Unit if command.id == "systemd" => {
                        let start = text.lines().find_map(|line| line.strip_prefix("ExecStart=")).expect("one");
                        let words = start.trim_start_matches("/usr/bin/env ");
                        let list = list_after(&format!("x: [{words}]"), "x: ").expect("words");
                        let read: Vec<_> = list.iter().map(|word| without_variables(&without_specifiers(word))).collect();
                        prop_assert_eq!(&read, &program, "{}", about);
                    }
                    _ => {}
                }
            }
        }
    }

    #[test]
    fn nothing_that_people_type_adds_a_line((purpose, name, account, image, program) in typed()) {
        let job = |image: &str, program: &[String]| Job { image: Some(image.to_owned()), program: program.to_vec() };
        let plain: Vec<String> = program.iter().map(|_| "x".to_owned()).collect();
        let wild = Plan { reservation: None, purpose, hosts: hosts(&name, account), job: job(&image, &program) };
        let tame = Plan {
            reservation: None,
            purpose: "ViT-L".to_owned(),
            hosts: hosts("dgx", Some("lena".to_owned())),
            job: job("ubuntu", &plain),
        };
        let data = |dialect| matches!(dialect, Dialect::Yaml | Dialect::Json | Dialect::Unit | Dialect::Python | Dialect::Plain);
        for (command, other) in commands(&wild, 0, english()).iter().zip(commands(&tame, 0, english())) {
            let forms = |command: &Command| -> Vec<(&str, usize)> {
                let forms = command.forms.iter().filter(|form| data(form.dialect));
                forms.map(|form| (form.key, form.text.lines().count())).collect()
            };
            prop_assert_eq!(forms(command), forms(&other), "{}", command.id);
            for form in &command.forms {
                prop_assert!(form.file.iter().all(|file| !file.contains([' ', '\n', '\'', '"'])
                    || file == "~/.bashrc, ~/.zshrc"), "{:?}", form.file);
            }
        }
    }
}

#[test]
fn a_purpose_becomes_a_name_that_is_only_a_name() {
    let name = |purpose: &str| here::job_name(&Plan { purpose: purpose.to_owned(), ..Plan::default() });
    assert_eq!(name("ViT-L ablation"), "vit-l-ablation");
    assert_eq!(name("--help; $(id)"), "help-id");
    assert_eq!(name("2024"), "berth-job");
    assert_eq!(name("日本"), "berth-job");
    assert_eq!(name(&"long ".repeat(30)), "long-long-long-long-long-long-long-long");
}
