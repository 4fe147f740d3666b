//! Over ssh and in tmux: what the line starts is read again by another shell.

use std::process::Stdio;

use domain::launch::Form;

use super::{Bench, Proof, Run, containers, only, shells};
use crate::stage::{Record, finish, said, tool};

/// Login shells on the host, and shells in which tmux starts things.
pub const FAR_SHELLS: [&str; 4] = ["bash", "dash", "zsh", "fish"];

/// The line in each shell here, then the real ssh with what it got, to accounts with each login shell.
pub fn ssh(bench: &Bench<'_>, form: &Form) -> Vec<Run> {
    twice(bench, form, "ssh", |call, far| {
        let destination = match bench.case.account() {
            Some(account) => format!("{account}@{}", bench.case.host_name()),
            None => bench.case.host_name().to_owned(),
        };
        if !call.argv.contains(&destination) {
            return Err(format!("ssh was not told {destination:?}: {:?}", call.argv));
        }
        bench.tools.ssh(bench.stage, far, &call.argv)
    })
}

/// The line in each shell here, then the real tmux, whose server runs already with other variables.
pub fn tmux(bench: &Bench<'_>, form: &Form) -> Vec<Run> {
    twice(bench, form, "tmux", |call, far| tmux_server(bench, far, &call.argv))
}

/// Near shells have to agree on what the tool gets; then the tool itself is run once for each far shell.
fn twice(
    bench: &Bench<'_>,
    form: &Form,
    program: &str,
    start: impl Fn(&Record, &str) -> Result<Vec<Record>, String>,
) -> Vec<Run> {
    let mut first: Option<Record> = None;
    let text = bench.filled(form);
    let called = std::cell::RefCell::new(Vec::new());
    let mut runs = bench.in_shells(form, &text, |records| {
        let call = only(records)?;
        if call.program != program {
            return Err(format!("{} was started, not {program}", call.program));
        }
        called.borrow_mut().push(call.clone());
        Ok(Proof::Starts(Vec::new()))
    });
    let called = called.into_inner();
    let mut at = 0;
    for run in &mut runs {
        if !matches!(run.result, Ok(Proof::Starts(_))) {
            continue;
        }
        let call = &called[at];
        at += 1;
        // The other near shells have only to say the same.
        match &first {
            None => first = Some(call.clone()),
            Some(first) if first.argv == call.argv => continue,
            Some(first) => {
                run.result =
                    Err(format!("other arguments than in the shell before: {:?}, {:?}", call.argv, first.argv));
                continue;
            }
        }
    }
    let Some(call) = first else { return runs };
    let judged: Vec<Run> = FAR_SHELLS
        .iter()
        .map(|far| Run {
            by: format!("{program} to {far}"),
            result: match start(&call, far) {
                Ok(records) => judge(bench, &records),
                // ssh itself takes no such name, and so has done nothing.
                Err(said) if said.contains("hostname contains invalid characters") && call.program == "ssh" => {
                    Ok(Proof::Refused)
                }
                Err(said) => Err(said),
            },
        })
        .collect();
    // Near shells that passed prove the line alone; what it starts is proved behind it.
    runs.retain(|run| !matches!(&run.result, Ok(Proof::Starts(_))));
    runs.extend(judged);
    runs
}

fn judge(bench: &Bench<'_>, records: &[Record]) -> Result<Proof, String> {
    let record = only(records)?;
    match record.program.as_str() {
        "berth" => shells::through_berth(bench, record),
        "docker" => containers::by_docker(bench, &record.argv),
        _ => shells::visible(bench, record),
    }
}

fn tmux_server(bench: &Bench<'_>, far: &str, argv: &[String]) -> Result<Vec<Record>, String> {
    let stage = bench.stage;
    stage.forget();
    // A socket of its own for each server: one that ends takes the next one's with it.
    let sockets = tempfile::tempdir_in(stage.path("tmux")).map_err(|error| error.to_string())?;
    let call = |args: &[&str]| {
        let mut process = tool(stage, "tmux")?;
        process.env("TMUX_TMPDIR", sockets.path());
        let output = finish(process.args(args).stdin(Stdio::null()))?;
        if output.status.success() { Ok(()) } else { Err(format!("tmux {args:?}: {}", said(&output))) }
    };
    // A server that was started with other cards: tmux gives its own variables to what it starts.
    call(&["-f", "/dev/null", "new-session", "-d", "-s", "kept", "sleep 600"])?;
    let shell = crate::stage::find(far).ok_or_else(|| format!("{far} is not installed"))?;
    let ran = call(&["set-option", "-g", "default-shell", &shell.display().to_string()]).and_then(|()| {
        let args: Vec<&str> = argv.iter().map(String::as_str).collect();
        call(&args)?;
        stage.wait_for(1)
    });
    drop(call(&["kill-server"]));
    stage.clean()?;
    ran
}
