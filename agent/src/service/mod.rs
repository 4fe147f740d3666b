//! The agent as a service of systemd: which files make it up, how they get onto a machine or into an image, and off
//! again. Nothing here talks to the portal.
//!
//! - [`unit`]: the text of the unit
//! - [`system`]: what is asked of the machine

pub mod system;
pub mod unit;

use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use system::{Account, System};
use unit::{ACCOUNT, Facts, UNIT};

/// Where the program is put unless it lies in a folder of the system already.
const PROGRAM: &str = "usr/local/bin/berth";
/// Groups that own the cards' devices on some systems.
const DEVICE_GROUPS: [&str; 2] = ["video", "render"];
/// Below this user ids are the system's, on every distribution that matters here.
const FIRST_PERSON: u32 = 1000;
/// Devices of WSL and of Jetson boards, by the beginning of their names in `/dev`.
const OTHER_DEVICES: [&str; 4] = ["dxg", "nvmap", "nvhost-", "nvgpu"];

/// A service cannot be installed, started or removed.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// A file.
    #[error("{} cannot be {verb}: {cause}", .path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// `written` or the like.
        verb: &'static str,
        /// What the system said.
        cause: io::Error,
    },
    /// A program of the system.
    #[error("{0}")]
    System(String),
    /// A person has the name.
    #[error(
        "the account {ACCOUNT} (uid {0}) exists and is no system account. Rename it, or use --no-service and run \
         `berth agent` as another account"
    )]
    Person(u32),
    /// It was made, but is not there.
    #[error("the account {ACCOUNT} could not be made: neither systemd-sysusers nor useradd did it")]
    NoAccount,
}

/// Where everything lies: below `/`, or below the folder of an image.
#[derive(Clone, Debug)]
pub struct Layout {
    root: PathBuf,
}

impl Layout {
    /// Below this folder.
    #[must_use]
    pub fn under(root: &Path) -> Self {
        Self { root: root.to_path_buf() }
    }

    /// The agent's state folder.
    #[must_use]
    pub fn state(&self) -> PathBuf {
        self.root.join("var/lib/berth-agent")
    }

    /// The unit.
    #[must_use]
    pub fn unit(&self) -> PathBuf {
        self.root.join("etc/systemd/system").join(UNIT)
    }

    /// What enables the unit.
    #[must_use]
    pub fn wanted(&self) -> PathBuf {
        self.root.join("etc/systemd/system/multi-user.target.wants").join(UNIT)
    }

    /// What makes the account.
    #[must_use]
    pub fn sysusers(&self) -> PathBuf {
        self.root.join("etc/sysusers.d/berth-agent.conf")
    }

    /// What login shells run.
    #[must_use]
    pub fn login(&self) -> PathBuf {
        self.root.join("etc/profile.d/berth.sh")
    }

    /// The program.
    #[must_use]
    pub fn program(&self) -> PathBuf {
        self.root.join(PROGRAM)
    }
}

/// Puts the service's files in place, `program` among them, and on a running system makes its account. Starts nothing.
/// Doing it again is fine.
///
/// # Errors
/// [`ServiceError`]. What was done until then does no harm.
pub fn install(layout: &Layout, program: &Path, system: Option<&dyn System>) -> Result<(), ServiceError> {
    let program = match program.strip_prefix("/") {
        Ok(_) if system.is_some() && is_in_place(program) => program.display().to_string(),
        _ => {
            copy_program(program, &layout.program())?;
            format!("/{PROGRAM}")
        }
    };
    write(&layout.sysusers(), &unit::sysusers())?;
    if let Some(system) = system {
        // The state folder is not given to it here: systemd does that with all that is in it when the service starts, and
        // safely where the account has a hand in it already.
        make_account(layout, system)?;
    }
    write(&layout.login(), &login_script(&program))?;
    let facts = facts(layout, program, system);
    write(&layout.unit(), &unit::text(&facts))
}

/// The message at login. Only for somebody who sits there: what copies files must not read it.
fn login_script(program: &str) -> String {
    format!("case $- in *i*) [ -x {program} ] && {program} motd ;; esac\n")
}

/// Enables and starts the service of a running system; one that runs is started anew, with what is new.
///
/// # Errors
/// [`ServiceError::System`].
pub fn start(system: &dyn System) -> Result<(), ServiceError> {
    for args in [&["daemon-reload"][..], &["--quiet", "enable", UNIT], &["restart", UNIT]] {
        let args: Vec<&OsStr> = args.iter().map(OsStr::new).collect();
        system.run("systemctl", &args).map_err(ServiceError::System)?;
    }
    Ok(())
}

/// Enables the service of an image, as `systemctl --root` would.
///
/// # Errors
/// [`ServiceError::File`].
pub fn enable_in_image(layout: &Layout) -> Result<(), ServiceError> {
    let link = layout.wanted();
    let failed = |cause| ServiceError::File { path: link.clone(), verb: "made", cause };
    if let Some(folder) = link.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    match symlink(Path::new("/etc/systemd/system").join(UNIT), &link) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(failed(error)),
        _ => Ok(()),
    }
}

/// Stops the service and takes its files and its state away, credential included. The program and the account stay:
/// the one runs, and to the other files may belong. Gives back what was removed.
///
/// # Errors
/// [`ServiceError`].
pub fn remove(layout: &Layout, system: Option<&dyn System>) -> Result<Vec<PathBuf>, ServiceError> {
    let unit = layout.unit();
    if let Some(system) = system.filter(|_| unit.exists()) {
        let args = ["--quiet", "disable", "--now", UNIT].map(OsStr::new);
        system.run("systemctl", &args).map_err(ServiceError::System)?;
    }
    let mut removed = Vec::new();
    for path in [layout.wanted(), unit, layout.sysusers(), layout.login(), layout.state()] {
        let is_folder = fs::symlink_metadata(&path).is_ok_and(|file| file.is_dir());
        let done = if is_folder { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        match done {
            Ok(()) => removed.push(path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(cause) => return Err(ServiceError::File { path, verb: "removed", cause }),
        }
    }
    if let Some(system) = system.filter(|_| !removed.is_empty()) {
        system.run("systemctl", &[OsStr::new("daemon-reload")]).map_err(ServiceError::System)?;
    }
    Ok(removed)
}

fn facts(layout: &Layout, program: String, system: Option<&dyn System>) -> Facts {
    let has_group = |name: &&str| match system {
        Some(system) => system.has_group(name),
        None => {
            let groups = fs::read_to_string(layout.root.join("etc/group")).unwrap_or_default();
            groups.lines().any(|line| line.split(':').next() == Some(*name))
        }
    };
    let groups = DEVICE_GROUPS.iter().filter(|name| has_group(name)).map(|name| (*name).to_owned()).collect();
    let mut devices: Vec<String> = fs::read_dir(layout.root.join("dev"))
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| OTHER_DEVICES.iter().any(|known| name.starts_with(known)))
        .filter(|name| name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'))
        .map(|name| format!("/dev/{name}"))
        .collect();
    devices.sort();
    let modprobe = layout.root.join("usr/bin/nvidia-modprobe").exists();
    Facts { program, groups, devices, modprobe, systemd: system.and_then(System::systemd_version) }
}

/// Makes the account that the service runs as, where it is missing.
fn make_account(layout: &Layout, system: &dyn System) -> Result<(), ServiceError> {
    let usable = |account: Account| {
        if account.uid < FIRST_PERSON { Ok(()) } else { Err(ServiceError::Person(account.uid)) }
    };
    if let Some(account) = system.account(ACCOUNT) {
        return usable(account);
    }
    let conf = layout.sysusers();
    if system.has_program("systemd-sysusers") {
        system.run("systemd-sysusers", &[conf.as_os_str()]).map_err(ServiceError::System)?;
    } else {
        let args = ["--system", "--user-group", "--no-create-home", "--home-dir", "/var/lib/berth-agent"];
        let args = args.into_iter().chain(["--shell", "/usr/sbin/nologin", ACCOUNT]).map(OsStr::new);
        system.run("useradd", &args.collect::<Vec<_>>()).map_err(ServiceError::System)?;
    }
    system.account(ACCOUNT).ok_or(ServiceError::NoAccount).and_then(usable)
}

/// A program of the system that nobody but root can change.
fn is_in_place(program: &Path) -> bool {
    let is_root_s = |path: &Path| fs::metadata(path).is_ok_and(|file| file.uid() == 0 && file.mode() & 0o022 == 0);
    let of_system = ["/usr", "/opt"].iter().any(|folder| program.starts_with(folder));
    // In a unit, blanks and percent signs mean something.
    let plain = program.to_str().is_some_and(|path| path.bytes().all(|b| b.is_ascii_graphic() && b != b'%'));
    of_system && plain && program.ancestors().all(is_root_s)
}

fn copy_program(from: &Path, to: &Path) -> Result<(), ServiceError> {
    let failed = |cause| ServiceError::File { path: to.to_path_buf(), verb: "written", cause };
    if let (Ok(from), Ok(to)) = (from.canonicalize(), to.canonicalize())
        && from == to
    {
        return Ok(());
    }
    let folder = to.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(folder).map_err(failed)?;
    // Beside it first: a program that runs cannot be written to, but its name can be given to another.
    let beside = to.with_extension("new");
    let copied = || -> io::Result<()> {
        let _ = fs::remove_file(&beside);
        fs::copy(from, &beside)?;
        fs::set_permissions(&beside, Permissions::from_mode(0o755))?;
        File::open(&beside)?.sync_all()?;
        fs::rename(&beside, to)
    };
    copied().map_err(failed)
}

fn write(path: &Path, text: &str) -> Result<(), ServiceError> {
    let written = || -> io::Result<()> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let beside = path.with_extension("new");
        fs::write(&beside, text)?;
        fs::set_permissions(&beside, Permissions::from_mode(0o644))?;
        fs::rename(beside, path)
    };
    written().map_err(|cause| ServiceError::File { path: path.to_path_buf(), verb: "written", cause })
}
