//! The live page: states of cards in the one vocabulary of the portal, what cards do, and what is wrong with a host.

use crate::card::CardNumber;

/// Words of the live page. `until`, `since` and lengths come as words of [`super::When`].
#[derive(Debug)]
pub struct NowText {
    /// Heading, for screen readers.
    pub heading: &'static str,

    /// First words of a band: the card is free.
    pub free: &'static str,
    /// First words: the viewer's.
    pub yours: &'static str,
    /// First words: does not answer.
    pub lost: &'static str,
    /// First words: answers, but not well.
    pub unhealthy: &'static str,
    /// First words: the host is silent.
    pub no_report: &'static str,
    /// First words: the host reports, but has no values.
    pub no_values: &'static str,
    /// First words: used, and nobody knows by whom.
    pub busy: &'static str,
    /// First words: used by the viewer without a booking.
    pub you: &'static str,
    /// Goes on: until when.
    pub until: fn(&str) -> String,
    /// Goes on: since when.
    pub since: fn(&str) -> String,
    /// Goes on: owner unknown.
    pub owner_unknown: &'static str,
    /// Goes on: without a booking.
    pub without_booking: &'static str,
    /// First words: what is left of a process that has ended.
    pub orphan: &'static str,
    /// Goes on: how much memory that holds, in GB; empty where unknown.
    pub orphan_holds: fn(&str) -> String,
    /// First words: a card that is cut into so many MIG instances.
    pub cut: fn(usize) -> String,
    /// Goes on: the instances can be booked.
    pub book_those: &'static str,
    /// Goes on: may not be booked.
    pub not_bookable: &'static str,
    /// A card that an administrator keeps from being booked, before "not bookable"; the argument is the reason.
    pub kept_back: fn(&str) -> String,
    /// Before the time until which it lasts.
    pub maintenance: &'static str,
    /// What comes after the free time.
    pub then_maintenance: &'static str,
    /// Beside: nobody holds it.
    pub not_booked: &'static str,
    /// Beside: a length that is left.
    pub left: fn(&str) -> String,
    /// Beside: who holds it next.
    pub then: fn(&str) -> String,
    /// Beside: the viewer holds it next, at once.
    pub then_yours: &'static str,
    /// Beside: the viewer holds it next, from then.
    pub yours_from: fn(&str) -> String,
    /// Beside: nothing has run for a length.
    pub idle: fn(&str) -> String,
    /// Beside: who holds it, until when.
    pub held_by: fn(&str, &str) -> String,
    /// Beside: what the driver wants.
    pub reset_needed: &'static str,
    /// Mark of a card whose memory repair waits for a reset.
    pub repair_pending: &'static str,
    /// Mark of a card whose memory repair has failed.
    pub defective: &'static str,

    /// The act of a free card.
    pub book: &'static str,
    /// Label of that act: host and card.
    pub book_card: fn(&str, CardNumber) -> String,
    /// The act of the viewer's card.
    pub open: &'static str,
    /// Label of that act: host and card.
    pub open_card: fn(&str, CardNumber) -> String,
    /// Read out when a card of the viewer changes: host, card, its band.
    pub card_is: fn(&str, CardNumber, &str) -> String,
    /// Label of a card's tick: host and card.
    pub pick: fn(&str, CardNumber) -> String,
    /// Number of ticked cards, on the button.
    pub book_picked: fn(usize) -> String,
    /// The same where the number is not known.
    pub book_picked_some: &'static str,
    /// Takes the ticks away.
    pub unpick: &'static str,

    /// Label of utilisation.
    pub utilisation: &'static str,
    /// A share of 100.
    pub percent: fn(u32) -> String,
    /// No value.
    pub not_available: &'static str,
    /// Label of the memory's meter.
    pub memory_used: &'static str,
    /// Used and total, in GB: tenths used, whole total.
    pub memory: fn(&str, u64) -> String,
    /// Used and total of memory that is shared with the CPU, in GB.
    pub memory_unified: fn(&str, u64) -> String,
    /// Memory without a value.
    pub not_reported: &'static str,
    /// Temperature.
    pub celsius: fn(u32) -> String,
    /// Power.
    pub watts: fn(u32) -> String,
    /// Power near its limit.
    pub watts_of: fn(u32, u32) -> String,
    /// No process.
    pub nobody: &'static str,
    /// The list of processes could not be read.
    pub processes_unknown: &'static str,
    /// Memory in use, in GB, with no process to be seen.
    pub hidden_process: fn(&str) -> String,
    /// A process that has ended and whose memory was not given back.
    pub orphan_of: fn(u32) -> String,
    /// Processes beyond the first.
    pub more: fn(usize) -> String,
    /// Nobody's account.
    pub unknown_account: &'static str,
    /// The card was taken from the list or does not answer.
    pub lost_why: &'static str,
    /// The driver wants a reset.
    pub reset_why: &'static str,
    /// Errors without a name.
    pub failing_why: &'static str,
    /// In the place of the processes: a memory repair waits for a reset.
    pub repair_pending_why: &'static str,
    /// In the place of the processes: a memory repair has failed.
    pub defective_why: &'static str,
    /// In the place of the processes: the card is asleep.
    pub asleep_why: &'static str,

    /// Label of the filters.
    pub filters: &'static str,
    /// Filter: everything.
    pub all_cards: &'static str,
    /// Filter: free.
    pub f_free: &'static str,
    /// Filter: the viewer's.
    pub f_mine: &'static str,
    /// Filter: somebody else's.
    pub f_booked: &'static str,
    /// Filter: booked, nothing runs.
    pub f_idle: &'static str,
    /// Filter: used without a booking.
    pub f_rogue: &'static str,
    /// Filter: out of order or silent.
    pub f_off: &'static str,
    /// Label of the choice of a host.
    pub host: &'static str,
    /// No host in particular.
    pub all_hosts: fn(usize) -> String,
    /// Sends the choice where no script runs.
    pub show: &'static str,
    /// Cards that match by now but are not shown yet.
    pub more_match: fn(usize) -> String,
    /// Nothing matches.
    pub none_match: &'static str,
    /// Takes the filter away.
    pub show_all: &'static str,

    /// A host that reports.
    pub live: &'static str,
    /// Age of a late report.
    pub ago: fn(&str) -> String,
    /// A host that does not report; since when.
    pub no_report_since: fn(&str) -> String,
    /// A host that has never reported.
    pub never_reported: &'static str,
    /// Number of cards of one model.
    pub cards_of: fn(usize, &str) -> String,
    /// Busy share of all CPUs.
    pub cpu: fn(u32) -> String,
    /// Main memory, used and total, in GB.
    pub ram: fn(u64, u64) -> String,
    /// Driver version.
    pub driver: fn(&str) -> String,
    /// CUDA version.
    pub cuda: fn(&str) -> String,
    /// How far its clock is off, in words, and whether it is ahead of the portal's rather than behind.
    pub clock_off: fn(&str, bool) -> String,
    /// When the values are from.
    pub values_from: fn(&str) -> String,

    /// First words: no library.
    pub no_library: &'static str,
    /// What to do.
    pub no_library_why: &'static str,
    /// First words: no kernel module.
    pub driver_not_loaded: &'static str,
    /// What to do.
    pub driver_not_loaded_why: &'static str,
    /// First words: two versions.
    pub version_mismatch: &'static str,
    /// What to do.
    pub version_mismatch_why: &'static str,
    /// The two versions: of the kernel module and of the library.
    pub versions: fn(&str, &str) -> String,
    /// First words: a call hangs; since when.
    pub stalled: fn(&str) -> String,
    /// What to do.
    pub stalled_why: &'static str,
    /// First words: the operating system keeps the cards from the agent.
    pub nvml_blocked: &'static str,
    /// What to do.
    pub nvml_blocked_why: &'static str,
    /// First words: the agent's container has lost its cards.
    pub lost_in_container: &'static str,
    /// What to do.
    pub lost_in_container_why: &'static str,
    /// First words: an administrator has asked the agent to let go of NVML.
    pub paused: &'static str,
    /// Until when.
    pub paused_why: fn(&str) -> String,
    /// First words: anything else.
    pub nvml_failed: &'static str,
    /// What to do.
    pub nvml_failed_why: &'static str,
    /// A host whose driver works and that has no card.
    pub no_cards: &'static str,

    /// Heading where there is no host.
    pub no_hosts: &'static str,
    /// What an administrator can do.
    pub no_hosts_admin: &'static str,
    /// What everybody else can do.
    pub no_hosts_member: &'static str,
    /// Leads to the form.
    pub add_host: &'static str,
}
