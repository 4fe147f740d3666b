//! Planning, changing and calling off: who is listed, who is told, what is on record.

use domain::error::{ErrorCode, Field};
use domain::id::{CardUuid, HostId};
use domain::notice::Body;
use domain::upkeep::{PlanAsk, Targets};
use server::service::{fleet, upkeep};
use server::store::maintenance::{closures, in_the_way};
use time::Duration;
use uuid::Uuid;

use super::{Desk, hours, of_cards, plan};
use crate::support::clock::MORNING;
use crate::support::fleet::{host, member};

#[tokio::test]
async fn who_is_hit_is_listed_before_and_told_when_it_is_saved() {
    let desk = Desk::new(4).await;
    let (rig, cards) = host(&desk.pool, "rig", 4).await;
    let (_, others) = host(&desk.pool, "dgx", 1).await;
    let [ada, bob, cy] =
        [member(&desk.pool, "ada").await, member(&desk.pool, "bob").await, member(&desk.pool, "cy").await];
    let met = desk.book(&ada, &[cards[0].clone(), cards[2].clone(), others[0].clone()], hours(1, 5)).await;
    let before = desk.book(&bob, &cards[1..2], hours(0, 2)).await;
    desk.book(&cy, &cards[3..], hours(4, 6)).await;

    let targets = Targets { hosts: vec![rig], ..Targets::default() };
    let ask = plan(hours(2, 4), targets);
    let preview = upkeep::preview(&desk.services, &ask.plan, None).await.unwrap();
    assert_eq!(preview.cards, 4);
    let [hit] = preview.hits.as_slice() else { panic!("{:?}", preview.hits) };
    assert_eq!(
        (hit.reservation, hit.person.as_str(), hit.window, hit.overlap),
        (met, "Person ada", hours(1, 5), hours(2, 4))
    );
    let numbers: Vec<u32> = hit.cards.iter().map(|card| card.number.index).collect();
    assert_eq!(numbers, [0, 2], "the card of the other host is not met");
    assert!(upkeep::page(&desk.services).await.unwrap().open.is_empty(), "nothing is saved");

    upkeep::plan(&desk.services, &desk.by(), &ask).await.unwrap();
    let told = desk.told(&ada).await;
    let [Body::Maintenance { reason, during, cards: named }] = told.as_slice() else {
        panic!("one notice of maintenance")
    };
    assert_eq!((reason.as_str(), *during, named), ("New fans", hours(2, 4), &hit.cards));
    assert!(desk.told(&bob).await.is_empty() && desk.told(&cy).await.is_empty(), "back to back is not met");
    let ruth = Some(desk.ruth.id.0);
    assert_eq!(desk.record().await, [("maintenance.plan".to_owned(), ruth, Some("192.0.2.7".to_owned()))]);
    let page = upkeep::page(&desk.services).await.unwrap();
    assert_eq!(
        (page.open.len(), &page.open[0].hosts, &page.open[0].made_by),
        (1, &vec!["rig".to_owned()], &"Ruth Keller".to_owned())
    );
    assert_eq!(page.open[0].hits, preview.hits, "nothing has moved");
    assert_ne!(before, met);
}

#[tokio::test]
async fn nothing_is_saved_whose_consequences_were_not_listed() {
    let desk = Desk::new(4).await;
    let (_, cards) = host(&desk.pool, "rig", 2).await;
    let [ada, bob] = [member(&desk.pool, "ada").await, member(&desk.pool, "bob").await];
    let seen = desk.book(&ada, &cards[..1], hours(1, 3)).await;
    let mut ask = PlanAsk { seen: Some(vec![seen]), ..plan(hours(2, 4), of_cards(&cards)) };
    let meanwhile = desk.book(&bob, &cards[1..], hours(2, 3)).await;

    let refused = upkeep::plan(&desk.services, &desk.by(), &ask).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::Changed);
    assert!(refused.message.contains("Person bob") && !refused.message.contains("Person ada"), "{}", refused.message);
    assert!(desk.told(&ada).await.is_empty() && desk.record().await.is_empty());

    ask.seen = Some(vec![seen, meanwhile]);
    upkeep::plan(&desk.services, &desk.by(), &ask).await.unwrap();
    assert_eq!((desk.told(&ada).await.len(), desk.told(&bob).await.len()), (1, 1));
    // One who is listed and has gone since is no reason to refuse.
    desk.services.reservations.cancel(&bob, meanwhile).await.unwrap();
    let ask = PlanAsk { seen: Some(vec![seen, meanwhile]), ..plan(hours(2, 5), of_cards(&cards)) };
    upkeep::plan(&desk.services, &desk.by(), &ask).await.unwrap();
}

#[tokio::test]
async fn the_same_form_sent_twice_plans_once() {
    let desk = Desk::new(4).await;
    let (_, cards) = host(&desk.pool, "rig", 1).await;
    let ada = member(&desk.pool, "ada").await;
    desk.book(&ada, &cards, hours(1, 3)).await;
    let mut ask = plan(hours(0, 4), of_cards(&cards));
    upkeep::plan(&desk.services, &desk.by(), &ask).await.unwrap();
    desk.clock.advance(Duration::hours(2));
    assert_eq!(upkeep::plan(&desk.services, &desk.by(), &ask).await, Ok(ask.id), "also when its start has passed");
    assert_eq!((desk.told(&ada).await.len(), desk.record().await.len()), (1, 1));
    ask.plan.reason = "Old fans".to_owned();
    let refused = upkeep::plan(&desk.services, &desk.by(), &ask).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::KeyReused);
}

#[tokio::test]
async fn a_change_tells_those_whom_it_concerns() {
    let desk = Desk::new(4).await;
    let (_, cards) = host(&desk.pool, "rig", 3).await;
    let [ada, bob, cy] =
        [member(&desk.pool, "ada").await, member(&desk.pool, "bob").await, member(&desk.pool, "cy").await];
    desk.book(&ada, &cards[..1], hours(2, 8)).await;
    desk.book(&bob, &cards[1..2], hours(2, 4)).await;
    desk.book(&cy, &cards[2..], hours(2, 8)).await;
    let mut ask = plan(hours(3, 5), of_cards(&cards[..2]));
    upkeep::plan(&desk.services, &desk.by(), &ask).await.unwrap();

    // Another card: only its holder reads something new.
    ask.plan.targets = of_cards(&cards);
    upkeep::change(&desk.services, &desk.by(), &ask).await.unwrap();
    assert_eq!((desk.told(&ada).await.len(), desk.told(&bob).await.len(), desk.told(&cy).await.len()), (1, 1, 1));
    // The same again changes and tells nothing.
    upkeep::change(&desk.services, &desk.by(), &ask).await.unwrap();
    assert_eq!(desk.record().await.len(), 2);

    // Later: Bob is spared, the others are told the new time.
    ask.plan.window = hours(4, 6);
    upkeep::change(&desk.services, &desk.by(), &ask).await.unwrap();
    assert!(
        matches!(desk.told(&bob).await.as_slice(), [_, Body::MaintenanceOff { during, .. }] if *during == hours(3, 5))
    );
    assert!(
        matches!(desk.told(&ada).await.as_slice(), [_, Body::Maintenance { during, .. }] if *during == hours(4, 6))
    );
    assert_eq!(desk.told(&cy).await.len(), 2);

    let unknown = plan(hours(4, 6), of_cards(&cards));
    assert_eq!(upkeep::change(&desk.services, &desk.by(), &unknown).await.unwrap_err().code, ErrorCode::NotFound);
}

#[tokio::test]
async fn of_a_running_one_only_the_end_moves_and_what_is_over_stays() {
    let desk = Desk::new(4).await;
    let (_, cards) = host(&desk.pool, "rig", 1).await;
    let ada = member(&desk.pool, "ada").await;
    desk.book(&ada, &cards, hours(3, 5)).await;
    let mut ask = plan(hours(1, 4), of_cards(&cards));
    upkeep::plan(&desk.services, &desk.by(), &ask).await.unwrap();
    desk.clock.advance(Duration::hours(2));
    ask.plan.window = hours(0, 6);
    upkeep::change(&desk.services, &desk.by(), &ask).await.unwrap();
    let page = upkeep::page(&desk.services).await.unwrap();
    assert_eq!(page.open[0].plan.window, hours(1, 6), "its start is past");
    ask.plan.window = hours(1, 2);
    let refused = upkeep::change(&desk.services, &desk.by(), &ask).await.unwrap_err();
    assert_eq!((refused.code, refused.field), (ErrorCode::BadInput, Some(Field::End)));

    // Called off while it runs, it ends now and stays on record; who was to be met is told.
    upkeep::call_off(&desk.services, &desk.by(), ask.id).await.unwrap();
    assert!(matches!(desk.told(&ada).await.as_slice(), [_, _, Body::MaintenanceOff { .. }]));
    let page = upkeep::page(&desk.services).await.unwrap();
    assert!(page.open.is_empty() && page.past[0].plan.window == hours(1, 2) && !page.past[0].called_off);
    assert_eq!(upkeep::call_off(&desk.services, &desk.by(), ask.id).await.unwrap_err().code, ErrorCode::AlreadyOver);
    assert_eq!(upkeep::change(&desk.services, &desk.by(), &ask).await.unwrap_err().code, ErrorCode::AlreadyOver);
}

#[tokio::test]
async fn called_off_before_it_begins_it_closes_nothing_and_stays_on_record() {
    let desk = Desk::new(4).await;
    let (_, cards) = host(&desk.pool, "rig", 1).await;
    let ask = plan(hours(1, 4), Targets { everywhere: true, ..Targets::default() });
    upkeep::plan(&desk.services, &desk.by(), &ask).await.unwrap();
    upkeep::call_off(&desk.services, &desk.by(), ask.id).await.unwrap();
    let page = upkeep::page(&desk.services).await.unwrap();
    assert!(page.open.is_empty() && page.past.len() == 1 && page.past[0].called_off);
    let mut conn = desk.pool.acquire().await.unwrap();
    assert!(in_the_way(&mut conn, &cards, &hours(2, 3)).await.unwrap().is_empty());
    let actions: Vec<String> = desk.record().await.into_iter().map(|(action, ..)| action).collect();
    assert_eq!(actions, ["maintenance.plan", "maintenance.call_off"]);
}

#[tokio::test]
async fn a_card_is_met_by_its_host_its_instances_and_everything() {
    let desk = Desk::new(4).await;
    let (rig, cards) = host(&desk.pool, "rig", 2).await;
    let part = instance(&desk, &cards[0], rig, 3).await;
    let sibling = instance(&desk, &cards[0], rig, 4).await;
    let mut conn = desk.pool.acquire().await.unwrap();
    let names = async |conn: &mut sqlx::PgConnection, at: i64| {
        let all = [cards[0].clone(), cards[1].clone(), part.clone(), sibling.clone()];
        let met = in_the_way(conn, &all, &hours(at, at + 1)).await.unwrap();
        met.into_iter()
            .map(|met| met.cards.into_iter().map(|card| card.number.to_string()).collect::<Vec<_>>())
            .collect::<Vec<_>>()
    };
    for (at, targets) in [
        (10, Targets { hosts: vec![rig], ..Targets::default() }),
        (20, of_cards(&cards[..1])),
        (30, of_cards(std::slice::from_ref(&part))),
        (40, Targets { everywhere: true, ..Targets::default() }),
    ] {
        upkeep::plan(&desk.services, &desk.by(), &plan(hours(at, at + 1), targets)).await.unwrap();
    }
    assert_eq!(names(&mut conn, 10).await, [["0", "0:3", "0:4", "1"]]);
    assert_eq!(names(&mut conn, 20).await, [["0", "0:3", "0:4"]], "with the card its instances");
    assert_eq!(names(&mut conn, 30).await, [["0", "0:3"]], "with an instance the card, not its siblings");
    assert_eq!(names(&mut conn, 40).await, [["0", "0:3", "0:4", "1"]]);
    assert!(names(&mut conn, 11).await.is_empty(), "half-open");
    // A host that comes later is closed by what closes everything.
    let (_, later) = host(&desk.pool, "new", 1).await;
    assert_eq!(in_the_way(&mut conn, &later, &hours(40, 41)).await.unwrap().len(), 1);

    let closed = closures(&desk.pool, &hours(15, 35)).await.unwrap();
    let counts: Vec<usize> = closed.iter().map(|closure| closure.cards.len()).collect();
    assert_eq!(counts, [3, 2]);
}

async fn instance(desk: &Desk, card: &CardUuid, host: HostId, slice: i32) -> CardUuid {
    let uuid = CardUuid::parse(&format!("MIG-{slice}-{card}")).unwrap();
    sqlx::query(
        "insert into card (card_uuid, host_id, gpu, slices, card_index, instance, name, first_seen, last_seen)
         values ($1, $2, $3, int4range($4, $4 + 1), 0, $4, 'MIG 1g.10gb', $5, $5)",
    )
    .bind(uuid.as_str())
    .bind(host.0)
    .bind(card.as_str())
    .bind(slice)
    .bind(MORNING)
    .execute(&desk.pool)
    .await
    .unwrap();
    uuid
}

#[tokio::test]
async fn what_does_not_fit_is_said_at_its_field() {
    let desk = Desk::new(4).await;
    let (_, cards) = host(&desk.pool, "rig", 1).await;
    let stranger = of_cards(&[CardUuid::parse("GPU-not-here").unwrap()]);
    let gone = Targets { hosts: vec![HostId(Uuid::now_v7())], ..Targets::default() };
    let good = || plan(hours(1, 2), of_cards(&cards));
    let mut wordless = good();
    wordless.plan.reason = "  ".to_owned();
    for (ask, field) in [
        (wordless, Field::Reason),
        (plan(hours(-1, 2), of_cards(&cards)), Field::Start),
        (plan(hours(-2, -1), of_cards(&cards)), Field::End),
        (plan(hours(1, 2), Targets::default()), Field::Cards),
        (plan(hours(1, 2), stranger), Field::Cards),
        (plan(hours(1, 2), gone), Field::Host),
    ] {
        let refused = upkeep::plan(&desk.services, &desk.by(), &ask).await.unwrap_err();
        assert_eq!(refused.field, Some(field), "{refused:?}");
    }
    assert!(desk.record().await.is_empty());
}

#[tokio::test]
async fn the_pages_of_cards_are_told() {
    let desk = Desk::new(4).await;
    let (rig, cards) = host(&desk.pool, "rig", 1).await;
    upkeep::plan(&desk.services, &desk.by(), &plan(hours(0, 2), of_cards(&cards))).await.unwrap();
    upkeep::plan(&desk.services, &desk.by(), &plan(hours(5, 6), of_cards(&cards))).await.unwrap();
    let pulse = domain::wire::live_v1::HostPulse {
        last_report: None,
        beat_ms: 2000,
        clock_ahead_ms: None,
        nvml: None,
        cpu_percent: domain::reading::Reading::default(),
        memory_total_mib: domain::reading::Reading::default(),
        memory_used_mib: domain::reading::Reading::default(),
    };
    let card = domain::wire::live_v1::CardView {
        facts: domain::card::CardFacts::new(cards[0].clone(), 0, "NVIDIA H100 80GB HBM3"),
        truth: domain::wire::live_v1::CardTruth {
            sample: domain::card::CardSample::default(),
            health: domain::card::CardHealth::Ok,
            processes: None,
            memory_is_unified: false,
        },
        spark: Vec::new(),
        bookings: Vec::new(),
        closed: domain::upkeep::Closed::default(),
    };
    let name = "rig".to_owned();
    let view = domain::wire::live_v1::HostView {
        id: rig,
        name,
        pulse,
        driver_version: None,
        cuda_version: None,
        cards: vec![card],
    };
    let mut hosts = [view];
    fleet::close(&desk.pool, &mut hosts, MORNING).await.unwrap();
    let closed = &hosts[0].cards[0].closed;
    assert_eq!(closed.until(MORNING), Some(hours(0, 2).end()));
    assert_eq!(closed.next(MORNING).map(|next| next.window), Some(hours(5, 6)));
    fleet::close(&desk.pool, &mut hosts, MORNING + Duration::hours(6)).await.unwrap();
    assert!(hosts[0].cards[0].closed.is_open());
}
