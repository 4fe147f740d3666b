//! Nothing is ever half done: the connection is cut in the middle of a deed, at every place where it writes.

use domain::error::ErrorCode;
use domain::reservation::edit::{Edit, Target};
use domain::reservation::series::{Every, NewSeries, Repeat, RepeatEnd, Take};

use super::{Portal, hours, portal, wish};
use crate::support::fleet::{host, member};

/// Everything that deeds write.
const TABLES: [&str; 6] = ["reservation", "reservation_card", "reservation_person", "request_key", "audit", "change"];

async fn rows(portal: &Portal) -> Vec<String> {
    let mut all = Vec::new();
    for table in TABLES {
        let statement = format!("select coalesce(string_agg(t::text, E'\\n' order by t::text), '') from {table} t");
        let rows: String =
            sqlx::query_scalar(sqlx::AssertSqlSafe(statement)).fetch_one(&portal.pool).await.expect(table);
        all.push(rows);
    }
    all
}

/// From now on, whoever writes to the table loses the connection there and then.
async fn cut_at(portal: &Portal, table: &str, on: bool) {
    let statement = if on {
        format!(
            "create or replace function cut() returns trigger language plpgsql as
             $$ begin perform pg_terminate_backend(pg_backend_pid()); perform pg_sleep(10); return new; end $$;
             create trigger cut before insert or update or delete on {table} for each row execute function cut()"
        )
    } else {
        format!("drop trigger cut on {table}")
    };
    sqlx::raw_sql(sqlx::AssertSqlSafe(statement)).execute(&portal.pool).await.expect(table);
}

#[tokio::test]
async fn a_connection_that_is_cut_leaves_everything_or_nothing() {
    let portal = portal(3).await;
    let (ada, bob) = (member(&portal.pool, "ada").await, member(&portal.pool, "bob").await);
    let (_, cards) = host(&portal.pool, "rig", 3).await;
    let id = portal.book(&ada, &cards[..2], hours(2, 4)).await;
    let before = rows(&portal).await;
    let target = Target {
        window: Some(hours(3, 6)),
        cards: Some(cards[1..].to_vec()),
        purpose: Some("new".to_owned()),
        co_users: Some(vec![bob.id]),
        ..Target::default()
    };
    let series = || NewSeries {
        first: wish(&cards, hours(24, 26)),
        repeat: Repeat { every: Every::Day, end: RepeatEnd::Times(3) },
        take: Take::FreeOnes,
        doubled: None,
    };
    for table in TABLES {
        cut_at(&portal, table, true).await;
        let edited = portal.edit(&ada, id, Edit::Set(target.clone())).await;
        assert_eq!(edited.unwrap_err().code, ErrorCode::Unavailable, "{table}");
        if table != "reservation_person" {
            let cancelled = portal.edit(&ada, id, Edit::Cancel).await;
            assert_eq!(cancelled.unwrap_err().code, ErrorCode::Unavailable, "{table}");
            let booked = portal.reservations.book_series(&ada, &series()).await;
            assert_eq!(booked.unwrap_err().code, ErrorCode::Unavailable, "{table}");
        }
        cut_at(&portal, table, false).await;
        assert_eq!(rows(&portal).await, before, "{table}");
    }
    portal.edit(&ada, id, Edit::Set(target)).await.expect("and then it works");
    portal.reservations.book_series(&ada, &series()).await.unwrap();
}
