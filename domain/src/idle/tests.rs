use super::*;
use crate::card::{CardHealth, CardSample, Container, ProcessKind, Runtime};
use crate::id::{ReservationId, UserId};
use crate::reading::Reading;
use crate::window::Window;
use time::macros::datetime;
use uuid::Uuid;

const START: OffsetDateTime = datetime!(2026-11-30 10:00 UTC);
const RULE: Terms =
    Terms { idle: Duration::minutes(60), no_show: Duration::minutes(30), release_after: Some(Duration::minutes(15)) };

fn minute(n: i64) -> OffsetDateTime {
    START + Duration::minutes(n)
}

/// Looks every minute from one minute to another; what followed, with its minute.
fn watched(watch: &mut Watch, from: i64, until: i64, seen: Seen, terms: &Terms) -> Vec<(i64, Next)> {
    (from..until).map(|n| (n, watch.take(seen, terms, minute(n)))).filter(|(_, next)| *next != Next::Nothing).collect()
}

fn watch() -> Watch {
    Watch::begin(START, minute(600))
}

fn asked(since: i64) -> Next {
    Next::Ask { since: minute(since), release_at: None }
}

#[test]
fn nobody_came_and_one_question_is_asked() {
    assert_eq!(watched(&mut watch(), 0, 300, Seen::Idle, &USUAL), [(30, asked(0))]);
}

#[test]
fn idle_counts_from_the_last_use_and_use_ends_it() {
    let mut it = watch();
    assert!(watched(&mut it, 0, 20, Seen::Used, &USUAL).is_empty());
    assert!(watched(&mut it, 20, 79, Seen::Idle, &USUAL).is_empty());
    assert_eq!(watched(&mut it, 79, 90, Seen::Idle, &USUAL), [(79, asked(19))]);
    assert!(watched(&mut it, 90, 91, Seen::Used, &USUAL).is_empty());
    assert_eq!(it.asked, None);
    assert_eq!(watched(&mut it, 91, 200, Seen::Idle, &USUAL), [(150, asked(90))]);
}

#[test]
fn who_says_that_it_is_wanted_has_as_long_again() {
    let mut it = watch();
    assert_eq!(watched(&mut it, 0, 40, Seen::Idle, &USUAL), [(30, asked(0))]);
    it.answered = Some(minute(40));
    assert_eq!(watched(&mut it, 41, 120, Seen::Idle, &USUAL), [(70, asked(0))]);
}

#[test]
fn silence_proves_nothing_and_a_long_one_begins_anew() {
    let mut it = watch();
    assert!(watched(&mut it, 0, 20, Seen::Idle, &USUAL).is_empty());
    assert!(watched(&mut it, 20, 200, Seen::Unknown, &USUAL).is_empty());
    assert_eq!(watched(&mut it, 200, 400, Seen::Idle, &USUAL), [(230, asked(200))]);
    // A portal that was down has not looked at all.
    let mut it = watch();
    assert!(watched(&mut it, 0, 20, Seen::Idle, &RULE).is_empty());
    assert!(watched(&mut it, 90, 119, Seen::Idle, &RULE).is_empty());
    // A short gap is none.
    let mut it = watch();
    assert!(watched(&mut it, 0, 20, Seen::Idle, &USUAL).is_empty());
    assert!(watched(&mut it, 20, 24, Seen::Unknown, &USUAL).is_empty());
    assert_eq!(watched(&mut it, 24, 40, Seen::Idle, &USUAL), [(30, asked(0))]);
}

#[test]
fn a_rule_gives_back_what_its_owner_was_told_and_no_sooner() {
    let mut it = watch();
    let ask = Next::Ask { since: START, release_at: Some(minute(45)) };
    let release = Next::Release { missed: true };
    assert_eq!(watched(&mut it, 0, 46, Seen::Idle, &RULE), [(30, ask), (45, release)]);
    // Answered.
    let mut it = watch();
    assert_eq!(watched(&mut it, 0, 31, Seen::Idle, &RULE), [(30, ask)]);
    it.answered = Some(minute(31));
    assert!(watched(&mut it, 32, 61, Seen::Idle, &RULE).is_empty());
    // Turned off meanwhile.
    let mut it = watch();
    assert_eq!(watched(&mut it, 0, 31, Seen::Idle, &RULE), [(30, ask)]);
    assert!(watched(&mut it, 31, 200, Seen::Idle, &USUAL).is_empty());
    // Turned on meanwhile: asked again, with the time.
    let mut it = watch();
    assert_eq!(watched(&mut it, 0, 40, Seen::Idle, &USUAL), [(30, asked(0))]);
    let again = Next::Ask { since: START, release_at: Some(minute(55)) };
    assert_eq!(watched(&mut it, 40, 56, Seen::Idle, &RULE), [(40, again), (55, release)]);
    // The host went silent after the question.
    let mut it = watch();
    assert_eq!(watched(&mut it, 0, 31, Seen::Idle, &RULE), [(30, ask)]);
    assert!(watched(&mut it, 31, 60, Seen::Unknown, &RULE).is_empty());
    assert!(watched(&mut it, 60, 90, Seen::Idle, &RULE).is_empty());
}

#[test]
fn nobody_is_threatened_with_what_comes_after_the_end() {
    let mut it = Watch::begin(START, minute(40));
    assert_eq!(watched(&mut it, 0, 40, Seen::Idle, &RULE), [(30, asked(0))]);
    let mut it = Watch::begin(START, minute(33));
    assert!(watched(&mut it, 0, 33, Seen::Idle, &RULE).is_empty(), "it is over in a moment");
}

#[test]
fn minutes_that_came_later_show_use() {
    let mut it = watch();
    assert!(watched(&mut it, 0, 2, Seen::Used, &USUAL).is_empty());
    assert_eq!(watched(&mut it, 2, 62, Seen::Idle, &USUAL), [(61, asked(1))]);
    it.used_at(minute(50));
    assert_eq!((it.asked, it.idle_since, it.last_used), (None, Some(minute(50)), Some(minute(50))));
    assert_eq!(watched(&mut it, 62, 120, Seen::Idle, &USUAL), [(110, asked(50))]);
}

fn person(n: u128) -> UserId {
    UserId(Uuid::from_u128(n))
}

fn holder() -> BookingBrief {
    BookingBrief {
        id: ReservationId(Uuid::nil()),
        owner: person(1),
        holder: "Ada".to_owned(),
        hue: 50,
        window: Window::new(START, minute(600)).expect("not empty"),
        co_users: vec![person(2)],
        waits: false,
    }
}

fn process(people: &[u128]) -> ProcessView {
    ProcessView {
        pid: 1,
        kind: ProcessKind::Compute,
        memory_mib: Reading::default(),
        os_user: Some("somebody".to_owned()),
        command: None,
        state: ProcessState::Running,
        started_at: None,
        utilisation_percent: Reading::default(),
        container: None,
        people: people.iter().copied().map(person).collect(),
        person: None,
        proven: false,
    }
}

fn seen(utilisation: Option<u32>, processes: Option<Vec<ProcessView>>) -> Seen {
    let truth = truth(utilisation, processes);
    look(&truth, false, &holder())
}

fn truth(utilisation: Option<u32>, processes: Option<Vec<ProcessView>>) -> CardTruth {
    let utilisation_percent = utilisation.map_or_else(Reading::default, Reading::Value);
    CardTruth {
        sample: CardSample { utilisation_percent, ..CardSample::default() },
        health: CardHealth::Ok,
        processes,
        memory_is_unified: false,
    }
}

#[test]
fn only_those_who_may_launch_use_a_card() {
    assert_eq!(seen(Some(90), Some(vec![process(&[1])])), Seen::Used);
    assert_eq!(seen(Some(90), Some(vec![process(&[2])])), Seen::Used, "a co-user");
    assert_eq!(seen(Some(90), Some(vec![process(&[3])])), Seen::Idle, "a stranger");
    assert_eq!(seen(Some(90), Some(vec![process(&[3]), process(&[1])])), Seen::Used);
    assert_eq!(seen(Some(90), Some(Vec::new())), Seen::Idle);
    assert_eq!(seen(Some(0), Some(vec![process(&[1])])), Seen::Idle, "there, and does nothing");
    assert_eq!(seen(None, Some(vec![process(&[1])])), Seen::Used, "nobody can say that it does nothing");
    // Its own share is known.
    let mut still = process(&[1]);
    still.utilisation_percent = Reading::Value(0);
    assert_eq!(seen(Some(0), Some(vec![still])), Seen::Idle);
}

#[test]
fn what_is_not_known_takes_no_card_away() {
    assert_eq!(seen(Some(90), Some(vec![process(&[])])), Seen::Used, "an unknown account");
    let mut inside = process(&[3]);
    inside.container = Some(Container { runtime: Runtime::Docker, id: "1".to_owned() });
    assert_eq!(seen(Some(90), Some(vec![inside])), Seen::Used, "an account in a container proves nothing");
    assert_eq!((seen(None, None), seen(Some(0), None), seen(Some(9), None)), (Seen::Unknown, Seen::Idle, Seen::Used));
    let mut lost = truth(Some(0), Some(Vec::new()));
    lost.health = CardHealth::Lost;
    assert_eq!(look(&lost, false, &holder()), Seen::Unknown);
    let mut orphan = process(&[1]);
    orphan.state = ProcessState::Orphan;
    assert_eq!(seen(Some(0), Some(vec![orphan])), Seen::Idle, "it has ended");
}

#[test]
fn on_an_instance_a_process_counts() {
    let instance = |processes| look(&truth(None, Some(processes)), true, &holder());
    assert_eq!(instance(vec![process(&[1])]), Seen::Used);
    assert_eq!(instance(Vec::new()), Seen::Idle);
    assert_eq!(instance(vec![process(&[3])]), Seen::Idle);
}
