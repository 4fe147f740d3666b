//! Which cards serve a wish best.

use app::port::Finder;
use async_trait::async_trait;

use super::RequestPortal;

#[async_trait]
impl Finder for RequestPortal {}
