//! What command is started, as far as it matters for how it is told its cards: some programs read numbers only, and some
//! have options of their own that choose cards.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::ValueEnum;
use domain::wire::guard_v1::CardName;

use crate::clean::clean;

/// How cards are named to a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Ids {
    /// By UUID, which means the same card whatever the order is
    Uuid,
    /// By number, in the order of the bus
    Index,
}

/// A program that has its own way with cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// vLLM: reads numbers only.
    Vllm,
    /// Launcher of `deepspeed`: reads numbers only, and ignores the environment with some of its options.
    DeepSpeed,
    /// Accelerate's launcher: reads numbers, and may choose cards itself.
    Accelerate,
}

/// A command as it concerns its cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading<'a> {
    /// Which program, where it is one that matters.
    pub known: Option<Known>,
    args: &'a [OsString],
}

/// How the command is to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Telling {
    /// By what.
    pub ids: Ids,
    /// The command's own options choose its cards already, and go together with no `CUDA_VISIBLE_DEVICES`.
    pub by_options: bool,
}

/// Programs that start the program that is named after their own options.
const WRAPPERS: [&str; 9] = ["env", "nohup", "nice", "time", "setsid", "stdbuf", "uv", "poetry", "pipenv"];

impl Known {
    fn of(name: &str) -> Option<Self> {
        match name {
            "vllm" => Some(Self::Vllm),
            "deepspeed" => Some(Self::DeepSpeed),
            "accelerate" | "accelerate-launch" => Some(Self::Accelerate),
            _ => None,
        }
    }

    /// What people call it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Vllm => "vllm",
            Self::DeepSpeed => "deepspeed",
            Self::Accelerate => "accelerate",
        }
    }
}

/// Reads a command, through what only starts another one: `env A=b nice -n 5 python3 -m vllm.entrypoints…`.
#[must_use]
pub fn read(command: &[OsString]) -> Reading<'_> {
    let mut rest = command;
    while let Some((program, args)) = rest.split_first() {
        let name = base(program);
        if let Some(known) = Known::of(&name) {
            return Reading { known: Some(known), args };
        }
        if is_python(&name) {
            return of_python(args);
        }
        if !WRAPPERS.contains(&name.as_str()) {
            break;
        }
        rest = after_wrapper(&name, args);
    }
    Reading { known: None, args: &[] }
}

/// The command that a wrapper starts: after its options, their values, and settings such as `A=b`.
fn after_wrapper<'a>(name: &str, args: &'a [OsString]) -> &'a [OsString] {
    let mut at = 0;
    while let Some(arg) = args.get(at).map(|arg| arg.to_string_lossy()) {
        let takes_value =
            matches!((name, arg.as_ref()), ("nice", "-n") | ("env", "-u" | "-C") | ("stdbuf", "-i" | "-o" | "-e"));
        let own = arg.starts_with('-') || (name == "env" && arg.contains('='));
        let is_verb = matches!(name, "uv" | "poetry" | "pipenv") && arg == "run";
        match () {
            () if takes_value => at += 2,
            () if own || is_verb => at += 1,
            () => break,
        }
    }
    args.get(at..).unwrap_or_default()
}

fn of_python(args: &[OsString]) -> Reading<'_> {
    let module = args.iter().position(|arg| arg == "-m").and_then(|at| args.get(at + 1).map(|module| (at, module)));
    // Options before a script are few; `-m` behind it is the script's own.
    let script = args.iter().position(|arg| !arg.to_string_lossy().starts_with('-'));
    match module.filter(|(at, _)| script.is_none_or(|script| script > *at)) {
        Some((at, module)) => {
            let name = module.to_string_lossy();
            let known = Known::of(name.split('.').next().unwrap_or_default());
            Reading { known, args: args.get(at + 2..).unwrap_or_default() }
        }
        None => {
            // `python /opt/venv/bin/vllm serve …`
            let known = script.and_then(|at| args.get(at)).and_then(|script| Known::of(&base(script)));
            Reading { known, args: script.and_then(|at| args.get(at + 1..)).unwrap_or_default() }
        }
    }
}

fn is_python(name: &str) -> bool {
    name.strip_prefix("python").is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == '.'))
}

fn base(program: &OsStr) -> String {
    Path::new(program).file_name().unwrap_or(program).to_string_lossy().into_owned()
}

impl Reading<'_> {
    /// How it is to be told its cards.
    ///
    /// # Errors
    /// A sentence for people where the command's own options choose other cards than these, or where an instance of a card,
    /// which has no number, is to be named by one.
    pub fn telling(&self, cards: &[CardName], wish: Option<Ids>) -> Result<Telling, String> {
        let by_options = match self.known {
            Some(Known::DeepSpeed) => self.deepspeed(cards)?,
            Some(Known::Accelerate) => self.accelerate(cards)?,
            Some(Known::Vllm) | None => false,
        };
        let has_numbers = cards.iter().all(|card| card.index.is_some() && card.instance.is_none());
        let ids = match wish {
            Some(Ids::Index) if !has_numbers => {
                return Err(
                    "A MIG instance has no number by which CUDA would find it. Leave --ids index out.".to_owned()
                );
            }
            Some(ids) => ids,
            None if self.known.is_some() && has_numbers => Ids::Index,
            None => Ids::Uuid,
        };
        Ok(Telling { ids, by_options })
    }

    fn deepspeed(&self, cards: &[CardName]) -> Result<bool, String> {
        let instead = || format!("In its place: --include localhost:{}", numbers(cards));
        for option in ["--num_gpus", "--num_nodes", "--exclude", "-e"] {
            if self.option(option).is_some() {
                return Err(format!(
                    "With {option}, deepspeed takes the host's first cards, whichever are yours. {}",
                    instead()
                ));
            }
        }
        let Some(include) = self.option("--include").or_else(|| self.option("-i")) else { return Ok(false) };
        let slots = include.strip_prefix("localhost:").map(|slots| slots.split(',').collect::<Vec<_>>());
        match slots {
            Some(slots) if slots.iter().all(|slot| is_one(slot, cards)) => Ok(true),
            _ => {
                Err(format!("deepspeed is to use {}, and that is not what it may use. {}", clean(&include), instead()))
            }
        }
    }

    fn accelerate(&self, cards: &[CardName]) -> Result<bool, String> {
        let Some(ids) = self.option("--gpu_ids").or_else(|| self.option("--gpu-ids")) else { return Ok(false) };
        if ids == "all" || ids.split(',').all(|id| is_one(id, cards)) {
            return Ok(false);
        }
        Err(format!(
            "accelerate is to use cards {}, and may use {}. Leave its --gpu_ids out.",
            clean(&ids),
            numbers(cards)
        ))
    }

    /// The value of one of the program's own options: those before its script.
    fn option(&self, name: &str) -> Option<String> {
        let own = self.args.iter().map(|arg| arg.to_string_lossy());
        let own: Vec<_> = own.take_while(|arg| !arg.ends_with(".py") && arg != "--").collect();
        own.iter().enumerate().find_map(|(at, arg)| match arg.strip_prefix(name)? {
            "" => Some(own.get(at + 1).map(|value| value.to_string()).unwrap_or_default()),
            rest => rest.strip_prefix('=').map(str::to_owned),
        })
    }
}

fn is_one(number: &str, cards: &[CardName]) -> bool {
    number.trim().parse().is_ok_and(|number: u32| cards.iter().any(|card| card.index == Some(number)))
}

/// `0,2`, as `--cards` takes them too.
#[must_use]
pub fn numbers(cards: &[CardName]) -> String {
    cards.iter().map(CardName::label).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::id::CardUuid;

    fn card(index: u32) -> CardName {
        let uuid = CardUuid::parse(&format!("GPU-{index}aaa-bbbb")).expect("valid");
        CardName { uuid, index: Some(index), instance: None, model: String::new() }
    }

    fn telling(line: &str, wish: Option<Ids>) -> Result<Telling, String> {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        read(&words).telling(&[card(0), card(2)], wish)
    }

    fn ids(line: &str) -> Ids {
        telling(line, None).expect("it fits").ids
    }

    #[test]
    fn programs_that_read_numbers_are_known_however_they_are_started() {
        for line in [
            "vllm serve m",
            "/opt/venv/bin/vllm serve m",
            "python3 -m vllm.entrypoints.openai.api_server",
            "python3.11 -u -m vllm",
            "python /opt/venv/bin/vllm serve",
            "env A=b HF_HOME=/x vllm serve m",
            "env -u X nice -n 5 vllm serve m",
            "nohup setsid vllm serve m",
            "uv run vllm serve m",
            "poetry run python -m vllm",
            "deepspeed train.py",
            "accelerate launch train.py --gpu_ids 7",
            "python -m accelerate.commands.launch train.py",
        ] {
            assert_eq!(ids(line), Ids::Index, "{line}");
        }
        for line in [
            "python train.py",
            "python train.py -m vllm",
            "python -m torch.distributed.run train.py",
            "torchrun train.py",
            "pythonic -m vllm",
            "sh -c vllm",
            "env",
            "nice -n",
        ] {
            assert_eq!(ids(line), Ids::Uuid, "{line}");
        }
        assert_eq!(telling("vllm serve", Some(Ids::Uuid)).map(|told| told.ids), Ok(Ids::Uuid));
        assert_eq!(telling("python x", Some(Ids::Index)).map(|told| told.ids), Ok(Ids::Index));
    }

    #[test]
    fn an_instance_has_no_number() {
        let uuid = CardUuid::parse("MIG-377e0049").expect("valid");
        let instance = [CardName { uuid, index: Some(0), instance: Some(1), model: String::new() }];
        let words: Vec<OsString> = vec!["vllm".into()];
        assert_eq!(read(&words).telling(&instance, None).map(|told| told.ids), Ok(Ids::Uuid));
        assert!(read(&words).telling(&instance, Some(Ids::Index)).is_err());
    }

    #[test]
    fn options_of_deepspeed_that_choose_cards_must_choose_these() {
        let by_options = |line: &str| telling(line, None).map(|told| told.by_options);
        assert_eq!(by_options("deepspeed train.py --include x"), Ok(false), "the script's own");
        assert_eq!(by_options("deepspeed --include localhost:0,2 train.py"), Ok(true));
        assert_eq!(by_options("deepspeed --include=localhost:2 train.py"), Ok(true));
        for (line, word) in [
            ("deepspeed --include localhost:0,1 train.py", "localhost:0,1"),
            ("deepspeed --include localhost train.py", "--include localhost:0,2"),
            ("deepspeed --num_gpus 2 train.py", "--num_gpus"),
            ("deepspeed --num_gpus=2 train.py", "--include localhost:0,2"),
            ("deepspeed -i worker-1:0 train.py", "worker-1:0"),
        ] {
            let said = telling(line, None).expect_err(line);
            assert!(said.contains(word), "{line}: {said}");
        }
    }

    #[test]
    fn cards_that_accelerate_is_to_use_must_be_these() {
        for fine in ["accelerate launch --gpu_ids 0,2 x.py", "accelerate launch --gpu_ids=all x.py", "accelerate env"] {
            assert!(telling(fine, None).is_ok(), "{fine}");
        }
        let said = telling("accelerate launch --gpu_ids 0,1 x.py", None).expect_err("not these");
        assert!(said.contains("0,1") && said.contains("0,2"), "{said}");
    }
}
