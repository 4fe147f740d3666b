//! Which cards serve a wish best.

use async_trait::async_trait;
use domain::error::ApiError;
use domain::finder::{Advice, AdviceAsk, Choices, Found, Want};

/// Which cards serve a wish best. Every method authorises by the caller's role.
#[async_trait]
pub trait Finder: Send + Sync {
    /// The best cards for a wish, up to three suggestions.
    async fn find(&self, want: Want) -> Result<Found, ApiError>;
    /// What there is to choose from.
    async fn choices(&self) -> Result<Choices, ApiError>;
    /// What is in the way of cards that were picked by hand, and what would work instead.
    async fn advise(&self, ask: AdviceAsk) -> Result<Advice, ApiError>;
}
