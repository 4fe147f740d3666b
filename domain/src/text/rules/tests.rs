use time::macros::datetime;
use time::{Duration, OffsetDateTime};

use super::*;
use crate::error::Field;
use crate::id::{CardUuid, RuleId};
use crate::rules::{Asked, Claim, Clocks, Held, Rule, judge};
use crate::text::en;
use crate::window::Window;
use crate::zone::samples::berlin;

/// Monday, 11:00 in Berlin.
const NOW: OffsetDateTime = datetime!(2026-11-30 10:00 UTC);

fn rule(name: &str, limit: Limit) -> Rule {
    Rule { id: RuleId(uuid::Uuid::nil()), name: name.to_owned(), group: None, label: None, limit }
}

fn held(card: u32, window: Window) -> Held {
    let card = CardUuid::parse(&format!("GPU-{card}")).expect("valid");
    Held { reservation: None, card, part: Cards::ONE, window, labels: vec!["training".to_owned()] }
}

fn hours(from: i64, to: i64) -> Window {
    Window::new(NOW + Duration::hours(from), NOW + Duration::hours(to)).expect("not empty")
}

/// What a rule says of so many cards at a time, with two others held from 14:00 to 20:00.
fn said(rule: Rule, cards: u32, from: i64, to: i64) -> String {
    let window = hours(from, to);
    let asked = Asked { claim: Claim { window, cards: (0..cards).map(|n| held(n, window)).collect() }, was: None };
    let ask = vec!["Ruth Keller".to_owned()];
    let holds = vec![held(8, hours(3, 9)), held(9, hours(3, 9))];
    let standing = Standing { holds, ask, ..Standing::default() };
    let zone = berlin();
    let judgement = judge(&[rule], &standing, &asked, &Clocks::of(&zone, NOW));
    let when = When::new(&zone, NOW);
    match en().against_rules(&judgement, &standing, &when) {
        Some(refusal) => refusal.message,
        None => judgement.kept.iter().map(|kept| en().kept(kept, &when)).collect::<Vec<_>>().join("; "),
    }
}

fn students() -> Limit {
    let night = WeekSpan { days: vec![1, 2, 3, 4, 5], from: 18 * 60, to: 8 * 60 };
    Limit::Hours { spans: vec![night, WeekSpan { days: vec![7, 6], from: 0, to: 1440 }] }
}

#[test]
fn a_refusal_names_the_rule_and_a_way() {
    let longest = |n: u32| rule("Longest booking", Limit::Longest { minutes: n * 24 * 60 });
    assert_eq!(
        said(longest(7), 1, 0, 8 * 24),
        "8 d is over the limit of 7 d (rule “Longest booking”). Book until 7 Dec 11:00 and extend later, or ask Ruth \
         Keller."
    );
    assert_eq!(
        said(rule("Most cards", Limit::MostCards { cards: 3 }), 2, 0, 24),
        "With the other bookings this makes 4 cards at a time, and 3 are allowed (rule “Most cards”). Take 1 card, book \
         until 14:00, begin at 20:00, or ask Ruth Keller."
    );
    assert_eq!(
        said(Rule { label: Some("training".to_owned()), ..rule("None", Limit::MostCards { cards: 0 }) }, 1, 0, 1),
        "This makes 1 card at a time, and 0 are allowed (rule “None”, for cards labelled training). Ask Ruth Keller."
    );
    assert_eq!(
        said(rule("Hours", Limit::GpuHours { hours: 40, per: Period::Week }), 4, 24, 32),
        "This makes 44 GPU-hours in the week from 30 Nov, and 40 are allowed (rule “Hours”). Take 3 cards, book until \
         Tue 18:00, begin at 7 Dec 00:00, or ask Ruth Keller."
    );
    assert_eq!(
        said(rule("Hours for students", students()), 1, 1, 3),
        "Bookings lie within Mon – Fri 18:00 – 08:00, Sat – Sun all day (rule “Hours for students”). Begin at 18:00, or \
         ask Ruth Keller."
    );
    assert_eq!(
        said(rule("Far", Limit::Far { cards: 1, hours: 24 }), 2, 0, 48),
        "This makes 2 cards at a time after Tue 11:00, and 1 is allowed that far ahead (rule “Far”). Take 1 card, book \
         until Tue 11:00, or ask Ruth Keller."
    );
    assert_eq!(
        said(rule("Soon", Limit::Horizon { minutes: 2880 }), 2, 72, 73),
        "A booking begins at most 2 d ahead (rule “Soon”). Begin by Wed 11:00, or ask Ruth Keller."
    );
    assert_eq!(
        said(rule("Short", Limit::Shortest { minutes: 90 }), 1, 0, 1),
        "1 h is under the least of 1 h 30 m (rule “Short”). Book until 12:30 or later, or ask Ruth Keller."
    );
}

#[test]
fn what_is_kept_says_how_much_of_it() {
    assert_eq!(said(rule("x", Limit::Longest { minutes: 2880 }), 1, 0, 4), "Lasts 4 h of at most 2 d");
    assert_eq!(said(rule("x", Limit::Shortest { minutes: 60 }), 1, 0, 4), "Lasts 4 h, at least 1 h");
    assert_eq!(said(rule("x", Limit::MostCards { cards: 4 }), 2, 0, 4), "4 of at most 4 cards at a time");
    assert_eq!(
        said(rule("x", Limit::Far { cards: 4, hours: 24 }), 8, 0, 4),
        "Over within 24 h, so the limit of 4 cards beyond that does not apply"
    );
    let limit = Limit::GpuHours { hours: 40, per: Period::Month };
    assert_eq!(
        said(Rule { label: Some("training".to_owned()), ..rule("x", limit) }, 1, 24, 28),
        "4 of 40 GPU-hours in the month from 1 Dec (training)"
    );
    assert_eq!(said(rule("x", students()), 1, 7, 8), "Within Mon – Fri 18:00 – 08:00, Sat – Sun all day");
}

#[test]
fn limits_are_sentences() {
    let said = |limit: &Limit| en().limit(limit);
    assert_eq!(said(&Limit::MostCards { cards: 1 }), "One card at a time");
    assert_eq!(
        said(&Limit::Idle { minutes: 60, no_show_minutes: 30, release_after_minutes: None }),
        "A card that is idle for 1 h, or not used for 30 min from the start: its holder is asked. Nothing is given back"
    );
    let days = vec![1, 3, 5, 6];
    assert_eq!(
        said(&Limit::Hours { spans: vec![WeekSpan { days, from: 540, to: 1440 }] }),
        "Bookings lie within Mon, Wed, Fri – Sat 09:00 – 24:00"
    );
}

#[test]
fn parts_are_rounded_up() {
    assert_eq!(cards(Cards::whole(3)), "3");
    assert_eq!(cards(Cards::parts(1, 4)), "0.25");
    assert_eq!(cards(Cards::parts(1, 2).plus(Cards::ONE)), "1.5");
    assert_eq!(cards(Cards::parts(3, 7)), "0.43");
    assert_eq!(cards(Cards::ONE.plus(Cards::parts(1, 64))), "1.02");
    assert_eq!((tenths(405), tenths(400)), ("40.5".to_owned(), "40".to_owned()));
}

#[test]
fn a_refusal_is_about_an_input() {
    let window = hours(0, 4);
    let asked = Asked { claim: Claim { window, cards: vec![held(1, window)] }, was: None };
    let zone = berlin();
    let rules = [rule("x", Limit::MostCards { cards: 0 }), rule("y", Limit::Longest { minutes: 60 })];
    let judgement = judge(&rules, &Standing::default(), &asked, &Clocks::of(&zone, NOW));
    let refusal = en().against_rules(&judgement, &Standing::default(), &When::new(&zone, NOW)).expect("broken");
    assert_eq!((refusal.code, refusal.field), (ErrorCode::AgainstRule, Some(Field::Cards)));
    assert!(refusal.message.contains("“x”") && refusal.message.contains("“y”"), "{}", refusal.message);
    assert!(refusal.message.contains("ask an administrator"), "{}", refusal.message);
}
