//! The control file: faults and made-up processes, changed while the library is in use.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use nvml_wrapper_sys::bindings::nvmlReturn_t;
use serde::Deserialize;

/// Everything that a control file can ask for. Cards are positions in the profile.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Control {
    /// `nvmlInit_v2` fails with this code.
    pub init: Option<nvmlReturn_t>,
    /// Cards that have fallen off the bus: even their handles answer with code 15.
    pub lost: Vec<usize>,
    /// Cards that want a reset: only their identity can be read, the rest answers with code 16.
    pub reset_needed: Vec<usize>,
    /// Cards that are no longer listed, so that later ones move up by one index.
    pub gone: Vec<usize>,
    /// Cards whose names are not UTF-8.
    pub garbled_names: Vec<usize>,
    /// Cards whose lists of processes have always grown by the time they are read.
    pub growing: Vec<usize>,
    /// Calls that fail or hang.
    pub fault: Vec<Fault>,
    /// Processes that need not exist.
    pub process: Vec<MadeUpProcess>,
    /// Critical errors to deliver as events, each once.
    pub xid: Vec<Xid>,
}

/// A call that does not do what it should.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// Full name, such as `nvmlDeviceGetPowerUsage`.
    pub call: String,
    /// Only on this card.
    pub card: Option<usize>,
    /// Returned instead of a value.
    pub code: Option<nvmlReturn_t>,
    /// Waits this long first.
    #[serde(default)]
    pub hang_ms: u64,
}

/// A process as a driver would report it, with any id.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MadeUpProcess {
    /// Where it runs.
    pub card: usize,
    /// Any number, also impossible ones.
    pub pid: u32,
    /// Memory it holds; absent for "not available".
    pub memory_mib: Option<u64>,
    /// Which list it is on.
    #[serde(default)]
    pub kind: Kind,
}

/// The list of a [`MadeUpProcess`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Compute only.
    #[default]
    Compute,
    /// Graphics only.
    Graphics,
    /// Both.
    Both,
}

/// A critical error as the driver's event stream tells it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Xid {
    /// Where it happened.
    pub card: usize,
    /// NVIDIA's number.
    pub number: u64,
}

/// A control file and what it said when it was last read.
#[derive(Debug, Default)]
pub struct ControlFile {
    path: Option<PathBuf>,
    stamp: Option<Stamp>,
    looked: Option<Instant>,
    current: Control,
}

impl ControlFile {
    /// A control file that may not exist yet.
    #[must_use]
    pub fn at(path: Option<PathBuf>) -> Self {
        Self { path, ..Self::default() }
    }

    /// What the file says now. A missing file asks for nothing; an unreadable one changes nothing.
    pub fn read(&mut self) -> &Control {
        // A snapshot makes hundreds of calls; one look at the file per moment is enough.
        let stale = self.looked.is_none_or(|at| at.elapsed() > Duration::from_millis(20));
        if let (true, Some(path)) = (stale, &self.path) {
            let stamp = stamp(path);
            if stamp != self.stamp {
                match load(path) {
                    Ok(control) => self.current = control,
                    Err(why) => eprintln!("nvml-sim: {}: {why}", path.display()),
                }
                self.stamp = stamp;
            }
            self.looked = Some(Instant::now());
        }
        &self.current
    }
}

/// Time of the last change, length and inode: time alone is too coarse on some filesystems.
type Stamp = (SystemTime, u64, u64);

fn stamp(path: &Path) -> Option<Stamp> {
    let meta = fs::metadata(path).ok()?;
    Some((meta.modified().ok()?, meta.len(), meta.ino()))
}

fn load(path: &Path) -> Result<Control, String> {
    match fs::read_to_string(path) {
        Ok(text) => toml::from_str(&text).map_err(|error| error.to_string()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Control::default()),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_vocabulary() {
        let control: Control = toml::from_str(
            "lost = [3]\nreset_needed = [1]\n\
             [[fault]]\ncall = \"nvmlDeviceGetPowerUsage\"\ncard = 0\ncode = 999\n\
             [[process]]\ncard = 0\npid = 4294967295\nkind = \"both\"\n\
             [[xid]]\ncard = 3\nnumber = 79\n",
        )
        .expect("valid");
        assert_eq!(control.lost, [3]);
        assert_eq!(control.process[0].memory_mib, None);
        assert_eq!(control.fault[0].code, Some(999));
    }

    #[test]
    fn a_misspelt_key_is_an_error_not_a_silent_nothing() {
        assert!(toml::from_str::<Control>("lots = [3]").is_err());
    }

    #[test]
    fn a_file_may_come_change_and_go() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().join("control.toml");
        let mut file = ControlFile::at(Some(path.clone()));
        let now = |file: &mut ControlFile| {
            file.looked = None;
            file.read().clone()
        };
        assert_eq!(now(&mut file), Control::default());
        fs::write(&path, "lost = [1]").expect("write");
        assert_eq!(now(&mut file).lost, [1]);
        fs::write(&path, "lost = [").expect("write");
        assert_eq!(now(&mut file).lost, [1], "a half-written file changes nothing");
        fs::remove_file(&path).expect("remove");
        assert_eq!(now(&mut file), Control::default());
    }
}
