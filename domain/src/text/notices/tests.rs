use super::*;
use crate::id::{CardUuid, ReservationId};
use crate::notice::Notice;
use crate::text::en;
use crate::window::Window;
use time::Duration;
use time::macros::datetime;

const NOW: OffsetDateTime = datetime!(2026-11-30 10:00 UTC);

fn card(host: &str, index: u32) -> NamedCard {
    let uuid = CardUuid::parse(&format!("GPU-{host}-{index}")).expect("valid");
    NamedCard { uuid, host: host.to_owned(), number: index.into() }
}

fn hours(from: i64, until: i64) -> Window {
    Window::new(NOW + Duration::hours(from), NOW + Duration::hours(until)).expect("not empty")
}

fn told(body: Body) -> Told {
    let reservation = Some(ReservationId(uuid::Uuid::nil()));
    let notice = Notice { id: 1, at: NOW, read_at: None, reservation, body };
    Told { notice, cards: vec![card("dgx", 1), card("dgx", 0), card("rig", 3)], open: true }
}

fn said(told: &Told) -> Said {
    en().notice(told, &ZoneTable::utc(), NOW)
}

fn labels(said: &Said) -> Vec<&str> {
    said.ways.iter().map(|way| way.label.as_str()).collect()
}

#[test]
fn cards_are_named_by_host_and_in_order() {
    let told = told(Body::Approved { by: "Ruth Keller".to_owned(), window: hours(4, 8) });
    assert_eq!(
        said(&told).sentence,
        "Ruth Keller approved your booking of dgx cards 0, 1 and rig card 3, 14:00 – 18:00."
    );
}

#[test]
fn an_end_is_said_in_its_tense() {
    let mut told = told(Body::Ending { cards: vec![card("dgx", 0)], window: hours(-2, 1) });
    assert_eq!(said(&told).sentence, "Your booking of dgx card 0 ends at 11:00.");
    told.notice.body = Body::Ending { cards: Vec::new(), window: hours(-2, -1) };
    assert_eq!(said(&told).sentence, "Your booking of dgx cards 0, 1 and rig card 3 ended at 09:00.");
}

#[test]
fn who_asks_for_cards_is_named_and_nothing_is_threatened() {
    let asked = said(&told(Body::Asked { by: "Ada Lovelace".to_owned(), window: hours(4, 8) }));
    assert!(
        asked.sentence.starts_with(
            "Ada Lovelace asks whether dgx cards 0, 1 and rig card 3 can be had earlier. You have them booked, \
             14:00 – 18:00."
        ),
        "{}",
        asked.sentence
    );
    assert_eq!(labels(&asked), ["Open booking"]);
}

#[test]
fn an_idle_card_is_asked_about_and_only_a_rule_threatens() {
    let mut told = told(Body::Idle { card: card("dgx", 3), since: NOW - Duration::hours(1), released_at: None });
    let asked = said(&told);
    assert_eq!(asked.sentence, "You have dgx card 3 booked and have not used it since 09:00.");
    assert_eq!(labels(&asked), ["Still using it", "Release card 3", "Open booking"]);
    told.notice.body = Body::Idle {
        card: card("dgx", 3),
        since: NOW - Duration::hours(1),
        released_at: Some(NOW + Duration::minutes(16)),
    };
    let ruled = said(&told).sentence;
    assert!(ruled.ends_with(" Rule on dgx: no answer by 10:16 frees card 3 only."), "{ruled}");
    told.open = false;
    assert_eq!(labels(&said(&told)), ["Open booking"], "what is over is not asked about");
}

#[test]
fn equal_cards_are_offered_one_by_one() {
    let told = told(Body::CardTroubled {
        card: card("dgx", 3),
        why: "It is lost".to_owned(),
        instead: vec![card("dgx", 5), card("rig", 0)],
        window: hours(1, 2),
    });
    let said = said(&told);
    assert_eq!(
        said.sentence,
        "You have dgx card 3 booked, 11:00 – 12:00. It is lost. Free then: dgx card 5 and rig card 0."
    );
    assert_eq!(labels(&said), ["Take card 5", "Take rig card 0", "Open booking"]);
}

#[test]
fn cards_that_are_held_can_be_taken() {
    let mut told =
        told(Body::Free { cards: vec![card("dgx", 0), card("dgx", 1)], window: hours(0, 4), held_until: None });
    assert_eq!(said(&told).sentence, "You waited for cards: dgx cards 0, 1 free, 10:00 – 14:00.");
    told.notice.body = Body::Free {
        cards: vec![card("dgx", 0), card("dgx", 1)],
        window: hours(0, 4),
        held_until: Some(NOW + Duration::minutes(15)),
    };
    let held = said(&told);
    assert!(held.sentence.ends_with(" Held for you until 10:15."));
    assert_eq!(labels(&held), ["Take cards 0, 1", "Let them go", "Open booking"]);
}
