//! What a process runs in, by the path of its cgroup.

use domain::card::{Container, Runtime};

use crate::clean::clean;

/// Digits of a container's id that people are shown.
const ID_DIGITS: usize = 12;
/// Digits of a whole id.
const ID_LENGTH: usize = 64;
/// Services that people log in through: what runs in them is a plain login.
const LOGINS: [&str; 5] = ["ssh", "sshd", "user@", "getty@", "serial-getty@"];

/// Reads the text of `/proc/PID/cgroup`: one line in version 2 (`0::/path`), one for each controller in version 1
/// (`4:memory:/path`). A container says more than a job of Slurm, and that more than a service. `None` for a plain login,
/// and where a namespace hides the path.
pub(super) fn container(text: &str) -> Option<Container> {
    let paths: Vec<Vec<&str>> =
        text.lines().filter_map(|line| line.splitn(3, ':').nth(2)).map(|path| path.split('/').collect()).collect();
    let first = |find: fn(&[&str]) -> Option<Container>| paths.iter().find_map(|path| find(path));
    first(of_runtime).or_else(|| first(of_slurm)).or_else(|| first(of_service))
}

/// The innermost container, as one may run in another.
fn of_runtime(path: &[&str]) -> Option<Container> {
    path.iter().enumerate().rev().find_map(|(at, segment)| {
        let before = &path[..at];
        let bare = segment.strip_suffix(".scope").unwrap_or(segment);
        if let Some(name) = bare.strip_prefix("lxc.payload.") {
            return Some(Container { runtime: Runtime::Other, id: clean(name) });
        }
        let (maker, id) = match bare.rsplit_once(['-', ':']) {
            Some((maker, id)) => (maker, id),
            None => ("", bare),
        };
        let id = (id.len() == ID_LENGTH && id.chars().all(|c| c.is_ascii_hexdigit())).then(|| &id[..ID_DIGITS])?;
        let runtime = if maker.is_empty() { by_folder(before) } else { by_name(maker) };
        Some(Container { runtime, id: id.to_owned() })
    })
}

/// `docker-<id>.scope`, `cri-containerd-<id>.scope`, `kubepods-….slice:cri-containerd:<id>`.
fn by_name(maker: &str) -> Runtime {
    let maker = maker.rsplit(':').next().unwrap_or(maker);
    match maker {
        "docker" => Runtime::Docker,
        "crio" | "crio-conmon" => Runtime::Crio,
        "cri-containerd" | "containerd" | "nerdctl" => Runtime::Containerd,
        _ if maker.starts_with("libpod") => Runtime::Podman,
        _ => Runtime::Other,
    }
}

/// `/docker/<id>`, `/kubepods/besteffort/pod…/<id>`, `/libpod_parent/…/<id>`.
fn by_folder(before: &[&str]) -> Runtime {
    let has = |start: &str| before.iter().any(|segment| segment.starts_with(start));
    if before.last() == Some(&"docker") {
        Runtime::Docker
    } else if has("libpod") {
        Runtime::Podman
    } else if has("kubepods") || before.last() == Some(&"default") {
        // Kubernetes without names is containerd by now; `default` is the namespace of nerdctl.
        Runtime::Containerd
    } else {
        Runtime::Other
    }
}

/// `/slurm/uid_1000/job_42/step_0`, `/system.slice/slurmstepd.scope/job_42/step_0/user/task_0`.
fn of_slurm(path: &[&str]) -> Option<Container> {
    let from = path.iter().position(|segment| segment.starts_with("slurm"))?;
    let job = path[from..].iter().find_map(|segment| segment.strip_prefix("job_"))?;
    let number = !job.is_empty() && job.len() <= 20 && job.chars().all(|c| c.is_ascii_digit());
    number.then(|| Container { runtime: Runtime::Slurm, id: job.to_owned() })
}

fn of_service(path: &[&str]) -> Option<Container> {
    let service = path.iter().rev().find(|segment| segment.ends_with(".service"))?;
    let name = service.trim_end_matches(".service");
    let login = LOGINS.iter().any(|login| if login.ends_with('@') { name.starts_with(login) } else { name == *login });
    (!login).then(|| Container { runtime: Runtime::SystemdUnit, id: clean(service) })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "3f4b0a9d1c2e5f60718293a4b5c6d7e8f90112233445566778899aabbccddeef";

    fn of(text: &str) -> Option<(Runtime, String)> {
        container(&text.replace("<id>", ID)).map(|container| (container.runtime, container.id))
    }

    #[test]
    fn runtimes_by_either_version_and_either_driver() {
        for (text, runtime) in [
            ("0::/system.slice/docker-<id>.scope\n", Runtime::Docker),
            ("12:pids:/docker/<id>\n11:memory:/docker/<id>\n0::/\n", Runtime::Docker),
            (
                "0::/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-<id>.scope/container",
                Runtime::Podman,
            ),
            ("0::/machine.slice/libpod-<id>.scope", Runtime::Podman),
            ("4:memory:/machine.slice/libpod-conmon-<id>.scope", Runtime::Podman),
            (
                "0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1.slice/cri-containerd-<id>.scope",
                Runtime::Containerd,
            ),
            ("2:cpu:/kubepods/besteffort/pod8aa6b2f1-0c5d-4a3e-9a1b-2f3e4d5c6b7a/<id>", Runtime::Containerd),
            (
                "1:name=systemd:/system.slice/containerd.service/kubepods-pod1.slice:cri-containerd:<id>",
                Runtime::Containerd,
            ),
            ("0::/system.slice/nerdctl-<id>.scope", Runtime::Containerd),
            ("8:memory:/default/<id>", Runtime::Containerd),
            ("0::/kubepods.slice/kubepods-pod1.slice/crio-<id>.scope", Runtime::Crio),
            ("0::/../../system.slice/docker-<id>.scope", Runtime::Docker),
        ] {
            assert_eq!(of(text), Some((runtime, "3f4b0a9d1c2e".to_owned())), "{text}");
        }
    }

    #[test]
    fn a_service_within_a_container_is_the_container() {
        let (runtime, _) = of("0::/system.slice/docker-<id>.scope/system.slice/jupyter.service").expect("something");
        assert_eq!(runtime, Runtime::Docker);
    }

    #[test]
    fn jobs_of_slurm() {
        for text in [
            "4:memory:/slurm/uid_1000/job_4711/step_0/task_0",
            "0::/system.slice/slurmstepd.scope/job_4711/step_batch/user/task_0",
            "6:cpuset:/slurm_node1/uid_7/job_4711/step_extern",
        ] {
            assert_eq!(of(text), Some((Runtime::Slurm, "4711".to_owned())), "{text}");
        }
        assert_eq!(of("0::/user.slice/job_4711"), None);
    }

    #[test]
    fn services_and_plain_logins() {
        let unit = |name: &str| Some((Runtime::SystemdUnit, name.to_owned()));
        assert_eq!(of("0::/system.slice/jupyterhub.service"), unit("jupyterhub.service"));
        assert_eq!(
            of("0::/user.slice/user-1000.slice/user@1000.service/app.slice/train.service"),
            unit("train.service")
        );
        for login in [
            "0::/",
            "",
            "nonsense",
            "0::/user.slice/user-1000.slice/session-3.scope",
            "0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-terminal.scope",
            "0::/system.slice/ssh.service",
        ] {
            assert_eq!(of(login), None, "{login}");
        }
    }
}
