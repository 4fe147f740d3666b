//! The host's cards: by what people call them, and which of them are free.

use super::{Scene, by_index};
use crate::id::CardUuid;
use crate::window::Window;
use crate::wire::guard_v1::{CardName, Free, Why};

impl Scene<'_> {
    /// Why nothing is started on a card that is cut into instances; `None` for any other.
    pub(super) fn split(&self, card: &CardName) -> Option<Why> {
        self.cards.iter().find(|known| known.split && known.name.uuid == card.uuid)?;
        let parts = self.cards.iter().filter(|part| part.present && part.parent.as_ref() == Some(&card.uuid));
        Some(Why::Split { card: card.clone(), instances: parts.map(|part| part.name.clone()).collect() })
    }

    /// The one card that the text means: its index now (`0:1` for an instance), its UUID, or a beginning that only one
    /// UUID has.
    pub(super) fn find(&self, text: &str) -> Option<CardName> {
        let text = text.trim();
        if text.starts_with(|first: char| first.is_ascii_digit())
            && text.bytes().all(|b| b.is_ascii_digit() || b == b':')
        {
            let (index, instance) = match text.split_once(':') {
                Some((index, instance)) => (index.parse().ok()?, Some(instance.parse::<u32>().ok()?)),
                None => (text.parse::<u32>().ok()?, None),
            };
            let named = self.cards.iter().map(|card| &card.name);
            return only(named.filter(|name| (name.index, name.instance) == (Some(index), instance)).cloned());
        }
        let known = self.cards.iter().map(|card| &card.name.uuid);
        let mut known: Vec<&CardUuid> = known.chain(self.bookings().flat_map(|booking| &booking.cards)).collect();
        known.sort();
        known.dedup();
        let exact = known.iter().find(|uuid| uuid.as_str().eq_ignore_ascii_case(text));
        let begins = |uuid: &str| text.len() > "GPU-".len() && has_prefix(uuid, text);
        let uuid = exact.copied().or_else(|| only(known.iter().copied().filter(|uuid| begins(uuid.as_str()))))?;
        Some(self.name(uuid))
    }

    /// Cards that can be used and that nobody holds now, in order of their index.
    pub(super) fn free(&self) -> Vec<Free> {
        let on = |uuid: &CardUuid| {
            let uuid = uuid.clone();
            // What waits for an answer can be used by nobody, and holds its cards all the same.
            let waiting = self.table.into_iter().flat_map(|table| &table.waiting);
            self.bookings().chain(waiting).filter(move |b| b.cards.contains(&uuid)).map(|booking| &booking.window)
        };
        let present = self.cards.iter().filter(|card| card.present && !card.split).map(|card| &card.name);
        let idle = present.filter(|card| !on(&card.uuid).any(|window| window.contains(self.now)));
        let mut free: Vec<Free> = idle
            .map(|card| Free {
                card: card.clone(),
                until: on(&card.uuid).map(Window::start).filter(|start| *start > self.now).min(),
                used_by: self
                    .strangers(card)
                    .first()
                    .map(|used| used.person.clone().unwrap_or_else(|| used.os_user.clone())),
            })
            .collect();
        free.sort_by(|a, b| by_index(&a.card, &b.card));
        free
    }

    pub(super) fn is_present(&self, uuid: &CardUuid) -> bool {
        self.cards.iter().any(|card| card.present && card.name.uuid == *uuid)
    }

    /// The card's name; a card that the host has never reported has its UUID only.
    pub(super) fn name(&self, uuid: &CardUuid) -> CardName {
        let known = self.cards.iter().find(|card| card.name.uuid == *uuid).map(|card| card.name.clone());
        known.unwrap_or_else(|| CardName { uuid: uuid.clone(), index: None, instance: None, model: String::new() })
    }
}

fn has_prefix(uuid: &str, text: &str) -> bool {
    uuid.get(..text.len()).is_some_and(|start| start.eq_ignore_ascii_case(text))
}

/// The item of an iterator that has one and no more.
fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    let first = items.next()?;
    items.next().is_none().then_some(first)
}
