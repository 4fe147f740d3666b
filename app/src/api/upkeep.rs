//! Maintenance and the care of cards, for administrators.

use domain::draft::wall::Which;
use domain::error::ApiError;
use domain::id::{CardUuid, MaintenanceId};
use domain::upkeep::{CardsPage, MaintenancePage, Preview};
use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use serde::{Deserialize, Serialize};

use crate::error::AppError;

/// The form of a maintenance, as it stands in the page's address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanForm {
    /// The maintenance that it changes; empty: a new one.
    pub change: String,
    /// It is filled, and somebody wants to see what it would mean.
    pub look: bool,
    /// Why.
    pub reason: String,
    /// Start, as a `datetime-local` field holds it.
    pub start: String,
    /// Which of two equal times the start means.
    pub start_which: Option<Which>,
    /// End, likewise.
    pub end: String,
    /// Which of two equal times the end means.
    pub end_which: Option<Which>,
    /// Every card.
    pub everywhere: bool,
    /// Hosts that are ticked.
    pub hosts: Vec<String>,
    /// Cards that are ticked.
    pub cards: Vec<String>,
}

/// What the form would mean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Judged {
    /// It can be saved; who is hit, and what is to be sent for it.
    Fits {
        /// Who is hit.
        preview: Preview,
        /// `domain::upkeep::PlanAsk` as JSON, for the form's only field.
        ask: String,
    },
    /// It cannot.
    Refused(ApiError),
}

/// The page of maintenance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MaintenanceView {
    /// What is planned, and what it can be planned for.
    pub page: MaintenancePage,
    /// The form as it is to stand.
    pub form: PlanForm,
    /// The maintenance that it changes.
    pub changing: Option<MaintenanceId>,
    /// What it would mean, where that was asked for.
    pub judged: Option<Judged>,
}

/// What is planned, and what the form in the address would mean.
#[server(name = LoadMaintenance, prefix = "/api/page", endpoint = "maintenance", input = Json)]
pub async fn maintenance(form: PlanForm) -> Result<MaintenanceView, AppError> {
    crate::error::answer(crate::pages::admin::maintenance::look::view(form).await)
}

/// Plans maintenance, or makes another plan of one.
#[server(prefix = "/api/page", endpoint = "save_maintenance")]
pub async fn save_maintenance(ask: String, #[server(default)] change: bool) -> Result<(), AppError> {
    use crate::error::answer;
    use crate::port::portal;
    use domain::error::{ApiError, ErrorCode};
    let unreadable = |_| ApiError::new(ErrorCode::Malformed, domain::text::t().errors.malformed);
    let done = async {
        let ask: domain::upkeep::PlanAsk = serde_json::from_str(&ask).map_err(unreadable)?;
        if change { portal()?.change_maintenance(ask).await } else { portal()?.plan_maintenance(ask).await.map(drop) }
    };
    answer(done.await)?;
    leptos_axum::redirect("/admin/maintenance");
    Ok(())
}

/// Calls maintenance off, or ends it now.
#[server(prefix = "/api/page", endpoint = "call_off_maintenance")]
pub async fn call_off_maintenance(id: MaintenanceId) -> Result<(), AppError> {
    use crate::{error::answer, port::portal};
    answer(async { portal()?.call_off_maintenance(id).await }.await)?;
    leptos_axum::redirect("/admin/maintenance");
    Ok(())
}

/// Every host with its cards.
#[server(name = LoadCards, prefix = "/api/page", endpoint = "cared_cards")]
pub async fn cards() -> Result<CardsPage, AppError> {
    use crate::{error::answer, port::portal};
    answer(async { portal()?.cared_cards().await }.await)
}

/// Keeps a card from being booked.
#[server(prefix = "/api/page", endpoint = "keep_card_back")]
pub async fn keep_card_back(card: CardUuid, reason: String) -> Result<(), AppError> {
    use crate::{error::answer_form, port::portal};
    let typed = [("card", card.to_string()), ("reason", reason.clone())];
    let done = async { portal()?.keep_card_back(card.clone(), Some(reason)).await };
    answer_form::<KeepCardBack>(done.await, &typed)?;
    leptos_axum::redirect(&crate::pages::admin::cards::address(Some(&card)));
    Ok(())
}

/// Lets people book a card again.
#[server(prefix = "/api/page", endpoint = "let_card_be_booked")]
pub async fn let_card_be_booked(card: CardUuid) -> Result<(), AppError> {
    use crate::{error::answer, port::portal};
    answer(async { portal()?.keep_card_back(card.clone(), None).await }.await)?;
    leptos_axum::redirect(&crate::pages::admin::cards::address(Some(&card)));
    Ok(())
}

/// Opens a card for shares, or changes how it is divided. Numbers as they were typed: the memory in gigabytes.
#[server(prefix = "/api/page", endpoint = "share_card")]
pub async fn share_card(card: CardUuid, count: String, memory: String) -> Result<(), AppError> {
    use crate::{error::answer_form, port::portal};
    use domain::error::{ApiError, ErrorCode, Field};
    use domain::upkeep::Shares;
    let typed = [("card", card.to_string()), ("count", count.clone()), ("memory", memory.clone())];
    let unreadable = || ApiError::new(ErrorCode::BadInput, domain::text::t().upkeep.not_numbers).on(Field::Shares);
    let done = async {
        let count = count.trim().parse().map_err(|_| unreadable())?;
        let memory_mib = crate::pages::admin::cards::mebibytes(&memory).ok_or_else(unreadable)?;
        portal()?.share_card(card.clone(), Some(Shares { count, memory_mib })).await
    };
    answer_form::<ShareCard>(done.await, &typed)?;
    leptos_axum::redirect(&crate::pages::admin::cards::address(Some(&card)));
    Ok(())
}

/// Closes a card for shares: it is booked whole again.
#[server(prefix = "/api/page", endpoint = "close_shares")]
pub async fn close_shares(card: CardUuid) -> Result<(), AppError> {
    use crate::{error::answer_form, port::portal};
    let typed = [("card", card.to_string())];
    answer_form::<CloseShares>(async { portal()?.share_card(card.clone(), None).await }.await, &typed)?;
    leptos_axum::redirect(&crate::pages::admin::cards::address(Some(&card)));
    Ok(())
}
