//! The page of one host: what is wrong, how its cards are linked, what each card and process does.
//!
//! Lists of cards come as text that [`HostText::cards`] made.

use crate::card::{Runtime, Slowdown};
use crate::reading::Missing;
use crate::whose::Why;

/// Words of a host's page.
#[derive(Debug)]
pub struct HostText {
    /// The list of hosts.
    pub hosts: &'static str,
    /// Under its heading.
    pub hosts_about: &'static str,
    /// There is no host of that name.
    pub unknown: &'static str,
    /// Label of the switch between hosts.
    pub switch: &'static str,
    /// Label of the link to a host's page.
    pub open: fn(&str) -> String,
    /// Number of free cards of all that can be booked.
    pub free_of: fn(usize, usize) -> String,

    /// Version of the agent.
    pub agent: fn(&str) -> String,
    /// How long the machine has been running.
    pub up: fn(&str) -> String,
    /// CPU model and number of logical CPUs.
    pub cpus: fn(&str, u32) -> String,

    /// Some cards by their indices.
    pub cards: fn(&[u32]) -> String,
    /// First words of a warning: which cards, and what is the matter.
    pub about: fn(&str, &str) -> String,
    /// Label of the warnings.
    pub alerts: &'static str,
    /// The host's clock differs: a length, and whether it is ahead.
    pub clock: fn(&str, bool) -> String,
    /// Why it matters and what to do.
    pub clock_why: &'static str,
    /// The agent does not see the host's processes.
    pub blind: &'static str,
    /// What to do.
    pub blind_why: &'static str,
    /// A card is lost.
    pub lost: &'static str,
    /// What to do.
    pub lost_why: &'static str,
    /// The driver wants a reset.
    pub reset: &'static str,
    /// What to do.
    pub reset_why: &'static str,
    /// Memory repair waits for a reset.
    pub repair: &'static str,
    /// What to do.
    pub repair_why: &'static str,
    /// Memory repair has failed.
    pub defective: &'static str,
    /// What to do.
    pub defective_why: &'static str,
    /// A card answers with errors.
    pub failing: &'static str,
    /// What to do.
    pub failing_why: &'static str,
    /// The driver has reported an error: its number, since when.
    pub xid: fn(u64, &str) -> String,
    /// What went before: the words of an Xid, its meaning, what to do.
    pub xid_before: fn(&str, &str, &str) -> String,
    /// What an Xid means, and what to do about it; `None` for one that is not known here.
    pub xid_means: fn(u64) -> Option<(&'static str, &'static str)>,
    /// Hot, and since when.
    pub hot: fn(&str) -> String,
    /// What to do.
    pub hot_why: &'static str,
    /// At the power limit, and since when.
    pub capped: fn(&str) -> String,
    /// What to do.
    pub capped_why: &'static str,
    /// Slowed down by the hardware.
    pub throttled: &'static str,
    /// What to do: too hot, the power supply, or unknown.
    pub throttled_why: fn(Slowdown) -> &'static str,
    /// Fewer PCIe lanes than it could have: now, at most.
    pub lanes: fn(u32, u32) -> String,
    /// What to do.
    pub lanes_why: &'static str,
    /// The index has changed: what it was, when.
    pub moved: fn(u32, &str) -> String,
    /// What that means for those who use it.
    pub moved_why: &'static str,
    /// Memory is held by processes that have ended.
    pub orphans: fn(&str) -> String,
    /// What to do.
    pub orphans_why: &'static str,
    /// Number of things to look at; they follow.
    pub look_at: fn(usize) -> String,
    /// Nothing is wrong.
    pub all_well: &'static str,

    /// Heading of the picture.
    pub topology: &'static str,
    /// What can be done with it.
    pub topology_hint: &'static str,
    /// Where nothing is known of it.
    pub topology_unknown: &'static str,
    /// Leads to the booking form.
    pub book_here: &'static str,
    /// A NUMA node.
    pub numa: fn(&str) -> String,
    /// Cards of which the NUMA node is not known.
    pub numa_unknown: &'static str,
    /// CPUs of a node.
    pub cpu_list: fn(&str) -> String,
    /// Between cards: one PCIe switch.
    pub pcie_switch: &'static str,
    /// Between cards: several PCIe switches.
    pub pcie_switches: &'static str,
    /// Between cards: a host bridge.
    pub host_bridge: &'static str,
    /// NVLinks from card to card: how many, their version, GB/s each way; the last two may be unknown.
    pub bundle: fn(u32, Option<&str>, Option<u32>) -> String,
    /// The fabric: lanes from every card, GB/s each way, number of switches (0: not known).
    pub fabric: fn(Option<u32>, Option<u32>, usize) -> String,
    /// For screen readers: NUMA nodes and the cards on each.
    pub said_node: fn(&str, &str) -> String,
    /// For screen readers: cards that share something on PCIe.
    pub said_pcie: fn(&str, &str) -> String,
    /// For screen readers: two cards and what links them.
    pub said_bundle: fn(u32, u32, &str) -> String,
    /// For screen readers: the cards that meet in a fabric, and its words.
    pub said_fabric: fn(&str, &str) -> String,
    /// For screen readers: there is no NVLink.
    pub said_no_nvlink: &'static str,
    /// A card in the picture, for screen readers: name, state, utilisation.
    pub node: fn(&str, &str, &str) -> String,
    /// In the picture: booked and not used.
    pub idle: fn(&str) -> String,
    /// In the picture: yours.
    pub yours: &'static str,
    /// In the picture: cut into so many instances.
    pub cut: fn(usize) -> String,
    /// In the picture: unhealthy.
    pub unhealthy: &'static str,
    /// In the picture: lost.
    pub lost_word: &'static str,
    /// The same for a card that is in maintenance or kept from being booked.
    pub closed_word: &'static str,
    /// In the picture: used, nobody knows by whom.
    pub busy_word: &'static str,
    /// Caption of the matrix.
    pub matrix: &'static str,
    /// Heading of the CPUs near a card.
    pub cpu: &'static str,
    /// Heading of the NUMA nodes near a card.
    pub numa_short: &'static str,
    /// What a word of the matrix means.
    pub path: fn(&str) -> &'static str,
    /// Below the legend; the command follows.
    pub same_words: &'static str,

    /// Heading of the cards.
    pub card: &'static str,
    /// Heading of the table of cards.
    pub cards_heading: &'static str,
    /// From when its values are.
    pub as_of: fn(&str) -> String,
    /// Column.
    pub sm_clock: &'static str,
    /// Column.
    pub memory_clock: &'static str,
    /// Column.
    pub pcie: &'static str,
    /// Column.
    pub ecc: &'static str,
    /// Column.
    pub remap: &'static str,
    /// Column.
    pub slowed_by: &'static str,
    /// Column.
    pub last_xid: &'static str,
    /// Column.
    pub mig: &'static str,
    /// Column.
    pub heat: &'static str,
    /// Column.
    pub power: &'static str,
    /// Generation and lanes.
    pub pcie_value: fn(u32, u32) -> String,
    /// Lanes of the most that are possible.
    pub pcie_of: fn(u32, u32, u32) -> String,
    /// What it could do at most: generation and lanes.
    pub pcie_most: fn(u32, u32) -> String,
    /// ECC is switched off.
    pub ecc_off: &'static str,
    /// A repair of memory waits for a reset.
    pub remap_pending: &'static str,
    /// A repair of memory has failed.
    pub remap_failed: &'static str,
    /// Pages retired for good.
    pub pages: fn(u32) -> String,
    /// Rows remapped after corrected and uncorrected errors.
    pub rows: fn(u32, u32) -> String,
    /// None.
    pub none: &'static str,
    /// MIG is on.
    pub on: &'static str,
    /// MIG is off.
    pub off: &'static str,
    /// MIG will be on after a reset.
    pub on_pending: &'static str,
    /// MIG will be off after a reset.
    pub off_pending: &'static str,
    /// Why a card is slower than it could be.
    pub slowdown: fn(Slowdown) -> &'static str,
    /// Number and time of an Xid.
    pub xid_at: fn(u64, &str) -> String,
    /// Why there is no value.
    pub missing: fn(Missing) -> &'static str,
    /// The index before.
    pub was: fn(u32) -> String,
    /// Bus address and minor number, on the index.
    pub address: fn(&str) -> String,

    /// Heading of the processes.
    pub processes: &'static str,
    /// Beside it.
    pub processes_about: &'static str,
    /// No process is on any card.
    pub no_process: &'static str,
    /// Of some cards the list could not be read.
    pub unread: fn(&str) -> String,
    /// Column.
    pub person: &'static str,
    /// Column.
    pub os_user: &'static str,
    /// Column.
    pub container: &'static str,
    /// Column.
    pub command: &'static str,
    /// Column.
    pub memory: &'static str,
    /// Column.
    pub since: &'static str,
    /// Column.
    pub booking: &'static str,
    /// An amount of memory, in GB.
    pub gigabytes: fn(&str) -> String,
    /// In the place of a person's name: why nobody knows whose it is.
    pub nobody: fn(Why) -> &'static str,
    /// A guess at a person's name.
    pub probably: fn(&str) -> String,
    /// What the answer to whose it is rests on.
    pub why: fn(Why) -> &'static str,
    /// Right of a process that is probably the booker's.
    pub perhaps_booked: &'static str,
    /// Right of a service of the machine.
    pub service: &'static str,
    /// The account belongs to several people.
    pub shared_account: fn(usize) -> String,
    /// Its owner has the card booked.
    pub booked: &'static str,
    /// Its owner has the card booked, and it does nothing.
    pub booked_idle: &'static str,
    /// Its owner has not booked the card.
    pub unbooked: &'static str,
    /// Memory that a process left behind, in GB; empty where unknown.
    pub orphan: fn(&str) -> String,
    /// Nobody knows whether its owner has booked the card.
    pub owner_unknown: &'static str,
    /// It draws on the screen and needs no booking.
    pub screen: &'static str,
    /// Process id, as a title.
    pub pid: fn(u32) -> String,
    /// What a container was made by.
    pub runtime: fn(Runtime) -> &'static str,

    /// Heading of a card's instances.
    pub slices: fn(u32) -> String,
    /// Compute units given out, of all.
    pub slices_of: fn(u32, u32) -> String,
    /// Column.
    pub slice: &'static str,
    /// Column.
    pub instance: &'static str,
    /// GPU instance and compute instance.
    pub instance_ids: fn(u32, u32) -> String,
    /// Column.
    pub multiprocessors: &'static str,
    /// Column.
    pub memory_gb: &'static str,
    /// Column.
    pub uuid: &'static str,
    /// Column.
    pub now: &'static str,
    /// Below the instances.
    pub no_share: &'static str,

    /// On a booking: cards of another index now. Card, index before, when.
    pub booking_moved: fn(&str, u32, u32, &str) -> String,
    /// On a booking: what that means.
    pub booking_moved_why: &'static str,
}
