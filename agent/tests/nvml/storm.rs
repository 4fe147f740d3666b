//! A thousand faults in a row.

use std::fmt::Write;
use std::time::{Duration, Instant};

use agent::nvml::{Setup, Snapshot};
use domain::wire::agent_v1::NvmlState;

use crate::support::SimHost;
use crate::{PATIENCE, setup, until, with};

/// How many.
const FAULTS: u32 = 1000;
/// Names the seed of a storm that is to be had again.
const SEED: &str = "BERTH_STORM_SEED";

/// Numbers by a seed (xorshift64*).
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) % limit
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[usize::try_from(self.below(from.len() as u64)).expect("small")]
    }
}

const CALLS: [&str; 16] = [
    "nvmlDeviceGet*",
    "nvmlDeviceGetHandleByIndex_v2",
    "nvmlDeviceGetCount_v2",
    "nvmlDeviceGetUUID",
    "nvmlDeviceGetName",
    "nvmlDeviceGetPciInfo_v3",
    "nvmlDeviceGetMemoryInfo*",
    "nvmlDeviceGetUtilizationRates",
    "nvmlDeviceGetTemperature",
    "nvmlDeviceGetComputeRunningProcesses*",
    "nvmlDeviceGetMigMode",
    "nvmlDeviceGetMigDeviceHandleByIndex",
    "nvmlDeviceGetFieldValues",
    "nvmlDeviceGetNvLinkState",
    "nvmlDeviceGetTopologyCommonAncestor",
    "nvmlEventSetWait_v2",
];

/// One fault, as the control file asks for it.
fn fault(dice: &mut Dice, reload: &mut u32) -> String {
    let card = dice.below(4);
    let code = [1, 3, 4, 6, 7, 9, 15, 16, 18, 23, 25, 29, 999][usize::try_from(dice.below(13)).expect("small")];
    let call = dice.pick(&CALLS);
    match dice.below(12) {
        0 => format!("lost = [{card}]\n"),
        1 => format!("reset_needed = [{card}]\n"),
        2 => format!("gone = [{card}]\n"),
        3 => "order = [3, 1, 0, 2]\n".to_owned(),
        4 => format!("init = {code}\n"),
        5 => {
            *reload += 1;
            String::new()
        }
        6 => "[[mig]]\ncard = 1\non = false\n[[mig]]\ncard = 2\non = true\ninstances = [{ place = 4, gi = 6, \
              size = \"2g.20gb\", uuid = \"MIG-00000000-0000-0000-0000-000000000002\" }]\n"
            .to_owned(),
        7 => format!(
            "garbled_names = [{card}]\ngrowing = [{card}]\n[[text]]\ncall = \"nvmlDeviceGetUUID\"\ncard = {card}\nbytes = [248, 1, 255]\n"
        ),
        8 => format!("[[xid]]\ncard = {card}\nnumber = {}\n", dice.below(120)),
        9 => format!("[[fault]]\ncall = \"{call}\"\nhang_ms = 30\n"),
        10 => format!("[[fault]]\ncall = \"{call}\"\ncode = {code}\n"),
        _ => format!("[[fault]]\ncall = \"{call}\"\ncard = {card}\ncode = {code}\n"),
    }
}

/// Without what only tells what has been, not what is.
fn picture(snapshot: &Snapshot) -> Snapshot {
    let mut picture = snapshot.clone();
    for card in &mut picture.cards {
        card.detail.last_xid = None;
    }
    picture
}

#[test]
fn a_thousand_faults_in_a_row_leave_a_healthy_agent_with_an_exact_picture() {
    let seed = std::env::var(SEED).ok().and_then(|text| text.parse().ok());
    let seed =
        seed.unwrap_or_else(|| u64::try_from(time::OffsetDateTime::now_utc().unix_timestamp_nanos()).unwrap_or(1));
    println!("{SEED}={seed}");
    let mut dice = Dice(seed | 1);
    let host = SimHost::new("a100-mig");
    let interval = Duration::from_millis(10);
    let sampler = with(Setup { interval, ..setup(&host) });
    let steady = format!(
        "freeze = 1796000000.0\n[[process]]\ncard = 0\npid = {0}\nmemory_mib = 500\n[[process]]\ncard = 1\npid = {0}\n\
         memory_mib = 300\ngi = 5\n",
        std::process::id()
    );
    let mut reload = 0;
    let write = |fault: &str, reload: u32| {
        let mut text = format!("reload = {reload}\n{fault}");
        // Tables come last in the file.
        let tables = text.find("[[").unwrap_or(text.len());
        let rest = text.split_off(tables);
        write!(text, "{steady}{rest}").expect("text");
        host.control(&text);
    };
    write("", reload);
    let complete = |snapshot: &Snapshot| {
        snapshot.cards.len() == 11 && snapshot.cards[3].processes.as_ref().is_some_and(|list| !list.is_empty())
    };
    let before = picture(&until(&sampler, "all is well", complete).snapshot);
    let began = Instant::now();
    let mut unwell = 0;
    for _ in 0..FAULTS {
        let next = fault(&mut dice, &mut reload);
        write(&next, reload);
        // Long enough for the fault to be met, in whatever part of a round.
        let latest = sampler.latest();
        let met = sampler.wait_after(latest.round + dice.below(2), Duration::from_millis(200));
        unwell += u32::from(picture(&met.snapshot) != before);
        assert!(!matches!(latest.snapshot.nvml, NvmlState::Stalled { .. }), "{next}");
    }
    println!("{FAULTS} faults in {:?}, {unwell} of them met", began.elapsed());
    assert!(unwell > FAULTS / 4, "{SEED}={seed}: only {unwell} were met");
    write("", reload);
    let deadline = Instant::now() + PATIENCE;
    let mut latest = sampler.latest();
    while picture(&latest.snapshot) != before {
        assert!(Instant::now() < deadline, "{SEED}={seed}: {:#?}\nbut before:\n{before:#?}", latest.snapshot);
        latest = sampler.wait_after(latest.round, interval * 4);
    }
}
