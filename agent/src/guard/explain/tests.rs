use domain::id::CardUuid;
use domain::window::Window;
use jiff::tz::TimeZone;
use time::OffsetDateTime;
use time::macros::datetime;

use super::*;

const NOW: OffsetDateTime = datetime!(2026-11-30 10:00 UTC);

fn clock() -> LocalClock {
    LocalClock::new(TimeZone::fixed(jiff::tz::offset(1)), NOW)
}

fn card(index: u32) -> CardName {
    let uuid = CardUuid::parse(&format!("GPU-{index}a23c669-1f69-c64e-cf85-44e9b07e7a2a")).expect("valid");
    CardName { uuid, index: Some(index), instance: None, model: "H100".to_owned() }
}

fn held(index: u32, holder: &str, own: bool, end: OffsetDateTime) -> Held {
    Held { card: card(index), holder: holder.to_owned(), own, window: Window::new(NOW, end).expect("window") }
}

fn free(index: u32, until: Option<OffsetDateTime>) -> Free {
    Free { card: card(index), until, used_by: None }
}

fn refused(why: Why) -> Refusal {
    Refusal {
        host_name: "dgx-h100".to_owned(),
        portal_url: "https://berth.example.org".to_owned(),
        why,
        held: vec![
            held(0, "Ada Lovelace", true, datetime!(2026-11-30 17:00 UTC)),
            held(6, "Jonas Weber", false, datetime!(2026-11-30 19:00 UTC)),
        ],
        free: vec![
            free(4, Some(datetime!(2026-11-30 15:00 UTC))),
            free(5, Some(datetime!(2026-11-30 15:00 UTC))),
            free(7, None),
        ],
        table_age_s: Some(2),
    }
}

fn said(refusal: &Refusal) -> String {
    super::refusal(refusal, &["python".into(), "my train.py".into()], &clock())
}

#[test]
fn a_card_of_somebody_else() {
    let others = vec![held(6, "Jonas Weber", false, datetime!(2026-11-30 19:00 UTC))];
    assert_eq!(
        said(&refused(Why::HeldByOthers { cards: others })),
        "berth: not started. Card 6 on dgx-h100 is reserved by Jonas Weber until 20:00.\n\
         Yours now: card 0 until 18:00.\n\
         Free now: cards 4, 5 until 16:00; card 7.\n\
         This starts: berth run --cards 0 -- python 'my train.py'\n\
         To use another card, book it first at https://berth.example.org"
    );
}

#[test]
fn cards_of_several_people() {
    let end = datetime!(2026-11-30 19:00 UTC);
    let cards = vec![
        held(1, "Jonas Weber", false, end),
        held(2, "Jonas Weber", false, end),
        held(6, "Ruth Keller", false, datetime!(2026-12-01 17:00 UTC)),
    ];
    let text = said(&refused(Why::HeldByOthers { cards }));
    let first = "berth: not started. Cards 1, 2 on dgx-h100 are reserved by Jonas Weber until 20:00, \
                 card 6 by Ruth Keller until Tue 18:00.";
    assert_eq!(text.lines().next(), Some(first));
}

#[test]
fn no_reservation_tells_who_has_what_and_when_the_next_one_begins() {
    let mut refusal = refused(Why::NoReservation { next: Some(datetime!(2026-11-30 17:00 UTC)) });
    refusal.held.remove(0);
    assert_eq!(
        said(&refusal),
        "berth: not started. You have no card on dgx-h100 now. Your next booking there begins at 18:00.\n\
         Reserved now: card 6 by Jonas Weber until 20:00.\n\
         Free now: cards 4, 5 until 16:00; card 7.\n\
         To use another card, book it first at https://berth.example.org\n\
         Or book a free card for as long as the job runs: berth run --gpus 1 -- python 'my train.py'"
    );
    refusal.free.clear();
    assert!(said(&refusal).contains("\nNo card is free now.\n"));
}

#[test]
fn an_unknown_account_is_told_how_to_link() {
    let text = said(&refused(Why::UnknownAccount { os_user: "ada".to_owned() }));
    assert!(text.starts_with("berth: not started. The account ada on dgx-h100 belongs to nobody in the portal.\n"));
    assert!(text.contains(
        "\nTo link it, get a code on your account page at https://berth.example.org, then run here: berth link CODE"
    ));
}

#[test]
fn other_reasons() {
    let first = |why| said(&refused(why)).lines().next().map(str::to_owned).unwrap_or_default();
    let not = "berth: not started. ";
    assert_eq!(
        first(Why::NotReserved { cards: vec![card(4)] }),
        format!("{not}Card 4 on dgx-h100 is free, but not booked.")
    );
    assert_eq!(
        first(Why::NotReserved { cards: vec![card(4), card(5)] }),
        format!("{not}Cards 4, 5 on dgx-h100 are free, but not booked.")
    );
    assert_eq!(first(Why::UnknownCard { asked: "9".to_owned() }), format!("{not}There is no card 9 on dgx-h100."));
    assert_eq!(first(Why::AskedTwice { card: card(4) }), format!("{not}--cards names card 4 twice."));
    let gone = CardName { index: None, ..card(3) };
    let text = first(Why::NotReported { cards: vec![gone] });
    assert!(text.starts_with(&format!("{not}Card GPU-3a23c669…7a2a on dgx-h100 is yours now, but")), "{text}");
    let old = said(&refused(Why::TableTooOld { limit_s: 43_200 }));
    assert!(old.contains("has not answered for more than 12 h") && !old.contains("Free now"), "{old}");
    let none = Refusal { host_name: String::new(), portal_url: String::new(), ..refused(Why::NoTable) };
    assert!(said(&none).contains("has not heard from the portal yet"), "{}", said(&none));
}

#[test]
fn an_old_table_says_its_age() {
    let mut refusal = refused(Why::NoReservation { next: None });
    refusal.table_age_s = Some(60);
    assert!(!said(&refusal).contains("Using bookings"));
    refusal.table_age_s = Some(185);
    assert!(said(&refusal).contains("Using bookings as of 3 min ago: the portal has not answered since."));
}

#[test]
fn names_cannot_drive_the_terminal() {
    let end = datetime!(2026-11-30 19:00 UTC);
    let mut refusal = refused(Why::HeldByOthers { cards: vec![held(6, "Eve\u{1b}[2J\nberth: started", false, end)] });
    refusal.host_name = "dgx\u{1b}]0;pwned\u{7}".to_owned();
    refusal.portal_url = "https://x\r\n".to_owned();
    let text = super::refusal(&refusal, &["\u{1b}[31m".into()], &clock());
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
    assert!(text.lines().skip(1).all(|line| !line.starts_with("berth:")), "{text:?}");
}

#[test]
fn commands_can_be_typed_again() {
    let line = |words: &[&str]| shell_line(&words.iter().map(OsString::from).collect::<Vec<_>>());
    assert_eq!(line(&["python", "-c", "print('a b')", ""]), r"python -c 'print('\''a b'\'')' ''");
    assert_eq!(line(&["sh", "-c", "a\nb"]), "COMMAND");
    assert_eq!(line(&[&"x".repeat(200)]), "COMMAND");
}

#[test]
fn mig_instances_are_explained() {
    let instance = |number: u32| {
        let uuid = CardUuid::parse(&format!("MIG-{number}77e0049-0000")).expect("valid");
        CardName { uuid, index: Some(1), instance: Some(number), model: "MIG 3g.40gb".to_owned() }
    };
    let until = datetime!(2026-11-30 17:00 UTC);
    let own = |card: CardName| Held { card, ..held(0, "Ada Lovelace", true, until) };
    let mut refusal = refused(Why::SeveralInstances { cards: vec![instance(0), instance(1)] });
    (refusal.held, refusal.free) = (vec![own(instance(0)), own(instance(1))], vec![]);
    assert_eq!(
        super::refusal(&refusal, &["train".into()], &clock()),
        "berth: not started. A process sees one MIG instance and nothing beside it, but this would be cards 1:0, 1:1.\n\
         Yours now: cards 1:0, 1:1 until 18:00.\n\
         No card is free now.\n\
         This starts: berth run --cards 1:0 -- train\n\
         Start one job for each instance."
    );
    refusal.why = Why::Split { card: card(1), instances: vec![instance(0), instance(1)] };
    refusal.held = vec![own(card(0)), own(card(1))];
    let text = super::refusal(&refusal, &["train".into()], &clock());
    assert!(
        text.starts_with("berth: not started. Card 1 on dgx-h100 is cut into MIG instances, and those are booked and used in its place: 1:0, 1:1.\n")
            && text.contains("\nThis starts: berth run --cards 0 -- train\n"),
        "{text}"
    );
}
