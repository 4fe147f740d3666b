//! torchrun: a process for each card, on one host or on all hosts of the booking.

use super::{Here, ORDER, script};
use crate::launch::direct::shell::prefix;
use crate::launch::quote::posix::word;
use crate::launch::{Command, Dialect, Form, HostCards, check};

/// Where the processes of several hosts meet; any free port does.
pub(super) const PORT: u16 = 29500;

/// `torchrun`.
pub(in crate::launch) fn torchrun(here: &Here<'_>) -> Command {
    let text = here.text;
    let program = script(here).line("-m", "--no-python");
    let mut forms = here.both(|naming, ids, set| {
        let line = format!(
            "{ORDER} CUDA_VISIBLE_DEVICES={ids} \\\n  torchrun --standalone --nproc-per-node={} {program}",
            set.len()
        );
        Form::new("standalone", Dialect::Posix, naming, line)
            .label(here.named(naming))
            .holding(here.program_placeholder())
    });
    if let Some(hosts) = hosts(here) {
        let name = here.job_name();
        let meeting = format!("{}:{PORT}", hosts.first().map_or("", |host| host.host_name.as_str()));
        // The name in the portal need not be what a host calls itself, so it is said who keeps the meeting place.
        let keeps = u8::from(here.at == 0);
        let across = here.both(|naming, ids, set| {
            let line = format!(
                "{ORDER} CUDA_VISIBLE_DEVICES={ids} \\\n  torchrun --nnodes={} --nproc-per-node={} --rdzv-id={name} \\\n  \
                 --rdzv-backend=c10d --rdzv-endpoint={} --rdzv-conf=is_host={keeps} \\\n  {program}",
                hosts.len(),
                set.len(),
                word(&meeting)
            );
            Form::new("hosts", Dialect::Posix, naming, line)
                .label(format!("{}, {}", (text.on_hosts)(hosts.len()), here.named(naming)))
                .needs((text.start_on_each)(&meeting))
                .holding(here.program_placeholder())
        });
        forms.extend(across);
    }
    Command {
        id: "torchrun",
        group: text.group_frameworks,
        title: "torchrun",
        forms,
        reason: here.why_by_uuid_alone(),
        note: here.note(text.torchrun_note),
        checks: check::of_visible(here, prefix),
    }
}

/// The hosts of a booking that one job can use together: several, and none with MIG instances, which cannot talk to each
/// other.
pub(super) fn hosts<'a>(here: &Here<'a>) -> Option<&'a [HostCards]> {
    let hosts = here.plan.hosts.as_slice();
    let whole = |host: &HostCards| !host.cards.is_empty() && host.cards.iter().all(|card| !card.uuid.is_mig());
    (hosts.len() > 1 && hosts.iter().all(whole)).then_some(hosts)
}
