//! `app::port::Rules`.

use app::port::Portal;
use domain::id::{CardUuid, GroupId, HostId, RuleId, UserId};
use domain::rules::Limit;
use domain::wire::rules::RuleAsk;
use uuid::Uuid;

use super::{Gate, Row, gate};

/// One method; `None` where it is none of these.
pub async fn call(portal: &impl Portal, method: &str) -> Option<Gate> {
    let nil = Uuid::nil();
    let (group, person) = (GroupId(nil), UserId(nil));
    // Refused for want of a name, once the gate is passed.
    let ask = RuleAsk { id: None, name: String::new(), group: None, label: None, limit: Limit::Approval };
    Some(match method {
        "own_rules" => gate(portal.own_rules().await),
        "rules_page" => gate(portal.rules_page().await),
        "save_rule" => gate(portal.save_rule(ask).await),
        "remove_rule" => gate(portal.remove_rule(RuleId(nil)).await),
        "try_rule" => gate(portal.try_rule(ask).await),
        "set_approval_hours" => gate(portal.set_approval_hours(0).await),
        "groups_page" => gate(portal.groups_page().await),
        "make_group" => gate(portal.make_group(String::new()).await),
        "rename_group" => gate(portal.rename_group(group, "x".to_owned()).await),
        "delete_group" => gate(portal.delete_group(group).await),
        "set_member" => gate(portal.set_member(group, person, false).await),
        "remove_member" => gate(portal.remove_member(group, person).await),
        "labels_page" => gate(portal.labels_page().await),
        "set_host_labels" => gate(portal.set_host_labels(HostId(nil), String::new()).await),
        "set_card_labels" => gate(portal.set_card_labels(CardUuid::parse("GPU-none").unwrap(), String::new()).await),
        _ => return None,
    })
}

/// Its rows.
pub const ROWS: &[Row] = {
    use Gate::{Open, Role, SignIn};
    &[
        ("own_rules", [SignIn, Open, Open]),
        ("rules_page", [SignIn, Role, Open]),
        ("save_rule", [SignIn, Role, Open]),
        ("remove_rule", [SignIn, Role, Open]),
        ("try_rule", [SignIn, Role, Open]),
        ("set_approval_hours", [SignIn, Role, Open]),
        // What managers may do with their own groups is tested with the groups.
        ("groups_page", [SignIn, Role, Open]),
        ("make_group", [SignIn, Role, Open]),
        ("rename_group", [SignIn, Role, Open]),
        ("delete_group", [SignIn, Role, Open]),
        ("set_member", [SignIn, Role, Open]),
        ("remove_member", [SignIn, Role, Open]),
        ("labels_page", [SignIn, Role, Open]),
        ("set_host_labels", [SignIn, Role, Open]),
        ("set_card_labels", [SignIn, Role, Open]),
    ]
};
