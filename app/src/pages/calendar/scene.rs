//! Everything that a picture of the calendar is made from, worked out once: rows, blocks, who is free when.

use std::sync::Arc;

use domain::band::State;
use domain::calendar::axis::Axis;
use domain::calendar::choice::Choice;
use domain::calendar::free::{Busy, Standing};
use domain::calendar::lanes::{HostRows, rows};
use domain::calendar::view::View;
use domain::id::{CardUuid, ReservationId, UserId};
use domain::text::When;
use domain::wire::calendar::{Calendar, CalendarCard, CalendarHost};
use domain::zone::ZoneTable;
use time::{Duration, OffsetDateTime};

use super::heads::{RowHead, RowHeads};

/// Who looks at what, when.
#[derive(Clone, Copy)]
pub struct Sight<'a> {
    /// Bookings.
    pub calendar: &'a Calendar,
    /// What cards do.
    pub heads: &'a RowHeads,
    /// Time, zoom and filters.
    pub view: &'a View,
    /// Zone of the axis.
    pub zone: &'a ZoneTable,
    /// Who looks.
    pub viewer: UserId,
    /// The portal's clock.
    pub now: OffsetDateTime,
    /// Scripts run: bars are reached by the cursor, not one by one.
    pub scripted: bool,
}

/// A picture, before it is written.
pub struct Scene<'a> {
    /// What it is made from.
    pub sight: Sight<'a>,
    /// Its axis.
    pub axis: Axis,
    /// Its rows.
    pub rows: Arc<Vec<HostRows>>,
    /// When cards are taken.
    pub busy: Arc<Busy>,
    /// Bookings of which a change is on its way: drawn where they are to be.
    pub hidden: Vec<ReservationId>,
}

impl<'a> Scene<'a> {
    /// Works it out.
    #[must_use]
    pub fn new(sight: Sight<'a>) -> Self {
        let busy = Busy::new(sight.calendar);
        let choice = Choice::new(sight.view, sight.calendar, sight.viewer);
        let until = sight.now + Duration::hours(sight.view.free.map_or(0, i64::from));
        let free = |card: &CardUuid| {
            let Some(head) = sight.heads.get(card).filter(|head| head.state == State::Free) else { return false };
            // The calendar may be of other days than now; what is booked next stands at the head of the row as well.
            head.taken_from.is_none_or(|from| from >= until)
                && busy.is_free(card, sight.now)
                && busy.free_until(card, sight.now).is_none_or(|from| from >= until)
        };
        let shown = |host: &CalendarHost, card: &CalendarCard| choice.admits(host, card, &free);
        let rows = rows(sight.calendar, sight.view.by_number, &shown);
        Self::again(sight, Arc::new(rows), Arc::new(busy))
    }

    /// With rows and busy times that were worked out before, of the same calendar and view.
    #[must_use]
    pub fn again(sight: Sight<'a>, rows: Arc<Vec<HostRows>>, busy: Arc<Busy>) -> Self {
        let axis = sight.view.axis(sight.zone, sight.now);
        Self { sight, axis, rows, busy, hidden: Vec::new() }
    }

    /// Rows in all.
    #[must_use]
    pub fn cards(&self) -> usize {
        self.rows.iter().map(|host| host.cards.len()).sum()
    }

    /// The host of some rows.
    #[must_use]
    pub fn host(&self, rows: &HostRows) -> Option<&'a CalendarHost> {
        self.sight.calendar.hosts.get(rows.host)
    }

    /// The head of a row.
    #[must_use]
    pub fn head(&self, card: &CardUuid) -> Option<&'a RowHead> {
        self.sight.heads.get(card)
    }

    /// Whether a card counts as free where nobody has booked it.
    #[must_use]
    pub fn standing(&self, card: &CardUuid) -> Standing {
        self.head(card).map_or(Standing::Out, |head| head.standing)
    }

    /// Whether a host is folded away.
    #[must_use]
    pub fn is_folded(&self, name: &str) -> bool {
        self.sight.view.folded.iter().any(|folded| folded == name)
    }

    /// Times in words.
    #[must_use]
    pub fn when(&self) -> When<'a> {
        When::new(self.sight.zone, self.sight.now)
    }
}
