//! Which cards serve a wish best.

use app::port::Finder;
use async_trait::async_trait;
use domain::error::ApiError;
use domain::finder::{Advice, AdviceAsk, Choices, Found, Want};
use domain::user::Act;

use super::RequestPortal;

#[async_trait]
impl Finder for RequestPortal {
    async fn find(&self, want: Want) -> Result<Found, ApiError> {
        self.services.finder.find(self.caller.may(Act::ViewFleet)?, &want).await
    }
    async fn choices(&self) -> Result<Choices, ApiError> {
        self.services.finder.choices(self.caller.may(Act::ViewFleet)?).await
    }
    async fn advise(&self, ask: AdviceAsk) -> Result<Advice, ApiError> {
        self.services.finder.advise(self.caller.may(Act::ViewFleet)?, &ask).await
    }
}
