//! The finder: a wish as one sentence of choices, suggestions with their reasons, and why there are none.

/// Words of the finder. Times, lengths and cards come as words already.
#[derive(Debug)]
pub struct FinderText {
    /// Heading.
    pub title: &'static str,
    /// What the page of the finder alone is for.
    pub about: &'static str,
    /// Begins the sentence.
    pub find: &'static str,
    /// Before the length.
    pub for_: &'static str,
    /// Before the start.
    pub from: &'static str,
    /// Sends the sentence where no script does.
    pub go: &'static str,
    /// Label: how many cards.
    pub count_label: &'static str,
    /// Label: which cards.
    pub kind_label: &'static str,
    /// Label: how they are linked.
    pub link_label: &'static str,
    /// Label: where.
    pub place_label: &'static str,
    /// Label: for how long.
    pub length_label: &'static str,
    /// Label: from when.
    pub from_label: &'static str,
    /// So many cards.
    pub cards: fn(u32) -> String,
    /// Any model.
    pub any_model: &'static str,
    /// Any model with so many GB at least.
    pub memory: fn(u64) -> String,
    /// Any model of an architecture.
    pub architecture: fn(&str) -> String,
    /// Group of choices: by memory.
    pub by_memory: &'static str,
    /// Group of choices: by model.
    pub by_model: &'static str,
    /// Group of choices: by architecture.
    pub by_architecture: &'static str,
    /// On one host.
    pub one_host: &'static str,
    /// Linked by NVLink.
    pub nvlink: &'static str,
    /// Behind one PCIe switch.
    pub switch: &'static str,
    /// On one NUMA node.
    pub node: &'static str,
    /// On any hosts.
    pub any_hosts: &'static str,
    /// Wherever it is.
    pub anywhere: &'static str,
    /// On a host.
    pub on_host: fn(&str) -> String,
    /// With a label.
    pub labelled: fn(&str) -> String,
    /// Group of choices: hosts.
    pub by_host: &'static str,
    /// Group of choices: labels.
    pub by_label: &'static str,
    /// So many minutes.
    pub length: fn(u32) -> String,
    /// At once.
    pub now: &'static str,
    /// From then, this evening.
    pub tonight: fn(&str) -> String,
    /// From then, the next day.
    pub tomorrow: fn(&str) -> String,
    /// As soon as it can be.
    pub earliest: &'static str,

    /// The list.
    pub matches: &'static str,
    /// So many of so many cards are free then.
    pub free_of: fn(u32, u32) -> String,
    /// Link to the calendar.
    pub calendar: &'static str,
    /// Reason: the smallest that do.
    pub best_fit: &'static str,
    /// Reason: the fastest.
    pub fastest: &'static str,
    /// Reason: later.
    pub later: &'static str,
    /// Reason: shorter.
    pub shorter: &'static str,
    /// Reason: equal cards elsewhere.
    pub elsewhere: &'static str,
    /// Reason: the same cards later.
    pub same_later: &'static str,
    /// A link by the word of `nvidia-smi topo -m`, short enough to stand between two cards.
    pub link: fn(&str) -> String,
    /// From now until then.
    pub until: fn(&str) -> String,
    /// Until when it stays free after that.
    pub free_until: fn(&str) -> String,
    /// Nothing is booked after that.
    pub free_after: &'static str,
    /// Why: the smallest; so many.
    pub smallest: fn(u32) -> String,
    /// Why, goes on: what stays free for others.
    pub keeps: fn(&str) -> String,
    /// Why: model and memory.
    pub model: fn(&str, &str) -> String,
    /// Why: model, memory, link.
    pub model_linked: fn(&str, &str, &str) -> String,
    /// Why: the first time.
    pub first_time: &'static str,
    /// Why: faster ones come free then.
    pub faster_then: fn(&str) -> String,
    /// Why, goes on: the rule by which it is not for as long as was asked for.
    pub by_rule: fn(&str) -> String,
    /// Button: book for a length.
    pub book: fn(&str) -> String,
    /// Button: book from then.
    pub book_from: fn(&str) -> String,
    /// What the button books, for those who do not see it: length, cards, times.
    pub book_about: fn(&str, &str, &str) -> String,
    /// A host and its cards.
    pub host_cards: fn(&str, &str, usize) -> String,

    /// Nothing can be booked at all.
    pub no_cards: &'static str,
    /// No card is like that.
    pub none_fits: &'static str,
    /// No host has so many such cards; the most.
    pub too_few: fn(u32, u32) -> String,
    /// There are not so many such cards in all; the most.
    pub too_few_at_all: fn(u32, u32) -> String,
    /// Not so many are linked so; the most, 1 where no two are.
    pub not_linked: fn(u32, u32) -> String,
    /// Not free for so long at that time.
    pub taken: fn(&str) -> String,
    /// A rule does not allow it then; its name.
    pub against_rule: fn(&str) -> String,
    /// Not free for so long within a month.
    pub never: fn(&str) -> String,
    /// Act: take so many.
    pub take: fn(u32) -> String,
    /// Act: on several hosts.
    pub spread: &'static str,
    /// Act: however they are linked.
    pub any_link: &'static str,
    /// Act: any model.
    pub drop_kind: &'static str,
    /// Act: on any host.
    pub drop_place: &'static str,
    /// Act: as soon as it can be.
    pub try_earliest: &'static str,
    /// Act: what the hosts are doing.
    pub see_hosts: &'static str,

    /// Somebody else was faster.
    pub lost_race: &'static str,
    /// Read out after a search: so many, and the first of them.
    pub news: fn(usize, &str) -> String,
    /// The search did not come back.
    pub no_answer: &'static str,
}
