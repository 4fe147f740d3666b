//! `berth status --json` and other people's readers look at the same simulated machines and must see the same: nvidia-ml-py, nvitop
//! and gpustat, as everybody installs them.
//!
//! Nothing moves while they look, so numbers are compared to the last digit. Where a peer cannot see something, the
//! table of [`blind`] says what and why.
#![expect(clippy::expect_used, reason = "a test that cannot go on says why and ends")]

mod readers;
#[expect(dead_code, reason = "other tests use the rest of it")]
#[path = "../../nvml-sim/tests/it/support/mod.rs"]
mod support;

use std::process::{Child, Command, Stdio};

use readers::{Card, Reader};
use support::{SimHost, profile};

/// Ends its process however the test ends.
struct Job(Child);

impl Drop for Job {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A process of one of the machine's cards or instances, on one of the driver's lists.
fn job(host: &str, device: &str, kind: &str) -> Job {
    let mut command = Command::new("sleep");
    command.arg("600").env("BERTH_SIM_HOST", host).env("BERTH_SIM_KIND", kind).env("CUDA_VISIBLE_DEVICES", device);
    Job(command.stdin(Stdio::null()).spawn().expect("sleep"))
}

/// UUIDs of a profile in order: cards, each followed by its instances.
fn uuids(text: &str) -> Vec<String> {
    let uuid = |line: &str| Some(line.split_once("uuid = \"")?.1.split_once('"')?.0.to_owned());
    text.lines().filter_map(uuid).collect()
}

/// What a reader does not see, on machines where that is so.
///
/// Each line is a fact about the peer (or, for the first ones, about us), found by reading its code.
fn blind(reader: Reader, machine: &str, card: &Card) -> &'static [&'static str] {
    match (reader, machine) {
        // The machine's own memory, which moves while one looks.
        (_, "gb10" | "jetson-orin") => &["memory_total", "memory_used"],
        // They know of the newer memory call only that it must not fail.
        (Reader::Nvitop | Reader::Gpustat, "wsl2") => &["memory_total", "memory_used"],
        // The binding has no form of the lists that is so old.
        (Reader::Pynvml, "old-450") => &["processes"],
        // We refuse lists of these drivers; see below.
        (_, "driver-535-54") => &["processes"],
        // A split card's processes are told where they run, on its instances.
        _ if card.split => &["processes"],
        _ => &[],
    }
}

fn all_agree_on(machine: &str) {
    let name = format!("peers-{machine}-{}", std::process::id());
    let text = profile(machine).replacen(&format!("host = \"{machine}\""), &format!("host = \"{name}\""), 1);
    let host = SimHost::with_profile(&text);
    // Values that would be nought are not, so that one cannot be taken for another.
    host.control(
        "freeze = 1796000000.0\n\
         [[set]]\nencoder_percent = 7\ndecoder_percent = 13\necc_corrected = 5\necc_uncorrected = 2\n",
    );
    let devices = uuids(&text);
    let first = devices.first().expect("a card");
    let last = devices.iter().rfind(|uuid| uuid.starts_with("MIG-")).or(devices.last()).expect("a card");
    let _jobs = [job(&name, first, "compute"), job(&name, first, "graphics"), job(&name, last, "both")];

    let ours = readers::agent(&host);
    assert_eq!(ours.iter().map(|card| card.uuid.as_str()).collect::<Vec<_>>(), devices, "{machine}");
    for (reader, theirs) in readers::peers(&host) {
        // An old card that gpustat cannot read is no card at all to it.
        if (reader, machine) == (Reader::Gpustat, "old-450") {
            assert!(theirs.is_empty());
            continue;
        }
        let expected: Vec<&Card> = ours.iter().filter(|card| reader.lists(card, &theirs)).collect();
        assert_eq!(theirs.len(), expected.len(), "{machine}: {reader:?} lists {theirs:#?}");
        for (theirs, ours) in theirs.iter().zip(expected) {
            theirs.must_equal(ours, reader, blind(reader, machine, ours), machine);
        }
    }
}

#[test]
fn records_of_the_wrong_size_are_read_rightly_by_who_knows_of_them_and_refused_by_us() {
    let name = format!("peers-records-{}", std::process::id());
    let text = profile("driver-535-54").replacen("\"driver-535-54\"", &format!("\"{name}\""), 1);
    let host = SimHost::with_profile(&text);
    let device = uuids(&text).remove(0);
    let jobs = [(); 3].map(|()| job(&name, &device, "compute"));
    let mut pids = jobs.each_ref().map(|job| job.0.id());
    pids.sort_unstable();
    assert!(readers::agent(&host).iter().all(|card| card.pids().is_none()));
    for (reader, cards) in readers::peers(&host) {
        let read = cards[0].pids().expect("a list");
        assert_eq!(read == pids, reader == Reader::Nvitop, "{reader:?}: {read:?}");
    }
}

macro_rules! machines {
    ($($test:ident = $name:literal;)*) => {
        $(#[test]
        fn $test() {
            all_agree_on($name);
        })*

        #[test]
        fn no_profile_is_left_out() {
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/nvml-sim/profiles");
            for file in std::fs::read_dir(folder).expect("profiles") {
                let path = file.expect("a profile").path();
                let name = path.file_stem().and_then(|name| name.to_str()).expect("a name").to_owned();
                assert!([$($name),*].contains(&name.as_str()), "{name}");
            }
        }
    };
}

machines! {
    all_agree_on_a100_mesh = "a100-mesh";
    all_agree_on_a100_mig = "a100-mig";
    all_agree_on_dgx_2 = "dgx-2";
    all_agree_on_dgx_a100 = "dgx-a100";
    all_agree_on_dgx_h100 = "dgx-h100";
    all_agree_on_driver_535_54 = "driver-535-54";
    all_agree_on_gb10 = "gb10";
    all_agree_on_hgx_h100 = "hgx-h100";
    all_agree_on_jetson_orin = "jetson-orin";
    all_agree_on_laptop = "laptop";
    all_agree_on_old_450 = "old-450";
    all_agree_on_old_470 = "old-470";
    all_agree_on_pcie_8 = "pcie-8";
    all_agree_on_rig_3090 = "rig-3090";
    all_agree_on_ws_mixed = "ws-mixed";
    all_agree_on_wsl2 = "wsl2";
}
