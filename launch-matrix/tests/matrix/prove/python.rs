//! Blocks of Python, run by a real Python with recorders in the place of frameworks.

use domain::launch::Form;

use super::{Bench, Run, only, shells};

/// Lines that stand before the first import of a framework: at that import everything must be set.
pub fn before_import(bench: &Bench<'_>, form: &Form) -> Vec<Run> {
    let result = run(bench, &form.text).and_then(|records| {
        let mut record = only(&records)?.clone();
        // The block has no program of its own.
        record.program.clone_from(&bench.case.program[0]);
        record.argv = bench.case.program[1..].to_vec();
        shells::visible(bench, &record)
    });
    vec![Run { by: "python3".to_owned(), result }]
}

/// Runs a text as a program.
fn run(bench: &Bench<'_>, text: &str) -> Result<Vec<crate::stage::Record>, String> {
    let modules = bench.stage.path("modules");
    if !modules.exists() {
        std::fs::create_dir(&modules).map_err(|error| error.to_string())?;
        let recorder = bench.stage.path("bin").join("python");
        for name in ["torch", "tensorflow", "jax"] {
            let text = format!(
                "import subprocess\nsubprocess.run([{:?}, __name__], check=True)\n",
                recorder.display().to_string()
            );
            std::fs::write(modules.join(format!("{name}.py")), text).map_err(|error| error.to_string())?;
        }
    }
    let file = bench.stage.path("work").join("block.py");
    std::fs::write(&file, format!("{text}\n")).map_err(|error| error.to_string())?;
    let mut process = bench.stage.process("/usr/bin/python3");
    process.arg(&file).env("PYTHONPATH", &modules).env("PYTHONDONTWRITEBYTECODE", "1");
    let ran = bench.stage.run(&mut process);
    drop(std::fs::remove_file(&file));
    ran
}
