//! Words of the launch box. The commands themselves are no text: they are the same in every language.

use crate::launch::Dialect;

/// Sentences around the commands of [`crate::launch`].
#[derive(Debug)]
pub struct LaunchText {
    /// Heading: started from a shell on the host.
    pub group_direct: &'static str,
    /// Heading: started in a container.
    pub group_containers: &'static str,
    /// Heading: started with a framework.
    pub group_frameworks: &'static str,
    /// Heading: handed to a scheduler.
    pub group_schedulers: &'static str,
    /// Title of the tab for a whole terminal.
    pub shell: &'static str,
    /// Title of the tab for one program.
    pub once: &'static str,
    /// Title of the tab for every terminal.
    pub profile: &'static str,
    /// Title of the tab for a service.
    pub systemd: &'static str,
    /// Who reads a form, where that is not the usual shell.
    pub dialect: fn(Dialect) -> &'static str,
    /// Label of a form that names the cards by UUID.
    pub by_uuid: &'static str,
    /// Label of a form that names the cards by index.
    pub by_index: &'static str,
    /// Label: `berth env`, which asks at that moment.
    pub env_now: &'static str,
    /// Label: every card that the caller holds on this host.
    pub run_all: fn(&str) -> String,
    /// Label: exactly so many cards, those of this booking.
    pub run_exactly: fn(usize) -> String,
    /// Label: this one card only.
    pub run_only: fn(&str) -> String,
    /// What `berth run` does on this host.
    pub run_note: fn(&str) -> String,
    /// What the shell lines do, for so many cards.
    pub shell_note: fn(usize) -> String,
    /// What to know about variables before one program.
    pub once_note: &'static str,
    /// What to know about permanent lines.
    pub profile_note: &'static str,
    /// What `setx` does.
    pub setx_needs: &'static str,
    /// What to know about ssh to this host.
    pub ssh_note: fn(&str) -> String,
    /// What to know about tmux; the session's name.
    pub tmux_note: fn(&str) -> String,
    /// What to know about a unit; its name.
    pub systemd_note: fn(&str) -> String,
    /// What to know about `systemd-run`; the unit's name.
    pub systemd_run_note: fn(&str) -> String,
    /// What to know about Docker.
    pub docker_note: &'static str,
    /// What CDI names need.
    pub cdi_needs: &'static str,
    /// Label: set in the program.
    pub torch_inside: &'static str,
    /// What to know about PyTorch.
    pub torch_note: &'static str,
    /// What to know about MIG instances.
    pub mig_note: &'static str,
    /// Why MIG instances are named by UUID only.
    pub mig_no_index: &'static str,
    /// Why cards with an index that cannot be right are named by UUID only.
    pub stale_index: &'static str,
    /// What to know about shares of a card.
    pub share_note: &'static str,
}
