//! Each bad start has one clear sentence that says what to do, and no panic.

use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::cluster::Temporary;
use crate::support::program::{Ended, Program, command, private, run};

fn start(flags: &[String]) -> Ended {
    run(&mut command(&flags.iter().map(String::as_str).collect::<Vec<_>>()))
}

fn with(mut flags: Vec<String>, more: &str) -> Vec<String> {
    flags.push(more.to_owned());
    flags
}

#[test]
fn a_port_that_is_taken() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("bound");
    let folder = Temporary::new("data");
    let ended = start(&with(private(&folder), &format!("--listen={address}")));
    ended.refused(1, &[&format!("port {} on 127.0.0.1 is in use", address.port()), "BERTH_LISTEN"]);
    assert!(!folder.join("postgres").exists(), "nothing was made");
}

#[test]
fn a_data_folder_that_cannot_be_written() {
    let folder = Temporary::new("data");
    std::fs::write(folder.join("file"), "").expect("a file");
    start(&private(&folder.join("file/data"))).refused(1, &["cannot use the data folder", "BERTH_DATA_DIR"]);

    let closed = folder.join("closed");
    std::fs::create_dir(&closed).expect("a folder");
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o555)).expect("closed");
    let flags = private(&closed.join("data"));
    let mut ordinary = command(&flags.iter().map(String::as_str).collect::<Vec<_>>());
    if nix::unistd::geteuid().is_root() {
        // Root may write everywhere: be somebody else, with a copy of the program where everybody may read it.
        let copy = folder.join("berth-server");
        std::fs::copy(ordinary.get_program(), &copy).expect("a copy");
        ordinary = Command::new(&copy);
        ordinary.args(&flags).env_clear().stdout(Stdio::piped()).stderr(Stdio::piped()).uid(65534).gid(65534);
    }
    run(&mut ordinary).refused(1, &["cannot use the data folder", "Permission denied", "BERTH_DATA_DIR"]);
}

#[test]
fn a_data_folder_that_the_unprivileged_account_cannot_reach() {
    if !nix::unistd::geteuid().is_root() {
        // Postgres runs as ourselves then, and what we cannot reach we cannot use either.
        return;
    }
    let folder = Temporary::new("data");
    std::fs::set_permissions(&*folder, std::fs::Permissions::from_mode(0o700)).expect("closed");
    let ended = start(&private(&folder.join("below")));
    ended.refused(1, &["cannot reach the data folder", &format!("chmod o+x {}", folder.display())]);
}

#[test]
fn no_postgres_programs() {
    let folder = Temporary::new("data");
    let ended = start(&with(private(&folder), "--postgres-bin=/nonexistent"));
    ended.refused(1, &["PostgreSQL 14 or newer is not installed in /nonexistent", "apt-get install postgresql"]);
}

#[test]
fn data_of_another_major_version() {
    let folder = Temporary::new("data");
    std::fs::create_dir(folder.join("postgres")).expect("a folder");
    std::fs::write(folder.join("postgres/PG_VERSION"), "12\n").expect("a file");
    let ended = start(&private(&folder));
    ended.refused(1, &["written by PostgreSQL 12", "pg_dump -h /tmp -U berth", "psql -h", "pg_ctl"]);
    assert_eq!(std::fs::read_to_string(folder.join("postgres/PG_VERSION")).expect("still there"), "12\n");
}

#[tokio::test]
async fn a_second_server_on_the_same_folder() {
    let folder = Temporary::with_cluster().await;
    let first = Program::portal(&folder).await;
    start(&private(&folder)).refused(1, &["running already", &format!("process {}", first.pid())]);
    assert_eq!(first.anonymous().get("/healthz").await.status(), 200, "the first goes on");
}

/// Programs that answer like a Postgres on a full disk.
fn full_disk_programs(dir: &Path) {
    let write = |name: &str, script: &str| {
        std::fs::write(dir.join(name), format!("#!/bin/sh\n{script}\n")).expect("a script");
        std::fs::set_permissions(dir.join(name), std::fs::Permissions::from_mode(0o755)).expect("a program");
    };
    write("postgres", "echo 'postgres (PostgreSQL) 15.1'");
    write("initdb", "echo 'initdb: error: could not write file \"x\": No space left on device' >&2; exit 1");
}

#[test]
fn a_disk_that_fills_up_while_the_cluster_is_made() {
    let folder = Temporary::new("data");
    full_disk_programs(&folder);
    let ended = start(&with(private(&folder.join("data")), &format!("--postgres-bin={}", folder.display())));
    ended.refused(1, &[&format!("the disk that holds {} is full", folder.join("data").display()), "BERTH_DATA_DIR"]);
    assert!(!folder.join("data/postgres").exists() && !folder.join("data/postgres.new").exists(), "no ruins");
}

#[test]
fn a_disk_that_is_full_from_the_start() {
    if !nix::unistd::geteuid().is_root() {
        // Only root can make a small disk; what Postgres says on a full one is covered above.
        return;
    }
    let folder = Temporary::new("data");
    let mount =
        |args: &[&str]| Command::new(args[0]).args(&args[1..]).arg(&*folder).status().expect("a program").success();
    if !mount(&["mount", "-t", "tmpfs", "-o", "size=24m,mode=0711", "tmpfs"]) {
        // A container may forbid mounting.
        return;
    }
    let ended = start(&private(&folder.join("data")));
    assert!(mount(&["umount"]));
    ended.refused(1, &["is full", "free at least 100 MB"]);
}
