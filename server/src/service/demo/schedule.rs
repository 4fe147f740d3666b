//! Who has booked what: first what there is to show, then what fills the days around it. The same hosts at the same hour
//! always give the same schedule.

use domain::id::CardUuid;
use domain::reservation::series::{Every, Repeat, RepeatEnd};
use domain::upkeep::CaredHost;
use domain::window::Window;
use time::{Duration, OffsetDateTime, Time};

use super::picked;

/// Days to either side of today.
const DAYS: i64 = 7;

/// A booking of the schedule.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// Place in the list of people.
    pub(super) who: usize,
    pub(super) cards: Vec<CardUuid>,
    /// Of each card only so many shares.
    pub(super) shares: Option<u32>,
    pub(super) window: Window,
    /// How long before its start it is asked for.
    pub(super) ahead: Duration,
    pub(super) purpose: &'static str,
    pub(super) becomes: Becomes,
    pub(super) repeats: Option<Repeats>,
}

/// How a booking repeats.
#[derive(Clone, Debug)]
pub(super) struct Repeats(pub(super) Repeat);

/// What becomes of a booking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Becomes {
    /// Used to its end.
    Whole,
    /// Called off before it begins.
    Cancelled,
    /// Ended before its end.
    EndedEarly,
}

const PURPOSES: [&str; 12] = [
    "ViT-B fine-tuning",
    "Llama 8B SFT",
    "Diffusion baseline",
    "Protein folding, batch 3",
    "Ablation of the loss",
    "Speech model, nightly",
    "Grasping in simulation",
    "Evaluation for the paper",
    "Retrieval index",
    "Depth from video",
    "Hyperparameter search",
    "Notebook",
];

/// A time of a day, in UTC; day 0 is today.
pub(super) fn window(now: OffsetDateTime, day: i64, hour: i64, hours: i64) -> Option<Window> {
    let start = now.replace_time(Time::MIDNIGHT) + Duration::days(day) + Duration::hours(hour);
    Window::new(start, start + Duration::hours(hours)).ok()
}

/// Everything, in the order in which it is asked for.
pub(super) fn entries(hosts: &[CaredHost], now: OffsetDateTime) -> Vec<Entry> {
    let mut all = shown(hosts, now);
    for (place, host) in hosts.iter().enumerate() {
        for base in (0..host.cards.len()).step_by(2) {
            fill(&mut all, place, host, base, now);
        }
    }
    all
}

/// What there is to show: what runs now, many cards, repeats, shares, what waits for approval.
fn shown(hosts: &[CaredHost], now: OffsetDateTime) -> Vec<Entry> {
    let hour = i64::from(now.hour());
    let entry = |who, host: &CaredHost, first, count, (day, from, hours): (i64, i64, i64), purpose| {
        let cards = picked(host, first, count);
        let window = window(now, day, from, hours)?;
        let plain = Entry {
            who,
            cards,
            shares: None,
            window,
            ahead: Duration::hours(20),
            purpose,
            becomes: Becomes::Whole,
            repeats: None,
        };
        (!plain.cards.is_empty()).then_some(plain)
    };
    let mut all = Vec::new();
    if let Some(large) = hosts.first() {
        all.extend(entry(0, large, 0, 2, (0, hour - 2, 7), "ViT-B fine-tuning"));
        all.extend(entry(2, large, 4, 4, (0, hour - 20, 48), "Llama 8B SFT"));
        all.extend(entry(0, large, 2, 2, (1, 8, 9), "Evaluation for the paper"));
        // Waits for the approval of the group's manager.
        all.extend(entry(5, large, 0, 4, (2, 6, 24), "Grasping, all views"));
    }
    if let Some(second) = hosts.get(1).or(hosts.first()) {
        let repeat = Repeat { every: Every::Weekday, end: RepeatEnd::Times(8) };
        let course = entry(1, second, 0, 1, (1, 6, 2), "Course: hands on");
        all.extend(course.map(|course| Entry { repeats: Some(Repeats(repeat)), ..course }));
    }
    let shared = hosts.iter().flat_map(|host| host.cards.iter().map(move |card| (host, card)));
    if let Some((host, card)) = shared.into_iter().find(|(_, card)| card.shares.is_some()) {
        let first = host.cards.iter().position(|known| known.uuid == card.uuid).unwrap_or_default();
        for (who, shares, from, hours) in
            [(7, 2, hour - 1, 6), (8, 1, hour, 9), (3, 1, hour + 2, 5), (6, 2, hour + 20, 8)]
        {
            let share = entry(who, host, first, 1, (0, from, hours), "Notebook");
            all.extend(share.map(|share| Entry { shares: Some(shares), ..share }));
        }
    }
    all
}

/// Fills two cards of a host from a week ago to a week ahead, more loosely the further ahead.
fn fill(all: &mut Vec<Entry>, place: usize, host: &CaredHost, base: usize, now: OffsetDateTime) {
    let seed = u64::try_from(place * 31 + base * 7 + 11).unwrap_or(11);
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let midnight = now.replace_time(Time::MIDNIGHT);
    let mut at = midnight - Duration::days(DAYS) + Duration::hours(dice.roll(10));
    let end = midnight + Duration::days(DAYS + 1);
    while at < end {
        let length = [2, 3, 4, 5, 6, 8, 10, 14, 20, 30][usize::try_from(dice.roll(10)).unwrap_or(0)];
        let count = [1, 1, 2, 2, 2, 4][usize::try_from(dice.roll(6)).unwrap_or(0)];
        let mut who = usize::try_from(dice.roll(10)).unwrap_or(0);
        // What the robotics group trains on the large host would all wait for approval.
        if place == 0 && [4, 5, 9].contains(&who) {
            who = 2 + usize::try_from(dice.roll(2)).unwrap_or(0);
        }
        let purpose = PURPOSES[usize::try_from(dice.roll(12)).unwrap_or(0)];
        let becomes = match dice.roll(9) {
            0 => Becomes::Cancelled,
            1 | 2 => Becomes::EndedEarly,
            _ => Becomes::Whole,
        };
        let cards = picked(host, base, count);
        if let Ok(window) = Window::new(at, at + Duration::hours(length))
            && !cards.is_empty()
        {
            let ahead = Duration::hours(1 + dice.roll(40));
            all.push(Entry { who, cards, shares: None, window, ahead, purpose, becomes, repeats: None });
        }
        let days_ahead = (at - now).whole_days().max(0);
        at += Duration::hours(length + 1 + dice.roll(7) + days_ahead * 3);
    }
}

/// A small generator, the same everywhere.
struct Dice(u64);

impl Dice {
    /// From 0 to one less than `sides`.
    fn roll(&mut self, sides: i64) -> i64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        i64::try_from(self.0 >> 33).unwrap_or(0) % sides
    }
}
