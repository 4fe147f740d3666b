//! Words of the launch box.

use crate::launch::{Advice, Dialect, Fit};
use crate::text::{ExplainText, LaunchText};
use crate::topology::Path;

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
    ssh_docker: "Docker over ssh",
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
    wsl_note: "Under WSL a container has every card of the machine whatever is asked for: the variables choose, so \
               leave them in. nvidia-smi shows all cards all the same.",
    wsl_no_index: "By UUID only: under WSL the variables choose, and an index would count differently inside and \
                   outside.",
    nerdctl_note: "Reads --gpus as Docker does, both pairs of quotes included. From 2.3 on it looks cards up in CDI: \
                   nvidia-ctk cdi list must show them.",
    compose_note: "The ids are texts in a list, and capabilities must be there; with count instead, or with neither, \
                   other cards come. Put your image in place of IMAGE.",
    podman_needs: "Podman 4.1 or newer, and names in nvidia-ctk cdi list",
    podman_note: "Not the line for Docker: Podman reads --gpus 0,2 as cards 0 and 2, Docker as two cards. Where \
                  nvidia-ctk cdi list shows no UUIDs, take the line by index, or make the list anew with nvidia-ctk \
                  cdi generate.",
    nvccli_needs: "keeps the other cards out; nvidia-container-cli on the host, not with a setuid installation",
    apptainer_cdi_needs: "names in nvidia-ctk cdi list",
    apptainer_note: "With --nv every card's device file is in the container and nvidia-smi shows all of them; CUDA \
                     programs see yours. In Singularity the variables begin with SINGULARITYENV_.",
    devcontainer_note: "Keep the inner quotes with their backslashes: Docker itself must receive them. Add it to the \
                        file that you have; hostRequirements can ask for a card, not for this one.",
    python_note: "At the top of the program or of the notebook's first cell: once something has used CUDA the \
                  variables are not read again.",
    torch_device: "On one card",
    by_torchrun: "start it with torchrun",
    on_hosts: |hosts| format!("Over all {hosts} hosts"),
    start_on_each: |address| {
        format!("start each host's line; they meet at {address}, a port that must be free and open")
    },
    torchrun_note: "One process for each card: nproc-per-node is their number. Each process takes cuda:LOCAL_RANK.",
    lightning_note: "devices is a number here: with the variables set, the first so many cards are yours and no \
                     others.",
    accelerate_reason: "By index only: accelerate and programs started by it have read the list as numbers and \
                        failed on UUIDs.",
    accelerate_note: "Do not add --gpu_ids, and take it out of your default configuration: some versions ignore it, \
                      others set it over these variables.",
    deepspeed_reason: "By index only: DeepSpeed reads slots as numbers and stops at a UUID.",
    deepspeed_mig: "DeepSpeed cannot name MIG instances: start the program with torchrun.",
    no_index_no_form: "Two of these cards were reported with one index, so one of the numbers is old, and this tool \
                       takes nothing but numbers.",
    deepspeed_note: "CUDA_VISIBLE_DEVICES must not be set beside --include: DeepSpeed ignores one of the two, and \
                     versions differ in which. No --num_gpus with it.",
    deepspeed_sorts: "It sorts the cards: the lowest index becomes cuda:0, not the first of your booking.",
    tf_visible: "Visible devices instead of variables",
    tf_logical: "Logical devices: two halves of each card",
    tf_within_share: "Logical devices: within your share",
    tf_note: "TensorFlow takes nearly all memory of every card that it sees, unless growth is on. Before the first \
              operation: afterwards it raises RuntimeError.",
    jax_inside: "In the program, before jax is imported",
    jax_ids: "JAX's own setting instead of variables",
    jax_note: "JAX takes most of a card's memory at its first operation, unless told not to. Its own setting counts \
               within the variables, so use one of the two.",
    multiprocessing_note: "Import nothing that starts CUDA at the top of the file: each worker sets its card first. \
                           With fork instead of spawn the workers would have the parent's cards.",
    in_docker: "In its container",
    vllm_reason: "By index only: vLLM reads the list as numbers and stops at a UUID, often with an error about the \
                  model. In its container Docker chooses, so there the UUID works.",
    vllm_note: "The number of cards must divide the model's attention heads. It takes nine tenths of each card's \
                whole memory unless --gpu-memory-utilization says less, whatever others have in use.",
    ollama_own: "a server of your own",
    ollama_system: "The machine's server",
    ollama_note: |port| {
        format!(
            "The server needs the variables, not ollama run. OLLAMA_VULKAN=0 keeps it from finding cards in \
             another way, past them. For your own server: OLLAMA_HOST=127.0.0.1:{port} ollama run MODEL. The \
             machine's server: an administrator runs systemctl daemon-reload and systemctl restart ollama, which \
             ends everybody's requests."
        )
    },
    llama_note: "Its own -mg and -sm none still take memory on the other cards: only the variables keep it off them.",
    jupyter_cell: "First cell",
    jupyter_note: "Choose the kernel in the notebook's menu after the file is there. It stays when the booking ends: \
                   take it away with jupyter kernelspec remove. python must be the one that has ipykernel.",
    kubernetes_reason: "By number only: Kubernetes cannot be told which card.",
    kubernetes_note: |name| {
        format!(
            "The cluster gives any cards of this host, booked by others or not, and knows nothing of Berth: use \
             it only where the host's cards are kept for the cluster. Start: kubectl apply -f {name}.yaml. Never \
             set NVIDIA_VISIBLE_DEVICES beside it: the pod would get both."
        )
    },
    dra_needs: "Kubernetes 1.34 or newer with NVIDIA's DRA driver",
    dra_reason: "By UUID only: the driver offers no index, since it changes.",
    dra_note: |name| {
        format!(
            "Exactly these cards, or the pod waits for them. The cluster still does not know who uses them beside \
             it. Start: kubectl apply -f {name}.yaml."
        )
    },
    slurm_script: "Script for sbatch",
    slurm_reason: "By number only: Slurm lets nobody choose a card.",
    slurm_note: "Slurm gives any cards of this host and knows nothing of Berth: use it only where the host's cards \
                 are kept for Slurm. Leave CUDA_VISIBLE_DEVICES alone within a job: Slurm has set it, and counts \
                 anew.",
    no_format: |name| format!("There is no format {name}. The formats are: {}.", crate::launch::FORMATS.join(", ")),
    check: |expected| format!("Check; it must print: {expected}"),
    explain: EXPLAIN,
};

/// The sentences beside them.
const EXPLAIN: ExplainText = ExplainText {
    title: "What runs well",
    title_on: |host| format!("What runs well on {host}"),
    kind: |model, (major, minor)| format!("{model}, compute capability {major}.{minor}"),
    fit: |fit| match fit {
        Fit::Tensor => "tensor cores",
        Fit::Plain => "yes",
        Fit::Slow => "slow",
        Fit::Missing => "no",
    },
    advice: |advice| match advice {
        Advice::Fp8 => {
            "Train in BF16. FP8 where your library has it, as with Transformer Engine. For what stays in FP32 let matrix \
             products use TF32: torch.set_float32_matmul_precision(\"high\")."
        }
        Advice::Bf16 => {
            "Train in BF16, which needs no loss scaling. For what stays in FP32 let matrix products use TF32: \
             torch.set_float32_matmul_precision(\"high\")."
        }
        Advice::Fp16Scaled => {
            "Train in FP16 with loss scaling (torch.amp.GradScaler). BF16 is only imitated here, and slow."
        }
        Advice::Fp16 => "FP16 saves memory and some time; there are no tensor cores.",
        Advice::Fp32 => "Compute in FP32: FP16 is slower here, or not there.",
    },
    images_title: "Driver and images",
    driver: |images| match images.newest {
        Some((major, minor)) => format!("Driver {}, CUDA up to {major}.{minor}.", images.driver),
        None => format!("Driver {}.", images.driver),
    },
    images: |images| match (images.newest, images.family) {
        (Some((major, minor)), Some(family)) if family == major => format!(
            "Images built with CUDA {major}.{minor} or older run. Newer ones of CUDA {major} run too, without what they \
             added and without compiling PTX. Images of CUDA {} do not.",
            major + 1
        ),
        (Some((major, minor)), _) => format!("Images built with CUDA {major}.{minor} or older run, newer ones do not."),
        (None, Some(family)) => format!("Images of CUDA {family} or older run, images of CUDA {} do not.", family + 1),
        (None, None) => {
            "This driver is older than CUDA 11: an image must be built for the driver's own CUDA.".to_owned()
        }
    },
    images_trap: "An image that stops with \"unsatisfied condition: cuda\" asks for a newer driver than it may need: \
                  -e NVIDIA_DISABLE_REQUIRE=1 lets it start.",
    source: "NVIDIA's rules",
    links_title: "Links",
    link: |a, b, word| format!("{a} \u{2013} {b}: {word}"),
    path: |path| match path {
        Path::Same => "the same card".to_owned(),
        Path::NvLink(1) => "1 NVLink".to_owned(),
        Path::NvLink(lanes) => format!("{lanes} NVLinks"),
        Path::Pix => "one PCIe switch".to_owned(),
        Path::Pxb => "several PCIe switches".to_owned(),
        Path::Phb => "PCIe through the processor".to_owned(),
        Path::Node => "PCIe within one processor's part of the machine".to_owned(),
        Path::Sys => "from one processor to the other, slow".to_owned(),
        Path::Unknown => "not reported".to_owned(),
    },
};
