//! Booking what repeats. Each occurrence becomes a booking of its own, in one transaction; whether it can be booked is
//! found out under the locks, one after the other, so that rules count those before it.

use domain::draft::Unreadable;
use domain::error::{ApiError, ErrorCode, Field};
use domain::id::{ReservationId, SeriesId};
use domain::notice::What;
use domain::repeat::{Occurrence, expand, is_too_long};
use domain::reservation::NewReservation;
use domain::reservation::series::{NewSeries, OCCURRENCES_MAX, RefusedOccurrence, SeriesOutcome, Take};
use domain::text::{When, en};
use domain::window::Window;
use domain::zone::ZoneTable;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::book::{begin_at, canonical, co_users, owner, person, wants, zone_of};
use super::run::{By, Done, Failed, Outcome, Request};
use super::{Reservations, refusal, told};
use crate::store::notices;
use crate::store::reservations::clash::{Wanted, in_the_way_of};
use crate::store::reservations::held::Held;
use crate::store::reservations::save::{self, Change, Work};
use crate::store::reservations::{LockedCard, lock_cards};

/// What all of a series have in common.
struct Common<'a> {
    by: By<'a>,
    ask: &'a NewSeries,
    /// The first one, with no time yet.
    booking: Held,
    cards: Vec<LockedCard>,
    zone: ZoneTable,
    now: OffsetDateTime,
}

impl Reservations {
    pub(super) async fn series_in(&self, conn: &mut PgConnection, by: By<'_>, ask: &NewSeries) -> Result<Done, Failed> {
        let owner = owner(by, &ask.first)?;
        let people = self.lock_people(conn, by, &[owner]).await?;
        let same = NewSeries { first: canonical(&ask.first), ..ask.clone() };
        let request = Request::new(by.id().unwrap_or(owner), ask.first.idempotency_key, "series", &same)?;
        if let Some(outcome) = request.answered(conn).await? {
            return Ok(Done::Same(outcome));
        }
        let owner = person(&people, owner)?;
        let zone_name = zone_of(by, &ask.first, &people, owner)?;
        let zone = (self.zone_table)(&zone_name, self.clock.now());
        let first = self.check(&ask.first)?;
        let occurrences = expand(&ask.first.window, &ask.repeat, &zone, ask.doubled);
        if occurrences.is_empty() || is_too_long(&ask.first.window, &ask.repeat, &zone) {
            let message = (en().reservation.bad_repeat)(OCCURRENCES_MAX);
            return Err(ApiError::new(ErrorCode::BadInput, message).on(Field::End).into());
        }
        let co_users = co_users(conn, &ask.first.co_users, owner.id).await?;
        let cards = lock_cards(conn, &first.cards).await?;
        let id = SeriesId(Uuid::now_v7());
        let booking = Held {
            id: ReservationId(Uuid::now_v7()),
            owner: owner.id,
            booked_by: by.id().filter(|id| *id != owner.id),
            purpose: first.purpose,
            window: first.window,
            zone: zone_name.clone(),
            version: 1,
            awaits: None,
            approved_by: None,
            fate: None,
            ended_at: None,
            series: None,
            co_users,
            holds: Vec::new(),
        };
        let now = self.clock.now();
        let common = Common { by, ask, booking, cards, zone, now };
        let new = save::NewSeries { id, owner: owner.id, zone: zone_name, repeat: ask.repeat };
        let mut outcome = SeriesOutcome { series: None, booked: Vec::new(), refused: Vec::new() };
        let mut first: Option<Held> = None;
        for occurrence in occurrences {
            match self.occurrence(conn, &common, id, occurrence, first.is_none().then_some(&new)).await? {
                Ok(booked) => {
                    outcome.booked.push(booked.id);
                    first.get_or_insert(booked);
                }
                Err(refused) => outcome.refused.push(refused),
            }
        }
        if ask.take == Take::AllOrNothing && !outcome.refused.is_empty() {
            // What was written to judge the others is undone with the transaction.
            outcome.booked.clear();
        }
        let Some(first) = first.filter(|_| !outcome.booked.is_empty()) else {
            return Ok(Done::Same(Outcome::Series(outcome)));
        };
        outcome.series = Some(id);
        let told = told::of(conn, by.viewer(), None, &first, What::Booked, &owner.name).await?;
        notices::write(conn, &told, now).await?;
        let outcome = Outcome::Series(outcome);
        self.write(conn, &Work { key: Some(request.answer(&outcome)?), ..self.work(by) }, now).await?;
        Ok(Done::Changed(outcome))
    }

    /// Books one of them, or says why it cannot be booked.
    async fn occurrence(
        &self,
        conn: &mut PgConnection,
        common: &Common<'_>,
        id: SeriesId,
        occurrence: Occurrence,
        series: Option<&save::NewSeries>,
    ) -> Result<Result<Held, RefusedOccurrence>, Failed> {
        let Occurrence { day, window } = occurrence;
        let refuse = |window, why| Ok(Err(RefusedOccurrence { day, window, why }));
        let window = match window {
            Ok(window) => window,
            Err(bad) => {
                let when = When { zone: &common.zone, now: common.now, text: &en().when };
                let message = en().unreadable(&Unreadable::Start(bad), &when);
                return refuse(None, ApiError::new(ErrorCode::BadInput, message).on(Field::Start));
            }
        };
        let mut booking = Held { id: ReservationId(Uuid::now_v7()), series: Some((id, day)), ..common.booking.clone() };
        match self.in_its_time(common, &window) {
            Ok(window) => booking.window = window,
            Err(why) => return refuse(Some(window), why),
        }
        // Everybody who takes cards has their locks: what is free now stays free until this is committed.
        let wanted: Vec<Wanted> = common
            .cards
            .iter()
            .map(|card| Wanted {
                card: card.uuid.clone(),
                window: booking.window,
                // An instance is a share of its own already: whoever has it is in the way.
                shared: common.ask.first.shares.contains_key(&card.uuid) && !card.uuid.is_mig(),
            })
            .collect();
        let held = in_the_way_of(&mut *conn, common.by.id(), &wanted, &[]).await?;
        if !held.is_empty() {
            return refuse(Some(window), refusal::overlap(held, &window, &common.zone, common.now));
        }
        let cards: Vec<_> = common.ask.first.cards.clone();
        let wants = wants(&cards, &common.ask.first);
        match self.settle(conn, common.by, None, &mut booking, wants, &common.cards, common.now).await {
            Ok(()) => {}
            // What is wrong with us is not wrong with one of them.
            Err(Failed::Refused(why)) if why.code.status() < 500 => return refuse(Some(window), why),
            Err(Failed::Held(in_the_way)) => match in_the_way.refusal {
                Some(why) => {
                    let clashes = in_the_way_of(&mut *conn, common.by.id(), &in_the_way.wanted, &[]).await?;
                    return refuse(Some(window), ApiError { clashes, ..why });
                }
                None => return Err(Failed::Moved),
            },
            Err(other) => return Err(other),
        }
        let work = Work {
            changes: vec![Change { before: None, after: booking.clone(), action: "reservation.create" }],
            series: series.cloned(),
            ..self.work(common.by)
        };
        self.write(conn, &work, common.now).await?;
        Ok(Ok(booking))
    }

    /// The rules about a single time, for one of many.
    fn in_its_time(&self, common: &Common<'_>, window: &Window) -> Result<Window, ApiError> {
        let ask = NewReservation { window: *window, ..common.ask.first.clone() };
        begin_at(&self.check(&ask)?.window, common.now)
    }
}
