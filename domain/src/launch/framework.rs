//! Started with a framework.

use super::here::{Here, ORDER};
use super::{Command, Dialect, Form, Naming, check};
use crate::launch::direct::shell::prefix;

/// PyTorch: set before Python starts, or in the program before torch is imported.
pub(super) fn torch(here: &Here<'_>) -> Command {
    let program = here.program();
    let mut forms = here.both(|naming, ids, _| {
        let line = format!("{ORDER} CUDA_VISIBLE_DEVICES={ids} \\\n  {program}");
        Form::new("env", Dialect::Posix, naming, line).label(here.named(naming)).holding(here.program_placeholder())
    });
    for set in here.sets() {
        let block = format!(
            "import os\nos.environ[\"CUDA_DEVICE_ORDER\"] = \"PCI_BUS_ID\"\n\
             os.environ[\"CUDA_VISIBLE_DEVICES\"] = \"{}\"\nimport torch",
            set.uuids()
        );
        forms.push(Form::new("inside", Dialect::Python, Naming::Uuid, block).label(here.text.torch_inside).of(&set));
    }
    Command {
        id: "torch",
        group: here.text.group_frameworks,
        title: "PyTorch",
        forms,
        reason: here.why_by_uuid_alone(),
        note: here.note(here.text.torch_note),
        checks: check::of_visible(here, prefix),
    }
}
