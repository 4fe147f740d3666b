//! The readers, and what they say in one form.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;

use crate::support::SimHost;

/// Somebody else who reads NVML.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// NVIDIA's own binding.
    Pynvml,
    /// A monitor.
    Nvitop,
    /// A monitor.
    Gpustat,
}

/// One card or MIG instance, as somebody reads it. Memory in MiB, power in milliwatts.
#[derive(Clone, Debug, PartialEq)]
pub struct Card {
    pub uuid: String,
    /// It is a card that is split into instances.
    pub split: bool,
    /// Its fields by name; null where the card does not say, none where the reader does not ask.
    fields: Vec<(&'static str, Option<Value>)>,
}

/// Fields that every reader asks for.
const BY_ALL: [&str; 8] =
    ["name", "memory_total", "memory_used", "utilisation", "temperature", "power", "power_limit", "processes"];
/// Fields that some ask for.
const BY_SOME: [&str; 12] = [
    "fan",
    "sm_clock",
    "memory_clock",
    "memory_utilisation",
    "encoder",
    "decoder",
    "energy",
    "performance_state",
    "pcie_generation",
    "pcie_width",
    "ecc_corrected",
    "ecc_uncorrected",
];

impl Card {
    fn new(uuid: &Value, split: bool, field: impl Fn(&str) -> Option<Value>) -> Self {
        let uuid = uuid.as_str().expect("a uuid").to_owned();
        let fields: Vec<_> = BY_ALL.into_iter().chain(BY_SOME).map(|name| (name, field(name))).collect();
        assert!(
            BY_ALL.iter().all(|all| fields.iter().any(|(name, value)| name == all && value.is_some())),
            "{fields:?}"
        );
        Self { uuid, split, fields }
    }

    /// Who is on it, by id; `None` where that is not known.
    pub fn pids(&self) -> Option<Vec<u32>> {
        let (_, processes) = self.fields.iter().find(|(name, _)| *name == "processes")?;
        let pid = |pair: &Value| u32::try_from(pair[0].as_u64()?).ok();
        processes.as_ref()?.as_array()?.iter().map(pid).collect()
    }

    /// Compares what a peer says with what the agent says, but for what the peer does not see.
    pub fn must_equal(&self, ours: &Self, reader: Reader, blind: &[&str], machine: &str) {
        assert_eq!(self.uuid, ours.uuid, "{machine}: {reader:?}");
        for ((name, theirs), (_, ours)) in self.fields.iter().zip(&ours.fields) {
            let (Some(theirs), Some(ours), false) = (theirs, ours, blind.contains(name)) else { continue };
            let ours = match (reader, *name) {
                // Whole watts are all that it gives.
                (Reader::Gpustat, "power" | "power_limit") => {
                    ours.as_u64().map_or(Value::Null, |mw| (mw / 1000).into())
                }
                // It does not tell an empty list from one that cannot be read.
                (Reader::Nvitop, "processes") if ours.is_null() => Value::Array(Vec::new()),
                _ => ours.clone(),
            };
            assert_eq!(*theirs, ours, "{machine}: {reader:?} on {name} of {}", self.uuid);
        }
    }
}

impl Reader {
    /// Whether it lists a card of ours. Not all of them know all MIG instances.
    pub fn lists(self, card: &Card, theirs: &[Card]) -> bool {
        let is_instance = card.uuid.starts_with("MIG-");
        match self {
            Self::Pynvml => true,
            // It stops at the first gap between instances.
            Self::Nvitop => !is_instance || theirs.iter().any(|one| one.uuid == card.uuid),
            // It knows no instances.
            Self::Gpustat => !is_instance,
        }
    }
}

/// What the agent says: `berth` reads NVML itself where no agent runs.
pub fn agent(host: &SimHost) -> Vec<Card> {
    let mut berth = Command::new(env!("CARGO_BIN_EXE_berth"));
    berth.args(["status", "--json"]).env("BERTH_NVML_LIBRARY", host.library());
    berth.env("BERTH_SOCKET", host.folder().join("no-agent.sock"));
    let document = ask(host, &mut berth).expect("an answer of berth");
    document["cards"].as_array().expect("cards").iter().map(card_of).collect()
}

fn card_of(report: &Value) -> Card {
    let (facts, sample, detail) = (&report["facts"], &report["sample"], &report["detail"]);
    let reading = |value: &Value| if value.is_object() { Value::Null } else { value.clone() };
    let field = |name: &str| match name {
        "name" => facts["name"].clone(),
        "memory_total" => reading(&facts["memory_total_mib"]),
        "memory_used" => reading(&sample["memory_used_mib"]),
        "utilisation" => reading(&sample["utilisation_percent"]),
        "temperature" => reading(&sample["temperature_celsius"]),
        "power" => reading(&sample["power_milliwatts"]),
        "power_limit" => reading(&sample["power_limit_milliwatts"]),
        "processes" => processes(&report["processes"], |process| (&process["pid"], reading(&process["memory_mib"]))),
        "fan" => reading(&sample["fan_percent"]),
        "sm_clock" => reading(&sample["sm_clock_mhz"]),
        "memory_clock" => reading(&detail["memory_clock_mhz"]),
        "memory_utilisation" => reading(&detail["memory_utilisation_percent"]),
        "encoder" => reading(&detail["encoder_percent"]),
        "decoder" => reading(&detail["decoder_percent"]),
        "energy" => reading(&detail["energy_millijoules"]),
        _ => reading(&detail[name]),
    };
    Card::new(&facts["uuid"], facts["mig_on"] == true, |name| Some(field(name)))
}

/// Pids and memory, by pid.
fn processes<'a>(list: &'a Value, pick: impl Fn(&'a Value) -> (&'a Value, Value)) -> Value {
    let Some(list) = list.as_array() else { return Value::Null };
    let mut pairs: Vec<(u64, Value)> =
        list.iter().map(pick).map(|(pid, memory)| (pid.as_u64().expect("a pid"), memory)).collect();
    pairs.sort_by_key(|(pid, _)| *pid);
    pairs.into_iter().map(|(pid, memory)| Value::Array(vec![pid.into(), memory])).collect()
}

/// What the peers say.
pub fn peers(host: &SimHost) -> [(Reader, Vec<Card>); 3] {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/read.py");
    let both = ask(host, Command::new(python()).arg(script)).expect("an answer of read.py");
    let cards = |name: &str| {
        let list = both[name].as_array().expect("cards").iter();
        list.map(|card| Card::new(&card["uuid"], false, |field| card.get(field).cloned())).collect::<Vec<_>>()
    };
    let gpustat = ask(host, Command::new(python().with_file_name("gpustat")).arg("--json"));
    let gpustat = gpustat.map(|document| document["gpus"].as_array().expect("cards").iter().map(by_gpustat).collect());
    [
        (Reader::Pynvml, cards("pynvml")),
        (Reader::Nvitop, cards("nvitop")),
        (Reader::Gpustat, gpustat.unwrap_or_default()),
    ]
}

fn by_gpustat(card: &Value) -> Card {
    Card::new(&card["uuid"], false, |name| {
        let name = match name {
            "memory_total" => "memory.total",
            "memory_used" => "memory.used",
            "utilisation" => "utilization.gpu",
            "encoder" => "utilization.enc",
            "decoder" => "utilization.dec",
            "temperature" => "temperature.gpu",
            "fan" => "fan.speed",
            "power" => "power.draw",
            "power_limit" => "enforced.power.limit",
            "processes" => {
                return Some(processes(&card["processes"], |one| (&one["pid"], one["gpu_memory_usage"].clone())));
            }
            other => other,
        };
        card.get(name).cloned()
    })
}

/// Runs a program on the simulated library; `None` where it fails.
fn ask(host: &SimHost, program: &mut Command) -> Option<Value> {
    let output = program.env("LD_LIBRARY_PATH", host.folder()).output().expect("the program runs");
    if !output.status.success() {
        eprintln!("{}", String::from_utf8_lossy(&output.stderr));
        return None;
    }
    Some(serde_json::from_slice(&output.stdout).expect("json"))
}

/// The Python that has them all; installed by the first test that asks.
fn python() -> &'static Path {
    static PYTHON: OnceLock<PathBuf> = OnceLock::new();
    PYTHON.get_or_init(|| {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/peers-python");
        let output = Command::new(script).output().expect("scripts/peers-python");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        PathBuf::from(String::from_utf8(output.stdout).expect("a path").trim())
    })
}
