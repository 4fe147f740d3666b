//! Real processes become processes of a card.

use std::process::{Child, Command};

use nvml_wrapper::Nvml;
use nvml_wrapper::enums::device::UsedGpuMemory;

use crate::eventually;
use crate::support::{SimHost, profile};

/// Ends its process however the test ends.
pub struct Job(pub Child);

impl Drop for Job {
    fn drop(&mut self) {
        // A test that has ended it already finds nothing to do.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(environment: &[(&str, &str)]) -> Job {
    Job(Command::new("sleep").arg("600").env_clear().envs(environment.iter().copied()).spawn().expect("sleep"))
}

/// A host that no other test's processes belong to.
fn host_named(name: &str) -> (SimHost, Nvml) {
    let host =
        SimHost::with_profile(&profile("ws-mixed").replace("host = \"ws-mixed\"", &format!("host = \"{name}\"")));
    let nvml = Nvml::builder().lib_path(host.library().as_os_str()).init().expect("start");
    (host, nvml)
}

fn pids(nvml: &Nvml, index: u32) -> Vec<u32> {
    let card = nvml.device_by_index(index).expect("card");
    card.running_compute_processes().expect("processes").iter().map(|process| process.pid).collect()
}

#[test]
fn a_process_comes_works_and_goes() {
    let (_host, nvml) = host_named("jobs-come-and-go");
    let card = nvml.device_by_index(1).expect("card");
    let idle = card.power_usage().expect("power");
    assert!(pids(&nvml, 1).is_empty());
    assert_eq!(card.utilization_rates().expect("utilisation").gpu, 0);
    let uuid = card.uuid().expect("uuid");
    let mut job = start(&[("BERTH_SIM_HOST", "jobs-come-and-go"), ("CUDA_VISIBLE_DEVICES", &uuid)]);
    eventually("the process is listed", || pids(&nvml, 1) == [job.0.id()]);
    eventually("the card works", || {
        card.utilization_rates().is_ok_and(|rates| rates.gpu > 20)
            && card.power_usage().is_ok_and(|power| power > idle * 3)
            && card.memory_info().is_ok_and(|memory| memory.used > memory.total / 3)
    });
    let held = card.running_compute_processes().expect("processes")[0].used_gpu_memory.clone();
    assert!(matches!(held, UsedGpuMemory::Used(bytes) if bytes <= card.memory_info().expect("memory").used));
    assert!(pids(&nvml, 0).is_empty() && pids(&nvml, 2).is_empty());
    job.0.kill().expect("kill");
    job.0.wait().expect("wait");
    eventually("the process is gone", || pids(&nvml, 1).is_empty());
    assert_eq!(card.utilization_rates().expect("utilisation").gpu, 0);
}

#[test]
fn an_index_lands_on_the_card_that_the_order_says() {
    let (_host, nvml) = host_named("jobs-by-index");
    let with = |order: &[(&'static str, &'static str)]| {
        let mut all = vec![("BERTH_SIM_HOST", "jobs-by-index"), ("CUDA_VISIBLE_DEVICES", "0")];
        all.extend(order);
        start(&all)
    };
    let by_bus = with(&[("CUDA_DEVICE_ORDER", "PCI_BUS_ID")]);
    let fastest = with(&[]);
    eventually("each on its card", || pids(&nvml, 0) == [by_bus.0.id()] && pids(&nvml, 1) == [fastest.0.id()]);
}

#[test]
fn processes_of_other_hosts_and_without_cards_do_not_count() {
    let (_host, nvml) = host_named("jobs-others");
    let _other = start(&[("BERTH_SIM_HOST", "elsewhere"), ("CUDA_VISIBLE_DEVICES", "0")]);
    let _unset = start(&[("BERTH_SIM_HOST", "jobs-others")]);
    let _not = start(&[("BERTH_SIM_HOST", "jobs-others"), ("CUDA_VISIBLE_DEVICES", "0"), ("BERTH_SIM_JOB", "0")]);
    let last = start(&[("BERTH_SIM_HOST", "jobs-others"), ("CUDA_VISIBLE_DEVICES", "0,1,2")]);
    // The last one started is seen on every card, so the others have been looked at as well.
    eventually("only the last", || (0..3).all(|index| pids(&nvml, index) == [last.0.id()]));
}
