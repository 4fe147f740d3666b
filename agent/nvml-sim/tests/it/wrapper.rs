//! Every subject that the wrapper offers, and the faults.

use std::collections::HashSet;

use nvml_wrapper::bitmasks::event::EventTypes;
use nvml_wrapper::enum_wrappers::device::{Clock, TemperatureSensor, TopologyLevel};
use nvml_wrapper::enums::device::UsedGpuMemory;
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::structs::device::FieldId;
use nvml_wrapper::sys_exports::field_id::NVML_FI_DEV_NVLINK_LINK_COUNT;
use nvml_wrapper::{Device, Nvml};

use crate::support::{SimHost, profile};
use crate::{eventually, open};

#[test]
fn a_dgx_is_eight_equal_cards_behind_switches() {
    let host = SimHost::new("dgx-h100");
    let nvml = open(&host);
    assert_eq!(nvml.sys_driver_version().expect("driver"), "570.133.20");
    assert_eq!(nvml.sys_cuda_driver_version().expect("cuda"), 12080);
    assert_eq!(nvml.device_count().expect("count"), 8);
    let mut uuids = HashSet::new();
    for index in 0..8 {
        let card = nvml.device_by_index(index).expect("card");
        let uuid = card.uuid().expect("uuid");
        assert_eq!(nvml.device_by_uuid(uuid.clone()).expect("by uuid").index().expect("index"), index);
        uuids.insert(uuid);
        assert_eq!(card.name().expect("name"), "NVIDIA H100 80GB HBM3");
        let memory = card.memory_info().expect("memory");
        assert_eq!(memory.used + memory.free + memory.reserved, memory.total);
        assert_eq!(memory.total >> 20, 81559);
        assert!(card.power_usage().expect("power") > 60_000);
        assert!(matches!(card.fan_speed(0), Err(NvmlError::NotSupported)));
        assert!(card.serial().is_ok() && card.is_ecc_enabled().expect("ecc").currently_enabled);
        assert_eq!(card.mig_mode().expect("mig").current, 0);
        let ends: HashSet<String> =
            (0..18).map(|link| card.link_wrapper_for(link).remote_pci_info().expect("remote").bus_id).collect();
        assert_eq!(ends.len(), 4);
        assert!(matches!(card.link_wrapper_for(18).is_active(), Err(NvmlError::InvalidArg)));
        assert_eq!(affinity(&card)[0], if index < 4 { (1 << 56) - 1 } else { 0xff << 56 });
    }
    assert_eq!(uuids.len(), 8);
    let level = |a: u32, b: u32| {
        let (a, b) = (nvml.device_by_index(a).expect("card"), nvml.device_by_index(b).expect("card"));
        nvml.topology_common_ancestor(&a, &b).expect("level")
    };
    assert_eq!(level(0, 3), TopologyLevel::Node);
    assert_eq!(level(0, 4), TopologyLevel::System);
}

fn affinity(card: &Device<'_>) -> Vec<u64> {
    card.cpu_affinity(4).expect("affinity")
}

#[test]
fn bridges_of_the_rig_join_cards_that_are_no_neighbours() {
    let host = SimHost::new("rig-3090");
    let nvml = open(&host);
    let bus = |index: u32| nvml.device_by_index(index).expect("card").pci_info().expect("pci").bus_id;
    for (index, partner) in [(0, 2), (1, 3), (2, 0), (3, 1)] {
        let card = nvml.device_by_index(index).expect("card");
        for link in 0..4 {
            let link = card.link_wrapper_for(link);
            assert!(link.is_active().expect("state"));
            assert_eq!(link.version().expect("version"), 5);
            assert_eq!(link.remote_pci_info().expect("remote").bus_id, bus(partner));
        }
        let count = card.field_values_for(&[FieldId(NVML_FI_DEV_NVLINK_LINK_COUNT)]).expect("fields");
        assert!(count[0].as_ref().is_ok_and(|sample| sample.value.is_ok()));
        assert!(card.fan_speed(1).is_ok() && matches!(card.fan_speed(2), Err(NvmlError::InvalidArg)));
        assert!(matches!(card.serial(), Err(NvmlError::NotSupported)));
    }
}

#[test]
fn the_workstation_numbers_its_cards_in_three_ways() {
    let host = SimHost::new("ws-mixed");
    let nvml = open(&host);
    let first = nvml.device_by_index(0).expect("card");
    assert_eq!(first.name().expect("name"), "NVIDIA T1000 8GB");
    assert_eq!(first.minor_number().expect("minor"), 2);
    assert_eq!(first.pci_info().expect("pci").bus_id, "00000000:01:00.0");
    assert!(matches!(first.is_ecc_enabled(), Err(NvmlError::NotSupported)));
    assert!(matches!(first.link_wrapper_for(0).is_active(), Err(NvmlError::NotSupported)));
}

#[test]
fn two_hosts_in_one_process_do_not_mix() {
    let (rig, station) = (SimHost::new("rig-3090"), SimHost::new("ws-mixed"));
    let (rig, station) = (open(&rig), open(&station));
    assert_eq!(rig.device_count().expect("count"), 4);
    assert_eq!(station.device_count().expect("count"), 3);
}

#[test]
fn the_profile_is_read_at_every_start() {
    let host = SimHost::new("rig-3090");
    drop(open(&host));
    host.set_profile(&profile("rig-3090").replace("595.58.03", "600.10.01"));
    assert_eq!(open(&host).sys_driver_version().expect("driver"), "600.10.01");
    host.set_profile("host = 1");
    let again = Nvml::builder().lib_path(host.library().as_os_str()).init();
    assert!(matches!(again, Err(NvmlError::Unknown)));
}

#[test]
#[expect(unsafe_code, reason = "the wrapper makes no handle of another library by itself")]
fn foreign_handles_are_refused() {
    let (rig, station) = (SimHost::new("rig-3090"), SimHost::new("ws-mixed"));
    let (rig, station) = (open(&rig), open(&station));
    let last = rig.device_by_index(3).expect("card");
    // SAFETY: a handle of another library is just a number to this one.
    let foreign = unsafe { Device::new(last.handle(), &station) };
    assert!(matches!(foreign.name(), Err(NvmlError::InvalidArg)));
    assert!(matches!(station.device_by_index(3), Err(NvmlError::InvalidArg)));
    assert!(matches!(station.device_by_uuid("GPU-x"), Err(NvmlError::NotFound)));
}

#[test]
fn cards_get_lost_want_resets_and_come_back() {
    let host = SimHost::new("rig-3090");
    let nvml = open(&host);
    let kept = nvml.device_by_index(2).expect("card");
    host.control("lost = [2]\nreset_needed = [1]");
    eventually("card 2 is lost", || matches!(nvml.device_by_index(2), Err(NvmlError::GpuLost)));
    assert!(matches!(kept.temperature(TemperatureSensor::Gpu), Err(NvmlError::GpuLost)));
    let reset = nvml.device_by_index(1).expect("a card that wants a reset still has a handle");
    assert!(reset.uuid().is_ok());
    assert!(matches!(reset.power_usage(), Err(NvmlError::ResetRequired)));
    assert_eq!(nvml.device_count().expect("count"), 4);
    host.control("");
    eventually("card 2 is back", || nvml.device_by_index(2).is_ok());
}

#[test]
fn a_card_that_is_gone_moves_the_others_up() {
    let host = SimHost::new("rig-3090");
    let nvml = open(&host);
    let last = nvml.device_by_index(3).expect("card").uuid().expect("uuid");
    let first = nvml.device_by_index(0).expect("card");
    host.control("gone = [0]");
    eventually("three cards", || nvml.device_count().is_ok_and(|count| count == 3));
    assert!(matches!(first.uuid(), Err(NvmlError::GpuLost)), "a handle from before does not become another card's");
    assert_eq!(nvml.device_by_index(2).expect("card").uuid().expect("uuid"), last);
}

#[test]
fn calls_fail_by_name() {
    let host = SimHost::new("rig-3090");
    host.control(
        "[[fault]]\ncall = \"nvmlDeviceGetPowerUsage\"\ncard = 1\ncode = 999\n\
         [[fault]]\ncall = \"nvmlDeviceGetClockInfo\"\ncode = 3\n",
    );
    let nvml = open(&host);
    let (zero, one) = (nvml.device_by_index(0).expect("card"), nvml.device_by_index(1).expect("card"));
    assert!(zero.power_usage().is_ok());
    assert!(matches!(one.power_usage(), Err(NvmlError::Unknown)));
    assert!(matches!(zero.clock_info(Clock::SM), Err(NvmlError::NotSupported)));
    host.control("init = 18");
    eventually("initialisation fails", || {
        matches!(Nvml::builder().lib_path(host.library().as_os_str()).init(), Err(NvmlError::LibRmVersionMismatch))
    });
}

#[test]
fn made_up_processes_are_listed_as_asked() {
    let host = SimHost::new("rig-3090");
    host.control(
        "garbled_names = [0]\n\
         [[process]]\ncard = 0\npid = 4294967295\n\
         [[process]]\ncard = 0\npid = 7\nmemory_mib = 512\nkind = \"both\"\n\
         [[process]]\ncard = 0\npid = 8\nmemory_mib = 100\nkind = \"graphics\"\n",
    );
    let nvml = open(&host);
    let card = nvml.device_by_index(0).expect("card");
    let compute = card.running_compute_processes().expect("compute");
    assert_eq!(compute.iter().map(|process| process.pid).collect::<Vec<_>>(), [u32::MAX, 7]);
    assert_eq!(compute[0].used_gpu_memory, UsedGpuMemory::Unavailable);
    assert_eq!(compute[1].used_gpu_memory, UsedGpuMemory::Used(512 << 20));
    assert_eq!(compute[1].gpu_instance_id, None);
    assert_eq!(card.running_graphics_processes().expect("graphics").len(), 2);
    assert!(matches!(card.name(), Err(NvmlError::Utf8Error(_))));
    let other = nvml.device_by_index(1).expect("card");
    assert!(other.running_compute_processes().expect("compute").is_empty());
    assert!(matches!(other.process_utilization_stats(None), Err(NvmlError::NotFound)));
}

#[test]
fn energy_and_only_energy_counts_up() {
    let host = SimHost::new("rig-3090");
    let nvml = open(&host);
    let card = nvml.device_by_index(0).expect("card");
    let before = card.total_energy_consumption().expect("energy");
    eventually("energy grows", || card.total_energy_consumption().is_ok_and(|now| now > before));
}

#[test]
fn a_critical_error_is_told_once() {
    let host = SimHost::new("rig-3090");
    host.control("[[xid]]\ncard = 0\nnumber = 13\n");
    let nvml = open(&host);
    let set = nvml.create_event_set().expect("set");
    let set =
        nvml.device_by_index(0).expect("card").register_events(EventTypes::CRITICAL_XID_ERROR, set).expect("register");
    assert!(matches!(set.wait(1), Err(NvmlError::Timeout)), "errors from before are no news");
    host.control("[[xid]]\ncard = 0\nnumber = 13\n[[xid]]\ncard = 0\nnumber = 79\n[[xid]]\ncard = 1\nnumber = 48\n");
    let event = set.wait(10_000).expect("event");
    assert!(format!("{:?}", event.event_data).contains("79"), "{:?}", event.event_data);
    assert!(matches!(set.wait(100), Err(NvmlError::Timeout)));
}

#[test]
fn a_library_may_lack_functions() {
    let host = SimHost::without(&profile("rig-3090"), &["nvmlDeviceGetMemoryInfo_v2"]);
    let nvml = open(&host);
    let card = nvml.device_by_index(0).expect("card");
    assert!(matches!(card.memory_info(), Err(NvmlError::FailedToLoadSymbol(_))));
    assert!(card.bar1_memory_info().is_ok());
    let listed = profile("rig-3090").replace("host =", "missing = [\"nvmlDeviceGetPowerUsage\"]\nhost =");
    let host = SimHost::with_profile(&listed);
    let nvml = open(&host);
    let card = nvml.device_by_index(0).expect("card");
    assert!(matches!(card.power_usage(), Err(NvmlError::FailedToLoadSymbol(_))));
}
