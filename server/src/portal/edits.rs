//! Editing bookings, and those that repeat.

use app::port::Edits;
use async_trait::async_trait;
use domain::error::ApiError;
use domain::reservation::edit::{EditAsk, Edited};
use domain::reservation::series::{NewSeries, SeriesOutcome};
use domain::user::Act;

use super::RequestPortal;

#[async_trait]
impl Edits for RequestPortal {
    async fn edit(&self, ask: EditAsk) -> Result<Edited, ApiError> {
        let viewer = self.caller.may(Act::ChangeOwnBooking)?;
        self.services.reservations.from_address(self.caller.address).edit(viewer, &ask).await
    }
    async fn book_series(&self, ask: NewSeries) -> Result<SeriesOutcome, ApiError> {
        let viewer = self.caller.may(Act::Book)?;
        self.services.reservations.from_address(self.caller.address).book_series(viewer, &ask).await
    }
}
