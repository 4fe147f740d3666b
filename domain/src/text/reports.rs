//! What the server says to agents whose report does not fit. Administrators read it in the agent's log.

/// The sentences about reports.
#[derive(Debug)]
pub struct ReportsText {
    /// Argument: what is wrong, and where.
    pub unreadable: fn(&str) -> String,
    /// Argument: the largest size, in bytes.
    pub too_large: fn(usize) -> String,
    /// Argument: the most cards.
    pub too_many_cards: fn(usize) -> String,
    /// Arguments: the card, the most processes.
    pub too_many_processes: fn(&str, usize) -> String,
    /// Argument: the card.
    pub card_twice: fn(&str) -> String,
    /// Argument: the card.
    pub bad_index: fn(&str) -> String,
    /// The number does not fit.
    pub bad_seq: &'static str,
    /// The boot id is empty.
    pub no_boot_id: &'static str,
    /// Shown for a card whose name is no text.
    pub unreadable_name: &'static str,
    /// Too many reports wait.
    pub queue_full: &'static str,
    /// The body is packed in a way that is not known; argument: the way.
    pub unknown_encoding: fn(&str) -> String,
    /// The body cannot be unpacked.
    pub bad_gzip: &'static str,
    /// The inventory does not fit; argument: the largest size, in bytes.
    pub inventory_too_large: fn(usize) -> String,
    /// An administrator has retired the host.
    pub retired: &'static str,
    /// Minutes cannot be read; argument: what is wrong, and where.
    pub minutes_unreadable: fn(&str) -> String,
    /// Argument: the most minutes at once.
    pub too_many_minutes: fn(usize) -> String,
    /// A host acts for an account that belongs to nobody; arguments: account, host.
    pub account_of_nobody: fn(&str, &str) -> String,
    /// A host acts for an account that several people share; arguments: account, host.
    pub account_of_several: fn(&str, &str) -> String,
    /// A host wants a card of another one.
    pub card_elsewhere: &'static str,
    /// A host changes a booking that reaches beyond it.
    pub not_wholly_here: &'static str,
    /// Arguments: how many cards, host, minutes.
    pub too_few_free: fn(u32, &str, u32) -> String,
}
