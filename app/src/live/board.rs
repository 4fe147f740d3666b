//! Hosts and cards as signals: made from a fleet, continued by events, brought up to date by a newer fleet. A card that
//! stays keeps its signals, and so its nodes on the page.

use std::sync::Arc;

use domain::band::{Band, Sight, State};
use domain::card::CardFacts;
use domain::host::{Freshness, freshness};
use domain::id::{CardUuid, HostId, UserId};
use domain::text::When;
use domain::wire::live_v1::{
    BookingBrief, CardTruth, CardView, Fleet, HostLive, HostPulse, HostView, Live, SPARK_POINTS, SPARK_STEP_S,
};
use domain::zone::ZoneTable;
use leptos::prelude::*;
use time::OffsetDateTime;

use crate::live::LiveState;

/// From whose eyes, and since when.
#[derive(Clone)]
pub struct Eyes {
    /// Who looks.
    pub viewer: UserId,
    /// In which zone.
    pub zone: Arc<ZoneTable>,
    /// The stream and the time.
    pub live: LiveState,
    /// The server's time when the page was rendered.
    pub rendered: OffsetDateTime,
}

impl Eyes {
    /// The time now, tracked.
    #[must_use]
    pub fn now(&self) -> OffsetDateTime {
        self.live.now(self.rendered)
    }

    /// Words for times, tracked.
    #[must_use]
    pub fn when(&self) -> When<'_> {
        When::new(&self.zone, self.now())
    }
}

/// All hosts.
#[derive(Clone)]
pub struct Board {
    /// Number of the last event that is in it.
    seq: ArcStoredValue<u64>,
    /// In order of their names.
    pub hosts: ArcRwSignal<Vec<HostRow>>,
    eyes: Eyes,
}

/// One host.
#[derive(Clone)]
pub struct HostRow {
    /// Identity.
    pub id: HostId,
    /// Name.
    pub name: String,
    /// Driver and CUDA versions.
    pub versions: ArcRwSignal<(Option<String>, Option<String>)>,
    /// What changes all the time.
    pub pulse: ArcRwSignal<HostPulse>,
    /// How old its last report is.
    pub freshness: ArcMemo<Freshness>,
    /// Its cards.
    pub cards: ArcRwSignal<Vec<CardRow>>,
}

/// One card.
#[derive(Clone)]
pub struct CardRow {
    /// Identity.
    pub uuid: CardUuid,
    /// Its host's name.
    pub host: String,
    /// What it is.
    pub facts: ArcRwSignal<CardFacts>,
    /// What it does.
    pub truth: ArcRwSignal<CardTruth>,
    /// Its last five minutes.
    pub spark: ArcRwSignal<Vec<Option<u8>>>,
    bookings: ArcRwSignal<Vec<BookingBrief>>,
    /// The five-second step in which the last point lies.
    step: ArcStoredValue<i64>,
    /// What its band says.
    pub band: ArcMemo<Band>,
    /// The band's state alone.
    pub state: ArcMemo<State>,
}

fn set<T: PartialEq + Send + Sync + 'static>(signal: &ArcRwSignal<T>, value: T) {
    if *signal.read_untracked() != value {
        signal.set(value);
    }
}

fn step_of(at: OffsetDateTime) -> i64 {
    at.unix_timestamp() / SPARK_STEP_S
}

impl Board {
    /// A board that shows `fleet`.
    #[must_use]
    pub fn new(fleet: Fleet, eyes: Eyes) -> Self {
        let rows = fleet.hosts.into_iter().map(|host| HostRow::new(host, fleet.now, &eyes)).collect();
        Self { seq: ArcStoredValue::new(fleet.seq), hosts: ArcRwSignal::new(rows), eyes }
    }

    /// Every card, tracked.
    #[must_use]
    pub fn cards(&self) -> Vec<CardRow> {
        self.hosts.read().iter().flat_map(|host| host.cards.get()).collect()
    }

    /// Adds an event; `false` where one is missing before it.
    #[must_use]
    pub fn apply(&self, event: &Live) -> bool {
        let seq = self.seq.get_value();
        if event.seq <= seq {
            return true;
        }
        if event.seq != seq + 1 {
            return false;
        }
        self.seq.set_value(event.seq);
        let hosts = self.hosts.read_untracked();
        for news in &event.hosts {
            if let Some(host) = hosts.iter().find(|host| host.id == news.id) {
                host.apply(news, event.now);
            }
        }
        true
    }

    /// Shows a newer fleet. What stays keeps its signals.
    pub fn replace(&self, fleet: Fleet) {
        self.seq.set_value(fleet.seq);
        let old = self.hosts.get_untracked();
        let kept = |host: &HostView| old.iter().find(|row| row.id == host.id && row.name == host.name);
        let same = old.len() == fleet.hosts.len() && fleet.hosts.iter().zip(&old).all(|(new, old)| new.id == old.id);
        let unchanged = same && fleet.hosts.iter().all(|host| kept(host).is_some());
        let rows = fleet.hosts.into_iter().map(|host| match kept(&host) {
            Some(row) => {
                row.replace(host, fleet.now, &self.eyes);
                row.clone()
            }
            None => HostRow::new(host, fleet.now, &self.eyes),
        });
        let rows = rows.collect::<Vec<_>>();
        if !unchanged {
            self.hosts.set(rows);
        }
    }
}

impl HostRow {
    fn new(host: HostView, now: OffsetDateTime, eyes: &Eyes) -> Self {
        let pulse = ArcRwSignal::new(host.pulse);
        let cards = host.cards.into_iter().map(|card| CardRow::new(card, &host.name, now, &pulse, eyes)).collect();
        let freshness = {
            let (pulse, eyes) = (pulse.clone(), eyes.clone());
            ArcMemo::new(move |_| freshness(pulse.read().last_report, eyes.now()))
        };
        Self {
            id: host.id,
            name: host.name,
            versions: ArcRwSignal::new((host.driver_version, host.cuda_version)),
            pulse,
            freshness,
            cards: ArcRwSignal::new(cards),
        }
    }

    fn apply(&self, news: &HostLive, now: OffsetDateTime) {
        set(&self.pulse, news.pulse.clone());
        let cards = self.cards.read_untracked();
        for (uuid, truth) in &news.cards {
            if let Some(card) = cards.iter().find(|card| card.uuid == *uuid) {
                card.apply(truth, now);
            }
        }
    }

    fn replace(&self, host: HostView, now: OffsetDateTime, eyes: &Eyes) {
        set(&self.pulse, host.pulse);
        set(&self.versions, (host.driver_version, host.cuda_version));
        let old = self.cards.get_untracked();
        let unchanged =
            old.len() == host.cards.len() && host.cards.iter().zip(&old).all(|(new, old)| new.facts.uuid == old.uuid);
        let rows = host.cards.into_iter().map(|card| match old.iter().find(|row| row.uuid == card.facts.uuid) {
            Some(row) => {
                row.replace(card, now);
                row.clone()
            }
            None => CardRow::new(card, &host.name, now, &self.pulse, eyes),
        });
        let rows = rows.collect::<Vec<_>>();
        if !unchanged {
            self.cards.set(rows);
        }
    }
}

impl CardRow {
    fn new(card: CardView, host: &str, now: OffsetDateTime, pulse: &ArcRwSignal<HostPulse>, eyes: &Eyes) -> Self {
        let uuid = card.facts.uuid.clone();
        let truth = ArcRwSignal::new(card.truth);
        let spark = ArcRwSignal::new(card.spark);
        let bookings = ArcRwSignal::new(card.bookings);
        let band = {
            let (pulse, truth, spark) = (pulse.clone(), truth.clone(), spark.clone());
            let (bookings, eyes) = (bookings.clone(), eyes.clone());
            ArcMemo::new(move |_| {
                Sight {
                    pulse: &pulse.read(),
                    truth: &truth.read(),
                    spark: &spark.read(),
                    bookings: &bookings.read(),
                    viewer: eyes.viewer,
                }
                .band(&eyes.when())
            })
        };
        let state = {
            let band = band.clone();
            ArcMemo::new(move |_| band.read().state)
        };
        Self {
            uuid,
            host: host.to_owned(),
            facts: ArcRwSignal::new(card.facts),
            truth,
            spark,
            bookings,
            step: ArcStoredValue::new(step_of(now)),
            band,
            state,
        }
    }

    fn apply(&self, truth: &CardTruth, now: OffsetDateTime) {
        let share = truth.sample.utilisation_percent.get().and_then(|share| u8::try_from(share.min(100)).ok());
        let (step, before) = (step_of(now), self.step.get_value());
        if step > before {
            self.step.set_value(step);
            self.spark.update(|points| push(points, share, step - before));
        }
        set(&self.truth, truth.clone());
    }

    fn replace(&self, card: CardView, now: OffsetDateTime) {
        self.step.set_value(step_of(now));
        set(&self.facts, card.facts);
        set(&self.truth, card.truth);
        set(&self.spark, card.spark);
        set(&self.bookings, card.bookings);
    }
}

/// Adds the newest point; steps in which nothing was reported stay empty.
fn push(points: &mut Vec<Option<u8>>, share: Option<u8>, steps: i64) {
    let gap = usize::try_from(steps - 1).unwrap_or(0).min(SPARK_POINTS);
    points.extend(std::iter::repeat_n(None, gap));
    points.push(share);
    let surplus = points.len().saturating_sub(SPARK_POINTS);
    points.drain(..surplus);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spark_moves_on_and_shows_gaps() {
        let mut points = vec![Some(1); SPARK_POINTS];
        push(&mut points, Some(9), 1);
        assert_eq!((points.len(), points[0], points[SPARK_POINTS - 1]), (SPARK_POINTS, Some(1), Some(9)));
        push(&mut points, Some(8), 3);
        assert_eq!(points[SPARK_POINTS - 4..], [Some(9), None, None, Some(8)]);
        push(&mut points, Some(7), 100_000);
        assert_eq!(points.len(), SPARK_POINTS);
        assert_eq!(points.iter().flatten().count(), 1);
    }
}
