//! Changing bookings.

use domain::reservation::edit::{EditAsk, Edited};
use domain::reservation::series::{NewSeries, SeriesOutcome};
use leptos::prelude::*;
use leptos::server_fn::codec::Json;

use crate::error::AppError;

/// Changes a booking, or one that repeats and all that follow it: all of it, or nothing.
#[server(name = EditBooking, prefix = "/api/page", endpoint = "edit", input = Json)]
pub async fn edit(ask: EditAsk) -> Result<Edited, AppError> {
    use crate::{error::answer, port::portal};
    answer(async { portal()?.edit(ask).await }.await)
}

/// Books what repeats: all of it, or those that are free.
#[server(name = BookSeries, prefix = "/api/page", endpoint = "book_series", input = Json)]
pub async fn book_series(ask: NewSeries) -> Result<SeriesOutcome, AppError> {
    use crate::{error::answer, port::portal};
    answer(async { portal()?.book_series(ask).await }.await)
}
