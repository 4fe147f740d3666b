//! What the lines say, byte for byte. That shells read them so is tested in `tests/it/launch_shells.rs`.

mod cases;
mod hostile;

use super::*;
use crate::id::{CardUuid, HostId};
use crate::reading::Reading;
use crate::wire::page::BookedCard;

fn english() -> &'static LaunchText {
    &crate::text::en().launch
}

const A: &str = "GPU-3a23c669-1f69-c64e-cf85-44e9b07e7a2a";
const B: &str = "GPU-7be0f1d4-52c8-9a1b-6e0d-b1c4a2f09d37";

fn card(uuid: &str, index: u32) -> LaunchCard {
    LaunchCard {
        uuid: CardUuid::parse(uuid).expect("valid"),
        number: index.into(),
        model: "H100 80GB HBM3".to_owned(),
        pci_bus_id: Some(format!("0000:{index:02x}:00.0")),
        memory_mib: Some(81_559),
        shared: false,
        budget_mib: None,
    }
}

fn host(cards: Vec<LaunchCard>) -> HostCards {
    HostCards { host: HostId(uuid::Uuid::nil()), host_name: "dgx-h100".to_owned(), cards, facts: HostFacts::default() }
}

fn plan(host: HostCards) -> Plan {
    Plan { hosts: vec![host], ..Plan::default() }
}

fn all(host: &HostCards) -> Vec<Command> {
    commands(&plan(host.clone()), 0, english())
}

fn one(host: &HostCards, id: &str) -> Command {
    all(host).into_iter().find(|command| command.id == id).expect("there is one")
}

fn texts(command: &Command) -> Vec<&str> {
    command.forms.iter().map(|form| form.text.as_str()).collect()
}

/// The texts of the forms of this key.
fn keyed<'a>(command: &'a Command, key: &str) -> Vec<&'a str> {
    command.forms.iter().filter(|form| form.key == key).map(|form| form.text.as_str()).collect()
}

#[test]
fn ids_are_the_known_ones_in_their_order_whatever_the_cards() {
    let part = |n| LaunchCard { number: crate::card::CardNumber { index: 0, instance: Some(n) }, ..card("MIG-a", 0) };
    for cards in [vec![card(A, 2)], vec![card(A, 2), card(B, 3)], vec![part(0)], vec![card(A, 2), card(B, 2)]] {
        let commands = all(&host(cards));
        assert_eq!(commands.iter().map(|command| command.id).collect::<Vec<_>>(), FORMATS);
        for command in &commands {
            assert!(!command.note.is_empty(), "{}", command.id);
            assert!(!command.forms.is_empty() || !command.reason.is_empty(), "{}", command.id);
            assert!(command.forms.is_empty() || !command.checks.is_empty(), "no check: {}", command.id);
        }
        let groups: Vec<_> = commands.chunk_by(|a, b| a.group == b.group).map(|group| group[0].group).collect();
        assert_eq!(groups.len(), groups.iter().collect::<std::collections::HashSet<_>>().len(), "{groups:?}");
    }
}

#[test]
fn placeholders_stand_in_the_text_and_what_is_said_takes_their_place() {
    let host = host(vec![card(A, 2), card(B, 3)]);
    for form in all(&host).iter().flat_map(|command| &command.forms) {
        for word in &form.placeholders {
            assert!(form.text.contains(word), "{word}: {}", form.text);
        }
        for word in ["IMAGE", "MODEL", "train.py"] {
            assert_eq!(form.text.contains(word), form.placeholders.contains(&word), "{word}: {}", form.text);
        }
    }
    let job = Job { image: Some("lab/train:2".to_owned()), program: vec!["./run.sh".to_owned(), "a b".to_owned()] };
    let said = Plan { hosts: vec![host], job, ..Plan::default() };
    for form in commands(&said, 0, english()).iter().flat_map(|command| &command.forms) {
        assert!(!form.text.contains("IMAGE") && !form.text.contains("train.py"), "{}", form.text);
    }
}

#[test]
fn two_cards_in_the_tools_that_everybody_has() {
    let host = host(vec![card(A, 2), card(B, 3)]);
    assert_eq!(
        texts(&one(&host, "run")),
        [
            "berth run -- python train.py",
            "berth run --cards 2,3 -- python train.py",
            "berth run --cards 2 -- python train.py"
        ]
    );
    assert_eq!(
        keyed(&one(&host, "shell"), "posix"),
        [
            format!("export CUDA_DEVICE_ORDER=PCI_BUS_ID\nexport CUDA_VISIBLE_DEVICES={A},{B}"),
            "export CUDA_DEVICE_ORDER=PCI_BUS_ID\nexport CUDA_VISIBLE_DEVICES=2,3".to_owned()
        ]
    );
    let docker = one(&host, "docker");
    assert_eq!(
        keyed(&docker, "gpus"),
        [
            format!("docker run --gpus '\"device={A},{B}\"' \\\n  --rm -it IMAGE python train.py"),
            "docker run --gpus '\"device=2,3\"' \\\n  --rm -it IMAGE python train.py".to_owned(),
        ]
    );
    assert_eq!(
        keyed(&docker, "cdi"),
        [format!("docker run --rm -it --device nvidia.com/gpu={A} --device nvidia.com/gpu={B} IMAGE python train.py")]
    );
    let torch = one(&host, "torch");
    assert_eq!(torch.forms[1].text, "CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=2,3 \\\n  python train.py");
    assert!(torch.forms[2].text.ends_with(&format!("= \"{A},{B}\"\nimport torch")));
}

#[test]
fn the_order_of_the_booking_decides_who_is_cuda_0() {
    let host = host(vec![card(B, 3), card(A, 2)]);
    let names: Vec<_> = mapping(&host).into_iter().map(|m| (m.card.number.index, m.program)).collect();
    assert_eq!(names, [(3, "cuda:0".to_owned()), (2, "cuda:1".to_owned())]);
    assert!(keyed(&one(&host, "shell"), "posix")[0].ends_with(&format!("{B},{A}")));
}

#[test]
fn one_card_has_no_only_one_of_them() {
    let run = one(&host(vec![card(A, 5)]), "run");
    assert_eq!(texts(&run), ["berth run -- python train.py", "berth run --cards 5 -- python train.py"]);
}

#[test]
fn every_line_by_index_sets_the_bus_order_or_is_resolved_by_the_driver_in_that_order() {
    for command in all(&host(vec![card(A, 2), card(B, 3)])) {
        for form in &command.forms {
            if form.text.contains("CUDA_VISIBLE_DEVICES") {
                assert!(form.text.contains("PCI_BUS_ID"), "{}", form.text);
            }
            if form.naming == Naming::Index {
                assert!(!form.text.contains("GPU-"), "mixed: {}", form.text);
            }
        }
    }
}

#[test]
fn a_form_by_index_stands_right_after_its_twin() {
    for command in all(&host(vec![card(A, 2), card(B, 3)])) {
        for (at, form) in command.forms.iter().enumerate().filter(|(_, form)| form.naming == Naming::Index) {
            let Some(twin) = at.checked_sub(1).and_then(|at| command.forms.get(at)) else { continue };
            if twin.naming == Naming::Uuid && twin.key == form.key {
                assert_eq!(
                    (twin.key, twin.dialect, &twin.cards),
                    (form.key, form.dialect, &form.cards),
                    "{}",
                    command.id
                );
            }
        }
    }
}

#[test]
fn a_stale_index_that_two_cards_share_is_never_written() {
    let host = host(vec![card(A, 2), card(B, 2)]);
    assert!(all(&host).iter().flat_map(|command| &command.forms).all(|form| form.naming != Naming::Index));
    assert!(texts(&one(&host, "run"))[1].contains(A));
    assert_eq!(one(&host, "shell").reason, english().stale_index);
}

#[test]
fn mig_instances_get_a_program_each_and_no_index() {
    let (x, y) = ("MIG-377e0049-aaaa", "MIG-377e0049-bbbb");
    let instance = |uuid: &str, n: u32| LaunchCard {
        number: crate::card::CardNumber { index: 0, instance: Some(n) },
        ..card(uuid, 0)
    };
    let host = host(vec![instance(x, 0), card(A, 1), instance(y, 1)]);
    let single = |command: &Command| !["multiprocessing", "kubernetes", "slurm"].contains(&command.id);
    for command in all(&host).into_iter().filter(single) {
        for form in &command.forms {
            assert!(!(form.text.contains(x) && form.text.contains(y)), "two instances at once: {}", form.text);
            assert!(form.cards.len() <= 1, "{}", form.text);
        }
        assert!(command.note.ends_with(english().mig_note), "{}", command.id);
    }
    let shell = one(&host, "shell");
    assert_eq!(keyed(&shell, "posix").len(), 4, "by UUID for each of three, and one index: {:?}", texts(&shell));
    assert_eq!(shell.reason, english().mig_no_index);
    let names: Vec<_> = mapping(&host).into_iter().map(|m| m.program).collect();
    assert_eq!(names, ["cuda:0", "cuda:0", "cuda:0"]);
    let expected: Vec<_> = check(&host).into_iter().map(|check| check.expected).collect();
    assert_eq!(expected, ["1", "1", "1"]);
    let sessions: Vec<_> =
        one(&host, "tmux").forms.iter().map(|form| form.text.split(' ').nth(4).map(str::to_owned)).collect();
    assert_eq!(sessions.iter().flatten().collect::<std::collections::HashSet<_>>().len(), 4, "{sessions:?}");
}

#[test]
fn the_check_names_its_answer() {
    let checks = check(&host(vec![card(A, 2), card(B, 3)]));
    assert_eq!(
        checks,
        [Check {
            text: "berth run --cards 2,3 -- python -c 'import torch; print(torch.cuda.device_count())'".to_owned(),
            expected: "2".to_owned()
        }]
    );
}

#[test]
fn hosts_and_cards_keep_their_order_and_repeats_go() {
    let booked = |host: u128, uuid: &str, index: u32| BookedCard {
        trouble: None,
        shares: None,
        share_memory_mib: None,
        uuid: CardUuid::parse(uuid).expect("valid"),
        host: HostId(uuid::Uuid::from_u128(host)),
        host_name: format!("host-{host}"),
        number: index.into(),
        model: "H100".to_owned(),
        pci_bus_id: None,
        memory_total_mib: Reading::default(),
    };
    let hosts = by_host(&[booked(2, B, 3), booked(1, A, 0), booked(2, "GPU-c", 1), booked(2, B, 3)]);
    let seen: Vec<_> = hosts
        .iter()
        .map(|host| (host.host_name.as_str(), host.cards.iter().map(|card| card.number.index).collect::<Vec<_>>()))
        .collect();
    assert_eq!(seen, [("host-2", vec![3, 1]), ("host-1", vec![0])]);
    assert_eq!(all(&HostCards { cards: vec![], ..hosts[0].clone() }), []);
    assert_eq!(commands(&Plan::default(), 0, english()), []);
}

#[test]
fn every_command_of_a_shared_card_says_that_nobody_enforces_the_share() {
    let plain = host(vec![card("GPU-a", 0)]);
    let mut shared = plain.clone();
    shared.cards[0].shared = true;
    let text = &crate::text::en().launch;
    for (command, other) in all(&shared).iter().zip(all(&plain)) {
        assert!(command.note.ends_with(text.share_note), "{}: {}", command.id, command.note);
        assert!(!other.note.contains(text.share_note), "{}", other.id);
    }
}
