//! Groups, labels and what administrators allow.

use app::port::Rules;
use async_trait::async_trait;

use super::RequestPortal;

#[async_trait]
impl Rules for RequestPortal {}
