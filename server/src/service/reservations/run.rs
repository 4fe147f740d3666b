//! One deed, from its beginning to its answer: locks, the key of the request, tries, and who is in the way.

use std::time::Duration;

use domain::error::{ApiError, ErrorCode};
use domain::id::{ReservationId, UserId};
use domain::reservation::NewReservation;
use domain::reservation::edit::{Edit, EditAsk, Edited};
use domain::reservation::series::{NewSeries, SeriesOutcome};
use domain::text::en;
use domain::user::Act;
use domain::window::Window;
use domain::wire::page::Viewer;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::portal_deeds::GiveBack;
use super::{Reservations, refusal};
use crate::error::internal;
use crate::store::reservations::clash::{Wanted, in_the_way_of};
use crate::store::reservations::keys::{KeyUse, NewKey};
use crate::store::reservations::people::{LockedPerson, lock_people};
use crate::store::reservations::{self as store, due, keys};
use crate::store::{StoreError, constraint};

/// How often an attempt that lost against another transaction is made again.
const RETRIES: u32 = 3;
/// Seconds after which trying again makes sense when these were not enough.
const BUSY_RETRY_SECONDS: u64 = 3;

/// Who does it.
#[derive(Clone, Copy)]
pub(super) enum By<'a> {
    /// Somebody who is signed in.
    Person(&'a Viewer),
    /// The portal, by a rule.
    Portal,
}

impl<'a> By<'a> {
    pub(super) fn id(self) -> Option<UserId> {
        self.viewer().map(|viewer| viewer.id)
    }

    pub(super) fn viewer(self) -> Option<&'a Viewer> {
        match self {
            Self::Person(viewer) => Some(viewer),
            Self::Portal => None,
        }
    }

    pub(super) fn may(self, act: Act) -> bool {
        self.viewer().is_none_or(|viewer| viewer.role.may(act))
    }
}

/// What is done.
pub(super) enum Deed<'a> {
    Book {
        ask: &'a NewReservation,
        /// Held for its owner until then, who has not asked for it just now.
        offered_until: Option<OffsetDateTime>,
    },
    Series(&'a NewSeries),
    Edit {
        ask: &'a EditAsk,
        keyed: bool,
    },
    Lapse(ReservationId),
    GiveBack(&'a GiveBack),
}

/// What comes of it, as the request's key keeps it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Outcome {
    Booked(Vec<ReservationId>),
    Series(SeriesOutcome),
    Edited(Edited),
    Nothing,
}

/// How an attempt ended well.
pub(super) enum Done {
    /// Written; to be committed.
    Changed(Outcome),
    /// Nothing has become different; only the answer to the request is to be committed.
    Kept(Outcome),
    /// Nothing was written.
    Same(Outcome),
}

/// Why one attempt did not work.
pub(super) enum Failed {
    /// A refusal that trying again does not change.
    Refused(ApiError),
    /// Somebody holds a card.
    Held(Box<InTheWay>),
    /// What decides about the locks has changed before they were had.
    Moved,
    /// The database did not do it.
    Store(StoreError),
}

/// What is wanted where somebody is in the way.
pub(super) struct InTheWay {
    pub wanted: Vec<Wanted>,
    /// All of it.
    pub asked: Window,
    /// Bookings that are not in their own way.
    pub except: Vec<ReservationId>,
    /// In whose zone times are said.
    pub zone: String,
    /// The refusal, where it is not that cards are held.
    pub refusal: Option<ApiError>,
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

/// A request that is answered once.
pub(super) struct Request {
    person: UserId,
    key: Uuid,
    hash: Vec<u8>,
}

impl Request {
    /// `content` is what was asked for, without the key and in one order.
    pub(super) fn new(person: UserId, key: Uuid, kind: &str, content: &impl Serialize) -> Result<Self, ApiError> {
        let mut hash = Sha256::new();
        hash.update(kind);
        hash.update("\n");
        hash.update(serde_json::to_vec(content).map_err(|error| internal(&error))?);
        Ok(Self { person, key, hash: hash.finalize().to_vec() })
    }

    /// What the same request was answered before.
    pub(super) async fn answered(&self, conn: &mut PgConnection) -> Result<Option<Outcome>, Failed> {
        let used = keys::key_use(conn, self.person, self.key).await?;
        Ok(self.outcome_of(used)?)
    }

    /// Whose key it is, and which.
    pub(super) fn key(&self) -> (UserId, Uuid) {
        (self.person, self.key)
    }

    /// What the request was answered before, where that is what its key has been used for.
    pub(super) fn outcome_of(&self, used: Option<KeyUse>) -> Result<Option<Outcome>, ApiError> {
        let Some(used) = used else { return Ok(None) };
        if used.request_hash != self.hash {
            return Err(ApiError::new(ErrorCode::KeyReused, en().reservation.key_reused));
        }
        Ok(Some(serde_json::from_value(used.outcome).map_err(|error| internal(&error))?))
    }

    /// As it is written.
    pub(super) fn answer(self, outcome: &Outcome) -> Result<NewKey, ApiError> {
        let outcome = serde_json::to_value(outcome).map_err(|error| internal(&error))?;
        Ok(NewKey { person: self.person, key: self.key, request_hash: self.hash, outcome })
    }
}

impl Reservations {
    /// Does it once, or not at all.
    pub(super) async fn run(&self, by: By<'_>, deed: &Deed<'_>) -> Result<Outcome, ApiError> {
        let mut tried = 0;
        if matches!(deed, Deed::Series(_)) {
            // Who is in the way is part of its answer.
            Box::pin(self.lapse_overdue()).await?;
        }
        loop {
            let error = match self.attempt(by, deed).await {
                Ok((outcome, changed)) => {
                    if changed {
                        self.live.resync();
                    }
                    return Ok(outcome);
                }
                Err(Failed::Refused(refusal)) => {
                    return Err(self.with_ways_out(by, deed, deed.in_its_words(refusal)).await);
                }
                Err(Failed::Held(held)) => {
                    // Who has not answered in time is in nobody's way.
                    if tried < RETRIES && Box::pin(self.lapse_overdue()).await? > 0 {
                        tried += 1;
                        continue;
                    }
                    let refusal = self.who_is_in_the_way(by, *held).await?;
                    // Whoever was in the way has given the card back meanwhile: once more.
                    if !refusal.clashes.is_empty() || refusal.code != ErrorCode::Overlap || tried == RETRIES {
                        return Err(self.with_ways_out(by, deed, deed.in_its_words(refusal)).await);
                    }
                    None
                }
                Err(Failed::Moved) => None,
                Err(Failed::Store(error)) => Some(error),
            };
            wait_for_another_try(&mut tried, error).await?;
        }
    }

    async fn attempt(&self, by: By<'_>, deed: &Deed<'_>) -> Result<(Outcome, bool), Failed> {
        let mut tx = store::begin(&self.pool).await?;
        let done = match deed {
            Deed::Book { ask, offered_until } => self.book_in(&mut tx, by, ask, *offered_until).await?,
            Deed::Series(ask) => self.series_in(&mut tx, by, ask).await?,
            Deed::Edit { ask, keyed } => self.edit_in(&mut tx, by, ask, *keyed).await?,
            Deed::Lapse(id) => self.lapse_in(&mut tx, *id).await?,
            Deed::GiveBack(what) => self.give_back_in(&mut tx, what).await?,
        };
        match done {
            Done::Changed(outcome) => {
                tx.commit().await?;
                Ok((outcome, true))
            }
            Done::Kept(outcome) => {
                tx.commit().await?;
                Ok((outcome, false))
            }
            // What was locked is let go of when the transaction is dropped.
            Done::Same(outcome) => Ok((outcome, false)),
        }
    }

    /// Releases every booking that nobody has answered in time; gives how many. Any replica may do it at any time.
    ///
    /// # Errors
    /// `server.busy`, `server.unavailable`.
    pub async fn lapse_overdue(&self) -> Result<usize, ApiError> {
        let mut lapsed = 0;
        for id in due::overdue(&self.pool, self.clock.now()).await? {
            let outcome = self.run(By::Portal, &Deed::Lapse(id)).await?;
            lapsed += usize::from(matches!(outcome, Outcome::Edited(_)));
        }
        Ok(lapsed)
    }

    async fn who_is_in_the_way(&self, by: By<'_>, held: InTheWay) -> Result<ApiError, ApiError> {
        let clashes = in_the_way_of(&self.pool, by.id(), &held.wanted, &held.except).await?;
        let now = self.clock.now();
        Ok(match held.refusal {
            Some(refusal) => ApiError { clashes, ..refusal },
            None => refusal::overlap(clashes, &held.asked, &(self.zone_table)(&held.zone, now), now),
        })
    }

    /// Locks people's rows. Whoever does it must have an account that is not disabled.
    pub(super) async fn lock_people(
        &self,
        conn: &mut PgConnection,
        by: By<'_>,
        others: &[UserId],
    ) -> Result<Vec<LockedPerson>, Failed> {
        let mut ids: Vec<UserId> = others.iter().copied().chain(by.id()).collect();
        ids.sort_unstable();
        ids.dedup();
        let people = lock_people(conn, &ids).await?;
        let is_there = |id| people.iter().any(|person| person.id == id && !person.disabled);
        if by.id().is_some_and(|id| !is_there(id)) {
            return Err(ApiError::new(ErrorCode::SignInNeeded, en().errors.sign_in_needed).into());
        }
        Ok(people)
    }
}

impl Deed<'_> {
    /// Refusals speak of booking; an edit has not booked anything.
    fn in_its_words(&self, refusal: ApiError) -> ApiError {
        match self {
            Deed::Edit { ask, .. } => {
                let text = &en().reservation;
                let instead = match ask.edit {
                    Edit::Approve => text.not_approved,
                    _ => text.not_changed,
                };
                match refusal.message.strip_prefix(text.not_booked) {
                    Some(rest) => ApiError { message: format!("{instead}{rest}"), ..refusal },
                    None => refusal,
                }
            }
            _ => refusal,
        }
    }
}

/// Sleeps a random moment where another try may work; otherwise it is the refusal. `None` is always worth a try.
async fn wait_for_another_try(tried: &mut u32, error: Option<StoreError>) -> Result<(), ApiError> {
    let contended = error.as_ref().is_none_or(lost_to_another);
    // An outage is worth one try: the pool may have handed out a connection from before a restart. Where the commit
    // had gone through and only its answer was lost, the key finds what it has done.
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
