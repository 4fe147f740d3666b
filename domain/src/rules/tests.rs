use proptest::prelude::*;
use time::macros::datetime;
use time::{Duration, OffsetDateTime};

use super::hours::WeekSpan;
use super::idle::idle_rule;
use super::*;
use crate::error::Field;
use crate::id::{CardUuid, ReservationId};
use crate::window::Window;
use crate::zone::ZoneTable;
use crate::zone::samples::{all, berlin, new_york};

/// Monday, 11:00 in Berlin.
const NOW: OffsetDateTime = datetime!(2026-11-30 10:00 UTC);
const STUDENTS: GroupId = GroupId(uuid::Uuid::from_u128(1));
const STAFF: GroupId = GroupId(uuid::Uuid::from_u128(2));

fn rule(limit: Limit) -> Rule {
    Rule { id: RuleId(uuid::Uuid::nil()), name: "The rule".to_owned(), group: None, label: None, limit }
}

fn hours(from: i64, to: i64) -> Window {
    Window::new(NOW + Duration::hours(from), NOW + Duration::hours(to)).expect("not empty")
}

fn held(card: u32, window: Window) -> Held {
    Held {
        reservation: None,
        card: CardUuid::parse(&format!("GPU-{card}")).expect("valid"),
        part: Cards::ONE,
        window,
        labels: Vec::new(),
    }
}

fn claim(cards: u32, window: Window) -> Claim {
    Claim { window, cards: (0..cards).map(|card| held(card, window)).collect() }
}

fn new(cards: u32, from: i64, to: i64) -> Asked {
    Asked { claim: claim(cards, hours(from, to)), was: None }
}

fn edit(cards: u32, from: i64, to: i64, was: Claim) -> Asked {
    Asked { was: Some(was), ..new(cards, from, to) }
}

/// Holding one other card in each of these windows.
fn holding(windows: &[Window]) -> Standing {
    let holds = windows
        .iter()
        .zip(100..)
        .map(|(window, card)| Held { reservation: Some(ReservationId(uuid::Uuid::nil())), ..held(card, *window) });
    Standing { holds: holds.collect(), ..Standing::default() }
}

fn judged(limit: Limit, standing: &Standing, asked: &Asked) -> Judgement {
    judge(&[rule(limit)], standing, asked, &Clocks::of(&berlin(), NOW))
}

/// The one breach: what it is about and what would do.
fn broken(limit: Limit, standing: &Standing, asked: &Asked) -> (Field, Way) {
    let mut judgement = judged(limit, standing, asked);
    assert_eq!((judgement.breaches.len(), judgement.kept.len()), (1, 0), "{judgement:?}");
    let breach = judgement.breaches.remove(0);
    (breach.field(), breach.way)
}

fn kept(limit: Limit, standing: &Standing, asked: &Asked) -> Measure {
    let mut judgement = judged(limit, standing, asked);
    assert_eq!((judgement.breaches.len(), judgement.kept.len()), (0, 1), "{judgement:?}");
    judgement.kept.remove(0).measure
}

fn nobody() -> Standing {
    Standing::default()
}

fn at(hour: i64) -> Option<OffsetDateTime> {
    Some(NOW + Duration::hours(hour))
}

#[test]
fn shortest_and_longest() {
    let shortest = || Limit::Shortest { minutes: 120 };
    kept(shortest(), &nobody(), &new(1, 1, 3));
    assert_eq!(broken(shortest(), &nobody(), &new(1, 1, 2)), (Field::End, Way { end: at(3), ..Way::default() }));
    let longest = || Limit::Longest { minutes: 7 * 24 * 60 };
    kept(longest(), &nobody(), &new(1, 0, 7 * 24));
    let (field, way) = broken(longest(), &nobody(), &new(1, 1, 8 * 24));
    assert_eq!((field, way.end), (Field::End, at(7 * 24 + 1)));
}

#[test]
fn of_a_running_booking_what_is_to_come_counts() {
    let longest = || Limit::Longest { minutes: 7 * 24 * 60 };
    let running = claim(1, hours(-6 * 24, 24));
    kept(longest(), &nobody(), &edit(1, -6 * 24, 7 * 24, running.clone()));
    let (_, way) = broken(longest(), &nobody(), &edit(1, -6 * 24, 8 * 24, running.clone()));
    assert_eq!(way, Way { end: at(7 * 24), ..Way::default() });
    // Most cards at once: what was held at the same time yesterday does not matter.
    let yesterday = holding(&[hours(-30, -20), hours(-30, -20)]);
    kept(Limit::MostCards { cards: 1 }, &yesterday, &edit(1, -6 * 24, 25, running.clone()));
    // Shortest: all of it.
    kept(Limit::Shortest { minutes: 120 }, &nobody(), &edit(1, -6 * 24, 1, running));
}

#[test]
fn how_far_ahead() {
    let horizon = || Limit::Horizon { minutes: 30 * 24 * 60 };
    kept(horizon(), &nobody(), &new(1, 30 * 24, 40 * 24));
    let (field, way) = broken(horizon(), &nobody(), &new(1, 30 * 24 + 1, 31 * 24));
    assert_eq!((field, way), (Field::Start, Way { start: at(30 * 24), ..Way::default() }));
}

#[test]
fn most_cards_at_once_counts_every_instant_and_no_more() {
    let most = || Limit::MostCards { cards: 3 };
    // Two others, one after the other, never at once.
    let standing = holding(&[hours(0, 4), hours(4, 8)]);
    kept(most(), &standing, &new(2, 0, 8));
    let (field, way) = broken(most(), &standing, &new(3, 0, 8));
    assert_eq!((field, way), (Field::Cards, Way { end: None, start: at(8), cards: Some(2) }));
    // Both at once for an hour.
    let standing = holding(&[hours(0, 5), hours(4, 8)]);
    let (_, way) = broken(most(), &standing, &new(2, 0, 8));
    assert_eq!(way, Way { end: at(4), start: at(5), cards: Some(1) });
    // More than anybody may have.
    let (_, way) = broken(most(), &nobody(), &new(5, 0, 8));
    assert_eq!(way, Way { end: None, start: None, cards: Some(3) });
    let (_, way) = broken(Limit::MostCards { cards: 0 }, &nobody(), &new(1, 0, 8));
    assert_eq!(way, Way::default());
}

#[test]
fn shares_and_instances_are_parts_of_a_card() {
    let quarter = |count: u32, card: u32| Held { part: Cards::parts(count, 4), ..held(card, hours(0, 4)) };
    let asked = |cards| Asked { claim: Claim { window: hours(0, 4), cards }, was: None };
    let most = || Limit::MostCards { cards: 1 };
    kept(most(), &nobody(), &asked(vec![quarter(2, 1), quarter(2, 2)]));
    broken(most(), &nobody(), &asked(vec![quarter(2, 1), quarter(3, 2)]));
    let measure = kept(Limit::GpuHours { hours: 2, per: Period::Week }, &nobody(), &asked(vec![quarter(2, 1)]));
    assert!(matches!(measure, Measure::GpuHours { used_tenths: 20, .. }), "{measure:?}");
    broken(Limit::GpuHours { hours: 1, per: Period::Week }, &nobody(), &asked(vec![quarter(2, 1)]));
}

#[test]
fn gpu_hours_count_the_whole_week_of_the_persons_zone() {
    let week = |hours| Limit::GpuHours { hours, per: Period::Week };
    // This morning, over since: two hours of two cards.
    let standing = holding(&[hours(-4, -2), hours(-4, -2)]);
    kept(week(10), &standing, &new(2, 1, 4));
    let (field, way) = broken(week(9), &standing, &new(2, 1, 4));
    assert_eq!(field, Field::End);
    let (end, next_week) = (NOW + Duration::minutes(210), datetime!(2026-12-06 23:00 UTC));
    assert_eq!(way, Way { end: Some(end), start: Some(next_week), cards: Some(1) });
    // In New York it is still Sunday night: those hours were last week's.
    let sunday = datetime!(2026-11-30 03:00 UTC);
    let standing = holding(&[Window::new(sunday, sunday + Duration::hours(2)).expect("not empty")]);
    let asked = new(1, 0, 3);
    let judged = |zone: &ZoneTable| judge(&[rule(week(3))], &standing, &asked, &Clocks::of(zone, NOW)).is_fine();
    assert!(!judged(&berlin()) && judged(&new_york()));
}

#[test]
fn a_booking_over_the_end_of_a_week_is_parted_exactly() {
    let week = |hours| Limit::GpuHours { hours, per: Period::Week };
    // Sunday 20:00 to Monday 04:00 in Berlin: four hours in each.
    let start = datetime!(2026-12-06 19:00 UTC);
    let window = Window::new(start, start + Duration::hours(8)).expect("not empty");
    let asked = Asked { claim: claim(1, window), was: None };
    kept(week(4), &nobody(), &asked);
    let measure = judged(week(3), &nobody(), &asked).breaches.remove(0).measure;
    assert!(matches!(measure, Measure::GpuHours { used_tenths: 40, .. }));
    // The night on which clocks are set back has an hour more.
    let start = datetime!(2026-10-24 22:00 UTC);
    let day = Window::new(start, start + Duration::hours(25)).expect("not empty");
    let asked = Asked { claim: claim(1, day), was: None };
    let (york, berlin) = (new_york(), berlin());
    let clocks = Clocks::of(&york, start - Duration::hours(1));
    assert!(judge(&[rule(Limit::GpuHours { hours: 25, per: Period::Month })], &nobody(), &asked, &clocks).is_fine());
    let clocks = Clocks { person: &berlin, ..clocks };
    assert!(judge(&[rule(week(25))], &nobody(), &asked, &clocks).is_fine());
    assert!(!judge(&[rule(week(24))], &nobody(), &asked, &clocks).is_fine());
}

#[test]
fn an_edit_replaces_what_was_and_keeps_what_was_used() {
    let week = |hours| Limit::GpuHours { hours, per: Period::Week };
    // Running for four hours on two cards; it had a third until an hour ago.
    let was = claim(2, hours(-4, 2));
    let standing = holding(&[hours(-4, -1)]);
    kept(week(15), &standing, &edit(2, -4, 2, was.clone()));
    broken(week(15), &standing, &edit(2, -4, 3, was.clone()));
    kept(week(17), &standing, &edit(2, -4, 3, was));
}

#[test]
fn an_edit_may_leave_a_rule_as_broken_as_it_was() {
    let longest = || Limit::Longest { minutes: 60 };
    let was = || claim(3, hours(1, 10));
    let judgement = judged(longest(), &nobody(), &edit(3, 1, 9, was()));
    assert!(judgement.is_fine() && judgement.kept.is_empty(), "{judgement:?}");
    assert!(judged(longest(), &nobody(), &edit(3, 2, 11, was())).is_fine());
    broken(longest(), &nobody(), &edit(3, 1, 11, was()));
    let most = || Limit::MostCards { cards: 1 };
    assert!(judged(most(), &nobody(), &edit(2, 1, 10, was())).is_fine());
    broken(most(), &nobody(), &edit(4, 1, 10, was()));
    // At approval everything counts.
    broken(most(), &nobody(), &Asked { was: None, ..edit(3, 1, 10, was()) });
}

#[test]
fn hours_of_the_week() {
    // Mon to Fri 18:00 to 08:00, weekends all day.
    let spans = vec![
        WeekSpan { days: vec![1, 2, 3, 4, 5], from: 18 * 60, to: 8 * 60 },
        WeekSpan { days: vec![6, 7], from: 0, to: 1440 },
    ];
    let students = || Limit::Hours { spans: spans.clone() };
    // Now is Monday 11:00: 18:00 is in 7 hours.
    kept(students(), &nobody(), &new(1, 7, 21));
    let (field, way) = broken(students(), &nobody(), &new(1, 6, 9));
    assert_eq!((field, way), (Field::Start, Way { start: at(7), ..Way::default() }));
    let (field, way) = broken(students(), &nobody(), &new(1, 8, 22));
    assert_eq!((field, way), (Field::End, Way { end: at(21), ..Way::default() }));
    // From Friday evening to Sunday night.
    kept(students(), &nobody(), &new(1, 4 * 24 + 7, 6 * 24 + 13));
    // By the clocks of the booking's zone.
    let (zone, person) = (new_york(), berlin());
    let clocks = Clocks { now: NOW, person: &person, booking: &zone };
    assert!(!judge(&[rule(students())], &nobody(), &new(1, 7, 12), &clocks).is_fine());
    assert!(judge(&[rule(students())], &nobody(), &new(1, 13, 27), &clocks).is_fine());
}

#[test]
fn far_ahead_few_and_today_as_many_as_are_free() {
    let far = || Limit::Far { cards: 2, hours: 24 };
    assert!(matches!(kept(far(), &nobody(), &new(8, 0, 24)), Measure::Far { within: true, .. }));
    // What is held beyond, begun today or not, counts.
    let standing = holding(&[hours(20, 30)]);
    kept(far(), &standing, &new(1, 0, 48));
    let (field, way) = broken(far(), &standing, &new(2, 0, 48));
    assert_eq!((field, way), (Field::Cards, Way { end: at(24), start: None, cards: Some(1) }));
    let (_, way) = broken(far(), &standing, &new(2, 26, 48));
    assert_eq!(way, Way { end: None, start: at(30), cards: Some(1) });
    let (_, way) = broken(far(), &holding(&[hours(40, 50)]), &new(2, 0, 48));
    assert_eq!(way, Way { end: at(40), start: None, cards: Some(1) });
    // Nothing is held any more by then.
    kept(far(), &holding(&[hours(0, 24)]), &new(2, 0, 48));
}

#[test]
fn who_needs_approval() {
    let asked = new(1, 1, 2);
    let judge = |standing: &Standing, asked: &Asked| judged(Limit::Approval, standing, asked);
    assert_eq!(judge(&nobody(), &asked).needs_approval.as_deref(), Some("The rule"));
    assert_eq!(judge(&Standing { approves: true, ..nobody() }, &asked).needs_approval, None);
    // What was approved needs none again; what is new does.
    let was = || claim(2, hours(1, 4));
    assert_eq!(judge(&nobody(), &edit(1, 2, 4, was())).needs_approval, None);
    assert!(judge(&nobody(), &edit(3, 1, 4, was())).needs_approval.is_some());
    assert!(judge(&nobody(), &edit(2, 1, 5, was())).needs_approval.is_some());
    // One that runs cannot wait.
    let running = || claim(2, hours(-1, 4));
    assert!(judge(&nobody(), &edit(2, -1, 3, running())).is_fine());
    let longer = judge(&nobody(), &edit(2, -1, 5, running()));
    assert_eq!(longer.breaches.first().map(|breach| &breach.measure), Some(&Measure::Approval));
    assert_eq!(longer.needs_approval, None);
}

#[test]
fn rules_are_for_a_group_and_for_a_label() {
    let mut only = rule(Limit::MostCards { cards: 1 });
    only.group = Some(STUDENTS);
    only.label = Some("training".to_owned());
    let labelled = |card: u32| Held { labels: vec!["training".to_owned()], ..held(card, hours(0, 4)) };
    let fine = |groups: &[GroupId], holds: Vec<Held>, cards: Vec<Held>| {
        let standing = Standing { groups: groups.to_vec(), holds, ..Standing::default() };
        let asked = Asked { claim: Claim { window: hours(0, 4), cards }, was: None };
        judge(std::slice::from_ref(&only), &standing, &asked, &Clocks::of(&berlin(), NOW)).is_fine()
    };
    let two = || vec![labelled(1), labelled(2)];
    assert!(!fine(&[STUDENTS], vec![], two()));
    assert!(fine(&[STAFF], vec![], two()));
    assert!(fine(&[], vec![], two()));
    // Cards without the label count neither among those asked for nor among those held.
    assert!(fine(&[STUDENTS], vec![], vec![labelled(1), held(2, hours(0, 4)), held(3, hours(0, 4))]));
    assert!(fine(&[STUDENTS], vec![held(9, hours(0, 4))], vec![labelled(1)]));
    assert!(!fine(&[STUDENTS, STAFF], vec![labelled(9)], vec![labelled(1)]));
    assert!(fine(&[STUDENTS], vec![labelled(8), labelled(9)], vec![held(1, hours(0, 4))]));
}

#[test]
fn all_rules_must_be_kept_and_each_is_named() {
    let named = |name: &str, limit| Rule { name: name.to_owned(), ..rule(limit) };
    let rules = [
        named("Loose", Limit::Longest { minutes: 600 }),
        named("Strict", Limit::Longest { minutes: 60 }),
        named("Cards", Limit::MostCards { cards: 1 }),
    ];
    let judgement = judge(&rules, &nobody(), &new(2, 1, 3), &Clocks::of(&berlin(), NOW));
    let names: Vec<&str> = judgement.breaches.iter().map(|breach| breach.name.as_str()).collect();
    assert_eq!(names, ["Strict", "Cards"]);
    assert_eq!(judgement.kept.first().map(|kept| kept.name.as_str()), Some("Loose"));
}

#[test]
fn the_most_particular_rule_about_idle_cards_stands() {
    let idle = |group, label: Option<&str>, minutes, release_after_minutes| Rule {
        group,
        label: label.map(str::to_owned),
        ..rule(Limit::Idle { minutes, no_show_minutes: 30, release_after_minutes })
    };
    let training = ["training".to_owned()];
    let found = |rules: &[Rule], labels: &[String]| {
        idle_rule(rules, &[STUDENTS], labels).map(|terms| (terms.idle.whole_minutes(), terms.release_after.is_some()))
    };
    let rules = [
        idle(None, None, 60, None),
        idle(None, Some("training"), 120, Some(30)),
        idle(Some(STAFF), Some("training"), 10, Some(5)),
        idle(Some(STUDENTS), None, 20, None),
    ];
    assert_eq!(found(&rules, &training), Some((120, true)));
    assert_eq!(found(&rules, &[]), Some((20, false)));
    assert_eq!(found(&rules[..1], &[]), Some((60, false)));
    assert_eq!(found(&rules[2..3], &training), None);
    // As particular: the one that asks first, then the one that gives back first.
    let two = [idle(None, None, 60, Some(30)), idle(None, None, 60, Some(10)), idle(None, None, 90, Some(1))];
    let terms = idle_rule(&two, &[], &[]).expect("a rule");
    assert_eq!(terms.release_after, Some(Duration::minutes(10)));
}

#[test]
fn figures_that_make_sense() {
    let fine = [
        Limit::Shortest { minutes: 5 },
        Limit::Longest { minutes: 31 * 24 * 60 },
        Limit::MostCards { cards: 0 },
        Limit::Approval,
        Limit::Idle { minutes: 60, no_show_minutes: 30, release_after_minutes: None },
    ];
    assert!(fine.iter().all(|limit| limit.check().is_ok()));
    let senseless = [
        Limit::Shortest { minutes: 4 },
        Limit::Longest { minutes: 31 * 24 * 60 + 1 },
        Limit::Horizon { minutes: u32::MAX },
        Limit::MostCards { cards: 257 },
        Limit::Hours { spans: vec![] },
        Limit::Far { cards: 1, hours: 0 },
        Limit::Idle { minutes: 60, no_show_minutes: 30, release_after_minutes: Some(1) },
    ];
    assert!(senseless.iter().all(|limit| limit.check().is_err()));
}

#[test]
fn names_and_labels() {
    assert_eq!(label(" Training.A-1 ").as_deref(), Some("training.a-1"));
    for bad in ["", " ", "-a", "a b", "ä", "a/b", &"a".repeat(64)] {
        assert_eq!(label(bad), None, "{bad}");
    }
    assert_eq!(name(" Hours for students "), Some("Hours for students".to_owned()));
    for bad in ["", "  ", "a\u{202e}b", &"a".repeat(61)] {
        assert_eq!(name(bad), None, "{bad}");
    }
}

#[test]
fn rules_survive_the_database() {
    let spans = vec![WeekSpan { days: vec![1, 5], from: 0, to: 1440 }];
    let rule = Rule { group: Some(STAFF), label: Some("x".to_owned()), ..rule(Limit::Hours { spans }) };
    let json = serde_json::to_string(&rule).expect("json");
    assert_eq!(serde_json::from_str::<Rule>(&json).expect("json"), rule);
}

/// Quarters of an hour from now, and how many.
fn any_window() -> impl Strategy<Value = Window> {
    (0i64..400, 1i64..200).prop_map(|(start, length)| {
        let start = NOW + Duration::minutes(15 * start);
        Window::new(start, start + Duration::minutes(15 * length)).expect("not empty")
    })
}

fn any_limit() -> impl Strategy<Value = Limit> {
    prop_oneof![
        (5u32..5000).prop_map(|minutes| Limit::Longest { minutes }),
        (5u32..5000).prop_map(|minutes| Limit::Shortest { minutes }),
        (0u32..5000).prop_map(|minutes| Limit::Horizon { minutes }),
        (0u32..6).prop_map(|cards| Limit::MostCards { cards }),
        (0u32..6, 1u32..72).prop_map(|(cards, hours)| Limit::Far { cards, hours }),
        (0u32..80, prop_oneof![Just(Period::Week), Just(Period::Month)])
            .prop_map(|(hours, per)| Limit::GpuHours { hours, per }),
        (prop::collection::vec(1u8..8, 1..7), 0u16..1440, 0u16..1441).prop_map(|(days, from, to)| {
            let to = if from == to { 1440 } else { to };
            Limit::Hours { spans: vec![WeekSpan { days, from, to }] }
        }),
    ]
}

proptest! {
    /// Whatever is offered as a way keeps the rule.
    #[test]
    fn every_way_out_is_one(
        limit in any_limit(),
        holds in prop::collection::vec(any_window(), 0..6),
        window in any_window(),
        cards in 1u32..5,
        zone in 0usize..6,
    ) {
        let zone = all().swap_remove(zone);
        let (rules, standing, clocks) = ([rule(limit)], holding(&holds), Clocks::of(&zone, NOW));
        let again = |cards: u32, window: Option<Window>| {
            let Some(window) = window else { return false };
            judge(&rules, &standing, &Asked { claim: claim(cards, window), was: None }, &clocks).is_fine()
        };
        let judgement = judge(&rules, &standing, &Asked { claim: claim(cards, window), was: None }, &clocks);
        prop_assert_eq!(judgement.breaches.len() + judgement.kept.len(), 1);
        for breach in judgement.breaches {
            let way = breach.way;
            let weekly = matches!(breach.measure, Measure::Hours { .. } | Measure::GpuHours { .. });
            if let Some(end) = way.end {
                prop_assert!(again(cards, Window::new(window.start(), end).ok()), "end {breach:?}");
            }
            // A start in another week may find other hours used, or be too long for the hours that are open then.
            if let (Some(start), false) = (way.start, weekly) {
                prop_assert!(again(cards, Window::new(start, start + window.length()).ok()), "start {breach:?}");
            }
            // Of a booking over several weeks, the first is looked at.
            if let (Some(fewer), false) = (way.cards, weekly) {
                prop_assert!(fewer < cards && again(fewer, Some(window)), "cards {breach:?}");
            }
        }
    }

    /// Most cards at once, and GPU-hours, counted quarter by quarter.
    #[test]
    fn counted_by_quarters_it_is_the_same(
        holds in prop::collection::vec(any_window(), 0..8),
        window in any_window(),
        cards in 1u32..5,
        most in 0u32..8,
    ) {
        let (standing, asked) = (holding(&holds), Asked { claim: claim(cards, window), was: None });
        let quarters = |window: &Window| {
            let start = window.start();
            (0..window.length().whole_minutes() / 15).map(move |n| start + Duration::minutes(15 * n))
        };
        let others = |at: OffsetDateTime| u32::try_from(holds.iter().filter(|held| held.contains(at)).count()).expect("few");
        let peak = quarters(&window).map(|at| others(at) + cards).max().expect("not empty");
        prop_assert_eq!(judged(Limit::MostCards { cards: most }, &standing, &asked).is_fine(), peak <= most);

        // December in Berlin begins at 23:00 UTC today.
        let december = datetime!(2026-11-30 23:00 UTC);
        let of = |from: OffsetDateTime, to: OffsetDateTime| {
            let counts = |at: &OffsetDateTime| from <= *at && *at < to;
            let own: usize = quarters(&window).filter(counts).count() * cards as usize;
            let held: usize = holds.iter().map(|held| quarters(held).filter(counts).count()).sum();
            if own == 0 { 0 } else { own + held }
        };
        let worst = of(NOW, december).max(of(december, datetime!(2026-12-31 23:00 UTC)));
        let hours = most * 20;
        let limit = Limit::GpuHours { hours, per: Period::Month };
        prop_assert_eq!(judged(limit, &standing, &asked).is_fine(), worst <= hours as usize * 4);
    }
}
