use proptest::prelude::*;
use time::macros::datetime;
use uuid::Uuid;

use super::*;
use crate::card::{CardDetail, CardFacts, CardSample, MigPart};
use crate::id::ReservationId;
use crate::reading::Reading;
use crate::window::Window;
use crate::wire::agent_v1::{Account, TableBooking};

const NOON: OffsetDateTime = datetime!(2026-11-30 12:00 UTC);
const ADA: u128 = 1;
const JONAS: u128 = 2;
const RUTH: u128 = 3;

fn uuid(n: u32) -> CardUuid {
    CardUuid::parse(&format!("GPU-{n}abcdef0-0000-0000-0000-00000000000{n}")).expect("valid")
}

fn card(n: u32) -> HostCard {
    let name = CardName { uuid: uuid(n), index: Some(n), instance: None, model: "H100".to_owned() };
    HostCard { name, present: true, parent: None, split: false }
}

fn person(n: u128) -> UserId {
    UserId(Uuid::from_u128(n))
}

fn at(minute: i64) -> OffsetDateTime {
    NOON + Duration::minutes(minute)
}

fn booking(id: u128, who: u128, cards: &[u32], start: i64, end: i64) -> TableBooking {
    TableBooking {
        id: ReservationId(Uuid::from_u128(id)),
        person: person(who),
        holder: format!("Person {who}"),
        cards: cards.iter().map(|n| uuid(*n)).collect(),
        window: Window::new(at(start), at(end)).expect("not empty"),
        co_users: Vec::new(),
    }
}

fn account(os_user: &str, who: u128) -> Account {
    Account { os_user: os_user.to_owned(), person: person(who), name: format!("Person {who}") }
}

fn table(bookings: Vec<TableBooking>) -> HostTable {
    HostTable {
        made_at: NOON,
        host_name: "dgx".to_owned(),
        portal_url: "https://berth.example.org".to_owned(),
        accounts: vec![account("ada", ADA), account("jonas", JONAS), account("lab", ADA), account("lab", RUTH)],
        bookings,
        waiting: Vec::new(),
        notices: Vec::new(),
    }
}

struct Stage {
    table: Option<HostTable>,
    cards: Vec<HostCard>,
    users: Vec<CardUser>,
    kept: Vec<ReservationId>,
    age: Duration,
}

impl Stage {
    fn new(bookings: Vec<TableBooking>) -> Self {
        Self {
            table: Some(table(bookings)),
            cards: (0..4).map(card).collect(),
            users: Vec::new(),
            kept: Vec::new(),
            age: Duration::seconds(2),
        }
    }

    fn scene<'a>(&'a self, os_user: &'a str, minute: i64) -> Scene<'a> {
        Scene {
            table: self.table.as_ref(),
            table_age: self.age,
            max_age: TABLE_MAX_AGE,
            cards: &self.cards,
            users: &self.users,
            kept: &self.kept,
            os_user,
            now: at(minute),
        }
    }

    fn ask(&self, os_user: &str, minute: i64, asked: &[&str]) -> Answer {
        let cards = asked.iter().map(|text| (*text).to_owned()).collect();
        decide(&self.scene(os_user, minute), &LaunchAsk { cards, ..LaunchAsk::default() })
    }

    fn granted(&self, os_user: &str, minute: i64, asked: &[&str]) -> Grant {
        match self.ask(os_user, minute, asked) {
            Answer::Granted(grant) => grant,
            other => panic!("not granted: {other:?}"),
        }
    }

    fn refused(&self, os_user: &str, minute: i64, asked: &[&str]) -> Refusal {
        match self.ask(os_user, minute, asked) {
            Answer::Refused(refusal) => refusal,
            other => panic!("not refused: {other:?}"),
        }
    }
}

fn indices(cards: &[CardName]) -> Vec<u32> {
    cards.iter().filter_map(|card| card.index).collect()
}

#[test]
fn the_first_instant_belongs_to_a_booking_and_the_end_does_not() {
    let stage = Stage::new(vec![booking(9, ADA, &[0], 0, 60)]);
    let second = Duration::nanoseconds(1);
    let at_instant = |now| decide(&Scene { now, ..stage.scene("ada", 0) }, &LaunchAsk::default());
    assert!(matches!(at_instant(at(0) - second), Answer::Refused(Refusal { why: Why::NoReservation { .. }, .. })));
    assert!(matches!(at_instant(at(0)), Answer::Granted(_)));
    assert!(matches!(at_instant(at(60) - second), Answer::Granted(_)));
    assert!(matches!(at_instant(at(60)), Answer::Refused(Refusal { why: Why::NoReservation { next: None }, .. })));
}

#[test]
fn without_cards_all_own_ones_in_index_order() {
    let stage =
        Stage::new(vec![booking(3, ADA, &[3], 0, 60), booking(2, JONAS, &[1], 0, 60), booking(3, ADA, &[0], 0, 30)]);
    let grant = stage.granted("ada", 5, &[]);
    assert_eq!(indices(&grant.cards), [0, 3]);
    assert_eq!((grant.until, grant.reservation), (at(30), ReservationId(Uuid::from_u128(3))));
    assert_eq!(grant.table_age_s, 2);
}

#[test]
fn with_cards_exactly_those_in_the_order_asked_for() {
    let stage = Stage::new(vec![booking(1, ADA, &[0, 1, 2, 3], 0, 60)]);
    assert_eq!(indices(&stage.granted("ada", 0, &["3", "0"]).cards), [3, 0]);
    let whole = uuid(2);
    assert_eq!(indices(&stage.granted("ada", 0, &[whole.as_str(), " GPU-1abc"]).cards), [2, 1]);
    assert_eq!(indices(&stage.granted("ada", 0, &["gpu-1ABC"]).cards), [1]);
}

#[test]
fn cards_of_others_are_named_with_holder_and_end() {
    let stage =
        Stage::new(vec![booking(1, JONAS, &[1], 0, 60), booking(2, JONAS, &[1], 60, 90), booking(3, ADA, &[0], 0, 60)]);
    let refusal = stage.refused("ada", 10, &["0", "1", "2"]);
    let Why::HeldByOthers { cards } = &refusal.why else { panic!("{:?}", refusal.why) };
    assert_eq!(cards.len(), 1);
    assert_eq!((cards[0].holder.as_str(), cards[0].own, cards[0].window.end()), ("Person 2", false, at(90)));
    assert_eq!(
        refusal.held.iter().map(|held| (held.card.index, held.own)).collect::<Vec<_>>(),
        [(Some(0), true), (Some(1), false)]
    );
    assert_eq!(refusal.free.iter().filter_map(|free| free.card.index).collect::<Vec<_>>(), [2, 3]);
}

#[test]
fn nobodys_cards_must_be_booked_first() {
    let stage = Stage::new(vec![booking(3, ADA, &[0], 0, 60), booking(4, JONAS, &[2], 30, 60)]);
    let refusal = stage.refused("ada", 10, &["0", "2"]);
    let Why::NotReserved { cards } = &refusal.why else { panic!("{:?}", refusal.why) };
    assert_eq!(indices(cards), [2]);
    assert_eq!(refusal.free.iter().map(|free| free.until).collect::<Vec<_>>(), [None, Some(at(30)), None]);
}

#[test]
fn a_shared_account_has_the_rights_of_all_its_people() {
    let stage =
        Stage::new(vec![booking(1, ADA, &[0], 0, 60), booking(2, RUTH, &[2], 0, 45), booking(3, JONAS, &[1], 0, 60)]);
    let grant = stage.granted("lab", 0, &["0", "2"]);
    assert_eq!((indices(&grant.cards), grant.until), (vec![0, 2], at(45)));
    assert_eq!(indices(&stage.granted("ada", 0, &[]).cards), [0]);
    assert!(matches!(stage.refused("ada", 0, &["2"]).why, Why::HeldByOthers { .. }));
}

#[test]
fn back_to_back_bookings_of_one_person_count_as_one() {
    let stage =
        Stage::new(vec![booking(1, ADA, &[0], 0, 60), booking(2, ADA, &[0], 60, 120), booking(3, ADA, &[0], 121, 180)]);
    assert_eq!(stage.granted("ada", 10, &[]).until, at(120));
    assert_eq!(status(&stage.scene("ada", 10)).held.len(), 2);
}

#[test]
fn the_next_booking_of_the_caller_is_told() {
    let stage =
        Stage::new(vec![booking(1, JONAS, &[0], 0, 30), booking(2, ADA, &[1], 90, 120), booking(3, ADA, &[0], 60, 90)]);
    assert_eq!(stage.refused("ada", 0, &[]).why, Why::NoReservation { next: Some(at(60)) });
}

#[test]
fn text_that_names_no_single_card() {
    let stage = Stage::new(vec![booking(1, ADA, &[0, 1, 2, 3], 0, 60)]);
    for asked in ["4", "-1", "+1", "", " ", "GPU-", "GPU", "GPU-7", "0abcdef0", "4294967296", "MIG-1", "é", "0,1"] {
        assert_eq!(stage.refused("ada", 0, &[asked]).why, Why::UnknownCard { asked: asked.to_owned() }, "{asked}");
    }
    let mut twins = Stage::new(vec![booking(1, ADA, &[0], 0, 60)]);
    twins.cards[1].name.uuid = CardUuid::parse("GPU-0abcdeff").expect("valid");
    assert!(matches!(twins.refused("ada", 0, &["GPU-0abcdef"]).why, Why::UnknownCard { .. }));
    assert_eq!(indices(&twins.granted("ada", 0, &["GPU-0abcdef0"]).cards), [0]);
}

#[test]
fn a_uuid_that_begins_another_is_still_itself() {
    let mut stage = Stage::new(vec![]);
    let (short, long) = (CardUuid::parse("GPU-aa").expect("valid"), CardUuid::parse("GPU-aabb").expect("valid"));
    (stage.cards[0].name.uuid, stage.cards[1].name.uuid) = (short.clone(), long);
    let mut own = booking(1, ADA, &[], 0, 60);
    own.cards = vec![short];
    stage.table = Some(table(vec![own]));
    assert_eq!(indices(&stage.granted("ada", 0, &["GPU-aa"]).cards), [0]);
}

#[test]
fn the_same_card_twice_is_refused_however_it_is_written() {
    let stage = Stage::new(vec![booking(1, ADA, &[0, 1], 0, 60)]);
    assert_eq!(stage.refused("ada", 0, &["1", "0", "GPU-1a"]).why, Why::AskedTwice { card: card(1).name });
}

#[test]
fn a_card_that_the_host_no_longer_reports_is_named_but_not_granted() {
    let mut stage = Stage::new(vec![booking(1, ADA, &[0, 2], 0, 60)]);
    stage.cards.remove(2);
    let grant = stage.granted("ada", 0, &[]);
    assert_eq!(indices(&grant.cards), [0]);
    assert_eq!(grant.missing, [CardName { uuid: uuid(2), index: None, instance: None, model: String::new() }]);
    assert!(matches!(stage.refused("ada", 0, &[uuid(2).as_str()]).why, Why::NotReported { .. }));
    stage.cards[0].present = false;
    assert!(matches!(stage.refused("ada", 0, &[]).why, Why::NotReported { cards } if cards.len() == 2));
    assert!(stage.refused("ada", 0, &["0"]).free.iter().all(|free| free.card.index != Some(0)));
}

#[test]
fn unknown_accounts_learn_what_is_free() {
    let stage = Stage::new(vec![booking(1, JONAS, &[0], 0, 60)]);
    let refusal = stage.refused("mallory", 0, &[]);
    assert_eq!(refusal.why, Why::UnknownAccount { os_user: "mallory".to_owned() });
    assert_eq!((refusal.held.len(), refusal.free.len()), (1, 3));
    assert_eq!(stage.refused("ADA", 0, &[]).why, Why::UnknownAccount { os_user: "ADA".to_owned() });
}

#[test]
fn without_a_table_nothing_starts() {
    let stage = Stage { table: None, ..Stage::new(vec![]) };
    let refusal = stage.refused("ada", 0, &[]);
    assert_eq!((refusal.why, refusal.table_age_s, refusal.host_name.as_str()), (Why::NoTable, None, ""));
    assert_eq!(status(&stage.scene("ada", 0)).table_age_s, None);
}

#[test]
fn a_table_counts_up_to_its_limit() {
    let mut stage = Stage::new(vec![booking(1, ADA, &[0], 0, 60)]);
    stage.age = TABLE_MAX_AGE;
    assert_eq!(stage.granted("ada", 0, &[]).table_age_s, 12 * 3600);
    stage.age += Duration::nanoseconds(1);
    assert_eq!(stage.refused("ada", 0, &[]).why, Why::TableTooOld { limit_s: 12 * 3600 });
}

#[test]
fn status_lists_later_bookings_and_says_whose_the_account_is() {
    let stage =
        Stage::new(vec![booking(1, JONAS, &[0], 60, 90), booking(2, ADA, &[0], 0, 60), booking(3, RUTH, &[1], -60, 0)]);
    let seen = status(&stage.scene("lab", 0));
    assert_eq!(seen.person.as_deref(), Some("Person 1, Person 3"));
    assert_eq!(seen.held.iter().map(|held| held.window.start()).collect::<Vec<_>>(), [at(0), at(60)]);
    assert_eq!(seen.free.len(), 3);
    assert_eq!(status(&stage.scene("mallory", 0)).person, None);
}

/// Bookings of three people on four cards, none overlapping another: what the portal's constraint lets through.
fn any_bookings() -> impl Strategy<Value = Vec<TableBooking>> {
    prop::collection::vec((1u128..4, 0u32..4, 0i64..50, 1i64..20), 0..24).prop_map(|wishes| {
        let mut kept: Vec<TableBooking> = Vec::new();
        for (id, (who, on, start, length)) in wishes.into_iter().enumerate() {
            let wish = booking(id as u128 + 100, who, &[on], start, start + length);
            if !kept.iter().any(|b| b.cards == wish.cards && b.window.overlaps(&wish.window)) {
                kept.push(wish);
            }
        }
        kept.sort_by_key(|booking| booking.window.start());
        kept
    })
}

proptest! {
    #[test]
    fn a_grant_is_exactly_what_is_booked(bookings in any_bookings(), minute in 0i64..80, gone in 0usize..8) {
        let mut stage = Stage::new(bookings.clone());
        if let Some(card) = stage.cards.get_mut(gone) {
            card.present = false;
        }
        let usable = |n: u32| stage.cards[n as usize].present;
        let holder = |n: u32, m: i64| {
            bookings.iter().find(|b| b.cards == [uuid(n)] && b.window.contains(at(m))).map(|b| b.person)
        };
        for (os_user, people) in [("ada", vec![ADA]), ("jonas", vec![JONAS]), ("lab", vec![ADA, RUTH])] {
            let people: Vec<UserId> = people.into_iter().map(person).collect();
            let mine: Vec<u32> = (0..4).filter(|n| holder(*n, minute).is_some_and(|p| people.contains(&p))).collect();
            let starts: Vec<u32> = mine.iter().copied().filter(|n| usable(*n)).collect();
            match stage.ask(os_user, minute, &[]) {
                Answer::Granted(grant) => {
                    prop_assert_eq!(mine.len(), 1);
                    prop_assert_eq!(indices(&grant.cards), starts.clone());
                    // The right ends in the first minute in which one of the cards is no longer the same person's.
                    let ends = (minute..100).find(|m| starts.iter().any(|n| holder(*n, *m) != holder(*n, minute)));
                    prop_assert_eq!(Some(grant.until), ends.map(at));
                }
                Answer::Refused(Refusal { why: Why::SeveralBookings { bookings }, .. }) => {
                    prop_assert_eq!(bookings.len(), mine.len());
                    prop_assert!(mine.len() > 1);
                }
                Answer::Refused(refusal) => {
                    prop_assert!(starts.is_empty());
                    let gone = matches!(refusal.why, Why::NotReported { .. });
                    prop_assert_eq!(gone, !mine.is_empty());
                }
                other => prop_assert!(false, "{:?}", other),
            }
            for n in 0..4u32 {
                let expected = match holder(n, minute) {
                    Some(p) if people.contains(&p) => if usable(n) { "granted" } else { "gone" },
                    Some(_) => "held",
                    None => "nobody",
                };
                let got = match stage.ask(os_user, minute, &[&n.to_string()]) {
                    Answer::Granted(grant) if indices(&grant.cards) == [n] => "granted",
                    Answer::Refused(Refusal { why: Why::HeldByOthers { .. }, .. }) => "held",
                    Answer::Refused(Refusal { why: Why::NotReserved { .. }, .. }) => "nobody",
                    Answer::Refused(Refusal { why: Why::NotReported { .. }, .. }) => "gone",
                    _ => "something else",
                };
                prop_assert_eq!(got, expected);
            }
        }
    }

    #[test]
    fn no_card_is_both_held_and_free(bookings in any_bookings(), minute in 0i64..80) {
        let stage = Stage::new(bookings);
        let refusal = stage.refused("nobody", minute, &[]);
        let held: Vec<_> = refusal.held.iter().map(|held| held.card.index).collect();
        let free: Vec<_> = refusal.free.iter().map(|free| free.card.index).collect();
        let mut all = [held, free].concat();
        all.sort();
        prop_assert_eq!(all, (0..4).map(Some).collect::<Vec<_>>());
    }

    #[test]
    fn whatever_is_asked_there_is_an_answer(asked in prop::collection::vec(".{0,12}", 0..4), minute in -5i64..80) {
        let stage = Stage::new(vec![booking(1, ADA, &[0, 1], 0, 60)]);
        let reservation = asked.first().cloned();
        let answer = decide(&stage.scene("ada", minute), &LaunchAsk { cards: asked.clone(), ..LaunchAsk::default() });
        prop_assert!(matches!(answer, Answer::Granted(_) | Answer::Refused(_)));
        let answer = decide(&stage.scene("ada", minute), &LaunchAsk { reservation, ..LaunchAsk::default() });
        prop_assert!(matches!(answer, Answer::Granted(_) | Answer::Refused(_)));
    }
}

/// Card 0 in one piece, card 1 cut into two, as a host reports them.
fn cut(bookings: Vec<TableBooking>) -> Stage {
    let whole = |n: u32| CardFacts::new(uuid(n), n, "NVIDIA A100-SXM4-80GB");
    let mut parent = whole(1);
    parent.mig_on = true;
    let part = |n: u32, gpu_instance| {
        let mut facts = CardFacts::new(instance(n), 1, "NVIDIA A100-SXM4-80GB MIG 3g.40gb");
        facts.part = Some(MigPart {
            parent: uuid(1),
            gpu_instance,
            compute_instance: 0,
            instance: n,
            profile: "3g.40gb".to_owned(),
            compute_slices: Reading::Value(3),
            multiprocessors: Reading::Value(42),
        });
        facts
    };
    let report = |facts| CardReport {
        facts,
        sample: CardSample::default(),
        detail: CardDetail::default(),
        health: CardHealth::Ok,
        processes: None,
    };
    let sample = [whole(0), parent, part(0, 3), part(1, 5)].map(report);
    Stage { cards: HostCard::all(&sample), ..Stage::new(bookings) }
}

fn instance(n: u32) -> CardUuid {
    CardUuid::parse(&format!("MIG-{n}77e0049-0000-0000-0000-00000000000{n}")).expect("valid")
}

#[test]
fn a_co_user_starts_on_it_as_its_owner_does() {
    let shared =
        |id, start, end| TableBooking { co_users: vec![person(JONAS)], ..booking(id, ADA, &[0, 1], start, end) };
    let stage = Stage::new(vec![shared(1, -10, 30), booking(2, RUTH, &[2], -10, 60), shared(3, 30, 50)]);
    for os_user in ["ada", "jonas"] {
        let Answer::Granted(grant) = stage.ask(os_user, 0, &[]) else { panic!("{os_user} is refused") };
        assert_eq!((indices(&grant.cards), grant.until), (vec![0, 1], at(50)), "{os_user}");
        let Answer::Refused(refusal) = stage.ask(os_user, 0, &["2"]) else { panic!("{os_user} is let on another's") };
        assert!(matches!(refusal.why, Why::HeldByOthers { .. }));
    }
    // From his own onto the one that he shares: the right goes on.
    let stage = Stage::new(vec![booking(1, JONAS, &[0], -10, 30), shared(2, 30, 50)]);
    let Answer::Granted(grant) = stage.ask("jonas", 0, &[]) else { panic!("refused") };
    assert_eq!(grant.until, at(50));
}

#[test]
fn shares_of_one_card_are_each_ones_own() {
    let stage = Stage::new(vec![booking(1, ADA, &[0], -10, 30), booking(2, JONAS, &[0], -10, 40)]);
    for (os_user, until) in [("ada", 30), ("jonas", 40)] {
        let Answer::Granted(grant) = stage.ask(os_user, 0, &["0"]) else { panic!("{os_user} is refused") };
        assert_eq!(grant.until, at(until));
    }
}

#[test]
fn what_waits_for_an_answer_starts_nothing_and_is_not_free() {
    let mut stage = Stage::new(Vec::new());
    if let Some(table) = &mut stage.table {
        table.waiting.push(booking(1, ADA, &[0], -10, 30));
    }
    let Answer::Refused(refusal) = stage.ask("ada", 0, &[]) else { panic!("granted before it is approved") };
    assert!(matches!(refusal.why, Why::NoReservation { next: None }));
    assert!(refusal.free.iter().all(|free| free.card.index != Some(0)), "{:?}", refusal.free);
}

fn booked(id: u128, who: u128, cards: &[CardUuid]) -> TableBooking {
    TableBooking { cards: cards.to_vec(), ..booking(id, who, &[], -10, 60) }
}

#[test]
fn an_instance_is_named_by_its_card_and_its_number_there() {
    let stage = cut(vec![]);
    let labels: Vec<_> = stage.cards.iter().map(|card| (card.name.label(), card.name.model.as_str())).collect();
    let expected = [("0", "A100-SXM4-80GB"), ("1", "A100-SXM4-80GB"), ("1:0", "MIG 3g.40gb"), ("1:1", "MIG 3g.40gb")];
    assert_eq!(labels, expected.map(|(label, model)| (label.to_owned(), model)));
    let free: Vec<_> = status(&stage.scene("ada", 0)).free.iter().map(|free| free.card.label()).collect();
    assert_eq!(free, ["0", "1:0", "1:1"], "a card that is cut up is not free itself");
}

#[test]
fn a_booked_instance_is_started_on_by_number_and_by_uuid() {
    let stage = cut(vec![booked(7, ADA, &[instance(1)]), booked(8, JONAS, &[instance(0)])]);
    for asked in [&[][..], &["1:1"], &["MIG-177e"], &[instance(1).as_str()]] {
        let Answer::Granted(grant) = stage.ask("ada", 0, asked) else { panic!("{asked:?}") };
        assert_eq!(grant.cards.iter().map(|card| card.uuid.as_str()).collect::<Vec<_>>(), [instance(1).as_str()]);
    }
    assert!(matches!(why(&stage.ask("ada", 0, &["1:0"])), Why::HeldByOthers { .. }));
    for asked in ["1:2", "0:0", "1:", ":1", "1:0:0", "99999999999:0"] {
        assert_eq!(*why(&stage.ask("ada", 0, &[asked])), Why::UnknownCard { asked: asked.to_owned() });
    }
}

#[test]
fn one_process_gets_one_instance_and_nothing_beside_it() {
    let stage = cut(vec![booked(7, ADA, &[uuid(0), instance(0), instance(1)])]);
    for asked in [&[][..], &["1:0", "1:1"], &["0", "1:0"]] {
        let Why::SeveralInstances { cards } = why(&stage.ask("ada", 0, asked)).clone() else { panic!("{asked:?}") };
        assert_eq!(cards.len(), asked.len().max(if asked.is_empty() { 3 } else { 0 }));
    }
    for asked in ["0", "1:0", "1:1"] {
        assert!(matches!(stage.ask("ada", 0, &[asked]), Answer::Granted(_)), "{asked}");
    }
}

#[test]
fn on_a_card_that_is_cut_into_instances_nothing_starts() {
    let stage = cut(vec![booked(7, ADA, &[uuid(0), uuid(1)])]);
    for asked in [&[][..], &["1"], &["0", "1"]] {
        let Why::Split { card, instances } = why(&stage.ask("ada", 0, asked)).clone() else { panic!("{asked:?}") };
        let instances: Vec<_> = instances.iter().map(CardName::label).collect();
        assert_eq!((card.label().as_str(), instances), ("1", vec!["1:0".to_owned(), "1:1".to_owned()]));
    }
    assert!(matches!(stage.ask("ada", 0, &["0"]), Answer::Granted(_)));
}

fn meant(stage: &Stage, ask: LaunchAsk) -> Answer {
    decide(&stage.scene("ada", 0), &ask)
}

fn named(reservation: &str) -> LaunchAsk {
    LaunchAsk { reservation: Some(reservation.to_owned()), ..LaunchAsk::default() }
}

#[test]
fn of_several_bookings_one_is_named() {
    let id = |n: u128| 0x0190_0000_0000_7000_8000_0000_aaaa_0000 + n;
    let stage = Stage::new(vec![
        booking(id(1), ADA, &[0, 1], -10, 60),
        booking(id(2), ADA, &[3], -10, 30),
        booking(id(3), JONAS, &[2], -10, 30),
        booking(id(4), ADA, &[2], 60, 90),
    ]);
    let Why::SeveralBookings { bookings } = why(&stage.ask("ada", 0, &[])).clone() else { panic!("one is chosen") };
    assert_eq!(
        bookings.iter().map(|one| (one.short(), indices(&one.cards))).collect::<Vec<_>>(),
        [("aaaa0001".to_owned(), vec![0, 1]), ("aaaa0002".to_owned(), vec![3])]
    );
    let Answer::Granted(grant) = meant(&stage, named("aaaa0002")) else { panic!("refused") };
    assert_eq!(indices(&grant.cards), [3]);
    assert_eq!(indices(&stage.granted("ada", 0, &["3", "1"]).cards), [3, 1], "cards say enough");
    for (text, several) in [("0190", true), ("aaaa0003", false), ("ffff", false), ("", false)] {
        let Why::NoSuchBooking { asked, bookings } = why(&meant(&stage, named(text))).clone() else {
            panic!("{text} is taken for one")
        };
        assert_eq!((asked.as_str(), bookings.len()), (text, 3), "{several}");
    }
    assert!(
        matches!(why(&meant(&stage, named("aaaa0004"))), Why::NotBegun { booking } if booking.window.start() == at(60))
    );
    let ask = LaunchAsk { cards: vec!["1".to_owned(), "3".to_owned()], ..named("aaaa0001") };
    assert!(matches!(why(&meant(&stage, ask)), Why::NotInBooking { cards, .. } if indices(cards) == [3]));
}

#[test]
fn so_many_cards_are_those_with_the_fewest_jobs_of_ones_own() {
    let mut stage = Stage::new(vec![booking(1, ADA, &[0, 1, 2], -10, 60)]);
    let some = |gpus| LaunchAsk { gpus: Some(gpus), ..LaunchAsk::default() };
    let on = |n: u32, os_user: &str| CardUser {
        card: uuid(n),
        pid: 1,
        os_user: os_user.to_owned(),
        since: None,
        let_on: true,
    };
    let picked = |stage: &Stage, gpus| match meant(stage, some(gpus)) {
        Answer::Granted(grant) => indices(&grant.cards),
        other => panic!("{other:?}"),
    };
    assert_eq!(picked(&stage, 2), [0, 1]);
    stage.users = vec![on(0, "ada"), on(1, "ada"), on(1, "ada")];
    assert_eq!((picked(&stage, 1), picked(&stage, 2)), (vec![2], vec![0, 2]));
    for too_many in [0, 4] {
        assert_eq!(*why(&meant(&stage, some(too_many))), Why::TooFew { asked: too_many });
    }
    // A booking that was made for one job is not shared out to the next.
    stage.kept = vec![ReservationId(Uuid::from_u128(1))];
    assert!(matches!(why(&meant(&stage, some(1))), Why::NoReservation { .. }));
    assert!(matches!(meant(&stage, LaunchAsk::default()), Answer::Granted(_)));
}

#[test]
fn who_is_on_a_booked_card_without_a_right_to_it_is_named() {
    let mut stage = Stage::new(vec![
        TableBooking { co_users: vec![person(RUTH)], ..booking(1, ADA, &[0, 1], -10, 60) },
        booking(2, JONAS, &[3], -10, 60),
    ]);
    let on = |n: u32, os_user: &str, let_on| CardUser {
        card: uuid(n),
        pid: 4711,
        os_user: os_user.to_owned(),
        since: Some(at(-5)),
        let_on,
    };
    let beside = || LaunchAsk { shared: true, ..LaunchAsk::default() };
    for own in ["ada", "lab", "root"] {
        stage.users = vec![on(0, own, false)];
        assert!(matches!(meant(&stage, LaunchAsk::default()), Answer::Granted(_)), "{own}");
    }
    for let_on in [false, true] {
        stage.users = vec![on(0, "jonas", let_on), on(0, "jonas", let_on), on(1, "eve", let_on), on(2, "eve", let_on)];
        let Why::InUse { users } = why(&meant(&stage, LaunchAsk::default())).clone() else { panic!("granted") };
        let said: Vec<_> = users.iter().map(|used| (used.card.index, used.person.as_deref())).collect();
        assert_eq!(said, [(Some(0), Some("Person 2")), (Some(1), None)]);
        assert!(matches!(meant(&stage, beside()), Answer::Granted(_)));
        assert!(matches!(stage.ask("jonas", 0, &[]), Answer::Granted(_)), "nobody is on his");
    }
    let free: Vec<_> = status(&stage.scene("ada", 0)).free;
    assert_eq!(free.iter().map(|free| free.used_by.as_deref()).collect::<Vec<_>>(), [Some("eve")]);
}

fn why(answer: &Answer) -> &Why {
    let Answer::Refused(refusal) = answer else { panic!("not refused: {answer:?}") };
    &refusal.why
}
