//! A kernel of Jupyter.

use super::Here;
use crate::launch::quote::json;
use crate::launch::{Check, Command, Dialect, Form};

/// `kernel.json`, or the first cell of a notebook.
pub(in crate::launch) fn jupyter(here: &Here<'_>) -> Command {
    let text = here.text;
    let purpose = here.plan.purpose.trim();
    let shown = if purpose.is_empty() { here.job_name() } else { purpose.to_owned() };
    let mut forms = here.both(|naming, ids, set| {
        let name = here.name_of(set);
        let kernel = format!(
            "{{\n  \"argv\": [\"python\", \"-m\", \"ipykernel_launcher\", \"-f\", \"{{connection_file}}\"],\n  \
             \"display_name\": {},\n  \"language\": \"python\",\n  \"env\": {{\n    \
             \"CUDA_DEVICE_ORDER\": \"PCI_BUS_ID\",\n    \"CUDA_VISIBLE_DEVICES\": {}\n  }}\n}}",
            json::string(&format!("{shown}{}", here.suffix(set))),
            json::string(ids)
        );
        Form::new("kernel", Dialect::Json, naming, kernel)
            .label(here.named(naming))
            .file(format!("~/.local/share/jupyter/kernels/{name}/kernel.json"))
    });
    forms.extend(here.both(|naming, ids, _| {
        let cell = format!("%env CUDA_DEVICE_ORDER=PCI_BUS_ID\n%env CUDA_VISIBLE_DEVICES={ids}");
        let label = format!("{}, {}", text.jupyter_cell, here.named(naming));
        Form::new("cell", Dialect::Plain, naming, cell).label(label)
    }));
    let check = |set: &crate::launch::here::Set<'_>| Check {
        text: "import torch; print(torch.cuda.device_count())".to_owned(),
        expected: set.len().to_string(),
    };
    Command {
        id: "jupyter",
        group: text.group_frameworks,
        title: "Jupyter",
        forms,
        reason: here.why_by_uuid_alone(),
        note: here.note(text.jupyter_note),
        checks: here.sets().iter().map(check).collect(),
    }
}
