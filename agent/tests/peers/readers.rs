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
    /// Its fields by name; null where it does not say.
    fields: Vec<(&'static str, Value)>,
}

/// Fields that every reader has.
const FIELDS: [&str; 8] =
    ["name", "memory_total", "memory_used", "utilisation", "temperature", "power", "power_limit", "processes"];

impl Card {
    fn new(uuid: &Value, split: bool, field: impl Fn(&str) -> Value) -> Self {
        let uuid = uuid.as_str().expect("a uuid").to_owned();
        Self { uuid, split, fields: FIELDS.into_iter().map(|name| (name, field(name))).collect() }
    }

    /// Who is on it, by id; `None` where that is not known.
    pub fn pids(&self) -> Option<Vec<u32>> {
        let (_, processes) = self.fields.iter().find(|(name, _)| *name == "processes")?;
        let pid = |pair: &Value| u32::try_from(pair[0].as_u64()?).ok();
        processes.as_array()?.iter().map(pid).collect()
    }

    /// Compares what a peer says with what the agent says, but for what the peer does not see.
    pub fn must_equal(&self, ours: &Self, reader: Reader, blind: &[&str], machine: &str) {
        assert_eq!(self.uuid, ours.uuid, "{machine}: {reader:?}");
        for ((name, theirs), (_, ours)) in self.fields.iter().zip(&ours.fields) {
            if blind.contains(name) {
                continue;
            }
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
    let (facts, sample) = (&report["facts"], &report["sample"]);
    let reading = |value: &Value| if value.is_object() { Value::Null } else { value.clone() };
    Card::new(&facts["uuid"], facts["mig_on"] == true, |name| match name {
        "name" => facts["name"].clone(),
        "memory_total" => reading(&facts["memory_total_mib"]),
        "memory_used" => reading(&sample["memory_used_mib"]),
        "utilisation" => reading(&sample["utilisation_percent"]),
        "temperature" => reading(&sample["temperature_celsius"]),
        "power" => reading(&sample["power_milliwatts"]),
        "power_limit" => reading(&sample["power_limit_milliwatts"]),
        _ => processes(&report["processes"], |process| (&process["pid"], reading(&process["memory_mib"]))),
    })
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
        list.map(|card| Card::new(&card["uuid"], false, |field| card[field].clone())).collect::<Vec<_>>()
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
    Card::new(&card["uuid"], false, |name| match name {
        "memory_total" => card["memory.total"].clone(),
        "memory_used" => card["memory.used"].clone(),
        "utilisation" => card["utilization.gpu"].clone(),
        "temperature" => card["temperature.gpu"].clone(),
        "power" => card["power.draw"].clone(),
        "power_limit" => card["enforced.power.limit"].clone(),
        "processes" => processes(&card["processes"], |process| (&process["pid"], process["gpu_memory_usage"].clone())),
        _ => card[name].clone(),
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
