//! Maintenance, and cards that are not to be had or are open for shares.

use app::port::Upkeep;
use async_trait::async_trait;

use super::RequestPortal;

#[async_trait]
impl Upkeep for RequestPortal {}
