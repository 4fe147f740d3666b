//! Cards that are split.

use std::process::{Command, Stdio};

use nvml_wrapper::error::NvmlError;
use nvml_wrapper::{Device, Nvml};

use crate::jobs::Job;
use crate::support::{SimHost, profile};
use crate::{eventually, open};

/// Places and UUIDs; `None` where the split changes while one looks.
fn instances<'a>(nvml: &'a Nvml, card: &Device<'a>) -> Option<Vec<(u32, String)>> {
    let most = card.mig_device_count().expect("number of places");
    let found = (0..most).filter_map(|place| match card.mig_device_by_index(place) {
        Ok(instance) => Some(instance.uuid().map(|uuid| (place, uuid))),
        Err(NvmlError::NotFound) => None,
        Err(other) => panic!("{other}"),
    });
    let found: Vec<_> = found.collect::<Result<_, _>>().ok()?;
    let is_instance =
        |uuid: &str| nvml.device_by_uuid(uuid).is_ok_and(|one| one.mig_is_mig_device_handle().is_ok_and(|is| is));
    found.iter().all(|(_, uuid)| is_instance(uuid)).then_some(found)
}

#[test]
fn instances_have_gaps_and_a_parent() {
    let host = SimHost::new("a100-mig");
    let nvml = open(&host);
    let places = |index: u32| {
        let card = nvml.device_by_index(index).expect("card");
        let instances = instances(&nvml, &card).expect("a split that stays");
        instances.into_iter().map(|(place, _)| place).collect::<Vec<_>>()
    };
    assert_eq!([places(0), places(1), places(2), places(3)], [vec![], vec![0, 3, 5, 6], vec![0, 1, 2], vec![]]);
    let parent = nvml.device_by_index(1).expect("card");
    assert_eq!(parent.mig_mode().expect("mode").current, 1);
    assert!(matches!(parent.utilization_rates(), Err(NvmlError::NotSupported)));
    assert!(matches!(parent.mig_device_by_index(7), Err(NvmlError::InvalidArg)));
    let small = parent.mig_device_by_index(5).expect("instance");
    assert_eq!(small.name().expect("name"), "NVIDIA A100-SXM4-80GB MIG 1g.10gb");
    assert_eq!(small.memory_info().expect("memory").total >> 20, 9728);
    assert_eq!(small.attributes().expect("attributes").multiprocessor_count, 14);
    assert_eq!(small.mig_parent_device().expect("parent").uuid().expect("uuid"), parent.uuid().expect("uuid"));
    assert!(matches!(small.power_usage(), Err(NvmlError::NotSupported)));
    assert!(matches!(parent.mig_parent_device(), Err(NvmlError::InvalidArg)));
}

#[test]
fn a_changed_split_has_new_instances_and_the_old_handles_are_dead() {
    let host = SimHost::new("a100-mig");
    let nvml = open(&host);
    let card = nvml.device_by_index(2).expect("card");
    let old = card.mig_device_by_index(1).expect("instance");
    assert!(old.uuid().is_ok());
    host.control(
        "[[mig]]\ncard = 2\non = true\n\
         instances = [{ place = 3, gi = 1, size = \"3g.40gb\", uuid = \"MIG-00000000-0000-0000-0000-000000000001\" }]\n\
         [[mig]]\ncard = 1\non = false\npending = true\n",
    );
    eventually("the new split", || {
        instances(&nvml, &card) == Some(vec![(3, "MIG-00000000-0000-0000-0000-000000000001".to_owned())])
    });
    assert!(matches!(old.uuid(), Err(NvmlError::InvalidArg)));
    let whole = nvml.device_by_index(1).expect("card");
    assert_eq!(whole.mig_mode().map(|mode| (mode.current, mode.pending)).expect("mode"), (0, 1));
    assert!(whole.utilization_rates().is_ok() && instances(&nvml, &whole) == Some(Vec::new()));
}

#[test]
fn a_real_process_runs_on_one_instance() {
    let host =
        SimHost::with_profile(&profile("a100-mig").replace("host = \"a100-mig\"", "host = \"mig-real-process\""));
    let nvml = open(&host);
    let parent = nvml.device_by_index(1).expect("card");
    let instance = parent.mig_device_by_index(5).expect("instance");
    let start = |kind: &str| {
        let mut job = Command::new("sleep");
        job.arg("600").env_clear().env("BERTH_SIM_HOST", "mig-real-process").env("BERTH_SIM_KIND", kind);
        job.env("CUDA_VISIBLE_DEVICES", instance.uuid().expect("uuid")).stdin(Stdio::null());
        Job(job.spawn().expect("sleep"))
    };
    let (compute, shared) = (start("compute"), start("mps"));
    let pids = |card: &Device<'_>| {
        let list = card.running_compute_processes().expect("a list");
        list.iter().map(|process| (process.pid, process.gpu_instance_id)).collect::<Vec<_>>()
    };
    eventually("the process is on its instance", || pids(&instance) == [(compute.0.id(), Some(9))]);
    assert_eq!(pids(&parent), pids(&instance));
    assert!(pids(&parent.mig_device_by_index(6).expect("instance")).is_empty());
    eventually("the other is on the MPS list", || {
        let list = instance.mps_running_compute_processes();
        list.is_ok_and(|list| list.len() == 1 && list[0].pid == shared.0.id())
    });
    let memory = instance.memory_info().expect("memory");
    assert!(memory.used > 100 << 20 && memory.used <= memory.total);
}
