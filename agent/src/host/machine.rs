//! What the machine is: kernel, CPUs, memory, NUMA nodes, and what it runs in.

use std::fs;
use std::path::Path;

use domain::card::Mib;
use domain::inventory::{Machine, NumaNode, Platform};
use domain::reading::Reading;
use time::OffsetDateTime;

use super::hidden::hides_processes;
use super::{Places, parse_memory, reading};
use crate::clean::clean;

/// The first namespace of process ids has this number in every kernel, so that a process can tell whether it is in it.
const FIRST_PID_NAMESPACE: &str = "pid:[4026531836]";

/// Reads what is known of the machine; versions of the driver are NVML's to tell.
#[must_use]
pub fn machine(places: &Places) -> Machine {
    let text = |path: &Path| fs::read_to_string(path).unwrap_or_default();
    let cpuinfo = text(&places.proc.join("cpuinfo"));
    Machine {
        kernel: sound(text(&places.proc.join("sys/kernel/osrelease")).trim()),
        os: os_name(&text(&places.etc.join("os-release"))),
        cpu_model: field(&cpuinfo, "model name").and_then(sound),
        cpus: cpus(&text(&places.sys.join("devices/system/cpu/online")), &cpuinfo),
        memory_total_mib: parse_memory(&text(&places.proc.join("meminfo"))).0,
        numa: numa(&places.sys.join("devices/system/node")),
        booted_at: booted_at(&text(&places.proc.join("stat"))),
        platform: platform(places),
        sees_processes: sees_processes(places, false),
        ..Machine::default()
    }
}

/// The agent sees the host's processes: its ids of them are the host's, which `pids_are_ours` says of ids that do not come
/// from a driver, and `/proc` does not hide them.
#[must_use]
pub fn sees_processes(places: &Places, pids_are_ours: bool) -> bool {
    let namespace = || fs::read_link(places.proc.join("self/ns/pid"));
    let ours = pids_are_ours || namespace().is_ok_and(|link| link.as_os_str() == FIRST_PID_NAMESPACE);
    ours && !hides_processes(places)
}

/// What the machine is, as far as that changes what works.
#[must_use]
pub fn platform(places: &Places) -> Platform {
    let kernel = fs::read_to_string(places.proc.join("sys/kernel/osrelease")).unwrap_or_default();
    if kernel.to_ascii_lowercase().contains("microsoft") {
        Platform::Wsl
    } else if in_container(places) {
        Platform::Container
    } else {
        Platform::Plain
    }
}

/// Container runtimes leave a file, or a variable for the first process, which hands it down.
fn in_container(places: &Places) -> bool {
    [".dockerenv", "run/.containerenv"].iter().any(|mark| places.root.join(mark).exists())
        || ["container", "KUBERNETES_SERVICE_HOST"].iter().any(|name| std::env::var_os(name).is_some())
}

/// The value of a line `name : value`.
fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| line.strip_prefix(name)?.trim_start().strip_prefix(':')).map(str::trim)
}

fn os_name(os_release: &str) -> Option<String> {
    let value = os_release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?.trim();
    let quoted = ['"', '\''].into_iter().find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote));
    sound(quoted.unwrap_or(value))
}

fn cpus(online: &str, cpuinfo: &str) -> Option<u32> {
    let counted = cpu_count(online.trim());
    let listed = cpuinfo.lines().filter(|line| line.starts_with("processor")).count();
    counted.or_else(|| u32::try_from(listed).ok().filter(|&count| count > 0))
}

/// Members of a list like `0-55,112-167`.
fn cpu_count(list: &str) -> Option<u32> {
    list.split(',').try_fold(0_u32, |count, part| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        count.checked_add(last.checked_sub(first)?.checked_add(1)?)
    })
}

fn numa(folder: &Path) -> Vec<NumaNode> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut nodes: Vec<NumaNode> = entries
        .flatten()
        .filter_map(|entry| {
            let id = entry.file_name().to_str()?.strip_prefix("node")?.parse().ok()?;
            let cpus = fs::read_to_string(entry.path().join("cpulist")).ok()?;
            let memory = fs::read_to_string(entry.path().join("meminfo")).unwrap_or_default();
            Some(NumaNode { id, cpus: clean(cpus.trim()), memory_total_mib: node_memory(&memory) })
        })
        .collect();
    nodes.sort_by_key(|node| node.id);
    nodes
}

/// `Node 0 MemTotal:  1048576 kB`
fn node_memory(meminfo: &str) -> Reading<Mib> {
    let line = meminfo.lines().find_map(|line| line.split_once("MemTotal:")).map(|(_, rest)| rest);
    let kib = line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    reading(kib.map(|kib| kib / 1024))
}

fn booted_at(stat: &str) -> Option<OffsetDateTime> {
    let seconds = stat.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse().ok()?;
    OffsetDateTime::from_unix_timestamp(seconds).ok()
}

/// Text as it may be shown, where there is any.
fn sound(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| clean(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::reading::Missing;
    use std::os::unix::fs::symlink;
    use time::macros::datetime;

    fn lay(root: &Path, files: &[(&str, &str)]) {
        for (path, text) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
            fs::write(path, text).expect("written");
        }
    }

    fn namespace(root: &Path, name: &str) {
        fs::create_dir_all(root.join("proc/self/ns")).expect("folders");
        symlink(name, root.join("proc/self/ns/pid")).expect("linked");
    }

    #[test]
    fn a_server_with_two_sockets() {
        let root = tempfile::tempdir().expect("folder");
        lay(
            root.path(),
            &[
                ("proc/sys/kernel/osrelease", "6.1.0-28-amd64\n"),
                ("etc/os-release", "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n"),
                ("proc/cpuinfo", "processor\t: 0\nmodel name\t: AMD EPYC 7742 64-Core Processor\nprocessor\t: 1\n"),
                ("sys/devices/system/cpu/online", "0-55,112-167\n"),
                ("proc/meminfo", "MemTotal: 2048000 kB\nMemAvailable: 1024000 kB\n"),
                ("sys/devices/system/node/node1/cpulist", "56-111\n"),
                ("sys/devices/system/node/node1/meminfo", "Node 1 MemTotal:       1048576 kB\nNode 1 MemFree: 1 kB\n"),
                ("sys/devices/system/node/node0/cpulist", "0-55\n"),
                ("sys/devices/system/node/possible", "0-1\n"),
                ("proc/stat", "cpu 1 2 3\nbtime 1764504000\n"),
            ],
        );
        namespace(root.path(), "pid:[4026531836]");
        let machine = machine(&Places::below(root.path()));
        assert_eq!(machine.kernel.as_deref(), Some("6.1.0-28-amd64"));
        assert_eq!(machine.os.as_deref(), Some("Debian GNU/Linux 12 (bookworm)"));
        assert_eq!(machine.cpu_model.as_deref(), Some("AMD EPYC 7742 64-Core Processor"));
        assert_eq!(machine.cpus, Some(112));
        assert_eq!(machine.memory_total_mib, Reading::Value(2000));
        assert_eq!(machine.numa.iter().map(|node| node.id).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(machine.numa[1].cpus, "56-111");
        assert_eq!(machine.numa[1].memory_total_mib, Reading::Value(1024));
        assert_eq!(machine.numa[0].memory_total_mib, Reading::missing(Missing::Unknown));
        assert_eq!(machine.booted_at, Some(datetime!(2025-11-30 12:00 UTC)));
        assert!(machine.sees_processes);
        assert_eq!(machine.platform, Platform::Plain);
    }

    #[test]
    fn a_machine_that_hides_everything_is_still_one() {
        let root = tempfile::tempdir().expect("folder");
        let machine = machine(&Places::below(root.path()));
        assert_eq!((machine.kernel, machine.cpus, machine.booted_at), (None, None, None));
        assert!(!machine.sees_processes && machine.numa.is_empty());
    }

    #[test]
    fn containers_and_windows_are_told_from_plain_machines() {
        let root = tempfile::tempdir().expect("folder");
        let places = Places::below(root.path());
        lay(root.path(), &[(".dockerenv", "")]);
        assert_eq!(platform(&places), Platform::Container);
        lay(root.path(), &[("proc/sys/kernel/osrelease", "5.15.167.4-microsoft-standard-WSL2\n")]);
        assert_eq!(platform(&places), Platform::Wsl);
        namespace(root.path(), "pid:[4026532458]");
        assert!(!sees_processes(&places, false) && sees_processes(&places, true));
    }

    #[test]
    fn lists_of_cpus_are_counted() {
        assert_eq!(cpu_count("0-1"), Some(2));
        assert_eq!(cpu_count("0,2-3,8"), Some(4));
        for bad in ["", "x", "3-1", "0-4294967295"] {
            assert_eq!(cpu_count(bad), None, "{bad}");
        }
    }

    #[test]
    fn this_machine_tells_of_itself() {
        let machine = machine(&Places::default());
        assert!(machine.cpus.is_some_and(|cpus| cpus > 0) && machine.kernel.is_some() && machine.booted_at.is_some());
    }
}
