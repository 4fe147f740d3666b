//! What the caller may launch on now, booking by booking. Nothing is started and nothing is taken.

use super::Scene;
use crate::wire::guard_v1::{Answer, Mine, MyBooking, Why};

/// The caller's bookings that run now, in order of their start; or why there are none. Always [`Answer::Mine`] or
/// [`Answer::Refused`].
#[must_use]
pub fn mine(scene: &Scene<'_>) -> Answer {
    match scene.running() {
        Ok(mine) => Answer::Mine(mine),
        Err(why) => Answer::Refused(scene.refusal(why)),
    }
}

impl Scene<'_> {
    fn running(&self) -> Result<Mine, Why> {
        let table = self.table.ok_or(Why::NoTable)?;
        if self.table_age > self.max_age {
            return Err(Why::TableTooOld { limit_s: super::seconds(self.max_age) });
        }
        let people = self.people();
        if people.is_empty() {
            return Err(Why::UnknownAccount { os_user: self.os_user.to_owned() });
        }
        let mut bookings: Vec<MyBooking> = Vec::new();
        let own = table.bookings.iter().filter(|booking| booking.lets(&people));
        for booking in own.clone().filter(|booking| booking.window.contains(self.now)) {
            // Cards that came or went while it runs are in entries of their own.
            let at = bookings.iter().position(|known| known.id == booking.id).unwrap_or_else(|| {
                bookings.push(MyBooking {
                    id: booking.id,
                    cards: Vec::new(),
                    shared: Vec::new(),
                    until: booking.window.end(),
                });
                bookings.len() - 1
            });
            let known = &mut bookings[at];
            known.until = known.until.min(booking.window.end());
            for card in booking.cards.iter().filter(|card| self.is_present(card)) {
                if !known.cards.contains(card) {
                    known.cards.push(card.clone());
                }
                // Two bookings of one card at one time can only be shares of it.
                let others = table.bookings.iter().filter(|other| other.id != booking.id);
                if others.clone().any(|other| other.cards.contains(card) && other.window.contains(self.now)) {
                    known.shared.push(card.clone());
                }
            }
        }
        for booking in &mut bookings {
            booking.cards.sort_by(|a, b| super::by_index(&self.name(a), &self.name(b)));
        }
        if bookings.is_empty() {
            let later = own.map(|booking| booking.window.start()).filter(|start| *start > self.now).min();
            return Err(Why::NoReservation { next: later });
        }
        Ok(Mine {
            host_name: table.host_name.clone(),
            portal_url: table.portal_url.clone(),
            os_user: self.os_user.to_owned(),
            bookings,
            table_age_s: self.age_s(),
        })
    }
}
