//! Which rows a view shows.

use std::collections::HashSet;

use super::view::View;
use crate::id::{CardUuid, UserId};
use crate::wire::calendar::{Calendar, CalendarBooking, CalendarCard, CalendarHost};

/// Cards that somebody holds, made once for all rows.
#[derive(Debug)]
pub struct Choice<'a> {
    view: &'a View,
    /// Cards of the viewer; `None` where it does not matter.
    mine: Option<HashSet<&'a CardUuid>>,
    /// Cards of the person who was asked for.
    theirs: Option<HashSet<&'a CardUuid>>,
    /// Cards whose bookings are found by their holder or purpose.
    found: HashSet<&'a CardUuid>,
    find: String,
}

impl<'a> Choice<'a> {
    /// What a view asks for.
    #[must_use]
    pub fn new(view: &'a View, calendar: &'a Calendar, viewer: UserId) -> Self {
        let cards = |wanted: &dyn Fn(&CalendarBooking) -> bool| {
            let bookings = calendar.bookings.iter().filter(|booking| wanted(booking));
            bookings.flat_map(|booking| &booking.holds).map(|hold| &hold.card).collect::<HashSet<_>>()
        };
        let find = view.find.to_lowercase();
        let has = |text: &str| text.to_lowercase().contains(&find);
        Self {
            view,
            mine: view.mine.then(|| cards(&|booking| booking.owner == viewer || booking.co_user)),
            theirs: (!view.person.is_empty()).then(|| cards(&|booking| booking.holder == view.person)),
            found: if find.is_empty() {
                HashSet::new()
            } else {
                cards(&|booking| has(&booking.holder) || has(&booking.purpose))
            },
            find,
        }
    }

    /// Whether a card is shown. `free` says whether it is free for as long as the view asks.
    #[must_use]
    pub fn admits(&self, host: &CalendarHost, card: &CalendarCard, free: &dyn Fn(&CardUuid) -> bool) -> bool {
        let view = self.view;
        (view.hosts.is_empty() || view.hosts.contains(&host.name))
            && (view.label.is_empty() || host.labels.contains(&view.label) || card.labels.contains(&view.label))
            && (view.model.is_empty() || card.model == view.model)
            && self.mine.as_ref().is_none_or(|cards| cards.contains(&card.uuid))
            && self.theirs.as_ref().is_none_or(|cards| cards.contains(&card.uuid))
            && (self.find.is_empty() || self.found.contains(&card.uuid) || self.is_named(host, card))
            && (view.free.is_none() || free(&card.uuid))
    }

    /// By what is written at the head of its row: host, `host:3`, model, label, UUID.
    fn is_named(&self, host: &CalendarHost, card: &CalendarCard) -> bool {
        let has = |text: &str| text.to_lowercase().contains(&self.find);
        has(&format!("{}:{}", host.name, card.number))
            || has(&card.model)
            || has(card.uuid.as_str())
            || host.labels.iter().chain(&card.labels).any(|label| has(label))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calendar::sample::{booking, calendar, host, hours};

    fn shown(view: &View, free: &dyn Fn(&CardUuid) -> bool) -> Vec<String> {
        let mut hosts = vec![host("dgx", &[0, 1], &[]), host("rig-2", &[10, 11], &[])];
        hosts[1].labels = vec!["training".to_owned()];
        hosts[0].cards[1].labels = vec!["interactive".to_owned()];
        hosts[0].cards[1].model = "MIG 3g.40gb".to_owned();
        let mut bookings = vec![booking(1, hours(1, 3), &[0]), booking(2, hours(1, 3), &[11])];
        bookings[1].purpose = "Diffusion ablation".to_owned();
        let calendar = calendar(hosts, bookings, Vec::new());
        let choice = Choice::new(view, &calendar, calendar.bookings[0].owner);
        let all = calendar.hosts.iter().flat_map(|host| host.cards.iter().map(move |card| (host, card)));
        let shown = all.filter(|(host, card)| choice.admits(host, card, free));
        shown.map(|(host, card)| format!("{}:{}", host.name, card.number)).collect()
    }

    fn by(change: impl FnOnce(&mut View)) -> Vec<String> {
        shown(&View::default().with(change), &|_| true)
    }

    #[test]
    fn each_filter_alone() {
        assert_eq!(by(|_| ()).len(), 4);
        assert_eq!(by(|view| view.hosts.push("dgx".to_owned())), ["dgx:0", "dgx:1"]);
        assert_eq!(by(|view| "training".clone_into(&mut view.label)), ["rig-2:0", "rig-2:1"]);
        assert_eq!(by(|view| "interactive".clone_into(&mut view.label)), ["dgx:1"]);
        assert_eq!(by(|view| "MIG 3g.40gb".clone_into(&mut view.model)), ["dgx:1"]);
        assert_eq!(by(|view| view.mine = true), ["dgx:0"]);
        assert_eq!(by(|view| "Person 2".clone_into(&mut view.person)), ["rig-2:1"]);
        let free = |card: &CardUuid| card.as_str() == "GPU-1";
        assert_eq!(shown(&View { free: Some(4), ..View::default() }, &free), ["dgx:1"]);
    }

    #[test]
    fn one_search_for_cards_hosts_people_and_purposes() {
        assert_eq!(by(|view| "RIG-2:1".clone_into(&mut view.find)), ["rig-2:1"]);
        assert_eq!(by(|view| "dgx".clone_into(&mut view.find)), ["dgx:0", "dgx:1"]);
        assert_eq!(by(|view| "3g".clone_into(&mut view.find)), ["dgx:1"]);
        assert_eq!(by(|view| "person 1".clone_into(&mut view.find)), ["dgx:0"]);
        assert_eq!(by(|view| "diffusion".clone_into(&mut view.find)), ["rig-2:1"]);
        assert_eq!(by(|view| "nothing like it".clone_into(&mut view.find)), Vec::<String>::new());
    }
}
