//! The finder: what it promises, case by case; [`brute`] compares it with trying everything.

mod brute;
mod instead;
mod rules;
mod world;

use domain::finder::park::{Card, Today};
use domain::finder::{Found, Lack, Link, Park, Part, Reason, Suggestion, Want, find};
use domain::id::CardUuid;
use domain::trouble::Trouble;

use world::{A100, H100, NOW, RTX3090, T4, Wires, at, busy_park, earliest, hold, host, park, then, uuid, want, window};

fn search(park: &Park, want: &Want) -> Found {
    find(park, want, NOW)
}

/// Host and numbers of a suggestion: `rig 0 2`.
fn words(found: &Suggestion) -> String {
    let numbers = found.cards.iter().map(|card| format!(" {}", card.number)).collect::<String>();
    format!("{}{numbers}", found.cards.first().map_or("", |card| card.host.as_str()))
}

fn first(park: &Park, want: &Want) -> String {
    search(park, want).suggestions.first().map_or_else(|| "nothing".to_owned(), words)
}

#[test]
fn the_smallest_pair_that_fits_comes_first_and_the_fastest_beside_it() {
    let hosts = vec![
        host("dgx", &[H100; 8], Wires::Switched),
        host("rig", &[RTX3090; 4], Wires::Crossed(4)),
        host("ws", &[RTX3090; 2], Wires::Node),
    ];
    let park = park(hosts, vec![hold("dgx", 0, 0, 60), hold("rig", 0, 480, 600)]);
    let found = search(&park, &want(2, Link::NvLink, then(0, 240)));
    let said: Vec<_> = found.suggestions.iter().map(|one| (one.reason, words(one), one.link.clone())).collect();
    assert_eq!(
        said,
        [
            (Reason::BestFit, "rig 0 2".to_owned(), Some("NV4".to_owned())),
            (Reason::Fastest, "dgx 1 2".to_owned(), Some("NV18".to_owned())),
        ],
        "the gap before the booking of card 0 is the smaller one"
    );
    assert_eq!(found.suggestions[0].free_until, Some(at(480)));
    assert_eq!(found.suggestions[1].free_until, None);
    assert_eq!((found.fitting, found.free, found.lack), (14, 13, None));
}

#[test]
fn linked_pairs_come_before_others_even_where_no_link_is_asked_for() {
    let park = park(vec![host("rig", &[RTX3090; 4], Wires::Pairs(4))], vec![hold("rig", 0, 0, 600)]);
    assert_eq!(first(&park, &want(2, Link::Any, then(0, 60))), "rig 2 3");
    let switched = world::park(vec![host("box", &[T4; 4], Wires::Switches)], vec![hold("box", 0, 0, 600)]);
    assert_eq!(first(&switched, &want(2, Link::Any, then(0, 60))), "box 2 3");
}

#[test]
fn one_card_breaks_no_pair_where_a_single_one_is_left() {
    let hosts = || vec![host("rig", &[RTX3090; 4], Wires::Pairs(4))];
    let park = park(hosts(), vec![hold("rig", 2, 0, 600)]);
    assert_eq!(first(&park, &want(1, Link::Any, then(0, 60))), "rig 3");
    // Of two hosts with a switch, the one that is broken into already.
    let hosts = vec![host("a", &[H100; 8], Wires::Switched), host("b", &[H100; 8], Wires::Switched)];
    let park = world::park(hosts, (0..3).map(|card| hold("b", card, 0, 600)).collect());
    assert_eq!(first(&park, &want(1, Link::Any, then(0, 60))), "b 3");
    assert_eq!(first(&park, &want(2, Link::NvLink, then(0, 60))), "b 3 4");
    // Five are left on b: taking four of them leaves one, taking four of eight leaves four; six are on a alone.
    assert_eq!(first(&park, &want(4, Link::NvLink, then(0, 60))), "b 3 4 5 6");
    assert_eq!(first(&park, &want(6, Link::NvLink, then(0, 60))), "a 0 1 2 3 4 5");
}

#[test]
fn small_gaps_are_filled_first_then_quiet_cards_taken() {
    let hosts = || vec![host("box", &[T4; 3], Wires::Unknown)];
    let fits = park(hosts(), vec![hold("box", 1, 60, 600), hold("box", 2, 90, 600)]);
    assert_eq!(first(&fits, &want(1, Link::Any, then(0, 60))), "box 1");
    assert_eq!(first(&fits, &want(1, Link::Any, then(0, 61))), "box 2");
    let load = [(uuid("box", 0), 80), (uuid("box", 1), 0), (uuid("box", 2), 40)];
    let quiet = busy_park(hosts(), Vec::new(), &[], &load);
    assert_eq!(first(&quiet, &want(1, Link::Any, then(0, 60))), "box 1");
}

#[test]
fn a_card_that_somebody_uses_without_a_booking_is_not_offered_for_an_hour() {
    let hosts = || vec![host("box", &[T4; 1], Wires::Unknown)];
    let park = busy_park(hosts(), Vec::new(), &[uuid("box", 0)], &[]);
    let found = search(&park, &want(1, Link::Any, then(0, 30)));
    assert_eq!(found.lack, Some(Lack::Taken));
    assert_eq!(found.suggestions[0].window, window(60, 90));
    assert_eq!(search(&park, &want(1, Link::Any, then(60, 90))).suggestions[0].reason, Reason::BestFit);
}

#[test]
fn what_is_asked_for_is_what_is_found() {
    let mut labelled = host("lab", &[A100, T4], Wires::Unknown);
    labelled.labels.push("training".to_owned());
    labelled.cards[1].labels.push("interactive".to_owned());
    let park = park(vec![host("box", &[T4, RTX3090], Wires::Unknown), labelled], Vec::new());
    let any = want(1, Link::Any, then(0, 60));
    let model = |model: &str| Want { model: Some(model.to_owned()), ..any.clone() };
    let labels = |labels: &[&str]| Want { labels: labels.iter().map(|&one| one.to_owned()).collect(), ..any.clone() };
    assert_eq!(first(&park, &any), "box 0");
    assert_eq!(first(&park, &model(RTX3090.0)), "box 1");
    assert_eq!(first(&park, &Want { memory_mib: Some(40 * 1024), ..any.clone() }), "lab 0");
    assert_eq!(first(&park, &Want { architecture: Some("Hopper".to_owned()), ..any.clone() }), "lab 0");
    assert_eq!(first(&park, &Want { hosts: vec!["lab".to_owned()], ..any.clone() }), "lab 1");
    assert_eq!(first(&park, &labels(&["training"])), "lab 1", "a host's labels are its cards'");
    assert_eq!(first(&park, &labels(&["training", "interactive"])), "lab 1");
    assert_eq!(first(&park, &labels(&["inference"])), "nothing");
}

#[test]
fn several_hosts_only_where_one_is_not_enough() {
    let hosts = || vec![host("a", &[H100; 4], Wires::Switched), host("b", &[H100; 2], Wires::Switched)];
    let spread = |count| Want { spread: true, ..want(count, Link::Any, then(0, 60)) };
    let park = park(hosts(), Vec::new());
    assert_eq!(first(&park, &spread(2)), "b 0 1");
    let six = search(&park, &spread(6)).suggestions.remove(0);
    assert_eq!((six.cards.len(), six.link), (6, None));
    let five = search(&park, &spread(5)).suggestions.remove(0);
    assert_eq!(five.cards.iter().filter(|card| card.host == "a").count(), 4);
    assert_eq!(search(&park, &spread(7)).lack, Some(Lack::TooFew { most: 6 }));
    let linked = Want { link: Link::NvLink, ..spread(6) };
    assert_eq!(search(&park, &linked).lack, Some(Lack::TooFew { most: 4 }), "links end at the host");
}

#[test]
fn why_there_is_nothing() {
    let lack = |park: &Park, want: Want| search(park, &want).lack;
    let any = |count, link| want(count, link, then(0, 60));
    let empty = park(Vec::new(), Vec::new());
    assert_eq!(lack(&empty, any(1, Link::Any)), Some(Lack::NoCards));
    let rig = park(vec![host("rig", &[RTX3090; 4], Wires::Pairs(4))], vec![hold("rig", 1, 0, 120)]);
    let none = |drop: &[Part]| Some(Lack::NoneFits { drop: drop.to_vec() });
    let big = Want { memory_mib: Some(90 * 1024), ..any(1, Link::Any) };
    assert_eq!(lack(&rig, big.clone()), none(&[Part::Memory]));
    assert_eq!(lack(&rig, Want { hosts: vec!["x".to_owned()], ..big }), none(&[]));
    assert_eq!(lack(&rig, any(5, Link::Any)), Some(Lack::TooFew { most: 4 }));
    assert_eq!(lack(&rig, any(3, Link::NvLink)), Some(Lack::NotLinked { most: 2 }));
    assert_eq!(lack(&rig, any(4, Link::Any)), Some(Lack::Taken));
    assert_eq!(lack(&rig, any(2, Link::NvLink)), None);
}

#[test]
fn joined_cards_need_not_all_be_neighbours_but_their_links_must_be_their_own() {
    let row = |holds| park(vec![host("row", &[T4; 4], Wires::Row)], holds);
    assert_eq!(first(&row(Vec::new()), &want(4, Link::NvLink, then(0, 60))), "row 0 1 2 3");
    assert_eq!(first(&row(vec![hold("row", 1, 0, 60)]), &want(2, Link::NvLink, then(0, 60))), "row 2 3");
    let broken = search(&row(vec![hold("row", 1, 0, 60)]), &want(3, Link::NvLink, then(0, 60)));
    assert_eq!((broken.lack, broken.suggestions[0].window), (Some(Lack::Taken), window(60, 120)));
}

#[test]
fn nodes_and_switches_are_kept_together() {
    let park = park(vec![host("box", &[T4; 8], Wires::Switches)], vec![hold("box", 0, 0, 60), hold("box", 5, 0, 60)]);
    assert_eq!(first(&park, &want(2, Link::Switch, then(0, 60))), "box 2 3");
    let node = search(&park, &want(3, Link::Node, then(0, 60)));
    let numbers: Vec<u32> = node.suggestions[0].cards.iter().map(|card| card.number.index).collect();
    assert!(numbers.iter().all(|card| *card < 4) || numbers.iter().all(|card| *card >= 4), "{numbers:?}");
    assert_eq!(search(&park, &want(3, Link::Switch, then(0, 60))).lack, Some(Lack::NotLinked { most: 2 }));
    assert_eq!(search(&park, &want(5, Link::Node, then(0, 60))).lack, Some(Lack::NotLinked { most: 4 }));
}

#[test]
fn earliest_is_the_first_time_and_faster_ones_later_are_said() {
    let hosts = || vec![host("a", &[T4; 2], Wires::Unknown), host("dgx", &[H100; 2], Wires::Switched)];
    let holds = || vec![hold("a", 0, 0, 100), hold("a", 1, 50, 150), hold("dgx", 0, 0, 300)];
    let park = park(hosts(), holds());
    let found = search(&park, &want(2, Link::Any, earliest(60, 0, 2000)));
    let said: Vec<_> = found.suggestions.iter().map(|one| (one.reason, words(one), one.window)).collect();
    assert_eq!(
        said,
        [
            (Reason::Later, "a 0 1".to_owned(), window(150, 210)),
            (Reason::Later, "dgx 0 1".to_owned(), window(300, 360)),
        ]
    );
    assert_eq!(search(&park, &want(2, Link::Any, earliest(60, 0, 200))).lack, Some(Lack::Taken));
    let now = search(&park, &want(1, Link::Any, earliest(50, 0, 2000)));
    assert_eq!((now.suggestions[0].reason, now.suggestions[0].window), (Reason::BestFit, window(0, 50)));
}

#[test]
fn what_cannot_be_booked_is_never_found() {
    let mut sick = host("box", &[T4; 3], Wires::Unknown);
    sick.cards[0].not_bookable = Some("for the display".to_owned());
    let stock = std::sync::Arc::new(domain::finder::park::Stock::new(
        vec![sick],
        Vec::new(),
        vec![world::works(&[uuid("box", 2)], 30, 90)],
    ));
    let look = |card: &Card| Today { trouble: (card.number.index == 1).then_some(Trouble::Gone), ..Today::default() };
    let park = Park::new(stock, NOW, look);
    assert_eq!(first(&park, &want(1, Link::Any, then(0, 30))), "box 2");
    let found = search(&park, &want(1, Link::Any, then(0, 31)));
    assert_eq!((found.lack, found.suggestions[0].window), (Some(Lack::Taken), window(90, 121)));
    let why = |index, start, end| park.closed(&uuid("box", index), None, &window(start, end)).len();
    assert_eq!([why(0, 0, 30), why(1, 0, 30), why(2, 0, 30), why(2, 0, 31), why(9, 0, 30)], [1, 1, 0, 1, 1]);
}

#[test]
fn an_instance_serves_one_card_and_never_several() {
    let mut cut = host("mig", &[A100; 1], Wires::Unknown);
    cut.cards[0].condition.mig_on = true;
    for slice in 0..3 {
        cut.cards.push(Card {
            uuid: CardUuid::parse(&format!("MIG-{slice}")).expect("valid"),
            slice: Some(slice),
            number: domain::card::CardNumber { index: 0, instance: Some(slice) },
            model: "MIG 2g.20gb".to_owned(),
            memory_mib: Some(20 * 1024),
            ..world::card("mig", 0, A100)
        });
    }
    let held = domain::finder::park::Hold { gpu: uuid("mig", 0), ..world::share("mig", 0, 1, 0, 60) };
    let park = park(vec![cut], vec![held]);
    assert_eq!(first(&park, &want(1, Link::NvLink, then(0, 60))), "mig 0:0", "one card needs no link");
    assert_eq!(search(&park, &want(1, Link::Any, then(0, 60))).free, 2);
    assert_eq!(first(&park, &want(2, Link::Any, then(0, 60))), "nothing");
}

#[test]
fn cards_that_are_open_for_shares_are_taken_whole_only_at_last() {
    let mut open = host("box", &[T4; 2], Wires::Unknown);
    open.cards[0].shares = Some(4);
    let park = park(vec![open.clone()], Vec::new());
    assert_eq!(first(&park, &want(1, Link::Any, then(0, 60))), "box 1");
    let shared = world::park(vec![open], vec![world::share("box", 0, 0, 0, 30), hold("box", 1, 0, 60)]);
    assert_eq!(search(&shared, &want(1, Link::Any, then(0, 60))).lack, Some(Lack::Taken));
}
