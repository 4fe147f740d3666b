//! Maintenance, and cards that are not to be had or are open for shares.

use async_trait::async_trait;
use domain::error::ApiError;
use domain::id::{CardUuid, MaintenanceId};
use domain::upkeep::{CardsPage, MaintenancePage, Plan, PlanAsk, Preview, Shares};

/// Maintenance, and cards that are not to be had or are open for shares. Every method authorises by the caller's role.
#[async_trait]
pub trait Upkeep: Send + Sync {
    /// What is planned, running and past, and what it can be planned for.
    async fn maintenance(&self) -> Result<MaintenancePage, ApiError>;
    /// Who a plan would hit; nothing is saved. `changing` is the maintenance that would become it.
    async fn preview_maintenance(&self, plan: Plan, changing: Option<MaintenanceId>) -> Result<Preview, ApiError>;
    /// Plans it and tells those who are hit.
    async fn plan_maintenance(&self, ask: PlanAsk) -> Result<MaintenanceId, ApiError>;
    /// Makes another plan of one that is not over, and tells whom that concerns.
    async fn change_maintenance(&self, ask: PlanAsk) -> Result<(), ApiError>;
    /// Calls it off, or ends it now where it runs, and tells those who are spared.
    async fn call_off_maintenance(&self, id: MaintenanceId) -> Result<(), ApiError>;

    /// Every host with its cards.
    async fn cared_cards(&self) -> Result<CardsPage, ApiError>;
    /// Keeps a card from being booked, with a reason; `None` lets it be booked again.
    async fn keep_card_back(&self, card: CardUuid, reason: Option<String>) -> Result<(), ApiError>;
    /// Opens a card for shares; `None` closes it.
    async fn share_card(&self, card: CardUuid, shares: Option<Shares>) -> Result<(), ApiError>;
}
