//! Words of the launch box.

use crate::text::LaunchText;

/// The sentences.
pub(super) const TEXT: LaunchText = LaunchText {
    group_direct: "Direct",
    group_containers: "Containers",
    group_frameworks: "Frameworks",
    shell: "Shell",
    by_uuid: "By UUID",
    by_index: "By index",
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
    docker_note: "Keep both pairs of quotes: Docker itself must receive the inner ones. In the container your cards \
                  count from 0. Put your image in place of IMAGE.",
    cdi_needs: "Docker 28.3 or newer, or CDI switched on. No quotes, one line: pastes alike into every shell.",
    torch_inside: "In the program, before torch is imported",
    torch_note: "Set the variables before Python starts, or before the first import of torch: after the first CUDA \
                 call it is too late.",
    mig_note: "A CUDA program can use only one MIG instance: start one program for each.",
    share_note: "A shared card: nothing keeps your program within your share of its memory, so keep it there yourself.",
};
