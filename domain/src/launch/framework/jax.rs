//! JAX, which takes most of the memory at its first operation unless it is told not to.

use super::{Here, Set, block, env_forms};
use crate::launch::direct::shell::prefix;
use crate::launch::quote::posix::single_quote;
use crate::launch::quote::python;
use crate::launch::{Check, Command, Dialect, Form, Naming};

/// Variables before the program, in it, or JAX's own setting.
pub(in crate::launch) fn jax(here: &Here<'_>) -> Command {
    let text = here.text;
    let memory = match here.share_of_memory() {
        Some(share) => format!(" XLA_PYTHON_CLIENT_MEM_FRACTION={share}"),
        None => " XLA_PYTHON_CLIENT_PREALLOCATE=false".to_owned(),
    };
    let mut forms = env_forms(here, &memory);
    let (name, value) = memory.trim_start().split_once('=').unwrap_or_default();
    forms.extend(block(
        here,
        "inside",
        text.jax_inside,
        |_| true,
        |_| format!("os.environ[{}] = {}\nimport jax", python::string(name), python::string(value)),
    ));
    // To JAX the list is a set of numbers: it keeps the machine's order.
    for set in here.sets().iter().filter(|set| set.is_in_bus_order()) {
        let Some(ids) = set.indices() else { continue };
        let block = format!(
            "import os\n\nos.environ[\"CUDA_DEVICE_ORDER\"] = \"PCI_BUS_ID\"\n\
             os.environ.pop(\"CUDA_VISIBLE_DEVICES\", None)\nimport jax\n\n\
             jax.config.update(\"jax_cuda_visible_devices\", {})",
            python::string(&ids)
        );
        forms.push(Form::new("ids", Dialect::Python, Naming::Index, block).label(text.jax_ids).of(set));
    }
    let count = single_quote("import jax; print(jax.local_device_count())");
    let check =
        |set: &Set<'_>| Check { text: prefix(set, &format!("python -c {count}")), expected: set.len().to_string() };
    Command {
        id: "jax",
        group: text.group_frameworks,
        title: "JAX",
        forms,
        reason: here.why_by_uuid_alone(),
        note: here.note(text.jax_note),
        checks: here.sets().iter().map(check).collect(),
    }
}
