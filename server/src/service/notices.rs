//! What people are told: the bell, and what hosts carry to `berth status` and logins.

use std::collections::BTreeMap;

use domain::error::{ApiError, ErrorCode};
use domain::id::{CardUuid, HostId, ReservationId, UserId};
use domain::notice::{Answer, Body, Channel, Notices, Told, Which};
use domain::reservation::edit::{Edit, EditAsk, Scope, Target};
use domain::text::notices::To;
use domain::text::t;
use domain::wire::agent_v1::{HOST_NOTICES_MAX, HostNotice};
use domain::wire::page::Viewer;
use domain::zone::ZoneTable;
use time::OffsetDateTime;

use crate::service::Services;
use crate::store::notices::{self as store, NewNotice, Reader};
use crate::store::{StoreError, card_watch};
use crate::zone;

/// What hosts tell the people whose accounts they have: the sentences that these would read in the portal, newest first
/// and at most [`HOST_NOTICES_MAX`] for each host.
#[must_use]
pub fn for_hosts(readers: &[Reader], portal_url: &str, now: OffsetDateTime) -> Vec<(HostId, HostNotice)> {
    let mut told: Vec<(HostId, HostNotice)> = readers
        .iter()
        .flat_map(|reader| {
            let zone = zone::table(&reader.zone, now);
            reader.unread.iter().map(move |told| (reader, said(told, reader.person, &zone, portal_url, now)))
        })
        .map(|(reader, notice)| (reader.host, notice))
        .collect();
    told.sort_by_key(|(host, notice)| (*host, std::cmp::Reverse(notice.at)));
    let (mut host, mut so_many) = (None, 0);
    told.retain(|(of, _)| {
        so_many = if host == Some(*of) { so_many + 1 } else { 1 };
        host = Some(*of);
        so_many <= HOST_NOTICES_MAX
    });
    told
}

fn said(told: &Told, person: UserId, zone: &ZoneTable, portal_url: &str, now: OffsetDateTime) -> HostNotice {
    let said = t().notice(told, zone, now);
    // What can be answered is answered where the buttons are.
    let page = said.ways.iter().find_map(|way| match &way.to {
        To::Page(path) => Some(path.as_str()),
        To::Answer(_) => None,
    });
    let asks = said.ways.iter().any(|way| matches!(way.to, To::Answer(_)));
    let page = page.filter(|_| !asks).unwrap_or("/notices");
    HostNotice { person, at: told.notice.at, sentence: said.sentence, page: format!("{portal_url}{page}") }
}

/// Somebody's notices, newest first.
///
/// # Errors
/// `server.unavailable`.
pub async fn all(services: &Services, reader: UserId) -> Result<Notices, ApiError> {
    let mut conn = services.pool.acquire().await.map_err(StoreError::from)?;
    let told = store::list(&mut conn, &[reader], false, Channel::Bell.most(), services.clock.now()).await?;
    drop(conn);
    let unread = store::unread(&services.pool, reader).await?;
    Ok(Notices { told: told.into_iter().map(|(_, told)| told).collect(), unread })
}

/// How many somebody has not read.
///
/// # Errors
/// `server.unavailable`.
pub async fn unread(services: &Services, reader: UserId) -> Result<u32, ApiError> {
    Ok(store::unread(&services.pool, reader).await?)
}

/// Marks somebody's own notices as read.
///
/// # Errors
/// `server.unavailable`.
pub async fn mark_read(services: &Services, reader: UserId, which: &Which) -> Result<(), ApiError> {
    let mut conn = services.pool.acquire().await.map_err(StoreError::from)?;
    if store::mark_read(&mut conn, reader, which, services.clock.now()).await? {
        services.live.resync();
    }
    Ok(())
}

/// Answers what a notice asks, and marks it as read.
///
/// # Errors
/// `not_found` where the notice is not the viewer's or asks nothing like that; `reservation.already_over` where what it
/// asked has been answered, or the time for it is over; and as an edit of the booking.
pub async fn answer(services: &Services, viewer: &Viewer, id: i64, answer: &Answer) -> Result<(), ApiError> {
    let now = services.clock.now();
    let mut conn = services.pool.acquire().await.map_err(StoreError::from)?;
    let unknown = || ApiError::new(ErrorCode::NotFound, t().notices.unknown);
    let too_late = || ApiError::new(ErrorCode::AlreadyOver, t().notices.too_late);
    let told = store::one(&mut conn, viewer.id, id, now).await?.ok_or_else(unknown)?;
    let reservation = told.notice.reservation.ok_or_else(unknown)?;
    if !told.open {
        return Err(too_late());
    }
    let held = store::held_to_the_end(&mut conn, reservation).await?;
    let edit = match (answer, &told.notice.body) {
        (Answer::StillUsing, Body::Idle { card, .. }) => {
            if !card_watch::answered(&mut conn, reservation, &card.uuid, now).await? {
                return Err(too_late());
            }
            None
        }
        (Answer::GiveBack, Body::Idle { card, .. }) => Some(without(&held, &card.uuid, None).ok_or_else(too_late)?),
        (Answer::Take { card: other }, Body::CardTroubled { card, instead, .. }) => {
            if !instead.iter().any(|card| card.uuid == *other) {
                return Err(unknown());
            }
            Some(without(&held, &card.uuid, Some(other)).ok_or_else(too_late)?)
        }
        (Answer::Accept, Body::Free { held_until: Some(_), .. }) => Some(Edit::Accept),
        (Answer::Decline, Body::Free { held_until: Some(_), .. }) => Some(Edit::Cancel),
        _ => return Err(unknown()),
    };
    drop(conn);
    if let Some(edit) = edit {
        let ask =
            EditAsk { reservation, edit, scope: Scope::One, version: None, idempotency_key: uuid::Uuid::new_v4() };
        services.reservations.edit(viewer, &ask).await?;
    }
    mark_read(services, viewer.id, &Which::Some { ids: vec![id] }).await
}

/// Asks the holder of a booking whether its cards can be had earlier. One person is told of one asker and booking once a
/// day: gives whether it was said now.
///
/// # Errors
/// `not_found` where the booking is over, waits for an answer itself, or is the viewer's own; `server.unavailable`.
pub async fn ask_holder(services: &Services, viewer: &Viewer, id: ReservationId) -> Result<bool, ApiError> {
    let now = services.clock.now();
    let mut tx = services.pool.begin().await.map_err(StoreError::from)?;
    let held = store::holder(&mut tx, id, now).await?.filter(|(holder, _)| *holder != viewer.id);
    let Some((user, window)) = held else {
        return Err(ApiError::new(ErrorCode::NotFound, t().notices.nobody_to_ask));
    };
    let notice = NewNotice {
        user,
        body: Body::Asked { by: viewer.display_name.clone(), window },
        reservation: Some(id),
        once: Some(format!("asked:{id}:{}:{}", viewer.id, now.date())),
    };
    let told = store::write(&mut tx, &[notice], now).await? > 0;
    tx.commit().await.map_err(StoreError::from)?;
    if told {
        services.live.resync();
    }
    Ok(told)
}

/// The edit that takes a card out of what a booking holds, or puts another one in its place; `None` where the booking does
/// not hold it any more. Without any card it ends.
fn without(held: &(Vec<CardUuid>, BTreeMap<CardUuid, u32>), card: &CardUuid, other: Option<&CardUuid>) -> Option<Edit> {
    let (cards, shares) = held;
    if !cards.contains(card) {
        return None;
    }
    let kept: Vec<CardUuid> = cards.iter().filter(|held| *held != card).chain(other).cloned().collect();
    if kept.is_empty() {
        return Some(Edit::EndNow);
    }
    let shares = shares.iter().filter(|(held, _)| *held != card).map(|(held, count)| (held.clone(), *count)).collect();
    Some(Edit::Set(Target { cards: Some(kept), shares, ..Target::default() }))
}
