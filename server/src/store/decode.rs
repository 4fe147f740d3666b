//! Stored values back into domain types. A value that does not fit is a damaged database, not a user's mistake.

use domain::card::{CardHealth, CardNumber};
use domain::id::CardUuid;
use domain::window::Window;
use time::OffsetDateTime;

use super::StoreError;

fn damaged(what: impl std::error::Error + Send + Sync + 'static) -> StoreError {
    StoreError::from(sqlx::Error::Decode(Box::new(what)))
}

pub(super) fn card_uuid(text: String) -> Result<CardUuid, StoreError> {
    CardUuid::try_from(text).map_err(damaged)
}

pub(super) fn window(starts: OffsetDateTime, ends: OffsetDateTime) -> Result<Window, StoreError> {
    Window::new(starts, ends).map_err(damaged)
}

/// A card's number from its two columns.
pub fn number(index: i32, instance: Option<i32>) -> CardNumber {
    let instance = instance.and_then(|instance| u32::try_from(instance).ok());
    CardNumber { index: u32::try_from(index).unwrap_or_default(), instance }
}

/// The word under which a card's health is stored.
pub(super) fn health_word(health: CardHealth) -> &'static str {
    match health {
        CardHealth::Ok => "ok",
        CardHealth::Lost => "lost",
        CardHealth::ResetNeeded => "reset_needed",
        CardHealth::Asleep => "asleep",
        CardHealth::RepairPending => "repair_pending",
        CardHealth::Defective => "defective",
        CardHealth::Failing => "failing",
    }
}

/// Reads the stored word. One from a newer server is taken for a card that cannot be relied on.
pub fn health(word: &str) -> CardHealth {
    match word {
        "ok" => CardHealth::Ok,
        "lost" => CardHealth::Lost,
        "reset_needed" => CardHealth::ResetNeeded,
        "asleep" => CardHealth::Asleep,
        "repair_pending" => CardHealth::RepairPending,
        "defective" => CardHealth::Defective,
        _ => CardHealth::Failing,
    }
}
