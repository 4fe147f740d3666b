//! `app::port::Upkeep`.

use app::port::Portal;
use domain::id::{CardUuid, MaintenanceId};
use domain::upkeep::{Plan, PlanAsk, Targets};
use domain::window::Window;
use uuid::Uuid;

use super::{Gate, Row, gate};
use crate::support::clock::MORNING;

/// One method; `None` where it is none of these.
pub async fn call(portal: &impl Portal, method: &str) -> Option<Gate> {
    let id = MaintenanceId(Uuid::nil());
    let window = Window::new(MORNING, MORNING + time::Duration::hours(1)).unwrap();
    // Refused for want of a reason, once the gate is passed.
    let plan = Plan { reason: String::new(), window, targets: Targets::default() };
    let ask = PlanAsk { id, plan: plan.clone(), seen: None };
    let card = CardUuid::parse("GPU-none").unwrap();
    Some(match method {
        "maintenance" => gate(portal.maintenance().await),
        "preview_maintenance" => gate(portal.preview_maintenance(plan, None).await),
        "plan_maintenance" => gate(portal.plan_maintenance(ask).await),
        "change_maintenance" => gate(portal.change_maintenance(ask).await),
        "call_off_maintenance" => gate(portal.call_off_maintenance(id).await),
        "cared_cards" => gate(portal.cared_cards().await),
        "keep_card_back" => gate(portal.keep_card_back(card, None).await),
        "share_card" => gate(portal.share_card(card, None).await),
        _ => return None,
    })
}

/// Its rows.
pub const ROWS: &[Row] = {
    use Gate::{Open, Role, SignIn};
    &[
        ("maintenance", [SignIn, Role, Open]),
        ("preview_maintenance", [SignIn, Role, Open]),
        ("plan_maintenance", [SignIn, Role, Open]),
        ("change_maintenance", [SignIn, Role, Open]),
        ("call_off_maintenance", [SignIn, Role, Open]),
        ("cared_cards", [SignIn, Role, Open]),
        ("keep_card_back", [SignIn, Role, Open]),
        ("share_card", [SignIn, Role, Open]),
    ]
};
