//! Descriptions of what cards and machines are and do, beyond what every page shows.
#![expect(dead_code, reason = "descriptions")]

use utoipa::ToSchema;

/// Which part of a physical card a MIG instance is.
#[derive(ToSchema)]
pub(super) struct MigPart {
    /// The physical card.
    parent: String,
    /// GPU instance id, as in `nvidia-smi`'s MIG table.
    gpu_instance: u32,
    /// Compute instance id within it.
    compute_instance: u32,
    /// Number among the card's instances, for people.
    instance: u32,
    /// Profile, such as `3g.40gb`; empty where NVML does not say.
    profile: String,
    /// Compute slices of the parent's seven (or four).
    #[schema(value_type = Value)]
    compute_slices: Option<()>,
    /// Streaming multiprocessors.
    #[schema(value_type = Value)]
    multiprocessors: Option<()>,
}

/// What a process runs in.
#[derive(ToSchema)]
pub(super) struct Container {
    /// Who made it.
    runtime: String,
    /// Container id (first 12 digits), Slurm job, or unit, as the cgroup's path has it.
    id: String,
}

/// What a card does, beyond what every page shows live: for the host's page, the terminal and the record.
#[derive(ToSchema)]
pub(super) struct CardDetail {
    /// Memory that the driver keeps for itself; in neither used nor free.
    #[schema(value_type = Value)]
    memory_reserved_mib: Option<()>,
    /// Memory that nobody has.
    #[schema(value_type = Value)]
    memory_free_mib: Option<()>,
    /// Memory is the machine's own and shared with the CPU (GB10, Jetson); numbers are from `/proc/meminfo`.
    memory_is_unified: bool,
    /// The library is too old to tell used from reserved: used contains both.
    memory_used_has_reserved: bool,
    /// Share of the last sampling period in which memory was read or written, 0 to 100.
    #[schema(value_type = Value)]
    memory_utilisation_percent: Option<()>,
    /// Encoder, 0 to 100.
    #[schema(value_type = Value)]
    encoder_percent: Option<()>,
    /// Decoder, 0 to 100.
    #[schema(value_type = Value)]
    decoder_percent: Option<()>,
    /// Memory's temperature.
    #[schema(value_type = Value)]
    memory_temperature_celsius: Option<()>,
    /// Energy since the driver was loaded.
    #[schema(value_type = Value)]
    energy_millijoules: Option<()>,
    /// Graphics clock.
    #[schema(value_type = Value)]
    graphics_clock_mhz: Option<()>,
    /// Memory clock.
    #[schema(value_type = Value)]
    memory_clock_mhz: Option<()>,
    /// P-state, 0 (fastest) to 15.
    #[schema(value_type = Value)]
    performance_state: Option<()>,
    /// Why clocks are lower than they could be.
    #[schema(value_type = Value)]
    slowed_by: Option<()>,
    /// PCIe generation in use.
    #[schema(value_type = Value)]
    pcie_generation: Option<()>,
    /// PCIe lanes in use.
    #[schema(value_type = Value)]
    pcie_width: Option<()>,
    /// Corrected ECC errors since the driver was loaded.
    #[schema(value_type = Value)]
    ecc_corrected: Option<()>,
    /// Uncorrected ECC errors since the driver was loaded.
    #[schema(value_type = Value)]
    ecc_uncorrected: Option<()>,
    /// Pages retired for good (before Ampere).
    #[schema(value_type = Value)]
    retired_pages: Option<()>,
    /// Pages wait for a restart of the card to be retired.
    #[schema(value_type = Value)]
    retirement_pending: Option<()>,
    /// Rows replaced by spare ones (Ampere and later).
    #[schema(value_type = Value)]
    remapped_rows: Option<()>,
    /// The last Xid that this agent saw on the card.
    last_xid: Option<Xid>,
    /// At `HOT_CELSIUS` or above without a break since.
    #[schema(format = DateTime)]
    hot_since: Option<String>,
    /// At `CAPPED_PERCENT` of the power limit or above without a break since.
    #[schema(format = DateTime)]
    power_capped_since: Option<String>,
}

/// An error message of the driver about a card.
#[derive(ToSchema)]
pub(super) struct Xid {
    /// Number in NVIDIA's list.
    code: u64,
    /// When, by the host's clock.
    #[schema(format = DateTime)]
    at: String,
}

/// Everything about a host that does not change from beat to beat.
#[derive(ToSchema)]
pub(super) struct Inventory {
    /// The machine.
    machine: Machine,
    /// Its cards, physical ones and MIG instances, in the order of the reports.
    cards: Vec<CardInventory>,
    /// How the physical cards are linked.
    topology: Topology,
}

/// The machine.
#[derive(ToSchema)]
pub(super) struct Machine {
    /// Kernel release (`6.1.0-28-amd64`).
    kernel: Option<String>,
    /// Distribution, by `/etc/os-release`.
    os: Option<String>,
    /// CPU model.
    cpu_model: Option<String>,
    /// Logical CPUs.
    cpus: Option<u32>,
    /// Main memory.
    #[schema(value_type = Value)]
    memory_total_mib: Option<()>,
    /// NUMA nodes in order of their number.
    numa: Vec<NumaNode>,
    /// Start of the kernel, by the host's clock.
    #[schema(format = DateTime)]
    booted_at: Option<String>,
    /// Driver version.
    driver_version: Option<String>,
    /// CUDA version that the driver offers, such as `12.8`.
    cuda_version: Option<String>,
    /// Version of `libnvidia-ml`.
    nvml_version: Option<String>,
    /// What the machine is, as far as that changes what works.
    platform: String,
    /// The agent shares the host's process ids. Where it does not, as in a container without `pid: host`, nobody can say
    /// whose a process is.
    sees_processes: bool,
}

/// A NUMA node.
#[derive(ToSchema)]
pub(super) struct NumaNode {
    /// Number.
    id: u32,
    /// CPUs as the kernel lists them (`0-55,112-167`).
    cpus: String,
    /// Memory.
    #[schema(value_type = Value)]
    memory_total_mib: Option<()>,
}

/// What a card is, beyond its `CardFacts`.
#[derive(ToSchema)]
pub(super) struct CardInventory {
    /// Which.
    uuid: String,
    /// Product line (`GeForce`, `Tesla`, `NVIDIA RTX`).
    #[schema(value_type = Value)]
    brand: Option<()>,
    /// Architecture (`Ampere`, `Hopper`).
    #[schema(value_type = Value)]
    architecture: Option<()>,
    /// CUDA compute capability, major and minor.
    #[schema(value_type = Value)]
    compute_capability: Option<()>,
    /// CUDA cores.
    #[schema(value_type = Value)]
    cores: Option<()>,
    /// Serial number of the board.
    #[schema(value_type = Value)]
    serial: Option<()>,
    /// VBIOS version.
    #[schema(value_type = Value)]
    vbios: Option<()>,
    /// GSP firmware version.
    #[schema(value_type = Value)]
    gsp_firmware: Option<()>,
    /// Temperature at which the card slows down.
    #[schema(value_type = Value)]
    slowdown_celsius: Option<()>,
    /// Temperature at which the card shuts down.
    #[schema(value_type = Value)]
    shutdown_celsius: Option<()>,
    /// Highest temperature at which it is meant to work.
    #[schema(value_type = Value)]
    max_operating_celsius: Option<()>,
    /// Power limit after a restart.
    #[schema(value_type = Value)]
    default_power_limit_milliwatts: Option<()>,
    /// Lowest and highest power limit that can be set.
    #[schema(value_type = Value)]
    power_limit_range_milliwatts: Option<()>,
    /// Highest SM clock.
    #[schema(value_type = Value)]
    max_sm_clock_mhz: Option<()>,
    /// Highest memory clock.
    #[schema(value_type = Value)]
    max_memory_clock_mhz: Option<()>,
    /// Highest PCIe generation that card and slot can do.
    #[schema(value_type = Value)]
    max_pcie_generation: Option<()>,
    /// Most PCIe lanes that card and slot can do.
    #[schema(value_type = Value)]
    max_pcie_width: Option<()>,
    /// ECC is on.
    #[schema(value_type = Value)]
    ecc_enabled: Option<()>,
    /// Compute mode.
    #[schema(value_type = Value)]
    compute_mode: Option<()>,
    /// The driver stays loaded while nobody uses the card.
    #[schema(value_type = Value)]
    persistence: Option<()>,
    /// MIG is on.
    #[schema(value_type = Value)]
    mig_enabled: Option<()>,
    /// MIG will be on after the next reset.
    #[schema(value_type = Value)]
    mig_pending: Option<()>,
    /// Whether the card is passed through or shared by a hypervisor (`none`, `passthrough`, `vgpu`, `host_vgpu`, `host_vsga`).
    #[schema(value_type = Value)]
    virtualisation: Option<()>,
    /// A display is attached or could be drawn on.
    #[schema(value_type = Value)]
    display_active: Option<()>,
}

/// What NVML says about the links of one host's physical cards.
#[derive(ToSchema)]
pub(super) struct Topology {
    /// Physical cards in index order.
    cards: Vec<LinkedCard>,
    /// Every pair once, the lower position first.
    pairs: Vec<Pair>,
}

/// A card and its ends of the links.
#[derive(ToSchema)]
pub(super) struct LinkedCard {
    /// Which.
    uuid: String,
    /// Index at the time.
    index: u32,
    /// PCI address as sysfs writes it (`0000:1b:00.0`).
    pci_bus_id: Option<String>,
    /// CPUs near the card, as the kernel lists them (`0-55,112-167`).
    #[schema(value_type = Value)]
    cpu_affinity: Option<()>,
    /// NUMA nodes near the card, likewise.
    #[schema(value_type = Value)]
    numa_affinity: Option<()>,
    /// The card's memory as a NUMA node of its own (GH200, GB200).
    #[schema(value_type = Value)]
    gpu_numa_id: Option<()>,
    /// NVLink lanes in order of their number; empty where the card has none.
    nvlinks: Vec<NvLink>,
}

/// One NVLink lane of a card.
#[derive(ToSchema)]
pub(super) struct NvLink {
    /// Number.
    link: u32,
    /// Up. Says nothing about who is at the other end.
    active: bool,
    /// NVML's version enumeration, not a version: 1=1.0 2=2.0 3=2.2 4=3.0 5=3.1 6=4.0 7=5.0.
    #[schema(value_type = Value)]
    version: Option<()>,
    /// What is at the other end.
    #[schema(value_type = Object)]
    remote: (),
}

/// What NVML says about two cards.
#[derive(ToSchema)]
pub(super) struct Pair {
    /// Position of the one in [`Topology::cards`].
    a: u32,
    /// Position of the other, higher.
    b: u32,
    /// The nearest thing that both hang on.
    #[schema(value_type = Value)]
    ancestor: Option<()>,
    /// Whether they reach each other's memory over NVLink.
    #[schema(value_type = Value)]
    nvlink_p2p: Option<()>,
}
