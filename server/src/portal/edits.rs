//! Editing bookings, and those that repeat.

use app::port::Edits;
use async_trait::async_trait;

use super::RequestPortal;

#[async_trait]
impl Edits for RequestPortal {}
