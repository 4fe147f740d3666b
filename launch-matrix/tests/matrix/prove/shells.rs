//! Lines for shells, with recorders behind them.

use domain::launch::{Dialect, Form};

use super::{Bench, Proof, Run, Seen, Started, absent, only, started};
use crate::cuda;
use crate::stage::Record;

/// A line that starts a program which sees what its variables say.
pub fn program(bench: &Bench<'_>, form: &Form) -> Vec<Run> {
    bench.in_shells(form, &bench.filled(form), |records| visible(bench, only(records)?))
}

/// Lines that set a terminal up; the program is started after them.
pub fn terminal(bench: &Bench<'_>, form: &Form) -> Vec<Run> {
    bench.in_shells(form, &then_program(&form.text), |records| visible(bench, &later(bench, only(records)?)))
}

/// The same, where `berth` says which lines.
pub fn terminal_by_berth(bench: &Bench<'_>, form: &Form) -> Vec<Run> {
    bench.in_shells(form, &then_program(&form.text), |records| asked_berth(bench, records))
}

/// Lines of a start file: every terminal from then on has the variables.
pub fn profile(bench: &Bench<'_>, form: &Form) -> Vec<Run> {
    start_files(bench, form, |records| visible(bench, &later(bench, only(records)?)))
}

/// The same, where `berth` says which lines.
pub fn profile_by_berth(bench: &Bench<'_>, form: &Form) -> Vec<Run> {
    start_files(bench, form, |records| asked_berth(bench, records))
}

/// `berth run`: which cards it is told to take.
pub fn berth(bench: &Bench<'_>, form: &Form) -> Vec<Run> {
    bench.in_shells(form, &bench.filled(form), |records| through_berth(bench, only(records)?))
}

fn then_program(lines: &str) -> String {
    format!("{lines}\npython train.py\n")
}

/// A program that was started by hand in a terminal which is set up: the form has none, so what the case wants counts.
fn later(bench: &Bench<'_>, record: &Record) -> Record {
    let mut record = record.clone();
    if record.words() == ["python", "train.py"] {
        record.program.clone_from(&bench.case.program[0]);
        record.argv = bench.case.program[1..].to_vec();
    }
    record
}

/// What a program sees that was started with these variables.
pub fn visible(bench: &Bench<'_>, record: &Record) -> Result<Proof, String> {
    Ok(started(cuda::visible(&bench.case.machine, &record.env)?, record.words()))
}

/// What `berth run` was asked for: the cards, and the program after `--`.
pub fn through_berth(bench: &Bench<'_>, record: &Record) -> Result<Proof, String> {
    let said = record.words();
    let words: Vec<&str> = said.iter().map(String::as_str).collect();
    let (seen, rest) = match words.as_slice() {
        ["berth", "run", "--", rest @ ..] => (Seen::Berth, rest),
        ["berth", "run", "--cards", list, "--", rest @ ..] => (Seen::Cards(named(bench, list)?), rest),
        other => return Err(format!("not a way to call berth run: {other:?}")),
    };
    Ok(Proof::Starts(vec![Started { seen, words: rest.iter().map(|&word| word.to_owned()).collect() }]))
}

/// Cards of a list for `--cards`: indices or UUIDs.
fn named(bench: &Bench<'_>, list: &str) -> Result<Vec<String>, String> {
    let one = |id: &str| {
        cuda::by_container_id(&bench.case.machine, id)
            .ok_or_else(|| format!("{id:?} of {list:?} is no card of the host"))
    };
    list.split(',').map(one).collect()
}

/// The variables that `berth env` printed are those of the program.
fn asked_berth(bench: &Bench<'_>, records: &[Record]) -> Result<Proof, String> {
    let [asked, program] = records else {
        return Err(format!("not berth and the program: {:?}", records.iter().map(Record::words).collect::<Vec<_>>()));
    };
    if asked.program != "berth" || asked.argv.first().map(String::as_str) != Some("env") {
        return Err(format!("berth env was not asked: {:?}", asked.words()));
    }
    if program.env.get("CUDA_VISIBLE_DEVICES").map(String::as_str) != Some("GPU-from-berth,GPU-and 'another'") {
        return Err(format!(
            "the variables of berth env did not arrive: {:?}",
            program.env.get("CUDA_VISIBLE_DEVICES")
        ));
    }
    Ok(Proof::Starts(vec![Started { seen: Seen::Berth, words: later(bench, program).words() }]))
}

/// Runs the shells whose start files a form names, interactive as a terminal's.
fn start_files(bench: &Bench<'_>, form: &Form, judge: impl Fn(&[Record]) -> Result<Proof, String>) -> Vec<Run> {
    let home = bench.stage.path("home");
    let files: &[(&str, &str, &[&str])] = match form.dialect {
        Dialect::Posix => &[("bash", ".bashrc", &["-i", "-c"]), ("zsh", ".zshrc", &["-i", "-c"])],
        Dialect::Fish => &[("fish", ".config/fish/conf.d/berth.fish", &["-c"])],
        _ => &[],
    };
    let mut runs = Vec::new();
    for (shell, file, args) in files {
        let named = form.file.as_deref().unwrap_or_default();
        let path = home.join(file);
        let result = if !named.split(", ").any(|one| one == format!("~/{file}")) {
            Err(format!("the form does not name ~/{file}, but {named:?}"))
        } else {
            let written = std::fs::create_dir_all(path.parent().unwrap_or(&home))
                .and_then(|()| std::fs::write(&path, format!("{}\n", form.text)));
            let ran = written.map_err(|error| error.to_string()).and_then(|()| {
                let mut process = bench.stage.process(shell);
                process.args(*args).arg("python train.py");
                bench.stage.run(&mut process)
            });
            drop(std::fs::remove_file(&path));
            ran.and_then(|records| judge(&records))
        };
        runs.push(Run { by: format!("{shell} -i"), result });
    }
    runs.extend(
        absent(form.dialect).iter().map(|(by, why)| Run { by: (*by).to_owned(), result: Ok(Proof::NotHere(why)) }),
    );
    runs
}
