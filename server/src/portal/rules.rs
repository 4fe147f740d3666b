//! Groups, labels and what administrators allow.

use app::port::Rules;
use async_trait::async_trait;
use domain::error::ApiError;
use domain::id::{CardUuid, GroupId, HostId, RuleId, UserId};
use domain::user::Act;
use domain::wire::rules::{GroupsPage, LabelsPage, OwnRules, RuleAsk, RulesPage, Trial};
use domain::zone::ZoneTable;

use super::RequestPortal;
use crate::service::groups::{self, Membership};
use crate::service::rules::trial;
use crate::service::upkeep::By;
use crate::service::{labels, rules};
use crate::zone;

impl RequestPortal {
    /// Somebody who is signed in; what they may do is found out by the service.
    fn somebody(&self) -> Result<By<'_>, ApiError> {
        let viewer = self.caller.person()?;
        let now = self.services.clock.now();
        let zone = self.caller.zone.as_deref().map_or_else(ZoneTable::utc, |name| zone::table(name, now));
        Ok(By { viewer, zone, address: Some(self.caller.address) })
    }

    /// An administrator.
    fn ruler(&self) -> Result<By<'_>, ApiError> {
        self.caller.may(Act::ManageRules)?;
        self.somebody()
    }
}

#[async_trait]
impl Rules for RequestPortal {
    async fn own_rules(&self) -> Result<OwnRules, ApiError> {
        rules::own(&self.services, self.caller.may(Act::Book)?).await
    }
    async fn rules_page(&self) -> Result<RulesPage, ApiError> {
        self.ruler()?;
        rules::page(&self.services).await
    }
    async fn save_rule(&self, ask: RuleAsk) -> Result<RuleId, ApiError> {
        rules::save(&self.services, &self.ruler()?, &ask).await
    }
    async fn remove_rule(&self, rule: RuleId) -> Result<(), ApiError> {
        rules::remove(&self.services, &self.ruler()?, rule).await
    }
    async fn try_rule(&self, ask: RuleAsk) -> Result<Trial, ApiError> {
        trial::run(&self.services, &self.ruler()?, &ask).await
    }
    async fn set_approval_hours(&self, hours: u32) -> Result<(), ApiError> {
        rules::set_approval_hours(&self.services, &self.ruler()?, hours).await
    }
    async fn groups_page(&self) -> Result<GroupsPage, ApiError> {
        groups::page(&self.services, self.caller.person()?).await
    }
    async fn make_group(&self, name: String) -> Result<GroupId, ApiError> {
        groups::make(&self.services, &self.ruler()?, &name).await
    }
    async fn rename_group(&self, group: GroupId, name: String) -> Result<(), ApiError> {
        groups::rename(&self.services, &self.ruler()?, group, &name).await
    }
    async fn delete_group(&self, group: GroupId) -> Result<(), ApiError> {
        groups::delete(&self.services, &self.ruler()?, group).await
    }
    async fn set_member(&self, group: GroupId, person: UserId, manager: bool) -> Result<(), ApiError> {
        let becomes = if manager { Membership::Manager } else { Membership::Member };
        groups::set_member(&self.services, &self.somebody()?, group, person, becomes).await
    }
    async fn remove_member(&self, group: GroupId, person: UserId) -> Result<(), ApiError> {
        groups::set_member(&self.services, &self.somebody()?, group, person, Membership::None).await
    }
    async fn labels_page(&self) -> Result<LabelsPage, ApiError> {
        self.ruler()?;
        labels::page(&self.services).await
    }
    async fn set_host_labels(&self, host: HostId, labels: String) -> Result<(), ApiError> {
        labels::set_host(&self.services, &self.ruler()?, host, &labels).await
    }
    async fn set_card_labels(&self, card: CardUuid, labels: String) -> Result<(), ApiError> {
        labels::set_card(&self.services, &self.ruler()?, &card, &labels).await
    }
}
