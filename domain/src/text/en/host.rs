//! English for a host's page.

use crate::card::{Runtime, Slowdown};
use crate::reading::Missing;
use crate::text::HostText;
use crate::whose::Why;

/// The words.
pub const TEXT: HostText = HostText {
    hosts: "Hosts",
    hosts_about: "What each machine has, and how it is doing. Open one for its links, cards and processes.",
    unknown: "There is no host of this name. Its name may have changed, or an administrator has retired or removed it.",
    switch: "Host",
    open: |host| format!("Open the page of {host}"),
    free_of: |free, all| format!("{free} of {all} free"),

    agent: |version| format!("agent {version}"),
    up: |length| format!("up {length}"),
    cpus: |model, count| format!("{model}, {count} CPUs"),

    cards: |indices| {
        let list: Vec<String> = indices.iter().map(ToString::to_string).collect();
        match list.split_last() {
            None => String::new(),
            Some((only, [])) => format!("Card {only}"),
            Some((last, rest)) => format!("Cards {} and {last}", rest.join(", ")),
        }
    },
    about: |cards, what| format!("{cards}: {what}."),
    alerts: "What needs attention",
    clock: |length, ahead| {
        let side = if ahead { "ahead of" } else { "behind" };
        format!("The clock of this host is {length} {side} the portal's.")
    },
    clock_why: "Bookings follow the portal's clock. Turn on time synchronisation on the host, for instance chrony.",
    blind: "The agent does not see the processes of this host.",
    blind_why: "It runs in a container of its own, or the host hides other accounts' processes from it (hidepid), so nobody \
                can say whose a process is. Run `berth doctor` there: it says which, and what to do.",
    lost: "lost, not bookable",
    lost_why: "The driver no longer lists it. Reboot the host. If it stays away, check its power cables and its seat.",
    reset: "needs a reset, not bookable",
    reset_why: "Stop what runs on it, let the agent go with `sudo berth agent pause`, then run \
                `sudo nvidia-smi --gpu-reset` for this card, or reboot the host.",
    repair: "memory repair pending, not bookable",
    repair_why: "Faulty memory is replaced by spare memory at the next reset. Reset the card or reboot the host.",
    defective: "memory defective, not bookable",
    defective_why: "There is no spare memory left to repair it with. Have the card replaced.",
    failing: "answers with errors, not bookable",
    failing_why: "The driver gives no reason. The host's kernel log may. Reset the card or reboot the host.",
    xid: |code, at| format!("reported Xid {code} at {at}"),
    xid_before: |xid, meaning, act| format!("It {xid}.{meaning} {act}"),
    xid_means: |code| {
        Some(match code {
            13 => (
                "A program ran into an error in its kernel.",
                "Mostly the program's fault. If it follows the card, test the card.",
            ),
            31 => (
                "A program read or wrote memory that it does not have.",
                "Mostly the program's fault. If it follows the card, test the card.",
            ),
            43 => ("A program was stopped after an error of its own.", "The card is fine. Look at the program."),
            48 => (
                "Memory error that could not be corrected (double bit).",
                "Results may be wrong. Reset the card or reboot the host.",
            ),
            63 => ("A faulty piece of memory was marked for repair.", "Reset the card when it is next free."),
            64 => (
                "A faulty piece of memory could not be marked for repair.",
                "Reset the card. If it comes back, have the card replaced.",
            ),
            74 => (
                "An NVLink has failed.",
                "Reset the card. If it comes back, check the bridge or have the board looked at.",
            ),
            79 => (
                "The card has fallen off the bus.",
                "Reboot the host. If it comes back, check power, heat and the card's seat.",
            ),
            92 => (
                "Many memory errors had to be corrected.",
                "The card goes on working. Watch it, and have it looked at if it goes on.",
            ),
            94 => {
                ("A memory error hit one program only.", "Restart that program. Reset the card when it is next free.")
            }
            95 => ("A memory error may have hit every program on the card.", "Stop them all and reset the card."),
            119 | 120 => (
                "The card's own processor (GSP) does not answer.",
                "Reset the card or reboot the host. If it comes back, update the driver.",
            ),
            _ => return None,
        })
    },
    hot: |since| format!("too hot since {since}"),
    hot_why: "85 °C or more for over a minute. Check airflow, fans and what stands in front of the machine.",
    capped: |since| format!("at its power limit since {since}"),
    capped_why: "97 % of the limit or more for over a minute, so the card slows itself down. That is normal under full \
                 load. Lower application clocks, or raise the power limit if the machine can cool it.",
    throttled: "slowed down by its hardware",
    throttled_why: |why| match why {
        Slowdown::HardwareThermal => "It is too hot. Check airflow and fans.",
        Slowdown::PowerBrake => "The power supply asks for it. Check power cables and supplies.",
        _ => "Too hot, or too little power. Check airflow, fans and power cables.",
    },
    lanes: |now, most| format!("on {now} of {most} PCIe lanes"),
    lanes_why: "Copies to and from the card are slower. Check its seat and riser, and what else shares the lanes.",
    moved: |before, at| format!("was card {before} until {at}"),
    moved_why: "The order of the bus has changed. Bookings and launch lines name cards by their UUID and stay right.",
    orphans: |memory| match memory {
        "" => "memory is held by a process that has ended".to_owned(),
        memory => format!("{memory} GB are held by a process that has ended"),
    },
    orphans_why: "Look for what is left of it, such as workers in a container. A reset of the card frees the memory.",
    look_at: |count| match count {
        1 => "1 thing to look at:".to_owned(),
        n => format!("{n} things to look at:"),
    },
    all_well: "Nothing to look at",

    topology: "Topology",
    topology_hint: "Hover or focus a card to light up its links and its matrix row",
    topology_unknown: "The agent has not told yet how the cards are linked. It does with its first full report.",
    book_here: "Book on this host",
    numa: |node| format!("NUMA node {node}"),
    numa_unknown: "NUMA node not reported",
    cpu_list: |list| format!("CPU {list}"),
    pcie_switch: "PCIe switch",
    pcie_switches: "PCIe switches",
    host_bridge: "host bridge",
    bundle: |lanes, version, speed| {
        let mut said = if lanes == 1 { "1 NVLink".to_owned() } else { format!("{lanes} NVLinks") };
        if let Some(version) = version {
            said += &format!(", version {version}");
        }
        if let Some(speed) = speed {
            said += &format!(", {speed} GB/s each way");
        }
        said
    },
    fabric: |lanes, speed, switches| {
        let mut said = match switches {
            0 => "NVSwitch fabric".to_owned(),
            1 => "NVSwitch fabric of 1 switch".to_owned(),
            n => format!("NVSwitch fabric of {n} switches"),
        };
        match lanes {
            Some(lanes) => said += &format!(": {lanes} links from every card"),
            None => said += ": not all cards have the same number of links",
        }
        if let Some(speed) = speed {
            said += &format!(", {speed} GB/s each way");
        }
        said
    },
    said_node: |node, cards| format!("{node}: {cards}."),
    said_pcie: |cards, what| format!("{cards} share a {what}."),
    said_bundle: |a, b, what| format!("Cards {a} and {b} are linked by {what}."),
    said_fabric: |cards, what| format!("{cards} meet in an {what}."),
    said_no_nvlink: "No NVLink: all cards reach each other over PCIe.",
    node: |name, state, share| format!("Card {name}: {state}, {share}"),
    idle: |who| format!("{who}, idle"),
    yours: "You",
    cut: |parts| format!("MIG × {parts}"),
    unhealthy: "Unhealthy",
    lost_word: "Lost",
    closed_word: "Closed",
    busy_word: "Busy",
    matrix: "How each card reaches each other one",
    cpu: "CPU",
    numa_short: "NUMA",
    path: |word| match word {
        "NV" => "NVLink, with the number of links together",
        "PIX" => "through one PCIe switch",
        "PXB" => "through several PCIe switches",
        "PHB" => "through one PCIe host bridge",
        "NODE" => "across host bridges of one NUMA node",
        "SYS" => "across NUMA nodes, slowest",
        _ => "not reported",
    },
    same_words: "Same words as",

    card: "Card",
    cards_heading: "Cards",
    as_of: |time| format!("Clocks, links and errors as of {time}"),
    sm_clock: "SM MHz",
    memory_clock: "Mem MHz",
    pcie: "PCIe gen × lanes",
    ecc: "ECC corrected / not",
    remap: "Row remap",
    slowed_by: "Slowed by",
    last_xid: "Last Xid",
    mig: "MIG",
    heat: "°C / limit",
    power: "W / limit",
    pcie_value: |generation, lanes| format!("{generation} ×{lanes}"),
    pcie_of: |generation, lanes, most| format!("{generation} ×{lanes} of {most}"),
    pcie_most: |generation, lanes| {
        format!(
            "Card and slot can do generation {generation} with {lanes} lanes; it falls while the card has nothing to do"
        )
    },
    ecc_off: "off",
    remap_pending: "pending, reset",
    remap_failed: "failed, replace",
    pages: |count| match count {
        1 => "1 page retired".to_owned(),
        n => format!("{n} pages retired"),
    },
    rows: |corrected, uncorrected| {
        format!("Rows replaced after corrected errors: {corrected}; after others: {uncorrected}")
    },
    none: "none",
    on: "on",
    off: "off",
    on_pending: "on after reset",
    off_pending: "off after reset",
    slowdown: |why| match why {
        Slowdown::Idle => "idle",
        Slowdown::ApplicationClocks => "set clocks",
        Slowdown::PowerCap => "power limit",
        Slowdown::Hardware => "hardware",
        Slowdown::SyncBoost => "sync boost",
        Slowdown::SoftwareThermal => "heat",
        Slowdown::HardwareThermal => "heat (hardware)",
        Slowdown::PowerBrake => "power brake",
        Slowdown::Display => "display clock",
        Slowdown::Other => "other",
    },
    xid_at: |code, at| format!("{code}, {at}"),
    missing: |why| match why {
        Missing::NotSupported => "The card or its driver does not offer this",
        Missing::NoPermission => "The agent may not read this",
        Missing::Lost => "The card no longer answers",
        Missing::ResetNeeded => "The card needs a reset first",
        Missing::NoSymbol => "The driver is too old for this",
        Missing::Unknown => "Not reported",
    },
    was: |before| format!("was {before}"),
    address: |bus| format!("PCI {bus}"),

    processes: "Processes",
    processes_about: "Who is really on the cards. Passwords, keys and tokens in commands are hidden",
    no_process: "No process is on any card.",
    unread: |cards| format!("{cards}: the list of processes could not be read."),
    person: "Person",
    os_user: "OS user",
    container: "Container",
    command: "Command",
    memory: "Memory",
    since: "Since",
    booking: "Booking",
    gigabytes: |amount| format!("{amount} GB"),
    nobody: |why| match why {
        Why::Service => "system",
        Why::Ended => "has ended",
        Why::Unseen => "not visible to the agent",
        _ => "not known",
    },
    probably: |name| format!("probably {name}"),
    why: |why| match why {
        Why::Linked => "Verified: this person has linked the account with berth link.",
        Why::Matched => "Verified: an administrator has matched the account to this person.",
        Why::ContainerOnBookedCard => {
            "A guess: it runs in a container, whose account says nothing, on a card that this person has booked now."
        }
        Why::ContainerAccount => {
            "Likely: it runs in a container under an account of this person, and a container's accounts need not be the host's."
        }
        Why::SharedAccount => "Several people share this account.",
        Why::Service => "A service of the machine.",
        Why::UnknownAccount => "The account is matched to nobody. An administrator can match it under Admin.",
        Why::Ended => "The process has ended, and its memory was not given back.",
        Why::Unseen => "The agent does not see the host's processes.",
    },
    perhaps_booked: "Probably booked",
    service: "System",
    shared_account: |count| format!("one of {count} people"),
    booked: "Booked",
    booked_idle: "Booked, idle",
    unbooked: "Without booking",
    orphan: |memory| match memory {
        "" => "Orphan holds memory".to_owned(),
        memory => format!("Orphan holds {memory} GB"),
    },
    owner_unknown: "Owner unknown",
    screen: "Screen",
    pid: |pid| format!("Process {pid}"),
    runtime: |runtime| match runtime {
        Runtime::Docker => "docker",
        Runtime::Podman => "podman",
        Runtime::Containerd => "containerd",
        Runtime::Crio => "cri-o",
        Runtime::Slurm => "Slurm job",
        Runtime::SystemdUnit => "unit",
        Runtime::Other => "container",
    },

    slices: |index| format!("MIG instances of card {index}"),
    slices_of: |used, all| format!("{used} of {all} compute units given out"),
    slice: "Instance",
    instance: "Ids",
    instance_ids: |gpu, compute| format!("GI {gpu} · CI {compute}"),
    multiprocessors: "SMs",
    memory_gb: "Memory GB",
    uuid: "UUID",
    now: "Now",
    no_share: "NVIDIA gives no utilisation for an instance, so Berth shows memory and processes and never invents a \
               percentage. One process can use one instance only.",

    booking_moved: |host, index, before, at| format!("Card {index} on {host} was card {before} until {at}."),
    booking_moved_why: "The order of the bus has changed. Your booking and its launch lines name cards by their UUID, so \
                        they still mean the same cards. A line with bare numbers that you kept elsewhere does not.",
};
