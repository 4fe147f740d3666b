//! Words of the launch box. The commands themselves are no text: they are the same in every language.

use crate::launch::{Advice, Dialect, Fit, Images};

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
    /// Label: a container over ssh.
    pub ssh_docker: &'static str,
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
    /// What is different in containers under WSL.
    pub wsl_note: &'static str,
    /// Why containers under WSL name cards by UUID only.
    pub wsl_no_index: &'static str,
    /// What to know about nerdctl.
    pub nerdctl_note: &'static str,
    /// What to know about Compose.
    pub compose_note: &'static str,
    /// What Podman needs.
    pub podman_needs: &'static str,
    /// What to know about Podman.
    pub podman_note: &'static str,
    /// What `--nvccli` needs.
    pub nvccli_needs: &'static str,
    /// What CDI needs in Apptainer.
    pub apptainer_cdi_needs: &'static str,
    /// What to know about Apptainer.
    pub apptainer_note: &'static str,
    /// What to know about dev containers.
    pub devcontainer_note: &'static str,
    /// What to know about the block in Python.
    pub python_note: &'static str,
    /// Label: on one card.
    pub torch_device: &'static str,
    /// A block that torchrun starts.
    pub by_torchrun: &'static str,
    /// Label: over so many hosts together.
    pub on_hosts: fn(usize) -> String,
    /// Something is started on each host, and meets at this address.
    pub start_on_each: fn(&str) -> String,
    /// What to know about torchrun.
    pub torchrun_note: &'static str,
    /// What to know about Lightning.
    pub lightning_note: &'static str,
    /// Why accelerate gets indices.
    pub accelerate_reason: &'static str,
    /// What to know about accelerate.
    pub accelerate_note: &'static str,
    /// Why `DeepSpeed` gets indices.
    pub deepspeed_reason: &'static str,
    /// Why `DeepSpeed` gets no MIG instance.
    pub deepspeed_mig: &'static str,
    /// Why a tool that reads numbers gets nothing.
    pub no_index_no_form: &'static str,
    /// What to know about `DeepSpeed`.
    pub deepspeed_note: &'static str,
    /// That `DeepSpeed` sorts.
    pub deepspeed_sorts: &'static str,
    /// Label: TensorFlow's own choice.
    pub tf_visible: &'static str,
    /// Label: several logical devices.
    pub tf_logical: &'static str,
    /// Label: memory within the share.
    pub tf_within_share: &'static str,
    /// What to know about TensorFlow.
    pub tf_note: &'static str,
    /// Label: in the program, before jax is imported.
    pub jax_inside: &'static str,
    /// Label: JAX's own setting.
    pub jax_ids: &'static str,
    /// What to know about JAX.
    pub jax_note: &'static str,
    /// What to know about workers.
    pub multiprocessing_note: &'static str,
    /// Label: in the container of the project.
    pub in_docker: &'static str,
    /// Why vLLM gets indices.
    pub vllm_reason: &'static str,
    /// What to know about vLLM.
    pub vllm_note: &'static str,
    /// What a server of one's own is.
    pub ollama_own: &'static str,
    /// Label: the server of the whole machine.
    pub ollama_system: &'static str,
    /// What to know about Ollama; port of one's own server.
    pub ollama_note: fn(u16) -> String,
    /// What to know about llama.cpp.
    pub llama_note: &'static str,
    /// Label: first cell of a notebook.
    pub jupyter_cell: &'static str,
    /// What to know about Jupyter.
    pub jupyter_note: &'static str,
    /// Why the count names no card.
    pub kubernetes_reason: &'static str,
    /// What to know about Kubernetes; name of the pod.
    pub kubernetes_note: fn(&str) -> String,
    /// What DRA needs.
    pub dra_needs: &'static str,
    /// Why DRA gets UUIDs.
    pub dra_reason: &'static str,
    /// What to know about DRA; name of the pod.
    pub dra_note: fn(&str) -> String,
    /// Label: a script.
    pub slurm_script: &'static str,
    /// Why Slurm names no card.
    pub slurm_reason: &'static str,
    /// What to know about Slurm.
    pub slurm_note: &'static str,
    /// There is no command of this name.
    pub no_format: fn(&str) -> String,
    /// Before a line that checks, in a listing; what it must print.
    pub check: fn(&str) -> String,
    /// What is told beside the commands.
    pub explain: ExplainText,
}

/// What is told beside the commands: formats of numbers, images, links.
#[derive(Debug)]
pub struct ExplainText {
    /// Heading.
    pub title: &'static str,
    /// The same for one of several hosts.
    pub title_on: fn(&str) -> String,
    /// A model and its compute capability.
    pub kind: fn(&str, (u32, u32)) -> String,
    /// How well a format goes.
    pub fit: fn(Fit) -> &'static str,
    /// What to use.
    pub advice: fn(Advice) -> &'static str,
    /// Heading: driver and container images.
    pub images_title: &'static str,
    /// What the driver is.
    pub driver: fn(&Images) -> String,
    /// Which images it runs.
    pub images: fn(&Images) -> String,
    /// What an image says that asks for more, and what to do.
    pub images_trap: &'static str,
    /// Leads to the rules.
    pub source: &'static str,
    /// Heading: links between cards.
    pub links_title: &'static str,
    /// Two cards and their path, by its word.
    pub link: fn(&str, &str, &str) -> String,
    /// What the path means.
    pub path: fn(crate::topology::Path) -> String,
}
