//! TensorFlow, which takes nearly all memory of every card that it sees.

use super::{Here, Set, block, blocks, env_forms};
use crate::launch::direct::shell::prefix;
use crate::launch::quote::posix::single_quote;
use crate::launch::{Check, Command, Dialect, Form, Naming};

/// Half of a card's memory, in MiB, less what the driver and the first libraries take of it.
const LEFT_FREE_MIB: u64 = 1024;

/// Variables, memory growth, visible devices, logical devices.
pub(in crate::launch) fn tensorflow(here: &Here<'_>) -> Command {
    let text = here.text;
    let mut forms = env_forms(here, " TF_FORCE_GPU_ALLOW_GROWTH=true");
    forms.extend(blocks(here, "growth", |_| {
        "import tensorflow as tf\n\nfor card in tf.config.list_physical_devices(\"GPU\"):\n    \
         tf.config.experimental.set_memory_growth(card, True)"
            .to_owned()
    }));
    // Among its own list TensorFlow keeps the machine's order, whatever order it is told.
    for set in here.sets().iter().filter(|set| set.is_in_bus_order()) {
        let Some(ids) = set.indices() else { continue };
        let block = format!(
            "import os\n\nos.environ[\"CUDA_DEVICE_ORDER\"] = \"PCI_BUS_ID\"\n\
             os.environ.pop(\"CUDA_VISIBLE_DEVICES\", None)\nimport tensorflow as tf\n\n\
             cards = tf.config.list_physical_devices(\"GPU\")\n\
             tf.config.set_visible_devices([cards[n] for n in [{}]], \"GPU\")",
            ids.replace(',', ", ")
        );
        forms.push(Form::new("visible", Dialect::Python, Naming::Index, block).label(text.tf_visible).of(set));
    }
    let label = if here.has_shared() { text.tf_within_share } else { text.tf_logical };
    forms.extend(block(here, "logical", label, |set| set.cards.iter().all(|card| limit(card).is_some()), logical));
    let count = single_quote("import tensorflow as tf; print(len(tf.config.list_physical_devices('GPU')))");
    let check =
        |set: &Set<'_>| Check { text: prefix(set, &format!("python -c {count}")), expected: set.len().to_string() };
    Command {
        id: "tensorflow",
        group: text.group_frameworks,
        title: "TensorFlow",
        forms,
        reason: here.why_by_uuid_alone(),
        note: here.note(text.tf_note),
        checks: here.sets().iter().map(check).collect(),
    }
}

/// Memory of one logical device, in MiB, and how many of them a card gets: within a share one, else two halves.
fn limit(card: &crate::launch::LaunchCard) -> Option<(u64, usize)> {
    if card.shared {
        return card.budget_mib.map(|budget| (budget, 1));
    }
    let free = card.memory_mib?.checked_sub(LEFT_FREE_MIB)?;
    (free > 1).then_some((free / 2, 2))
}

fn logical(set: &Set<'_>) -> String {
    let mut block = "import tensorflow as tf\n\ncards = tf.config.list_physical_devices(\"GPU\")".to_owned();
    for (place, (mib, times)) in set.cards.iter().filter_map(|card| limit(card)).enumerate() {
        let one = format!("tf.config.LogicalDeviceConfiguration(memory_limit={mib})");
        let all = vec![one; times].join(", ");
        block.push_str(&format!("\ntf.config.set_logical_device_configuration(cards[{place}], [{all}])"));
    }
    block
}
