//! Launch lines as real shells read them. A shell that is not installed is left out; `sh` and `bash` must be there.

use std::path::PathBuf;
use std::process::{Command as Process, Stdio};
use std::sync::LazyLock;

use domain::id::{CardUuid, HostId};
use domain::launch::{Command, HostCards, HostFacts, LaunchCard, Naming, Plan, check, commands, single_quote};
use proptest::prelude::*;

const A: &str = "GPU-3a23c669-1f69-c64e-cf85-44e9b07e7a2a";
const B: &str = "GPU-7be0f1d4-52c8-9a1b-6e0d-b1c4a2f09d37";

static SHELLS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let found: Vec<_> = ["sh", "dash", "bash", "zsh", "fish"].into_iter().filter(|shell| installed(shell)).collect();
    assert!(found.contains(&"sh") && found.contains(&"bash"), "sh and bash are needed for this test");
    found
});

fn installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// Runs a script in a shell without anybody's start files, and gives back what it printed.
fn run(shell: &str, script: &str) -> Vec<u8> {
    let plain: &[&str] = match shell {
        "bash" => &["--noprofile", "--norc"],
        "zsh" => &["-f"],
        "fish" => &["--no-config"],
        _ => &[],
    };
    let output = Process::new(shell)
        .args(plain)
        .args(["-c", script])
        .env("LC_ALL", "C.UTF-8")
        .env_remove("CUDA_VISIBLE_DEVICES")
        .stdin(Stdio::null())
        .output()
        .expect("the shell starts");
    assert!(output.status.success(), "{shell}: {script}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// Puts a recorder in place of `name`, runs the line, and gives back the arguments that the recorder got.
fn argv(shell: &str, name: &str, line: &str) -> Vec<String> {
    let recorder = match shell {
        "fish" => format!("function {name}; printf '%s\\0' $argv; end"),
        _ => format!("{name}() {{ printf '%s\\0' \"$@\"; }}"),
    };
    let printed = String::from_utf8(run(shell, &format!("{recorder}\n{line}\n"))).expect("UTF-8");
    printed.split_terminator('\0').map(str::to_owned).collect()
}

fn host(uuids: &[&str]) -> HostCards {
    let card = |(n, uuid): (usize, &&str)| LaunchCard {
        uuid: CardUuid::parse(uuid).expect("valid"),
        number: (u32::try_from(n).expect("few") + 2).into(),
        model: "H100".to_owned(),
        pci_bus_id: None,
        memory_mib: None,
        shared: false,
        budget_mib: None,
    };
    HostCards {
        host: HostId(uuid::Uuid::nil()),
        host_name: "dgx-h100".to_owned(),
        cards: uuids.iter().enumerate().map(card).collect(),
        facts: HostFacts::default(),
    }
}

fn command(host: &HostCards, id: &str) -> Command {
    let plan = Plan { hosts: vec![host.clone()], ..Plan::default() };
    commands(&plan, 0, &domain::text::en().launch).into_iter().find(|command| command.id == id).expect("there is one")
}

/// The devices that Docker would take from an argument of `--gpus`: one CSV field, quoted, of `device=` and a list.
fn devices(argument: &str) -> Vec<String> {
    let field = argument.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).expect("one quoted CSV field");
    assert!(!field.contains('"'), "{argument}");
    field.strip_prefix("device=").expect("a device list").split(',').map(str::to_owned).collect()
}

fn program() -> Vec<String> {
    ["--rm", "-it", "IMAGE", "python", "train.py"].map(str::to_owned).to_vec()
}

#[test]
fn docker_receives_exactly_the_reserved_cards_with_the_inner_quotes() {
    for uuids in [&[A][..], &[A, B], &[B, A]] {
        let docker = command(&host(uuids), "docker");
        let indices: Vec<String> = (2..2 + uuids.len()).map(|n| n.to_string()).collect();
        for shell in SHELLS.iter() {
            for (form, wanted) in
                docker.forms.iter().zip([uuids.to_vec(), indices.iter().map(|n| n.as_str()).collect()])
            {
                let got = argv(shell, "docker", &form.text);
                assert_eq!(got[..2], ["run", "--gpus"], "{shell}");
                assert_eq!(got[2], format!("\"device={}\"", wanted.join(",")), "{shell}");
                assert_eq!(devices(&got[2]), wanted, "{shell}");
                assert_eq!(got[3..], program(), "{shell}");
            }
        }
    }
}

#[test]
fn docker_receives_exactly_the_reserved_cards_by_cdi_name() {
    let docker = command(&host(&[B, A]), "docker");
    let line = &docker.forms.iter().find(|form| form.key == "cdi").expect("a form").text;
    for shell in SHELLS.iter() {
        let got = argv(shell, "docker", line);
        let names: Vec<_> = got.windows(2).filter(|pair| pair[0] == "--device").map(|pair| pair[1].as_str()).collect();
        assert_eq!(names, [format!("nvidia.com/gpu={B}"), format!("nvidia.com/gpu={A}")], "{shell}");
        assert!(!line.contains(['\'', '"', '\\', '\n']), "nothing to quote: {line}");
    }
}

#[test]
fn berth_run_receives_the_cards_and_the_command() {
    let host = host(&[A, B]);
    for shell in SHELLS.iter() {
        let got: Vec<_> = command(&host, "run").forms.iter().map(|form| argv(shell, "berth", &form.text)).collect();
        assert_eq!(got[0], ["run", "--", "python", "train.py"], "{shell}");
        assert_eq!(got[1], ["run", "--cards", "2,3", "--", "python", "train.py"], "{shell}");
        assert_eq!(got[2], ["run", "--cards", "2", "--", "python", "train.py"], "{shell}");
        let checked = argv(shell, "berth", &check(&host)[0].text);
        assert_eq!(checked[3..6], ["--", "python", "-c"], "{shell}");
        assert_eq!(checked[6], "import torch; print(torch.cuda.device_count())", "{shell}");
    }
}

#[test]
fn shells_export_both_variables_to_what_they_start() {
    let shell_lines = command(&host(&[A, B]), "shell");
    for shell in SHELLS.iter() {
        let forms = shell_lines.forms.iter().filter(|form| form.key == "posix");
        for (form, wanted) in forms.zip([format!("{A},{B}"), "2,3".to_owned()]) {
            let script = format!("{}\nsh -c 'echo $CUDA_DEVICE_ORDER $CUDA_VISIBLE_DEVICES'", form.text);
            assert_eq!(String::from_utf8_lossy(&run(shell, &script)).trim(), format!("PCI_BUS_ID {wanted}"), "{shell}");
        }
    }
}

#[test]
fn a_prefix_sets_both_variables_for_one_program() {
    let python = Folder::with_program("python", "#!/bin/sh\necho \"$CUDA_DEVICE_ORDER $CUDA_VISIBLE_DEVICES $*\"\n");
    let torch = command(&host(&[A, B]), "torch");
    for shell in SHELLS.iter() {
        for (form, wanted) in torch.forms.iter().zip([format!("{A},{B}"), "2,3".to_owned()]) {
            let path = single_quote(&format!("{}:/usr/bin:/bin", python.0.display()));
            let script = match *shell {
                "fish" => format!("set -x PATH (string split : {path})\n{}", form.text),
                _ => format!("PATH={path}\n{}", form.text),
            };
            let said = String::from_utf8_lossy(&run(shell, &script)).trim().to_owned();
            assert_eq!(said, format!("PCI_BUS_ID {wanted} train.py"), "{shell}");
        }
    }
}

#[test]
fn the_lines_for_the_program_are_python_and_set_both_variables() {
    let torch = command(&host(&[A, B]), "torch");
    let block = torch.forms.iter().find(|form| form.key == "inside").expect("a form");
    assert_eq!(block.naming, Naming::Uuid);
    assert!(installed("python3"), "python3 is needed for this test");
    let script = block
        .text
        .replace("import torch", "print(os.environ['CUDA_DEVICE_ORDER'], os.environ['CUDA_VISIBLE_DEVICES'])");
    let output = Process::new("python3").args(["-I", "-c", &script]).output().expect("python starts");
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), format!("PCI_BUS_ID {A},{B}"));
}

/// A folder with one program in it, gone after the test.
struct Folder(PathBuf);

impl Folder {
    fn with_program(name: &str, text: &str) -> Self {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = std::env::temp_dir().join(format!("berth launch {} it's", std::process::id()));
        std::fs::create_dir_all(&folder).expect("folder");
        let file = folder.join(name);
        std::fs::write(&file, text).expect("program");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).expect("mode");
        Self(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Nothing depends on it: a folder left in the temporary directory is harmless.
        drop(std::fs::remove_dir_all(&self.0));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    /// Many words at once, since starting five shells for each would take most of the time.
    #[test]
    fn a_quoted_word_is_one_argument_with_the_same_bytes(
        words in prop::collection::vec("[^\0]{0,24}|['\"\\\\$`! *~#\n\t-]{0,12}", 1..12)
    ) {
        let line = words.iter().map(|word| single_quote(word)).collect::<Vec<_>>().join(" ");
        for shell in SHELLS.iter() {
            let printed = run(shell, &format!("printf '%s\\0' {line}"));
            let got: Vec<&[u8]> = printed.strip_suffix(b"\0").expect("ends").split(|&byte| byte == 0).collect();
            let wanted: Vec<&[u8]> = words.iter().map(String::as_bytes).collect();
            prop_assert_eq!(got, wanted, "{}: {}", shell, &line);
        }
    }
}
