//! English for this: the finder.

use crate::text::FinderText;

/// The words.
pub const TEXT: FinderText = FinderText {
    title: "Find cards",
    about: "Say what you need. The best free cards come first; one click books them.",
    find: "Find",
    for_: "for",
    from: "from",
    go: "Find",
    count_label: "How many cards",
    kind_label: "Model or memory",
    link_label: "Link",
    place_label: "Host or label",
    length_label: "For how long",
    from_label: "From when",
    cards: |count| if count == 1 { "1 card".to_owned() } else { format!("{count} cards") },
    any_model: "any model",
    memory: |gigabytes| format!("any model, {gigabytes} GB or more"),
    architecture: |name| format!("any {name} card"),
    by_memory: "Memory",
    by_model: "Model",
    by_architecture: "Architecture",
    one_host: "on one host",
    nvlink: "linked by NVLink",
    switch: "behind one PCIe switch",
    node: "on one NUMA node",
    any_hosts: "on any hosts",
    anywhere: "anywhere",
    on_host: |name| format!("on {name}"),
    labelled: |name| format!("labelled {name}"),
    by_host: "Host",
    by_label: "Label",
    length: |minutes| match minutes {
        30 => "30 min".to_owned(),
        60 => "1 hour".to_owned(),
        1440 => "1 day".to_owned(),
        10_080 => "1 week".to_owned(),
        _ if minutes.is_multiple_of(1440) => format!("{} days", minutes / 1440),
        _ if minutes.is_multiple_of(60) => format!("{} hours", minutes / 60),
        _ => format!("{minutes} min"),
    },
    now: "now",
    tonight: |at| format!("tonight {at}"),
    tomorrow: |at| format!("tomorrow {at}"),
    earliest: "the earliest time",

    matches: "Best matches",
    free_of: |free, of| {
        if of == 1 { format!("{free} of 1 such card free") } else { format!("{free} of {of} such cards free") }
    },
    calendar: "Look in the calendar",
    best_fit: "Best fit",
    fastest: "Fastest",
    later: "Later",
    shorter: "Shorter",
    elsewhere: "Equal cards",
    same_later: "Later, same cards",
    link: |word| match word {
        "PIX" => "one switch".to_owned(),
        "PXB" => "switches".to_owned(),
        "PHB" => "one CPU".to_owned(),
        "NODE" => "one node".to_owned(),
        "SYS" => "across CPUs".to_owned(),
        other => other.to_owned(),
    },
    until: |end| format!("now – {end}"),
    free_until: |at| format!("free until {at}"),
    free_after: "nothing booked after",
    smallest: |count| match count {
        1 => "Smallest card that fits.".to_owned(),
        2 => "Smallest pair that fits.".to_owned(),
        _ => format!("Smallest {count} cards that fit."),
    },
    keeps: |model| format!("Leaves {model} for bigger jobs."),
    model: |model, memory| if memory.is_empty() { format!("{model}.") } else { format!("{model}, {memory} GB.") },
    model_linked: |model, memory, link| match link {
        link if link.starts_with("NV") => format!("{model}, {memory} GB each, linked by NVLink ({link})."),
        "PIX" => format!("{model}, {memory} GB each, behind one PCIe switch."),
        "PXB" => format!("{model}, {memory} GB each, behind PCIe switches."),
        "PHB" | "NODE" => format!("{model}, {memory} GB each, on one NUMA node."),
        _ => format!("{model}, {memory} GB each, linked across CPUs."),
    },
    first_time: "First time when enough are free.",
    faster_then: |model| format!("Faster: {model} comes free then."),
    by_rule: |rule| format!("Another length: that is what the rule “{rule}” allows."),
    book: |length| format!("Book {length}"),
    book_from: |at| format!("Book from {at}"),
    book_about: |act, cards, times| format!("{act}: {cards}, {times}"),
    host_cards: |host, numbers, count| {
        if count == 1 { format!("{host} card {numbers}") } else { format!("{host} cards {numbers}") }
    },

    no_cards: "No card can be booked now.",
    none_fits: "No card here is like that.",
    too_few: |count, most| {
        format!("No host has {count} such cards that can be booked. The most on one host is {most}.")
    },
    too_few_at_all: |count, most| format!("There are {most} such cards that can be booked, not {count}."),
    not_linked: |count, most| {
        if most < 2 {
            "No two such cards are linked like that.".to_owned()
        } else {
            format!("No {count} such cards are linked like that. The most is {most}.")
        }
    },
    taken: |length| format!("Not enough such cards are free for {length} then."),
    against_rule: |rule| format!("Such cards are free, but the rule “{rule}” does not let you book them then."),
    never: |length| format!("Not enough such cards are free for {length} at once within a month."),
    take: |count| if count == 1 { "Take 1 card".to_owned() } else { format!("Take {count} cards") },
    spread: "Take them from any hosts",
    any_link: "Take them however linked",
    drop_kind: "Search any model",
    drop_place: "Search everywhere",
    try_earliest: "Find the earliest time",
    see_hosts: "See the hosts",

    lost_race: "Not booked. Somebody took one of the cards just before you. These are free:",
    news: |count, first| match count {
        0 => first.to_owned(),
        1 => format!("1 match. {first}"),
        _ => format!("{count} matches. First: {first}"),
    },
    no_answer: "The portal did not answer. What is shown is from before.",
};
