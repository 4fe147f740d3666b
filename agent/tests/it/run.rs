//! What `berth run` promises, with real processes: by several accounts where the tests run as root, and on terminals.

use std::fs::{self, File, Permissions};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use agent::guard::peer::name_of;
use agent::nvml::Snapshot;
use domain::card::{CardProcess, ProcessKind};
use domain::id::{ReservationId, UserId};
use domain::wire::agent_v1::{Account, HostTable, NvmlState, TableBooking};
use nix::pty::openpty;
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, geteuid};
use uuid::Uuid;

use crate::support::desk::Guard;
use crate::support::eventually;
use crate::support::program::{Job, Said, run};
use crate::support::scene::{ada, booked, jonas, sampled, table, uuid};

const SHOW: [&str; 5] = ["--", "sh", "-c", "echo $CUDA_VISIBLE_DEVICES", "job"];
/// An account that every system has and nobody logs in to.
const OTHER_UID: u32 = 65534;

fn id(n: u128) -> ReservationId {
    ReservationId(Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_aaaa_0000 + n))
}

fn named(n: u128, who: UserId, cards: &[u32]) -> TableBooking {
    TableBooking { id: id(n), ..booked(who, cards) }
}

fn shown(guard: &Guard, options: &[&str]) -> Said {
    guard.run(&[&["run"], options, &SHOW].concat())
}

#[test]
fn of_several_bookings_one_has_to_be_named() {
    let guard = Guard::with(table(vec![named(1, ada(), &[0, 1]), named(2, ada(), &[3]), named(3, jonas(), &[2])]));
    let said = shown(&guard, &[]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(77), ""));
    assert_eq!(said.first_line(), "berth: not started. You have several bookings on dgx-h100 now:");
    for part in
        ["\n  aaaa0001  cards 0, 1 until ", "\n  aaaa0002  card 3 until ", "berth run --reservation aaaa0001 -- sh -c"]
    {
        assert!(said.stderr.contains(part), "{part} is not in:\n{}", said.stderr);
    }
    let said = shown(&guard, &["--reservation", "aaaa0002"]);
    assert_eq!((said.code, said.stdout), (Some(0), format!("{}\n", uuid(3))));
    let said = shown(&guard, &["--reservation", &id(1).to_string(), "--gpus", "1"]);
    assert_eq!((said.code, said.stdout), (Some(0), format!("{}\n", uuid(0))));
    let said = shown(&guard, &["--cards", "3,0"]);
    assert_eq!((said.code, said.stdout), (Some(0), format!("{},{}\n", uuid(3), uuid(0))));
    for (options, why) in [
        (&["--reservation", "aaaa0003"][..], "No single booking of yours on dgx-h100 is called `aaaa0003`"),
        (&["--reservation", "0190"], "No single booking of yours"),
        (&["--reservation", "aaaa0001", "--cards", "3"], "booking aaaa0001 has cards 0, 1, and not it"),
        (&["--reservation", "aaaa0001", "--gpus", "3"], "You hold fewer than 3 cards"),
    ] {
        let said = shown(&guard, options);
        assert_eq!((said.code, said.stdout.as_str()), (Some(77), ""), "{options:?}");
        assert!(said.stderr.contains(why), "{options:?}: {}", said.stderr);
    }
}

#[test]
fn programs_that_read_numbers_get_numbers() {
    let guard = Guard::with(table(vec![named(1, ada(), &[0, 2])]));
    let folder = guard.folder();
    for program in ["vllm", "deepspeed"] {
        let path = folder.join(program);
        let script = "#!/bin/sh\necho \"$CUDA_DEVICE_ORDER ${CUDA_VISIBLE_DEVICES-unset} $BERTH_RESERVATION $*\"\n";
        fs::write(&path, script).expect("written");
        fs::set_permissions(&path, Permissions::from_mode(0o755)).expect("executable");
    }
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").expect("a path"));
    let with = |args: &[&str]| run(guard.berth(args).env("PATH", &path));
    let booking = id(1);
    for (args, expected) in [
        (&["run", "--", "vllm", "serve"][..], format!("PCI_BUS_ID 0,2 {booking} serve\n")),
        (&["run", "--cards", "2,0", "--", "vllm"], format!("PCI_BUS_ID 2,0 {booking} \n")),
        (&["run", "--ids", "uuid", "--", "vllm"], format!("PCI_BUS_ID {},{} {booking} \n", uuid(0), uuid(2))),
        (&["run", "--", "deepspeed", "x.py"], format!("PCI_BUS_ID 0,2 {booking} x.py\n")),
        (
            &["run", "--", "deepspeed", "--include", "localhost:2", "x.py"],
            format!("PCI_BUS_ID unset {booking} --include localhost:2 x.py\n"),
        ),
    ] {
        let said = with(args);
        assert_eq!((said.code, said.stdout, said.stderr.as_str()), (Some(0), expected, ""), "{args:?}");
    }
    let said = shown(&guard, &["--ids", "index"]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(0), "0,2\n"));
    let said = with(&["run", "--", "deepspeed", "--num_gpus", "2", "x.py"]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(77), ""));
    assert!(said.first_line().contains("--include localhost:0,2"), "{}", said.stderr);
}

#[test]
fn what_slurm_or_an_outer_run_has_chosen_is_explained() {
    let guard = Guard::with(table(vec![named(1, ada(), &[0, 2]), named(2, jonas(), &[1])]));
    let said =
        run(guard.berth(&[&["run"][..], &SHOW].concat()).env("CUDA_VISIBLE_DEVICES", "0").env("SLURM_JOB_ID", "42"));
    assert_eq!((said.code, said.stdout.as_str()), (Some(77), ""));
    assert!(said.stderr.contains("Slurm's job 42") && !said.stderr.contains("env -u"), "{}", said.stderr);
    let program = env!("CARGO_BIN_EXE_berth");
    let said = guard.run(&["run", "--cards", "2", "--", program, "run", "--cards", "0", "--", "true"]);
    assert_eq!(said.code, Some(77));
    assert!(said.stderr.contains("outer `berth run`"), "{}", said.stderr);
}

/// Cards of which card 0 is used by this account.
fn used_by(os_user: &str) -> Snapshot {
    let mut cards: Vec<_> = (0..4).map(sampled).collect();
    let process = CardProcess { os_user: Some(os_user.to_owned()), ..CardProcess::new(4711, ProcessKind::Compute) };
    cards[0].processes = Some(vec![process]);
    Snapshot { cards, ..Snapshot::without_cards(NvmlState::Ok) }
}

#[test]
fn beside_somebody_who_has_not_booked_one_starts_only_on_purpose() {
    let guard = Guard::reading(used_by("eve"));
    guard.know(table(vec![named(1, ada(), &[0, 1])]), 0);
    let said = shown(&guard, &[]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(77), ""));
    assert_eq!(
        said.first_line(),
        "berth: not started. Your card 0 on dgx-h100 is in use, by somebody who has not booked it: the account eve \
         (process 4711) on card 0."
    );
    assert!(said.stderr.contains("berth run --shared -- sh -c"), "{}", said.stderr);
    let said = shown(&guard, &["--shared"]);
    assert_eq!((said.code, said.stdout), (Some(0), format!("{},{}\n", uuid(0), uuid(1))));
    let said = shown(&guard, &["--cards", "1"]);
    assert_eq!((said.code, said.stdout), (Some(0), format!("{}\n", uuid(1))));
}

#[test]
fn launches_at_once_know_of_each_other() {
    let guard = Guard::with(table(vec![named(1, ada(), &[0, 1, 2, 3])]));
    let job = || guard.berth(&["run", "--gpus", "1", "--", "sh", "-c", "echo $CUDA_VISIBLE_DEVICES; read end"]);
    let mut started: Vec<Job> = Vec::new();
    std::thread::scope(|scope| {
        let all: Vec<_> = (0..8).map(|_| scope.spawn(|| Job::start(job()))).collect();
        started = all.into_iter().map(|one| one.join().expect("started")).collect();
    });
    let on = |card: u32| started.iter().filter(|job| job.said == uuid(card).as_str()).count();
    assert_eq!((0..4).map(on).collect::<Vec<_>>(), [2, 2, 2, 2]);
    // What ends makes room: the next job goes to the card that has one job fewer.
    let at = started.iter().position(|job| job.said == uuid(2).as_str()).expect("one on card 2");
    assert_eq!(started.swap_remove(at).end(), Some(1), "`read` finds no line");
    let next = Job::start(job());
    assert_eq!(next.said, uuid(2).as_str());
}

/// The same table, with the other account as Jonas's.
fn with_jonas(bookings: Vec<TableBooking>) -> HostTable {
    let mut table = table(bookings);
    table.accounts.push(Account { os_user: name_of(OTHER_UID), person: jonas(), name: "Jonas Weber".to_owned() });
    table
}

#[test]
fn a_job_of_another_account_that_has_outlived_its_booking_is_seen_before_it_computes() {
    if !geteuid().is_root() {
        // Without root there is no other account to be; the verdict alone has tests of its own.
        return;
    }
    let guard = Guard::with(with_jonas(vec![named(2, jonas(), &[1])]));
    fs::set_permissions(guard.folder(), Permissions::from_mode(0o755)).expect("open to all");
    let program = guard.folder().join("berth");
    fs::copy(env!("CARGO_BIN_EXE_berth"), &program).expect("copied");
    let as_other = |args: &[&str]| {
        let mut command = Command::new(&program);
        command.args(args).env("BERTH_SOCKET", guard.socket()).env("TZ", "UTC").uid(OTHER_UID).gid(OTHER_UID);
        command
    };
    let job = Job::start(as_other(&["run", "--", "sh", "-c", "echo $CUDA_VISIBLE_DEVICES; read end"]));
    assert_eq!(job.said, uuid(1).as_str());
    guard.know(with_jonas(vec![named(1, ada(), &[1])]), 0);
    let said = shown(&guard, &[]);
    assert_eq!((said.code, said.stdout.as_str()), (Some(77), ""));
    let account = format!("Jonas Weber (account {}, process {} since ", name_of(OTHER_UID), job.child.id());
    assert!(said.first_line().contains(&account), "{}", said.stderr);
    let said = run(&mut as_other(&["run", "--cards", "1", "--", "true"]));
    assert_eq!(said.code, Some(77));
    assert!(said.first_line().contains("reserved by Ada Lovelace until "), "{}", said.stderr);
    // Killed as hard as can be: nothing is left in the way.
    kill(Pid::from_raw(i32::try_from(job.child.id()).expect("pid")), Signal::SIGKILL).expect("alive");
    job.end();
    assert_eq!(shown(&guard, &[]).code, Some(0));
}

/// A command as the foreground job of a terminal of its own.
struct Terminal {
    child: Child,
    near: File,
    written: Arc<Mutex<Vec<u8>>>,
}

/// Starts it, and gives the near end of its terminal.
fn on_terminal(job: &Command) -> (Child, File) {
    let pair = openpty(None, None).expect("a terminal");
    // The job must not hold the near end itself, or nobody could close it.
    let near = File::from(pair.master.try_clone().expect("a descriptor"));
    drop(pair.master);
    let far = || Stdio::from(pair.slave.try_clone().expect("a descriptor"));
    let mut command = Command::new("setsid");
    command.arg("--ctty").arg(job.get_program()).args(job.get_args());
    command.envs(job.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let child = command.stdin(far()).stdout(far()).stderr(far()).spawn().expect("setsid runs");
    (child, near)
}

impl Terminal {
    fn start(job: &Command) -> Self {
        let (child, near) = on_terminal(job);
        let written = Arc::new(Mutex::new(Vec::new()));
        let (mut from, kept) = (near.try_clone().expect("a descriptor"), Arc::clone(&written));
        std::thread::spawn(move || {
            let mut piece = [0; 4096];
            while let Ok(count @ 1..) = from.read(&mut piece) {
                kept.lock().expect("text").extend_from_slice(&piece[..count]);
            }
        });
        Self { child, near, written }
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.written.lock().expect("text")).into_owned()
    }
}

#[test]
fn the_terminal_is_the_commands() {
    let guard = Guard::with(table(vec![named(1, ada(), &[0])]));
    let script = "trap 'echo interrupted; exit 3' INT; test -t 0 && test -t 1 && test -t 2 && echo on a terminal; \
                  set -- $(sed 's/.*) //' /proc/$$/stat); echo group $3 of $$ in front $6; while :; do sleep 0.05; done";
    let mut terminal = Terminal::start(&guard.berth(&["run", "--", "sh", "-c", script]));
    eventually("it runs", || terminal.text().contains(" in front "));
    let text = terminal.text();
    let line = text.lines().find(|line| line.starts_with("group")).expect("a line").trim().to_owned();
    let words: Vec<&str> = line.split(' ').collect();
    assert!(text.contains("on a terminal"), "{text}");
    assert_eq!((words[1], words[1]), (words[3], words[6]), "its own group, in front: {line}");
    terminal.near.write_all(b"\x03").expect("written");
    eventually("the interrupt has come", || terminal.text().contains("interrupted"));
    assert_eq!(terminal.child.wait().expect("ended").code(), Some(3));
}

#[test]
fn a_terminal_that_is_closed_ends_the_job_as_it_would_without_us() {
    let guard = Guard::with(table(vec![named(1, ada(), &[0])]));
    let job = guard.berth(&["run", "--", "sh", "-c", "echo on $CUDA_VISIBLE_DEVICES; while :; do sleep 0.05; done"]);
    let (mut child, near) = on_terminal(&job);
    let mut said = String::new();
    let mut near = BufReader::new(near);
    near.read_line(&mut said).expect("a line");
    assert_eq!(said.trim(), format!("on {}", uuid(0)));
    drop(near);
    assert_eq!(child.wait().expect("ended").signal(), Some(1), "ended by the hang-up");
    assert_eq!(agent::guard::process::Processes::default().find(child.id()), None);
    assert_eq!(shown(&guard, &["--gpus", "1"]).code, Some(0));
}
