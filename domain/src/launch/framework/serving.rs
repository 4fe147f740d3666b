//! Programs that answer with a model: vLLM, Ollama, llama.cpp.

use super::{Here, ORDER, Set};
use crate::launch::container::{checked, options, variables};
use crate::launch::direct::shell::prefix;
use crate::launch::quote::posix::single_quote;
use crate::launch::{Check, Command, Dialect, Form, Naming, check};

/// Stands for a model: everybody has another one.
const MODEL: &str = "MODEL";
/// A port of one's own beside the one that a system-wide Ollama listens on.
const OLLAMA_PORT: u16 = 11_500;

/// `vllm serve`, by index alone; and in its container, where the runtime chooses, by UUID.
pub(in crate::launch) fn vllm(here: &Here<'_>) -> Command {
    let text = here.text;
    let share = here.share_of_memory().map(|share| format!(" --gpu-memory-utilization {share}")).unwrap_or_default();
    let mut forms = Vec::new();
    let mut checks = Vec::new();
    for set in here.sets() {
        if let Some(ids) = set.indices() {
            let line = format!(
                "{ORDER} CUDA_VISIBLE_DEVICES={ids} \\\n  vllm serve {MODEL} --tensor-parallel-size {}{share}",
                set.len()
            );
            forms.push(
                Form::new("serve", Dialect::Posix, Naming::Index, line).label(here.named(Naming::Index)).of(&set),
            );
            let count = single_quote("import torch; print(torch.cuda.device_count())");
            let text = format!("{ORDER} CUDA_VISIBLE_DEVICES={ids} python -c {count}");
            checks.push(Check { text, expected: set.len().to_string() });
        }
    }
    // Within WSL a container needs the variable with a UUID in it, which vLLM does not take.
    for set in here.sets().iter().filter(|set| !here.host.facts.is_wsl() && set.is_in_bus_order()) {
        let gpus = single_quote(&format!("\"device={}\"", set.uuids()));
        let image = "vllm/vllm-openai";
        let order = options(&variables(here, set, Naming::Uuid));
        let line = format!(
            "docker run --gpus {gpus} \\\n  --rm -it{order} --ipc=host -p 8000:8000 {image} --model {MODEL} \
             --tensor-parallel-size {}{share}",
            set.len()
        );
        let form = Form::new("docker", Dialect::Posix, Naming::Uuid, line).label(text.in_docker).of(set);
        forms.push(form);
        if set.indices().is_none() {
            checks.push(checked(here, set, |program| {
                format!("docker run --rm --gpus {gpus} --entrypoint env {image} {program}")
            }));
        }
    }
    Command {
        id: "vllm",
        group: text.group_frameworks,
        title: "vLLM",
        forms: forms.into_iter().map(|form| form.holding(&[MODEL])).collect(),
        reason: text.vllm_reason.to_owned(),
        note: here.note(text.vllm_note),
        checks,
    }
}

/// A server of one's own, or the system's by a drop-in: the client's variables change nothing.
pub(in crate::launch) fn ollama(here: &Here<'_>) -> Command {
    let text = here.text;
    let mut forms = here.both(|naming, ids, _| {
        let line = format!(
            "{ORDER} CUDA_VISIBLE_DEVICES={ids} OLLAMA_VULKAN=0 \\\n  OLLAMA_HOST=127.0.0.1:{OLLAMA_PORT} ollama serve"
        );
        Form::new("serve", Dialect::Posix, naming, line).label(here.named(naming)).needs(text.ollama_own)
    });
    forms.extend(here.both(|naming, ids, _| {
        let unit = format!("[Service]\nEnvironment=\"{ORDER}\" \"CUDA_VISIBLE_DEVICES={ids}\" \"OLLAMA_VULKAN=0\"");
        Form::new("unit", Dialect::Unit, naming, unit)
            .label(format!("{}, {}", text.ollama_system, here.named(naming)))
            .file("/etc/systemd/system/ollama.service.d/berth.conf")
    }));
    Command {
        id: "ollama",
        group: text.group_frameworks,
        title: "Ollama",
        forms,
        reason: here.why_by_uuid_alone(),
        note: here.note((text.ollama_note)(OLLAMA_PORT)),
        checks: check::of_process(here, |_| "pgrep -n -u \"$USER\" -x ollama".to_owned()),
    }
}

/// `llama-server`: by variables, since its own choice of cards still opens the others.
pub(in crate::launch) fn llama_cpp(here: &Here<'_>) -> Command {
    let text = here.text;
    let forms = here.both(|naming, ids, _| {
        let line = format!("{ORDER} CUDA_VISIBLE_DEVICES={ids} \\\n  llama-server -m {MODEL} -ngl 99");
        Form::new("server", Dialect::Posix, naming, line).label(here.named(naming)).holding(&[MODEL])
    });
    let check = |set: &Set<'_>| Check {
        text: prefix(set, "llama-server --list-devices | grep -c CUDA"),
        expected: set.len().to_string(),
    };
    Command {
        id: "llama_cpp",
        group: text.group_frameworks,
        title: "llama.cpp",
        forms,
        reason: here.why_by_uuid_alone(),
        note: here.note(text.llama_note),
        checks: here.sets().iter().map(check).collect(),
    }
}
