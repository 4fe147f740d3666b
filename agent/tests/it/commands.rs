//! `berth commands` and `berth env`: the lines of the booking's page, from what the agent knows.

use std::process::Command;

use agent::nvml::Snapshot;
use domain::card::MigPart;
use domain::id::{CardUuid, ReservationId};
use domain::launch::FORMATS;
use domain::wire::agent_v1::{CardReport, NvmlState, TableBooking};
use serde_json::Value;
use uuid::Uuid;

use crate::support::desk::Guard;
use crate::support::program::{Said, run};
use crate::support::scene::{ada, booked, booked_for, jonas, sampled, table, uuid};

/// Ada holds cards 1 and 2, Jonas card 3.
fn two_cards() -> Guard {
    Guard::with(table(vec![booked(ada(), &[1, 2]), other(booked(jonas(), &[3]), 5)]))
}

fn other(booking: TableBooking, number: u128) -> TableBooking {
    TableBooking { id: ReservationId(Uuid::from_u128(number)), ..booking }
}

/// Lets a shell run a script in which `berth` is ours.
fn in_shell(guard: &Guard, shell: &str, script: &str) -> Said {
    let mut command = Command::new(shell);
    let folder = std::path::Path::new(env!("CARGO_BIN_EXE_berth")).parent().expect("folder").to_path_buf();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([folder].into_iter().chain(std::env::split_paths(&path))).expect("path");
    command.env_clear().env("PATH", path).env("BERTH_SOCKET", guard.socket()).env("HOME", guard.folder());
    run(command.args(["-c", script]))
}

fn installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

#[test]
fn shells_take_the_variables_over() {
    let guard = two_cards();
    let wanted = format!("PCI_BUS_ID {},{}", uuid(1), uuid(2));
    let show = "sh -c 'echo $CUDA_DEVICE_ORDER $CUDA_VISIBLE_DEVICES'";
    for shell in ["sh", "bash"] {
        let said = in_shell(&guard, shell, &format!("eval \"$(berth env)\"; {show}"));
        assert_eq!((said.code, said.stdout.trim()), (Some(0), wanted.as_str()), "{shell}: {}", said.stderr);
    }
    if installed("fish") {
        let said = in_shell(&guard, "fish", &format!("berth env --shell fish | source; {show}"));
        assert_eq!(said.stdout.trim(), wanted, "{}", said.stderr);
    }
    let turned = in_shell(&guard, "sh", &format!("eval \"$(berth env --cards 2,1 --ids index)\"; {show}"));
    assert_eq!(turned.stdout.trim(), "PCI_BUS_ID 2,1");
    let power = guard.run(&["env", "--shell", "pwsh", "--cards", "2"]);
    assert!(power.stdout.ends_with(&format!("$env:CUDA_VISIBLE_DEVICES = '{}'\n", uuid(2))), "{}", power.stdout);
}

#[test]
fn whoever_holds_nothing_gets_no_variables_and_a_word_about_it() {
    let guard = Guard::with(table(vec![booked(jonas(), &[3]), other(booked_for(ada(), &[uuid(0)], 60, 120), 5)]));
    let said = guard.run(&["env"]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(77), ""));
    assert!(said.first_line().starts_with("berth: You have no card on dgx-h100 now."), "{}", said.stderr);
    let quiet = guard.run(&["env", "--quiet"]);
    assert_eq!((quiet.code, quiet.stdout.as_str(), quiet.stderr.as_str()), (Some(77), "", ""));
    let others = two_cards().run(&["env", "--cards", "3"]);
    assert_eq!((others.code, others.stdout.as_str()), (Some(2), ""), "not hers: {}", others.stderr);
    assert!(others.stderr.contains("1, 2"), "{}", others.stderr);
    let none = Guard::without_table().run(&["commands"]);
    assert_eq!((none.code, none.stdout.as_str()), (Some(77), ""), "{}", none.stderr);
}

#[test]
fn of_several_bookings_one_is_named() {
    let guard = Guard::with(table(vec![other(booked(ada(), &[0]), 0x1111), other(booked(ada(), &[2]), 0x2222)]));
    for command in ["env", "commands"] {
        let said = guard.run(&[command]);
        assert_eq!((said.code, said.stdout.as_str()), (Some(77), ""), "{command}");
        assert!(said.stderr.contains("00001111") && said.stderr.contains("00002222"), "{}", said.stderr);
    }
    let said = guard.run(&["env", "--reservation", "2222"]);
    assert!(said.stdout.ends_with(&format!("CUDA_VISIBLE_DEVICES={}\n", uuid(2))), "{} {}", said.stdout, said.stderr);
    assert_eq!(guard.run(&["env", "--reservation", "9999"]).code, Some(2));
}

#[test]
fn one_form_is_printed_alone_and_all_of_them_to_be_read() {
    let guard = two_cards();
    let cdi = guard.run(&["commands", "--format", "docker/cdi", "--image", "lab/train:2", "--", "./run.sh", "it's"]);
    assert_eq!(
        cdi.stdout,
        format!(
            "docker run --rm -it --device nvidia.com/gpu={} --device nvidia.com/gpu={} lab/train:2 ./run.sh 'it'\\''s'\n",
            uuid(1),
            uuid(2)
        )
    );
    let all = guard.run(&["commands"]);
    for id in FORMATS {
        assert!(all.stdout.contains(&format!("({id})\n")), "{id}");
    }
    assert!(!all.stdout.contains(uuid(3).as_str()) && !all.stdout.contains(uuid(0).as_str()));
    let wrong = guard.run(&["commands", "--format", "dokcer"]);
    assert_eq!((wrong.code, wrong.stdout.as_str()), (Some(2), ""));
    assert!(wrong.stderr.contains("docker"), "{}", wrong.stderr);

    let told: Value = serde_json::from_str(&guard.run(&["commands", "--json", "-f", "slurm"]).stdout).expect("JSON");
    assert_eq!((&told["version"], &told["hosts"][0]["host"]), (&1.into(), &"dgx-h100".into()));
    assert_eq!(told["hosts"][0]["commands"][0]["forms"][0]["naming"], "count");
}

#[test]
fn a_card_that_others_share_is_said_to_be_shared() {
    let guard = Guard::with(table(vec![booked(ada(), &[1]), other(booked(jonas(), &[1]), 5)]));
    let said = guard.run(&["commands", "--format", "shell"]);
    assert!(said.stdout.contains(domain::text::en().launch.share_note), "{} {}", said.stdout, said.stderr);
    assert!(!two_cards().run(&["commands"]).stdout.contains(domain::text::en().launch.share_note));
}

#[test]
fn of_two_instances_env_wants_one() {
    let part = |instance: u32| {
        let uuid = CardUuid::parse(&format!("MIG-377e0049-{instance:04}")).expect("valid");
        let mut card: CardReport = sampled(0);
        card.facts.part = Some(MigPart {
            profile: "3g.40gb".to_owned(),
            ..MigPart::at(card.facts.uuid.clone(), instance * 8, instance)
        });
        card.facts.uuid = uuid;
        card
    };
    let (a, b) = (part(0), part(1));
    let uuids = [a.facts.uuid.clone(), b.facts.uuid.clone()];
    let mut whole = sampled(0);
    whole.facts.mig_on = true;
    let cards = vec![whole, a, b];
    let guard = Guard::reading(Snapshot { cards, ..Snapshot::without_cards(NvmlState::Ok) });
    guard.know(table(vec![booked_for(ada(), &uuids, -60, 60)]), 0);
    let said = guard.run(&["env"]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(77), ""));
    assert!(said.stderr.contains("--cards: 0:0, 0:1"), "{}", said.stderr);
    let one = guard.run(&["env", "--cards", "0:1"]);
    assert!(one.stdout.ends_with(&format!("CUDA_VISIBLE_DEVICES={}\n", uuids[1])), "{} {}", one.stdout, one.stderr);
    let kubernetes = guard.run(&["commands", "--format", "kubernetes/pod"]);
    assert!(kubernetes.stdout.contains("nvidia.com/mig-3g.40gb: 2"), "{}", kubernetes.stdout);
}
