//! Conflicts and their ways out on a small host.

use super::*;
use proptest::prelude::*;
use time::Duration;
use time::macros::datetime;

const NOON: OffsetDateTime = datetime!(2026-11-30 12:00 UTC);

fn hours(from: i64, until: i64) -> Window {
    Window::new(NOON + Duration::hours(from), NOON + Duration::hours(until)).expect("not empty")
}

fn uuid(n: u32) -> CardUuid {
    CardUuid::parse(&format!("GPU-{n}")).expect("valid")
}

fn card(n: u32, model: &str, booked: &[(i64, i64)]) -> Known {
    let booked = booked.iter().map(|&(from, until)| Booked {
        holder: "Sofia Marín".to_owned(),
        start: hours(from, until).start().unix_timestamp(),
        end: hours(from, until).end().unix_timestamp(),
        ..Booked::default()
    });
    Known {
        uuid: uuid(n),
        host: "rig".to_owned(),
        number: n.into(),
        model: model.to_owned(),
        memory_mib: None,
        well: true,
        labels: Vec::new(),
        shares: None,
        share_memory_mib: None,
        booked: booked.collect(),
        more: false,
    }
}

fn taken<'a>(known: &'a [Known], cards: &[CardUuid], window: &Window) -> Vec<(&'a Known, Vec<&'a Booked>)> {
    super::taken(known, cards, &BTreeMap::new(), window)
}

fn offers(known: &[Known], cards: &[CardUuid], window: &Window) -> Vec<Offer> {
    super::offers(known, cards, &BTreeMap::new(), window)
}

#[test]
fn shares_are_in_the_way_only_where_too_few_are_left() {
    let mut shared = card(1, "H100", &[(0, 4), (3, 8), (10, 12)]);
    shared.shares = Some(4);
    shared.booked[0].shares = Some(1);
    shared.booked[1].shares = Some(2);
    let blocked = |window: &Window, wanted| shared.in_the_way(window, wanted).len();
    assert_eq!(blocked(&hours(0, 8), Some(1)), 0, "one of four is left while both are there");
    assert_eq!(blocked(&hours(0, 8), Some(2)), 2);
    assert_eq!(blocked(&hours(4, 8), Some(2)), 0, "the first one has gone");
    assert_eq!(blocked(&hours(9, 11), Some(1)), 1, "the whole card is taken");
    assert_eq!(blocked(&hours(0, 2), None), 1, "the whole card is wanted");
    let three = BTreeMap::from([(uuid(1), 3)]);
    assert_eq!(
        super::offers(&[shared], &[uuid(1)], &three, &hours(1, 5)),
        [Offer::Shorter(hours(1, 3)), Offer::Later(hours(12, 16))]
    );
}

#[test]
fn who_is_in_the_way() {
    let known = [card(0, "H100", &[]), card(2, "H100", &[(6, 10), (20, 22)])];
    let found = taken(&known, &[uuid(0), uuid(2)], &hours(2, 7));
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].0.number.index, found[0].1.len(), found[0].1[0].window()), (2, 1, Some(hours(6, 10))));
    assert!(taken(&known, &[uuid(2)], &hours(2, 6)).is_empty(), "back to back is no conflict");
}

#[test]
fn shorter_then_elsewhere_then_later() {
    let known =
        [card(0, "RTX 3090", &[]), card(1, "T1000", &[]), card(2, "RTX 3090", &[(6, 10)]), card(3, "RTX 3090", &[])];
    assert_eq!(
        offers(&known, &[uuid(0), uuid(2)], &hours(2, 7)),
        [Offer::Shorter(hours(2, 6)), Offer::Elsewhere(vec![uuid(0), uuid(3)]), Offer::Later(hours(10, 15))]
    );
}

#[test]
fn nothing_is_offered_that_is_not_known_to_be_free() {
    // Taken from the start on, so not shorter; no other card; and after the last known booking anything may follow.
    let mut crowded = card(2, "RTX 3090", &[(0, 4), (4, 8), (8, 12), (13, 20), (30, 40)]);
    crowded.shorten(4);
    let known = [crowded];
    assert_eq!(offers(&known, &[uuid(2)], &hours(1, 4)), []);
    assert_eq!(offers(&known, &[uuid(2)], &hours(1, 2)), [Offer::Later(hours(12, 13))]);
    assert_eq!(offers(&known, &[uuid(9)], &hours(1, 2)), []);
}

#[test]
fn a_sick_card_is_no_way_out() {
    let sick = Known { well: false, ..card(3, "RTX 3090", &[]) };
    assert_eq!(offers(&[card(2, "RTX 3090", &[(0, 4)]), sick], &[uuid(2)], &hours(1, 2)), [Offer::Later(hours(4, 5))]);
}

proptest! {
    #[test]
    fn every_offer_is_free(
        booked in prop::collection::vec(prop::collection::vec((0i64..40, 1i64..6), 0..6), 1..5),
        from in 0i64..30,
        length in 1i64..8,
        pick in 1usize..4,
    ) {
        let full: Vec<Known> = booked
            .iter()
            .enumerate()
            .map(|(n, starts)| {
                // Lay the bookings one after the other, as on a real card.
                let mut at = 0;
                let spans: Vec<(i64, i64)> = starts
                    .iter()
                    .map(|&(gap, length)| {
                        let start = at + gap % 7;
                        at = start + length;
                        (start, at)
                    })
                    .collect();
                card(u32::try_from(n).expect("few"), "H100", &spans)
            })
            .collect();
        let mut known = full.clone();
        known.iter_mut().for_each(|card| card.shorten(3));
        let picked: Vec<CardUuid> = known.iter().take(pick).map(|card| card.uuid.clone()).collect();
        let window = hours(from, from + length);
        for offer in offers(&known, &picked, &window) {
            match offer {
                Offer::Shorter(other) | Offer::Later(other) => prop_assert!(taken(&full, &picked, &other).is_empty()),
                Offer::Elsewhere(cards) => {
                    prop_assert_eq!(cards.len(), picked.len());
                    prop_assert!(taken(&full, &cards, &window).is_empty());
                }
            }
        }
    }
}
