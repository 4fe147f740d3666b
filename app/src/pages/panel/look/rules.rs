//! Which rules a draft keeps, and what to do where it does not. The server judges with the same code.

use domain::draft::Draft;
use domain::id::CardUuid;
use domain::rules::{Asked, Claim, Clocks, Held, Limit, judge};
use domain::text::t;
use domain::window::Window;

use super::{Sight, shares};
use crate::pages::panel::address::address;

/// What a rule says of a draft.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleLook {
    /// How it stands.
    pub mark: Mark,
    /// In words.
    pub words: String,
    /// One click that keeps it: what it says, and the form with it.
    pub way: Option<(String, Draft, String)>,
}

/// How a rule stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// It is kept.
    Kept,
    /// It is broken.
    Broken,
    /// Something follows from it: approval, a question.
    Note,
}

/// Every rule that has something to say, broken ones first.
pub fn look(draft: &Draft, cards: &[CardUuid], window: &Window, sight: &Sight<'_>) -> Vec<RuleLook> {
    let (scene, when, words) = (sight.scene, sight.when(), &t().book);
    // For somebody else other rules hold, which only the server knows.
    if scene.rules.is_empty() || !draft.owner.is_empty() {
        return Vec::new();
    }
    let shares = shares(draft);
    let held = |window: Window| {
        let picked = scene.known.iter().filter(|card| cards.contains(&card.uuid));
        let each = picked.map(|card| Held {
            reservation: None,
            card: card.uuid.clone(),
            part: card.part(shares.get(&card.uuid).copied()),
            window,
            labels: card.labels.clone(),
        });
        Claim { window, cards: each.collect() }
    };
    let claim = held(*window);
    if claim.cards.is_empty() {
        return Vec::new();
    }
    let mut standing = scene.standing.clone();
    // What a booking has is not held beside what it is to become.
    let mut was = None;
    if let Ok(id) = draft.change.parse() {
        let its = standing.holds.iter().filter(|held| held.reservation == Some(id)).cloned();
        let its: Vec<Held> = its.map(|held| Held { reservation: None, ..held }).collect();
        was = its.first().map(|first| Claim { window: first.window, cards: its.clone() });
        standing = standing.without(id, sight.now);
    }
    let judged = judge(&scene.rules, &standing, &Asked { claim, was }, &Clocks::of(&scene.zone, sight.now));
    let mut all: Vec<RuleLook> = judged
        .breaches
        .iter()
        .map(|breach| {
            let mut other = draft.clone();
            let said = if let Some(end) = breach.way.end {
                other.set_end(end, &scene.zone);
                Some((words.end_at)(&when.at(end)))
            } else {
                breach.way.start.map(|start| {
                    let later = Window::new(start, start + window.length()).unwrap_or(*window);
                    other.set_window(&later, &scene.zone);
                    (words.start_at)(&when.at(start))
                })
            };
            let way = said.map(|said| {
                let href = address(&other, None);
                (said, other, href)
            });
            RuleLook { mark: Mark::Broken, words: t().breach(breach, &standing.ask, &when), way }
        })
        .collect();
    let note = |words: String| RuleLook { mark: Mark::Note, words, way: None };
    all.extend(judged.needs_approval.map(|name| note((words.needs_approval)(&name))));
    all.extend(judged.kept.iter().map(|kept| RuleLook { mark: Mark::Kept, words: t().kept(kept, &when), way: None }));
    let labels = |label: &Option<String>| {
        let mut picked = scene.known.iter().filter(|card| cards.contains(&card.uuid));
        label.as_ref().is_none_or(|label| picked.any(|card| card.labels.contains(label)))
    };
    let idle = scene.rules.iter().filter(|rule| matches!(rule.limit, Limit::Idle { .. }) && labels(&rule.label));
    all.extend(idle.map(|rule| note((words.rule_note)(&rule.name, &t().limit(&rule.limit)))));
    all
}
