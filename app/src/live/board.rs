//! The fleet as the browser knows it: what the server sent, continued by events.

use domain::card::CardSample;
use domain::wire::live_v1::{CardView, Fleet, HostLive, HostView, Live, SPARK_POINTS, SPARK_STEP_S};
use time::OffsetDateTime;

/// A fleet that events continue.
pub struct Board {
    /// As it is now.
    pub fleet: Fleet,
    /// The five-second step of each host's last point.
    steps: Vec<i64>,
}

fn step_of(at: OffsetDateTime) -> i64 {
    at.unix_timestamp() / SPARK_STEP_S
}

impl Board {
    /// Begins with what the server sent.
    #[must_use]
    pub fn new(fleet: Fleet) -> Self {
        let steps = fleet.hosts.iter().map(|_| step_of(fleet.now)).collect();
        Self { fleet, steps }
    }

    /// Adds an event; `false` where one is missing before it.
    #[must_use]
    pub fn apply(&mut self, event: Live) -> bool {
        if event.seq <= self.fleet.seq {
            return true;
        }
        if event.seq != self.fleet.seq + 1 {
            return false;
        }
        self.fleet.seq = event.seq;
        self.fleet.now = event.now;
        let step = step_of(event.now);
        for news in event.hosts {
            let known = self.fleet.hosts.iter_mut().zip(&mut self.steps).find(|(host, _)| host.id == news.id);
            if let Some((host, last)) = known {
                let steps = step - std::mem::replace(last, step.max(*last));
                take(host, news, steps);
            }
        }
        true
    }
}

fn take(host: &mut HostView, news: HostLive, steps: i64) {
    host.pulse = news.pulse;
    for (uuid, truth) in news.cards {
        if let Some(card) = host.cards.iter_mut().find(|card| card.facts.uuid == uuid) {
            card.truth = truth;
            if steps > 0 {
                push(card, steps);
            }
        }
    }
}

/// Adds the newest point; steps in which nothing was reported stay empty.
fn push(card: &mut CardView, steps: i64) {
    let gap = usize::try_from(steps - 1).unwrap_or(0).min(SPARK_POINTS);
    card.spark.extend(std::iter::repeat_n(None, gap));
    card.spark.push(share(&card.truth.sample));
    let surplus = card.spark.len().saturating_sub(SPARK_POINTS);
    card.spark.drain(..surplus);
}

fn share(sample: &CardSample) -> Option<u8> {
    u8::try_from(sample.utilisation_percent.get()?.min(100)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::card::{CardFacts, CardHealth};
    use domain::id::{CardUuid, HostId};
    use domain::reading::Reading;
    use domain::upkeep::Closed;
    use domain::wire::live_v1::{CardTruth, HostPulse};
    use time::Duration;
    use time::macros::datetime;
    use uuid::Uuid;

    const NOW: OffsetDateTime = datetime!(2026-11-30 10:00 UTC);
    const HOST: HostId = HostId(Uuid::from_u128(1));

    fn card() -> CardUuid {
        CardUuid::parse("GPU-1").expect("valid")
    }

    fn pulse(at: OffsetDateTime) -> HostPulse {
        HostPulse {
            beat_ms: 2000,
            clock_ahead_ms: None,
            last_report: Some(at),
            nvml: None,
            cpu_percent: Reading::default(),
            memory_total_mib: Reading::default(),
            memory_used_mib: Reading::default(),
        }
    }

    fn truth(share: u32) -> CardTruth {
        let sample = CardSample { utilisation_percent: Reading::Value(share), ..CardSample::default() };
        CardTruth { sample, health: CardHealth::Ok, processes: None, memory_is_unified: false }
    }

    fn board() -> Board {
        let facts = CardFacts {
            part: None,
            mig_on: false,
            uuid: card(),
            index: 0,
            minor: None,
            name: "NVIDIA T4".to_owned(),
            pci_bus_id: None,
            memory_total_mib: Reading::default(),
        };
        let spark = vec![Some(1); SPARK_POINTS];
        let cards = vec![CardView { facts, truth: truth(1), spark, bookings: Vec::new(), closed: Closed::default() }];
        let name = "a".to_owned();
        let host = HostView { id: HOST, name, pulse: pulse(NOW), driver_version: None, cuda_version: None, cards };
        Board::new(Fleet { seq: 7, now: NOW, hosts: vec![host] })
    }

    fn event(seq: u64, seconds: i64, share: u32) -> Live {
        let now = NOW + Duration::seconds(seconds);
        Live { seq, now, hosts: vec![HostLive { id: HOST, pulse: pulse(now), cards: vec![(card(), truth(share))] }] }
    }

    fn last(board: &Board, count: usize) -> Vec<Option<u8>> {
        let spark = &board.fleet.hosts[0].cards[0].spark;
        assert_eq!(spark.len(), SPARK_POINTS);
        spark[SPARK_POINTS - count..].to_vec()
    }

    #[test]
    fn events_continue_the_fleet_and_a_gap_is_noticed() {
        let mut board = board();
        assert!(board.apply(event(7, 1, 99)), "in it already");
        assert_eq!(board.fleet.hosts[0].cards[0].truth, truth(1));
        assert!(board.apply(event(8, 1, 50)));
        assert_eq!(board.fleet.hosts[0].cards[0].truth, truth(50));
        assert!(!board.apply(event(10, 2, 60)), "9 is missing");
        assert_eq!(board.fleet.hosts[0].cards[0].truth, truth(50));
    }

    #[test]
    fn a_spark_moves_on_every_five_seconds_and_shows_gaps() {
        let mut board = board();
        assert!(board.apply(event(8, 4, 50)));
        assert_eq!(last(&board, 2), [Some(1), Some(1)], "the same step");
        assert!(board.apply(event(9, 5, 9)));
        assert_eq!(last(&board, 2), [Some(1), Some(9)]);
        assert!(board.apply(event(10, 20, 8)));
        assert_eq!(last(&board, 4), [Some(9), None, None, Some(8)]);
        assert!(board.apply(event(11, 100_000, 7)));
        assert_eq!(last(&board, SPARK_POINTS).iter().flatten().count(), 1);
    }
}
