use domain::id::CardUuid;
use time::macros::datetime;

use super::*;

const NOW: OffsetDateTime = datetime!(2026-11-30 10:00:30 UTC);

fn card(n: u32) -> CardMinute {
    CardMinute {
        watched_ms: 60_000,
        samples: 30,
        utilisation: Some(Spread { n: 30, sum: 1500, min: 10, max: 90 }),
        ..CardMinute::new(CardUuid::parse(&format!("GPU-{n}")).expect("valid"))
    }
}

fn minute(minute: OffsetDateTime, cards: Vec<CardMinute>) -> HostMinute {
    HostMinute { minute, part: 1, clock_ahead_ms: None, cards }
}

#[test]
fn a_minute_is_refused_alone() {
    let good = NOW - Duration::seconds(90);
    let (kept, refused) = checked(
        vec![
            minute(good, vec![card(1)]),
            minute(NOW - Duration::hours(74) - Duration::seconds(30), vec![card(1)]),
            minute(NOW + Duration::hours(1) + Duration::seconds(30), vec![card(1)]),
            minute(good + Duration::seconds(7), vec![card(1)]),
        ],
        Duration::MINUTE,
        NOW,
    );
    assert_eq!(kept.iter().map(|minute| minute.minute).collect::<Vec<_>>(), [good]);
    let why: Vec<_> = refused.iter().map(|refused| refused.why).collect();
    assert_eq!(why, [Refusal::TooOld, Refusal::NotYet, Refusal::NotAMinute]);
}

#[test]
fn a_card_is_refused_alone_and_odd_values_are_unknown() {
    let good = NOW - Duration::seconds(90);
    let mut long = card(2);
    long.busy_ms = 60_001;
    let mut odd = card(3);
    odd.utilisation = Some(Spread { n: 30, sum: 30 * 101, min: 101, max: 101 });
    odd.memory = Some(Spread { n: 31, sum: 31, min: 1, max: 1 });
    odd.power = Some(Spread { n: 2, sum: 100, min: 1, max: 2 });
    odd.temperature_max = Some(u32::MAX);
    let account = |os_user: &str| AccountMinute {
        os_user: Some(os_user.to_owned()),
        container: None,
        present_ms: 1000,
        memory_max_mib: Some(u64::MAX),
        compute_ms: None,
    };
    odd.accounts = vec![account("a\u{7}"), account("a\u{8}"), account(" ")];
    let (kept, refused) = checked(vec![minute(good, vec![card(1), card(1), long, odd])], Duration::MINUTE, NOW);
    let why: Vec<_> =
        refused.iter().map(|refused| (refused.card.as_ref().map(CardUuid::as_str), refused.why)).collect();
    assert_eq!(why, [(Some("GPU-1"), Refusal::Impossible), (Some("GPU-2"), Refusal::Impossible)]);
    let cards = &kept[0].cards;
    assert_eq!(cards[0], card(1));
    assert_eq!(
        (cards[1].utilisation, cards[1].memory, cards[1].power, cards[1].temperature_max),
        (None, None, None, None)
    );
    let accounts: Vec<_> =
        cards[1].accounts.iter().map(|a| (a.os_user.as_deref(), a.present_ms, a.memory_max_mib)).collect();
    assert_eq!(accounts, [(Some("a\u{fffd}"), 2000, None), (None, 1000, None)]);
}
