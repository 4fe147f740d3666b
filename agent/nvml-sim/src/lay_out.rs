//! A simulated driver in a folder of its own: the library under the name that programs look for, its profile, and the few
//! files of the kernel that an agent looks at beside NVML.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use crate::library;
use crate::profile::{Profile, bus_parts, cpu_list};

/// Name by which programs find NVIDIA's library.
pub const LIBRARY: &str = "libnvidia-ml.so.1";
/// Name of the profile beside it.
pub const PROFILE: &str = "profile.toml";
/// Name of the control file beside it.
pub const CONTROL: &str = "control.toml";

/// Writes library and profile into an existing folder. The copy of the library lacks what the profile's `missing` names.
///
/// A program uses the simulated driver when it loads this library: `LD_LIBRARY_PATH=FOLDER` is enough for most.
///
/// # Errors
/// A sentence, where the profile is wrong, the library is none, or a file cannot be written.
pub fn lay_out(folder: &Path, text: &str, built: &[u8]) -> Result<(), String> {
    let profile = Profile::parse(text)?;
    let copy = library::without(built, &profile.missing)?;
    let put = |name: &str, bytes: &[u8]| {
        replace(&folder.join(name), bytes).map_err(|error| format!("{}: {error}", folder.join(name).display()))
    };
    put(LIBRARY, &copy)?;
    put(PROFILE, text.as_bytes())?;
    for (name, content) in kernel_files(&profile) {
        let parent = folder.join(&name).parent().map(Path::to_path_buf).unwrap_or_default();
        fs::create_dir_all(&parent).map_err(|error| format!("{}: {error}", parent.display()))?;
        put(&name, content.as_bytes())?;
    }
    Ok(())
}

/// What the kernel and the driver's own files tell: version, cards, their PCI devices, and the CPUs' nodes.
fn kernel_files(profile: &Profile) -> Vec<(String, String)> {
    let mut files = vec![(
        "proc/driver/nvidia/version".to_owned(),
        format!("NVRM version: NVIDIA UNIX x86_64 Kernel Module  {}  Simulated\n", profile.driver),
    )];
    let mut nodes = BTreeMap::new();
    for card in &profile.card {
        nodes.insert(card.numa, card.cpus.as_str());
        let Some((domain, bus, device)) = bus_parts(&card.bus) else { continue };
        let address = format!("{domain:04x}:{bus:02x}:{device:02x}.0");
        let place = format!("sys/bus/pci/devices/{address}");
        files.push((format!("{place}/numa_node"), format!("{}\n", card.numa)));
        files.push((format!("{place}/power/runtime_status"), "active\n".to_owned()));
        let minor = card.minor.map_or(String::new(), |minor| format!("Device Minor: \t {minor}\n"));
        let model = profile.model.get(&card.model).map_or("", |model| model.name.as_str());
        files.push((
            format!("proc/driver/nvidia/gpus/{address}/information"),
            format!(
                "Model: \t\t {model}\nGPU UUID: \t {}\nBus Type: \t PCIe\nBus Location: \t {address}\n{minor}",
                card.uuid
            ),
        ));
    }
    let last = nodes.values().filter_map(|cpus| cpu_list(cpus)).flatten().max().unwrap_or(0);
    files.push(("sys/devices/system/cpu/online".to_owned(), format!("0-{last}\n")));
    let node =
        |(node, cpus): (&u32, &&str)| (format!("sys/devices/system/node/node{node}/cpulist"), format!("{cpus}\n"));
    files.extend(nodes.iter().map(node));
    files
}

/// Replaces a file at once, so that nobody reads half of it and a loaded library stays as it was.
///
/// # Errors
/// Whatever the file system says.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let fresh = path.with_extension("fresh");
    fs::write(&fresh, bytes)?;
    fs::rename(fresh, path)
}
