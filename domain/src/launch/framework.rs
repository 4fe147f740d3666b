//! Started with a framework.

use super::direct::{PROGRAM, note};
use super::{Command, Form, HostCards, Naming, both_namings, uuid_list, visible_sets};
use crate::text::LaunchText;

/// PyTorch: set before Python starts, or in the program before torch is imported.
pub(super) fn torch(host: &HostCards, text: &LaunchText) -> Command {
    let once = |ids: &str| format!("CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES={ids} \\\n  {PROGRAM}");
    let mut forms = both_namings(host, text, once);
    for set in visible_sets(&host.cards) {
        forms.push(Form {
            naming: Naming::Uuid,
            label: text.torch_inside.to_owned(),
            needs: String::new(),
            text: format!(
                "import os\nos.environ[\"CUDA_DEVICE_ORDER\"] = \"PCI_BUS_ID\"\n\
                 os.environ[\"CUDA_VISIBLE_DEVICES\"] = \"{}\"\nimport torch",
                uuid_list(&set)
            ),
        });
    }
    Command {
        id: "torch",
        group: text.group_frameworks,
        title: "PyTorch",
        forms,
        note: note(host, text, text.torch_note.to_owned()),
    }
}
