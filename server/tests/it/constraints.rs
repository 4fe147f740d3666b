//! What the database itself refuses, whatever a program does.

use domain::id::CardUuid;
use server::store::constraint;
use sqlx::PgPool;
use uuid::Uuid;

use crate::support::cluster::database;
use crate::support::fleet::{host, member};

/// Writes a booking of one card past all of our code. `slices` and `during` are range literals.
async fn raw(pool: &PgPool, card: &CardUuid, slices: &str, during: &str) -> Result<(), String> {
    let owner: Uuid = sqlx::query_scalar(r#"select user_id from "user" limit 1"#).fetch_one(pool).await.unwrap();
    let id = Uuid::now_v7();
    let mut tx = pool.begin().await.unwrap();
    let outcome = async {
        sqlx::query(
            "insert into reservation (reservation_id, user_id, purpose, during, created_at)
             values ($1, $2, '', '[2026-11-30 10:00Z, 2026-11-30 11:00Z)', '2026-11-30')",
        )
        .bind(id)
        .bind(owner)
        .execute(&mut *tx)
        .await?;
        sqlx::query(
            "insert into reservation_card (reservation_id, card_uuid, gpu, slices, during)
             values ($1, $2, $2, $3::int4range, $4::tstzrange)",
        )
        .bind(id)
        .bind(card.as_str())
        .bind(slices)
        .bind(during)
        .execute(&mut *tx)
        .await?;
        Ok::<_, sqlx::Error>(())
    }
    .await;
    match outcome {
        Ok(()) => {
            tx.commit().await.unwrap();
            Ok(())
        }
        Err(error) => Err(error.as_database_error().unwrap().constraint().unwrap().to_owned()),
    }
}

async fn one_card() -> (PgPool, CardUuid) {
    let pool = database(2).await;
    member(&pool, "ada").await;
    let (_, cards) = host(&pool, "rig", 1).await;
    (pool, cards[0].clone())
}

#[tokio::test]
async fn ranges_that_the_exclusion_alone_lets_through_are_refused() {
    let (pool, card) = one_card().await;
    let bad = [
        "empty",
        "[2026-11-30 10:00Z, 2026-11-30 10:00Z)",
        "(2026-11-30 10:00Z, 2026-11-30 11:00Z)",
        "[2026-11-30 10:00Z, 2026-11-30 11:00Z]",
        "[2026-11-30 10:00Z,)",
        "(,2026-11-30 10:00Z)",
        "(,)",
    ];
    for during in bad {
        let refused = raw(&pool, &card, "[0,)", during).await;
        assert_eq!(refused, Err(constraint::RESERVATION_CARD_DURING_BOUNDED.to_owned()), "{during}");
        let refused = sqlx::query(
            r#"insert into reservation (reservation_id, user_id, purpose, during, created_at)
               select gen_random_uuid(), user_id, '', $1::tstzrange, '2026-11-30' from "user""#,
        )
        .bind(during)
        .execute(&pool)
        .await
        .unwrap_err();
        let name = refused.as_database_error().unwrap().constraint().map(str::to_owned);
        assert_eq!(name.as_deref(), Some(constraint::RESERVATION_DURING_BOUNDED), "{during}");
    }
}

#[tokio::test]
async fn a_part_of_a_card_is_never_nothing() {
    let (pool, card) = one_card().await;
    for slices in ["empty", "[-1,2)", "(,3)"] {
        let refused = raw(&pool, &card, slices, "[2026-11-30 10:00Z, 2026-11-30 11:00Z)").await;
        assert_eq!(refused, Err(constraint::RESERVATION_CARD_SLICES_NOT_EMPTY.to_owned()), "{slices}");
    }
    let refused = sqlx::query("update card set slices = 'empty'").execute(&pool).await.unwrap_err();
    let name = refused.as_database_error().unwrap().constraint().map(str::to_owned);
    assert_eq!(name.as_deref(), Some(constraint::CARD_SLICES_NOT_EMPTY));
}

#[tokio::test]
async fn overlaps_are_refused_and_neighbours_are_not() {
    let (pool, card) = one_card().await;
    let (ten, eleven) = ("[2026-11-30 10:00Z, 2026-11-30 11:00Z)", "[2026-11-30 11:00Z, 2026-11-30 12:00Z)");
    let half_past = "[2026-11-30 10:30Z, 2026-11-30 10:31Z)";
    let held = Err(constraint::RESERVATION_CARD_NO_OVERLAP.to_owned());
    assert_eq!(raw(&pool, &card, "[0,)", ten).await, Ok(()));
    assert_eq!(raw(&pool, &card, "[0,)", eleven).await, Ok(()), "back to back");
    assert_eq!(raw(&pool, &card, "[0,)", half_past).await, held);
    assert_eq!(raw(&pool, &card, "[3,4)", half_past).await, held, "a part of a card that is held whole");
    let afternoon = "[2026-11-30 14:00Z, 2026-11-30 15:00Z)";
    assert_eq!(raw(&pool, &card, "[0,1)", afternoon).await, Ok(()));
    assert_eq!(raw(&pool, &card, "[1,2)", afternoon).await, Ok(()), "another part");
    assert_eq!(raw(&pool, &card, "[1,2)", afternoon).await, held);
    assert_eq!(raw(&pool, &card, "[0,)", afternoon).await, held, "the whole card while parts are held");
}
