//! Rules, groups and labels.

use domain::error::ApiError;
use domain::id::{CardUuid, GroupId, HostId, RuleId, UserId};
use domain::rules::draft::RuleDraft;
use domain::wire::rules::{GroupsPage, LabelsPage, OwnRules, RulesPage, Trial};
use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use serde::{Deserialize, Serialize};

use crate::error::AppError;

/// What the address of the page of rules asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RulesLook {
    /// A rule that is to be changed, by id.
    pub change: String,
    /// The form as it was filled; as it was opened where only its kind is said.
    pub draft: RuleDraft,
    /// It was filled.
    pub filled: bool,
    /// It is to be tried.
    pub tried: bool,
}

/// The page of rules.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RulesView {
    /// What there is.
    pub page: RulesPage,
    /// The open form.
    pub form: Option<RuleDraft>,
    /// What the rule in it would have done, where that was asked for.
    pub tried: Option<Result<Trial, ApiError>>,
}

/// What the browser judges by while somebody types. The server judges again.
#[server(name = LoadOwnRules, prefix = "/api/page", endpoint = "own_rules")]
pub async fn own_rules() -> Result<OwnRules, AppError> {
    use crate::{error::answer, port::portal};
    answer(async { portal()?.own_rules().await }.await)
}

/// Every rule, and what the form in the address would do.
#[server(name = LoadRules, prefix = "/api/page", endpoint = "rules", input = Json)]
pub async fn rules(look: RulesLook) -> Result<RulesView, AppError> {
    crate::error::answer(crate::pages::admin::rules::look::view(look).await)
}

/// Makes a rule, or puts it in the place of one.
#[server(prefix = "/api/page", endpoint = "save_rule")]
pub async fn save_rule(#[server(flatten)] draft: RuleDraft) -> Result<(), AppError> {
    use crate::pages::admin::rules::look;
    use crate::{error::answer_form, port::portal};
    let typed = look::typed(&draft);
    answer_form::<SaveRule>(async { portal()?.save_rule(look::read(&draft)?).await.map(drop) }.await, &typed)?;
    leptos_axum::redirect("/admin/rules");
    Ok(())
}

/// Takes a rule out of force.
#[server(prefix = "/api/page", endpoint = "remove_rule")]
pub async fn remove_rule(rule: RuleId) -> Result<(), AppError> {
    use crate::{error::answer, port::portal};
    answer(async { portal()?.remove_rule(rule).await }.await)?;
    leptos_axum::redirect("/admin/rules");
    Ok(())
}

/// Says after how many hours nobody's approval is a no.
#[server(prefix = "/api/page", endpoint = "set_approval_hours")]
pub async fn set_approval_hours(hours: String) -> Result<(), AppError> {
    use crate::{error::answer_form, port::portal};
    // What is no number is refused as one that is too small.
    let number = hours.trim().parse().unwrap_or_default();
    let done = async { portal()?.set_approval_hours(number).await }.await;
    answer_form::<SetApprovalHours>(done, &[("approval", hours)])?;
    leptos_axum::redirect("/admin/rules#approval");
    Ok(())
}

/// The groups that the viewer looks after.
#[server(name = LoadGroups, prefix = "/api/page", endpoint = "groups")]
pub async fn groups() -> Result<GroupsPage, AppError> {
    use crate::{error::answer, port::portal};
    answer(async { portal()?.groups_page().await }.await)
}

/// Makes a group.
#[server(prefix = "/api/page", endpoint = "make_group")]
pub async fn make_group(name: String) -> Result<(), AppError> {
    use crate::{error::answer_form, port::portal};
    let typed = [("name", name.clone())];
    let made = answer_form::<MakeGroup>(async { portal()?.make_group(name).await.map(drop) }.await, &typed);
    made?;
    leptos_axum::redirect("/admin/groups");
    Ok(())
}

/// Gives a group another name.
#[server(prefix = "/api/page", endpoint = "rename_group")]
pub async fn rename_group(group: GroupId, name: String) -> Result<(), AppError> {
    use crate::{error::answer, port::portal};
    answer(async { portal()?.rename_group(group, name).await }.await)?;
    to_group(group);
    Ok(())
}

/// Removes a group that has no rules.
#[server(prefix = "/api/page", endpoint = "delete_group")]
pub async fn delete_group(group: GroupId) -> Result<(), AppError> {
    use crate::{error::answer, port::portal};
    answer(async { portal()?.delete_group(group).await }.await)?;
    leptos_axum::redirect("/admin/groups");
    Ok(())
}

/// Puts somebody into a group, or changes what they are in it.
#[server(prefix = "/api/page", endpoint = "set_member")]
pub async fn set_member(group: GroupId, person: String, #[server(default)] manager: bool) -> Result<(), AppError> {
    use crate::{error::answer, port::portal};
    use domain::error::ErrorCode;
    // Nobody was chosen, without scripts that would have said so.
    let unknown = |_| ApiError::new(ErrorCode::UnknownPerson, domain::text::t().errors.unknown_person);
    let done = async {
        let person: UserId = person.parse().map_err(unknown)?;
        portal()?.set_member(group, person, manager).await
    };
    answer(done.await)?;
    to_group(group);
    Ok(())
}

/// Takes somebody out of a group.
#[server(prefix = "/api/page", endpoint = "remove_member")]
pub async fn remove_member(group: GroupId, person: UserId) -> Result<(), AppError> {
    use crate::{error::answer, port::portal};
    answer(async { portal()?.remove_member(group, person).await }.await)?;
    to_group(group);
    Ok(())
}

#[cfg(feature = "ssr")]
fn to_group(group: GroupId) {
    leptos_axum::redirect(&format!("/admin/groups#group-{group}"));
}

/// Hosts and cards with their labels.
#[server(name = LoadLabels, prefix = "/api/page", endpoint = "labels")]
pub async fn labels() -> Result<LabelsPage, AppError> {
    use crate::{error::answer, port::portal};
    answer(async { portal()?.labels_page().await }.await)
}

/// Gives a host exactly these labels.
#[server(prefix = "/api/page", endpoint = "set_host_labels")]
pub async fn set_host_labels(host: HostId, #[server(default)] labels: String) -> Result<(), AppError> {
    use crate::{error::answer_form, port::portal};
    let typed = [("host", host.to_string()), ("card", String::new()), ("labels", labels.clone())];
    answer_form::<SetHostLabels>(async { portal()?.set_host_labels(host, labels).await }.await, &typed)?;
    leptos_axum::redirect(&format!("/admin/labels#host-{host}"));
    Ok(())
}

/// Gives a card exactly these labels of its own; `host` is where the page comes back to.
#[server(prefix = "/api/page", endpoint = "set_card_labels")]
pub async fn set_card_labels(
    card: CardUuid,
    #[server(default)] labels: String,
    #[server(default)] host: String,
) -> Result<(), AppError> {
    use crate::{error::answer_form, port::portal};
    let typed = [("host", host.clone()), ("card", card.to_string()), ("labels", labels.clone())];
    answer_form::<SetCardLabels>(async { portal()?.set_card_labels(card, labels).await }.await, &typed)?;
    // Only an id of ours leads anywhere.
    if let Ok(host) = host.parse::<HostId>() {
        leptos_axum::redirect(&format!("/admin/labels?host={host}#host-{host}"));
    }
    Ok(())
}
