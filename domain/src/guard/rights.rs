//! Who holds what, and until when.

use time::OffsetDateTime;

use super::{Scene, by_index};
use crate::id::{CardUuid, ReservationId, UserId};
use crate::window::Window;
use crate::wire::agent_v1::TableBooking;
use crate::wire::guard_v1::{Held, Why};
use crate::wire::launch_v1::{LaunchAsk, OwnBooking, is_called};

impl<'a> Scene<'a> {
    pub(super) fn bookings(&self) -> impl Iterator<Item = &'a TableBooking> {
        self.table.into_iter().flat_map(|table| &table.bookings)
    }

    /// Bookings whose window is `wanted`, one entry for each card, in order of card and start. The end is where the
    /// holder's right ends: back-to-back bookings count as one.
    pub(super) fn held(&self, people: &[UserId], wanted: impl Fn(&Window) -> bool) -> Vec<Held> {
        let mut held: Vec<Held> = Vec::new();
        for booking in self.bookings().filter(|booking| wanted(&booking.window)) {
            for uuid in &booking.cards {
                let end = self.end_of_right(booking, uuid, people);
                held.push(Held {
                    card: self.name(uuid),
                    holder: booking.holder.clone(),
                    own: booking.lets(people),
                    window: Window::new(booking.window.start(), end).unwrap_or(booking.window),
                });
            }
        }
        held.sort_by(|a, b| by_index(&a.card, &b.card).then(a.window.start().cmp(&b.window.start())));
        // The second of two back-to-back bookings is within the first entry already.
        held.dedup_by(|later, kept| {
            later.card.uuid == kept.card.uuid && later.holder == kept.holder && later.window.end() == kept.window.end()
        });
        held
    }

    /// End of the booking, or of the last one that its holder has back to back on this card; for one of
    /// those who ask, of the last one that this person may use.
    pub(super) fn end_of_right(&self, booking: &TableBooking, card: &CardUuid, people: &[UserId]) -> OffsetDateTime {
        let mut end = booking.window.end();
        let continues = |end: OffsetDateTime| {
            let both = |b: &TableBooking, person: UserId| booking.lets(&[person]) && b.lets(&[person]);
            let goes_on =
                |b: &&TableBooking| b.person == booking.person || people.iter().any(|person| both(b, *person));
            let same = self.bookings().filter(goes_on).filter(|b| b.cards.contains(card));
            same.filter(|b| b.window.start() <= end && b.window.end() > end).map(|b| b.window.end()).max()
        };
        while let Some(later) = continues(end) {
            end = later;
        }
        end
    }

    /// When the caller's right to a card ends, and the booking that gives it.
    pub(super) fn right_to(&self, card: &CardUuid, people: &[UserId]) -> Option<(OffsetDateTime, ReservationId)> {
        let own = self.bookings().filter(|b| b.lets(people) && b.window.contains(self.now));
        let own = own.filter(|booking| booking.cards.contains(card));
        own.map(|booking| (self.end_of_right(booking, card, people), booking.id)).max_by_key(|(until, _)| *until)
    }

    /// The caller's bookings whose window is `wanted`, each once with all its cards, in order of their start.
    pub(super) fn own_bookings(&self, people: &[UserId], wanted: impl Fn(&Window) -> bool) -> Vec<OwnBooking> {
        let mut own: Vec<OwnBooking> = Vec::new();
        for booking in self.bookings().filter(|b| b.lets(people) && wanted(&b.window)) {
            let cards = booking.cards.iter().map(|uuid| self.name(uuid));
            match own.iter_mut().find(|known| known.id == booking.id) {
                Some(known) => {
                    known.cards.extend(cards);
                    let (start, end) = (known.window.start(), known.window.end());
                    let both = Window::new(start.min(booking.window.start()), end.max(booking.window.end()));
                    known.window = both.unwrap_or(known.window);
                }
                None => own.push(OwnBooking {
                    id: booking.id,
                    holder: (!people.contains(&booking.person)).then(|| booking.holder.clone()),
                    cards: cards.collect(),
                    window: booking.window,
                }),
            }
        }
        for booking in &mut own {
            booking.cards.sort_by(by_index);
            booking.cards.dedup();
        }
        own
    }

    /// Which booking a launch is to be on, where it is to be on one; `None` where its cards say enough.
    pub(super) fn booking_meant(&self, people: &[UserId], ask: &LaunchAsk) -> Result<Option<OwnBooking>, Why> {
        let Some(asked) = &ask.reservation else {
            if !ask.cards.is_empty() {
                return Ok(None);
            }
            let mut now = self.own_bookings(people, |window| window.contains(self.now));
            // A job that was given cards of its own keeps them to itself.
            now.retain(|booking| ask.gpus.is_none() || !self.kept.contains(&booking.id));
            return match now.len() {
                0 | 1 => Ok(now.pop()),
                _ => Err(Why::SeveralBookings { bookings: now }),
            };
        };
        let mut all = self.own_bookings(people, |window| window.end() > self.now);
        let found: Vec<usize> = (0..all.len()).filter(|at| is_called(all[*at].id, asked)).collect();
        let [at] = found.as_slice() else {
            return Err(Why::NoSuchBooking { asked: asked.clone(), bookings: all });
        };
        let id = all[*at].id;
        let now = self.own_bookings(people, |window| window.contains(self.now));
        match now.into_iter().find(|booking| booking.id == id) {
            Some(booking) => Ok(Some(booking)),
            None => Err(Why::NotBegun { booking: all.swap_remove(*at) }),
        }
    }
}
