//! Trying a rule on the last 30 days before it is saved: every booking that was made in them is judged again, at the
//! moment when it was made, by this rule alone.
//!
//! They are judged one after the other, and what would have been refused does not count against what came later. Groups
//! and labels are those of today.

use std::collections::HashMap;

use domain::error::ApiError;
use domain::id::UserId;
use domain::rules::{Asked, Claim, Clocks, Held, Rule, Standing, judge};
use domain::text::{When, en};
use domain::wire::rules::{RuleAsk, Trial, TrialRow};
use domain::zone::ZoneTable;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::super::Services;
use super::super::upkeep::By;
use crate::store::rules::past::{self, Made};
use crate::zone;

/// How far back.
pub const DAYS: u32 = 30;
/// Most refusals that are listed.
const LISTED_MAX: usize = 100;

/// Tries a rule. Nothing is saved.
///
/// # Errors
/// `auth.not_allowed`, `input.invalid`, `server.unavailable`.
pub async fn run(services: &Services, by: &By<'_>, ask: &RuleAsk) -> Result<Trial, ApiError> {
    let RuleAsk { id, name, group, label, limit } = super::checked(by, ask)?;
    let rule = Rule { id: id.unwrap_or(domain::id::RuleId(Uuid::nil())), name, group, label, limit };
    let now = services.clock.now();
    let since = now - Duration::days(DAYS.into());
    let made = past::made(&services.pool, since).await?;
    Ok(replay(&rule, &made, since, &by.zone, now))
}

fn replay(rule: &Rule, made: &[Made], since: OffsetDateTime, reader: &ZoneTable, now: OffsetDateTime) -> Trial {
    let mut trial = Trial { days: DAYS, bookings: 0, refused: Vec::new(), refused_count: 0, approvals: 0 };
    let mut zones: HashMap<&str, ZoneTable> = HashMap::new();
    // What each person had by then.
    let mut had: HashMap<UserId, Vec<&Made>> = HashMap::new();
    for booking in made {
        for name in [&booking.owner_zone, &booking.zone] {
            zones.entry(name).or_insert_with(|| zone::table(name, booking.made_at));
        }
        let (Some(person), Some(own)) = (zones.get(booking.owner_zone.as_str()), zones.get(booking.zone.as_str()))
        else {
            continue;
        };
        let before = had.entry(booking.owner).or_default();
        if booking.made_at >= since {
            trial.bookings += 1;
            let there = before.iter().filter(|other| other.gone_at.is_none_or(|gone| gone > booking.made_at));
            let holds: Vec<Held> = there.flat_map(|other| other.cards.clone()).collect();
            let standing = Standing { groups: booking.groups.clone(), holds, ..Standing::default() };
            let asked = Asked { claim: Claim { window: booking.window, cards: booking.cards.clone() }, was: None };
            let clocks = Clocks { now: booking.made_at, person, booking: own };
            let judgement = judge(std::slice::from_ref(rule), &standing, &asked, &clocks);
            trial.approvals += u32::from(judgement.needs_approval.is_some());
            if let Some(breach) = judgement.breaches.first() {
                trial.refused_count += 1;
                if trial.refused.len() < LISTED_MAX {
                    let why = en().breach_fact(breach, &When::new(reader, now));
                    trial.refused.push(row(booking, why));
                }
                continue;
            }
        }
        before.push(booking);
    }
    trial
}

fn row(booking: &Made, why: String) -> TrialRow {
    let mut cards: Vec<_> = booking.cards.iter().map(|held| &held.card).collect();
    cards.sort_unstable();
    cards.dedup();
    TrialRow {
        reservation: booking.id,
        owner: booking.owner_name.clone(),
        made_at: booking.made_at,
        window: booking.window,
        cards: u32::try_from(cards.len()).unwrap_or(u32::MAX),
        why,
    }
}
