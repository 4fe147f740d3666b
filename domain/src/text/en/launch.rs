//! Words of the launch box.

use crate::launch::Dialect;
use crate::text::LaunchText;

/// The sentences.
pub(super) const TEXT: LaunchText = LaunchText {
    group_direct: "Direct",
    group_containers: "Containers",
    group_frameworks: "Frameworks",
    group_schedulers: "Schedulers",
    shell: "Shell",
    once: "One program",
    profile: "Every terminal",
    systemd: "systemd unit",
    dialect: |dialect| match dialect {
        Dialect::Posix => "bash, zsh, dash",
        Dialect::Fish => "fish",
        Dialect::PowerShell => "PowerShell",
        Dialect::WindowsPowerShell => "Windows PowerShell 5.1",
        Dialect::Cmd => "cmd",
        Dialect::AnyShell => "any shell",
        Dialect::Python => "Python",
        Dialect::Yaml => "YAML",
        Dialect::Json => "JSON",
        Dialect::Unit => "unit file",
        Dialect::Plain => "file",
    },
    by_uuid: "By UUID",
    by_index: "By index",
    env_now: "What you hold at that moment",
    run_all: |host| format!("All cards that you hold on {host} now"),
    run_exactly: |cards| match cards {
        1 => "Exactly the card of this booking".to_owned(),
        n => format!("Exactly the {n} cards of this booking"),
    },
    run_only: |card| format!("Only card {card}"),
    run_note: |host| {
        format!("On {host}. Reads your booking, sets the cards, and refuses to start on a card that is not yours.")
    },
    shell_note: |cards| match cards {
        1 => "For this terminal. CUDA programs that you start from it see only your card.".to_owned(),
        n => format!("For this terminal. CUDA programs that you start from it see only your {n} cards."),
    },
    once_note: "For this one program. The variables must be set before it starts: Python reads them at the first use of \
                CUDA and never again.",
    profile_note: "These lines stay when the booking ends: take them out then. The line with berth env asks each time \
                   and sets nothing when you hold nothing.",
    setx_needs: "for terminals that are opened afterwards",
    ssh_note: |host| {
        format!(
            "From your own machine; put the address that you use for it in place of {host} if it is another one. ssh \
             hands on no variables, so they stand in the command. The program ends with the connection."
        )
    },
    tmux_note: |name| {
        format!(
            "Goes on when you hang up; look at it with: tmux attach -t {name}. Variables set before tmux would be lost: a \
             tmux that runs already keeps those of its own start."
        )
    },
    systemd_note: |name| {
        format!(
            "Then: systemctl --user daemon-reload && systemctl --user start {name}. It runs until it ends, not until the \
             booking does. Log in once with loginctl enable-linger if it shall outlive your login."
        )
    },
    systemd_run_note: |name| {
        format!(
            "Goes on when you hang up, if lingering is on for you (loginctl enable-linger); its output: journalctl --user -fu \
             {name}."
        )
    },
    docker_note: "Keep both pairs of quotes: Docker itself must receive the inner ones. In the container your cards \
                  count from 0. Put your image in place of IMAGE.",
    cdi_needs: "Docker 28.3 or newer, or CDI switched on. No quotes, one line: pastes alike into every shell.",
    torch_inside: "In the program, before torch is imported",
    torch_note: "Set the variables before Python starts, or before the first import of torch: after the first CUDA \
                 call it is too late.",
    mig_note: "A CUDA program can use only one MIG instance: start one program for each.",
    mig_no_index: "By UUID only: CUDA knows MIG instances by no number.",
    stale_index: "By UUID only: two of these cards were reported with one index, so one of the numbers is old.",
    share_note: "A shared card: nothing keeps your program within your share of its memory, so keep it there yourself.",
};
