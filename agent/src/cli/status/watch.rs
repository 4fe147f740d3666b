//! `berth status --watch`: draws in place until it is told to end, and leaves the terminal as it was.

use std::io::{self, IsTerminal, Write};
use std::process::{ExitCode, exit};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{SigSet, Signal};

use super::screen::{Colour, Screen};
use super::source::Source;
use crate::cli::{EXIT_FAILED, say};
use crate::guard::when::LocalClock;

/// A look that is under way when it is told to end has this long to come back.
const GRACE: Duration = Duration::from_millis(500);
/// The terminal's other page, and no cursor.
const ENTER: &str = "\x1b[?1049h\x1b[?25l";
/// Back.
const LEAVE: &str = "\x1b[?25h\x1b[?1049l";

/// On the terminal's other page until it is dropped, also by a panic.
struct OtherPage;

impl OtherPage {
    fn enter() -> io::Result<Self> {
        write(ENTER).map(|()| Self)
    }
}

impl Drop for OtherPage {
    fn drop(&mut self) {
        let _ = write(LEAVE);
    }
}

fn write(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}

/// Draws every so often until Ctrl-C, or until nobody reads any more.
pub(super) fn watch(source: &mut Source, every: Duration, colour: Colour) -> ExitCode {
    let failed = |error: &dyn std::fmt::Display| {
        say(&format!("berth: {error}."));
        ExitCode::from(EXIT_FAILED)
    };
    let signals = match listen() {
        Ok(signals) => signals,
        Err(error) => return failed(&error),
    };
    let page = match Screen::now(colour).terminal.then(OtherPage::enter).transpose() {
        Ok(page) => page,
        Err(error) => return failed(&error),
    };
    let mut last = None;
    loop {
        let started = Instant::now();
        let shown = draw(source, colour, page.is_some(), &mut last);
        match shown {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return ExitCode::SUCCESS,
            Err(error) => {
                drop(page);
                return failed(&format!("the output cannot be written: {error}"));
            }
            Ok(()) => {}
        }
        match signals.recv_timeout(every.saturating_sub(started.elapsed())) {
            Err(RecvTimeoutError::Timeout) | Ok(Signal::SIGWINCH) => {}
            Ok(_) | Err(RecvTimeoutError::Disconnected) => return ExitCode::SUCCESS,
        }
    }
}

/// The signals that end it or ask for another drawing, one by one. Whoever waits for a driver or an agent that hangs is
/// not kept waiting by it.
fn listen() -> io::Result<Receiver<Signal>> {
    let wanted =
        SigSet::from_iter([Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGQUIT, Signal::SIGWINCH]);
    // Threads that are started from here on inherit it, so that the signals come to the one that waits for them.
    wanted.thread_block()?;
    let (send, receive) = channel();
    let wait = move || {
        while let Ok(signal) = wanted.wait() {
            if send.send(signal).is_err() {
                return;
            }
            if signal != Signal::SIGWINCH {
                thread::sleep(GRACE);
                if io::stdout().is_terminal() {
                    let _ = write(LEAVE);
                }
                exit(0);
            }
        }
    };
    thread::Builder::new().name("signals".to_owned()).spawn(wait)?;
    Ok(receive)
}

fn draw(source: &mut Source, colour: Colour, in_place: bool, last: &mut Option<Vec<String>>) -> io::Result<()> {
    let screen = Screen::now(colour);
    let lines = match source.look() {
        Ok(look) => super::render(&look, &LocalClock::system(), &screen),
        // An agent that starts anew is no reason to end: what was there stays, and why there is nothing new is said.
        Err(message) => {
            let mut lines: Vec<String> = message.lines().map(str::to_owned).collect();
            lines.extend(last.clone().unwrap_or_default());
            return put(&lines, &screen, in_place);
        }
    };
    put(&lines, &screen, in_place)?;
    *last = Some(lines);
    Ok(())
}

/// In place: every line over the one that was there, and nothing is left of longer ones. Else one after the other.
fn put(lines: &[String], screen: &Screen, in_place: bool) -> io::Result<()> {
    if !in_place {
        return write(&format!("{}\n\n", lines.join("\n")));
    }
    let fitting = screen.height.unwrap_or(usize::MAX).min(lines.len());
    let mut text = "\x1b[H".to_owned();
    for (at, line) in lines[..fitting].iter().enumerate() {
        // No line break after the last line: it would push the first one out.
        text.push_str(if at == 0 { "" } else { "\n" });
        text.push_str(line);
        text.push_str("\x1b[K");
    }
    text.push_str("\x1b[J");
    write(&text)
}
