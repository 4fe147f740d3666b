//! Services: unit files as systemd itself reads them, and what `systemd-run` asks of it.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;

use domain::launch::Form;

use super::{Bench, Proof, Run, only, started};
use crate::cuda;
use crate::stage::{find, finish, is_root, said};

/// A unit file, by `systemd-analyze verify` and by a systemd in its test mode, which prints every unit as it has read
/// it.
pub fn unit(bench: &Bench<'_>, form: &Form) -> Vec<Run> {
    vec![Run { by: "systemd --test".to_owned(), result: read_unit(bench, form) }]
}

fn read_unit(bench: &Bench<'_>, form: &Form) -> Result<Proof, String> {
    let named = form.file.as_deref().unwrap_or_default();
    let name = named
        .rsplit('/')
        .next()
        .filter(|name| named.starts_with("~/.config/systemd/user/") && name.ends_with(".service"));
    let name = name.ok_or_else(|| format!("not a place for a user's unit: {named:?}"))?;
    if !name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')) {
        return Err(format!("a name that would have to be escaped: {name:?}"));
    }
    let (env, words, others) = load(bench, name, &form.text, None)?;
    if !others.is_empty() {
        return Err(format!("the unit has more than it should: {others:?}"));
    }
    Ok(started(cuda::visible(&bench.case.machine, &env)?, without_env(words)))
}

/// `/usr/bin/env python ...` is `python ...`: `env` looks in `PATH`, as the recorder behind it would.
pub fn without_env(words: Vec<String>) -> Vec<String> {
    match words.as_slice() {
        [env, rest @ ..] if env == "/usr/bin/env" => rest.to_vec(),
        _ => words,
    }
}

type Read = (BTreeMap<String, String>, Vec<String>, Vec<String>);

/// Variables, command and whatever else of a unit as systemd has understood it.
pub fn load(bench: &Bench<'_>, name: &str, text: &str, drop_in: Option<&str>) -> Result<Read, String> {
    let folder = bench.stage.path("units");
    drop(std::fs::remove_dir_all(&folder));
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).map_err(|error| error.to_string());
    std::fs::create_dir(&folder).map_err(|error| error.to_string())?;
    write(name, &format!("{text}\n"))?;
    if let Some(more) = drop_in {
        std::fs::create_dir(folder.join(format!("{name}.d"))).map_err(|error| error.to_string())?;
        write(&format!("{name}.d/berth.conf"), &format!("{more}\n"))?;
    }
    for other in ["basic.target", "shutdown.target", "sysinit.target", "default.target", "network-online.target"] {
        write(other, "[Unit]\n")?;
    }
    let run = bench.stage.path("run");
    std::fs::create_dir_all(&run).map_err(|error| error.to_string())?;
    // systemd's test mode does not run as root.
    std::fs::set_permissions(&run, PermissionsExt::from_mode(0o777)).map_err(|error| error.to_string())?;

    let systemd = find("systemd").ok_or("systemd is missing: run scripts/setup test")?;
    let mut verify = bench.stage.process("systemd-analyze");
    verify.args(["verify", "--user", "--man=no", "--generators=no"]).arg(folder.join(name));
    verify.env("SYSTEMD_UNIT_PATH", &folder).env("XDG_RUNTIME_DIR", &run);
    let verified = finish(&mut verify)?;
    if !verified.status.success() || !said(&verified).is_empty() {
        return Err(format!("systemd-analyze verify: {}", said(&verified)));
    }
    let mut test = if is_root() {
        let mut process = bench.stage.process("setpriv");
        process.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]).arg(systemd);
        process
    } else {
        bench.stage.process(systemd)
    };
    test.args(["--test", "--user", "--log-target=console", &format!("--unit={name}")]);
    test.env("SYSTEMD_UNIT_PATH", &folder).env("XDG_RUNTIME_DIR", &run).env("HOME", &run);
    test.env_remove("CUDA_VISIBLE_DEVICES").env_remove("CUDA_DEVICE_ORDER");
    let output = finish(&mut test)?;
    let dump = String::from_utf8_lossy(&output.stdout).into_owned();
    let start = dump.find(&format!("-> Unit {name}:")).ok_or_else(|| format!("systemd --test: {}", said(&output)))?;
    let dump = &dump[start..];
    let dump = dump[8..].find("-> Unit ").map_or(dump, |end| &dump[..end + 8]);

    let mut env = BTreeMap::new();
    let mut commands = Vec::new();
    let mut others = Vec::new();
    for line in dump.lines().map(str::trim_start) {
        if let Some((name, value)) = line.strip_prefix("Environment: ").and_then(|said| said.split_once('=')) {
            env.insert(name.to_owned(), value.to_owned());
        } else if let Some(command) = line.strip_prefix("Command Line: ") {
            commands.push(command.to_owned());
        } else if line.starts_with("Working Directory") || line.starts_with("EnvironmentFile") {
            others.push(line.to_owned());
        }
    }
    let [command] = commands.as_slice() else { return Err(format!("not one command: {commands:?}")) };
    Ok((env, expanded(&unquoted(command)?), others))
}

/// Words of a command as systemd prints them: quoted in the way of C where they need it.
fn unquoted(line: &str) -> Result<Vec<String>, String> {
    let mut words: Vec<Vec<u8>> = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut bytes = line.bytes().peekable();
    let mut quoted = false;
    while let Some(byte) = bytes.next() {
        match byte {
            b' ' if !quoted => words.extend(word.take()),
            b'"' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            b'\\' => {
                let next = bytes.next().ok_or("ends with a backslash")?;
                let value = match next {
                    b'n' => b'\n',
                    b't' => b'\t',
                    b'r' => b'\r',
                    b'a' => 7,
                    b'b' => 8,
                    b'f' => 12,
                    b'v' => 11,
                    b'0'..=b'7' => {
                        let digits = [next, bytes.next().unwrap_or(b'0'), bytes.next().unwrap_or(b'0')];
                        digits.iter().fold(0u8, |sum, digit| sum.wrapping_mul(8).wrapping_add(digit - b'0'))
                    }
                    other => other,
                };
                word.get_or_insert_default().push(value);
            }
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    words.into_iter().map(|word| String::from_utf8(word).map_err(|error| error.to_string())).collect()
}

/// What systemd does with `$` when it starts a command: `$$` is one, `$NAME` and `${NAME}` are variables' values.
fn expanded(words: &[String]) -> Vec<String> {
    words
        .iter()
        .map(|word| {
            // What is left of a single `$` would be replaced: no such word may come out, so it is marked.
            let parts: Vec<String> = word.split("$$").map(|part| part.replace('$', "<variable>")).collect();
            parts.join("$")
        })
        .collect()
}

/// `systemd-run`, with somebody in the place of systemd who writes down what it is asked to start.
pub fn transient(bench: &Bench<'_>, form: &Form) -> Vec<Run> {
    bench.in_shells(form, &bench.filled(form), |records| {
        let call = only(records)?;
        if call.program != "systemd-run" {
            return Err(format!("{} was started", call.program));
        }
        let asked = bench.tools.systemd_run(bench.stage, &call.argv)?;
        let env = asked.environment.iter().filter_map(|said| said.split_once('='));
        let env: BTreeMap<String, String> = env.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let mut words = expanded(&asked.command);
        // systemd-run looks programs up itself.
        if let Some(first) = words.first_mut()
            && let Some(name) = first.strip_prefix(&format!("{}/", bench.stage.path("bin").display()))
        {
            *first = name.to_owned();
        }
        Ok(started(cuda::visible(&bench.case.machine, &env)?, words))
    })
}
