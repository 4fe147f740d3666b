//! `berth agent`: the program that runs on every host. Reads the cards, tells the portal, answers the guard's questions.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{io, thread};

use clap::{Args, Subcommand};
use domain::guard::HostCard;
use nix::sys::signal::{SigSet, Signal};
use time::OffsetDateTime;

use super::{EXIT_FAILED, EXIT_USAGE, NvmlOption, PortalOptions, SocketOption, StateOption, pause, rotate, say};
use crate::guard::desk::{Desk, NotLetGo, Reader};
use crate::guard::leases::{Kept, Leases};
use crate::guard::server::{Counter, GuardSocket};
use crate::guard::walk_in::WalkIns;
use crate::nvml::{Latest, Sampler};
use crate::push::{Pace, Pusher};
use crate::roster::Roster;
use crate::state::{StateDir, StateError};
use crate::table::Tables;
use crate::uplink::{NoUplink, Overrides, Uplink};
use crate::{host, log, minutes};

/// Questions in progress have this long to be answered when the agent ends.
const GRACE: Duration = Duration::from_secs(2);
/// Whoever asks while the cards are looked at for the first time waits this long.
const FIRST_ROUND: Duration = Duration::from_secs(3);
/// Whoever asks for a pause waits so long for NVML to be let go of.
const LET_GO_WITHIN: Duration = Duration::from_secs(10);
/// Time between two reports until the portal has said how often it wants them.
const REPORT_EVERY: Duration = Duration::from_secs(2);
/// Stack of the thread that speaks to the portal; TLS needs some.
const PUSH_STACK_BYTES: usize = 512 * 1024;

/// Run the agent: read the cards, report to the portal, answer `berth run`
///
/// Enrol the host first, with `berth enrol`. While the portal is away, launches are decided with the bookings that it
/// sent last.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Options {
    #[command(subcommand)]
    act: Option<Act>,

    #[command(flatten)]
    state: StateOption,

    #[command(flatten)]
    socket: SocketOption,

    /// Address of the portal [default: the one given to `berth enrol`]
    #[arg(long, env = "BERTH_SERVER", value_name = "URL")]
    server: Option<String>,

    #[command(flatten)]
    portal: PortalOptions,

    #[command(flatten)]
    nvml: NvmlOption,

    /// Time between two reports, whatever the portal asks for [default: what the portal asks for, 2s at first]
    #[arg(long, env = "BERTH_REPORT_EVERY", value_name = "TIME", value_parser = every)]
    report_every: Option<Duration>,

    /// Length of a recorded minute: for tests
    #[arg(long, value_name = "TIME", default_value = "1min", value_parser = time, hide = true)]
    minute: Duration,

    /// Bookings older than this no longer count, and nothing is started until the portal answers again
    #[arg(long, env = "BERTH_TABLE_MAX_AGE", value_name = "TIME", default_value = "12h", value_parser = max_age)]
    table_max_age: Duration,

    /// Log more
    #[arg(long, short, env = "BERTH_VERBOSE", value_parser = clap::builder::FalseyValueParser::new(), action = clap::ArgAction::SetTrue)]
    verbose: bool,
}

/// What can be done about the agent beside running it.
#[derive(Debug, Subcommand)]
enum Act {
    Pause(pause::PauseOptions),
    Resume(pause::ResumeOptions),
    Rotate(rotate::Options),
}

/// The agent cannot start.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("{0}")]
    Setting(String),
    #[error("{0}")]
    System(String),
}

pub(super) fn run(options: Options) -> ExitCode {
    match &options.act {
        Some(Act::Pause(options)) => return pause::pause(options),
        Some(Act::Resume(options)) => return pause::resume(options),
        Some(Act::Rotate(options)) => return rotate::run(options),
        None => {}
    }
    match serve(options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            say(&format!("berth: the agent cannot start: {failure}."));
            ExitCode::from(if matches!(failure, Failure::Setting(_)) { EXIT_USAGE } else { EXIT_FAILED })
        }
    }
}

fn serve(options: Options) -> Result<(), Failure> {
    if options.verbose {
        log::be_verbose();
    }
    // Before any thread is there, so that all of them inherit it and the signals come to `wait` alone.
    let signals = SigSet::from_iter([Signal::SIGTERM, Signal::SIGINT]);
    signals.thread_block().map_err(|error| Failure::System(error.to_string()))?;

    let folder = &options.state.state_dir;
    let state = StateDir::open_for_agent(folder).map_err(|error| Failure::Setting(error.to_string()))?;
    let overrides = Overrides {
        server: options.server.clone(),
        insecure: options.portal.insecure,
        ca_file: options.portal.ca_file.clone(),
    };
    let uplink = Uplink::open(state.clone(), overrides).map_err(|error| match error {
        NoUplink::State(StateError::Io { .. }) => Failure::System(error.to_string()),
        _ => Failure::Setting(error.to_string()),
    })?;
    let _claim = state.claim().map_err(|error| Failure::Setting(error.to_string()))?;
    let socket = GuardSocket::open(&options.socket.socket).map_err(|error| Failure::Setting(error.to_string()))?;
    let socket_path = socket.path().to_path_buf();

    let uplink = Arc::new(uplink);
    let tables = Arc::new(Tables::new(state.table().unwrap_or_else(|error| {
        log::warn("the bookings kept from before cannot be used", &[("error", &error)]);
        None
    })));
    let roster = Arc::new(Roster::default());
    let boot_id = host::boot_id();
    let every = options.report_every.unwrap_or(REPORT_EVERY);
    let no_thread = |error: io::Error| Failure::System(format!("the system gives no thread: {error}"));
    let sampler = Arc::new(Sampler::with(options.nvml.setup(every)).map_err(no_thread)?);
    say_settings(&options, &uplink);

    let linker = Arc::clone(&uplink);
    let kept = state.leases().unwrap_or_else(|error| {
        log::warn("bookings that were made for jobs are not known any more", &[("error", &error)]);
        Kept::default()
    });
    let walk_ins = Arc::new(WalkIns {
        leases: Leases::resume(kept, &boot_id),
        portal: Box::new(Arc::clone(&uplink)),
        tables: Arc::clone(&tables),
        boot_id: boot_id.clone(),
        state: Some(state.clone()),
    });
    let desk = Desk {
        tables: Arc::clone(&tables),
        reader: Box::new(Eyes { sampler: Arc::clone(&sampler), roster: Arc::clone(&roster) }),
        boot_id: boot_id.clone(),
        max_age: time::Duration::try_from(options.table_max_age).unwrap_or(domain::guard::TABLE_MAX_AGE),
        linker: Box::new(move |code, os_user| linker.link(code, os_user)),
        walk_ins: Arc::clone(&walk_ins),
    };
    let busy = socket.serve(Arc::new(desk)).map_err(no_thread)?;
    walk_ins.watch().map_err(no_thread)?;
    let sources = minutes::Sources {
        sampler: Arc::clone(&sampler),
        tables: Arc::clone(&tables),
        uplink: Arc::clone(&uplink),
        boot_id,
        length: options.minute.max(Duration::from_secs(1)),
    };
    let bell = minutes::start(&state, sources).map_err(|error| Failure::System(error.to_string()))?;
    let pace = Pace { sampler: Arc::clone(&sampler), is_fixed: options.report_every.is_some() };
    let mut pusher = Pusher::new(uplink, tables, state, pace, bell);
    let push = move || {
        let mut latest = sampler.latest();
        loop {
            // A round that hangs must not silence the host: the beat then says so.
            latest = sampler.wait_after(latest.round, sampler.interval().saturating_mul(3) / 2);
            roster.update(&latest.snapshot.cards);
            pusher.beat(&latest);
        }
    };
    thread::Builder::new().name("push".to_owned()).stack_size(PUSH_STACK_BYTES).spawn(push).map_err(no_thread)?;

    let signal = signals.wait().map_err(|error| Failure::System(error.to_string()))?;
    log::info("the agent ends", &[("signal", &signal)]);
    // Nobody new can ask; who has asked gets an answer.
    let _ = std::fs::remove_file(&socket_path);
    finish(&busy);
    Ok(())
}

/// The sampler and the roster, as the desk sees them.
struct Eyes {
    sampler: Arc<Sampler>,
    roster: Arc<Roster>,
}

impl Reader for Eyes {
    fn latest(&self) -> Latest {
        let latest = self.sampler.wait_after(0, FIRST_ROUND);
        self.roster.update(&latest.snapshot.cards);
        latest
    }

    fn cards(&self) -> Vec<HostCard> {
        self.roster.cards()
    }

    fn pause(&self, length: Duration) -> Result<OffsetDateTime, NotLetGo> {
        let until = self.sampler.pause(length);
        if self.sampler.wait_released(LET_GO_WITHIN) { Ok(until) } else { Err(NotLetGo) }
    }

    fn resume(&self) {
        self.sampler.resume();
    }
}

fn finish(busy: &Counter) {
    let deadline = Instant::now() + GRACE;
    while busy.get() > 0 && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(20));
    }
}

fn say_settings(options: &Options, uplink: &Uplink) {
    let connection = uplink.get();
    log::info(
        "the agent starts",
        &[
            ("version", &env!("CARGO_PKG_VERSION")),
            ("host", &connection.host_name),
            ("portal", connection.portal.address()),
            ("socket", &options.socket.socket.display()),
            ("state_dir", &options.state.state_dir.display()),
            ("report_every_ms", &options.report_every.unwrap_or(REPORT_EVERY).as_millis()),
            ("table_max_age_s", &options.table_max_age.as_secs()),
        ],
    );
}

/// A time such as `500ms`, `2s`, `30m`, `12h` or `1d`.
pub(super) fn time(text: &str) -> Result<Duration, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: u64 = number.parse().map_err(|_| "write it like 90s, 30m or 12h".to_owned())?;
    let ms = match unit.trim() {
        "ms" => 1,
        "s" => 1000,
        "m" | "min" => 60 * 1000,
        "h" => 3600 * 1000,
        "d" => 24 * 3600 * 1000,
        _ => return Err("write it with a unit, like 90s, 30m or 12h".to_owned()),
    };
    number.checked_mul(ms).map(Duration::from_millis).ok_or_else(|| "that is too long".to_owned())
}

fn every(text: &str) -> Result<Duration, String> {
    let range = Duration::from_millis(10)..=Duration::from_secs(60);
    time(text).and_then(|t| if range.contains(&t) { Ok(t) } else { Err("from 10ms to 60s".to_owned()) })
}

fn max_age(text: &str) -> Result<Duration, String> {
    let longest = Duration::from_secs(72 * 3600);
    time(text).and_then(|t| if t <= longest { Ok(t) } else { Err("72h at most: the portal sends no more".to_owned()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        assert_eq!(time("12h"), Ok(Duration::from_secs(43_200)));
        assert_eq!(time("1500ms"), Ok(Duration::from_millis(1500)));
        for bad in ["", "h", "12", "-1s", "1 fortnight", "99999999999999999999s", "18446744073709551615d", "é"] {
            assert!(time(bad).is_err(), "{bad}");
        }
        assert!(every("0s").is_err() && every("2m").is_err() && every("2s").is_ok());
        assert!(max_age("73h").is_err() && max_age("0s").is_ok());
    }
}
