//! Every profile as a whole, and what is special about the odd ones.

use nvml_wrapper::Nvml;
use nvml_wrapper::enum_wrappers::device::{TemperatureSensor, TopologyLevel};
use nvml_wrapper::enums::device::SampleValue;
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::structs::device::FieldId;

use crate::open;
use crate::support::SimHost;

fn each() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/profiles");
    let files = std::fs::read_dir(folder).expect("profiles").map(|file| file.expect("a profile").path());
    let mut names: Vec<String> = files.filter_map(|file| Some(file.file_stem()?.to_str()?.to_owned())).collect();
    names.sort();
    names
}

#[test]
fn every_profile_starts_and_names_its_cards() {
    let names = each();
    assert!(names.len() >= 16, "{names:?}");
    for name in names {
        let host = SimHost::new(&name);
        let nvml = open(&host);
        for index in 0..nvml.device_count().expect("count") {
            let card = nvml.device_by_index(index).expect("card");
            assert!(card.name().is_ok() && card.uuid().expect("uuid").starts_with("GPU-"), "{name}");
            let _ = card.memory_info();
        }
        assert!(host.folder().join("proc/driver/nvidia/version").is_file());
    }
}

#[test]
fn a_card_that_tells_its_name_only() {
    let host = SimHost::new("jetson-orin");
    let nvml = open(&host);
    let card = nvml.device_by_index(0).expect("card");
    assert_eq!(card.name().expect("name"), "Orin (nvgpu)");
    for refused in [
        card.power_usage().err(),
        card.temperature(TemperatureSensor::Gpu).err(),
        card.utilization_rates().err(),
        card.memory_info().err(),
        card.minor_number().err(),
        card.pci_info().err(),
        card.running_compute_processes().err(),
    ] {
        assert!(matches!(refused, Some(NvmlError::NotSupported)), "{refused:?}");
    }
}

#[test]
fn old_drivers_lack_what_came_later() {
    let host = SimHost::new("old-450");
    let nvml = open(&host);
    let card = nvml.device_by_index(0).expect("card");
    assert!(matches!(card.memory_info(), Err(NvmlError::FailedToLoadSymbol(_))));
    assert!(matches!(card.running_compute_processes(), Err(NvmlError::FailedToLoadSymbol(_))));
    assert!(card.power_usage().is_ok() && card.utilization_rates().is_ok());
    let exports = |name: &str| {
        let library = std::fs::read(SimHost::new(name).library()).expect("read the library");
        ["", "_v2", "_v3"].map(|form| {
            nvml_sim::library::without(&library, &[format!("nvmlDeviceGetComputeRunningProcesses{form}")]).is_ok()
        })
    };
    assert_eq!(exports("old-450"), [true, false, false]);
    assert_eq!(exports("old-470"), [true, true, false]);
    assert_eq!(exports("gb10"), [true, true, true]);
}

#[test]
fn every_pair_of_the_sixteen_shares_six_links() {
    let host = SimHost::new("dgx-2");
    let nvml = open(&host);
    assert_eq!(nvml.device_count().expect("count"), 16);
    let card = |index: u32| nvml.device_by_index(index).expect("card");
    for index in 0..16 {
        let card = card(index);
        let active = (0..6).filter(|&link| card.link_wrapper_for(link).is_active().expect("state")).count();
        assert_eq!(active, 6);
        assert!(matches!(card.link_wrapper_for(6).is_active(), Err(NvmlError::InvalidArg)));
    }
    let level = |a: u32, b: u32| nvml.topology_common_ancestor(&card(a), &card(b)).expect("level");
    assert_eq!(
        [level(0, 1), level(0, 2), level(0, 4), level(0, 8)].map(|level| level as u32),
        [
            TopologyLevel::Single as u32,
            TopologyLevel::Multiple as u32,
            TopologyLevel::Node as u32,
            TopologyLevel::System as u32,
        ]
    );
}

#[test]
fn repairs_are_told_by_each_generation_in_its_own_way() {
    let told = |name: &str, control: &str| {
        let host = SimHost::new(name);
        host.control(control);
        let nvml: Nvml = open(&host);
        let card = nvml.device_by_index(0).expect("card");
        let rows: Vec<Option<i64>> = card
            .field_values_for(&[142, 143, 144, 145].map(FieldId))
            .expect("fields")
            .into_iter()
            .map(|field| match field.expect("a field").value {
                Ok(SampleValue::U32(number)) => Some(number.into()),
                Ok(other) => panic!("{other:?}"),
                Err(_) => None,
            })
            .collect();
        (rows, card.are_pages_pending_retired().ok())
    };
    let (rows, pages) = told("dgx-a100", "[[set]]\ncard = 0\nremapped_rows = [0, 2, 1, 0]\n");
    assert_eq!((rows, pages), (vec![Some(0), Some(2), Some(1), Some(0)], None));
    let (rows, pages) = told("dgx-2", "[[set]]\ncard = 0\nretired_pages = 3\nretirement_pending = true\n");
    assert_eq!((rows, pages), (vec![None; 4], Some(true)));
}

#[test]
fn records_of_the_wrong_size_scramble_a_list_without_leaving_it() {
    let processes = "[[process]]\ncard = 0\npid = 1184\nmemory_mib = 100\n\
                     [[process]]\ncard = 0\npid = 1190\nmemory_mib = 200\n\
                     [[process]]\ncard = 0\npid = 1191\nmemory_mib = 300\n";
    let pids = |name: &str| {
        let host = SimHost::new(name);
        host.control(processes);
        let nvml = open(&host);
        let list = nvml.device_by_index(0).expect("card").running_compute_processes().expect("a list");
        list.iter().map(|process| process.pid).collect::<Vec<_>>()
    };
    assert_eq!(pids("dgx-a100"), [1184, 1190, 1191]);
    // As in a public report: what is taken for later ids is the protected memory and the instance of earlier records.
    assert_eq!(pids("driver-535-54"), [1184, 0, u32::MAX]);
}

#[test]
fn the_kernel_tells_of_the_cards_too() {
    let host = SimHost::new("dgx-a100");
    let read = |path: &str| std::fs::read_to_string(host.folder().join(path)).expect("a file");
    assert_eq!(read("sys/bus/pci/devices/0000:b7:00.0/numa_node"), "5\n");
    assert_eq!(read("sys/bus/pci/devices/0000:b7:00.0/power/runtime_status"), "active\n");
    assert_eq!(read("sys/devices/system/node/node7/cpulist"), "112-127,240-255\n");
    assert_eq!(read("sys/devices/system/cpu/online"), "0-255\n");
    assert!(read("proc/driver/nvidia/gpus/0000:b7:00.0/information").contains("Device Minor: \t 6\n"));
    assert!(read("proc/driver/nvidia/version").contains("  550.54.15  "));
}
