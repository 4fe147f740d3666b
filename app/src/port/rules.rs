//! Groups, labels and what administrators allow.

use async_trait::async_trait;
use domain::error::ApiError;
use domain::id::{CardUuid, GroupId, HostId, RuleId, UserId};
use domain::wire::rules::{GroupsPage, LabelsPage, OwnRules, RuleAsk, RulesPage, Trial};

/// Groups, labels and what administrators allow. Every method authorises by the caller's role.
#[async_trait]
pub trait Rules: Send + Sync {
    /// What the browser judges the caller's bookings by while they are typed.
    async fn own_rules(&self) -> Result<OwnRules, ApiError>;

    /// Every rule.
    async fn rules_page(&self) -> Result<RulesPage, ApiError>;
    /// Makes a rule, or puts it in the place of one.
    async fn save_rule(&self, ask: RuleAsk) -> Result<RuleId, ApiError>;
    /// Takes a rule out of force.
    async fn remove_rule(&self, rule: RuleId) -> Result<(), ApiError>;
    /// What a rule would have done in the last 30 days; nothing is saved.
    async fn try_rule(&self, ask: RuleAsk) -> Result<Trial, ApiError>;
    /// Says after how many hours nobody's approval is a no.
    async fn set_approval_hours(&self, hours: u32) -> Result<(), ApiError>;

    /// The groups that the caller looks after.
    async fn groups_page(&self) -> Result<GroupsPage, ApiError>;
    /// Makes a group.
    async fn make_group(&self, name: String) -> Result<GroupId, ApiError>;
    /// Gives a group another name.
    async fn rename_group(&self, group: GroupId, name: String) -> Result<(), ApiError>;
    /// Removes a group that has no rules.
    async fn delete_group(&self, group: GroupId) -> Result<(), ApiError>;
    /// Puts somebody into a group, as one of its managers or not. Managers of the group do it too, but make none.
    async fn set_member(&self, group: GroupId, person: UserId, manager: bool) -> Result<(), ApiError>;
    /// Takes somebody out of a group.
    async fn remove_member(&self, group: GroupId, person: UserId) -> Result<(), ApiError>;

    /// Hosts and cards with their labels.
    async fn labels_page(&self) -> Result<LabelsPage, ApiError>;
    /// Gives a host exactly these labels, spaces between them.
    async fn set_host_labels(&self, host: HostId, labels: String) -> Result<(), ApiError>;
    /// Gives a card exactly these labels of its own, spaces between them.
    async fn set_card_labels(&self, card: CardUuid, labels: String) -> Result<(), ApiError>;
}
