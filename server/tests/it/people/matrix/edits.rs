//! `app::port::Edits`.

use app::port::Portal;
use domain::id::{CardUuid, ReservationId};
use domain::reservation::NewReservation;
use domain::reservation::edit::{Edit, EditAsk, Scope};
use domain::reservation::series::{Every, NewSeries, Repeat, RepeatEnd, Take};
use domain::window::Window;
use time::Duration;
use uuid::Uuid;

use super::{Gate, Row, gate};
use crate::support::clock::MORNING;

/// One method; `None` where it is none of these.
pub async fn call(portal: &impl Portal, method: &str) -> Option<Gate> {
    let nil = Uuid::nil();
    Some(match method {
        "edit" => {
            let reservation = ReservationId(nil);
            let (edit, scope) = (Edit::Cancel, Scope::One);
            gate(portal.edit(EditAsk { reservation, edit, scope, version: None, idempotency_key: nil }).await)
        }
        "book_series" => {
            let window = Window::new(MORNING, MORNING + Duration::hours(1)).unwrap();
            let first = NewReservation::of_cards(vec![CardUuid::parse("GPU-none").unwrap()], window, "", nil);
            let repeat = Repeat { every: Every::Day, end: RepeatEnd::Times(2) };
            gate(portal.book_series(NewSeries { first, repeat, take: Take::AllOrNothing, doubled: None }).await)
        }
        _ => return None,
    })
}

/// Its rows.
pub const ROWS: &[Row] =
    &[("edit", [Gate::SignIn, Gate::Open, Gate::Open]), ("book_series", [Gate::SignIn, Gate::Open, Gate::Open])];
