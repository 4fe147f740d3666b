//! What the portal has told somebody, in `berth status` and at login.

use std::process::{Command, Stdio};

use domain::wire::agent_v1::{Account, HostNotice};
use time::OffsetDateTime;

use crate::support::desk::Guard;
use crate::support::program::run;
use crate::support::scene::{ada, jonas, me, table};

fn notice(person: domain::id::UserId, sentence: &str) -> HostNotice {
    let page = "https://berth.example.org/notices".to_owned();
    HostNotice { person, at: OffsetDateTime::now_utc(), sentence: sentence.to_owned(), page }
}

#[test]
fn the_same_sentence_stands_in_status_and_at_login_and_others_have_their_own() {
    let mut told = table(vec![]);
    told.notices =
        vec![notice(ada(), "Your booking of dgx card 0 ends at 14:00."), notice(jonas(), "Something for Jonas.")];
    let guard = Guard::with(told);
    let line = "Your booking of dgx card 0 ends at 14:00. https://berth.example.org/notices";
    let said = guard.run(&["motd"]);
    assert_eq!((said.code, said.stdout.as_str(), said.stderr.as_str()), (Some(0), &*format!("berth: {line}\n"), ""));
    let status = guard.run(&["status"]).stdout;
    assert!(status.contains(line) && !status.contains("Jonas."), "{status}");
    let json = guard.run(&["status", "--json"]).stdout;
    assert!(json.contains("ends at 14:00") && !json.contains("Something for Jonas"), "{json}");
}

#[test]
fn login_is_silent_where_there_is_nothing_to_say() {
    let quiet = |said: crate::support::program::Said| {
        assert_eq!((said.code, said.stdout.as_str(), said.stderr.as_str()), (Some(0), "", ""));
    };
    quiet(Guard::with(table(vec![])).run(&["motd"]));
    quiet(Guard::without_table().run(&["motd"]));
    let away = Guard::with(table(vec![]));
    quiet(run(away.berth(&["motd"]).env("BERTH_SOCKET", away.folder().join("no.sock"))));
}

#[test]
fn of_a_shared_account_nobody_can_say_who_reads() {
    let mut told = table(vec![]);
    told.accounts.push(Account { os_user: me(), person: jonas(), name: "Jonas Weber".to_owned() });
    told.notices = vec![notice(ada(), "Your booking of dgx card 0 ends at 14:00.")];
    let guard = Guard::with(told);
    assert_eq!(guard.run(&["motd"]).stdout, "");
    assert!(!guard.run(&["status"]).stdout.contains("ends at"));
}

#[test]
fn no_escape_code_of_a_purpose_reaches_a_terminal() {
    let mut told = table(vec![]);
    told.notices = vec![notice(ada(), "a\u{1b}[2Jb\nc")];
    assert!(Guard::with(told).run(&["motd"]).stdout.starts_with("berth: a?[2Jb?c "));
}

#[test]
fn what_login_shells_run_is_for_people_alone() {
    let script = "case $- in *i*) [ -x /bin/echo ] && /bin/echo motd ;; esac\n";
    let sh = |args: &[&str]| {
        let said = Command::new("sh").args(args).arg(script).stdin(Stdio::null()).stderr(Stdio::null()).output();
        String::from_utf8(said.expect("sh").stdout).expect("text")
    };
    assert_eq!(sh(&["-c"]), "");
    assert_eq!(sh(&["-i", "-c"]), "motd\n");
}
