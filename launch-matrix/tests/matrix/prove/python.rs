//! Blocks of Python, run by a real Python with recorders in the place of frameworks, and kernels of Jupyter, started by
//! Jupyter's own code.

use domain::launch::Form;

use super::{Bench, Proof, Run, Seen, Started, only, shells, started};
use crate::cuda;
use crate::stage::{Record, tools};

/// A block that sets variables before the first import of a framework, and then tells it something about the cards.
pub fn block(bench: &Bench<'_>, form: &Form) -> Vec<Run> {
    vec![Run { by: "python3".to_owned(), result: block_result(bench, form) }]
}

fn block_result(bench: &Bench<'_>, form: &Form) -> Result<Proof, String> {
    let text = bench.filled(form);
    let events = run(bench, &text, &[])?;
    let cards = imported(bench, &events)?;
    for event in &events[1..] {
        let said: Vec<&str> = event.argv.iter().map(String::as_str).collect();
        told(bench, &cards, &said)?;
    }
    Ok(started(cards, bench.case.program.clone()))
}

/// What a framework is told after its import must mean just the cards that it sees.
fn told(bench: &Bench<'_>, cards: &[String], said: &[&str]) -> Result<(), String> {
    let every: Vec<String> = (0..cards.len()).map(|place| place.to_string()).collect();
    let right = match said {
        ["device" | "to", device] => *device == "cuda:0",
        ["DataParallel", ids] => *ids == every.join(","),
        ["growth", place, "True"] => every.iter().any(|one| one == place),
        ["logical", place, parts] => {
            let sum: u64 = parts.split(',').filter_map(|part| part.parse::<u64>().ok()).sum();
            every.iter().any(|one| one == place) && sum > 1024 && sum < 81_559
        }
        ["Trainer", "gpu", devices, nodes, strategy] => {
            let hosts = bench.case.plan.hosts.len().to_string();
            let many = cards.len() > 1 || *nodes != "1";
            devices.parse() == Ok(cards.len()) && (*nodes == "1" || *nodes == hosts) && (*strategy == "ddp") == many
        }
        // Frameworks that bring others with them.
        ["import torch"] => true,
        _ => false,
    };
    if right { Ok(()) } else { Err(format!("with {} cards it is told {said:?}", cards.len())) }
}

/// What was seen at the import that came first.
fn imported(bench: &Bench<'_>, events: &[Record]) -> Result<Vec<String>, String> {
    let first = events.first().ok_or("nothing is imported")?;
    if !first.argv.first().is_some_and(|said| said.starts_with("import ")) {
        return Err(format!("no import, but {:?}", first.argv));
    }
    cuda::visible(&bench.case.machine, &first.env)
}

/// The lines before every import: a person's program comes below them.
pub fn before_import(bench: &Bench<'_>, form: &Form) -> Vec<Run> {
    let result = run(bench, &format!("{}\nimport torch\n", form.text), &[])
        .and_then(|events| Ok(started(imported(bench, &events)?, bench.case.program.clone())));
    vec![Run { by: "python3".to_owned(), result }]
}

/// A program that a launcher starts once for each card.
pub fn ranks(bench: &Bench<'_>, form: &Form) -> Vec<Run> {
    let text = bench.filled(form);
    let one = |rank: usize| -> Result<(Vec<String>, Vec<Vec<String>>), String> {
        let events = run(bench, &text, &[("LOCAL_RANK", &rank.to_string())])?;
        Ok((imported(bench, &events)?, events[1..].iter().map(|event| event.argv.clone()).collect()))
    };
    let result = one(0).and_then(|(cards, _)| {
        for rank in 0..cards.len() {
            let (seen, said) = one(rank)?;
            let place = rank.to_string();
            let wanted: [&[&str]; 4] =
                [&["init_process_group", "nccl"], &["set_device", &place], &["to", &place], &["DDP", &place]];
            if seen != cards || said != wanted {
                return Err(format!("rank {rank} sees {seen:?} and is told {said:?}"));
            }
        }
        Ok(started(cards, bench.case.program.clone()))
    });
    vec![Run { by: "python3".to_owned(), result }]
}

/// A framework that chooses among all cards of the machine by numbers of its own.
pub fn by_own_numbers(bench: &Bench<'_>, form: &Form) -> Vec<Run> {
    let result = run(bench, &form.text, &[]).and_then(|events| {
        let first = events.first().ok_or("nothing is imported")?;
        if first.env.contains_key("CUDA_VISIBLE_DEVICES") {
            return Err("CUDA_VISIBLE_DEVICES is set as well: numbers would count what is left".to_owned());
        }
        let order = first.env.get("CUDA_DEVICE_ORDER").map(String::as_str);
        if order != Some("PCI_BUS_ID") {
            return Err(format!("the order is {order:?}"));
        }
        let [_, told] = events.as_slice() else { return Err(format!("told {} things", events.len())) };
        let list = told.argv.last().map(String::as_str).unwrap_or_default();
        let counted = cuda::counted(&bench.case.machine, order);
        let one = |place: &str| {
            place.parse::<usize>().ok().and_then(|place| counted.get(place)).map(|card| card.uuid.clone())
        };
        let cards: Option<Vec<String>> = list.split(',').map(one).collect();
        Ok(started(cards.ok_or_else(|| format!("no cards: {list:?}"))?, bench.case.program.clone()))
    });
    vec![Run { by: "python3".to_owned(), result }]
}

/// A program that starts one worker for each card.
pub fn workers(bench: &Bench<'_>, form: &Form) -> Vec<Run> {
    let result = run(bench, &form.text, &[]).and_then(|events| {
        let mut starts = Vec::new();
        for event in &events {
            let seen = Seen::Cards(cuda::visible(&bench.case.machine, &event.env)?);
            starts.push(Started { seen, words: bench.case.program.clone() });
        }
        // They start at the same time; which comes first says nothing.
        let place = |start: &Started| match &start.seen {
            Seen::Cards(cards) => bench.case.booked.iter().position(|uuid| cards.first() == Some(uuid)),
            _ => None,
        };
        starts.sort_by_key(place);
        Ok(Proof::Starts(starts))
    });
    vec![Run { by: "python3".to_owned(), result }]
}

/// A kernel, found and started by Jupyter's client; the program that it would be is a recorder.
pub fn kernel(bench: &Bench<'_>, form: &Form) -> Vec<Run> {
    let result = (|| {
        let io = |error: std::io::Error| error.to_string();
        let named = form.file.as_deref().unwrap_or_default();
        let inner =
            named.strip_prefix("~/.local/share/jupyter/kernels/").and_then(|rest| rest.strip_suffix("/kernel.json"));
        let name = inner.ok_or_else(|| format!("not a place for a kernel: {named:?}"))?;
        let kernels = bench.stage.path("home/.local/share/jupyter/kernels");
        drop(std::fs::remove_dir_all(&kernels));
        std::fs::create_dir_all(kernels.join(name)).map_err(io)?;
        std::fs::write(kernels.join(name).join("kernel.json"), &form.text).map_err(io)?;
        modules(bench)?;
        let python = tools().ok_or("run scripts/launch-tools")?.join("python/bin/python");
        let mut process = bench.stage.process(python);
        process.arg("-c").arg(include_str!("../fakes/start_kernel.py")).arg(name);
        with_fakes(bench, &mut process);
        let records = bench.stage.run(&mut process)?;
        let record = only(&records)?;
        Ok(started(cuda::visible(&bench.case.machine, &record.env)?, bench.case.program.clone()))
    })();
    vec![Run { by: "jupyter_client".to_owned(), result }]
}

/// The first cell of a notebook, run by `IPython`.
pub fn cell(bench: &Bench<'_>, form: &Form) -> Vec<Run> {
    let result = (|| {
        modules(bench)?;
        let python = tools().ok_or("run scripts/launch-tools")?.join("python/bin/python");
        let mut process = bench.stage.process(python);
        process.arg("-c").arg(include_str!("../fakes/run_cell.py")).arg(&form.text);
        with_fakes(bench, &mut process);
        let events = bench.stage.run(&mut process)?;
        Ok(started(imported(bench, &events)?, bench.case.program.clone()))
    })();
    vec![Run { by: "IPython".to_owned(), result }]
}

/// Modules in the place of frameworks.
pub fn modules(bench: &Bench<'_>) -> Result<(), String> {
    let folder = bench.stage.path("modules");
    if folder.exists() {
        return Ok(());
    }
    let io = |error: std::io::Error| error.to_string();
    std::fs::create_dir(&folder).map_err(io)?;
    std::fs::write(folder.join("berth_fake.py"), include_str!("../fakes/berth_fake.py")).map_err(io)?;
    for (name, make) in
        [("torch", "torch"), ("tensorflow", "tensorflow"), ("jax", "jax"), ("lightning", "lightning_pytorch")]
    {
        let text = format!("import sys\nimport berth_fake\nsys.modules[__name__] = berth_fake.{make}()\n");
        std::fs::write(folder.join(format!("{name}.py")), text).map_err(io)?;
    }
    let kernel = "import berth_fake\nberth_fake.record('kernel')\n";
    std::fs::write(folder.join("ipykernel_launcher.py"), kernel).map_err(io)
}

pub fn with_fakes(bench: &Bench<'_>, process: &mut std::process::Command) {
    process
        .env("PYTHONPATH", bench.stage.path("modules"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("MATRIX_RECORDER", bench.stage.path("bin").join("python"))
        .env("MATRIX_CARDS", bench.case.machine.len().to_string());
}

/// Runs a text as a program.
fn run(bench: &Bench<'_>, text: &str, env: &[(&str, &str)]) -> Result<Vec<Record>, String> {
    modules(bench)?;
    let file = bench.stage.path("work").join("block.py");
    std::fs::write(&file, format!("{text}\n")).map_err(|error| error.to_string())?;
    let mut process = bench.stage.process("/usr/bin/python3");
    process.arg(&file).envs(env.iter().copied());
    with_fakes(bench, &mut process);
    let ran = bench.stage.run(&mut process);
    drop(std::fs::remove_file(&file));
    ran
}

/// A launcher: what it is told, and what it starts.
pub fn launcher(bench: &Bench<'_>, form: &Form) -> Vec<Run> {
    bench.in_shells(form, &bench.filled(form), |records| {
        let call = only(records)?;
        let (processes, words) = launched(bench, call)?;
        let Proof::Starts(starts) = shells::visible(bench, call)? else { return Err("nothing is started".to_owned()) };
        let seen = starts.into_iter().next().map(|start| start.seen);
        let Some(Seen::Cards(cards)) = seen else { return Err("no cards".to_owned()) };
        if processes != cards.len() {
            return Err(format!("{processes} processes for {} cards", cards.len()));
        }
        Ok(started(cards, words))
    })
}

/// How many processes a launcher is told to start here, and of what.
fn launched(bench: &Bench<'_>, call: &Record) -> Result<(usize, Vec<String>), String> {
    let case = bench.case;
    let hosts = case.plan.hosts.len();
    let first = &case.plan.hosts[0].host_name;
    let meeting = format!("{first}:29500");
    let mut options: Vec<(String, String)> = Vec::new();
    let mut rest = call.argv.iter().map(String::as_str).peekable();
    let accelerate = call.program == "accelerate";
    if accelerate && rest.next() != Some("launch") {
        return Err(format!("not accelerate launch: {:?}", call.argv));
    }
    // Options without a value of these launchers; the word after any other is its value.
    let plain = ["--standalone", "--no-python", "--no_python", "--module", "-m", "--multi_gpu"];
    let mut python = true;
    while let Some(option) = rest.next_if(|word| word.starts_with('-')) {
        if let Some((name, value)) = option.split_once('=') {
            options.push((name.to_owned(), value.to_owned()));
        } else if plain.contains(&option) {
            python &= !option.replace('_', "-").ends_with("no-python");
            options.push((option.to_owned(), String::new()));
        } else {
            options.push((option.to_owned(), rest.next().unwrap_or_default().to_owned()));
        }
    }
    let said = |name: &str| options.iter().find(|(option, _)| option == name).map(|(_, value)| value.as_str());
    let number = |name: &str| said(name).and_then(|value| value.parse::<usize>().ok());
    let module = options.iter().any(|(name, _)| name == "-m" || name == "--module");
    let mut words: Vec<String> = rest.map(str::to_owned).collect();
    if module {
        words.insert(0, "-m".to_owned());
    }
    if python {
        words.insert(0, "python".to_owned());
    }
    let processes = match call.program.as_str() {
        "torchrun" if said("--standalone").is_some() => number("--nproc-per-node"),
        "torchrun" => {
            let keeps = format!("is_host={}", u8::from(case.at == 0));
            let right = number("--nnodes") == Some(hosts)
                && said("--rdzv-backend") == Some("c10d")
                && said("--rdzv-endpoint") == Some(&meeting)
                && said("--rdzv-conf") == Some(&keeps)
                && said("--rdzv-id").is_some_and(|id| !id.is_empty());
            number("--nproc-per-node").filter(|_| right)
        }
        "accelerate" => match number("--num_machines") {
            None => number("--num_processes").filter(|&all| (all > 1) == said("--multi_gpu").is_some()),
            Some(machines) => {
                let right = machines == hosts
                    && number("--machine_rank") == Some(case.at)
                    && said("--main_process_ip") == Some(first)
                    && said("--main_process_port") == Some("29500");
                number("--num_processes").filter(|_| right).map(|all| all / machines)
            }
        },
        _ => None,
    };
    Ok((processes.ok_or_else(|| format!("not understood: {} {:?}", call.program, call.argv))?, words))
}

/// `deepspeed`, whose slots are numbers in the order of the bus.
pub fn deepspeed(bench: &Bench<'_>, form: &Form) -> Vec<Run> {
    bench.in_shells(form, &bench.filled(form), |records| {
        let call = only(records)?;
        if call.env.contains_key("CUDA_VISIBLE_DEVICES")
            || call.env.get("CUDA_DEVICE_ORDER").map(String::as_str) != Some("PCI_BUS_ID")
        {
            return Err("its variables would count for or against it".to_owned());
        }
        let [include, list, rest @ ..] = call.argv.as_slice() else { return Err(format!("{:?}", call.argv)) };
        let slots = list.strip_prefix("localhost:").filter(|_| include == "--include" && call.program == "deepspeed");
        let slots = slots.ok_or_else(|| format!("not deepspeed --include localhost:...: {:?}", call.argv))?;
        let numbers: Result<std::collections::BTreeSet<usize>, _> = slots.split(',').map(str::parse).collect();
        let numbers = numbers.map_err(|_| format!("slots are numbers: {slots:?}"))?;
        let counted = cuda::counted(&bench.case.machine, Some("PCI_BUS_ID"));
        let cards =
            numbers.iter().map(|&slot| counted.get(slot).map(|card| card.uuid.clone())).collect::<Option<Vec<_>>>();
        let mut words = rest.to_vec();
        match words.first().map(String::as_str) {
            Some("--no_python") => drop(words.remove(0)),
            Some("--module") => words.splice(0..1, ["python".to_owned(), "-m".to_owned()]).for_each(drop),
            _ => words.insert(0, "python".to_owned()),
        }
        Ok(started(cards.ok_or_else(|| format!("no such slot: {slots:?}"))?, words))
    })
}
