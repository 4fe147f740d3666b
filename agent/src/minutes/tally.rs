//! Samples become minutes. A sample stands for the time since the one before it; that time is divided among the minutes
//! it touches. The whole state can be written down after each sample and taken up again, so that a restart loses nothing
//! of a minute and counts nothing twice.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use domain::card::{CardProcess, ProcessKind};
use domain::id::CardUuid;
use domain::wire::agent_v1::CardReport;
use domain::wire::minutes_v1::{ACCOUNTS_MAX, AccountMinute, CardMinute, HostMinute, Spread};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

/// A card that was not looked at for longer than this, and two intervals, was not watched meanwhile.
const GAP: Duration = Duration::from_secs(30);
/// A clock that was set back by less is waited for.
const WAITED_FOR_MS: i64 = 120_000;

/// When a sample was taken, and by which rules it counts. Times are in milliseconds.
#[derive(Clone, Debug)]
pub(super) struct Moment {
    /// Since 1970, by the portal's clock.
    pub(super) at_ms: i64,
    /// How far this host's clock is ahead of the portal's.
    pub(super) clock_ahead_ms: Option<i64>,
    /// Longest time between two samples that counts as watched.
    pub(super) gap_ms: i64,
    /// Length of a minute.
    pub(super) length_ms: i64,
}

/// Longest time between two samples of a card that counts as watched, where they are taken at this interval.
pub(super) fn gap_ms(interval: Duration) -> i64 {
    i64::try_from((GAP + 2 * interval).as_millis()).unwrap_or(i64::MAX)
}

/// What has been seen so far of the minute that is not over, and what it takes to go on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Tally {
    /// The last sample.
    at_ms: Option<i64>,
    /// When each card was seen last, and its energy counter then.
    seen: BTreeMap<CardUuid, Seen>,
    open: Option<Open>,
    /// Minutes that are over and may not be on disk yet.
    ended: Vec<HostMinute>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Seen {
    at_ms: i64,
    energy_mj: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Open {
    from_ms: i64,
    part: u64,
    clock_ahead_ms: Option<i64>,
    cards: BTreeMap<CardUuid, CardMinute>,
}

impl Open {
    fn new(from_ms: i64, moment: &Moment) -> Self {
        let part = getrandom::u64().unwrap_or_else(|_| u64::from_ne_bytes(moment.at_ms.to_ne_bytes()));
        Self { from_ms, part, clock_ahead_ms: moment.clock_ahead_ms, cards: BTreeMap::new() }
    }

    fn add(&mut self, mut piece: CardMinute) {
        let accounts = std::mem::take(&mut piece.accounts);
        let card = self.cards.entry(piece.card.clone()).or_insert_with(|| CardMinute::new(piece.card.clone()));
        card.add(piece);
        for mut account in accounts {
            let known = card.accounts.iter().any(|k| k.os_user == account.os_user && k.container == account.container);
            // The last place is for all those who have none of their own.
            if !known && card.accounts.len() + 1 >= ACCOUNTS_MAX {
                (account.os_user, account.container) = (None, None);
            }
            card.add_account(account);
        }
    }

    fn end(self) -> Option<HostMinute> {
        let minute = OffsetDateTime::from_unix_timestamp_nanos(i128::from(self.from_ms) * 1_000_000).ok()?;
        let mut cards: Vec<CardMinute> = self.cards.into_values().collect();
        for card in &mut cards {
            // Those who share a place may have been there at the same time.
            for account in &mut card.accounts {
                account.present_ms = account.present_ms.min(card.watched_ms);
                account.compute_ms = account.compute_ms.map(|ms| ms.min(card.watched_ms));
            }
        }
        let minute = HostMinute { minute, part: self.part, clock_ahead_ms: self.clock_ahead_ms, cards };
        (!minute.cards.is_empty()).then_some(minute)
    }
}

impl Tally {
    /// Takes a sample in. Gives the minutes that it has ended, also those of earlier calls that were not
    /// [`Tally::shelved`].
    pub(super) fn take(&mut self, moment: &Moment, cards: &[CardReport]) -> Vec<HostMinute> {
        let now = moment.at_ms;
        let begin = now - now.rem_euclid(moment.length_ms);
        let last = self.at_ms.unwrap_or(now);
        let forward = now > last;
        if !forward && last - now > WAITED_FOR_MS {
            // The clock was set back for good. That time is lived through once more, in parts of their own.
            self.turn_to(begin, moment);
            self.seen.clear();
            self.at_ms = None;
        }
        if self.open.is_none() {
            self.open = Some(Open::new(begin, moment));
        }
        if forward && now - last > moment.gap_ms {
            self.turn_to(begin, moment);
        }
        if forward {
            self.pass_time(moment, cards, begin);
        }
        if let Some(open) = &mut self.open {
            for card in cards {
                open.add(look(card));
            }
        }
        if self.at_ms.is_none_or(|last| now > last) {
            self.at_ms = Some(now);
            self.seen.retain(|_, seen| now - seen.at_ms <= moment.gap_ms);
            for card in cards {
                let seen = Seen { at_ms: now, energy_mj: card.detail.energy_millijoules.get() };
                self.seen.insert(card.facts.uuid.clone(), seen);
            }
        }
        self.ended.clone()
    }

    /// The ended minutes are on disk.
    pub(super) fn shelved(&mut self) {
        self.ended.clear();
    }

    /// Divides the time since each card was seen last among the minutes from the open one to the present one.
    fn pass_time(&mut self, moment: &Moment, cards: &[CardReport], begin: i64) {
        let spans: Vec<Span> = cards.iter().filter_map(|card| self.span(moment, card)).collect();
        while let Some(open) = &mut self.open {
            let (from, until) = (open.from_ms, open.from_ms + moment.length_ms);
            for span in &spans {
                if let Some(piece) = span.piece(from, until) {
                    open.add(piece);
                }
            }
            if from >= begin {
                return;
            }
            self.turn_to(until, moment);
        }
    }

    fn span<'a>(&self, moment: &Moment, card: &'a CardReport) -> Option<Span<'a>> {
        let seen = self.seen.get(&card.facts.uuid)?;
        let watched = moment.at_ms > seen.at_ms && moment.at_ms - seen.at_ms <= moment.gap_ms;
        watched.then(|| Span::new(card, *seen, moment.at_ms))
    }

    /// Ends the open minute and begins another one.
    fn turn_to(&mut self, from_ms: i64, moment: &Moment) {
        if self.open.as_ref().is_some_and(|open| open.from_ms == from_ms) {
            return;
        }
        self.ended.extend(self.open.take().and_then(Open::end));
        self.open = Some(Open::new(from_ms, moment));
    }
}

/// What is counted once for each sample.
fn look(card: &CardReport) -> CardMinute {
    let sample = &card.sample;
    CardMinute {
        samples: 1,
        utilisation: sample.utilisation_percent.get().map(|percent| Spread::of(percent.min(100).into())),
        memory: sample.memory_used_mib.get().map(Spread::of),
        power: sample.power_milliwatts.get().map(|mw| Spread::of(mw.into())),
        temperature_max: sample.temperature_celsius.get(),
        ..CardMinute::new(card.facts.uuid.clone())
    }
}

/// The time between two samples of a card, and what the later one says of it.
struct Span<'a> {
    card: &'a CardReport,
    from_ms: i64,
    until_ms: i64,
    energy_mj: Option<u64>,
    energy_is_counted: bool,
    accounts: Vec<Account<'a>>,
}

#[derive(Default)]
struct Account<'a> {
    os_user: Option<&'a str>,
    container: Option<&'a str>,
    memory_mib: Option<u64>,
    percent: Option<u32>,
}

impl<'a> Span<'a> {
    fn new(card: &'a CardReport, seen: Seen, until_ms: i64) -> Self {
        let counted = seen.energy_mj.zip(card.detail.energy_millijoules.get());
        // A counter that was set back says nothing about the time before.
        let counted = counted.and_then(|(before, now)| now.checked_sub(before));
        let span_ms = u64::try_from(until_ms - seen.at_ms).unwrap_or(0);
        let from_power = || card.sample.power_milliwatts.get().map(|mw| u64::from(mw) * span_ms / 1000);
        Self {
            card,
            from_ms: seen.at_ms,
            until_ms,
            energy_mj: counted.or_else(from_power),
            energy_is_counted: counted.is_some(),
            accounts: accounts(card),
        }
    }

    /// The part of it that lies in a minute.
    fn piece(&self, from: i64, until: i64) -> Option<CardMinute> {
        let (from, until) = (self.from_ms.max(from), self.until_ms.min(until));
        let ms = u32::try_from(until - from).ok().filter(|ms| *ms > 0)?;
        let all = i128::from(self.until_ms - self.from_ms);
        // By the share that is over at each end, so that the pieces make up the whole.
        let over = |at: i64, whole: u64| i128::from(whole) * i128::from(at - self.from_ms) / all;
        let share = |whole: u64| u64::try_from(over(until, whole) - over(from, whole)).unwrap_or(0);
        let compute = |percent: u32| u32::try_from(u64::from(ms) * u64::from(percent) / 100).unwrap_or(ms);
        Some(CardMinute {
            watched_ms: ms,
            energy_mj: self.energy_mj.map(share),
            energy_is_counted: self.energy_is_counted,
            busy_ms: if is_busy(self.card) { ms } else { 0 },
            unwell_ms: if self.card.health.is_well() { 0 } else { ms },
            accounts: self
                .accounts
                .iter()
                .map(|account| AccountMinute {
                    os_user: account.os_user.map(str::to_owned),
                    container: account.container.map(str::to_owned),
                    present_ms: ms,
                    memory_max_mib: account.memory_mib,
                    compute_ms: account.percent.map(compute),
                })
                .collect(),
            ..CardMinute::new(self.card.facts.uuid.clone())
        })
    }
}

/// It computes, or a process is there that is not only for a display.
fn is_busy(card: &CardReport) -> bool {
    let computes = card.sample.utilisation_percent.get().is_some_and(|percent| percent > 0);
    let compute = |process: &CardProcess| process.kind != ProcessKind::Graphics;
    computes || card.processes.as_ref().is_some_and(|processes| processes.iter().any(compute))
}

/// The processes of a card by account and container.
fn accounts(card: &CardReport) -> Vec<Account<'_>> {
    let mut accounts: Vec<Account<'_>> = Vec::new();
    let mut places: HashMap<(Option<&str>, Option<&str>), usize> = HashMap::new();
    for process in card.processes.iter().flatten() {
        let key = (process.os_user.as_deref(), process.container.as_ref().map(|container| container.id.as_str()));
        let place = *places.entry(key).or_insert_with(|| {
            accounts.push(Account { os_user: key.0, container: key.1, ..Account::default() });
            accounts.len() - 1
        });
        let account = &mut accounts[place];
        let sum = |so_far: Option<u64>, more: Option<u64>| more.map_or(so_far, |more| Some(so_far.unwrap_or(0) + more));
        account.memory_mib = sum(account.memory_mib, process.memory_mib.get());
        let percent = sum(account.percent.map(u64::from), process.utilisation_percent.get().map(u64::from));
        account.percent = percent.map(|percent| u32::try_from(percent.min(100)).unwrap_or(100));
    }
    // Whoever is alone on a card does all that it does.
    if let [only] = accounts.as_mut_slice() {
        let all = card.sample.utilisation_percent.get().map(|percent| percent.min(100));
        only.percent = only.percent.or(all);
    }
    accounts
}

#[cfg(test)]
mod tests;
