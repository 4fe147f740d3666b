//! How a deed is refused: the code, the words, the input that it is about.

use domain::error::{ApiError, ErrorCode, Field};
use domain::reservation::{Clash, Unbookable};
use domain::text::{Text, en};
use domain::window::Window;
use domain::zone::ZoneTable;
use time::OffsetDateTime;

use super::lanes::NoRoom;
use crate::store::reservations::LockedCard;

/// A wish that cannot be booked whatever else is booked.
pub(super) fn wish(why: &Unbookable, asked: &Window, now: OffsetDateTime) -> ApiError {
    let text: &Text = en();
    let field = match why {
        Unbookable::NoCards | Unbookable::TooManyCards => Field::Cards,
        Unbookable::InThePast if asked.end() <= now => Field::End,
        Unbookable::InThePast | Unbookable::TooFarAhead => Field::Start,
        Unbookable::TooShort | Unbookable::TooLong => Field::End,
        Unbookable::BadPurpose => Field::Purpose,
    };
    ApiError::new(ErrorCode::BadInput, text.unbookable(why, asked, now)).on(field)
}

/// Cards that others hold.
pub(super) fn overlap(clashes: Vec<Clash>, asked: &Window, zone: &ZoneTable, now: OffsetDateTime) -> ApiError {
    let message = en().overlap(&clashes, asked, zone, now);
    ApiError { clashes, ..ApiError::new(ErrorCode::Overlap, message).on(Field::Cards) }
}

/// A card that has not so many shares.
pub(super) fn no_shares(why: &NoRoom, cards: &[LockedCard]) -> ApiError {
    let text = &en().reservation;
    let (card, message) = match why {
        NoRoom::NotOpen { card } => (card, None),
        NoRoom::Full { card, free, of } => (card, Some((*free, *of))),
    };
    let Some(card) = cards.iter().find(|known| known.uuid == *card) else {
        return ApiError::new(ErrorCode::UnknownCard, (text.unknown_card)(&card.short())).on(Field::Cards);
    };
    let message = match message {
        None => (text.not_open_for_shares)(card.number, &card.host_name),
        Some((free, of)) => (text.no_shares)(card.number, &card.host_name, free, of),
    };
    ApiError::new(ErrorCode::NoShares, message).on(Field::Cards)
}

/// A refusal with the words for it.
pub(super) fn said(code: ErrorCode, message: &str) -> ApiError {
    ApiError::new(code, message)
}

/// A key that was used for something of another kind.
pub(super) fn other_kind() -> ApiError {
    ApiError::new(ErrorCode::KeyReused, en().reservation.key_reused)
}
