//! Minutes on disk: one file each, until the portal has it, and one for the minute that is not over yet.
//!
//! A minute that is over is flushed to the disk. The unfinished one is written after every sample and not flushed: it
//! survives the agent's end, and what the end of the machine takes of it is a few seconds.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domain::wire::minutes_v1::{HostMinute, KEPT_HOURS, MINUTE_MS};
use nix::fcntl::OFlag;

use super::Once;
use super::tally::Tally;
use crate::log;
use crate::state::{give_to_owner_of, open_plain};

const UNFINISHED: &str = "unfinished.json";
const BESIDE: &str = ".unfinished.new";
/// Most room that minutes may take, in bytes.
const ROOM_MAX: u64 = 128 * 1024 * 1024;
/// Larger files than this are not ours, in bytes.
const FILE_MAX: u64 = 4 * 1024 * 1024;
/// Most minutes kept in memory while the disk does not take them.
const IN_MEMORY_MAX: usize = 120;

/// A minute's place in the record: its begin in milliseconds since 1970, and the number of its part.
pub(super) type Key = (i64, u64);

enum Place {
    /// In a file of so many bytes.
    Disk(u64),
    /// The disk did not take it.
    Memory(Box<HostMinute>),
}

/// The folder, and what is in it.
pub(super) struct Shelf {
    folder: PathBuf,
    most: usize,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    places: BTreeMap<Key, Place>,
    dropped: u64,
    full: Once,
}

impl Shelf {
    /// Looks what is there. What cannot be read is left out and said.
    pub(super) fn open(folder: PathBuf, length: Duration) -> Self {
        let mut places = BTreeMap::new();
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        for entry in entries {
            let Some(key) = entry.file_name().to_str().and_then(key_of) else { continue };
            let size = entry.metadata().map_or(0, |metadata| metadata.len());
            places.insert(key, Place::Disk(size));
        }
        // As many as are in the longest time, however long one is.
        let most = Duration::from_millis(MINUTE_MS.into()).max(length);
        let most = u128::from(KEPT_HOURS.unsigned_abs()) * 3_600_000 / most.as_millis().max(1);
        let shelf = Self {
            folder,
            most: usize::try_from(most).unwrap_or(usize::MAX),
            inner: Mutex::new(Inner { places, ..Inner::default() }),
        };
        shelf.make_room();
        shelf
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The minute that was not over when the agent ended; a new one where there is none or it is damaged.
    pub(super) fn unfinished(&self) -> Tally {
        match read(&self.folder.join(UNFINISHED)) {
            Ok(bytes) => serde_json::from_slice(&bytes).unwrap_or_else(|error| {
                log::warn("the minute that was begun cannot be read; a part of it is lost", &[("error", &error)]);
                Tally::default()
            }),
            Err(error) => {
                if error.kind() != io::ErrorKind::NotFound {
                    log::warn("the minute that was begun cannot be read; a part of it is lost", &[("error", &error)]);
                }
                Tally::default()
            }
        }
    }

    /// Writes the unfinished minute down.
    pub(super) fn keep_unfinished(&self, tally: &Tally) {
        let written = || -> io::Result<()> {
            let bytes = serde_json::to_vec(tally)?;
            let beside = self.folder.join(BESIDE);
            create(&beside)?.write_all(&bytes)?;
            fs::rename(&beside, self.folder.join(UNFINISHED))
        };
        self.note(written());
    }

    /// Keeps a minute that is over.
    pub(super) fn put(&self, minute: HostMinute) {
        let key = (super::milliseconds(minute.minute), minute.part);
        let written = || -> io::Result<u64> {
            let bytes = serde_json::to_vec(&minute)?;
            let path = self.folder.join(name_of(key));
            let beside = path.with_extension("new");
            let mut file = create(&beside)?;
            file.write_all(&bytes)?;
            file.sync_all()?;
            fs::rename(&beside, &path)?;
            File::open(&self.folder)?.sync_all()?;
            Ok(bytes.len() as u64)
        };
        let place = match written() {
            Ok(size) => Place::Disk(size),
            Err(error) => {
                self.note(Err(error));
                Place::Memory(Box::new(minute))
            }
        };
        self.lock().places.insert(key, place);
        self.make_room();
    }

    fn note(&self, outcome: io::Result<()>) {
        let mut inner = self.lock();
        match outcome {
            Ok(()) => {
                inner.full.over();
            }
            Err(error) => inner.full.warn("what the cards do cannot be kept for a restart", &error.to_string()),
        }
    }

    /// Throws the oldest away where there is too much.
    fn make_room(&self) {
        let mut thrown = Vec::new();
        let mut inner = self.lock();
        loop {
            let disk = |place: &Place| if let Place::Disk(size) = place { *size } else { 0 };
            let room: u64 = inner.places.values().map(disk).sum();
            let in_memory = inner.places.values().filter(|place| matches!(place, Place::Memory(_))).count();
            if inner.places.len() <= self.most && room <= ROOM_MAX && in_memory <= IN_MEMORY_MAX {
                break;
            }
            let Some((key, _)) = inner.places.pop_first() else { break };
            inner.dropped += 1;
            thrown.push(key);
        }
        let dropped = inner.dropped;
        drop(inner);
        for key in &thrown {
            let _ = fs::remove_file(self.folder.join(name_of(*key)));
        }
        // Every minute would say it again otherwise.
        if !thrown.is_empty() && (dropped == thrown.len() as u64 || dropped.is_multiple_of(60)) {
            log::warn(
                "the portal has not taken the record for too long; the oldest minutes are thrown away",
                &[("thrown_away", &dropped)],
            );
        }
    }

    /// The oldest minutes: not more than so many, and not more than so many bytes unless one alone is larger.
    pub(super) fn oldest(&self, most: usize, bytes: u64) -> Vec<(Key, HostMinute)> {
        let mut found = Vec::new();
        let mut room = 0;
        let keys: Vec<Key> = self.lock().places.keys().copied().take(most).collect();
        for key in keys {
            let (minute, size) = match self.lock().places.get(&key) {
                Some(Place::Memory(minute)) => (Some((**minute).clone()), 4096),
                Some(Place::Disk(size)) => (None, *size),
                None => continue,
            };
            room += size;
            if room > bytes && !found.is_empty() {
                break;
            }
            match minute.map_or_else(|| self.read(key), Ok) {
                Ok(minute) => found.push((key, minute)),
                Err(error) => {
                    log::warn("a minute of the record is damaged, and lost", &[("error", &error)]);
                    self.drop_one(key);
                }
            }
        }
        found
    }

    fn read(&self, key: Key) -> io::Result<HostMinute> {
        let bytes = read(&self.folder.join(name_of(key)))?;
        Ok(serde_json::from_slice(&bytes)?)
    }

    /// The portal has them.
    pub(super) fn done(&self, keys: impl IntoIterator<Item = Key>) {
        for key in keys {
            let place = self.lock().places.remove(&key);
            if matches!(place, Some(Place::Disk(_))) {
                // Where that fails it is sent once more after a restart, which does no harm.
                let _ = fs::remove_file(self.folder.join(name_of(key)));
            }
        }
    }

    /// Nobody will ever take it.
    pub(super) fn drop_one(&self, key: Key) {
        self.done([key]);
        self.lock().dropped += 1;
    }

    /// Minutes that were thrown away since the agent's start.
    pub(super) fn dropped(&self) -> u64 {
        self.lock().dropped
    }
}

fn create(path: &Path) -> io::Result<File> {
    // The agent's account cannot have root write elsewhere.
    let mut options = OpenOptions::new();
    options.create(true).truncate(true).write(true).mode(0o600).custom_flags(OFlag::O_NOFOLLOW.bits());
    let file = options.open(path)?;
    path.parent().map_or(Ok(()), |folder| give_to_owner_of(folder, &file))?;
    Ok(file)
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = open_plain(path)?;
    let size = file.metadata()?.len();
    if size > FILE_MAX {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("{} has {size} bytes", path.display())));
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// `1764514560000-1f2e3d4c5b6a7988.json`.
fn name_of((begin, part): Key) -> String {
    format!("{begin}-{part:016x}.json")
}

fn key_of(name: &str) -> Option<Key> {
    let (begin, part) = name.strip_suffix(".json")?.split_once('-')?;
    Some((begin.parse().ok()?, u64::from_str_radix(part, 16).ok()?))
}

#[cfg(test)]
mod tests;
