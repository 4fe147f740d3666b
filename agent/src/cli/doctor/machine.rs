//! The driver and the devices, by `/proc`, `/sys` and `/dev`, without NVML: why NVML may have nothing to say.

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use nix::unistd::{Group, User, getgrouplist};

use super::finding::Finding;
use crate::clean::clean;
use crate::host::hiding_options;

/// The inode of the kernel's first namespace of process ids, the host's own.
const HOST_PID_NAMESPACE: &str = "pid:[4026531836]";
/// Groups that the service is in, where they exist.
const SERVICE_GROUPS: [&str; 2] = ["video", "render"];

/// Where to look.
#[derive(Clone, Debug)]
pub(super) struct Roots {
    pub(super) proc: PathBuf,
    pub(super) sys: PathBuf,
    pub(super) dev: PathBuf,
}

/// What drives the cards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Driver {
    /// NVIDIA's, of this version.
    Nvidia(String),
    /// Not one of the usual kind, such as that of WSL: there is nothing to look at from here.
    Other,
    /// None is loaded.
    None,
}

impl Roots {
    /// Which driver is loaded.
    pub(super) fn driver(&self) -> Driver {
        let read = |path: PathBuf| fs::read_to_string(path).ok();
        let by_proc = read(self.proc.join("driver/nvidia/version")).and_then(|text| version(&text));
        let version = by_proc.or_else(|| read(self.sys.join("module/nvidia/version")).map(|text| clean(text.trim())));
        match version {
            Some(version) => Driver::Nvidia(version),
            None if self.dev.join("dxg").exists() || self.sys.join("module/nvgpu").exists() => Driver::Other,
            None => Driver::None,
        }
    }

    fn has_nouveau(&self) -> bool {
        self.sys.join("module/nouveau").exists()
    }

    /// NVIDIA's display controllers on the PCI bus.
    fn cards_on_bus(&self) -> usize {
        let devices = fs::read_dir(self.sys.join("bus/pci/devices")).into_iter().flatten().flatten();
        let is = |device: &Path, file: &str, begin: &str| {
            fs::read_to_string(device.join(file)).is_ok_and(|text| text.trim().starts_with(begin))
        };
        devices.filter(|entry| is(&entry.path(), "vendor", "0x10de") && is(&entry.path(), "class", "0x03")).count()
    }

    /// The driver.
    pub(super) fn check_driver(&self) -> Finding {
        let driver = self.driver();
        if let Driver::Nvidia(version) = &driver {
            return Finding::ok("driver", format!("NVIDIA's driver {version} is loaded."));
        }
        if driver == Driver::Other {
            return Finding::ok("driver", "The cards are driven by WSL or a Jetson board.");
        }
        match self.cards_on_bus() {
            0 => Finding::problem(
                "driver",
                "There is no NVIDIA card, and no driver of NVIDIA's.",
                "The PCI bus lists no NVIDIA card. It is not there, has no power, or is not passed into this virtual \
                 machine or container.",
                "See what the bus lists: lspci -d 10de: -nn. In a container, start it with --gpus all.",
            ),
            cards => Finding::problem(
                "driver",
                format!("NVIDIA's driver is not loaded; {cards} of its cards are on the PCI bus."),
                if self.has_nouveau() {
                    "The driver nouveau holds them."
                } else {
                    "The kernel module nvidia is not installed, or was not built for the kernel that runs."
                },
                "Install the driver from your distribution. Where it is installed: sudo modprobe nvidia, and sudo dmesg \
                 | grep -i nvrm says why it does not load; after a new kernel, sudo dkms autoinstall builds it.",
            ),
        }
    }

    /// The driver that gets in the way.
    pub(super) fn check_nouveau(&self) -> Finding {
        if !self.has_nouveau() {
            return Finding::ok("nouveau", "The driver nouveau is not loaded.");
        }
        Finding::problem(
            "nouveau",
            "The driver nouveau is loaded.",
            "It takes the cards, and then NVIDIA's driver cannot.",
            "echo 'blacklist nouveau' | sudo tee /etc/modprobe.d/no-nouveau.conf, then sudo update-initramfs -u (on Red \
             Hat and its kin: sudo dracut --force), then restart the machine.",
        )
    }

    /// Whether the account of the agent may use the cards' devices.
    pub(super) fn check_devices(&self, account: &str) -> Finding {
        if !matches!(self.driver(), Driver::Nvidia(_)) {
            return Finding::skipped("devices", "Without NVIDIA's driver there are no devices of its cards.");
        }
        let names = fs::read_dir(&self.dev).into_iter().flatten().flatten();
        let names = names.filter_map(|entry| entry.file_name().into_string().ok());
        let mut cards: Vec<String> =
            names.filter(|name| name.strip_prefix("nvidia").is_some_and(|rest| rest.parse::<u32>().is_ok())).collect();
        cards.sort();
        if cards.is_empty() || !self.dev.join("nvidiactl").exists() {
            return Finding::problem(
                "devices",
                "/dev/nvidiactl or the cards' devices are missing.",
                "The driver is loaded, but nobody has made its devices; an unprivileged agent cannot.",
                "sudo nvidia-modprobe -u -c 0, or keep sudo systemctl enable --now nvidia-persistenced. In a container, \
                 start it with --gpus all.",
            );
        }
        let Some(who) = Who::of(account) else {
            return Finding::skipped(
                "devices",
                format!("There is no account {account} here; the agent is not installed."),
            );
        };
        let all = cards.iter().map(String::as_str).chain(["nvidiactl"]);
        let closed: Vec<String> =
            all.filter(|name| !who.may_use(&self.dev.join(name))).map(|name| format!("/dev/{name}")).collect();
        if closed.is_empty() {
            return Finding::ok(
                "devices",
                format!("The account {account} may use the devices of all cards ({}).", cards.len()),
            );
        }
        Finding::problem(
            "devices",
            format!("The account {account} may not use {}.", closed.join(", ")),
            "NVML opens them, and then says that there is no permission.",
            format!(
                "Let a group have them with the driver's options NVreg_DeviceFileGID and NVreg_DeviceFileMode in \
                 /etc/modprobe.d, and put the account into it: sudo usermod -aG GROUP {account}. Then restart berth-agent."
            ),
        )
    }

    /// Whether processes of the whole host are to be seen.
    pub(super) fn check_processes(&self) -> Finding {
        match fs::read_link(self.proc.join("self/ns/pid")) {
            Ok(namespace) if namespace.as_os_str() != HOST_PID_NAMESPACE => {
                return Finding::problem(
                    "processes",
                    "This runs in a container with process ids of its own.",
                    "NVML names processes by the host's ids. Here they mean nothing, so an agent in this container cannot \
                     say whose a job is.",
                    "Run the agent on the host itself, or start the container with --pid=host (Kubernetes: hostPID: true).",
                );
            }
            Ok(_) => {}
            Err(_) => return Finding::skipped("processes", "The kernel does not say in which namespace this runs."),
        }
        match hiding_options(&self.proc) {
            None => Finding::ok("processes", "The processes of all accounts can be seen."),
            Some(options) => Finding::problem(
                "processes",
                format!("/proc hides the processes of other accounts ({}).", clean(&options)),
                "The agent runs as an account of its own, so it cannot say whose a job is.",
                "Mount /proc with gid=GROUP beside hidepid, and put the agent's account into that group: sudo usermod -aG \
                 GROUP berth. Then restart berth-agent.",
            ),
        }
    }
}

/// The version in `NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  Sun May 12 19:39:15 UTC 2024`.
fn version(text: &str) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with("NVRM version"))?;
    let is_version = |word: &&str| {
        let mut parts = word.split('.');
        parts.clone().count() >= 2 && parts.all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
    };
    line.split_whitespace().find(is_version).map(str::to_owned)
}

/// An account and its groups.
struct Who {
    uid: u32,
    gids: Vec<u32>,
}

impl Who {
    fn of(account: &str) -> Option<Self> {
        let user = User::from_name(account).ok().flatten()?;
        let name = std::ffi::CString::new(account).ok()?;
        let mut gids: Vec<u32> =
            getgrouplist(&name, user.gid).unwrap_or_default().into_iter().map(nix::unistd::Gid::as_raw).collect();
        gids.push(user.gid.as_raw());
        let of_service = SERVICE_GROUPS.iter().filter_map(|name| Group::from_name(name).ok().flatten());
        gids.extend(of_service.map(|group| group.gid.as_raw()));
        Some(Self { uid: user.uid.as_raw(), gids })
    }

    fn may_use(&self, device: &Path) -> bool {
        let Ok(file) = fs::metadata(device) else { return false };
        let shift = match (file.uid(), file.gid()) {
            (uid, _) if uid == self.uid => 6,
            (_, gid) if self.gids.contains(&gid) => 3,
            _ => 0,
        };
        // A test's stand-ins are plain files.
        let is_device = file.file_type().is_char_device() || file.is_file();
        is_device && (self.uid == 0 || file.mode() >> shift & 0o6 == 0o6)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_every_kind_of_module() {
        for (text, expected) in [
            (
                "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  Sun May 12 19:39:15 UTC 2024\nGCC",
                "535.183.01",
            ),
            ("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  560.35.03  Release Build", "560.35.03"),
            ("NVRM version: NVIDIA UNIX aarch64 Kernel Module  450.248.02", "450.248.02"),
        ] {
            assert_eq!(version(text).as_deref(), Some(expected));
        }
        assert_eq!(version("something else"), None);
    }
}
