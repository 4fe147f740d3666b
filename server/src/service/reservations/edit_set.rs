//! What a booking is to become: another time, other cards, another purpose, other people.

use domain::draft::Unreadable;
use domain::draft::wall::{BadWall, Which};
use domain::error::{ApiError, ErrorCode, Field};
use domain::id::CardUuid;
use domain::repeat::follow;
use domain::reservation::edit::Target;
use domain::reservation::{LENGTH_MAX, NewReservation, Unbookable};
use domain::text::{When, en};
use domain::window::Window;
use sqlx::PgConnection;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::book::co_users;
use super::edit::Desk;
use super::run::Failed;
use super::shape::{Wants, wants};
use super::{Reservations, refusal};
use crate::clock::to_micros;
use crate::store::reservations::held::Held;

/// A start that differs by less is the same one: fields hold minutes.
const SAME_START: Duration = Duration::MINUTE;

impl Reservations {
    /// Makes `after` what it is to become.
    pub(super) async fn set(
        &self,
        conn: &mut PgConnection,
        desk: &Desk<'_>,
        before: &Held,
        after: &mut Held,
        target: &Target,
    ) -> Result<(), Failed> {
        let has = wants(before, &desk.cards);
        let wanted = match &target.cards {
            Some(cards) => cards.iter().map(|card| (card.clone(), target.shares.get(card).copied())).collect(),
            None => has.clone(),
        };
        let purpose = target.purpose.as_deref().unwrap_or(&before.purpose);
        let window = match target.window {
            None => before.window,
            Some(window) if before.id == desk.head.id => window,
            Some(window) => self.follow(desk, before, &window, target.doubled)?,
        };
        let window = micros(&window);
        let begun = before.window.start() <= desk.now;
        let (window, purpose) = if begun {
            // What a running booking is for, and whether it has cards, is looked at as if it began now.
            let any = Window::new(desk.now, desk.now + Duration::hours(1)).unwrap_or(window);
            let (_, purpose) = allowed(&wanted, &any, purpose, &window, desk.now)?;
            (running(&before.window, &window, desk.now)?, purpose)
        } else {
            allowed(&wanted, &window, purpose, &window, desk.now)?
        };
        after.window = micros(&window);
        after.purpose = purpose;
        if let Some(people) = &target.co_users {
            after.co_users = co_users(conn, people, before.owner).await?;
        }
        if desk.parked || wanted != has || after.window != before.window {
            self.settle(conn, desk.by, Some(before), after, wanted, &desk.cards, desk.now).await?;
        }
        after.awaits = after.awaits.map(|(awaits, until)| (awaits, until.min(after.window.end())));
        Ok(())
    }

    /// Moves one of those that follow as the one that was named is moved.
    fn follow(
        &self,
        desk: &Desk<'_>,
        before: &Held,
        becomes: &Window,
        doubled: Option<Which>,
    ) -> Result<Window, ApiError> {
        let zone = (self.zone_table)(&before.zone, desk.now);
        let was = desk.head.window;
        // Of a start that is the same but for its seconds nothing is moved.
        let start = if (becomes.start() - was.start()).abs() < SAME_START { was.start() } else { becomes.start() };
        let becomes = Window::new(start, becomes.end()).unwrap_or(*becomes);
        follow(&before.window, &was, &becomes, &zone, doubled).map_err(|why| {
            let twice =
                matches!(why, Unreadable::Start(BadWall::Twice { .. }) | Unreadable::End(BadWall::Twice { .. }));
            let code = if twice { ErrorCode::WhichTime } else { ErrorCode::BadInput };
            let when = When { zone: &zone, now: desk.now, text: &en().when };
            let day = when.at(before.window.start());
            let message = (en().reservation.one_of_series)(&day, &en().unreadable(&why, &when));
            ApiError::new(code, message).on(why.field().unwrap_or(Field::Start))
        })
    }
}

/// What can be said without knowledge of other bookings.
fn allowed(
    wanted: &Wants,
    window: &Window,
    purpose: &str,
    asked: &Window,
    now: OffsetDateTime,
) -> Result<(Window, String), ApiError> {
    let cards: Vec<CardUuid> = wanted.keys().cloned().collect();
    let ask = NewReservation::of_cards(cards, *window, purpose, Uuid::nil());
    let bookable = ask.check(now).map_err(|why| refusal::wish(&why, asked, now))?;
    Ok((bookable.window, bookable.purpose))
}

/// The time of a running booking: its end alone may differ, and lies ahead.
fn running(before: &Window, asked: &Window, now: OffsetDateTime) -> Result<Window, ApiError> {
    let text = &en().reservation;
    if (asked.start() - before.start()).abs() >= SAME_START {
        return Err(ApiError::new(ErrorCode::PastIsFixed, text.start_is_fixed).on(Field::Start));
    }
    let fixed = || ApiError::new(ErrorCode::PastIsFixed, text.end_is_past).on(Field::End);
    if asked.end() <= now {
        return Err(fixed());
    }
    let window = Window::new(before.start(), asked.end()).map_err(|_| fixed())?;
    if window.length() > LENGTH_MAX && window.end() > before.end() {
        return Err(refusal::wish(&Unbookable::TooLong, asked, now));
    }
    Ok(window)
}

fn micros(window: &Window) -> Window {
    Window::new(to_micros(window.start()), to_micros(window.end())).unwrap_or(*window)
}
