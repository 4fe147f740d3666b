//! What the lines say, byte for byte. That shells read them so is tested in `tests/it/launch_shells.rs`.

use super::*;
use crate::reading::Reading;

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
        shared: false,
    }
}

fn host(cards: Vec<LaunchCard>) -> HostCards {
    HostCards { host: HostId(uuid::Uuid::nil()), host_name: "dgx-h100".to_owned(), cards }
}

fn texts(command: &Command) -> Vec<&str> {
    command.forms.iter().map(|form| form.text.as_str()).collect()
}

#[test]
fn two_cards_in_every_tool() {
    let all = commands(&host(vec![card(A, 2), card(B, 3)]), english());
    let ids: Vec<_> = all.iter().map(|command| command.id).collect();
    assert_eq!(ids, ["run", "shell", "docker", "torch"]);
    assert_eq!(
        texts(&all[0]),
        [
            "berth run -- python train.py",
            "berth run --cards 2,3 -- python train.py",
            "berth run --cards 2 -- python train.py"
        ]
    );
    assert_eq!(
        texts(&all[1]),
        [
            format!("export CUDA_DEVICE_ORDER=PCI_BUS_ID\nexport CUDA_VISIBLE_DEVICES={A},{B}"),
            "export CUDA_DEVICE_ORDER=PCI_BUS_ID\nexport CUDA_VISIBLE_DEVICES=2,3".to_owned()
        ]
    );
    assert_eq!(
        texts(&all[2]),
        [
            format!("docker run --gpus '\"device={A},{B}\"' \\\n  --rm -it IMAGE python train.py"),
            "docker run --gpus '\"device=2,3\"' \\\n  --rm -it IMAGE python train.py".to_owned(),
            format!(
                "docker run --rm -it --device nvidia.com/gpu={A} --device nvidia.com/gpu={B} IMAGE python train.py"
            ),
        ]
    );
    assert_eq!(all[3].forms[1].text, "CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=2,3 \\\n  python train.py");
    assert!(all[3].forms[2].text.ends_with(&format!("= \"{A},{B}\"\nimport torch")));
}

#[test]
fn the_order_of_the_booking_decides_who_is_cuda_0() {
    let host = host(vec![card(B, 3), card(A, 2)]);
    let names: Vec<_> = mapping(&host).into_iter().map(|m| (m.card.number.index, m.program)).collect();
    assert_eq!(names, [(3, "cuda:0".to_owned()), (2, "cuda:1".to_owned())]);
    assert!(commands(&host, english())[1].forms[0].text.ends_with(&format!("{B},{A}")));
}

#[test]
fn one_card_has_no_only_one_of_them() {
    let all = commands(&host(vec![card(A, 5)]), english());
    assert_eq!(texts(&all[0]), ["berth run -- python train.py", "berth run --cards 5 -- python train.py"]);
}

#[test]
fn every_line_by_index_sets_the_bus_order_or_is_resolved_by_the_driver_in_that_order() {
    for command in commands(&host(vec![card(A, 2), card(B, 3)]), english()) {
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
fn a_stale_index_that_two_cards_share_is_never_written() {
    let all = commands(&host(vec![card(A, 2), card(B, 2)]), english());
    assert!(all.iter().flat_map(|command| &command.forms).all(|form| form.naming != Naming::Index));
    assert!(texts(&all[0])[1].contains(A));
}

#[test]
fn mig_instances_get_a_program_each_and_no_index() {
    let (x, y) = ("MIG-377e0049-aaaa", "MIG-377e0049-bbbb");
    let host = host(vec![card(x, 0), card(A, 1), card(y, 0)]);
    let all = commands(&host, english());
    for form in all.iter().flat_map(|command| &command.forms).filter(|form| form.naming != Naming::ByBerth) {
        assert!(!(form.text.contains(x) && form.text.contains(y)), "two instances at once: {}", form.text);
    }
    assert_eq!(texts(&all[1]).len(), 4, "by UUID for each of three, and one index: {:?}", texts(&all[1]));
    assert!(all[1].note.ends_with(english().mig_note));
    let names: Vec<_> = mapping(&host).into_iter().map(|m| m.program).collect();
    assert_eq!(names, ["cuda:0", "cuda:0", "cuda:0"]);
    let expected: Vec<_> = check(&host).into_iter().map(|check| check.expected).collect();
    assert_eq!(expected, ["1", "1", "1"]);
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
    assert_eq!(commands(&HostCards { cards: vec![], ..hosts[0].clone() }, english()), []);
}

#[test]
fn every_command_of_a_shared_card_says_that_nobody_enforces_the_share() {
    let plain =
        HostCards { host: HostId(uuid::Uuid::nil()), host_name: "rig".to_owned(), cards: vec![card("GPU-a", 0)] };
    let mut shared = plain.clone();
    shared.cards[0].shared = true;
    let text = &crate::text::en().launch;
    for (command, other) in commands(&shared, text).iter().zip(commands(&plain, text)) {
        assert!(command.note.ends_with(text.share_note), "{}: {}", command.id, command.note);
        assert!(!other.note.contains(text.share_note), "{}", other.id);
        assert_eq!(command.forms, other.forms, "the same card is selected in the same way");
    }
}
