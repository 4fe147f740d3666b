//! What recorded minutes may hold: as with reports, text is cleaned and cut, and numbers that cannot be are unknown.
//! What does not fit at all is refused by itself; the rest of a message is taken.

use std::collections::HashSet;

use domain::wire::minutes_v1::{
    ACCOUNTS_MAX, AccountMinute, CardMinute, HostMinute, KEPT_HOURS, Refusal, RefusedMinute, Spread,
};
use time::{Duration, OffsetDateTime, UtcOffset};

use super::report_check::{MEMORY_MAX_MIB, SHORT_MAX, clean};

/// An agent may be this late with what it has kept.
const OLD_SLACK: Duration = Duration::hours(1);
/// An agent's idea of our clock may be this far ahead.
const FUTURE_SLACK: Duration = Duration::minutes(2);
/// Nobody looks at a card more often in one minute.
const SAMPLES_MAX: u32 = 10_000;
/// Ten kilowatts: no card draws that.
const POWER_MAX_MW: u64 = 10_000_000;
/// Ten kilowatts for an hour.
const ENERGY_MAX_MJ: u64 = 36_000_000_000;
/// No card is hotter.
const CELSIUS_MAX: u32 = 1_000;
/// A century: a clock that is further off says nothing.
const CLOCK_MAX_MS: i64 = 100 * 366 * 86_400_000;

/// The minutes with everything in bounds, and what was refused of them. A minute is `length` long.
#[must_use]
pub fn checked(
    minutes: Vec<HostMinute>,
    length: Duration,
    now: OffsetDateTime,
) -> (Vec<HostMinute>, Vec<RefusedMinute>) {
    let (mut good, mut refused) = (Vec::with_capacity(minutes.len()), Vec::new());
    for minute in minutes {
        let at = minute.minute.to_offset(UtcOffset::UTC);
        let refusal = if at < now - Duration::hours(KEPT_HOURS) - OLD_SLACK {
            Some(Refusal::TooOld)
        } else if at > now - length + FUTURE_SLACK {
            Some(Refusal::NotYet)
        } else if at.unix_timestamp_nanos() % length.whole_nanoseconds() != 0 {
            Some(Refusal::NotAMinute)
        } else {
            None
        };
        if let Some(why) = refusal {
            refused.push(RefusedMinute { minute: at, card: None, why });
            continue;
        }
        let mut seen = HashSet::new();
        let mut cards = Vec::with_capacity(minute.cards.len());
        for card in minute.cards {
            if seen.insert(card.card.clone()) && possible(&card, length) {
                cards.push(in_bounds(card));
            } else {
                refused.push(RefusedMinute { minute: at, card: Some(card.card), why: Refusal::Impossible });
            }
        }
        let clock_ahead_ms = minute.clock_ahead_ms.filter(|ms| (-CLOCK_MAX_MS..=CLOCK_MAX_MS).contains(ms));
        good.push(HostMinute { minute: at, part: minute.part, clock_ahead_ms, cards });
    }
    (good, refused)
}

fn possible(card: &CardMinute, length: Duration) -> bool {
    let fits = |ms: u32| i128::from(ms) <= length.whole_milliseconds();
    fits(card.watched_ms)
        && fits(card.busy_ms)
        && fits(card.unwell_ms)
        && card.samples <= SAMPLES_MAX
        && card.accounts.len() <= ACCOUNTS_MAX
        && card.accounts.iter().all(|account| fits(account.present_ms) && account.compute_ms.is_none_or(fits))
}

fn in_bounds(card: CardMinute) -> CardMinute {
    let mut checked = CardMinute {
        utilisation: spread(card.utilisation, card.samples, 100),
        memory: spread(card.memory, card.samples, MEMORY_MAX_MIB),
        power: spread(card.power, card.samples, POWER_MAX_MW),
        energy_mj: card.energy_mj.filter(|energy| *energy <= ENERGY_MAX_MJ),
        temperature_max: card.temperature_max.filter(|celsius| *celsius <= CELSIUS_MAX),
        accounts: Vec::with_capacity(card.accounts.len()),
        ..card
    };
    for account in card.accounts {
        // Two names may be one once they are clean.
        checked.add_account(AccountMinute {
            os_user: short(account.os_user),
            container: short(account.container),
            memory_max_mib: account.memory_max_mib.filter(|mib| *mib <= MEMORY_MAX_MIB),
            ..account
        });
    }
    checked
}

/// Samples that can be: not more than there were, and a sum that lies between the lowest and the highest so often.
fn spread(spread: Option<Spread>, samples: u32, most: u64) -> Option<Spread> {
    spread.filter(|Spread { n, sum, min, max }| {
        let times = |value: u64| u128::from(value) * u128::from(*n);
        (1..=samples).contains(n)
            && min <= max
            && *max <= most
            && (times(*min)..=times(*max)).contains(&u128::from(*sum))
    })
}

fn short(text: Option<String>) -> Option<String> {
    text.map(|text| clean(&text, SHORT_MAX)).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests;
