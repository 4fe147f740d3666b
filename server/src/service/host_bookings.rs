//! A host books, extends and ends in the name of whoever has an account on it.
//!
//! Which account asks is the host's word, so a host can act for its own people only, on bookings that lie wholly on it, and
//! never with an administrator's rights.

use domain::error::{ApiError, ErrorCode, Field};
use domain::finder::{self, Reason, Span, Want};
use domain::id::{CardUuid, ReservationId};
use domain::reservation::NewReservation;
use domain::reservation::edit::{Edit, EditAsk, Scope, Target};
use domain::text::en;
use domain::user::Role;
use domain::window::Window;
use domain::wire::host_v1::{HostAct, HostBooked, HostBooking, HostChange, HostChanged, Which};
use domain::wire::page::Viewer;
use sqlx::PgConnection;
use time::Duration;
use uuid::Uuid;

use super::Services;
use crate::auth::AgentHost;
use crate::clock::to_micros;
use crate::store::host_bookings::{self as store, OnHost};
use crate::store::{StoreError, host_table};

/// Cards that somebody else has just taken are looked for anew this often.
const TRIES: u32 = 3;

/// Books cards of the host. The same key gives the same booking.
///
/// # Errors
/// `person.unknown` where the account is not one person's, `reservation.unknown_card` for cards of other hosts,
/// `reservation.overlap` where not enough are free, and as [`super::reservations::Reservations::book`].
pub async fn book(services: &Services, host: &AgentHost, ask: &HostBooking) -> Result<HostBooked, ApiError> {
    let mut conn = services.pool.acquire().await.map_err(StoreError::from)?;
    let person = person(&mut conn, host, &ask.os_user).await?;
    if let Some(made) = store::made_by(&mut conn, person.id, ask.key).await?
        && let Some(booking) = store::of(&mut conn, host.id, made).await?
    {
        return Ok(booked(made, booking));
    }
    if !store::has_cards(&mut conn, host.id, &ask.cards).await? {
        return Err(elsewhere());
    }
    drop(conn);
    let mut tries = 0;
    let made = loop {
        tries += 1;
        let now = services.clock.now();
        let start = ask.start.map_or(now, to_micros).max(now);
        let end = start.checked_add(Duration::minutes(ask.minutes.into()));
        let window = end.and_then(|end| Window::new(start, end).ok()).ok_or_else(bad_length)?;
        let cards = match ask.cards.as_slice() {
            [] => pick(services, host, &person, ask, window).await?,
            named => named.to_vec(),
        };
        let wish = NewReservation::of_cards(cards, window, ask.purpose.clone(), ask.key);
        match services.reservations.book(&person, &wish).await {
            Err(error) if error.code == ErrorCode::Overlap && ask.cards.is_empty() && tries < TRIES => {}
            outcome => break outcome?,
        }
    };
    let mut conn = services.pool.acquire().await.map_err(StoreError::from)?;
    let booking = store::of(&mut conn, host.id, made).await?;
    booking.map(|booking| booked(made, booking)).ok_or_else(unknown)
}

/// Changes a booking that lies wholly on the host.
///
/// # Errors
/// `person.unknown`, `not_found`, `auth.not_allowed` for what is not this person's or not wholly here, and as
/// [`super::reservations::Reservations::edit`].
pub async fn change(services: &Services, host: &AgentHost, ask: &HostChange) -> Result<HostChanged, ApiError> {
    let mut conn = services.pool.acquire().await.map_err(StoreError::from)?;
    let person = person(&mut conn, host, &ask.os_user).await?;
    let id = match ask.booking {
        Which::Id(id) => Some(id),
        Which::Key(key) => store::made_by(&mut conn, person.id, key).await?,
    };
    let Some(id) = id else { return Ok(HostChanged { reservation: None, window: None }) };
    let now = services.clock.now();
    let found = store::of(&mut conn, host.id, id).await?;
    let over = found.as_ref().is_none_or(|booking| booking.window.end() <= now);
    if over && ask.act == HostAct::End {
        return Ok(HostChanged { reservation: Some(id), window: None });
    }
    let booking = found.ok_or_else(unknown)?;
    if booking.owner != person.id {
        return Err(ApiError::new(ErrorCode::NotAllowed, en().reservation.not_yours));
    }
    if !booking.wholly {
        return Err(ApiError::new(ErrorCode::NotAllowed, en().reports.not_wholly_here));
    }
    drop(conn);
    let edit = match ask.act {
        HostAct::Until(end) => {
            let window = Window::new(booking.window.start(), to_micros(end)).map_err(|_| bad_length())?;
            Edit::Set(Target { window: Some(window), ..Target::default() })
        }
        HostAct::End if booking.window.start() <= now => Edit::EndNow,
        HostAct::End => Edit::Cancel,
    };
    // What was judged above is what is changed: another version is refused.
    let ask = EditAsk {
        reservation: id,
        edit,
        scope: Scope::One,
        version: Some(booking.version),
        idempotency_key: Uuid::new_v4(),
    };
    let ends = !matches!(ask.edit, Edit::Set(_));
    services.reservations.edit(&person, &ask).await?;
    let mut conn = services.pool.acquire().await.map_err(StoreError::from)?;
    let window = store::of(&mut conn, host.id, id).await?.map(|booking| booking.window).filter(|_| !ends);
    Ok(HostChanged { reservation: Some(id), window })
}

/// The one person whose account it is. Whoever it is has no more rights here than a member.
async fn person(conn: &mut PgConnection, host: &AgentHost, os_user: &str) -> Result<Viewer, ApiError> {
    let accounts = host_table::accounts(conn, &[host.id]).await?;
    let mut own = accounts.into_iter().map(|(_, account)| account).filter(|account| account.os_user == os_user);
    let text = &en().reports;
    let refuse = |message| ApiError::new(ErrorCode::UnknownPerson, message);
    let account = own.next().ok_or_else(|| refuse((text.account_of_nobody)(os_user, &host.name)))?;
    if own.next().is_some() {
        return Err(refuse((text.account_of_several)(os_user, &host.name)));
    }
    Ok(Viewer { id: account.person, name: String::new(), display_name: account.name, role: Role::Member })
}

/// The best linked cards of the host that are free for all of that time and that nobody uses.
async fn pick(
    services: &Services,
    host: &AgentHost,
    person: &Viewer,
    ask: &HostBooking,
    window: Window,
) -> Result<Vec<CardUuid>, ApiError> {
    let bad = || ApiError::new(ErrorCode::BadInput, en().errors.malformed).on(Field::Cards);
    if ask.count == 0 || ask.count as usize > domain::reservation::CARDS_MAX {
        return Err(bad());
    }
    let (park, now) = services.finder.park(person.id).await?;
    let want = Want {
        count: ask.count,
        model: None,
        architecture: None,
        memory_mib: None,
        link: finder::Link::Any,
        spread: false,
        hosts: vec![host.name.clone()],
        labels: Vec::new(),
        when: Span::At(window),
    };
    let found = finder::find(&park.shun(&ask.avoid), &want, now);
    let then = |offer: &&finder::Suggestion| offer.window == window && offer.reason != Reason::Shorter;
    match found.suggestions.iter().find(then) {
        Some(offer) => Ok(offer.cards.iter().map(|card| card.uuid.clone()).collect()),
        None => {
            let message = (en().reports.too_few_free)(ask.count, &host.name, ask.minutes);
            Err(ApiError::new(ErrorCode::NoShares, message).on(Field::Cards))
        }
    }
}

fn booked(reservation: ReservationId, booking: OnHost) -> HostBooked {
    let OnHost { cards, window, awaits, .. } = booking;
    HostBooked { reservation, cards, window, awaits }
}

fn elsewhere() -> ApiError {
    ApiError::new(ErrorCode::UnknownCard, en().reports.card_elsewhere).on(Field::Cards)
}

fn bad_length() -> ApiError {
    ApiError::new(ErrorCode::BadInput, en().errors.malformed).on(Field::End)
}

fn unknown() -> ApiError {
    ApiError::new(ErrorCode::NotFound, en().reservation.unknown)
}
