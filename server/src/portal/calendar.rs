//! The calendar, and what its panel asks while somebody plans.

use app::port::Calendars;
use async_trait::async_trait;

use super::RequestPortal;

#[async_trait]
impl Calendars for RequestPortal {}
