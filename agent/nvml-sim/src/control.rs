//! The control file: faults, values and processes, changed while the library is in use. `README.md` has an example of
//! everything that it can say.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use nvml_wrapper_sys::bindings::nvmlReturn_t;
use serde::Deserialize;

use crate::answer::Fault;
use crate::mig::Instance;

/// How old may be what a call sees: a reader makes hundreds of calls in a row, and one look at the file is enough.
pub const KEEP: Duration = Duration::from_millis(20);

/// Everything that a control file can ask for. Cards are positions in the profile.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Control {
    /// `nvmlInit_v2` fails with this code.
    pub init: Option<nvmlReturn_t>,
    /// Another number than when the library was initialised: the driver was loaded anew since then.
    pub reload: u16,
    /// A file `holders` beside the profile says how many have the library initialised, as of the last change.
    pub ledger: bool,
    /// Nothing moves, as of this Unix time.
    pub freeze: Option<f64>,
    /// Cards that have fallen off the bus: even their handles answer with code 15.
    pub lost: Vec<usize>,
    /// Cards that want a reset: only their identity can be read, the rest answers with code 16.
    pub reset_needed: Vec<usize>,
    /// Cards that are no longer listed, so that later ones move up by one index.
    pub gone: Vec<usize>,
    /// The cards that are listed, in this order, instead of all in the profile's.
    pub order: Option<Vec<usize>>,
    /// Cards whose names are not UTF-8.
    pub garbled_names: Vec<usize>,
    /// Cards whose lists of processes have always grown by the time they are read.
    pub growing: Vec<usize>,
    /// Lists of processes that grow by a number between being counted and being read.
    pub grow: Vec<Growth>,
    /// Calls that fail, are slow or hang.
    pub fault: Vec<Fault>,
    /// Texts that are not what they should be.
    pub text: Vec<Text>,
    /// Values that stand where they are put.
    pub set: Vec<Values>,
    /// Cards that have been split anew.
    pub mig: Vec<Resplit>,
    /// Processes that need not exist.
    pub process: Vec<MadeUpProcess>,
    /// Critical errors to deliver as events, each once.
    pub xid: Vec<Xid>,
}

/// A list that grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Growth {
    /// Whose list.
    pub card: usize,
    /// As many of its processes come after it was counted.
    pub by: usize,
    /// The first so many times that it is counted; absent for always.
    pub times: Option<u32>,
}

/// A text instead of the right one.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Text {
    /// Full name, such as `nvmlDeviceGetUUID`.
    pub call: String,
    /// Only on this card.
    pub card: Option<usize>,
    /// Its bytes, any but 0.
    pub bytes: Vec<u8>,
}

/// Values of a card; absent ones go on as they were.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Values {
    /// Absent for every card.
    pub card: Option<usize>,
    /// Utilisation.
    pub gpu_percent: Option<u32>,
    /// Utilisation of the memory.
    pub memory_percent: Option<u32>,
    /// Utilisation of the encoder.
    pub encoder_percent: Option<u32>,
    /// Utilisation of the decoder.
    pub decoder_percent: Option<u32>,
    /// Core temperature.
    pub celsius: Option<u32>,
    /// Temperature of the memory.
    pub memory_celsius: Option<u32>,
    /// Power drawn.
    pub milliwatts: Option<u32>,
    /// Power limit in force.
    pub limit_milliwatts: Option<u32>,
    /// Fan speed, which may pass 100.
    pub fan_percent: Option<u32>,
    /// SM clock.
    pub sm_mhz: Option<u32>,
    /// Memory clock.
    pub memory_mhz: Option<u32>,
    /// Memory in use, whoever has it.
    pub used_mib: Option<u64>,
    /// Reasons for low clocks, as NVML's bits.
    pub slowed_by: Option<u64>,
    /// Generation of the PCIe link.
    pub pcie_generation: Option<u32>,
    /// Width of the PCIe link.
    pub pcie_width: Option<u32>,
    /// Corrected memory errors.
    pub ecc_corrected: Option<u64>,
    /// Uncorrected memory errors.
    pub ecc_uncorrected: Option<u64>,
    /// Retired pages, on cards before Ampere.
    pub retired_pages: Option<u32>,
    /// Pages wait to be retired.
    pub retirement_pending: Option<bool>,
    /// Rows replaced after corrected and uncorrected errors, whether some wait, whether one failed.
    pub remapped_rows: Option<[u32; 4]>,
    /// `nvmlComputeMode_t`: 3 is one process at a time.
    pub compute_mode: Option<u32>,
    /// Persistence mode.
    pub persistence: Option<bool>,
    /// NVLinks that are down.
    pub links_down: Vec<u32>,
}

/// A card that has been split anew.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Resplit {
    /// Which.
    pub card: usize,
    /// MIG mode.
    pub on: bool,
    /// MIG mode after the next reset; absent for the same.
    pub pending: Option<bool>,
    /// Into what. Sizes are the profile's.
    #[serde(default)]
    pub instances: Vec<Instance>,
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
    /// GPU instance, where it runs on one.
    pub gi: Option<u32>,
    /// Compute instance in it.
    #[serde(default)]
    pub ci: u32,
}

/// The list of a process.
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
    /// A client of the MPS daemon.
    Mps,
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
    current: Arc<Control>,
}

impl ControlFile {
    /// A control file that may not exist yet.
    #[must_use]
    pub fn at(path: Option<PathBuf>) -> Self {
        Self { path, ..Self::default() }
    }

    /// What the file says now. A missing file asks for nothing; an unreadable one changes nothing.
    pub fn read(&mut self) -> &Arc<Control> {
        if let Some(path) = &self.path {
            let stamp = stamp(path);
            if stamp != self.stamp {
                match load(path) {
                    Ok(control) => self.current = Arc::new(control),
                    Err(why) => eprintln!("nvml-sim: {}: {why}", path.display()),
                }
                self.stamp = stamp;
            }
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

    /// Everything that the README shows as a control file, read as one.
    #[test]
    fn every_example_of_the_readme_is_understood() {
        let readme = include_str!("../README.md");
        let mut seen = 0;
        let examples = readme.split("```toml\n").skip(1).filter_map(|rest| rest.split_once("```"));
        for (example, _) in examples.filter(|(example, _)| example.starts_with("# control.toml")) {
            let control = toml::from_str::<Control>(example);
            assert!(control.is_ok_and(|control| control != Control::default()), "{example}");
            seen += 1;
        }
        assert!(seen >= 10, "{seen} examples");
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
        let now = |file: &mut ControlFile| file.read().clone();
        assert_eq!(*now(&mut file), Control::default());
        fs::write(&path, "lost = [1]").expect("write");
        assert_eq!(now(&mut file).lost, [1]);
        fs::write(&path, "lost = [").expect("write");
        assert_eq!(now(&mut file).lost, [1], "a half-written file changes nothing");
        fs::remove_file(&path).expect("remove");
        assert_eq!(*now(&mut file), Control::default());
    }
}
