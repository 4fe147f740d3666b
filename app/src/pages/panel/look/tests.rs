//! The panel in the middle of a Monday, over a small rig.

use super::*;
use domain::draft::offer::Booked;
use domain::rules::Standing;
use time::macros::datetime;

const NOW: OffsetDateTime = datetime!(2026-11-30 12:00 UTC);

fn draft(start: &str, end: &str) -> Draft {
    Draft {
        cards: vec!["GPU-2".to_owned()],
        start: start.to_owned(),
        end: end.to_owned(),
        purpose: "seed 3".to_owned(),
        key: uuid::Uuid::nil().to_string(),
        ..Draft::default()
    }
}

fn known(index: u32, booked: &[(OffsetDateTime, OffsetDateTime)]) -> Known {
    let booked = booked.iter().map(|(start, end)| Booked {
        reservation: Some(domain::id::ReservationId(uuid::Uuid::from_u128(7))),
        holder: "Sofia Marín".to_owned(),
        hue: 330,
        purpose: "Diffusion ablation".to_owned(),
        start: start.unix_timestamp(),
        end: end.unix_timestamp(),
        ..Booked::default()
    });
    Known {
        uuid: CardUuid::parse(&format!("GPU-{index}")).expect("valid"),
        host: "rig-3090".to_owned(),
        number: index.into(),
        model: "RTX 3090".to_owned(),
        memory_mib: Some(24_576),
        well: true,
        labels: Vec::new(),
        shares: None,
        share_memory_mib: None,
        booked: booked.collect(),
        more: false,
    }
}

fn scene(known: Vec<Known>) -> Scene {
    Scene {
        zone: ZoneTable::utc(),
        now: NOW.unix_timestamp(),
        known,
        linked: Vec::new(),
        rules: Vec::new(),
        standing: Standing::default(),
        people: Vec::new(),
        viewer: domain::id::UserId(uuid::Uuid::nil()),
        for_others: false,
    }
}

fn at(draft: &Draft, scene: &Scene, done: bool) -> Look {
    look(draft, &Sight { scene, advice: None, now: NOW, done })
}

#[test]
fn the_button_says_what_will_happen() {
    let look = at(&draft("2026-11-30T14:00", "2026-11-30T18:00"), &scene(vec![known(2, &[])]), false);
    assert_eq!(look.label, "Book 1 card, 14:00 – 18:00 (4 h)");
    assert_eq!((look.minutes, look.utc.as_str(), look.count.as_str()), (Some(240), "14:00 – 18:00 UTC", "1 picked"));
    assert!(look.sendable() && look.conflict.is_none() && look.instead.is_none());
    assert_eq!((look.picked[0].host.as_str(), look.picked[0].title.as_str()), ("rig-3090", "RTX 3090 24 GB"));
}

#[test]
fn a_conflict_names_card_holder_and_time_and_the_button_offers_what_works() {
    let taken = [(datetime!(2026-11-30 18:00 UTC), datetime!(2026-11-30 22:00 UTC))];
    let scene = scene(vec![known(0, &[]), known(2, &taken)]);
    let look = at(&draft("2026-11-30T14:00", "2026-11-30T19:00"), &scene, false);
    let conflict = look.conflict.expect("a conflict");
    assert_eq!(conflict.head, "rig-3090, card 2 is taken from 18:00");
    let who = &conflict.who[0];
    assert_eq!((who.name.as_str(), who.purpose.as_str(), who.hue), ("Sofia Marín", "Diffusion ablation", Some(330)));
    assert_eq!(who.span, "18:00 – 22:00, in the way 18:00 – 19:00 (1 h)");
    let ways: Vec<(&str, &str)> = conflict.ways.iter().map(|way| (way.lead.as_str(), way.rest.as_str())).collect();
    assert_eq!(
        ways,
        [
            ("End at 18:00", "4 h, same cards"),
            ("rig-3090, card 0", "at the same time"),
            ("Start at 22:00", "22:00 – Tue 03:00, same cards")
        ]
    );
    assert_eq!(conflict.ways[0].href, "/book?card=GPU-2&start=2026-11-30T14:00&end=2026-11-30T18:00&purpose=seed%203");
    assert_eq!(look.label, "Book 1 card, 14:00 – 18:00 (4 h)");
    assert_eq!(look.instead.expect("the nearest").end, "2026-11-30T18:00");
    assert!(look.picked[0].chips[0].clash);
}

#[test]
fn what_is_wrong_stands_at_its_field_with_a_way_out() {
    let scene = scene(vec![known(2, &[])]);
    let past = at(&draft("2026-11-30T10:00", "2026-11-30T18:00"), &scene, false);
    assert_eq!(past.wrong(), Some(super::super::fields::START));
    assert_eq!(past.start.way, Some((t().book.start_now.to_owned(), NOW.unix_timestamp())));
    let reversed = at(&draft("2026-11-30T14:00", "2026-11-30T09:00"), &scene, false);
    assert_eq!(reversed.end.error, "Ends before it starts. Meant Tue 09:00?");
    assert_eq!(reversed.end.way.expect("a way").1, datetime!(2026-12-01 09:00 UTC).unix_timestamp());
    assert_eq!(reversed.label, "Book 1 card");
}

#[test]
fn a_form_that_is_being_filled_is_not_scolded() {
    let none = scene(Vec::new());
    let empty = Draft { cards: Vec::new(), ..draft("", "2026-11-30T18:00") };
    assert!(at(&empty, &none, false).sendable());
    assert!(!at(&empty, &none, true).start.error.is_empty());
    let no_cards = Draft { cards: Vec::new(), ..draft("2026-11-30T14:00", "2026-11-30T18:00") };
    assert!(at(&no_cards, &none, false).cards_error.is_empty());
    assert!(!at(&no_cards, &none, true).cards_error.is_empty());
}

#[test]
fn of_repeats_the_days_that_cannot_be_had_are_listed_and_the_others_offered() {
    let taken = [(datetime!(2026-12-02 15:00 UTC), datetime!(2026-12-02 16:00 UTC))];
    let scene = scene(vec![known(2, &taken)]);
    let daily = Draft {
        every: "day".to_owned(),
        until: "2026-12-04".to_owned(),
        ..draft("2026-11-30T14:00", "2026-11-30T18:00")
    };
    let free = at(&daily, &scene, false);
    let series = free.series.expect("repeats");
    assert_eq!(series.said, "5 bookings, the last on Fri 4 Dec");
    assert_eq!(series.clashes, [("Wed 2 Dec".to_owned(), "card 2 on rig-3090 is taken by Sofia Marín".to_owned())]);
    assert_eq!(free.label, "Book 4 of 5, 14:00 – 18:00");
    assert_eq!(free.instead.expect("those that are free").take, "free");
    let all = at(&Draft { take: "all".to_owned(), ..daily.clone() }, &scene, false);
    assert_eq!((all.label.as_str(), all.instead), ("Book all 5 or none, 14:00 – 18:00", None));
    let late = at(&Draft { until: "2026-11-29".to_owned(), ..daily }, &scene, false);
    assert!(!late.repeat_error.is_empty() && late.series.is_none());
}

#[test]
fn links_are_drawn_between_neighbours() {
    let mut scene = scene(vec![known(0, &[]), known(1, &[]), known(2, &[])]);
    let card = |n: u32| CardUuid::parse(&format!("GPU-{n}")).expect("valid");
    scene.linked.push(super::super::scene::Linked { cards: vec![card(0), card(2)], word: "NV4".to_owned() });
    let both =
        Draft { cards: vec!["GPU-0".to_owned(), "GPU-2".to_owned()], ..draft("2026-11-30T14:00", "2026-11-30T18:00") };
    let picked = &at(&both, &scene, false).picked[0];
    assert_eq!(picked.chips[1].wire.as_deref(), Some("NV4"));
    assert_eq!(picked.line, "linked by NVLink (NV4)");
}
