//! Slurm, which gives cards by number and kind and lets nobody choose.

use crate::launch::here::Here;
use crate::launch::quote::posix::{single_quote, word};
use crate::launch::{Check, Command, Dialect, Form, Naming};

/// `sbatch`, and a script for it.
pub(in crate::launch) fn slurm(here: &Here<'_>) -> Command {
    let text = here.text;
    let name = here.job_name();
    let cards = here.host.cards.len();
    let host = &here.host.host_name;
    let line = format!(
        "sbatch --job-name={name} --nodelist={} --gres=gpu:{cards} \\\n  --wrap {}",
        word(host),
        single_quote(&here.program())
    );
    let mut forms = vec![
        Form::new("line", Dialect::Posix, Naming::Count, line).label("sbatch").holding(here.program_placeholder()),
    ];
    // In a comment nothing can be quoted for sure.
    if crate::launch::quote::posix::is_plain(host) {
        let script = format!(
            "#!/bin/bash\n#SBATCH --job-name={name}\n#SBATCH --nodelist={host}\n#SBATCH --gres=gpu:{cards}\n\n{}",
            here.program()
        );
        let form = Form::new("script", Dialect::Posix, Naming::Count, script).label(text.slurm_script);
        forms.push(form.file(format!("{name}.sh")).holding(here.program_placeholder()));
    }
    let check = format!(
        "srun --nodelist={} --gres=gpu:{cards} sh -c 'echo $CUDA_VISIBLE_DEVICES | tr , \"\\n\" | grep -c .'",
        word(host)
    );
    Command {
        id: "slurm",
        group: text.group_schedulers,
        title: "Slurm",
        forms,
        reason: text.slurm_reason.to_owned(),
        note: here.shared_note(text.slurm_note),
        checks: vec![Check { text: check, expected: cards.to_string() }],
    }
}
