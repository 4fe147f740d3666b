//! accelerate and `DeepSpeed`. Both read numbers.

use super::torchrun::{PORT, hosts};
use super::{Here, ORDER, Set, script};
use crate::launch::quote::posix::{single_quote, word};
use crate::launch::{Check, Command, Dialect, Form, Naming};

/// `accelerate launch`: by index, since it and what it starts have parsed the list as numbers. A MIG instance has none,
/// and gets through by UUID, being alone.
pub(in crate::launch) fn accelerate(here: &Here<'_>) -> Command {
    let text = here.text;
    let program = script(here).line("--module", "--no_python");
    let mut forms = Vec::new();
    for set in here.sets() {
        let (naming, ids) = named(&set);
        let several = if set.len() > 1 { " --multi_gpu" } else { "" };
        let line = format!(
            "{ORDER} CUDA_VISIBLE_DEVICES={ids} \\\n  accelerate launch{several} --num_processes {} {program}",
            set.len()
        );
        let form = Form::new("launch", Dialect::Posix, naming, line).label(here.named(naming)).of(&set);
        forms.push(form.holding(here.program_placeholder()));
        forms.extend(across(here, &set, &program));
    }
    let check = |set: &Set<'_>| {
        let count = single_quote("import torch; print(torch.cuda.device_count())");
        let (_, ids) = named(set);
        let text = format!(
            "{ORDER} CUDA_VISIBLE_DEVICES={ids} accelerate launch --num_processes 1 --no_python python -c {count}"
        );
        Check { text, expected: set.len().to_string() }
    };
    Command {
        id: "accelerate",
        group: text.group_frameworks,
        title: "accelerate",
        forms,
        reason: if here.has_mig() { here.why_by_uuid_alone() } else { text.accelerate_reason.to_owned() },
        note: here.note(text.accelerate_note),
        checks: here.sets().iter().map(check).collect(),
    }
}

/// The same over all hosts; accelerate wants as many processes on each.
fn across(here: &Here<'_>, set: &Set<'_>, program: &str) -> Option<Form> {
    let hosts = hosts(here).filter(|hosts| hosts.iter().all(|host| host.cards.len() == set.len()))?;
    let first = hosts.first()?;
    let meeting = format!("{}:{PORT}", first.host_name);
    let (naming, ids) = named(set);
    let line = format!(
        "{ORDER} CUDA_VISIBLE_DEVICES={ids} \\\n  accelerate launch --multi_gpu --num_machines {} --machine_rank {} \
         --num_processes {} \\\n  --main_process_ip {} --main_process_port {PORT} {program}",
        hosts.len(),
        here.at,
        hosts.len() * set.len(),
        word(&first.host_name)
    );
    let form = Form::new("hosts", Dialect::Posix, naming, line)
        .label((here.text.on_hosts)(hosts.len()))
        .needs((here.text.start_on_each)(&meeting))
        .of(set);
    Some(form.holding(here.program_placeholder()))
}

/// By index where there is one.
fn named(set: &Set<'_>) -> (Naming, String) {
    set.indices().map_or_else(|| (Naming::Uuid, set.uuids()), |ids| (Naming::Index, ids))
}

/// `deepspeed --include`: its slots are numbers, and it sorts them.
pub(in crate::launch) fn deepspeed(here: &Here<'_>) -> Command {
    let text = here.text;
    let program = script(here).line("--module", "--no_python");
    let start = |ids: &str, program: &str| {
        format!("env -u CUDA_VISIBLE_DEVICES {ORDER} \\\n  deepspeed --include localhost:{ids} {program}")
    };
    let mut forms = Vec::new();
    let mut checks = Vec::new();
    let mut resorted = false;
    for mut set in here.sets() {
        resorted |= !set.is_in_bus_order();
        set.cards.sort_by_key(|card| card.number);
        let Some(ids) = set.indices() else { continue };
        let form = Form::new("include", Dialect::Posix, Naming::Index, start(&ids, &program));
        forms.push(form.label(here.named(Naming::Index)).of(&set).holding(here.program_placeholder()));
        let count = single_quote("import torch; print(torch.cuda.device_count())");
        let text = start(ids.split(',').next().unwrap_or_default(), &format!("--no_python python -c {count}"));
        checks.push(Check { text, expected: "1".to_owned() });
    }
    let reason = match (forms.is_empty(), here.has_mig()) {
        (true, true) => text.deepspeed_mig.to_owned(),
        (true, false) => text.no_index_no_form.to_owned(),
        (false, true) => format!("{} {}", text.deepspeed_reason, text.deepspeed_mig),
        (false, false) => text.deepspeed_reason.to_owned(),
    };
    let note = if resorted {
        format!("{} {}", text.deepspeed_note, text.deepspeed_sorts)
    } else {
        text.deepspeed_note.to_owned()
    };
    Command {
        id: "deepspeed",
        group: text.group_frameworks,
        title: "DeepSpeed",
        forms,
        reason,
        note: here.note(note),
        checks,
    }
}
