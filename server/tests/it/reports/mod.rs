//! What hosts report, on its way into the database and onto pages.

mod cards;
mod host_page;
mod lies;
mod minutes;
mod order;
mod table;
mod traces;
mod view;

use std::sync::Arc;

use domain::error::ApiError;
use domain::id::HostId;
use domain::wire::agent_v1::{HostTable, Report, ReportReply};
use server::auth::AgentHost;
use server::service::{Services, SiteFacts};
use sqlx::PgPool;
use uuid::Uuid;

use crate::support::clock::{MORNING, TestClock};
use crate::support::cluster::database;

/// A portal that takes reports, without a router.
struct Desk {
    pool: PgPool,
    clock: TestClock,
    services: Services,
}

impl Desk {
    async fn open() -> Self {
        let (pool, clock) = (database(6).await, TestClock::at_morning());
        let services = replica(&pool, &clock).await;
        Self { pool, clock, services }
    }

    /// Adds a host whose agent has enrolled.
    async fn host(&self, name: &str) -> AgentHost {
        let id = HostId(Uuid::now_v7());
        sqlx::query("insert into host (host_id, name, created_at) values ($1, $2, $3)")
            .bind(id.0)
            .bind(name)
            .bind(MORNING)
            .execute(&self.pool)
            .await
            .unwrap();
        AgentHost { id, name: name.to_owned() }
    }

    async fn report(&self, host: &AgentHost, report: Report) -> Result<HostTable, ApiError> {
        Ok(self.reply(host, report).await?.table)
    }

    async fn reply(&self, host: &AgentHost, report: Report) -> Result<ReportReply, ApiError> {
        self.services.ingest.report(host.clone(), report).await
    }

    /// Every card: UUID, host, present.
    async fn cards(&self) -> Vec<(String, Uuid, bool)> {
        sqlx::query_as("select card_uuid, host_id, present from card order by card_uuid")
            .fetch_all(&self.pool)
            .await
            .unwrap()
    }
}

/// One more server on the same database.
async fn replica(pool: &PgPool, clock: &TestClock) -> Services {
    let site = SiteFacts::at("https://berth.example.org");
    let services = Services::new(pool.clone(), Arc::new(clock.clone()), site);
    services.started().await;
    services
}
