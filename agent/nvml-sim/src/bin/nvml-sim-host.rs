//! Lays a simulated driver out in a folder: `nvml-sim-host PROFILE FOLDER`.
//!
//! The built library is taken from beside this program. What happens then is in `agent/nvml-sim/README.md`.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use nvml_sim::lay_out::lay_out;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let [profile, folder] = arguments.as_slice() else {
        eprintln!("usage: nvml-sim-host PROFILE FOLDER");
        return ExitCode::from(2);
    };
    match run(Path::new(profile), Path::new(folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("nvml-sim-host: {why}");
            ExitCode::FAILURE
        }
    }
}

fn run(profile: &Path, folder: &Path) -> Result<(), String> {
    let own = std::env::current_exe().map_err(|error| said(Path::new("this program"), &error))?;
    let library = own.with_file_name("libnvml_sim.so");
    let built = fs::read(&library).map_err(|error| said(&library, &error))?;
    let text = fs::read_to_string(profile).map_err(|error| said(profile, &error))?;
    fs::create_dir_all(folder).map_err(|error| said(folder, &error))?;
    lay_out(folder, &text, &built)
}

fn said(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}
