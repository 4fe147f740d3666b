//! Python without a framework: the lines before every import, and a program for each card.

use super::{Here, blocks};
use crate::launch::direct::shell::prefix;
use crate::launch::quote::python;
use crate::launch::{Check, Command, Dialect, Form, Naming, check};

/// The lines that stand before the first import.
pub(in crate::launch) fn python(here: &Here<'_>) -> Command {
    let forms = blocks(here, "inside", |_| {
        "\n# import torch, tensorflow, jax or cupy below this line, not above it".to_owned()
    });
    Command {
        id: "python",
        group: here.text.group_frameworks,
        title: "Python",
        forms,
        reason: here.why_by_uuid_alone(),
        note: here.note(here.text.python_note),
        checks: check::of_visible(here, prefix),
    }
}

/// One worker for each card, MIG instances among them: each is a process of its own and sees one card.
pub(in crate::launch) fn multiprocessing(here: &Here<'_>) -> Command {
    let all = here.all();
    let expected = all.cards.iter().map(|card| format!("{} 1", card.uuid)).collect::<Vec<_>>().join("\n");
    let mut forms = vec![workers(here, Naming::Uuid, all.cards.iter().map(|card| card.uuid.to_string()).collect())];
    if all.indices().is_some() {
        forms.push(workers(here, Naming::Index, all.cards.iter().map(|card| card.number.to_string()).collect()));
    }
    Command {
        id: "multiprocessing",
        group: here.text.group_frameworks,
        title: "multiprocessing",
        forms: forms.into_iter().map(|form| form.of(&all)).collect(),
        reason: here.why_by_uuid_alone(),
        note: here.shared_note(here.text.multiprocessing_note),
        checks: vec![Check { text: "python workers.py".to_owned(), expected }],
    }
}

fn workers(here: &Here<'_>, naming: Naming, ids: Vec<String>) -> Form {
    let ids: Vec<String> = ids.iter().map(|id| python::string(id)).collect();
    let text = format!(
        "import multiprocessing\nimport os\n\nCARDS = [{}]\n\n\ndef work(card):\n    \
         os.environ[\"CUDA_DEVICE_ORDER\"] = \"PCI_BUS_ID\"\n    os.environ[\"CUDA_VISIBLE_DEVICES\"] = card\n    \
         import torch\n\n    print(card, torch.cuda.device_count())  # your work, on cuda:0\n\n\n\
         if __name__ == \"__main__\":\n    start = multiprocessing.get_context(\"spawn\")\n    \
         workers = [start.Process(target=work, args=(card,)) for card in CARDS]\n    \
         for worker in workers:\n        worker.start()\n    for worker in workers:\n        worker.join()",
        ids.join(", ")
    );
    Form::new("workers", Dialect::Python, naming, text).label(here.named(naming)).file("workers.py")
}
