//! Which cards may be booked, and which are open for shares. The card's row is locked first, as a booking locks it: none
//! slips in between.

use domain::error::{ApiError, ErrorCode, Field};
use domain::id::CardUuid;
use domain::notice::Body;
use domain::reservation::Clash;
use domain::text::{When, en};
use domain::upkeep::{CardsPage, Hit, Shares, clean_reason};
use serde_json::json;
use sqlx::{Postgres, Transaction};

use super::{By, Failed, Tries, called};
use crate::service::Services;
use crate::store::audit::Entry;
use crate::store::card_care::{self, Among, Kept};
use crate::store::notices::{self, NewNotice};
use crate::store::{audit, change, reservations};

/// Most equal cards that a notice offers.
const OFFERED: i64 = 3;

/// Every host with its cards.
///
/// # Errors
/// `server.unavailable`.
pub async fn page(services: &Services) -> Result<CardsPage, ApiError> {
    let now = services.clock.now();
    Ok(CardsPage { now, hosts: card_care::hosts(&services.pool, now).await? })
}

/// Keeps a card from being booked, or lets it be booked again (`None`). Bookings that it has stay; their owners are told,
/// with equal cards that are free then.
///
/// # Errors
/// `not_found`, `input.invalid`, `server.busy`, `server.unavailable`.
pub async fn keep_back(
    services: &Services,
    by: &By<'_>,
    card: &CardUuid,
    reason: Option<&str>,
) -> Result<(), ApiError> {
    let bad = || ApiError::new(ErrorCode::BadInput, en().upkeep.bad_reason).on(Field::Reason);
    let reason = reason.map(|reason| clean_reason(reason).ok_or_else(bad)).transpose()?;
    let mut tries = Tries::default();
    loop {
        match try_keep_back(services, by, card, reason.as_deref()).await {
            Ok(done) => {
                services.live.resync();
                return Ok(done);
            }
            Err(failed) => tries.again(failed).await?,
        }
    }
}

async fn try_keep_back(services: &Services, by: &By<'_>, card: &CardUuid, reason: Option<&str>) -> Result<(), Failed> {
    let (mut tx, kept) = locked(services, card).await?;
    if kept.not_bookable.as_deref() == reason {
        return Ok(());
    }
    let now = services.clock.now();
    card_care::set_not_bookable(&mut tx, card, reason).await?;
    if let Some(reason) = reason {
        let mut told = Vec::new();
        for hit in card_care::hits(&mut tx, std::slice::from_ref(card), now, None, Among::All).await? {
            let instead = card_care::equal_and_free(&mut tx, card, &hit.overlap, OFFERED).await?;
            let (card, why) = (kept.card.clone(), (en().upkeep.kept_back_why)(reason));
            let body = Body::CardTroubled { card, why, instead, window: hit.overlap };
            told.push(NewNotice { user: hit.owner, body, reservation: Some(hit.reservation), once: None });
        }
        notices::write(&mut tx, &told, now).await?;
        card_care::note_told(&mut tx, card, now).await?;
    }
    let action = if reason.is_some() { "card.keep_back" } else { "card.let_book" };
    let entry = Entry {
        before: Some(json!({ "not_bookable": kept.not_bookable })),
        after: Some(json!({ "not_bookable": reason })),
        ..entry(by, action, &kept)
    };
    audit::write(&mut tx, &[entry], now).await?;
    change::note(&mut tx, now).await?;
    tx.commit().await?;
    Ok(())
}

/// Opens a card for shares, changes how many it has, or closes it (`None`). Refused while a share that would go is booked.
///
/// # Errors
/// `not_found`, `input.invalid`, `reservation.card_not_bookable` for a card that is cut, `reservation.overlap` with who
/// holds a share; `server.busy`, `server.unavailable`.
pub async fn share(services: &Services, by: &By<'_>, card: &CardUuid, shares: Option<Shares>) -> Result<(), ApiError> {
    let mut tries = Tries::default();
    loop {
        match try_share(services, by, card, shares).await {
            Ok(done) => {
                services.live.resync();
                return Ok(done);
            }
            Err(failed) => tries.again(failed).await?,
        }
    }
}

async fn try_share(services: &Services, by: &By<'_>, card: &CardUuid, shares: Option<Shares>) -> Result<(), Failed> {
    let (mut tx, kept) = locked(services, card).await?;
    if kept.shares == shares {
        return Ok(());
    }
    if let Some(shares) = shares {
        if kept.cut {
            let message = (en().upkeep.not_shareable)(kept.card.number, &kept.card.host);
            return Err(ApiError::new(ErrorCode::CardNotBookable, message).on(Field::Cards).into());
        }
        if !shares.fits(kept.memory_mib) {
            let message = (en().upkeep.shares_do_not_fit)(kept.memory_mib);
            return Err(ApiError::new(ErrorCode::BadInput, message).on(Field::Shares).into());
        }
    }
    let now = services.clock.now();
    let left = shares.map_or(0, |shares| shares.count);
    let hits = card_care::hits(&mut tx, std::slice::from_ref(card), now, None, Among::SharesBeyond(left)).await?;
    if !hits.is_empty() {
        return Err(shares_booked(by, &hits, now).into());
    }
    card_care::set_shares(&mut tx, card, shares).await?;
    let action = if shares.is_some() { "card.open_shares" } else { "card.close_shares" };
    let entry = Entry {
        before: Some(json!({ "shares": kept.shares })),
        after: Some(json!({ "shares": shares })),
        ..entry(by, action, &kept)
    };
    audit::write(&mut tx, &[entry], now).await?;
    change::note(&mut tx, now).await?;
    tx.commit().await?;
    Ok(())
}

/// Who holds a share that would go, and from when on it can go.
fn shares_booked(by: &By<'_>, hits: &[Hit], now: time::OffsetDateTime) -> ApiError {
    let when = When::new(&by.zone, now);
    let mut named: Vec<(&str, time::OffsetDateTime)> = Vec::new();
    for hit in hits {
        let until = hit.overlap.end();
        match named.iter_mut().find(|(person, _)| *person == hit.person) {
            Some((_, last)) => *last = (*last).max(until),
            None => named.push((&hit.person, until)),
        }
    }
    let last = named.iter().map(|(_, until)| *until).max().unwrap_or(now);
    let named: Vec<String> =
        named.iter().map(|(person, until)| (en().upkeep.share_holder)(person, &when.at(*until))).collect();
    let clashes = hits.iter().flat_map(|hit| {
        hit.cards.iter().map(|card| Clash {
            reservation: hit.reservation,
            card: card.uuid.clone(),
            host: card.host.clone(),
            number: card.number,
            holder: hit.person.clone(),
            own: hit.owner == by.viewer.id,
            window: hit.overlap,
        })
    });
    let message = (en().upkeep.shares_booked)(&named, &when.at(last));
    ApiError { clashes: clashes.collect(), ..ApiError::new(ErrorCode::Overlap, message).on(Field::Shares) }
}

/// A card with its row locked.
async fn locked(services: &Services, card: &CardUuid) -> Result<(Transaction<'static, Postgres>, Kept), Failed> {
    let mut tx = reservations::begin(&services.pool).await?;
    reservations::lock_cards(&mut tx, std::slice::from_ref(card)).await?;
    let unknown = || ApiError::new(ErrorCode::NotFound, en().upkeep.unknown_card).on(Field::Cards);
    let kept = card_care::one(&mut tx, card).await?.ok_or_else(unknown)?;
    Ok((tx, kept))
}

fn entry<'a>(by: &By<'_>, action: &'a str, kept: &Kept) -> Entry<'a> {
    Entry { actor: Some(by.viewer.id), action, subject: called(&kept.card), address: by.address, ..Entry::default() }
}
