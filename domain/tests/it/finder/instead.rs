//! Ways out of a conflict.

use std::collections::BTreeMap;

use domain::finder::{ClosedWhy, Park, Reason, alternatives};
use domain::id::CardUuid;
use domain::window::Window;

use super::words;
use super::world::{A100, H100, NOW, RTX3090, T4, Wires, hold, host, park, share, uuid, window};

type Said = Vec<(Reason, String, Window)>;

fn ways(park: &Park, cards: &[CardUuid], shares: &[(CardUuid, u32)], wanted: Window) -> Said {
    let shares: BTreeMap<_, _> = shares.iter().cloned().collect();
    let found = alternatives(park, cards, &shares, &wanted, NOW);
    found.iter().map(|one| (one.reason, words(one), one.window)).collect()
}

#[test]
fn shorter_elsewhere_later_in_this_order() {
    let hosts = vec![host("dgx", &[H100; 4], Wires::Switched), host("old", &[A100; 4], Wires::Switched)];
    let park = park(hosts, vec![hold("dgx", 1, 60, 180), hold("dgx", 0, 200, 260)]);
    let said = ways(&park, &[uuid("dgx", 0), uuid("dgx", 1)], &[], window(0, 120));
    assert_eq!(
        said,
        [
            (Reason::Shorter, "dgx 0 1".to_owned(), window(0, 60)),
            (Reason::Elsewhere, "dgx 0 2".to_owned(), window(0, 120)),
            (Reason::SameLater, "dgx 0 1".to_owned(), window(260, 380)),
        ]
    );
}

#[test]
fn nothing_in_the_way_is_no_reason_to_offer_anything() {
    let park = park(vec![host("a", &[T4; 2], Wires::Unknown)], vec![hold("a", 0, 60, 90)]);
    assert_eq!(ways(&park, &[uuid("a", 0)], &[], window(0, 60)), []);
    assert_eq!(ways(&park, &[], &[], window(0, 60)), []);
    assert_eq!(ways(&park, &[uuid("a", 9)], &[], window(0, 60)), []);
}

#[test]
fn too_short_is_not_offered() {
    let park = park(vec![host("a", &[T4; 1], Wires::Unknown)], vec![hold("a", 0, 4, 90)]);
    assert_eq!(
        ways(&park, &[uuid("a", 0)], &[], window(0, 60)),
        [(Reason::SameLater, "a 0".to_owned(), window(90, 150))]
    );
}

#[test]
fn equal_cards_are_of_the_same_model_and_linked_no_worse() {
    let pairs = |name| host(name, &[RTX3090; 4], Wires::Pairs(4));
    let taken = vec![hold("a", 1, 0, 60), hold("a", 3, 0, 60)];
    let elsewhere = |hosts, taken: &[_]| {
        let park = park(hosts, taken.to_vec());
        let said = ways(&park, &[uuid("a", 0), uuid("a", 1)], &[], window(0, 60));
        said.into_iter().find(|(reason, ..)| *reason == Reason::Elsewhere).map(|(_, words, _)| words)
    };
    // The two that are free on the same host are not linked.
    assert_eq!(elsewhere(vec![pairs("a"), pairs("b")], &taken).as_deref(), Some("b 0 1"));
    assert_eq!(elsewhere(vec![pairs("a"), host("b", &[H100; 8], Wires::Switched)], &taken), None);
    assert_eq!(elsewhere(vec![pairs("a"), host("b", &[RTX3090; 2], Wires::Pairs(3))], &taken), None);
    assert_eq!(
        elsewhere(vec![pairs("a"), host("b", &[RTX3090; 2], Wires::Pairs(5))], &taken).as_deref(),
        Some("b 0 1")
    );
}

#[test]
fn each_host_of_a_wish_is_replaced_for_itself() {
    let hosts = ["a", "b", "c"].map(|name| host(name, &[T4; 2], Wires::Node)).to_vec();
    let park = park(hosts, vec![hold("b", 0, 0, 60), hold("b", 1, 0, 60)]);
    let cards = [uuid("a", 0), uuid("a", 1), uuid("b", 0)];
    let shares = BTreeMap::new();
    let found = alternatives(&park, &cards, &shares, &window(0, 60), NOW);
    let other = found.iter().find(|one| one.reason == Reason::Elsewhere).expect("offered");
    let cards: Vec<_> = other.cards.iter().map(|card| (card.host.as_str(), card.number.index)).collect();
    assert_eq!(cards, [("a", 0), ("a", 1), ("c", 0)]);
}

#[test]
fn shares_are_counted_and_wholes_keep_out_of_them() {
    let open = |name: &str| {
        let mut open = host(name, &[T4; 1], Wires::Unknown);
        open.cards[0].shares = Some(4);
        open.cards[0].share_memory_mib = Some(4096);
        open
    };
    let holds = vec![share("a", 0, 0, 0, 90), share("a", 0, 1, 30, 120), hold("a", 0, 300, 400)];
    let park = park(vec![open("a"), open("b")], holds);
    let it = uuid("a", 0);
    let closed = |shares, end| park.closed(&it, Some(shares), &window(0, end));
    assert!(closed(2, 60).is_empty());
    assert_eq!(closed(3, 60)[0].why, ClosedWhy::Shares { free: 2, of: Some(4) });
    assert_eq!(closed(1, 301)[0].why, ClosedWhy::Shares { free: 0, of: Some(4) });
    assert_eq!(ways(&park, std::slice::from_ref(&it), &[(it.clone(), 2)], window(0, 60)), []);
    let said = ways(&park, std::slice::from_ref(&it), &[(it.clone(), 3)], window(0, 60));
    assert_eq!(
        said,
        [
            (Reason::Shorter, "a 0".to_owned(), window(0, 30)),
            (Reason::Elsewhere, "b 0".to_owned(), window(0, 60)),
            (Reason::SameLater, "a 0".to_owned(), window(90, 150)),
        ]
    );
    let shares = BTreeMap::from([(it.clone(), 3)]);
    let found = alternatives(&park, &[it], &shares, &window(0, 60), NOW);
    assert!(found.iter().all(|one| one.cards[0].shares == Some(3)));
    assert_eq!(found[0].free_until, Some(super::at(30)));
}

#[test]
fn an_edited_booking_is_not_in_its_own_way() {
    let own = hold("a", 0, 0, 60);
    let park = park(vec![host("a", &[T4; 1], Wires::Unknown)], vec![own.clone(), hold("a", 0, 90, 120)]);
    assert!(!ways(&park, &[uuid("a", 0)], &[], window(0, 80)).is_empty());
    let park = park.without(own.reservation);
    assert_eq!(ways(&park, &[uuid("a", 0)], &[], window(0, 80)), []);
    assert_eq!(
        ways(&park, &[uuid("a", 0)], &[], window(0, 100))[0],
        (Reason::Shorter, "a 0".to_owned(), window(0, 90))
    );
}
