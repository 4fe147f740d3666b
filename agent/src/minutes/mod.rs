//! The record of minutes: what each card did and who was on it, kept on this host until the portal has it.
//!
//! - `tally`: samples become minutes
//! - `shelf`: minutes on disk, and the one that is not over yet
//! - `send`: brings them to the portal, a few at a time
//!
//! Nothing here delays a report: recording and sending have a thread each.

mod send;
mod shelf;
mod tally;

use std::io;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use time::OffsetDateTime;

use crate::clock::Stamp;
use crate::log;
use crate::nvml::{Latest, Sampler};
use crate::state::{StateDir, StateError};
use crate::table::Tables;
use crate::uplink::Uplink;
use domain::wire::agent_v1::NvmlState;

pub use send::Bell;
use send::Sender;
use shelf::Shelf;
use tally::{Moment, Tally};

/// Folder of the record within the state folder.
const FOLDER: &str = "minutes";
/// How long to wait for a round before looking again.
const LOOK: Duration = Duration::from_secs(10);
/// Stack of the thread that speaks to the portal; TLS needs some.
const SEND_STACK_BYTES: usize = 512 * 1024;
/// Stack of the thread that records.
const RECORD_STACK_BYTES: usize = 256 * 1024;

/// What recording needs of the rest of the agent.
pub struct Sources {
    /// The cards.
    pub sampler: Arc<Sampler>,
    /// The portal's clock.
    pub tables: Arc<Tables>,
    /// The way to the portal.
    pub uplink: Arc<Uplink>,
    /// The kernel's id of this boot.
    pub boot_id: String,
    /// Length of a minute; another one only in tests.
    pub length: Duration,
}

/// The record cannot be kept.
#[derive(Debug, thiserror::Error)]
pub enum NoRecord {
    /// The folder.
    #[error(transparent)]
    State(#[from] StateError),
    /// The system has no thread to give.
    #[error("the system gives no thread: {0}")]
    Thread(#[from] io::Error),
}

/// Begins to record and to send. The bell is rung whenever the portal has taken a report.
///
/// # Errors
/// [`NoRecord`], whose text is meant for people.
pub fn start(state: &StateDir, sources: Sources) -> Result<Arc<Bell>, NoRecord> {
    let Sources { sampler, tables, uplink, boot_id, length } = sources;
    let shelf = Arc::new(Shelf::open(state.folder(FOLDER)?, length));
    let bell = Arc::new(Bell::default());
    let sender = Sender::new(Arc::clone(&shelf), uplink, Arc::clone(&bell));
    let mut recorder = Recorder { tally: shelf.unfinished(), shelf, tables, boot_id, length };
    let record = move || {
        let mut round = 0;
        loop {
            let latest = sampler.wait_after(round, LOOK);
            if latest.round != round {
                round = latest.round;
                recorder.take(&latest, sampler.interval());
            }
        }
    };
    thread::Builder::new().name("minutes".to_owned()).stack_size(RECORD_STACK_BYTES).spawn(record)?;
    thread::Builder::new().name("replay".to_owned()).stack_size(SEND_STACK_BYTES).spawn(move || sender.run())?;
    Ok(bell)
}

struct Recorder {
    tally: Tally,
    shelf: Arc<Shelf>,
    tables: Arc<Tables>,
    boot_id: String,
    length: Duration,
}

impl Recorder {
    fn take(&mut self, latest: &Latest, interval: Duration) {
        // Values from before are no sample.
        if latest.snapshot.nvml != NvmlState::Ok {
            return;
        }
        let stamp = Stamp::now(&self.boot_id);
        let table = self.tables.get();
        let (at, ahead) = match &table {
            Some(known) => (known.portal_now(&stamp), Some(known.clock_ahead())),
            None => (stamp.wall, None),
        };
        let moment = Moment {
            at_ms: milliseconds(at),
            clock_ahead_ms: ahead.and_then(|ahead| i64::try_from(ahead.whole_milliseconds()).ok()),
            gap_ms: tally::gap_ms(interval),
            length_ms: i64::try_from(self.length.as_millis()).unwrap_or(i64::MAX),
        };
        let ended = self.tally.take(&moment, &latest.snapshot.cards);
        // First the present with the ended minutes in it, then their own files: whatever is cut off in between is made up
        // for at the next start, under the same part's number.
        self.shelf.keep_unfinished(&self.tally);
        for minute in ended {
            self.shelf.put(minute);
        }
        self.tally.shelved();
    }
}

fn milliseconds(at: OffsetDateTime) -> i64 {
    i64::try_from(at.unix_timestamp_nanos() / 1_000_000).unwrap_or(i64::MAX)
}

/// Says something once, until it is over.
#[derive(Debug, Default)]
struct Once {
    said: Option<String>,
}

impl Once {
    fn warn(&mut self, message: &str, error: &str) {
        if self.said.as_deref() != Some(error) {
            log::warn(message, &[("error", &error)]);
            self.said = Some(error.to_owned());
        }
    }

    /// Whether something had been said since.
    fn over(&mut self) -> bool {
        self.said.take().is_some()
    }
}
