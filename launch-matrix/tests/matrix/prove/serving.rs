//! Programs that answer with a model.

use domain::launch::Form;

use super::{Bench, Proof, Run, Seen, containers, only, services, shells, started};
use crate::cuda;

/// `vllm serve`, which reads the list as numbers, on so many cards.
pub fn vllm(bench: &Bench<'_>, form: &Form) -> Vec<Run> {
    bench.in_shells(form, &bench.filled(form), |records| {
        let call = only(records)?;
        let list = call.env.get("CUDA_VISIBLE_DEVICES").map(String::as_str).unwrap_or_default();
        if list.split(',').any(|entry| entry.parse::<u32>().is_err()) {
            return Err(format!("vLLM takes numbers alone, not {list:?}"));
        }
        let cards = cards_of(shells::visible(bench, call)?)?;
        let wanted = format!("vllm serve MODEL --tensor-parallel-size {}", cards.len());
        named(bench, cards, &call.words(), &wanted)
    })
}

/// The same in its container, where Docker chooses.
pub fn vllm_docker(bench: &Bench<'_>, form: &Form) -> Vec<Run> {
    bench.in_shells(form, &bench.filled(form), |records| {
        let call = only(records)?;
        let bodies = bench.tools.docker(bench.stage, &call.argv)?;
        let Proof::Starts(starts) = containers::created_of(bench, &bodies, "vllm/vllm-openai")? else {
            return Err("nothing is started".to_owned());
        };
        let words = starts.first().map(|start| start.words.clone()).unwrap_or_default();
        let cards = cards_of(Proof::Starts(starts))?;
        let wanted = format!("--model MODEL --tensor-parallel-size {}", cards.len());
        named(bench, cards, &words, &wanted)
    })
}

/// A server of one's own.
pub fn ollama(bench: &Bench<'_>, form: &Form) -> Vec<Run> {
    bench.in_shells(form, &bench.filled(form), |records| {
        let call = only(records)?;
        no_vulkan(&call.env)?;
        if call.env.get("OLLAMA_HOST").is_none_or(|host| host == "127.0.0.1:11434") {
            return Err("it would meet the system's own server".to_owned());
        }
        named(bench, cards_of(shells::visible(bench, call)?)?, &call.words(), "ollama serve")
    })
}

/// The system's server, by a drop-in beside the unit that its installer writes.
pub fn ollama_unit(bench: &Bench<'_>, form: &Form) -> Vec<Run> {
    let result = (|| {
        let file = form.file.as_deref().unwrap_or_default();
        if !(file.starts_with("/etc/systemd/system/ollama.service.d/") && file.ends_with(".conf")) {
            return Err(format!("not a place for a drop-in: {file:?}"));
        }
        let unit = "[Service]\nExecStart=/usr/bin/env ollama serve\nEnvironment=\"PATH=/usr/bin\"\n";
        let (env, words, _) = services::load(bench, "ollama.service", unit, Some(&form.text))?;
        no_vulkan(&env)?;
        named(bench, cuda::visible(&bench.case.machine, &env)?, &services::without_env(words), "ollama serve")
    })();
    vec![Run { by: "systemd --test".to_owned(), result }]
}

/// `llama-server`.
pub fn llama(bench: &Bench<'_>, form: &Form) -> Vec<Run> {
    bench.in_shells(form, &bench.filled(form), |records| {
        let call = only(records)?;
        named(bench, cards_of(shells::visible(bench, call)?)?, &call.words(), "llama-server -m MODEL -ngl 99")
    })
}

/// Since 0.30 it finds cards by Vulkan too, which asks no variable of CUDA's.
fn no_vulkan(env: &std::collections::BTreeMap<String, String>) -> Result<(), String> {
    let off = env.get("OLLAMA_VULKAN").map(String::as_str) == Some("0");
    if off { Ok(()) } else { Err("Vulkan finds every card".to_owned()) }
}

fn cards_of(proof: Proof) -> Result<Vec<String>, String> {
    let Proof::Starts(starts) = proof else { return Err("nothing is started".to_owned()) };
    match starts.into_iter().next().map(|start| start.seen) {
        Some(Seen::Cards(cards)) => Ok(cards),
        other => Err(format!("{other:?}")),
    }
}

/// The program of the form itself, in the place of the person's.
fn named(bench: &Bench<'_>, cards: Vec<String>, words: &[String], wanted: &str) -> Result<Proof, String> {
    if words.iter().map(String::as_str).ne(wanted.split(' ')) {
        return Err(format!("starts {words:?}, not {wanted:?}"));
    }
    Ok(started(cards, bench.case.program.clone()))
}
