//! Whoever has rules is offered what they would be given, and nothing else.

use std::collections::BTreeMap;

use domain::finder::{
    Found, Lack, Leave, Link, Park, Reason, Suggestion, Want, alternatives_within, find, find_within,
};
use domain::id::{CardUuid, ReservationId, RuleId};
use domain::rules::hours::WeekSpan;
use domain::rules::{Asked, Cards, Claim, Clocks, Held, Limit, Period, Rule, Standing, judge};
use domain::window::Window;
use domain::zone::ZoneTable;
use uuid::Uuid;

use super::words;
use super::world::{NOW, RTX3090, T4, Wires, earliest, hold, host, park, then, uuid, want, window};

fn rule(name: &str, limit: Limit) -> Rule {
    Rule { id: RuleId(Uuid::nil()), name: name.to_owned(), group: None, label: None, limit }
}

fn labelled(name: &str, label: &str, limit: Limit) -> Rule {
    Rule { label: Some(label.to_owned()), ..rule(name, limit) }
}

/// A whole card of another booking.
fn held(host: &str, index: u32, start: i64, end: i64) -> Held {
    Held {
        reservation: Some(ReservationId(Uuid::from_u128(9))),
        card: uuid(host, index),
        part: Cards::ONE,
        window: window(start, end),
        labels: Vec::new(),
    }
}

fn having(holds: Vec<Held>) -> Standing {
    Standing { holds, ..Standing::default() }
}

fn search(park: &Park, want: &Want, rules: &[Rule], standing: &Standing) -> Found {
    let zone = ZoneTable::utc();
    let leave = Leave::new(rules, standing, Clocks::of(&zone, NOW));
    find_within(park, want, NOW, Some(&leave))
}

/// Why, which, when, and by which rule.
fn said(found: &[Suggestion]) -> Vec<(Reason, String, Window, Option<&str>)> {
    found.iter().map(|one| (one.reason, words(one), one.window, one.by_rule.as_deref())).collect()
}

fn evenings() -> Limit {
    Limit::Hours { spans: vec![WeekSpan { days: (1..=7).collect(), from: 18 * 60, to: 8 * 60 }] }
}

#[test]
fn what_is_too_long_is_offered_for_as_long_as_may_be() {
    let park = park(vec![host("rig", &[T4; 2], Wires::Node)], vec![hold("rig", 0, 0, 60), hold("rig", 1, 0, 90)]);
    let rules = [rule("Longest booking", Limit::Longest { minutes: 240 })];
    let found = search(&park, &want(1, Link::Any, then(100, 800)), &rules, &Standing::default());
    let by = Some("Longest booking");
    assert_eq!(said(&found.suggestions), [(Reason::BestFit, "rig 1".to_owned(), window(100, 340), by)]);
    assert_eq!(found.lack, None);
    let found = search(&park, &want(1, Link::Any, earliest(600, 0, 5000)), &rules, &Standing::default());
    assert_eq!(said(&found.suggestions), [(Reason::Later, "rig 0".to_owned(), window(60, 300), by)]);
    // What is short enough is as it was.
    let wish = want(1, Link::Any, then(100, 200));
    assert_eq!(search(&park, &wish, &rules, &Standing::default()), find(&park, &wish, NOW));
    // Too short is made longer, where the card is free for so long.
    let rules = [rule("Shortest booking", Limit::Shortest { minutes: 120 })];
    let found = search(&park, &want(1, Link::Any, then(100, 130)), &rules, &Standing::default());
    assert_eq!(said(&found.suggestions)[0].2, window(100, 220));
}

#[test]
fn cards_that_one_has_elsewhere_count() {
    let park = park(vec![host("rig", &[T4; 8], Wires::Node)], Vec::new());
    let rules = [rule("Most cards", Limit::MostCards { cards: 4 })];
    let standing = having((0..3).map(|index| held("other", index, 0, 120)).collect());
    let one = search(&park, &want(1, Link::Any, then(0, 60)), &rules, &standing);
    assert_eq!(one.suggestions.len(), 1);
    // Two are one too many until some of the others are given back.
    let two = search(&park, &want(2, Link::Any, then(0, 60)), &rules, &standing);
    assert_eq!(said(&two.suggestions), [(Reason::Later, "rig 0 1".to_owned(), window(120, 180), None)]);
    assert_eq!(two.lack, Some(Lack::AgainstRule { rule: "Most cards".to_owned() }));
    // Five are too many at any time.
    let five = search(&park, &want(5, Link::Any, earliest(60, 0, 5000)), &rules, &Standing::default());
    assert_eq!((five.suggestions.len(), five.lack), (0, Some(Lack::AgainstRule { rule: "Most cards".to_owned() })));
    // The hours of the week that are left.
    let rules = [rule("Fair share", Limit::GpuHours { hours: 10, per: Period::Week })];
    let found = search(&park, &want(1, Link::Any, then(180, 900)), &rules, &standing);
    assert_eq!(said(&found.suggestions)[0].2, window(180, 420), "six of ten are used");
}

#[test]
fn hours_of_the_day_and_how_far_ahead() {
    // It is Monday, 10:00.
    let park = park(vec![host("rig", &[T4; 1], Wires::Node)], vec![hold("rig", 0, 480, 510)]);
    let rules = [rule("Evenings", evenings())];
    let found = search(&park, &want(1, Link::Any, then(0, 120)), &rules, &Standing::default());
    assert_eq!(said(&found.suggestions), [(Reason::Later, "rig 0".to_owned(), window(510, 630), None)]);
    assert_eq!(found.lack, Some(Lack::AgainstRule { rule: "Evenings".to_owned() }));
    let found = search(&park, &want(1, Link::Any, earliest(120, 0, 5000)), &rules, &Standing::default());
    assert_eq!(said(&found.suggestions)[0].2, window(510, 630));
    // Into the morning, no further.
    let night = search(&park, &want(1, Link::Any, then(1200, 1440)), &rules, &Standing::default());
    assert_eq!(said(&night.suggestions)[0].2, window(1200, 1320));
    let rules = [rule("Two days", Limit::Horizon { minutes: 2880 })];
    let far = search(&park, &want(1, Link::Any, then(4000, 4100)), &rules, &Standing::default());
    assert_eq!((far.suggestions.len(), far.lack), (0, Some(Lack::AgainstRule { rule: "Two days".to_owned() })));
}

#[test]
fn a_rule_for_a_label_leaves_the_other_cards() {
    let mut train = host("train", &[T4; 2], Wires::Node);
    train.labels = vec!["training".to_owned()];
    let park = park(vec![train, host("plain", &[RTX3090; 2], Wires::Node)], Vec::new());
    let wish = want(2, Link::Any, then(0, 240));
    let all = search(&park, &wish, &[], &Standing::default());
    assert_eq!(words(&all.suggestions[0]), "train 0 1", "the smaller ones");
    let short = [labelled("Short", "training", Limit::Longest { minutes: 60 })];
    let found = search(&park, &wish, &short, &Standing::default());
    assert_eq!(said(&found.suggestions), [(Reason::BestFit, "plain 0 1".to_owned(), window(0, 240), None)]);
    let none = [labelled("None", "training", Limit::MostCards { cards: 0 })];
    let mut only = wish.clone();
    only.labels = vec!["training".to_owned()];
    let found = search(&park, &only, &none, &Standing::default());
    assert_eq!((found.suggestions.len(), found.lack), (0, Some(Lack::AgainstRule { rule: "None".to_owned() })));
}

#[test]
fn ways_out_of_a_refusal_keep_the_rules() {
    let holds = vec![hold("rig", 0, 30, 480), hold("rig", 0, 600, 660)];
    let mut train = host("train", &[T4; 1], Wires::Node);
    train.labels = vec!["training".to_owned()];
    let park = park(vec![host("rig", &[T4; 1], Wires::Node), train], holds);
    let zone = ZoneTable::utc();
    let ways = |rules: &[Rule]| {
        let standing = Standing::default();
        let leave = Leave::new(rules, &standing, Clocks::of(&zone, NOW));
        let asked = window(0, 120);
        let found = alternatives_within(&park, &[uuid("rig", 0)], &BTreeMap::new(), &asked, NOW, Some(&leave));
        found.iter().map(|one| (one.reason, words(one), one.window)).collect::<Vec<_>>()
    };
    let (rig, train) = ("rig 0".to_owned(), "train 0".to_owned());
    let shorter = (Reason::Shorter, rig.clone(), window(0, 30));
    let elsewhere = (Reason::Elsewhere, train.clone(), window(0, 120));
    let later = (Reason::SameLater, rig.clone(), window(480, 600));
    assert_eq!(ways(&[]), [shorter.clone(), elsewhere.clone(), later.clone()]);
    let none = labelled("None", "training", Limit::MostCards { cards: 0 });
    assert_eq!(ways(&[none]), [shorter, later.clone()]);
    assert_eq!(ways(&[rule("Shortest", Limit::Shortest { minutes: 60 })]), [elsewhere, later]);
    assert_eq!(
        ways(&[rule("Longest", Limit::Longest { minutes: 60 })]),
        [
            (Reason::Shorter, rig.clone(), window(0, 30)),
            (Reason::Elsewhere, train, window(0, 60)),
            (Reason::SameLater, rig.clone(), window(480, 540)),
        ]
    );
    // From seven in the evening, when it is booked again: the first time after that.
    let late = WeekSpan { days: (1..=7).collect(), from: 19 * 60, to: 8 * 60 };
    assert_eq!(ways(&[rule("Late", Limit::Hours { spans: vec![late] })]), [(Reason::SameLater, rig, window(660, 780))]);
}

/// A small generator, so that what goes wrong can be seen again.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }

    fn between(&mut self, from: i64, to: i64) -> i64 {
        from + self.roll(u64::try_from(to - from).expect("from < to")) as i64
    }
}

fn any_rule(dice: &mut Dice) -> Rule {
    let small = |dice: &mut Dice| u32::try_from(dice.roll(5)).expect("small");
    let limit = match dice.roll(7) {
        0 => Limit::Longest { minutes: 30 * (1 + small(dice)) },
        1 => Limit::Shortest { minutes: 30 * (1 + small(dice)) },
        2 => Limit::Horizon { minutes: 120 * (1 + small(dice)) },
        3 => Limit::MostCards { cards: small(dice) },
        4 => Limit::Far { cards: small(dice), hours: 1 + small(dice) },
        5 => Limit::GpuHours { hours: 4 * small(dice), per: Period::Week },
        _ => evenings(),
    };
    let label = (dice.roll(2) == 0).then(|| "training".to_owned());
    Rule { label, ..rule("some", limit) }
}

#[test]
fn whatever_the_rules_nothing_is_offered_that_they_refuse() {
    let mut dice = Dice(0x2545_f491_4f6c_dd1d);
    let zone = ZoneTable::utc();
    let (mut offered, mut cut) = (0, 0);
    for _ in 0..3000 {
        let mut train = host("train", &[T4; 4], Wires::Pairs(4));
        train.labels = vec!["training".to_owned()];
        let holds = (0..dice.roll(8)).map(|_| {
            let (start, length) = (dice.between(0, 20) * 30, dice.between(1, 8) * 30);
            hold(["train", "plain"][dice.roll(2) as usize], dice.roll(4) as u32, start, start + length)
        });
        let park = park(vec![train, host("plain", &[RTX3090; 4], Wires::Pairs(4))], holds.collect());
        let rules: Vec<Rule> = (0..=dice.roll(3)).map(|_| any_rule(&mut dice)).collect();
        let standing = having(
            (0..dice.roll(4))
                .map(|index| {
                    let (start, length) = (dice.between(-4, 16) * 30, dice.between(1, 8) * 30);
                    let labels = if dice.roll(2) == 0 { vec!["training".to_owned()] } else { Vec::new() };
                    Held { labels, ..held("other", index as u32, start, start + length) }
                })
                .collect(),
        );
        let (start, length) = (dice.between(0, 20) * 30, dice.between(1, 12) * 30);
        let when = if dice.roll(2) == 0 {
            then(start, start + length)
        } else {
            earliest(u32::try_from(length).expect("positive"), start, 20_000)
        };
        let wish = want(1 + dice.roll(3) as u32, Link::Any, when);
        let clocks = Clocks::of(&zone, NOW);
        let keeps = |one: &Suggestion| {
            let cards = one.cards.iter().map(|card| Held {
                reservation: None,
                labels: if card.host == "train" { vec!["training".to_owned()] } else { Vec::new() },
                window: one.window,
                ..held(&card.host, card.number.index, 0, 1)
            });
            let claim = Claim { window: one.window, cards: cards.collect() };
            judge(&rules, &standing, &Asked { claim, was: None }, &clocks).is_fine()
        };
        let free = |one: &Suggestion| {
            let all: Vec<CardUuid> = one.cards.iter().map(|card| card.uuid.clone()).collect();
            all.iter().all(|card| domain::finder::has_room(&park, card, None, &one.window))
        };
        let found = search(&park, &wish, &rules, &standing);
        for one in &found.suggestions {
            assert!(keeps(one) && free(one), "{one:?} of {wish:?} by {rules:?} with {standing:?}");
            assert_eq!(one.cards.len(), wish.count as usize);
            assert_eq!(one.by_rule.is_none(), one.window.length() == wish.when.length(), "{one:?} of {wish:?}");
            (offered, cut) = (offered + 1, cut + usize::from(one.by_rule.is_some()));
        }
        // What anybody would be offered and the rules allow, is offered.
        let plain = find(&park, &wish, NOW).suggestions;
        if let Some(first) = plain.first().filter(|first| keeps(first)) {
            let start = found.suggestions.first().map(|one| one.window.start());
            let in_time = start.is_some_and(|start| start <= first.window.start());
            assert!(in_time, "{wish:?} by {rules:?} with {standing:?}: {found:?}");
        }
    }
    assert!(offered > 1000 && cut > 100, "{offered} offered, {cut} of them shorter or longer");
}
