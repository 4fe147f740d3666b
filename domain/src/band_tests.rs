use time::OffsetDateTime;
use time::macros::datetime;
use uuid::Uuid;

use super::*;
use crate::card::{CardSample, ProcessState};
use crate::id::{CardUuid, MaintenanceId};
use crate::reading::{Missing, Reading};
use crate::upkeep::MaintenanceBrief;
use crate::window::Window;
use crate::zone::ZoneTable;

const NOW: OffsetDateTime = datetime!(2026-11-30 10:12 UTC);
const ME: UserId = UserId(Uuid::from_u128(1));
const PRIYA: UserId = UserId(Uuid::from_u128(2));
const WEI: UserId = UserId(Uuid::from_u128(3));

struct Scene {
    pulse: HostPulse,
    facts: CardFacts,
    parts: usize,
    truth: CardTruth,
    spark: Vec<Option<u8>>,
    bookings: Vec<BookingBrief>,
    closed: Closed,
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
            facts: CardFacts::new(CardUuid::parse("GPU-1").expect("valid"), 0, "NVIDIA T4"),
            parts: 0,
            truth: CardTruth {
                sample: CardSample::default(),
                health: CardHealth::Ok,
                processes: Some(Vec::new()),
                memory_is_unified: false,
            },
            spark: vec![Some(50); SPARK_POINTS],
            bookings: Vec::new(),
            closed: Closed::default(),
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
            co_users: Vec::new(),
            waits: false,
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
        let Self { pulse, facts, parts, truth, spark, bookings, closed } = self;
        let sight = Sight { pulse, facts, parts: *parts, truth, spark, bookings, closed, viewer: ME };
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

#[test]
fn memory_in_use_without_a_process_to_be_seen_is_somebodys() {
    let mut scene = Scene::new();
    scene.truth.sample.memory_used_mib = Reading::Value(8192);
    assert_eq!(scene.said(), (State::Rogue, "Busy,|owner unknown|not booked".to_owned()));
    scene.truth.processes = None;
    assert_eq!(scene.said().0, State::Rogue, "nor is it free where the list cannot be read");
    // What the driver keeps for itself, and what a screen takes, is nobody's job.
    scene.truth.sample.memory_used_mib = Reading::Value(HIDDEN_ABOVE_MIB);
    assert_eq!(scene.said().0, State::Free);
    let mut screen = Scene::new().running(ProcessKind::Graphics, &[], None);
    screen.truth.sample.memory_used_mib = Reading::Value(1200);
    screen.truth.processes.as_mut().expect("listed")[0].memory_mib = Reading::Value(400);
    assert_eq!(screen.said().0, State::Free);
    screen.truth.processes.as_mut().expect("listed")[0].memory_mib = Reading::Value(100);
    assert_eq!(screen.said().0, State::Rogue);
    screen.truth.processes.as_mut().expect("listed")[0].memory_mib = Reading::missing(Missing::NotSupported);
    assert_eq!(screen.said().0, State::Free, "a screen of unknown size may be all of it");
    // Whoever holds the card may be in a container that the agent cannot look into.
    let mut held = Scene::new().booked(PRIYA, "Priya Nair", -60, 228);
    held.truth.sample.memory_used_mib = Reading::Value(8192);
    assert_eq!(held.said().0, State::Booked);
}

#[test]
fn memory_shared_with_the_cpu_says_nothing_about_the_card() {
    let mut scene = Scene::new();
    scene.truth.sample.memory_used_mib = Reading::Value(60_000);
    scene.truth.memory_is_unified = true;
    assert_eq!(scene.said().0, State::Free);
}

#[test]
fn what_a_process_left_behind_is_not_free() {
    let mut scene = Scene::new().running(ProcessKind::Compute, &[], None);
    let left = |scene: &mut Scene, memory| {
        let process = &mut scene.truth.processes.as_mut().expect("listed")[0];
        (process.state, process.memory_mib, process.os_user) = (ProcessState::Orphan, memory, None);
    };
    left(&mut scene, Reading::Value(10_151));
    assert_eq!(scene.said(), (State::Rogue, "Orphan|holds 9.9 GB|not booked".to_owned()));
    assert_eq!(scene.band().act, Act::None);
    left(&mut scene, Reading::missing(Missing::NotSupported));
    assert_eq!(scene.said(), (State::Rogue, "Orphan|holds memory|not booked".to_owned()));
    let both = scene.running(ProcessKind::Compute, &[], None);
    assert_eq!(both.said(), (State::Rogue, "Busy,|owner unknown|not booked".to_owned()));
}

#[test]
fn a_card_that_sleeps_is_free() {
    let mut scene = Scene::new();
    scene.truth.health = CardHealth::Asleep;
    scene.truth.processes = None;
    assert_eq!(scene.said(), (State::Free, "Free||".to_owned()));
    assert_eq!(scene.band().act, Act::Book);
}

#[test]
fn a_card_that_is_cut_sends_people_to_its_instances() {
    let mut scene = Scene::new().running(ProcessKind::Compute, &[WEI], Some("Wei Chen"));
    scene.facts.mig_on = true;
    scene.parts = 3;
    assert_eq!(scene.said(), (State::Cut, "Cut into 3 MIG instances,|book those|".to_owned()));
    assert_eq!(scene.band().act, Act::None);
    scene.parts = 0;
    assert_eq!(scene.said(), (State::Cut, "MIG is on,|not bookable|".to_owned()));
    let mut older = Scene::new().booked(ME, "Me", -60, 228);
    (older.facts.mig_on, older.parts) = (true, 1);
    assert_eq!(older.said(), (State::Cut, "Cut into 1 MIG instance,|book those|Yours until 14:00".to_owned()));
    assert_eq!(older.band().act, Act::Open(older.bookings[0].id));
    older.truth.health = CardHealth::Lost;
    assert_eq!(older.said().0, State::Sick, "lost comes first");
}

fn maintained(mut scene: Scene, from_min: i64, to_min: i64) -> Scene {
    let at = |minutes| NOW + Duration::minutes(minutes);
    let window = Window::new(at(from_min), at(to_min)).expect("not empty");
    let id = MaintenanceId(Uuid::from_u128(1));
    scene.closed.maintenance.push(MaintenanceBrief { id, reason: "New fans".to_owned(), window });
    scene
}

#[test]
fn maintenance_closes_a_card_and_is_announced() {
    let now = maintained(Scene::new(), -10, 48);
    assert_eq!(now.said(), (State::Maint, "Maintenance|until 11:00|New fans".to_owned()));
    assert_eq!(now.band().act, Act::None);
    let mine = maintained(Scene::new().booked(ME, "Me", -60, 228), -10, 48);
    assert_eq!(mine.said(), (State::Maint, "Maintenance|until 11:00|Yours until 14:00".to_owned()));
    assert_eq!(mine.band().act, Act::Open(mine.bookings[0].id));
    let later = maintained(Scene::new(), 48, 108);
    assert_eq!(later.said(), (State::Free, "Free|until 11:00|then maintenance".to_owned()));
    let after = maintained(Scene::new().booked(PRIYA, "Priya Nair", 18, 40), 48, 108);
    assert_eq!(after.said(), (State::Free, "Free|until 10:30|then Priya Nair".to_owned()));
    let over = maintained(Scene::new(), -60, 0);
    assert_eq!(over.said(), (State::Free, "Free||".to_owned()));
}

#[test]
fn a_card_that_nobody_may_book_says_why() {
    let mut scene = Scene::new();
    scene.closed.not_bookable = Some("Display card".to_owned());
    assert_eq!(scene.said(), (State::Maint, "Display card,|not bookable|".to_owned()));
    let mut scene = Scene { closed: scene.closed, ..Scene::new().booked(PRIYA, "Priya Nair", -5, 48) };
    assert_eq!(scene.said().1, "Display card,|not bookable|Priya Nair until 11:00");
    scene.truth.health = CardHealth::Lost;
    assert_eq!(scene.said().0, State::Sick, "lost comes first");
}
