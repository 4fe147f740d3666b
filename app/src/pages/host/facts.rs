//! What the page knows of each card beyond what is live, looked up by the card.

use std::sync::OnceLock;

use domain::card::CardDetail;
use domain::id::{CardUuid, UserId};
use domain::inventory::{CardTraits, Machine};
use domain::wire::page::HostPage;
use time::{Duration, OffsetDateTime};

/// The page's data.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    page: &'a HostPage,
}

impl<'a> Facts<'a> {
    /// Over a page.
    #[must_use]
    pub fn of(page: &'a HostPage) -> Self {
        Self { page }
    }

    /// What a card did in full at the last report.
    #[must_use]
    pub fn detail(&self, card: &CardUuid) -> &'a CardDetail {
        static NOTHING: OnceLock<CardDetail> = OnceLock::new();
        let known = self.page.told.details.iter().find(|(uuid, _)| uuid == card).map(|(_, detail)| detail);
        known.unwrap_or_else(|| NOTHING.get_or_init(CardDetail::default))
    }

    /// What a card is; `None` before the host has told.
    #[must_use]
    pub fn traits(&self, card: &CardUuid) -> Option<&'a CardTraits> {
        let cards = &self.page.told.inventory.as_ref()?.cards;
        cards.iter().find(|known| known.uuid == *card).map(|known| &known.traits)
    }

    /// The machine; `None` before the host has told.
    #[must_use]
    pub fn machine(&self) -> Option<&'a Machine> {
        self.page.told.inventory.as_ref().map(|inventory| &inventory.machine)
    }

    /// An instant of the host's clock by the portal's.
    #[must_use]
    pub fn ours(&self, at: OffsetDateTime) -> OffsetDateTime {
        at - Duration::milliseconds(self.page.host.pulse.clock_ahead_ms.unwrap_or(0))
    }

    /// Colour of a person, where one of the host's bookings tells it.
    #[must_use]
    pub fn hue(&self, person: UserId) -> Option<u16> {
        let bookings = self.page.host.cards.iter().flat_map(|card| &card.bookings);
        bookings.filter(|booking| booking.owner == person).map(|booking| booking.hue).next()
    }
}
