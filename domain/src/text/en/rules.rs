//! English for this: rules, groups and labels.

use crate::rules::Period;
use crate::text::RulesText;
use crate::text::rules::{BrokenText, KeptText, LimitText};

/// The words.
pub const TEXT: RulesText = RulesText {
    title: "Rules",
    pages: super::rule_pages::TEXT,
    limit: LimitText {
        shortest: |least| format!("A booking lasts at least {least}"),
        longest: |most| format!("A booking lasts at most {most}"),
        horizon: |ahead| format!("A booking begins at most {ahead} ahead"),
        most_cards: |most| match most {
            0 => "No card at all".to_owned(),
            1 => "One card at a time".to_owned(),
            most => format!("At most {most} cards at a time"),
        },
        gpu_hours: |most, per| match (most, per) {
            (0, _) => "No GPU-hours at all".to_owned(),
            (1, Period::Week) => "At most 1 GPU-hour a week".to_owned(),
            (1, Period::Month) => "At most 1 GPU-hour a month".to_owned(),
            (most, Period::Week) => format!("At most {most} GPU-hours a week"),
            (most, Period::Month) => format!("At most {most} GPU-hours a month"),
        },
        hours: |spans| format!("Bookings lie within {spans}"),
        approval: "Bookings wait for approval",
        far: |most, hours| match most {
            0 => format!("No card beyond the next {hours}"),
            1 => format!("One card at a time beyond the next {hours}; what lies within does not count"),
            most => format!("At most {most} cards at a time beyond the next {hours}; what lies within does not count"),
        },
        idle: |idle, no_show, release| {
            let asked = format!(
                "A card that is idle for {idle}, or not used for {no_show} from the start: its holder is asked"
            );
            match release {
                Some(release) => format!("{asked}. Without an answer for {release} that card is given back"),
                None => format!("{asked}. Nothing is given back"),
            }
        },
    },
    kept: KeptText {
        shortest: |length, least| format!("Lasts {length}, at least {least}"),
        longest: |length, most| format!("Lasts {length} of at most {most}"),
        horizon: |ahead| format!("Begins within {ahead}, as it must"),
        cards: |held, most| format!("{held} of at most {} at a time", of_cards(most)),
        within: |length, most| {
            format!("Over within {length}, so the limit of {} beyond that does not apply", of_cards(most))
        },
        far: |held, length, most| format!("{held} of at most {} beyond {length}", of_cards(most)),
        gpu_hours: |used, most, period| format!("{used} of {most} GPU-hours in the {period}"),
        hours: |spans| format!("Within {spans}"),
        labelled: |words, label| format!("{words} ({label})"),
    },
    broken: BrokenText {
        sentence: |fact, rule, label, ways| match label {
            Some(label) => format!("{fact} (rule “{rule}”, for cards labelled {label}). {ways}."),
            None => format!("{fact} (rule “{rule}”). {ways}."),
        },
        shortest: |length, least| format!("{length} is under the least of {least}"),
        longest: |length, most| format!("{length} is over the limit of {most}"),
        horizon: |ahead| format!("A booking begins at most {ahead} ahead"),
        cards: |held, most, others| {
            let with = if others { "With the other bookings this makes" } else { "This makes" };
            format!("{with} {} at a time, and {most} {} allowed", cards(held), is(most))
        },
        far: |held, from, most| {
            format!("This makes {} at a time after {from}, and {most} {} allowed that far ahead", cards(held), is(most))
        },
        gpu_hours: |used, most, period| {
            format!("This makes {used} GPU-hours in the {period}, and {most} {} allowed", is(most))
        },
        hours: |spans| format!("Bookings lie within {spans}"),
        approval: "More cards or time need approval, and a booking that runs cannot wait for it",
        week_from: |day| format!("week from {day}"),
        month_from: |day| format!("month from {day}"),
        end_later: |at| format!("book until {at} or later"),
        end: |at| format!("book until {at}"),
        end_and_extend: |at| format!("book until {at} and extend later"),
        start_by: |at| format!("begin by {at}"),
        start: |at| format!("begin at {at}"),
        take: |count| if count == 1 { "take 1 card".to_owned() } else { format!("take {count} cards") },
        apart: "book what you add as a booking of its own",
        ask: |names| {
            if names.is_empty() { "ask an administrator".to_owned() } else { format!("ask {}", names.join(" or ")) }
        },
        ways: |ways| {
            let sentence = match ways {
                [most @ .., last] if !most.is_empty() => format!("{}, or {last}", most.join(", ")),
                ways => ways.concat(),
            };
            let mut letters = sentence.chars();
            letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
        },
    },
    days: |from, to| format!("{from} – {to}"),
    all_day: "all day",
    span: |days, hours| format!("{days} {hours}"),
    bad_name: |most| format!("A name has 1 to {most} characters, no invisible ones."),
    bad_label: "A label has 1 to 63 letters a to z, digits, dots, dashes or underscores, and begins with a letter or digit.",
    bad_labels: |most| {
        format!(
            "Labels have 1 to 63 letters a to z, digits, dots, dashes or underscores, begin with a letter or digit, and are \
             at most {most}. Put spaces between them."
        )
    },
    bad_length: "This is no length. Write it like “7 d”, “12 h” or “90 min”.",
    bad_number: "This is no whole number. Write it in digits, such as 4.",
    bad_spans: "These are no hours of the week. Write them like “Mon-Fri 18:00-08:00, Sat-Sun all day”.",
    bad_figure: |least, most| format!("The number lies between {least} and {most}."),
    bad_minutes: |least, most| format!("The length lies between {least} and {most}."),
    bad_form: "The form is not complete. Reload the page and fill it again.",
    bad_approval_hours: |most| format!("The time for an approval lies between 1 and {most} hours."),
    group_name_taken: "A group of that name exists. Choose another name.",
    group_has_rules: |rules| {
        format!("Not removed. The group has rules of its own: {rules}. Remove them first, then the group.")
    },
    unknown_group: "This group is not there any more. Reload the page.",
    unknown_rule: "This rule is not there any more. Reload the page.",
    managers_by_administrators: "Who manages a group, administrators say. Ask one of them.",
};

fn is(count: u32) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

fn of_cards(count: u32) -> String {
    if count == 1 { "1 card".to_owned() } else { format!("{count} cards") }
}

fn cards(held: &str) -> String {
    if held == "1" { "1 card".to_owned() } else { format!("{held} cards") }
}
