//! Waiting for cards: who waits, in which order, and what happens when cards become free.

use domain::error::{ApiError, ErrorCode, Field};
use domain::finder::{Reason, Span, Suggestion, Want};
use domain::id::{ReservationId, UserId, WaitId};
use domain::notice::{Body, NamedCard};
use domain::reservation::{CARDS_MAX, LENGTH_MAX, LENGTH_MIN, NewReservation, PURPOSE_MAX_CHARS};
use domain::text::t;
use domain::user::is_deceptive;
use domain::window::Window;
use domain::wire::calendar::{WaitAsk, WaitMode, Waiting};
use domain::wire::page::Viewer;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::clock::to_micros;
use crate::service::Services;
use crate::store::StoreError;
use crate::store::job_lock::{self, Job};
use crate::store::notices::{self, NewNotice};
use crate::store::waiting::{self as store, NewWait, Waiter};

/// Most places in the queue of one person.
const PLACES_MAX: i64 = 20;
/// Longest wait.
const WAIT_MAX: Duration = Duration::days(60);
/// So long cards are held for somebody who wants to be told.
pub const OFFER: Duration = Duration::minutes(15);

/// Takes a place in the queue.
///
/// # Errors
/// `input.invalid`, `server.unavailable`.
pub async fn wait(services: &Services, viewer: &Viewer, ask: &WaitAsk) -> Result<WaitId, ApiError> {
    let now = services.clock.now();
    let purpose = check(ask, now)?;
    let id = WaitId(Uuid::now_v7());
    let wait =
        NewWait { id, who: viewer.id, want: &ask.want, purpose: &purpose, mode: ask.mode, until: to_micros(ask.until) };
    let mut tx = services.pool.begin().await.map_err(StoreError::from)?;
    let taken = store::insert(&mut tx, &wait, PLACES_MAX, now).await?;
    tx.commit().await.map_err(StoreError::from)?;
    if !taken {
        return Err(ApiError::new(ErrorCode::BadInput, t().notices.too_many_waits));
    }
    services.live.resync();
    Ok(id)
}

fn check(ask: &WaitAsk, now: OffsetDateTime) -> Result<String, ApiError> {
    let words = &t().notices;
    let bad = |message: &str, field: Field| Err(ApiError::new(ErrorCode::BadInput, message).on(field));
    let purpose = ask.purpose.trim();
    if purpose.chars().count() > PURPOSE_MAX_CHARS || purpose.chars().any(is_deceptive) {
        return bad(&(t().reservation.bad_purpose)(PURPOSE_MAX_CHARS), Field::Purpose);
    }
    let Want { count, hosts, labels, .. } = &ask.want;
    let long = |texts: &[String]| texts.len() > 64 || texts.iter().any(|text| text.chars().count() > 64);
    if *count == 0 || usize::try_from(*count).map_or(true, |count| count > CARDS_MAX) || long(hosts) || long(labels) {
        return bad(words.bad_wait, Field::Cards);
    }
    let length = ask.want.when.length();
    if length < LENGTH_MIN || length > LENGTH_MAX || last_end(&ask.want.when) < now + LENGTH_MIN {
        return bad(words.bad_wait, Field::End);
    }
    if ask.until <= now || ask.until > now + WAIT_MAX {
        return bad(words.bad_wait_until, Field::End);
    }
    Ok(purpose.to_owned())
}

/// When what is waited for is over at the latest.
fn last_end(when: &Span) -> OffsetDateTime {
    match when {
        Span::At(window) => window.end(),
        Span::Earliest { until, .. } => *until,
    }
}

/// Gives one's own place up.
///
/// # Errors
/// `not_found`, `server.unavailable`.
pub async fn stop(services: &Services, viewer: &Viewer, id: WaitId) -> Result<(), ApiError> {
    if !store::stop(&services.pool, viewer.id, id, services.clock.now()).await? {
        return Err(ApiError::new(ErrorCode::NotFound, t().notices.no_such_wait));
    }
    services.live.resync();
    Ok(())
}

/// Somebody's own places, by the order in which people are served.
///
/// # Errors
/// `server.unavailable`.
pub async fn of(services: &Services, viewer: &Viewer) -> Result<Vec<Waiting>, ApiError> {
    let mut conn = services.pool.acquire().await.map_err(StoreError::from)?;
    Ok(places(viewer.id, &store::in_order(&mut conn, services.clock.now()).await?))
}

/// A person's places in a queue that is in the order of [`store::in_order`]: each after those who are served earlier and
/// want cards of the same kind at the same time.
pub fn places(who: UserId, order: &[Waiter]) -> Vec<Waiting> {
    let place = |(at, waiter): (usize, &Waiter)| {
        let before = order.iter().take(at).filter(|other| other.want.competes_with(&waiter.want)).count();
        Waiting {
            id: waiter.id,
            want: waiter.want.clone(),
            purpose: waiter.purpose.clone(),
            mode: waiter.mode,
            position: u32::try_from(before + 1).unwrap_or(u32::MAX),
            until: waiter.until,
        }
    };
    order.iter().enumerate().filter(|(_, waiter)| waiter.who.id == who).map(place).collect()
}

/// Serves those who wait, in order, as far as there is something for them. Gives how many were served; 0 where another
/// server is at it.
///
/// # Errors
/// `server.unavailable`; who was served before stays served.
pub async fn serve(services: &Services) -> Result<usize, ApiError> {
    // Held to the end, while each is served in a transaction of its own: nobody else serves meanwhile.
    let mut lock = services.pool.begin().await.map_err(StoreError::from)?;
    if !job_lock::take(&mut lock, Job::Waiting).await? {
        return Ok(0);
    }
    let now = services.clock.now();
    let order = store::in_order(&mut lock, now).await?;
    let mut served = 0;
    for waiter in &order {
        match serve_one(services, waiter).await {
            Ok(done) => served += usize::from(done),
            // Somebody else may be luckier; it is tried again soon.
            Err(error) if error.code.status() < 500 => {
                tracing::info!(wait = %waiter.id, code = error.code.as_str(), "somebody who waits could not be served");
            }
            Err(error) => return Err(error),
        }
    }
    give_up(services).await?;
    lock.commit().await.map_err(StoreError::from)?;
    if served > 0 {
        services.live.resync();
    }
    Ok(served)
}

async fn give_up(services: &Services) -> Result<(), StoreError> {
    let now = services.clock.now();
    let mut tx = services.pool.begin().await?;
    let over = store::give_up(&mut tx, now).await?;
    let told = |(id, user, until): (WaitId, UserId, OffsetDateTime)| NewNotice {
        user,
        body: Body::WaitOver { until },
        reservation: None,
        once: Some(format!("wait:{id}:over")),
    };
    notices::write(&mut tx, &over.into_iter().map(told).collect::<Vec<_>>(), now).await?;
    tx.commit().await?;
    Ok(())
}

async fn serve_one(services: &Services, waiter: &Waiter) -> Result<bool, ApiError> {
    let now = services.clock.now();
    let offered = (waiter.mode == WaitMode::Tell).then_some(now + OFFER);
    let mut conn = services.pool.acquire().await.map_err(StoreError::from)?;
    // A server that was stopped in between may have booked already.
    let made = store::made_for(&mut conn, waiter.who.id, waiter.id).await?;
    drop(conn);
    let Some(want) = from_now(&waiter.want, now) else { return Ok(false) };
    let fits = |suggestion: &Suggestion| match &want.when {
        Span::At(window) => suggestion.window == *window && suggestion.reason != Reason::Shorter,
        Span::Earliest { from, until, .. } => {
            suggestion.by_rule.is_none() && suggestion.window.start() >= *from && suggestion.window.end() <= *until
        }
    };
    let within = services.finder.find(&waiter.who, &want).await?.suggestions.into_iter().find(fits);
    let best = match within {
        Some(best) => Some(best),
        // Where only a rule is in the way, the waiter is told so.
        None => services.finder.find_for_anybody(&waiter.who, &want).await?.suggestions.into_iter().find(fits),
    };
    let Some(best) = best else {
        return match made {
            Some(id) => finish(services, waiter, id, offered, &[], None).await,
            None => Ok(false),
        };
    };
    let cards: Vec<NamedCard> = best
        .cards
        .iter()
        .map(|card| NamedCard { uuid: card.uuid.clone(), host: card.host.clone(), number: card.number })
        .collect();
    if let Some(id) = made {
        return finish(services, waiter, id, offered, &cards, Some(best.window)).await;
    }
    let ask = NewReservation {
        owner: Some(waiter.who.id),
        zone: Some(waiter.zone.clone()),
        ..NewReservation::of_cards(
            cards.iter().map(|card| card.uuid.clone()).collect(),
            best.window,
            waiter.purpose.clone(),
            waiter.id.0,
        )
    };
    match services.reservations.book_waited(&ask, offered).await {
        Ok(id) => finish(services, waiter, id, offered, &cards, Some(best.window)).await,
        // Somebody was faster; there may be others.
        Err(error) if matches!(error.code, ErrorCode::Overlap | ErrorCode::NoShares | ErrorCode::Busy) => Ok(false),
        Err(error) if error.code.status() < 500 => {
            blocked(services, waiter, &error, cards, best.window).await?;
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

/// What is wanted from now on; `None` where too little of it is left.
fn from_now(want: &Want, now: OffsetDateTime) -> Option<Want> {
    let when = match want.when {
        Span::At(window) => {
            let left = Window::new(window.start().max(now), window.end()).ok()?;
            if left.length() < LENGTH_MIN {
                return None;
            }
            Span::At(left)
        }
        Span::Earliest { minutes, from, until } => Span::Earliest { minutes, from: from.max(now), until },
    };
    Some(Want { when, ..want.clone() })
}

async fn finish(
    services: &Services,
    waiter: &Waiter,
    id: ReservationId,
    offered: Option<OffsetDateTime>,
    cards: &[NamedCard],
    window: Option<Window>,
) -> Result<bool, ApiError> {
    let now = services.clock.now();
    let mut tx = services.pool.begin().await.map_err(StoreError::from)?;
    let outcome = if offered.is_some() { "offered" } else { "booked" };
    if store::served(&mut tx, waiter.id, outcome, id, now).await? {
        let booked = notices::booking(&mut tx, id).await?;
        let (cards, window) = match (booked, window) {
            (Some((cards, window)), _) => (cards, window),
            (None, Some(window)) => (cards.to_vec(), window),
            (None, None) => return Ok(false),
        };
        let body = match offered {
            Some(until) => Body::Free { cards, window, held_until: Some(until) },
            None => Body::WaitedAndBooked { cards, window },
        };
        let once = Some(format!("wait:{}:served", waiter.id));
        notices::write(&mut tx, &[NewNotice { user: waiter.who.id, body, reservation: Some(id), once }], now).await?;
    }
    tx.commit().await.map_err(StoreError::from)?;
    Ok(true)
}

/// A rule keeps cards from somebody who waits for them: said once for each place in the queue; the person waits on.
async fn blocked(
    services: &Services,
    waiter: &Waiter,
    error: &ApiError,
    cards: Vec<NamedCard>,
    window: Window,
) -> Result<(), StoreError> {
    let now = services.clock.now();
    let body = Body::WaitBlocked { why: error.message.clone(), cards, window };
    let once = Some(format!("wait:{}:blocked", waiter.id));
    let mut tx = services.pool.begin().await?;
    notices::write(&mut tx, &[NewNotice { user: waiter.who.id, body, reservation: None, once }], now).await?;
    tx.commit().await?;
    Ok(())
}
