//! How the panel looks as it stands: every sentence, every way out. The server renders it and the browser keeps it true,
//! with the same function.
//!
//! - here: the fields and the button
//! - `picked`: the picked cards with the links between them
//! - `conflict`: who is in the way, and what would work instead
//! - `rules`: which rules are kept, and how to keep the others
//! - `series`: which of those that repeat can be booked

pub mod conflict;
pub mod picked;
pub mod rules;
pub mod series;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use domain::draft::offer::{Known, taken};
use domain::draft::wall::{self, BadWall};
use domain::draft::{Draft, Problem, Unreadable};
use domain::error::Field;
use domain::finder::{Advice, AdviceAsk, Link, Span, Want};
use domain::id::CardUuid;
use domain::text::{When, t};
use domain::window::Window;
use domain::wire::calendar::{WaitAsk, WaitMode};
use domain::zone::{Wall, ZoneTable};
use time::{Duration, OffsetDateTime};

use super::scene::Scene;
use conflict::ConflictLook;
use picked::PickedHost;
use rules::RuleLook;
use series::SeriesLook;

/// Quick lengths, in minutes.
pub const LENGTHS: [i64; 5] = [60, 120, 240, 480, 1440];

/// Everything about the panel that changes while it is filled.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Look {
    /// How many cards are picked.
    pub count: String,
    /// The picked cards, host by host.
    pub picked: Vec<PickedHost>,
    /// What is wrong with the cards; empty where nothing is.
    pub cards_error: String,
    /// The start.
    pub start: TimeLook,
    /// The end.
    pub end: TimeLook,
    /// What is wrong with the times in words, or what they mean.
    pub spoken: Heard,
    /// What is wrong with the purpose.
    pub purpose_error: String,
    /// What is wrong with the repeats.
    pub repeat_error: String,
    /// The span in UTC; empty where there is none.
    pub utc: String,
    /// The length in minutes, where it is whole.
    pub minutes: Option<i64>,
    /// Cards that are picked and taken.
    pub taken: Vec<CardUuid>,
    /// Who has them and what would work.
    pub conflict: Option<ConflictLook>,
    /// The repeats.
    pub series: Option<SeriesLook>,
    /// What rules say of it.
    pub rules: Vec<RuleLook>,
    /// Picked cards that are open for shares.
    pub shares: Vec<SharesLook>,
    /// What the button does.
    pub label: String,
    /// What it sends, where that is not what stands in the fields: the nearest that works.
    pub instead: Option<Draft>,
}

/// One time field.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct TimeLook {
    /// What is wrong; empty where nothing is.
    pub error: String,
    /// The two meanings of a time that comes twice.
    pub twice: Option<(String, String)>,
    /// One click that makes it right: what the button says, and the instant in seconds.
    pub way: Option<(String, i64)>,
}

/// What is made of times in words.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Heard {
    /// Nothing is said.
    #[default]
    Nothing,
    /// What it means.
    Means(String),
    /// Why it means nothing.
    Misheard(String),
}

/// A picked card of which shares can be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharesLook {
    /// Which.
    pub card: CardUuid,
    /// What the field is called.
    pub label: String,
    /// Open for so many.
    pub most: u32,
    /// What that means.
    pub note: String,
}

impl Look {
    /// Whether the form can be sent. The server judges what arrives by itself.
    #[cfg(any(feature = "hydrate", test))]
    pub fn sendable(&self) -> bool {
        self.wrong().is_none()
    }

    /// The first field that is wrong; an empty name where it is the cards.
    #[cfg(any(feature = "hydrate", test))]
    pub fn wrong(&self) -> Option<&'static str> {
        use super::fields::{END, PURPOSE, SPOKEN, START, UNTIL};
        if matches!(self.spoken, Heard::Misheard(_)) {
            return Some(SPOKEN);
        }
        let errors = [
            (&self.cards_error, ""),
            (&self.start.error, START),
            (&self.end.error, END),
            (&self.purpose_error, PURPOSE),
            (&self.repeat_error, UNTIL),
        ];
        errors.into_iter().find(|(error, _)| !error.is_empty()).map(|(_, name)| name)
    }
}

/// What a panel is looked at with.
pub struct Sight<'a> {
    /// What it knows.
    pub scene: &'a Scene,
    /// What the finder has said, and about what.
    pub advice: Option<&'a (AdviceAsk, Advice)>,
    /// The time.
    pub now: OffsetDateTime,
    /// Somebody has tried to send it.
    pub done: bool,
}

impl<'a> Sight<'a> {
    fn when(&self) -> When<'a> {
        When::new(&self.scene.zone, self.now)
    }
}

/// The panel as it stands.
pub fn look(draft: &Draft, sight: &Sight<'_>) -> Look {
    let (scene, when, words) = (sight.scene, sight.when(), &t().book);
    let known = &scene.known;
    let (cards, shares) = (cards(draft), shares(draft));
    let window = draft.window(&scene.zone);
    let mut look = Look {
        count: (words.picked)(cards.len()),
        label: label(draft, &cards, None, &when),
        start: TimeLook { twice: twice(&draft.start, &when), ..TimeLook::default() },
        end: TimeLook { twice: twice(&draft.end, &when), ..TimeLook::default() },
        shares: shares_of(known, &cards),
        spoken: heard(draft, &when),
        ..Look::default()
    };
    if let Ok(window) = &window {
        let utc = ZoneTable::utc();
        look.utc = (words.in_utc)(&When::new(&utc, sight.now).range(window));
        look.minutes = Some(window.length().whole_minutes());
        look.label = label(draft, &cards, Some(window), &when);
        look.taken = taken(known, &cards, &shares, window).into_iter().map(|(card, _)| card.uuid.clone()).collect();
        look.rules = rules::look(draft, &cards, window, sight);
        look.series = series::look(draft, window, sight);
        match &look.series {
            Some(series) => {
                look.label.clone_from(&series.label);
                look.instead.clone_from(&series.instead);
            }
            None => look.conflict = conflict::look(draft, &cards, window, sight),
        }
        if let Some(way) = look.conflict.as_ref().and_then(|conflict| conflict.ways.first()) {
            look.label =
                label(&way.draft, &self::cards(&way.draft), way.draft.window(&scene.zone).ok().as_ref(), &when);
            look.instead = Some(way.draft.clone());
        }
    }
    look.picked = picked::look(&cards, &look.taken, window.as_ref().ok(), sight);
    if let Some(problem) =
        draft.problem(&scene.zone, sight.now, sight.done).filter(|problem| sight.done || !is_empty(problem))
    {
        let error = t().problem(&problem, &when);
        match problem.field(sight.now) {
            Some(Field::Start) => look.start.error = error,
            Some(Field::End) => look.end.error = error,
            Some(Field::Purpose) => look.purpose_error = error,
            Some(Field::Repeat) => look.repeat_error = error,
            _ => look.cards_error = error,
        }
        look.start.way = (!look.start.error.is_empty()).then(|| way(&window, sight.now, &when)).flatten();
        look.end.way = (!look.end.error.is_empty()).then(|| way(&window, sight.now, &when)).flatten();
    }
    look
}

/// Picked cards that are cards.
pub fn cards(draft: &Draft) -> Vec<CardUuid> {
    draft.cards.iter().filter_map(|card| CardUuid::parse(card).ok()).collect()
}

/// Shares of cards that are not wanted whole; none while they cannot be read.
pub fn shares(draft: &Draft) -> BTreeMap<CardUuid, u32> {
    draft.shares().unwrap_or_default()
}

/// What the finder is asked about a draft; `None` while it cannot be asked.
pub fn question(draft: &Draft, zone: &ZoneTable) -> Option<AdviceAsk> {
    let (cards, window) = (cards(draft), draft.window(zone).ok()?);
    let replaces = draft.change.parse().ok();
    (!cards.is_empty()).then(|| AdviceAsk { cards, shares: shares(draft), window, replaces })
}

/// As many cards like those that are picked, whichever, at that time; `None` where nothing is picked or said.
pub fn like(draft: &Draft, scene: &Scene) -> Option<Want> {
    let picked = cards(draft);
    let known: Vec<&Known> = scene.known.iter().filter(|card| picked.contains(&card.uuid)).collect();
    let first = known.first()?;
    let linked = known.iter().skip(1).all(|card| scene.link(&first.uuid, &card.uuid).is_some());
    Some(Want {
        count: u32::try_from(known.len()).ok()?,
        model: known.iter().all(|card| card.model == first.model).then(|| first.model.clone()),
        architecture: None,
        memory_mib: None,
        link: if linked && known.len() > 1 { Link::NvLink } else { Link::Any },
        spread: known.iter().any(|card| card.host != first.host),
        hosts: Vec::new(),
        labels: Vec::new(),
        when: Span::At(draft.window(&scene.zone).ok()?),
    })
}

/// Waiting for such cards, told when they are free; given up when the time begins, or ends where it has begun.
pub fn wait_for(draft: &Draft, scene: &Scene, now: OffsetDateTime) -> Option<WaitAsk> {
    let want = like(draft, scene)?;
    let window = draft.window(&scene.zone).ok()?;
    let until = if window.start() > now { window.start() } else { window.end() };
    Some(WaitAsk { want, purpose: draft.purpose.clone(), mode: WaitMode::Tell, until })
}

fn label(draft: &Draft, cards: &[CardUuid], window: Option<&Window>, when: &When<'_>) -> String {
    let words = &t().book;
    let span = window.map(|window| (when.range(window), when.length(window.length())));
    match (draft.is_change(), span) {
        (true, Some((span, length))) => (words.save)(&span, &length),
        (true, None) => words.save_plain.to_owned(),
        (false, Some((span, length))) => (words.book)(cards.len(), &span, &length),
        (false, None) => (words.book_plain)(cards.len()),
    }
}

fn shares_of(known: &[Known], cards: &[CardUuid]) -> Vec<SharesLook> {
    let words = &t().book;
    let open = known.iter().filter(|card| cards.contains(&card.uuid));
    open.filter_map(|card| {
        let most = card.shares?;
        let note = match card.share_memory_mib {
            Some(mib) => (words.share_note_memory)((mib + 512) / 1024),
            None => words.share_note.to_owned(),
        };
        let label = (words.shares_of)(card.number, &card.host, most);
        Some(SharesLook { card: card.uuid.clone(), label, most, note })
    })
    .collect()
}

/// An empty field is being filled: nothing to complain about until the form is sent.
fn is_empty(problem: &Problem) -> bool {
    let empty = |bad: &BadWall| matches!(bad, BadWall::Empty);
    match problem {
        Problem::Unreadable(Unreadable::Start(bad) | Unreadable::End(bad)) => empty(bad),
        Problem::Unreadable(Unreadable::Until) => true,
        _ => false,
    }
}

/// What is said in words, before it is put into the fields.
fn heard(draft: &Draft, when: &When<'_>) -> Heard {
    if draft.spoken.trim().is_empty() {
        return Heard::Nothing;
    }
    let mut other = draft.clone();
    match other.hear(when.zone, when.now) {
        Ok(()) => other.window(when.zone).map_or(Heard::Nothing, |window| {
            Heard::Means((t().book.span_and_length)(&when.range(&window), &when.length(window.length())))
        }),
        Err(why) => Heard::Misheard(t().misheard(&why, when)),
    }
}

fn twice(text: &str, when: &When<'_>) -> Option<(String, String)> {
    let Wall::Twice(first, second) = when.zone.resolve(wall::parse(text)?) else { return None };
    let words = |at| format!("{}, {}", when.clock(at), when.zone.letters(at));
    Some((words(first), words(second)))
}

/// The time that was plainly meant.
fn way(window: &Result<Window, Unreadable>, now: OffsetDateTime, when: &When<'_>) -> Option<(String, i64)> {
    let words = &t().book;
    let take = |at: OffsetDateTime| Some(((words.take)(&when.at(at)), at.unix_timestamp()));
    match window {
        Err(Unreadable::Start(BadWall::Never { next }) | Unreadable::End(BadWall::Never { next })) => take(*next),
        Err(Unreadable::EndsFirst { meant: Some(meant) }) => take(*meant),
        Ok(window) if window.start() < now && window.end() > now => {
            Some((words.start_now.to_owned(), wall::minute(now).unix_timestamp()))
        }
        // All of it is over: as long, from now on.
        Ok(window) if window.end() <= now => take(wall::minute(now) + window.length().max(Duration::hours(1))),
        _ => None,
    }
}
