//! `berth status --watch` on a terminal of its own.

use std::fs::File;
use std::io::Read;
use std::os::unix::net::UnixListener;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use nix::pty::{Winsize, openpty};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::support::desk::Guard;
use crate::support::eventually;
use crate::support::program::{berth, finish};
use crate::support::scene::{ada, booked, jonas, table};

const ENTER: &str = "\u{1b}[?1049h\u{1b}[?25l";
const LEAVE: &str = "\u{1b}[?25h\u{1b}[?1049l";

/// A program on a terminal, and what it has written there.
struct Terminal {
    child: Child,
    written: Arc<Mutex<Vec<u8>>>,
}

impl Terminal {
    fn start(guard: &Guard, args: &[&str], columns: u16, no_color: bool) -> Self {
        let mut command = guard.berth(args);
        if no_color {
            command.env("NO_COLOR", "1");
        }
        Self::run(command, columns)
    }

    fn run(mut command: Command, columns: u16) -> Self {
        let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        let pair = openpty(Some(&size), None).expect("a terminal");
        command.env("TERM", "xterm").stdin(Stdio::null()).stderr(Stdio::null()).stdout(Stdio::from(pair.slave));
        let child = command.spawn().expect("berth runs");
        // Ours of the far end is closed with it, so that reading ends with the program.
        drop(command);
        let written = Arc::new(Mutex::new(Vec::new()));
        let (mut near, kept) = (File::from(pair.master), Arc::clone(&written));
        std::thread::spawn(move || {
            let mut piece = [0; 4096];
            while let Ok(count @ 1..) = near.read(&mut piece) {
                kept.lock().expect("text").extend_from_slice(&piece[..count]);
            }
        });
        Self { child, written }
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.written.lock().expect("text")).into_owned()
    }

    fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(i32::try_from(self.child.id()).expect("pid")), signal).expect("alive");
    }
}

fn guard() -> Guard {
    Guard::with(table(vec![booked(ada(), &[0]), booked(jonas(), &[3])]))
}

#[test]
fn it_draws_in_place_and_leaves_the_terminal_as_it_was() {
    let guard = guard();
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        let terminal = Terminal::start(&guard, &["status", "--watch", "0.1"], 100, false);
        eventually("it has drawn three times", || terminal.text().matches("\u{1b}[H").count() >= 3);
        terminal.signal(signal);
        let Terminal { child, written } = terminal;
        assert_eq!(finish(child).code, Some(0));
        let text = || String::from_utf8_lossy(&written.lock().expect("text")).into_owned();
        eventually("it has cleaned up", || text().ends_with(LEAVE));
        let text = text();
        assert!(text.starts_with(ENTER) && text.matches(ENTER).count() == 1, "{text:?}");
        assert!(text.contains("\u{1b}[1;36myours until ") && text.contains("\u{1b}[K\r\n"), "{text:?}");
    }
}

#[test]
fn an_agent_that_hangs_does_not_hold_the_terminal() {
    let folder = tempfile::tempdir().expect("folder");
    let socket = folder.path().join("agent.sock");
    // It is connected to and says nothing.
    let silent = UnixListener::bind(&socket).expect("socket");
    let terminal = Terminal::run(berth(&socket, ["status", "--watch"]), 100);
    let (asked, _) = silent.accept().expect("asked");
    eventually("it has begun", || terminal.text().starts_with(ENTER));
    terminal.signal(Signal::SIGINT);
    let Terminal { child, written } = terminal;
    assert_eq!(finish(child).code, Some(0));
    let text = || String::from_utf8_lossy(&written.lock().expect("text")).into_owned();
    eventually("it has cleaned up", || text().ends_with(LEAVE));
    assert!(!text().contains("has not answered"), "it has waited for the agent: {:?}", text());
    drop(asked);
}

#[test]
fn a_terminal_has_colours_unless_they_are_not_wanted() {
    let done = |terminal: Terminal| {
        let Terminal { child, written } = terminal;
        assert_eq!(finish(child).code, Some(0));
        eventually("it has written", || written.lock().expect("text").ends_with(b"\n"));
        String::from_utf8_lossy(&written.lock().expect("text")).into_owned()
    };
    let guard = guard();
    assert!(done(Terminal::start(&guard, &["status"], 100, false)).contains("\u{1b}[1;36myours until "));
    let plain = done(Terminal::start(&guard, &["status"], 30, true));
    assert!(!plain.contains('\u{1b}') && plain.contains("yours until"), "{plain:?}");
    assert!(plain.lines().all(|line| line.trim_end().chars().count() <= 30), "{plain:?}");
    let forced = done(Terminal::start(&guard, &["status", "--color", "always"], 100, true));
    assert!(forced.contains("\u{1b}[1;36myours"));
}

#[test]
fn into_a_pipe_it_writes_one_table_after_the_other_and_ends_with_its_reader() {
    let guard = guard();
    let mut command = guard.berth(&["status", "--watch", "0.1"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("berth runs");
    let mut first = [0; 64];
    child.stdout.as_mut().expect("stdout").read_exact(&mut first).expect("a table");
    assert!(!first.contains(&0x1b));
    drop(child.stdout.take());
    assert_eq!(finish(child).code, Some(0));
    for wrong in [&["status", "--watch", "0"][..], &["status", "--watch", "x"], &["status", "--watch", "--json"]] {
        assert_eq!(guard.run(wrong).code, Some(2), "{wrong:?}");
    }
}
