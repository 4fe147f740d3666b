//! PyTorch and Lightning.

use super::{Here, Set, block, env_forms};
use crate::launch::direct::shell::prefix;
use crate::launch::{Command, check};

/// Variables before the program, or in it before torch is imported, and what is written with the cards then.
pub(in crate::launch) fn torch(here: &Here<'_>) -> Command {
    let text = here.text;
    let any = |_: &Set<'_>| true;
    let several = |set: &Set<'_>| set.len() > 1;
    let mut forms = env_forms(here, "");
    forms.extend(block(here, "inside", text.torch_inside, any, |_| "import torch".to_owned()));
    forms.extend(block(here, "device", text.torch_device, any, |_| {
        "import torch\n\ndevice = torch.device(\"cuda:0\")".to_owned()
    }));
    let parallel = block(here, "data_parallel", "DataParallel", several, |set| {
        let places: Vec<String> = (0..set.len()).map(|place| place.to_string()).collect();
        format!(
            "import torch\n\nmodel = torch.nn.DataParallel(MODEL.to(\"cuda:0\"), device_ids=[{}])",
            places.join(", ")
        )
    });
    forms.extend(parallel.into_iter().map(|form| form.holding(&["MODEL"])));
    let ddp = block(here, "ddp", "DistributedDataParallel", several, |_| {
        "import torch\nfrom torch.nn.parallel import DistributedDataParallel\n\n\
         torch.distributed.init_process_group(\"nccl\")\nrank = int(os.environ[\"LOCAL_RANK\"])\n\
         torch.cuda.set_device(rank)\nmodel = DistributedDataParallel(MODEL.to(rank), device_ids=[rank])"
            .to_owned()
    });
    forms.extend(ddp.into_iter().map(|form| form.needs(text.by_torchrun).holding(&["MODEL"])));
    Command {
        id: "torch",
        group: text.group_frameworks,
        title: "PyTorch",
        forms,
        reason: here.why_by_uuid_alone(),
        note: here.note(text.torch_note),
        checks: check::of_visible(here, prefix),
    }
}

/// Lightning counts the cards that it sees.
pub(in crate::launch) fn lightning(here: &Here<'_>) -> Command {
    let text = here.text;
    let trainer = |set: &Set<'_>, more: &str| {
        let strategy = if set.len() > 1 || !more.is_empty() { ", strategy=\"ddp\"" } else { "" };
        format!(
            "from lightning.pytorch import Trainer\n\ntrainer = Trainer(accelerator=\"gpu\", devices={}{more}{strategy})",
            set.len()
        )
    };
    let mut forms = super::blocks(here, "trainer", |set| trainer(set, ""));
    if let Some(hosts) = super::torchrun::hosts(here) {
        let more = format!(", num_nodes={}", hosts.len());
        let label = (text.on_hosts)(hosts.len());
        let across = block(here, "hosts", &label, |_| true, |set| trainer(set, &more));
        forms.extend(across.into_iter().map(|form| form.needs(text.by_torchrun)));
    }
    Command {
        id: "lightning",
        group: text.group_frameworks,
        title: "Lightning",
        forms,
        reason: here.why_by_uuid_alone(),
        note: here.note(text.lightning_note),
        checks: check::of_visible(here, prefix),
    }
}
