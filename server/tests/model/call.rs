//! Requests as values, so that one can be sent again, or twice.

use std::future::Future;
use std::pin::Pin;

use domain::error::{ApiError, ErrorCode};
use domain::id::{CardUuid, MaintenanceId, ReservationId};
use domain::reservation::NewReservation;
use domain::reservation::edit::{EditAsk, Edited};
use domain::reservation::series::{NewSeries, SeriesOutcome};
use domain::upkeep::{PlanAsk, Shares};
use domain::wire::page::Viewer;
use domain::zone::ZoneTable;
use server::service::Services;
use server::service::reservations::GiveBack;
use server::service::upkeep::{self, By, cards};
use server::store::reservations::held::Left;
use time::OffsetDateTime;

/// What each share of the model's cards may have, in MiB.
const SHARE_MIB: u64 = 8192;

/// A request.
#[derive(Clone, Debug)]
pub enum Call {
    Book(NewReservation),
    /// The portal holds something for somebody who has waited.
    Offer(NewReservation, OffsetDateTime),
    Series(NewSeries),
    Edit(EditAsk),
    Cancel(ReservationId),
    EndNow(ReservationId),
    /// A rule gives cards back.
    GiveBack(ReservationId, Vec<CardUuid>, Left),
    /// What nobody has answered lapses.
    Lapse,
    Plan(PlanAsk),
    Spare(MaintenanceId),
    KeepBack(CardUuid, bool),
    Share(CardUuid, Option<u32>),
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Done {
    Booked(ReservationId),
    Series(SeriesOutcome),
    Edited(Edited),
    /// It is done, and there is nothing to say of it.
    Did,
    /// There was nothing to do.
    Nothing,
}

/// An answer to come.
pub type Answer = Pin<Box<dyn Future<Output = Result<Done, ApiError>> + Send>>;

impl Call {
    /// A word for it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Book(_) => "book",
            Self::Offer(..) => "offer",
            Self::Series(_) => "series",
            Self::Edit(ask) => match &ask.edit {
                domain::reservation::edit::Edit::Set(_) => "set",
                domain::reservation::edit::Edit::Transfer { .. } => "transfer",
                domain::reservation::edit::Edit::Approve => "approve",
                domain::reservation::edit::Edit::Refuse { .. } => "refuse",
                domain::reservation::edit::Edit::Accept => "accept",
                _ => "edit",
            },
            Self::Cancel(_) => "cancel",
            Self::EndNow(_) => "end now",
            Self::GiveBack(..) => "give back",
            Self::Lapse => "lapse",
            Self::Plan(_) => "plan",
            Self::Spare(_) => "call off",
            Self::KeepBack(..) => "keep back",
            Self::Share(..) => "share",
        }
    }

    /// Sends it.
    pub fn send(&self, services: &Services, viewer: &Viewer) -> Answer {
        let (call, services, viewer) = (self.clone(), services.clone(), viewer.clone());
        Box::pin(async move {
            let reservations = &services.reservations;
            let by = By { viewer: &viewer, zone: ZoneTable::utc(), address: None };
            match call {
                Self::Book(ask) => reservations.book(&viewer, &ask).await.map(Done::Booked),
                Self::Offer(ask, until) => reservations.book_waited(&ask, Some(until)).await.map(Done::Booked),
                Self::Series(ask) => reservations.book_series(&viewer, &ask).await.map(Done::Series),
                Self::Edit(ask) => reservations.edit(&viewer, &ask).await.map(Done::Edited),
                Self::Cancel(id) => reservations.cancel(&viewer, id).await.map(did),
                Self::EndNow(id) => reservations.end_now(&viewer, id).await.map(did),
                Self::GiveBack(reservation, cards, why) => {
                    let what = GiveBack { reservation, cards, why, notices: Vec::new() };
                    let gave = reservations.give_back(&what).await?;
                    Ok(if gave { Done::Did } else { Done::Nothing })
                }
                Self::Lapse => reservations.lapse_overdue().await.map(|_| Done::Did),
                Self::Plan(ask) => upkeep::plan(&services, &by, &ask).await.map(|_| Done::Did),
                Self::Spare(id) => upkeep::call_off(&services, &by, id).await.map(did),
                Self::KeepBack(card, back) => {
                    cards::keep_back(&services, &by, &card, back.then_some("the model says so")).await.map(did)
                }
                Self::Share(card, count) => {
                    let shares = count.map(|count| Shares { count, memory_mib: SHARE_MIB });
                    cards::share(&services, &by, &card, shares).await.map(did)
                }
            }
        })
    }

    /// When it was sent before and the answer was lost, this is the answer of one that has been done.
    pub fn is_done_already(&self, answer: &Result<Done, ApiError>) -> bool {
        match (self, answer) {
            (Self::Cancel(_) | Self::EndNow(_) | Self::Spare(_), Err(refusal)) => {
                refusal.code == ErrorCode::AlreadyOver
            }
            (Self::GiveBack(..), Ok(Done::Nothing)) => true,
            _ => false,
        }
    }
}

impl Done {
    /// The same answer to the same request.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            // What was refused once is said in the words of then.
            (Self::Series(a), Self::Series(b)) => a.series == b.series && a.booked == b.booked,
            (a, b) => a == b,
        }
    }
}

fn did((): ()) -> Done {
    Done::Did
}

/// Nothing was done, or nobody knows.
pub fn is_try_again(answer: &Result<Done, ApiError>) -> bool {
    answer.as_ref().is_err_and(|refusal| matches!(refusal.code, ErrorCode::Busy | ErrorCode::Unavailable))
}
