//! The finder over a database: what is stored is what is searched, and what is written is seen at once.

use std::collections::BTreeMap;
use std::sync::Arc;

use domain::error::{ApiError, ErrorCode};
use domain::finder::{AdviceAsk, ClosedWhy, Lack, Link, Reason, Span, Suggestion, Want};
use domain::id::{CardUuid, HostId, UserId};
use domain::inventory::{CardInventory, CardTraits, Inventory, Machine};
use domain::reading::Reading;
use domain::reservation::NewReservation;
use domain::reservation::edit::{Edit, EditAsk, Scope, Target};
use domain::topology::{Ancestor, LinkedCard, NvLink, Pair, Remote, Topology};
use domain::window::Window;
use domain::zone::ZoneTable;
use server::live::Live;
use server::service::finder::Finder;
use server::service::reservations::Reservations;
use server::store::change;
use server::store::host_table::Mapping;
use sqlx::PgPool;
use time::Duration;
use uuid::Uuid;

use crate::support::clock::{MORNING, TestClock};
use crate::support::cluster::database;
use crate::support::fleet::{host, member};
use crate::support::report::{report, uuid};

struct Portal {
    pool: PgPool,
    clock: TestClock,
    live: Live,
    finder: Finder,
    reservations: Reservations,
}

async fn portal() -> Portal {
    let pool = database(4).await;
    let clock = TestClock::at_morning();
    let live = Live::new(Arc::new(clock.clone()));
    let zone = |_: &str, _| ZoneTable::utc();
    let reservations = Reservations::new(pool.clone(), Arc::new(clock.clone()), live.clone(), zone);
    Portal { pool, clock, live, finder: reservations.finder(), reservations }
}

fn hours(from: i64, until: i64) -> Window {
    Window::new(MORNING + Duration::hours(from), MORNING + Duration::hours(until)).unwrap()
}

fn want(count: u32, link: Link) -> Want {
    Want {
        count,
        model: None,
        architecture: None,
        memory_mib: None,
        link,
        spread: false,
        hosts: Vec::new(),
        labels: Vec::new(),
        when: Span::At(hours(0, 4)),
    }
}

fn ask(cards: &[&CardUuid], window: Window) -> AdviceAsk {
    AdviceAsk {
        cards: cards.iter().map(|&card| card.clone()).collect(),
        shares: BTreeMap::new(),
        window,
        replaces: None,
    }
}

fn numbers(found: &Suggestion) -> Vec<u32> {
    found.cards.iter().map(|card| card.number.index).collect()
}

/// Says something to the database outside of the portal, as another replica would.
async fn write(pool: &PgPool, sql: &'static str, text: &str) {
    let mut tx = pool.begin().await.unwrap();
    sqlx::query(sql).bind(text).execute(&mut *tx).await.unwrap();
    change::note(&mut tx, MORNING).await.unwrap();
    tx.commit().await.unwrap();
}

/// Cards 0 and 2, and 1 and 3, are linked.
async fn learn_links(pool: &PgPool, of: HostId, cards: &[CardUuid]) {
    let lane = |card: &CardUuid| NvLink {
        link: 0,
        active: true,
        version: Reading::Value(6),
        remote: Remote::Card { uuid: card.clone() },
    };
    let linked = (0..4usize).map(|index| LinkedCard {
        uuid: cards[index].clone(),
        index: u32::try_from(index).unwrap(),
        pci_bus_id: None,
        cpu_affinity: Reading::default(),
        numa_affinity: Reading::default(),
        gpu_numa_id: Reading::default(),
        nvlinks: vec![lane(&cards[index ^ 2])],
    });
    let pairs = (0..4).flat_map(|a| (a + 1..4).map(move |b| (a, b)));
    let pair = |(a, b)| Pair { a, b, ancestor: Reading::Value(Ancestor::HostBridge), nvlink_p2p: Reading::default() };
    let traits = CardTraits { architecture: Reading::Value("Hopper".to_owned()), ..CardTraits::default() };
    let inventory = Inventory {
        machine: Machine::default(),
        cards: cards.iter().map(|card| CardInventory { uuid: card.clone(), traits: traits.clone() }).collect(),
        topology: Topology { cards: linked.collect(), pairs: pairs.map(pair).collect() },
    };
    let mut tx = pool.begin().await.unwrap();
    sqlx::query("update host set inventory_id = 'one', inventory = $2, inventory_at = $3 where host_id = $1")
        .bind(of.0)
        .bind(sqlx::types::Json(inventory))
        .bind(MORNING)
        .execute(&mut *tx)
        .await
        .unwrap();
    change::note(&mut tx, MORNING).await.unwrap();
    tx.commit().await.unwrap();
}

#[tokio::test]
async fn what_is_written_is_found_at_once() {
    let portal = portal().await;
    let (pool, finder) = (&portal.pool, &portal.finder);
    let ada = member(pool, "ada").await;
    assert_eq!(finder.find(&ada, &want(1, Link::Any)).await.unwrap().lack, Some(Lack::NoCards));
    let (id, cards) = host(pool, "rig", 4).await;
    learn_links(pool, id, &cards).await;
    let find = async |want: &Want| finder.find(&ada, want).await.unwrap();

    let pair = find(&want(2, Link::NvLink)).await;
    assert_eq!((pair.fitting, pair.free), (4, 4));
    assert_eq!((numbers(&pair.suggestions[0]), pair.suggestions[0].link.as_deref()), (vec![0, 2], Some("NV1")));
    let hopper = Want { architecture: Some("Hopper".to_owned()), ..want(1, Link::Any) };
    assert_eq!(find(&hopper).await.fitting, 4);

    let booked = NewReservation::of_cards(vec![cards[2].clone()], hours(1, 2), "x", Uuid::new_v4());
    portal.reservations.book(&ada, &booked).await.unwrap();
    assert_eq!(numbers(&find(&want(2, Link::NvLink)).await.suggestions[0]), [1, 3]);

    write(pool, "update card set not_bookable = $1 where card_index = 3", "new fan").await;
    let none = find(&want(2, Link::NvLink)).await;
    assert_eq!((none.lack, none.fitting), (Some(Lack::Taken), 3));
    assert_eq!((none.suggestions[0].reason, none.suggestions[0].window), (Reason::Later, hours(2, 6)));

    write(pool, "insert into card_label select card_uuid, $1 from card where card_index = 1", "training").await;
    write(pool, "insert into host_label select host_id, $1 from host", "basement").await;
    let labels = ["training", "basement"].map(str::to_owned).to_vec();
    assert_eq!(numbers(&find(&Want { labels, ..want(1, Link::Any) }).await.suggestions[0]), [1]);
}

#[tokio::test]
async fn advice_names_who_and_what_is_in_the_way_and_what_works() {
    let portal = portal().await;
    let (pool, finder) = (&portal.pool, &portal.finder);
    let (ada, bob) = (member(pool, "ada").await, member(pool, "bob").await);
    let (_, cards) = host(pool, "rig", 3).await;
    let book = async |card: &CardUuid, window| {
        let wish = NewReservation::of_cards(vec![card.clone()], window, "x", Uuid::new_v4());
        portal.reservations.book(&bob, &wish).await.unwrap()
    };
    let booking = book(&cards[0], hours(2, 3)).await;
    let free = finder.advise(&ada, &ask(&[&cards[0]], hours(0, 2))).await.unwrap();
    assert!(free.clashes.is_empty() && free.closed.is_empty() && free.instead.is_empty());
    assert_eq!(free.free_until, Some(hours(2, 3).start()));

    let advice = finder.advise(&ada, &ask(&[&cards[0]], hours(0, 4))).await.unwrap();
    assert_eq!((advice.clashes.len(), advice.clashes[0].holder.as_str()), (1, "Person bob"));
    let ways: Vec<_> = advice.instead.iter().map(|way| (way.reason, numbers(way), way.window)).collect();
    assert_eq!(
        ways,
        [
            (Reason::Shorter, vec![0], hours(0, 2)),
            (Reason::Elsewhere, vec![1], hours(0, 4)),
            (Reason::SameLater, vec![0], hours(3, 7)),
        ]
    );
    let edit = AdviceAsk { replaces: Some(booking), ..ask(&[&cards[0]], hours(0, 4)) };
    let edit = finder.advise(&bob, &edit).await.unwrap();
    assert!(edit.clashes.is_empty() && edit.instead.is_empty(), "what it holds itself is not in the way");

    write(pool, "update card set not_bookable = $1 where card_index = 1", "new fan").await;
    let unknown = CardUuid::parse("GPU-none").unwrap();
    let shut = finder.advise(&ada, &ask(&[&cards[1], &unknown], hours(0, 4))).await.unwrap();
    let why: Vec<_> = shut.closed.into_iter().map(|closed| closed.why).collect();
    assert_eq!(why, [ClosedWhy::Unknown, ClosedWhy::NotBookable { reason: "new fan".to_owned() }]);
}

#[tokio::test]
async fn maintenance_is_in_the_way_of_everybody() {
    let portal = portal().await;
    let (pool, finder) = (&portal.pool, &portal.finder);
    let ada = member(pool, "ada").await;
    let (_, cards) = host(pool, "rig", 1).await;
    sqlx::query(
        "insert into maintenance (maintenance_id, reason, during, everywhere, made_by, made_at)
         values ($1, 'new rack', tstzrange($2, $3), true, $4, $2)",
    )
    .bind(Uuid::now_v7())
    .bind(hours(1, 2).start())
    .bind(hours(1, 2).end())
    .bind(ada.id.0)
    .execute(pool)
    .await
    .unwrap();
    write(pool, "select $1", "").await;
    let found = finder.find(&ada, &want(1, Link::Any)).await.unwrap();
    assert_eq!((found.lack, found.suggestions[0].window), (Some(Lack::Taken), hours(2, 6)));
    let advice = finder.advise(&ada, &ask(&[&cards[0]], hours(0, 4))).await.unwrap();
    assert!(matches!(&advice.closed[0].why, ClosedWhy::Maintenance { reason, .. } if reason == "new rack"));
    assert_eq!(advice.instead.iter().map(|way| way.reason).collect::<Vec<_>>(), [Reason::Shorter, Reason::SameLater]);
}

#[tokio::test]
async fn cards_that_others_use_unbooked_are_not_offered_and_a_silent_day_ends_offers() {
    let portal = portal().await;
    let (pool, finder) = (&portal.pool, &portal.finder);
    let (ada, bob) = (member(pool, "ada").await, member(pool, "bob").await);
    let (id, _) = host(pool, "rig", 0).await;
    for index in 0..2 {
        sqlx::query(
            "insert into card (card_uuid, host_id, gpu, card_index, name, memory_mib, first_seen, last_seen)
             values ($1, $2, $1, $3, 'NVIDIA H100 80GB HBM3', 81559, $4, $4)",
        )
        .bind(uuid("rig", index).as_str())
        .bind(id.0)
        .bind(i32::try_from(index).unwrap())
        .bind(MORNING)
        .execute(pool)
        .await
        .unwrap();
    }
    let mapping = |person: UserId| Mapping {
        host: None,
        os_user: "ada".to_owned(),
        person,
        name: "Ada".to_owned(),
        proven: true,
    };
    portal.live.set_people(vec![mapping(ada.id)]);
    let mut said = report("rig", 1, &[0, 1], 60);
    said.cards[1].processes = Some(Vec::new());
    said.cards[1].sample.memory_used_mib = Reading::Value(10);
    portal.live.report(id, "rig", &mut said, MORNING);
    let one = want(1, Link::Any);
    assert_eq!(finder.find(&bob, &one).await.unwrap().free, 1, "ada is on card 0");
    assert_eq!(finder.find(&ada, &one).await.unwrap().free, 2, "that is no obstacle for ada");
    assert_eq!(numbers(&finder.find(&bob, &one).await.unwrap().suggestions[0]), [1]);

    sqlx::query("update host set last_report_at = $1").bind(MORNING).execute(pool).await.unwrap();
    portal.clock.advance(Duration::hours(25));
    let late = Want { when: Span::At(hours(25, 26)), ..one };
    assert_eq!(finder.find(&ada, &late).await.unwrap().lack, Some(Lack::NoCards));
}

#[tokio::test]
async fn a_refusal_says_what_works_instead() {
    let portal = portal().await;
    let pool = &portal.pool;
    let (ada, bob) = (member(pool, "ada").await, member(pool, "bob").await);
    let (_, cards) = host(pool, "rig", 2).await;
    let wish = |card: usize, window| NewReservation::of_cards(vec![cards[card].clone()], window, "x", Uuid::new_v4());
    portal.reservations.book(&bob, &wish(0, hours(2, 3))).await.unwrap();
    let refusal = portal.reservations.book(&ada, &wish(0, hours(0, 4))).await.unwrap_err();
    assert_eq!(refusal.code, ErrorCode::Overlap);
    let ways = |refusal: &ApiError| {
        refusal.instead.iter().map(|way| (way.reason, numbers(way), way.window)).collect::<Vec<_>>()
    };
    assert_eq!(
        ways(&refusal),
        [
            (Reason::Shorter, vec![0], hours(0, 2)),
            (Reason::Elsewhere, vec![1], hours(0, 4)),
            (Reason::SameLater, vec![0], hours(3, 7)),
        ]
    );

    // An edit: what the booking holds itself is in nobody's way.
    let own = portal.reservations.book(&ada, &wish(0, hours(0, 1))).await.unwrap();
    let longer = EditAsk {
        reservation: own,
        edit: Edit::Set(Target { window: Some(hours(0, 3)), ..Target::default() }),
        scope: Scope::One,
        version: None,
        idempotency_key: Uuid::new_v4(),
    };
    let refusal = portal.reservations.edit(&ada, &longer).await.unwrap_err();
    assert_eq!(ways(&refusal)[0], (Reason::Shorter, vec![0], hours(0, 2)));

    write(pool, "update card set not_bookable = $1 where card_index = 0", "new fan").await;
    let refusal = portal.reservations.book(&ada, &wish(0, hours(5, 6))).await.unwrap_err();
    assert_eq!(refusal.code, ErrorCode::CardNotBookable);
    assert_eq!(ways(&refusal), [(Reason::Elsewhere, vec![1], hours(5, 6))]);
}
