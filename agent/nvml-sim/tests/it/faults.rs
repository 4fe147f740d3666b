//! What the control file can do while the library is in use.

use std::time::{Duration, Instant};

use nvml_wrapper::bitmasks::event::EventTypes;
use nvml_wrapper::enum_wrappers::device::{Clock, TemperatureSensor};
use nvml_wrapper::error::NvmlError;
use nvml_wrapper::structs::device::FieldId;

use crate::support::SimHost;
use crate::{eventually, open};

#[test]
fn a_driver_loaded_anew_begins_from_nothing() {
    let host = SimHost::new("rig-3090");
    let nvml = open(&host);
    let card = nvml.device_by_index(0).expect("card");
    host.control("reload = 1");
    eventually("the old library is of no use", || matches!(nvml.device_count(), Err(NvmlError::Uninitialized)));
    assert!(matches!(card.uuid(), Err(NvmlError::Uninitialized)));
    let again = open(&host);
    assert_eq!(again.device_count().expect("count"), 4);
    assert!(matches!(card.uuid(), Err(NvmlError::InvalidArg)), "handles from before are dead");
    assert!(again.device_by_index(0).expect("card").uuid().is_ok());
}

#[test]
fn a_call_hangs_until_the_fault_is_gone() {
    let host = SimHost::new("rig-3090");
    host.control("[[fault]]\ncall = \"nvmlDeviceGetTemp*\"\ncard = 1\nhang = true\n");
    let nvml = open(&host);
    std::thread::scope(|scope| {
        let (sender, receiver) = std::sync::mpsc::channel();
        let nvml = &nvml;
        scope.spawn(move || {
            let card = nvml.device_by_index(1).expect("card");
            sender.send(card.temperature(TemperatureSensor::Gpu).is_ok()).expect("somebody waits");
        });
        assert!(receiver.recv_timeout(Duration::from_millis(300)).is_err(), "it has come back");
        assert!(nvml.device_by_index(0).expect("card").temperature(TemperatureSensor::Gpu).is_ok());
        host.control("");
        assert!(receiver.recv_timeout(Duration::from_secs(30)).expect("it comes back"));
    });
}

#[test]
fn names_by_their_beginning_and_single_fields() {
    let host = SimHost::new("dgx-a100");
    host.control(
        "[[fault]]\ncall = \"nvmlDeviceGetClock*\"\ncard = 2\ncode = 999\n\
         [[fault]]\ncall = \"nvmlDeviceGetFieldValues\"\ncard = 0\nfield = 144\ncode = 3\n",
    );
    let nvml = open(&host);
    let card = |index: u32| nvml.device_by_index(index).expect("card");
    assert!(matches!(card(2).clock_info(Clock::SM), Err(NvmlError::Unknown)));
    assert!(card(2).max_clock_info(Clock::SM).is_ok() && card(1).clock_info(Clock::SM).is_ok());
    let fields = card(0).field_values_for(&[FieldId(143), FieldId(144)]).expect("fields");
    assert!(fields[0].as_ref().is_ok_and(|field| field.value.is_ok()));
    assert!(!fields[1].as_ref().is_ok_and(|field| field.value.is_ok()));
}

#[test]
fn cards_in_another_order_keep_their_minors() {
    let host = SimHost::new("rig-3090");
    host.control("order = [3, 0, 1]");
    let nvml = open(&host);
    let minors: Vec<u32> = (0..nvml.device_count().expect("count"))
        .map(|index| nvml.device_by_index(index).expect("card").minor_number().expect("minor"))
        .collect();
    assert_eq!(minors, [3, 0, 1]);
}

#[test]
fn texts_may_be_anything() {
    let host = SimHost::new("dgx-a100");
    host.control(
        "[[text]]\ncall = \"nvmlSystemGetDriverVersion\"\nbytes = []\n\
         [[text]]\ncall = \"nvmlDeviceGetSerial\"\ncard = 1\nbytes = [0xf8, 0x4e]\n",
    );
    let nvml = open(&host);
    assert_eq!(nvml.sys_driver_version().expect("driver"), "");
    assert!(matches!(nvml.device_by_index(1).expect("card").serial(), Err(NvmlError::Utf8Error(_))));
    assert!(nvml.device_by_index(0).expect("card").serial().is_ok());
}

#[test]
fn a_list_grows_between_counting_and_reading() {
    let processes: String = (1..=8).map(|pid| format!("[[process]]\ncard = 0\npid = {pid}\n")).collect();
    let host = SimHost::new("rig-3090");
    let count = |grow: &str| {
        host.control(&format!("{grow}\n{processes}"));
        let nvml = open(&host);
        let card = nvml.device_by_index(0).expect("card");
        [(); 3].map(|()| card.running_compute_processes().ok().map(|list| list.len()))
    };
    // The wrapper leaves room for five more.
    assert_eq!(count("[[grow]]\ncard = 0\nby = 5"), [Some(8); 3]);
    assert_eq!(count("[[grow]]\ncard = 0\nby = 6"), [None; 3]);
    assert_eq!(count("[[grow]]\ncard = 0\nby = 6\ntimes = 2"), [None, None, Some(8)]);
    assert_eq!(count("growing = [0]"), [None; 3]);
}

#[test]
fn values_stand_where_they_are_put() {
    let host = SimHost::new("rig-3090");
    host.control("[[set]]\ncelsius = 50\n[[set]]\ncard = 1\ncelsius = 91\nused_mib = 20000\nlinks_down = [0, 3]\n");
    let nvml = open(&host);
    let card = |index: u32| nvml.device_by_index(index).expect("card");
    assert_eq!([0, 1].map(|index| card(index).temperature(TemperatureSensor::Gpu).expect("temperature")), [50, 91]);
    assert_eq!(card(1).memory_info().expect("memory").used >> 20, 20000);
    let active = [0, 1, 2, 3].map(|link| card(1).link_wrapper_for(link).is_active().expect("state"));
    assert_eq!(active, [false, true, true, false]);
}

#[test]
fn frozen_values_are_the_same_for_everybody() {
    let host = SimHost::new("dgx-h100");
    host.control("freeze = 1796000000.0\n[[process]]\ncard = 3\npid = 4242\nmemory_mib = 70000\n");
    let look = || {
        let nvml = open(&host);
        let card = nvml.device_by_index(3).expect("card");
        (card.power_usage().expect("power"), card.temperature(TemperatureSensor::Gpu).expect("temperature"))
    };
    let first = look();
    assert!(first.0 > 300_000 && first.1 > 55, "{first:?}");
    let end = Instant::now() + Duration::from_millis(200);
    while Instant::now() < end {
        assert_eq!(look(), first);
    }
}

#[test]
fn errors_come_once_each_and_again_when_they_happen_again() {
    let host = SimHost::new("rig-3090");
    let nvml = open(&host);
    let card = nvml.device_by_index(0).expect("card");
    let set = card.register_events(EventTypes::CRITICAL_XID_ERROR, nvml.create_event_set().expect("set"));
    let set = set.expect("register");
    let xid = "[[xid]]\ncard = 0\nnumber = 31\n";
    let next = |milliseconds: u32| set.wait(milliseconds).map(|event| format!("{:?}", event.event_data));
    let told = |text: Result<String, NvmlError>| text.is_ok_and(|text| text.contains("31"));
    host.control(xid);
    assert!(told(next(10_000)));
    assert!(matches!(next(100), Err(NvmlError::Timeout)));
    host.control(&format!("{xid}{xid}{xid}"));
    assert!(told(next(10_000)) && told(next(10_000)), "two more of the same");
    assert!(matches!(next(100), Err(NvmlError::Timeout)));
    host.control("");
    assert!(matches!(next(100), Err(NvmlError::Timeout)));
    host.control(xid);
    assert!(told(next(10_000)), "once more");
}
