//! What has a say in a booking beside those who hold its cards: the state of the cards, maintenance, rules. Asked within
//! the booking's transaction, after its locks.

use domain::card::CardNumber;
use domain::error::{ApiError, ErrorCode, Field};
use domain::id::{CardUuid, UserId};
use domain::rules::Rule;
use domain::text::en;
use domain::trouble::Trouble;
use domain::zone::ZoneTable;
use sqlx::PgConnection;
use time::OffsetDateTime;

use super::run::By;
use super::shape::Growth;
use crate::service::rules::ask::{self, Question, judge_in};
use crate::store::StoreError;
use crate::store::maintenance::in_the_way;
use crate::store::reservations::LockedCard;
use crate::store::reservations::held::Held;

/// Every card of it is known.
pub(super) fn known<'a>(asked: impl IntoIterator<Item = &'a CardUuid>, cards: &[LockedCard]) -> Result<(), ApiError> {
    match asked.into_iter().find(|asked| !cards.iter().any(|card| card.uuid == **asked)) {
        None => Ok(()),
        Some(card) => {
            let message = (en().reservation.unknown_card)(&card.short());
            Err(ApiError::new(ErrorCode::UnknownCard, message).on(Field::Cards))
        }
    }
}

/// Cards of which more is taken are well and there to be booked.
pub(super) fn cards(growth: &Growth, cards: &[LockedCard], now: OffsetDateTime) -> Result<(), ApiError> {
    let grown = growth.cards();
    cards.iter().filter(|card| grown.contains(&card.uuid)).try_for_each(|card| well(card, now))
}

/// Nothing is planned on cards of which more is taken.
pub(super) async fn maintenance(
    conn: &mut PgConnection,
    growth: &Growth,
    zone: &ZoneTable,
    now: OffsetDateTime,
) -> Result<(), ApiError> {
    for (uuids, window) in &growth.parts {
        if let Some(met) = in_the_way(conn, uuids, window).await?.first() {
            let message = en().maintenance_in_the_way(&met.brief, &met.cards, window, zone, now);
            return Err(ApiError::new(ErrorCode::Maintenance, message).on(Field::Cards));
        }
    }
    Ok(())
}

fn well(card: &LockedCard, now: OffsetDateTime) -> Result<(), ApiError> {
    let text = &en().reservation;
    let refuse = |code, message: fn(CardNumber, &str) -> String| {
        Err(ApiError::new(code, message(card.number, &card.host_name)).on(Field::Cards))
    };
    match card.condition.trouble(now) {
        None => Ok(()),
        Some(Trouble::HostRetired) => refuse(ErrorCode::CardNotBookable, text.card_retired),
        Some(Trouble::HostGone) => refuse(ErrorCode::CardNotBookable, text.host_gone),
        Some(Trouble::Gone) => refuse(ErrorCode::UnknownCard, text.card_gone),
        Some(Trouble::Cut) => refuse(ErrorCode::CardNotBookable, text.card_cut),
        Some(Trouble::Sick(_)) => refuse(ErrorCode::CardNotBookable, text.card_sick),
        Some(Trouble::NotBookable) => {
            let reason = card.not_bookable.as_deref().unwrap_or_default();
            let message = en().kept_back(card.number, &card.host_name, reason);
            Err(ApiError::new(ErrorCode::CardNotBookable, message).on(Field::Cards))
        }
    }
}

/// What administrators allow. `before` is the booking as it is where it is edited; `None` judges it in full. Gives whether
/// somebody must approve.
///
/// # Errors
/// `rule.broken`, naming the rule and how to comply; `server.unavailable`.
pub(super) async fn rules(
    conn: &mut PgConnection,
    rules: &[Rule],
    by: By<'_>,
    booking: &Held,
    before: Option<&Held>,
    zone: &ZoneTable,
    now: OffsetDateTime,
) -> Result<bool, ApiError> {
    judge_in(conn, rules, &Question { booking, before, by: by.viewer(), zone, now }).await
}

/// Whether somebody may approve what another one books.
pub(super) async fn may_approve(conn: &mut PgConnection, by: By<'_>, owner: UserId) -> Result<bool, StoreError> {
    match by.viewer() {
        Some(viewer) => ask::may_approve(conn, viewer, owner).await,
        None => Ok(true),
    }
}
