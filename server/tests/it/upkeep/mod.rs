//! Maintenance, cards that are not to be had, cards that are open for shares.

mod cards;
mod demo;
mod maintenance;
mod pages;
mod race;

use std::sync::Arc;

use domain::id::{CardUuid, MaintenanceId, ReservationId};
use domain::notice::Body;
use domain::reservation::NewReservation;
use domain::upkeep::{Plan, PlanAsk, Targets};
use domain::user::Role;
use domain::window::Window;
use domain::wire::page::Viewer;
use domain::zone::ZoneTable;
use server::service::upkeep::By;
use server::service::{Services, SiteFacts};
use sqlx::PgPool;
use sqlx::types::Json;
use time::Duration;
use uuid::Uuid;

use crate::support::clock::{MORNING, TestClock};
use crate::support::cluster::database;
use crate::support::fleet::person;

/// A portal with an administrator, Ruth.
struct Desk {
    pool: PgPool,
    clock: TestClock,
    services: Services,
    ruth: Viewer,
}

impl Desk {
    async fn new(connections: u32) -> Self {
        let pool = database(connections).await;
        let clock = TestClock::at_morning();
        let site = SiteFacts::at("http://127.0.0.1:3000");
        let services = Services::new(pool.clone(), Arc::new(clock.clone()), site);
        let ruth = person(&pool, "ruth", "Ruth Keller", Role::Administrator).await;
        Self { pool, clock, services, ruth }
    }

    fn by(&self) -> By<'_> {
        By { viewer: &self.ruth, zone: ZoneTable::utc(), address: Some([192, 0, 2, 7].into()) }
    }

    async fn book(&self, who: &Viewer, cards: &[CardUuid], window: Window) -> ReservationId {
        self.services.reservations.book(who, &wish(cards, window)).await.unwrap()
    }

    /// What somebody has been told, oldest first.
    async fn told(&self, who: &Viewer) -> Vec<Body> {
        let rows: Vec<Json<Body>> = sqlx::query_scalar("select body from notice where user_id = $1 order by notice_id")
            .bind(who.id.0)
            .fetch_all(&self.pool)
            .await
            .unwrap();
        rows.into_iter().map(|Json(body)| body).collect()
    }

    /// The actions in the record, with who did them from where.
    async fn record(&self) -> Vec<(String, Option<Uuid>, Option<String>)> {
        sqlx::query_as("select action, actor, address from audit where action !~ '^reservation' order by audit_id")
            .fetch_all(&self.pool)
            .await
            .unwrap()
    }
}

/// Hours from [`MORNING`].
fn hours(from: i64, until: i64) -> Window {
    Window::new(MORNING + Duration::hours(from), MORNING + Duration::hours(until)).unwrap()
}

fn wish(cards: &[CardUuid], window: Window) -> NewReservation {
    NewReservation::of_cards(cards.to_vec(), window, "training", Uuid::new_v4())
}

fn plan(window: Window, targets: Targets) -> PlanAsk {
    let plan = Plan { reason: "New fans".to_owned(), window, targets };
    PlanAsk { id: MaintenanceId(Uuid::now_v7()), plan, seen: None }
}

fn of_cards(cards: &[CardUuid]) -> Targets {
    Targets { cards: cards.to_vec(), ..Targets::default() }
}
