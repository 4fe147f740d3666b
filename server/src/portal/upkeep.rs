//! Maintenance, and cards that are not to be had or are open for shares.

use app::port::Upkeep;
use async_trait::async_trait;
use domain::error::ApiError;
use domain::id::{CardUuid, MaintenanceId};
use domain::upkeep::{CardsPage, MaintenancePage, Plan, PlanAsk, Preview, Shares};
use domain::user::Act;
use domain::zone::ZoneTable;

use super::RequestPortal;
use crate::service::upkeep::{self, By, cards};
use crate::zone;

impl RequestPortal {
    /// The administrator who looks after hosts and cards.
    fn keeper(&self) -> Result<By<'_>, ApiError> {
        let viewer = self.caller.may(Act::ManageHosts)?;
        let now = self.services.clock.now();
        let zone = self.caller.zone.as_deref().map_or_else(ZoneTable::utc, |name| zone::table(name, now));
        Ok(By { viewer, zone, address: Some(self.caller.address) })
    }
}

#[async_trait]
impl Upkeep for RequestPortal {
    async fn maintenance(&self) -> Result<MaintenancePage, ApiError> {
        self.caller.may(Act::ManageHosts)?;
        upkeep::page(&self.services).await
    }
    async fn preview_maintenance(&self, plan: Plan, changing: Option<MaintenanceId>) -> Result<Preview, ApiError> {
        self.caller.may(Act::ManageHosts)?;
        upkeep::preview(&self.services, &plan, changing).await
    }
    async fn plan_maintenance(&self, ask: PlanAsk) -> Result<MaintenanceId, ApiError> {
        upkeep::plan(&self.services, &self.keeper()?, &ask).await
    }
    async fn change_maintenance(&self, ask: PlanAsk) -> Result<(), ApiError> {
        upkeep::change(&self.services, &self.keeper()?, &ask).await
    }
    async fn call_off_maintenance(&self, id: MaintenanceId) -> Result<(), ApiError> {
        upkeep::call_off(&self.services, &self.keeper()?, id).await
    }
    async fn cared_cards(&self) -> Result<CardsPage, ApiError> {
        self.caller.may(Act::ManageHosts)?;
        cards::page(&self.services).await
    }
    async fn keep_card_back(&self, card: CardUuid, reason: Option<String>) -> Result<(), ApiError> {
        cards::keep_back(&self.services, &self.keeper()?, &card, reason.as_deref()).await
    }
    async fn share_card(&self, card: CardUuid, shares: Option<Shares>) -> Result<(), ApiError> {
        cards::share(&self.services, &self.keeper()?, &card, shares).await
    }
}
