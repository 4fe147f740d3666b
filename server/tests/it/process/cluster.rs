//! The private Postgres: never two, never lost, never left behind.

use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::Path;

use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, getpgid};

use crate::support::cluster::Temporary;
use crate::support::program::{Program, command, private, run};
use crate::support::until;

fn postmaster(folder: &Path) -> Option<Pid> {
    let written = std::fs::read_to_string(folder.join("postgres/postmaster.pid")).ok()?;
    written.lines().next()?.trim().parse().ok().map(Pid::from_raw)
}

/// Gone, or waiting for a parent that never asks.
fn is_gone(pid: Pid) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.is_empty() || stat.contains(") Z ")
}

#[tokio::test]
async fn it_is_made_started_and_stopped_with_the_portal() {
    let folder = Temporary::new("data");
    let program = Program::portal(&folder).await;
    let postgres = postmaster(&folder).expect("Postgres runs");
    assert_ne!(getpgid(Some(postgres)), getpgid(Some(program.pid())), "Ctrl-C must not reach it before the portal");
    let socket_dir = run(&mut command(&[&["admin", "socket-dir"], &*strings(&private(&folder))].concat()));
    assert!(Path::new(socket_dir.said.trim()).join(".s.PGSQL.5432").exists(), "{}", socket_dir.said);

    let admin = program.admin().await;
    assert_eq!(admin.submit("new_code", &[("host", "h1")]).await.status(), 200);
    program.signal(Signal::SIGTERM);
    let ended = program.end();
    assert_eq!(ended.status.code(), Some(0), "{}", ended.said);
    assert!(is_gone(postgres), "Postgres went with it");

    let again = Program::portal(&folder).await;
    let page = again.returning_admin().await.get("/admin").await.text().await.expect("a page");
    assert!(page.contains("h1"), "what was written is there");
    assert!(!again.said().contains("/setup#code="), "there is an administrator");
}

#[tokio::test]
async fn what_a_killed_portal_left_running_is_taken_over() {
    let folder = Temporary::with_cluster().await;
    let killed = Program::portal(&folder).await;
    drop(killed.admin().await);
    let postgres = postmaster(&folder).expect("Postgres runs");
    killed.signal(Signal::SIGKILL);
    killed.end();
    assert!(!is_gone(postgres), "left running");

    let next = Program::portal(&folder).await;
    assert_eq!(postmaster(&folder), Some(postgres), "taken over, not started anew");
    drop(next.returning_admin().await);
    next.signal(Signal::SIGTERM);
    assert_eq!(next.end().status.code(), Some(0));
    until("the Postgres that was taken over stops with its new portal", async || is_gone(postgres)).await;
}

#[tokio::test]
async fn what_is_left_running_and_does_not_answer_is_stopped_and_started_anew() {
    let folder = Temporary::with_cluster().await;
    let killed = Program::portal(&folder).await;
    let postgres = postmaster(&folder).expect("Postgres runs");
    killed.signal(Signal::SIGKILL);
    killed.end();
    // It runs, but nobody can reach it.
    std::fs::remove_file(folder.join("run/.s.PGSQL.5432")).expect("the socket");

    let next = Program::portal(&folder).await;
    assert!(is_gone(postgres));
    assert_ne!(postmaster(&folder), Some(postgres));
    next.signal(Signal::SIGINT);
    assert_eq!(next.end().status.code(), Some(0));
}

#[tokio::test]
async fn a_number_in_an_old_pid_file_that_is_another_program_s_by_now_is_left_alone() {
    let folder = Temporary::with_cluster().await;
    // Of the account that runs Postgres: to that one Postgres looks twice.
    let mut bystander = std::process::Command::new("sleep");
    bystander.arg("120").stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    let owner = std::fs::metadata(folder.join("postgres")).expect("a folder");
    if nix::unistd::geteuid().is_root() {
        bystander.uid(owner.uid()).gid(owner.gid());
    }
    let mut bystander = bystander.spawn().expect("a process");
    let stale = format!("{}\n{}\n0\n5432\n", bystander.id(), folder.join("postgres").display());
    std::fs::write(folder.join("postgres/postmaster.pid"), stale).expect("a file");
    let program = Program::portal(&folder).await;
    program.signal(Signal::SIGTERM);
    assert_eq!(program.end().status.code(), Some(0));
    assert!(bystander.try_wait().expect("a child").is_none(), "still there");
    bystander.kill().expect("ours");
    bystander.wait().expect("ours");
}

#[tokio::test]
async fn after_a_crash_it_is_started_again() {
    let folder = Temporary::with_cluster().await;
    let program = Program::portal(&folder).await;
    let admin = program.admin().await;
    let postgres = postmaster(&folder).expect("Postgres runs");
    kill(postgres, Signal::SIGKILL).expect("it runs");
    until("another one runs", async || postmaster(&folder).is_some_and(|pid| pid != postgres)).await;
    until("pages are back, and the person still signed in", async || admin.get("/").await.status() == 200).await;
    assert!(program.said().contains("private Postgres has ended by itself"));
}

#[tokio::test]
async fn a_long_path_of_the_data_folder_is_no_obstacle() {
    let folder = Temporary::new("data");
    let deep = folder.join("a folder, \"quoted\", with a long name ".repeat(3));
    let program = Program::portal(&deep).await;
    let flags = private(&deep);
    let socket_dir = run(&mut command(&[&["admin", "socket-dir"], &*strings(&flags)].concat())).said;
    assert!(Path::new(socket_dir.trim()).join(".s.PGSQL.5432").exists(), "{socket_dir}");
    program.signal(Signal::SIGTERM);
    assert_eq!(program.end().status.code(), Some(0));
    assert!(!Path::new(socket_dir.trim()).exists(), "nothing stays behind in /tmp");
}

#[tokio::test]
async fn the_operator_s_commands_act_on_the_running_portal() {
    let folder = Temporary::with_cluster().await;
    let flags = private(&folder);
    let admin = |args: &[&str]| run(&mut command(&[args, &*strings(&flags)].concat()));
    admin(&["admin", "setup-code"]).refused(1, &["no berth-server runs on the data folder"]);

    let program = Program::portal(&folder).await;
    let link = admin(&["admin", "setup-code"]);
    assert_eq!(link.status.code(), Some(0), "{}", link.said);
    let code = link.said.trim().split("/setup#code=").nth(1).expect("a link");
    let mut fields = crate::support::portal::account("root-admin");
    fields.push(("code", code));
    assert_eq!(program.anonymous().submit("set_up", &fields).await.status(), 200);
    admin(&["admin", "setup-code"]).refused(1, &["has an administrator already"]);

    let code = admin(&["admin", "enrol-code", "h1"]).said.trim().to_owned();
    let agent = crate::support::actor::Agent::enrol(program.anonymous(), code).await;
    assert_eq!(agent.enrolled.host_name, "h1");
    admin(&["admin", "enrol-code", "Not a name!"]).refused(1, &["host name"]);
}

fn strings(flags: &[String]) -> Vec<&str> {
    flags.iter().map(String::as_str).collect()
}
