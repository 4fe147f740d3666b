//! The lines beside commands that show whether they work: run, and their answer compared with what must be seen.

use domain::launch::{Check, Command, Dialect, Naming};

use super::{Bench, python};
use crate::cuda;
use crate::stage::{finish, said};

/// Commands whose checks start a program of Python in a shell; the others' look into containers, services or clusters,
/// of which none runs here.
const HERE: [&str; 11] =
    ["run", "shell", "once", "profile", "python", "torch", "torchrun", "lightning", "tensorflow", "jax", "vllm"];

/// Why the checks of a command are not run; `None` where they are.
pub fn missing(command: &Command, check: &Check) -> Option<&'static str> {
    let here = HERE.contains(&command.id) && !check.text.starts_with("docker");
    (!here)
        .then_some("checks that ask containers, running services, clusters, other hosts or launchers have none to ask")
}

/// Runs a check in a shell.
///
/// # Errors
/// What it printed in the place of its answer.
pub fn run(bench: &Bench<'_>, command: &Command, check: &Check, turn: usize, shell: &str) -> Result<(), String> {
    let stage = bench.stage;
    python::modules(bench)?;
    let bin = stage.path("answers");
    if !bin.exists() {
        std::fs::create_dir(&bin).map_err(|error| error.to_string())?;
        stage.program("answers", "python", "#!/bin/sh\nexec /usr/bin/python3 \"$@\"\n");
        // What `berth run` does with a list of cards; that it does so is proved by the agent's own tests.
        stage.program(
            "answers",
            "berth",
            "#!/bin/sh\n[ \"$1 $2 $4\" = 'run --cards --' ] || exit 64\n\
             export CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=\"$3\"\nshift 4\nexec \"$@\"\n",
        );
    }
    // In a terminal that is set up the check is a program like any other.
    let terminal = command.forms.iter().filter(|form| form.dialect == Dialect::Posix && form.naming == Naming::Uuid);
    let before = match command.id {
        "shell" | "profile" => terminal.clone().nth(turn).map(|form| form.text.as_str()).unwrap_or_default(),
        _ => "",
    };
    let mut process = stage.process(shell);
    process.arg("-c").arg(format!("{before}\n{}", check.text));
    process.env("PATH", format!("{}:{}", bin.display(), stage.search_path()));
    python::with_fakes(bench, &mut process);
    stage.forget();
    let output = finish(&mut process)?;
    let printed = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if !output.status.success() || printed != check.expected {
        return Err(format!("{:?} is expected, it says: {}", check.expected, said(&output)));
    }
    // The answer is that of the right cards.
    let records = stage.records()?;
    let import = records.first().ok_or("nothing was imported")?;
    let sets = bench.case.sets();
    let seen = cuda::visible(&bench.case.machine, &import.env);
    if command.id != "run" && !seen.as_ref().is_ok_and(|cards| sets.contains(cards)) {
        return Err(format!("it asks about {seen:?}"));
    }
    stage.clean()
}
