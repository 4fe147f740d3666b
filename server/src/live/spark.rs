//! Utilisation of the last five minutes, one point for every five seconds.

use std::collections::VecDeque;

use domain::wire::live_v1::{SPARK_POINTS, SPARK_STEP_S};
use time::OffsetDateTime;

/// The samples that fell into one step.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// Number of the step since 1970.
    number: i64,
    sum: u32,
    count: u32,
}

/// A ring of steps. Steps without a report leave a gap.
#[derive(Clone, Debug, Default)]
pub(super) struct Spark(VecDeque<Step>);

fn number(at: OffsetDateTime) -> i64 {
    at.unix_timestamp().div_euclid(SPARK_STEP_S)
}

impl Spark {
    /// Adds a sample; `None` where the card does not say.
    pub(super) fn push(&mut self, at: OffsetDateTime, percent: Option<u32>) {
        let Some(percent) = percent else { return };
        let number = number(at);
        match self.0.back_mut() {
            Some(last) if last.number == number => {
                last.sum = last.sum.saturating_add(percent);
                last.count += 1;
                return;
            }
            // A clock that was set back would put points out of order.
            Some(last) if last.number > number => self.0.clear(),
            _ => {}
        }
        self.0.push_back(Step { number, sum: percent, count: 1 });
        while self.0.len() > SPARK_POINTS {
            self.0.pop_front();
        }
    }

    /// The points up to `now`, oldest first. A step that has just begun and has no sample yet is left out rather than
    /// shown as a gap.
    pub(super) fn points(&self, now: OffsetDateTime) -> Vec<Option<u8>> {
        let current = number(now);
        let last = if self.0.back().is_some_and(|step| step.number == current) { current } else { current - 1 };
        let mut points = vec![None; SPARK_POINTS];
        for step in &self.0 {
            let back = usize::try_from(last - step.number).ok();
            if let Some(point) =
                back.and_then(|back| SPARK_POINTS.checked_sub(back + 1)).and_then(|at| points.get_mut(at))
            {
                *point = u8::try_from(step.sum / step.count.max(1)).ok();
            }
        }
        points
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::Duration;
    use time::macros::datetime;

    const AT: OffsetDateTime = datetime!(2026-11-30 10:00 UTC);

    #[test]
    fn samples_of_one_step_become_their_mean_and_silence_a_gap() {
        let mut spark = Spark::default();
        for (seconds, percent) in [(0, 10), (2, 20), (4, 30), (15, 90)] {
            spark.push(AT + Duration::seconds(seconds), Some(percent));
        }
        let points = spark.points(AT + Duration::seconds(16));
        assert_eq!(points.len(), SPARK_POINTS);
        assert_eq!(points[SPARK_POINTS - 5..], [None, Some(20), None, None, Some(90)]);
        // The next step has begun without a sample: no gap at the end yet.
        assert_eq!(spark.points(AT + Duration::seconds(20))[SPARK_POINTS - 1], Some(90));
        assert_eq!(spark.points(AT + Duration::seconds(25))[SPARK_POINTS - 1], None);
    }

    #[test]
    fn it_never_grows_and_survives_a_clock_set_back() {
        let mut spark = Spark::default();
        for n in 0..1000 {
            spark.push(AT + Duration::seconds(n * 5), Some(50));
        }
        assert_eq!(spark.0.len(), SPARK_POINTS);
        spark.push(AT, Some(1));
        assert_eq!(spark.points(AT)[SPARK_POINTS - 1], Some(1));
        assert!(spark.points(AT + Duration::hours(1)).iter().all(Option::is_none));
    }
}
