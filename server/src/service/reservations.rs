//! Booking, cancelling, ending: the one path by which cards are taken and given back.
//!
//! Each act is one transaction. That no card is held twice is the database's constraint; the locks taken first, in one
//! order, only keep attempts on the same cards from dead-locking. What still loses against another transaction is tried
//! again a few times, then said to be busy. Nobody ever sees half a booking.

use std::sync::Arc;
use std::time::Duration;

use domain::card::CardNumber;
use domain::error::{ApiError, ErrorCode, Field};
use domain::id::{CardUuid, ReservationId, UserId};
use domain::reservation::{Bookable, NewReservation, State, Unbookable, state};
use domain::text::{Text, en};
use domain::trouble::Trouble;
use domain::user::Act;
use domain::window::Window;
use domain::wire::page::Viewer;
use domain::zone::ZoneTable;
use sha2::{Digest, Sha256};
use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::clock::{Clock, to_micros};
use crate::live::Live;
use crate::store::reservations::{self as store, LockedCard, NewRow};
use crate::store::{StoreError, constraint, decode};

/// How often an attempt that lost against another transaction is made again.
const RETRIES: u32 = 3;
/// Seconds after which trying again makes sense when these were not enough.
const BUSY_RETRY_SECONDS: u64 = 3;

/// Books and gives back.
#[derive(Clone)]
pub struct Reservations {
    pool: PgPool,
    clock: Arc<dyn Clock>,
    live: Live,
    zone_table: fn(&str, OffsetDateTime) -> ZoneTable,
}

/// Why one attempt did not work.
enum Failed {
    /// A refusal that trying again does not change.
    Refused(ApiError),
    /// Somebody holds a card.
    Held { ask: Bookable, zone: String },
    /// The database did not do it.
    Store(StoreError),
}

impl From<StoreError> for Failed {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<sqlx::Error> for Failed {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

impl From<ApiError> for Failed {
    fn from(error: ApiError) -> Self {
        Self::Refused(error)
    }
}

impl Reservations {
    /// `zone_table` gives the offsets of an IANA zone for the years around an instant.
    #[must_use]
    pub fn new(
        pool: PgPool,
        clock: Arc<dyn Clock>,
        live: Live,
        zone_table: fn(&str, OffsetDateTime) -> ZoneTable,
    ) -> Self {
        Self { pool, clock, live, zone_table }
    }

    /// Books all cards or none. The same key with the same content gives the same booking, however often it is sent.
    ///
    /// # Errors
    /// `reservation.overlap` with who is in the way, `reservation.unknown_card`, `reservation.card_not_bookable`,
    /// `input.invalid`, `idempotency.key_reused`, `server.busy`, `server.unavailable`.
    pub async fn book(&self, viewer: &Viewer, ask: &NewReservation) -> Result<ReservationId, ApiError> {
        allowed(viewer, Act::Book)?;
        let mut tried = 0;
        loop {
            let error = match self.try_book(viewer, ask).await {
                Ok(id) => {
                    self.live.resync();
                    return Ok(id);
                }
                Err(Failed::Refused(refusal)) => return Err(refusal),
                Err(Failed::Held { ask, zone }) => {
                    let refusal = self.overlap(viewer.id, &ask, &zone).await?;
                    // Whoever was in the way has given the card back meanwhile: once more.
                    if !refusal.clashes.is_empty() || tried == RETRIES {
                        return Err(refusal);
                    }
                    None
                }
                Err(Failed::Store(error)) => Some(error),
            };
            wait_for_another_try(&mut tried, error).await?;
        }
    }

    async fn try_book(&self, viewer: &Viewer, ask: &NewReservation) -> Result<ReservationId, Failed> {
        let hash = request_hash(ask);
        let mut tx = store::begin(&self.pool).await?;
        let Some(zone) = store::lock_person(&mut tx, viewer.id).await? else {
            return Err(ApiError::new(ErrorCode::SignInNeeded, en().errors.sign_in_needed).into());
        };
        // Before the rules: the repeat of a request that has succeeded must not be told that its start is past by now.
        if let Some(used) = store::key_use(&mut tx, viewer.id, ask.idempotency_key).await? {
            return if used.request_hash == hash {
                Ok(used.reservation)
            } else {
                Err(ApiError::new(ErrorCode::KeyReused, en().reservation.key_reused).into())
            };
        }
        let mut bookable = self.check(ask)?;
        let locked = store::lock_cards(&mut tx, &bookable.cards).await?;
        // Waiting for the locks took time; a booking never begins in the past.
        let now = self.clock.now();
        all_bookable(&bookable.cards, &locked, now)?;
        bookable.window = begin_at(&bookable.window, now)?;
        let id = ReservationId(Uuid::now_v7());
        let row = NewRow { id, owner: viewer.id, ask: &bookable, key: ask.idempotency_key, request_hash: &hash, now };
        if let Err(error) = store::insert(&mut tx, &row).await {
            return Err(match error.constraint() {
                Some(constraint::RESERVATION_CARD_NO_OVERLAP) => Failed::Held { ask: bookable, zone },
                _ => Failed::Store(error),
            });
        }
        tx.commit().await?;
        Ok(id)
    }

    fn check(&self, ask: &NewReservation) -> Result<Bookable, ApiError> {
        let now = self.clock.now();
        let bookable = ask.check(now).map_err(|why| refuse_wish(&why, &ask.window, now))?;
        let window = Window::new(to_micros(bookable.window.start()), to_micros(bookable.window.end()))
            .map_err(|_| refuse_wish(&Unbookable::TooShort, &ask.window, now))?;
        Ok(Bookable { window, ..bookable })
    }

    async fn overlap(&self, asker: UserId, ask: &Bookable, zone: &str) -> Result<ApiError, ApiError> {
        let clashes = store::clashes(&self.pool, asker, &ask.cards, &ask.window).await?;
        let now = self.clock.now();
        let message = en().overlap(&clashes, &ask.window, &(self.zone_table)(zone, now), now);
        Ok(ApiError { clashes, ..ApiError::new(ErrorCode::Overlap, message).on(Field::Cards) })
    }

    /// Calls a booking off before it begins.
    ///
    /// # Errors
    /// `not_found`, `auth.not_allowed`, `reservation.already_begun`, `reservation.already_over`, `server.busy`,
    /// `server.unavailable`.
    pub async fn cancel(&self, viewer: &Viewer, id: ReservationId) -> Result<(), ApiError> {
        self.change(viewer, id, Change::Cancel).await
    }

    /// Ends a running booking; the used time stays on record.
    ///
    /// # Errors
    /// `not_found`, `auth.not_allowed`, `reservation.not_begun`, `reservation.already_over`, `server.busy`,
    /// `server.unavailable`.
    pub async fn end_now(&self, viewer: &Viewer, id: ReservationId) -> Result<(), ApiError> {
        self.change(viewer, id, Change::EndNow).await
    }

    async fn change(&self, viewer: &Viewer, id: ReservationId, change: Change) -> Result<(), ApiError> {
        let mut tried = 0;
        loop {
            let error = match self.try_change(viewer, id, change).await {
                Ok(()) => {
                    self.live.resync();
                    return Ok(());
                }
                Err(Failed::Refused(refusal)) => return Err(refusal),
                Err(Failed::Held { .. }) => None,
                Err(Failed::Store(error)) => Some(error),
            };
            wait_for_another_try(&mut tried, error).await?;
        }
    }

    async fn try_change(&self, viewer: &Viewer, id: ReservationId, change: Change) -> Result<(), Failed> {
        let text = &en().reservation;
        let mut tx = store::begin(&self.pool).await?;
        let Some(held) = store::lock(&mut tx, id).await? else {
            return Err(ApiError::new(ErrorCode::NotFound, text.unknown).into());
        };
        if !may_change(viewer, held.owner) {
            return Err(ApiError::new(ErrorCode::NotAllowed, text.not_yours).into());
        }
        let now = self.clock.now();
        match (state(&held.window, None, held.fate, now), change) {
            (State::Scheduled | State::Awaiting | State::Offered, Change::Cancel) => {
                store::cancel(&mut tx, id, now).await?
            }
            (State::Active, Change::EndNow) => {
                // Ended in the very instant of its start it would be empty, which no booking is.
                let end = now.max(held.window.start() + time::Duration::MICROSECOND);
                store::end(&mut tx, id, end, now).await?;
            }
            (State::Active, Change::Cancel) => {
                return Err(ApiError::new(ErrorCode::AlreadyBegun, text.already_begun).into());
            }
            (State::Scheduled | State::Awaiting | State::Offered, Change::EndNow) => {
                return Err(ApiError::new(ErrorCode::NotBegun, text.not_begun).into());
            }
            (State::Ended | State::Cancelled | State::Released | State::Missed, _) => {
                return Err(ApiError::new(ErrorCode::AlreadyOver, text.already_over).into());
            }
        }
        tx.commit().await?;
        Ok(())
    }
}

#[derive(Clone, Copy)]
enum Change {
    Cancel,
    EndNow,
}

/// Whether somebody may cancel or end a booking of `owner`.
#[must_use]
pub fn may_change(viewer: &Viewer, owner: UserId) -> bool {
    viewer.role.may(Act::ChangeAnyBooking) || (viewer.id == owner && viewer.role.may(Act::ChangeOwnBooking))
}

fn allowed(viewer: &Viewer, act: Act) -> Result<(), ApiError> {
    if viewer.role.may(act) { Ok(()) } else { Err(ApiError::new(ErrorCode::NotAllowed, en().errors.not_allowed)) }
}

/// Every card is known, reported and well, and its host is there.
fn all_bookable(asked: &[CardUuid], locked: &[LockedCard], now: OffsetDateTime) -> Result<(), ApiError> {
    let text = &en().reservation;
    for card in asked {
        let Some(row) = locked.iter().find(|row| row.card_uuid == card.as_str()) else {
            return Err(ApiError::new(ErrorCode::UnknownCard, (text.unknown_card)(&card.short())).on(Field::Cards));
        };
        let number = decode::number(row.card_index, row.instance);
        let refuse = |code, message: fn(CardNumber, &str) -> String| {
            Err(ApiError::new(code, message(number, &row.host_name)).on(Field::Cards))
        };
        match row.condition().trouble(now) {
            None => {}
            Some(Trouble::HostRetired) => return refuse(ErrorCode::CardNotBookable, text.card_retired),
            Some(Trouble::HostGone) => return refuse(ErrorCode::CardNotBookable, text.host_gone),
            Some(Trouble::Gone) => return refuse(ErrorCode::UnknownCard, text.card_gone),
            Some(Trouble::Cut) => return refuse(ErrorCode::CardNotBookable, text.card_cut),
            Some(Trouble::Sick(_)) => return refuse(ErrorCode::CardNotBookable, text.card_sick),
            Some(Trouble::NotBookable) => {
                let message = en().kept_back(number, &row.host_name, row.not_bookable.as_deref().unwrap_or_default());
                return Err(ApiError::new(ErrorCode::CardNotBookable, message).on(Field::Cards));
            }
        }
    }
    Ok(())
}

fn begin_at(window: &Window, now: OffsetDateTime) -> Result<Window, ApiError> {
    Window::new(window.start().max(now), window.end()).map_err(|_| refuse_wish(&Unbookable::InThePast, window, now))
}

fn refuse_wish(why: &Unbookable, asked: &Window, now: OffsetDateTime) -> ApiError {
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

/// SHA-256 over everything that was asked for, whatever the order of the cards.
fn request_hash(ask: &NewReservation) -> Vec<u8> {
    let NewReservation { cards, window, purpose, .. } = ask;
    let mut cards: Vec<&str> = cards.iter().map(CardUuid::as_str).collect();
    cards.sort_unstable();
    cards.dedup();
    let mut hash = Sha256::new();
    hash.update(window.start().unix_timestamp_nanos().to_be_bytes());
    hash.update(window.end().unix_timestamp_nanos().to_be_bytes());
    for card in cards {
        // No card's UUID holds a line end, so the list reads back in one way only.
        hash.update(card);
        hash.update("\n");
    }
    hash.update("\n");
    hash.update(purpose);
    hash.finalize().to_vec()
}

/// Sleeps a random moment where another try may work; otherwise it is the refusal. `None` is always worth a try.
async fn wait_for_another_try(tried: &mut u32, error: Option<StoreError>) -> Result<(), ApiError> {
    let contended = error.as_ref().is_none_or(lost_to_another);
    // An outage is worth one try: the pool may have handed out a connection from before a restart. Where the commit
    // had gone through and only its answer was lost, the key finds the booking.
    let outage = error.as_ref().is_some_and(StoreError::is_outage);
    if *tried < RETRIES && (contended || (outage && *tried == 0)) {
        *tried += 1;
        let most = 40_u64 << *tried;
        tokio::time::sleep(Duration::from_millis(10 + u64::from(Uuid::new_v4().as_bytes()[0]) * most / 255)).await;
        return Ok(());
    }
    match error {
        Some(error) if !contended => Err(error.into()),
        _ => Err(ApiError::new(ErrorCode::Busy, en().reservation.busy).retry_after(BUSY_RETRY_SECONDS)),
    }
}

/// Dead-lock, failed serialisation, a lock that did not come in time, or a key used a moment ago by the same request.
fn lost_to_another(error: &StoreError) -> bool {
    error.is_retryable()
        || error.sqlstate().as_deref() == Some("55P03")
        || error.constraint() == Some(constraint::REQUEST_KEY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    fn ask(cards: &[&str], purpose: &str) -> NewReservation {
        let window = Window::new(datetime!(2026-11-30 10:00 UTC), datetime!(2026-11-30 11:00 UTC)).expect("not empty");
        let cards = cards.iter().map(|card| CardUuid::parse(card).expect("valid")).collect();
        NewReservation::of_cards(cards, window, purpose, Uuid::new_v4())
    }

    #[test]
    fn the_hash_knows_content_from_order_and_key() {
        let hash = request_hash(&ask(&["GPU-1", "GPU-2"], "a"));
        assert_eq!(hash, request_hash(&ask(&["GPU-2", "GPU-1", "GPU-2"], "a")));
        assert_ne!(hash, request_hash(&ask(&["GPU-1"], "a")));
        assert_ne!(hash, request_hash(&ask(&["GPU-1", "GPU-2"], "b")));
    }
}
