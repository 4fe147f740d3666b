//! What the caller is told, and where the caller waits.

use app::port::Notices;
use async_trait::async_trait;
use domain::error::ApiError;
use domain::id::{ReservationId, WaitId};
use domain::notice::{Answer, Notices as NoticeList, Which};
use domain::user::Act;
use domain::wire::calendar::{WaitAsk, Waiting};

use super::RequestPortal;
use crate::service::{notices, waiting};

#[async_trait]
impl Notices for RequestPortal {
    async fn notices(&self) -> Result<NoticeList, ApiError> {
        notices::all(&self.services, self.caller.person()?.id).await
    }
    async fn mark_read(&self, which: Which) -> Result<(), ApiError> {
        notices::mark_read(&self.services, self.caller.person()?.id, &which).await
    }
    async fn answer(&self, notice: i64, answer: Answer) -> Result<(), ApiError> {
        notices::answer(&self.services, self.caller.may(Act::ChangeOwnBooking)?, notice, &answer).await
    }
    async fn ask_holder(&self, booking: ReservationId) -> Result<bool, ApiError> {
        notices::ask_holder(&self.services, self.caller.may(Act::Book)?, booking).await
    }
    async fn wait(&self, ask: WaitAsk) -> Result<WaitId, ApiError> {
        waiting::wait(&self.services, self.caller.may(Act::Book)?, &ask).await
    }
    async fn stop_waiting(&self, id: WaitId) -> Result<(), ApiError> {
        waiting::stop(&self.services, self.caller.person()?, id).await
    }
    async fn waiting(&self) -> Result<Vec<Waiting>, ApiError> {
        waiting::of(&self.services, self.caller.person()?).await
    }
}
