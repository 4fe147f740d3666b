//! `berth run`, `status` and `link` against a guard whose knowledge is given.

use std::os::unix::process::ExitStatusExt;

use crate::support::desk::Guard;
use crate::support::program::{berth, run};
use crate::support::scene::{ada, booked, booked_for, jonas, me, table, uuid};

#[test]
fn a_granted_command_sees_its_cards_and_nothing_else_changes() {
    let guard = Guard::with(table(vec![booked(ada(), &[0, 2]), booked(jonas(), &[1])]));
    let script = "env | grep -E '^(CUDA|NVIDIA|KEEP)' | sort; printf '%s|' \"$@\"; exit 42";
    let mut command = guard.berth(&["run", "--", "sh", "-c", script, "name", "two words", "", "a\"b'$c", "--cards"]);
    let said = run(command.env("KEEP", "this").env("NVIDIA_VISIBLE_DEVICES", "all"));
    let uuids = format!("{},{}", uuid(0), uuid(2));
    let expected = format!(
        "CUDA_DEVICE_ORDER=PCI_BUS_ID\nCUDA_VISIBLE_DEVICES={uuids}\nKEEP=this\nNVIDIA_VISIBLE_DEVICES={uuids}\n\
         two words||a\"b'$c|--cards|"
    );
    assert_eq!((said.code, said.stdout.as_str(), said.stderr.as_str()), (Some(42), expected.as_str(), ""));
}

#[test]
fn the_command_takes_the_place_of_berth() {
    let guard = Guard::with(table(vec![booked(ada(), &[0])]));
    // The process that was started is the command itself, so a signal to it is a signal to the command.
    let mut child = guard.berth(&["run", "--", "sh", "-c", "kill -TERM $$"]).spawn().expect("started");
    assert_eq!(child.wait().expect("ended").signal(), Some(15));
    let child = guard.berth(&["run", "--", "sh", "-c", "echo $$"]).stdout(std::process::Stdio::piped()).spawn();
    let child = child.expect("started");
    let pid = child.id();
    assert_eq!(String::from_utf8_lossy(&child.wait_with_output().expect("ended").stdout), format!("{pid}\n"));
}

#[test]
fn standard_input_is_the_commands() {
    use std::io::Write;
    let guard = Guard::with(table(vec![booked(ada(), &[0])]));
    let mut command = guard.berth(&["run", "--", "cat"]);
    let mut child =
        command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).spawn().expect("run");
    child.stdin.take().expect("stdin").write_all(b"through\0and through").expect("written");
    assert_eq!(child.wait_with_output().expect("ended").stdout, b"through\0and through");
}

#[test]
fn cards_in_the_order_asked_for() {
    let guard = Guard::with(table(vec![booked(ada(), &[0, 1, 2])]));
    let said = guard.run(&["run", "--cards", "2,GPU-0a23", "--", "sh", "-c", "echo $CUDA_VISIBLE_DEVICES"]);
    assert_eq!((said.code, said.stdout), (Some(0), format!("{},{}\n", uuid(2), uuid(0))));
}

#[test]
fn on_a_card_of_somebody_else_nothing_starts() {
    let guard = Guard::with(table(vec![booked(ada(), &[0]), booked(jonas(), &[3])]));
    let witness = guard.folder().join("started");
    let said = guard.run(&["run", "--cards", "3", "--", "touch", &witness.to_string_lossy()]);
    assert_eq!(said.code, Some(77));
    assert!(said.first_line().starts_with("berth: not started. Card 3 on dgx-h100 is reserved by Jonas Weber until "));
    for part in
        ["Free now: cards 1, 2.", "Yours now: card 0", "berth run --cards 0 -- touch ", "https://berth.example.org"]
    {
        assert!(said.stderr.contains(part), "{part} is not in:\n{}", said.stderr);
    }
    assert!(!witness.exists() && said.stdout.is_empty());
}

#[test]
fn without_a_reservation_nothing_starts() {
    let guard = Guard::with(table(vec![booked(jonas(), &[3]), booked_for(ada(), &[uuid(0)], 30, 90)]));
    let said = guard.run(&["run", "--", "true"]);
    assert_eq!(said.code, Some(77));
    assert!(said.first_line().starts_with("berth: not started. You have no card on dgx-h100 now. Your next booking"));
    assert!(
        said.stderr.contains("Reserved now: card 3 by Jonas Weber until ")
            && said.stderr.contains("Free now: card 0 until ")
    );
    let said = guard.run(&["run", "--cards", "1", "--", "true"]);
    assert_eq!(
        (said.code, said.first_line()),
        (Some(77), "berth: not started. Card 1 on dgx-h100 is free, but not booked.")
    );
}

#[test]
fn an_account_that_nobody_owns_is_told_how_to_link_it() {
    let mut foreign = table(vec![booked(jonas(), &[3])]);
    foreign.accounts[0].os_user = format!("not-{}", me());
    let said = Guard::with(foreign).run(&["run", "--", "true"]);
    assert_eq!(said.code, Some(77));
    assert!(said.first_line().contains(&format!("The account {} on dgx-h100 belongs to nobody", me())));
    assert!(said.stderr.contains("berth link CODE"));
}

#[test]
fn wrong_cards_are_refused_by_name() {
    let guard = Guard::with(table(vec![booked(ada(), &[0])]));
    for (cards, why) in
        [("7", "There is no card 7"), ("0,0", "names card 0 twice"), ("0,,", "an empty place"), ("x", "`x` is not")]
    {
        let said = guard.run(&["run", "--cards", cards, "--", "true"]);
        assert_eq!(said.code, Some(77), "{cards}");
        assert!(said.first_line().contains(why), "{cards}: {}", said.stderr);
    }
}

#[test]
fn a_card_that_has_fallen_off_is_said_and_not_used() {
    let gone = uuid(9);
    let guard = Guard::with(table(vec![booked_for(ada(), &[uuid(0), gone.clone()], -10, 60)]));
    let said = guard.run(&["run", "--", "sh", "-c", "echo $CUDA_VISIBLE_DEVICES"]);
    assert_eq!((said.code, said.stdout), (Some(0), format!("{}\n", uuid(0))));
    assert!(said.stderr.contains("no longer reports it: your card GPU-9a23c669…7a2a"), "{}", said.stderr);
    let said = guard.run(&["run", "--cards", gone.as_str(), "--", "true"]);
    assert_eq!(said.code, Some(77));
}

#[test]
fn the_age_of_old_bookings_is_said_and_has_a_limit() {
    let guard = Guard::without_table();
    let said = guard.run(&["run", "--", "true"]);
    assert_eq!(said.code, Some(77));
    assert!(said.first_line().contains("has not heard from the portal yet"), "{}", said.stderr);

    let bookings = || table(vec![booked_for(ada(), &[uuid(0)], -1000, 1000)]);
    guard.know(bookings(), 185);
    let said = guard.run(&["run", "--", "true"]);
    assert_eq!(said.code, Some(0));
    assert_eq!(said.stderr, "berth: Using bookings as of 3 min ago: the portal has not answered since.\n");

    guard.know(bookings(), 12 * 3600 + 60);
    let said = guard.run(&["run", "--", "true"]);
    assert_eq!(said.code, Some(77));
    assert!(said.first_line().contains("has not answered for more than 12 h"), "{}", said.stderr);
}

#[test]
fn commands_that_cannot_be_run_end_as_in_a_shell() {
    let guard = Guard::with(table(vec![booked(ada(), &[0])]));
    let said = guard.run(&["run", "--", "no-such-command-here"]);
    assert_eq!((said.code, said.stderr.as_str()), (Some(127), "berth: no-such-command-here: command not found\n"));
    let file = guard.folder().join("plain");
    std::fs::write(&file, "text").expect("written");
    let said = guard.run(&["run", "--", &file.to_string_lossy()]);
    assert_eq!(said.code, Some(126), "{}", said.stderr);
    let said = guard.run(&["run", "--", &guard.folder().to_string_lossy()]);
    assert_eq!(said.code, Some(126), "{}", said.stderr);
}

#[test]
fn cards_chosen_by_somebody_else_are_respected() {
    let guard = Guard::with(table(vec![booked(ada(), &[0, 2]), booked(jonas(), &[1])]));
    let with = |visible: &str, args: &[&str]| run(guard.berth(args).env("CUDA_VISIBLE_DEVICES", visible));
    let show = ["run", "--", "sh", "-c", "echo $CUDA_VISIBLE_DEVICES"];

    let within = with(uuid(2).as_str(), &show);
    assert_eq!((within.code, within.stdout), (Some(0), format!("{}\n", uuid(2))));
    let hidden = with("", &show);
    assert_eq!((hidden.code, hidden.stdout), (Some(0), format!("{},{}\n", uuid(0), uuid(2))));

    for (visible, args) in [
        (uuid(1).to_string(), &show[..]),
        ("0".to_owned(), &show[..]),
        (uuid(2).to_string(), &["run", "--cards", "0", "--", "true"][..]),
    ] {
        let said = with(&visible, args);
        assert_eq!(said.code, Some(77), "{visible}: {}", said.stderr);
        assert!(said.first_line().starts_with("berth: not started. CUDA_VISIBLE_DEVICES is set"), "{}", said.stderr);
        assert!(said.stderr.contains("env -u CUDA_VISIBLE_DEVICES berth run "), "{}", said.stderr);
    }
    // A run within a run.
    let program = env!("CARGO_BIN_EXE_berth");
    let nested =
        guard.run(&["run", "--cards", "2", "--", program, "run", "--", "sh", "-c", "echo $CUDA_VISIBLE_DEVICES"]);
    assert_eq!((nested.code, nested.stdout), (Some(0), format!("{}\n", uuid(2))));
}

#[test]
fn without_an_agent_nothing_starts() {
    let folder = tempfile::tempdir().expect("folder");
    let said = run(&mut berth(&folder.path().join("none.sock"), ["run", "--", "true"]));
    assert_eq!(said.code, Some(77));
    assert!(said.first_line().starts_with("berth: not started, because no agent answers on "), "{}", said.stderr);
    assert!(said.stderr.contains("sudo systemctl start berth-agent"));
    let said = run(&mut berth(&folder.path().join("none.sock"), ["status"]));
    assert_eq!(said.code, Some(1));
    let long = folder.path().join("x".repeat(200));
    assert_eq!(run(&mut berth(&long, ["run", "--", "true"])).code, Some(77));
}

#[test]
fn usage() {
    let guard = Guard::with(table(vec![booked(ada(), &[0])]));
    for args in
        [&["run"][..], &["run", "--"], &["run", "true"], &["run", "--cards"], &["--fly"], &["fly"], &["status", "x"]]
    {
        let said = guard.run(args);
        assert_eq!(said.code, Some(2), "{args:?}: {}", said.stderr);
    }
    let version = guard.run(&["--version"]);
    assert_eq!((version.code, version.stdout), (Some(0), format!("berth {}\n", env!("CARGO_PKG_VERSION"))));
    for args in [&["--help"][..], &["run", "--help"], &["agent", "--help"], &["enrol", "--help"]] {
        let help = guard.run(args);
        assert!(help.code == Some(0) && help.stdout.contains("Usage: berth"), "{args:?}");
    }
}

#[test]
fn status_for_people_and_for_programs() {
    let guard = Guard::with(table(vec![booked(ada(), &[0]), booked(jonas(), &[3])]));
    let said = guard.run(&["status"]);
    assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""));
    let first = format!("dgx-h100  bookings 0 s old  you are {}, Ada Lovelace\n", me());
    assert!(said.stdout.starts_with(&first), "{}", said.stdout);
    for part in ["yours until ", "Jonas Weber until ", "free"] {
        assert!(said.stdout.contains(part), "{part} is not in:\n{}", said.stdout);
    }
    // Without a command it is the same.
    let plain = guard.run(&[]);
    assert_eq!((plain.code, plain.stdout), (Some(0), said.stdout));
    assert!(guard.run(&["--color", "always"]).stdout.contains("\u{1b}[1;36myours"));
    let json: serde_json::Value = serde_json::from_str(&guard.run(&["status", "--json"]).stdout).expect("json");
    assert_eq!(json["free"][0]["card"]["index"], 1);
    assert_eq!(json["held"][0]["own"], true);
    assert!(guard.run(&["--json"]).stdout.contains("\"held\""));
    assert_eq!((&json["version"], &json["agent"], &json["nvml"]["state"]), (&1.into(), &true.into(), &"ok".into()));
    assert_eq!(json["cards"][2]["facts"]["index"], 2);
}

#[test]
fn hostile_names_do_not_reach_the_terminal() {
    let mut hostile = booked(jonas(), &[3]);
    hostile.holder = "Eve\u{1b}[2J\u{1b}]0;x\u{7}\nberth: started".to_owned();
    let guard = Guard::with(table(vec![hostile]));
    for args in [&["run", "--cards", "3", "--", "true"][..], &["status"], &["status", "--json"]] {
        let said = guard.run(args);
        let text = said.stdout + &said.stderr;
        assert!(text.contains("Eve") && !text.contains(['\u{1b}', '\u{7}']), "{text:?}");
        assert!(text.lines().all(|line| !line.starts_with("berth: started")), "{text:?}");
    }
}

#[test]
fn linking_with_a_code() {
    let guard = Guard::with(table(vec![]));
    let said = guard.run(&["link", " GOOD-CODE "]);
    let expected = format!("This account belongs to Ada Lovelace ({}) in the portal now.\n", me());
    assert_eq!((said.code, said.stdout), (Some(0), expected));
    let said = guard.run(&["link", "BAD"]);
    assert_eq!(said.code, Some(1));
    assert_eq!(said.stderr, "berth: not linked. This code is wrong, used or expired.\n");
    assert_eq!(guard.run(&["link", ""]).code, Some(1));
    // Without one it is read from standard input, which is empty here.
    let said = guard.run(&["link"]);
    assert_eq!(
        (said.code, said.stderr.as_str()),
        (Some(1), "berth: not linked. The code cannot be read: there is none.\n")
    );
}
