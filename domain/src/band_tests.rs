use time::OffsetDateTime;
use time::macros::datetime;
use uuid::Uuid;

use super::*;
use crate::card::{CardSample, ProcessState};
use crate::reading::Reading;
use crate::window::Window;
use crate::zone::ZoneTable;

const NOW: OffsetDateTime = datetime!(2026-11-30 10:12 UTC);
const ME: UserId = UserId(Uuid::from_u128(1));
const PRIYA: UserId = UserId(Uuid::from_u128(2));
const WEI: UserId = UserId(Uuid::from_u128(3));

struct Scene {
    pulse: HostPulse,
    truth: CardTruth,
    spark: Vec<Option<u8>>,
    bookings: Vec<BookingBrief>,
}

impl Scene {
    fn new() -> Self {
        Self {
            pulse: HostPulse {
                beat_ms: 2000,
                clock_ahead_ms: None,
                last_report: Some(NOW - Duration::seconds(1)),
                nvml: Some(NvmlState::Ok),
                cpu_percent: Reading::Value(3),
                memory_total_mib: Reading::Value(1024),
                memory_used_mib: Reading::Value(10),
            },
            truth: CardTruth { sample: CardSample::default(), health: CardHealth::Ok, processes: Some(Vec::new()) },
            spark: vec![Some(50); SPARK_POINTS],
            bookings: Vec::new(),
        }
    }

    fn booked(mut self, owner: UserId, holder: &str, from_min: i64, to_min: i64) -> Self {
        let at = |minutes| NOW + Duration::minutes(minutes);
        self.bookings.push(BookingBrief {
            id: ReservationId(Uuid::from_u128(u128::try_from(self.bookings.len()).expect("small") + 10)),
            owner,
            holder: holder.to_owned(),
            hue: 150,
            window: Window::new(at(from_min), at(to_min)).expect("not empty"),
        });
        self
    }

    fn running(mut self, kind: ProcessKind, people: &[UserId], person: Option<&str>) -> Self {
        self.truth.processes.get_or_insert_default().push(ProcessView {
            pid: 4711,
            kind,
            memory_mib: Reading::Value(100),
            os_user: Some("somebody".to_owned()),
            command: None,
            state: ProcessState::Running,
            started_at: None,
            utilisation_percent: Reading::default(),
            container: None,
            people: people.to_vec(),
            person: person.map(ToOwned::to_owned),
            proven: false,
        });
        self
    }

    fn band(&self) -> Band {
        let zone = ZoneTable::utc();
        let sight =
            Sight { pulse: &self.pulse, truth: &self.truth, spark: &self.spark, bookings: &self.bookings, viewer: ME };
        sight.band(&When::new(&zone, NOW))
    }

    /// State, first words, the rest, the mark.
    fn said(&self) -> (State, String) {
        let band = self.band();
        (band.state, [band.lead, band.rest, band.side].join("|"))
    }
}

#[test]
fn free_for_ever_or_until_the_next_booking() {
    assert_eq!(Scene::new().said(), (State::Free, "Free||".to_owned()));
    assert_eq!(Scene::new().band().act, Act::Book);
    let next = Scene::new().booked(PRIYA, "Priya Nair", 108, 200);
    assert_eq!(next.said(), (State::Free, "Free|until 12:00|then Priya Nair".to_owned()));
    let own = Scene::new().booked(ME, "Me", 108, 200);
    assert_eq!(own.said(), (State::Free, "Free|until 12:00|then yours".to_owned()));
}

#[test]
fn mine_counts_down_and_opens_the_booking() {
    let scene = Scene::new().booked(ME, "Me", -60, 228);
    assert_eq!(scene.said(), (State::Mine, "Yours|until 14:00|3 h 48 m left".to_owned()));
    assert_eq!(scene.band().act, Act::Open(scene.bookings[0].id));
}

#[test]
fn somebody_elses_names_the_holder_and_who_comes_next() {
    let scene = Scene::new().booked(PRIYA, "Priya Nair", -60, 228).booked(WEI, "Wei Chen", 228, 300);
    assert_eq!(scene.said(), (State::Booked, "Priya Nair|until 14:00|then Wei Chen".to_owned()));
    assert_eq!(scene.band().holder, Some(("Priya Nair".to_owned(), 150)));
    assert_eq!(scene.band().act, Act::None);
}

#[test]
fn my_turn_after_somebody_else_says_from_when() {
    let scene = Scene::new().booked(PRIYA, "Priya Nair", -60, 228).booked(ME, "Me", 230, 300);
    assert_eq!(scene.said(), (State::Booked, "Priya Nair|until 14:00|yours from 14:02".to_owned()));
}

#[test]
fn a_booking_that_is_over_no_longer_counts() {
    assert_eq!(Scene::new().booked(PRIYA, "Priya Nair", -60, 0).said().0, State::Free);
}

#[test]
fn idle_needs_proof_for_the_whole_time() {
    let mut scene = Scene::new().booked(PRIYA, "Priya Nair", -60, 228);
    scene.spark = vec![Some(0); SPARK_POINTS];
    assert_eq!(scene.said(), (State::Idle, "Priya Nair|until 14:00|idle 5 min".to_owned()));
    scene.spark[0] = None;
    assert_eq!(scene.band().state, State::Booked, "a gap is no proof");
    scene.spark = vec![Some(0); SPARK_POINTS - 1];
    assert_eq!(scene.band().state, State::Booked, "too short a time");
    scene.spark = vec![Some(0); SPARK_POINTS];
    scene.truth.processes = None;
    assert_eq!(scene.band().state, State::Booked, "unknown processes");
    let mut young = Scene::new().booked(PRIYA, "Priya Nair", -4, 228);
    young.spark = vec![Some(0); SPARK_POINTS];
    assert_eq!(young.band().state, State::Booked, "the booking is younger than the silence");
}

#[test]
fn my_idle_card_stays_mine_and_says_so() {
    let mut scene = Scene::new().booked(ME, "Me", -60, 228);
    scene.spark = vec![Some(2); SPARK_POINTS];
    let band = scene.band();
    assert_eq!((band.state, band.side.as_str(), band.side_idle), (State::Mine, "idle 5 min", true));
}

#[test]
fn a_job_without_a_booking_is_named() {
    let scene = Scene::new().running(ProcessKind::Compute, &[WEI], Some("Wei Chen"));
    assert_eq!(scene.said(), (State::Rogue, "Wei Chen|without booking|not booked".to_owned()));
    let on_booked = Scene::new()
        .booked(PRIYA, "Priya Nair", -60, 228)
        .running(ProcessKind::Compute, &[PRIYA], Some("Priya Nair"))
        .running(ProcessKind::Compute, &[WEI], Some("Wei Chen"));
    assert_eq!(on_booked.said(), (State::Rogue, "Wei Chen|without booking|Priya Nair until 14:00".to_owned()));
    let own = Scene::new().running(ProcessKind::Compute, &[ME], Some("Me"));
    assert_eq!(own.said(), (State::Rogue, "You,|without booking|not booked".to_owned()));
    assert_eq!(own.band().act, Act::Book);
}

#[test]
fn nobody_is_accused_without_proof() {
    let unknown = Scene::new().running(ProcessKind::Compute, &[], None);
    assert_eq!(unknown.said(), (State::Rogue, "Busy,|owner unknown|not booked".to_owned()));
    // An account without a person on a booked card may be its holder's.
    let booked = Scene::new().booked(PRIYA, "Priya Nair", -60, 228).running(ProcessKind::Compute, &[], None);
    assert_eq!(booked.band().state, State::Booked);
    // A shared account that is also the holder's.
    let shared = Scene::new().booked(PRIYA, "Priya Nair", -60, 228).running(ProcessKind::Compute, &[WEI, PRIYA], None);
    assert_eq!(shared.band().state, State::Booked);
    let screen = Scene::new().running(ProcessKind::Graphics, &[], None);
    assert_eq!(screen.band().state, State::Free);
}

#[test]
fn sick_and_silent_come_first_and_still_say_who_holds_it() {
    let mut scene = Scene::new().booked(PRIYA, "Priya Nair", -60, 228).running(ProcessKind::Compute, &[WEI], None);
    scene.truth.health = CardHealth::Lost;
    assert_eq!(scene.said(), (State::Sick, "Lost,|not bookable|Priya Nair until 14:00".to_owned()));
    scene.pulse.last_report = Some(NOW - Duration::seconds(360));
    assert_eq!(scene.said(), (State::Stale, "No report|since 10:06|Priya Nair until 14:00".to_owned()));
    let mut reset = Scene::new();
    reset.truth.health = CardHealth::ResetNeeded;
    assert_eq!(reset.said(), (State::Sick, "Unhealthy,|not bookable|reset needed".to_owned()));
    assert_eq!(reset.band().act, Act::None);
}

#[test]
fn three_missed_beats_change_no_state() {
    let mut scene = Scene::new();
    scene.pulse.last_report = Some(NOW - Duration::seconds(29));
    assert_eq!(scene.band().state, State::Free);
    scene.pulse.last_report = Some(NOW - Duration::seconds(30));
    assert_eq!(scene.band().state, State::Stale);
    assert_eq!(scene.band().act, Act::None);
}

#[test]
fn values_of_a_driver_that_hangs_are_not_live() {
    let mut scene = Scene::new();
    scene.pulse.nvml = Some(NvmlState::Stalled { since: NOW - Duration::minutes(3) });
    assert_eq!(scene.said(), (State::Stale, "No values|since 10:09|".to_owned()));
    scene.pulse.nvml = Some(NvmlState::DriverNotLoaded);
    assert_eq!(scene.said(), (State::Stale, "No values||".to_owned()));
}
