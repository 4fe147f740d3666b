//! The machines and people of the model: few cards, so that everybody is in everybody's way.

use domain::id::{CardUuid, HostId, UserId};
use domain::user::Role;
use domain::wire::page::Viewer;
use sqlx::PgPool;
use uuid::Uuid;

use crate::clock::MORNING;
use crate::fleet::{host, member, person};
use crate::naive::rules::LAWS;
use crate::naive::{Books, Part};

/// Members; one administrator comes on top.
const MEMBERS: usize = 5;
/// Shares of the card that is open for them.
const SHARES: u32 = 4;
/// Instances of the card that is cut.
const INSTANCES: i32 = 3;
/// The first so many members are in a group; the first of all manages it.
const STUDENTS: usize = 3;
const GROUP: Uuid = Uuid::from_u128(1);

/// A row of the table of cards.
#[derive(Clone, Debug)]
pub struct Card {
    pub uuid: CardUuid,
    pub host: HostId,
    /// What of which physical card it is.
    pub part: Part,
    /// Not well, or cut into instances: never to be had.
    pub unwell: bool,
    /// It, or its host, is labelled so.
    pub training: bool,
}

/// Everything that a walk happens in.
#[derive(Clone, Debug)]
pub struct Park {
    pub cards: Vec<Card>,
    /// Open for shares from the start.
    pub shared: CardUuid,
    /// The administrator is the last one.
    pub people: Vec<Viewer>,
}

impl Park {
    /// Puts it into an empty database.
    pub async fn found(pool: &PgPool) -> Self {
        Self::of_people(pool, MEMBERS).await
    }

    /// The same with so many members.
    pub async fn of_people(pool: &PgPool, members: usize) -> Self {
        let mut cards = Vec::new();
        let mut whole = |host: HostId, uuids: &[CardUuid]| {
            for uuid in uuids {
                let part = Part { gpu: uuid.to_string(), from: 0, to: None };
                cards.push(Card { uuid: uuid.clone(), host, part, unwell: false, training: false });
            }
        };
        let (ash, uuids) = host(pool, "ash", 4).await;
        whole(ash, &uuids);
        let (birch, uuids) = host(pool, "birch", 3).await;
        whole(birch, &uuids);
        let (cedar, uuids) = host(pool, "cedar", 2).await;
        whole(cedar, &uuids);
        let lost = cards.pop().unwrap();
        let shared = cards[7].uuid.clone();
        sqlx::query("update card set shares = $2, share_memory_mib = 16384 where card_uuid = $1")
            .bind(shared.as_str())
            .bind(i32::try_from(SHARES).unwrap())
            .execute(pool)
            .await
            .unwrap();
        sqlx::query("update card set health = 'lost' where card_uuid = $1")
            .bind(lost.uuid.as_str())
            .execute(pool)
            .await
            .unwrap();
        // A label of a card, and one of a host.
        sqlx::query("insert into card_label (card_uuid, label) values ($1, 'training')")
            .bind(cards[0].uuid.as_str())
            .execute(pool)
            .await
            .unwrap();
        sqlx::query("insert into host_label (host_id, label) values ($1, 'training')")
            .bind(birch.0)
            .execute(pool)
            .await
            .unwrap();
        for card in &mut cards {
            card.training = card.host == birch;
        }
        cards[0].training = true;
        let cut = cards[6].clone();
        for k in 0..INSTANCES {
            cards.push(instance(pool, &cut, k).await);
        }
        sqlx::query("update card set mig_on = true where card_uuid = $1")
            .bind(cut.uuid.as_str())
            .execute(pool)
            .await
            .unwrap();
        cards[6].unwell = true;
        cards.push(Card { unwell: true, ..lost });

        let mut people = Vec::new();
        for n in 0..members {
            people.push(member(pool, &format!("p{n}")).await);
        }
        people.push(person(pool, "root", "Root", Role::Administrator).await);
        found_rules(pool, &people).await;
        Self { cards, shared, people }
    }

    /// Who manages the students, being one of them.
    pub fn manager(&self) -> UserId {
        self.people[0].id
    }

    pub fn is_student(&self, person: UserId) -> bool {
        self.people[..STUDENTS].iter().any(|student| student.id == person)
    }

    /// Cards that can be booked.
    pub fn well(&self) -> Vec<&Card> {
        self.cards.iter().filter(|card| !card.unwell).collect()
    }

    /// Somebody with an account.
    pub fn knows(&self, person: UserId) -> bool {
        self.people.iter().any(|known| known.id == person)
    }

    /// What the model knows of it before anything has happened.
    pub fn books(&self) -> Books {
        let mut books = Books::default();
        books.shares.insert(self.shared.clone(), SHARES);
        books
    }

    pub fn card(&self, uuid: &CardUuid) -> Option<&Card> {
        self.cards.iter().find(|card| card.uuid == *uuid)
    }
}

/// The group of students, and all rules, none of which is in force.
async fn found_rules(pool: &PgPool, people: &[Viewer]) {
    let root = people.last().unwrap().id.0;
    sqlx::query("insert into person_group (group_id, name, made_at) values ($1, 'Students', $2)")
        .bind(GROUP)
        .bind(MORNING)
        .execute(pool)
        .await
        .unwrap();
    for (n, student) in people[..STUDENTS].iter().enumerate() {
        sqlx::query("insert into group_member (group_id, user_id, manager) values ($1, $2, $3)")
            .bind(GROUP)
            .bind(student.id.0)
            .bind(n == 0)
            .execute(pool)
            .await
            .unwrap();
    }
    for (n, law) in LAWS.iter().enumerate() {
        sqlx::query(
            "insert into rule (rule_id, name, group_id, label, body, made_by, made_at, removed_at)
             values ($1, $2, $3, $4, $5, $6, $7, $7)",
        )
        .bind(Uuid::from_u128(n as u128))
        .bind(law.name)
        .bind(law.students.then_some(GROUP))
        .bind(law.training.then_some("training"))
        .bind(sqlx::types::Json((law.limit)()))
        .bind(root)
        .bind(MORNING)
        .execute(pool)
        .await
        .unwrap();
    }
}

/// Puts a rule in force, or takes it out of force, while nothing else goes on.
pub async fn set_rule(pool: &PgPool, law: usize, on: bool) {
    let statement = "update rule set removed_at = case when $2 then null else made_at end where rule_id = $1";
    let id = Uuid::from_u128(law as u128);
    sqlx::query(statement).bind(id).bind(on).execute(pool).await.unwrap();
}

async fn instance(pool: &PgPool, whole: &Card, k: i32) -> Card {
    let uuid = CardUuid::parse(&format!("MIG-{k}-of-{}", whole.uuid)).unwrap();
    sqlx::query(
        "insert into card (card_uuid, host_id, gpu, slices, card_index, instance, name, memory_mib, first_seen, last_seen)
         select $1, host_id, gpu, int4range($2, $2 + 1), card_index, $2, name, 10240, first_seen, last_seen
         from card where card_uuid = $3",
    )
    .bind(uuid.as_str())
    .bind(k)
    .bind(whole.uuid.as_str())
    .execute(pool)
    .await
    .unwrap();
    let part = Part { gpu: whole.part.gpu.clone(), from: k, to: Some(k + 1) };
    Card { uuid, host: whole.host, part, unwell: false, training: whole.training }
}
