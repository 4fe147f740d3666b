//! Clocks on walls: what they show when, from one line a zone.

use time::macros::datetime;
use time::{Duration, OffsetDateTime};

/// A zone whose clocks change once in the time of the model.
#[derive(Clone, Copy, Debug)]
pub struct Zone {
    pub name: &'static str,
    /// When they change.
    pub change: OffsetDateTime,
    /// Minutes ahead of UTC until then, and after it.
    minutes: (i64, i64),
}

/// Clocks that go forward by an hour, back by half an hour, and never.
pub const ZONES: [Zone; 4] = [
    Zone { name: "Europe/Berlin", change: datetime!(2027-03-28 1:00 UTC), minutes: (60, 120) },
    Zone { name: "Australia/Lord_Howe", change: datetime!(2027-04-03 15:00 UTC), minutes: (660, 630) },
    Zone { name: "Asia/Kolkata", change: datetime!(2027-03-28 1:00 UTC), minutes: (330, 330) },
    Zone { name: "UTC", change: datetime!(2027-03-28 1:00 UTC), minutes: (0, 0) },
];

impl Zone {
    pub fn named(name: &str) -> Self {
        *ZONES.iter().find(|zone| zone.name == name).expect("a zone of the model")
    }

    fn offset(&self, at: OffsetDateTime) -> Duration {
        Duration::minutes(if at < self.change { self.minutes.0 } else { self.minutes.1 })
    }

    /// What clocks show, written as if it were UTC.
    pub fn wall(&self, at: OffsetDateTime) -> OffsetDateTime {
        at + self.offset(at)
    }

    /// When clocks show that: never, once or twice.
    pub fn instants(&self, wall: OffsetDateTime) -> Vec<OffsetDateTime> {
        let mut found: Vec<OffsetDateTime> = [self.minutes.0, self.minutes.1]
            .into_iter()
            .map(|minutes| wall - Duration::minutes(minutes))
            .filter(|at| self.wall(*at) == wall)
            .collect();
        found.dedup();
        found
    }

    /// The one instant.
    pub fn instant(&self, wall: OffsetDateTime) -> Option<OffsetDateTime> {
        match self.instants(wall).as_slice() {
            [at] => Some(*at),
            _ => None,
        }
    }
}
