//! What cards did so far, as the calendar draws it: from the minutes on record.

use domain::id::CardUuid;
use domain::wire::calendar::CalendarAsk;
use domain::wire::minutes_v1::{CardMinute, HostMinute, Minutes, Spread};
use server::auth::AgentHost;
use server::service::minutes;
use time::Duration;

use super::Desk;
use crate::support::clock::MORNING;
use crate::support::report::{report, uuid};

/// The two hours before the morning, and the rest of the day.
const SPAN: CalendarAsk =
    CalendarAsk { from: MORNING.saturating_sub(Duration::hours(2)), to: MORNING.saturating_add(Duration::hours(22)) };

/// A minute so long before the morning, in which the card was used so much; `None`: that could not be read.
async fn used(desk: &Desk, host: &AgentHost, card: CardUuid, ago: i64, percent: Option<u64>) {
    let spread = percent.map(|percent| Spread { n: 1, sum: percent, min: percent, max: percent });
    let card =
        CardMinute { watched_ms: 60_000, samples: 1, utilisation: spread, busy_ms: 30_000, ..CardMinute::new(card) };
    let minute = HostMinute {
        minute: MORNING - Duration::minutes(ago),
        part: u64::try_from(ago).unwrap(),
        clock_ahead_ms: None,
        cards: vec![card],
    };
    minutes::take(&desk.services, host, Minutes { minutes: vec![minute], dropped: 0 }).await.unwrap();
}

/// Cards and their letters, a minute later than the last time.
async fn seen(desk: &Desk) -> Vec<String> {
    desk.clock.advance(Duration::MINUTE);
    let text = desk.services.traces.read(SPAN).await.unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some(format!("{} 900", SPAN.from.unix_timestamp()).as_str()));
    lines.map(str::to_owned).collect()
}

#[tokio::test]
async fn use_is_the_mean_of_each_step_and_what_is_missing_is_a_gap() {
    let desk = Desk::open().await;
    let rig = desk.host("rig").await;
    desk.report(&rig, report("rig", 1, &[0, 1], 10)).await.unwrap();
    let (one, other) = (uuid("rig", 0), uuid("rig", 1));
    assert!(seen(&desk).await.is_empty());
    // The first quarter of an hour: a mean. The second: nothing. The fourth: all of it, and the one after: nothing used.
    for (ago, percent) in [(120, 100), (119, 0), (75, 100), (60, 0)] {
        used(&desk, &rig, one.clone(), ago, Some(percent)).await;
    }
    // Where nobody can tell the utilisation, it is how long something ran.
    used(&desk, &rig, other.clone(), 110, None).await;
    // Before all of it.
    used(&desk, &rig, other.clone(), 121, Some(100)).await;
    assert_eq!(seen(&desk).await, [format!("{one} i--z0"), format!("{other} i")]);

    // What comes late, and what is sent again.
    used(&desk, &rig, one.clone(), 105, Some(100)).await;
    used(&desk, &rig, one.clone(), 75, Some(100)).await;
    assert_eq!(seen(&desk).await, [format!("{one} iz-z0"), format!("{other} i")]);
}

#[tokio::test]
async fn for_a_minute_everybody_gets_the_same() {
    let desk = Desk::open().await;
    let rig = desk.host("rig").await;
    desk.report(&rig, report("rig", 1, &[0], 10)).await.unwrap();
    used(&desk, &rig, uuid("rig", 0), 30, Some(50)).await;
    let first = seen(&desk).await;
    used(&desk, &rig, uuid("rig", 0), 15, Some(50)).await;
    let again = desk.services.traces.read(SPAN).await.unwrap();
    assert_eq!(again.lines().skip(1).collect::<Vec<_>>(), first);
    assert_ne!(seen(&desk).await, first);
    let long = CalendarAsk { to: SPAN.from + Duration::days(46), ..SPAN };
    assert!(desk.services.traces.read(long).await.is_err());
}
