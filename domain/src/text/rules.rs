//! Rules, groups and labels: what a rule says, how a booking keeps it, and how to comply where it does not.

pub mod pages;

use time::Duration;

use super::{Text, When, WhenText};
use crate::error::{ApiError, ErrorCode};
use crate::rules::draft::BadRule;
use crate::rules::hours::{DAY_MINUTES, WeekSpan};
use crate::rules::{BadLimit, Breach, Cards, Judgement, Kept, Limit, Measure, NAME_MAX_CHARS, Period, Standing};

/// Most people who are named as those to ask.
const ASKED_MAX: usize = 2;

/// Rules, groups and labels.
#[derive(Debug)]
pub struct RulesText {
    /// Heading.
    pub title: &'static str,
    /// What limits say.
    pub limit: LimitText,
    /// The pages of administrators.
    pub pages: pages::RulePagesText,
    /// How rules are kept.
    pub kept: KeptText,
    /// How rules are broken, and what to do.
    pub broken: BrokenText,
    /// From one day of the week to another.
    pub days: fn(&str, &str) -> String,
    /// A whole day.
    pub all_day: &'static str,
    /// Days, and hours on them.
    pub span: fn(&str, &str) -> String,
    /// Not a name; the argument is the longest length.
    pub bad_name: fn(usize) -> String,
    /// Not a label.
    pub bad_label: &'static str,
    /// Not labels, or too many; the argument is the most.
    pub bad_labels: fn(usize) -> String,
    /// Not a length.
    pub bad_length: &'static str,
    /// Not a number.
    pub bad_number: &'static str,
    /// Not hours of the week.
    pub bad_spans: &'static str,
    /// A number that is too small or too large: least, most.
    pub bad_figure: fn(u32, u32) -> String,
    /// A length that is too short or too long: least, most.
    pub bad_minutes: fn(&str, &str) -> String,
    /// A form that was not made by us.
    pub bad_form: &'static str,
    /// The argument is the most.
    pub bad_approval_hours: fn(u32) -> String,
    /// A group of that name exists.
    pub group_name_taken: &'static str,
    /// A group with these rules is not removed.
    pub group_has_rules: fn(&str) -> String,
    /// No such group.
    pub unknown_group: &'static str,
    /// No such rule.
    pub unknown_rule: &'static str,
    /// Managers do not make managers.
    pub managers_by_administrators: &'static str,
}

/// What limits say, each a whole sentence without a full stop.
#[derive(Debug)]
pub struct LimitText {
    /// A length.
    pub shortest: fn(&str) -> String,
    /// A length.
    pub longest: fn(&str) -> String,
    /// A length.
    pub horizon: fn(&str) -> String,
    /// Cards; may be 0.
    pub most_cards: fn(u32) -> String,
    /// GPU-hours; may be 0.
    pub gpu_hours: fn(u32, Period) -> String,
    /// Spans.
    pub hours: fn(&str) -> String,
    /// Somebody must approve.
    pub approval: &'static str,
    /// Cards, which may be 0, and a length.
    pub far: fn(u32, &str) -> String,
    /// Idle for, not used from the start for, given back after; all lengths.
    pub idle: fn(&str, &str, Option<&str>) -> String,
}

/// How rules are kept.
#[derive(Debug)]
pub struct KeptText {
    /// Length, at least.
    pub shortest: fn(&str, &str) -> String,
    /// Length, at most.
    pub longest: fn(&str, &str) -> String,
    /// How far ahead it may begin.
    pub horizon: fn(&str) -> String,
    /// Held at once, at most.
    pub cards: fn(&str, u32) -> String,
    /// Over within so long: the limit of so many does not apply.
    pub within: fn(&str, u32) -> String,
    /// Held at once beyond so long, at most.
    pub far: fn(&str, &str, u32) -> String,
    /// Used, at most, in which week or month.
    pub gpu_hours: fn(&str, u32, &str) -> String,
    /// Spans.
    pub hours: fn(&str) -> String,
    /// With a label: only such cards count.
    pub labelled: fn(&str, &str) -> String,
}

/// How rules are broken, and what to do.
#[derive(Debug)]
pub struct BrokenText {
    /// What is wrong, which rule says so, whose cards with which label count, what to do.
    pub sentence: fn(&str, &str, Option<&str>, &str) -> String,
    /// Length, at least.
    pub shortest: fn(&str, &str) -> String,
    /// Length, at most.
    pub longest: fn(&str, &str) -> String,
    /// How far ahead a booking may begin.
    pub horizon: fn(&str) -> String,
    /// Held at once, at most, other bookings are among them.
    pub cards: fn(&str, u32, bool) -> String,
    /// Held at once beyond a time, at most.
    pub far: fn(&str, &str, u32) -> String,
    /// Used, at most, in which week or month.
    pub gpu_hours: fn(&str, u32, &str) -> String,
    /// Spans.
    pub hours: fn(&str) -> String,
    /// A running booking cannot wait for approval.
    pub approval: &'static str,
    /// The week from a day.
    pub week_from: fn(&str) -> String,
    /// The month from a day.
    pub month_from: fn(&str) -> String,
    /// End later: at a time.
    pub end_later: fn(&str) -> String,
    /// End earlier: at a time.
    pub end: fn(&str) -> String,
    /// End earlier, and make it longer later on: at a time.
    pub end_and_extend: fn(&str) -> String,
    /// Begin at a time at the latest.
    pub start_by: fn(&str) -> String,
    /// Begin at a time.
    pub start: fn(&str) -> String,
    /// Take so many cards.
    pub take: fn(u32) -> String,
    /// Book what is added as a booking of its own.
    pub apart: &'static str,
    /// Ask somebody of these; nobody is known by name.
    pub ask: fn(&[String]) -> String,
    /// One way or the other: the whole sentence.
    pub ways: fn(&[String]) -> String,
}

impl Text {
    /// What a limit says.
    #[must_use]
    pub fn limit(&self, limit: &Limit) -> String {
        let (text, when) = (&self.rules.limit, &self.when);
        let minutes = |minutes: u32| when.length(Duration::minutes(minutes.into()));
        match limit {
            Limit::Shortest { minutes: least } => (text.shortest)(&minutes(*least)),
            Limit::Longest { minutes: most } => (text.longest)(&minutes(*most)),
            Limit::Horizon { minutes: ahead } => (text.horizon)(&minutes(*ahead)),
            Limit::MostCards { cards } => (text.most_cards)(*cards),
            Limit::GpuHours { hours, per } => (text.gpu_hours)(*hours, *per),
            Limit::Hours { spans } => (text.hours)(&self.spans(spans)),
            Limit::Approval => text.approval.to_owned(),
            Limit::Far { cards, hours } => (text.far)(*cards, &when.length(Duration::hours((*hours).into()))),
            Limit::Idle { minutes: idle, no_show_minutes, release_after_minutes } => {
                let release = release_after_minutes.map(minutes);
                (text.idle)(&minutes(*idle), &minutes(*no_show_minutes), release.as_deref())
            }
        }
    }

    /// Hours of the week: `Mon – Fri 18:00 – 08:00, Sat – Sun all day`.
    #[must_use]
    pub fn spans(&self, spans: &[WeekSpan]) -> String {
        let each = spans.iter().map(|span| {
            let clock = |minutes: u16| format!("{:02}:{:02}", minutes / 60, minutes % 60);
            let hours = if (span.from, span.to) == (0, DAY_MINUTES) {
                self.rules.all_day.to_owned()
            } else {
                (self.when.range)(&clock(span.from), &clock(span.to))
            };
            (self.rules.span)(&days(&span.days, &self.when, self.rules.days), &hours)
        });
        each.collect::<Vec<_>>().join(", ")
    }

    /// A rule that a booking keeps, in a few words.
    #[must_use]
    pub fn kept(&self, kept: &Kept, when: &When<'_>) -> String {
        let text = &self.rules.kept;
        let words = match &kept.measure {
            Measure::Shortest { length, least } => (text.shortest)(&when.length(*length), &when.length(*least)),
            Measure::Longest { length, most } => (text.longest)(&when.length(*length), &when.length(*most)),
            Measure::Horizon { ahead, .. } => (text.horizon)(&when.length(*ahead)),
            Measure::Cards { held, most, .. } => (text.cards)(&cards(*held), *most),
            Measure::Far { within: true, most, hours, .. } => (text.within)(&hours_long(*hours, when), *most),
            Measure::Far { held, most, hours, .. } => (text.far)(&cards(*held), &hours_long(*hours, when), *most),
            Measure::GpuHours { used_tenths, most, .. } => {
                (text.gpu_hours)(&tenths(*used_tenths), *most, &self.period(&kept.measure, when))
            }
            Measure::Hours { spans } => (text.hours)(&self.spans(spans)),
            Measure::Approval => self.rules.limit.approval.to_owned(),
        };
        match &kept.label {
            Some(label) => (text.labelled)(&words, label),
            None => words,
        }
    }

    /// Why the fields of a form make no rule.
    #[must_use]
    pub fn bad_rule(&self, why: &BadRule) -> String {
        let text = &self.rules;
        match why {
            BadRule::Name => (text.bad_name)(NAME_MAX_CHARS),
            BadRule::Label => text.bad_label.to_owned(),
            BadRule::Form => text.bad_form.to_owned(),
            BadRule::Length => text.bad_length.to_owned(),
            BadRule::Number => text.bad_number.to_owned(),
            BadRule::Spans | BadRule::Limit(BadLimit::Spans) => text.bad_spans.to_owned(),
            BadRule::Limit(BadLimit::Figure { least, most }) => (text.bad_figure)(*least, *most),
            BadRule::Limit(BadLimit::Minutes { least, most }) => {
                let length = |minutes: u32| self.when.length(Duration::minutes(minutes.into()));
                (text.bad_minutes)(&length(*least), &length(*most))
            }
        }
    }

    /// What is wrong by a rule, without the rule and what to do.
    #[must_use]
    pub fn breach_fact(&self, breach: &Breach, when: &When<'_>) -> String {
        let text = &self.rules.broken;
        match &breach.measure {
            Measure::Shortest { length, least } => (text.shortest)(&when.length(*length), &when.length(*least)),
            Measure::Longest { length, most } => (text.longest)(&when.length(*length), &when.length(*most)),
            Measure::Horizon { ahead, .. } => (text.horizon)(&when.length(*ahead)),
            Measure::Cards { held, most, others } => (text.cards)(&cards(*held), *most, *others),
            Measure::Far { held, most, from, .. } => (text.far)(&cards(*held), &when.at(*from), *most),
            Measure::GpuHours { used_tenths, most, .. } => {
                (text.gpu_hours)(&tenths(*used_tenths), *most, &self.period(&breach.measure, when))
            }
            Measure::Hours { spans } => (text.hours)(&self.spans(spans)),
            Measure::Approval => text.approval.to_owned(),
        }
    }

    /// A rule that a booking breaks: what is wrong, which rule says so, and how to comply. `ask` are those who can help.
    #[must_use]
    pub fn breach(&self, breach: &Breach, ask: &[String], when: &When<'_>) -> String {
        let text = &self.rules.broken;
        let fact = self.breach_fact(breach, when);
        let mut ways: Vec<String> = Vec::new();
        if let Some(count) = breach.way.cards {
            ways.push((text.take)(count));
        }
        if let Some(end) = breach.way.end {
            let word = match &breach.measure {
                Measure::Shortest { .. } => text.end_later,
                Measure::Longest { .. } => text.end_and_extend,
                _ => text.end,
            };
            ways.push(word(&when.at(end)));
        }
        if let Some(start) = breach.way.start {
            let word = if matches!(breach.measure, Measure::Horizon { .. }) { text.start_by } else { text.start };
            ways.push(word(&when.at(start)));
        }
        if breach.measure == Measure::Approval {
            ways.push(text.apart.to_owned());
        }
        ways.push((text.ask)(ask.get(..ASKED_MAX).unwrap_or(ask)));
        (text.sentence)(&fact, &breach.name, breach.label.as_deref(), &(text.ways)(&ways))
    }

    /// The refusal of a booking that breaks rules, with every one of them; `None` where it breaks none.
    #[must_use]
    pub fn against_rules(&self, judgement: &Judgement, standing: &Standing, when: &When<'_>) -> Option<ApiError> {
        let first = judgement.breaches.first()?;
        let all: Vec<String> =
            judgement.breaches.iter().map(|breach| self.breach(breach, &standing.ask, when)).collect();
        Some(ApiError::new(ErrorCode::AgainstRule, all.join(" ")).on(first.field()))
    }

    fn period(&self, measure: &Measure, when: &When<'_>) -> String {
        let Measure::GpuHours { per, of, .. } = measure else { return String::new() };
        // Noon of the first day: the person's zone and the reader's may disagree about its midnight.
        let day = when.zone.local(of.start() + Duration::hours(12)).date();
        let day = self.when.date(day, when.zone.local(when.now).year());
        let text = &self.rules.broken;
        if *per == Period::Week { (text.week_from)(&day) } else { (text.month_from)(&day) }
    }
}

fn hours_long(hours: u32, when: &When<'_>) -> String {
    when.length(Duration::hours(hours.into()))
}

/// `2`, `2.5`, `0.43`; rounded up.
fn cards(cards: Cards) -> String {
    let hundredths = cards.billionths().div_ceil(10_000_000);
    let (whole, rest) = (hundredths / 100, hundredths % 100);
    match rest {
        0 => whole.to_string(),
        rest if rest % 10 == 0 => format!("{whole}.{}", rest / 10),
        rest => format!("{whole}.{rest:02}"),
    }
}

/// `12`, `12.5`.
fn tenths(tenths: i64) -> String {
    if tenths % 10 == 0 { (tenths / 10).to_string() } else { format!("{}.{}", tenths / 10, tenths % 10) }
}

/// Days of the week: those in a row as a range.
fn days(days: &[u8], when: &WhenText, range: fn(&str, &str) -> String) -> String {
    let mut sorted: Vec<u8> = days.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let name = |day: u8| when.weekdays.get(usize::from(day.saturating_sub(1))).copied().unwrap_or_default();
    let runs = sorted.chunk_by(|day, next| day + 1 == *next);
    let words = runs.map(|run| match run {
        [first, .., last] => range(name(*first), name(*last)),
        [one] => name(*one).to_owned(),
        [] => String::new(),
    });
    words.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
