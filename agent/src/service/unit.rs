//! The text of the service's unit. Hardened as far as reading NVML and other accounts' processes allows; a test has
//! systemd itself look at it.

use std::fmt::Write as _;

/// Name of the service.
pub const UNIT: &str = "berth-agent.service";
/// The account that it runs as.
pub const ACCOUNT: &str = "berth";
/// From this version on systemd can wait longer from one restart to the next.
const VERSION_WITH_STEPS: u32 = 254;
/// NVIDIA's major number for cards and for `/dev/nvidiactl`, whose minor number is the second.
const NVIDIA_MAJOR: u32 = 195;
const NVIDIA_CONTROL: u32 = 255;
/// Minor numbers of cards that are allowed.
const CARDS: std::ops::Range<u32> = 0..32;

/// What the unit depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Where the program lies, as the running system sees it.
    pub program: String,
    /// Groups that may own the cards' devices, as far as they exist: an unknown one would keep the service from
    /// starting.
    pub groups: Vec<String>,
    /// Devices of machines whose cards have other ones than usual, such as `/dev/dxg` under WSL.
    pub devices: Vec<String>,
    /// `nvidia-modprobe` is there.
    pub modprobe: bool,
    /// Version of systemd, where it is known.
    pub systemd: Option<u32>,
}

/// The whole unit.
#[must_use]
pub fn text(facts: &Facts) -> String {
    let mut text = String::from(BEGIN);
    // Writing to a String does not fail.
    if facts.modprobe {
        text += "# As an unprivileged account NVML cannot load the driver or make its devices.\n";
        text += "ExecStartPre=-+/usr/bin/nvidia-modprobe -u -c 0\n";
    }
    let _ = writeln!(text, "ExecStart={} agent", facts.program);
    text += RUNS_AS;
    if !facts.groups.is_empty() {
        let _ = writeln!(text, "SupplementaryGroups={}", facts.groups.join(" "));
    }
    text += RESTARTS;
    if facts.systemd.is_some_and(|version| version >= VERSION_WITH_STEPS) {
        text += "RestartSteps=6\nRestartMaxDelaySec=5min\n";
    }
    text += CONFINED;
    text +=
        "# By number: names of devices are looked up when the service starts, and the driver may be loaded later.\n";
    for minor in CARDS.chain([NVIDIA_CONTROL]) {
        let _ = writeln!(text, "DeviceAllow=/dev/char/{NVIDIA_MAJOR}:{minor} rw");
    }
    text += "DeviceAllow=char-nvidia* rw\n";
    for device in &facts.devices {
        let _ = writeln!(text, "DeviceAllow={device} rw");
    }
    text + END
}

/// The file from which `systemd-sysusers` makes the account, now or when an image starts for the first time.
#[must_use]
pub fn sysusers() -> String {
    format!("# Made by `berth enrol`.\nu {ACCOUNT} - \"Berth agent\" /var/lib/berth-agent\n")
}

const BEGIN: &str = "\
# Made by `berth enrol`, and made anew by the next one. For changes of your own: systemctl edit berth-agent
# Settings of the agent, such as BERTH_NVML_LIBRARY, go to /etc/default/berth-agent.
[Unit]
Description=Berth agent: reads the cards, guards the launch
Wants=network-online.target
After=network-online.target nss-user-lookup.target nvidia-persistenced.service
# Never gives up: the portal, the network and the driver may come back hours later.
StartLimitIntervalSec=0

[Service]
Type=simple
";

const RUNS_AS: &str = "\
EnvironmentFile=-/etc/default/berth-agent
User=berth
Group=berth
";

const RESTARTS: &str = "\
RuntimeDirectory=berth
RuntimeDirectoryMode=0755
StateDirectory=berth-agent
StateDirectoryMode=0700
UMask=0077
TimeoutStopSec=15
MemoryMax=128M
TasksMax=256
OOMScoreAdjust=-200
Restart=always
RestartSec=5
";

const CONFINED: &str = "
# No privilege, now or later.
NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
RestrictSUIDSGID=yes

# It writes in its state folder and nowhere else, and sees no home.
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateMounts=yes
RemoveIPC=yes
KeyringMode=private

# Whose a process on a card is stands in /proc and in its cgroup, so those of other accounts must be seen; nothing of
# the kernel can be changed.
ProtectProc=default
ProcSubset=all
ProtectControlGroups=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectClock=yes
ProtectHostname=yes
LockPersonality=yes
RestrictNamespaces=yes
RestrictRealtime=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM

# The portal, the resolver, and the name services that know accounts.
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK

# The cards and nothing else.
DevicePolicy=closed
";

const END: &str = "
[Install]
WantedBy=multi-user.target
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_machine_lacks_is_left_out() {
        let facts = Facts { program: "/usr/bin/berth".to_owned(), ..Facts::default() };
        let bare = text(&facts);
        assert!(bare.contains("\nExecStart=/usr/bin/berth agent\n") && bare.contains("\nUser=berth\n"));
        for absent in ["SupplementaryGroups", "ExecStartPre", "RestartSteps", "/dev/dxg"] {
            assert!(!bare.contains(absent), "{absent}");
        }
        let full = text(&Facts {
            groups: vec!["video".to_owned(), "render".to_owned()],
            devices: vec!["/dev/dxg".to_owned()],
            modprobe: true,
            systemd: Some(255),
            ..facts
        });
        for wanted in [
            "\nSupplementaryGroups=video render\n",
            "\nExecStartPre=-+/usr/bin/nvidia-modprobe",
            "\nRestartMaxDelaySec=5min\n",
            "\nDeviceAllow=/dev/dxg rw\n",
            "\nDeviceAllow=/dev/char/195:0 rw\n",
            "\nDeviceAllow=/dev/char/195:255 rw\n",
        ] {
            assert!(full.contains(wanted), "{wanted}");
        }
    }
}
