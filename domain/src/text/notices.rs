//! The bell, and what it says: the one place where a notice becomes a sentence, for pages, `berth status` and logins.

use time::OffsetDateTime;

use super::{Text, When};
use crate::card::CardNumber;
use crate::notice::{Answer, Body, NamedCard, Told, What};
use crate::zone::ZoneTable;

/// The bell, and what it says.
#[derive(Debug)]
pub struct NoticesText {
    /// Heading.
    pub title: &'static str,
    /// Name of the bell; argument: how many are unread.
    pub bell: fn(u32) -> String,
    /// Link to all of them.
    pub all: &'static str,
    /// Nothing has ever been said.
    pub none: &'static str,
    /// What will be.
    pub none_why: &'static str,
    /// Nothing is unread.
    pub none_unread: &'static str,
    /// Beside a notice that has not been read.
    pub new: &'static str,
    /// Button: one has been read.
    pub mark_read: &'static str,
    /// Button: all have.
    pub mark_all: &'static str,
    /// Link: the booking.
    pub open_booking: &'static str,
    /// Link: look for cards.
    pub book: &'static str,
    /// Link: approve or refuse.
    pub decide: &'static str,
    /// Button: the idle card is still wanted.
    pub still_using: &'static str,
    /// Button; argument: cards.
    pub give_back: fn(&str) -> String,
    /// Button; argument: cards.
    pub take: fn(&str) -> String,
    /// Button: not these.
    pub decline: &'static str,
    /// There is no such notice, or it asks nothing.
    pub unknown: &'static str,
    /// What it asked has been answered, or the time for it is over.
    pub too_late: &'static str,
    /// Heading of the places in the queue.
    pub waiting: &'static str,
    /// Arguments: how many cards, of which kind (may be empty).
    pub wanted: fn(u32, &str) -> String,
    /// Linked by NVLink, behind one switch, on one NUMA node.
    pub linked: [&'static str; 3],
    /// At least so much memory, in GiB.
    pub memory: fn(u64) -> String,
    /// On one of these hosts.
    pub on_hosts: fn(&str) -> String,
    /// For so long, as early as possible, by then.
    pub as_early: fn(&str, &str) -> String,
    /// Place in the queue.
    pub place: fn(u32) -> String,
    /// What happens then: told, booked.
    pub then: [&'static str; 2],
    /// Given up at.
    pub wait_until: fn(&str) -> String,
    /// Button: wait no longer.
    pub stop_waiting: &'static str,
    /// Refusal: too many places.
    pub too_many_waits: &'static str,
    /// Refusal: a wish that cannot be waited for.
    pub bad_wait: &'static str,
    /// Refusal: until when.
    pub bad_wait_until: &'static str,
    /// Refusal: no such place.
    pub no_such_wait: &'static str,
    /// Cards of one host; arguments: host and numbers.
    pub cards_on: fn(&str, &[CardNumber]) -> String,
    /// Cards where their host goes without saying.
    pub cards: fn(&[CardNumber]) -> String,
    /// Between the cards of one host and those of the next.
    pub and: &'static str,
    /// Cards of a booking that has none any more.
    pub some_cards: &'static str,
    /// A booking ends; arguments: cards, when, whether that is over.
    pub ending: fn(&str, &str, bool) -> String,
    /// Arguments: who, cards, when.
    pub approval_wanted: fn(&str, &str, &str) -> String,
    /// Arguments: by whom, cards, when.
    pub approved: fn(&str, &str, &str) -> String,
    /// Arguments: by whom, cards, when, why (may be empty).
    pub refused: fn(&str, &str, &str, &str) -> String,
    /// Nobody approved it in time; arguments: cards, when.
    pub not_approved: fn(&str, &str) -> String,
    /// Arguments: cards, when, why.
    pub maintenance: fn(&str, &str, &str) -> String,
    /// Arguments: cards, when, why.
    pub maintenance_off: fn(&str, &str, &str) -> String,
    /// Arguments: card, why, when it is booked.
    pub troubled: fn(&str, &str, &str) -> String,
    /// Equal cards that are free then.
    pub instead: fn(&str) -> String,
    /// Arguments: card, since when.
    pub idle: fn(&str, &str) -> String,
    /// What a rule will do; arguments: host, when, card.
    pub idle_rule: fn(&str, &str, &str) -> String,
    /// A rule gave a card back; arguments: rule, card, whether nobody came at all.
    pub released: fn(&str, &str, bool) -> String,
    /// Arguments: cards, when.
    pub free: fn(&str, &str) -> String,
    /// They are held; arguments: until when, whether that is over.
    pub held: fn(&str, bool) -> String,
    /// Arguments: cards, when, the refusal.
    pub wait_blocked: fn(&str, &str, &str) -> String,
    /// Argument: until when.
    pub wait_over: fn(&str) -> String,
    /// Arguments: cards, when.
    pub waited_and_booked: fn(&str, &str) -> String,
    /// Somebody asks the holder; arguments: who, cards, when they are booked.
    pub asked: fn(&str, &str, &str) -> String,
    /// Refusal: nobody can be asked about this booking.
    pub nobody_to_ask: &'static str,
    /// Arguments: who, what, cards, when.
    pub changed: fn(&str, What, &str, &str) -> String,
}

/// A notice in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// What happened and until when; names the cards.
    pub sentence: String,
    /// What can be done about it, the most likely first.
    pub ways: Vec<Way>,
}

/// A way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// Verb and object.
    pub label: String,
    /// Where it leads.
    pub to: To,
}

/// Where a way out leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum To {
    /// To a page of the portal.
    Page(String),
    /// An answer to the notice.
    Answer(Answer),
}

impl Text {
    /// What a notice says, in the reader's zone.
    #[must_use]
    pub fn notice(&self, told: &Told, zone: &ZoneTable, now: OffsetDateTime) -> Said {
        let words = &self.notices;
        let when = When { zone, now, text: &self.when };
        let theirs = self.named_cards(&told.cards);
        let mut ways = Vec::new();
        let mut answer = |label: String, answer: Answer| {
            if told.open {
                ways.push(Way { label, to: To::Answer(answer) });
            }
        };
        let sentence = match &told.notice.body {
            Body::Ending { cards, window } => {
                let cards = if cards.is_empty() { theirs } else { self.named_cards(cards) };
                (words.ending)(&cards, &when.at(window.end()), window.end() <= now)
            }
            Body::ApprovalWanted { person, window } => (words.approval_wanted)(person, &theirs, &when.range(window)),
            Body::Approved { by, window } => (words.approved)(by, &theirs, &when.range(window)),
            Body::Refused { by, window, .. } if by.is_empty() => (words.not_approved)(&theirs, &when.range(window)),
            Body::Refused { by, why, window } => (words.refused)(by, &theirs, &when.range(window), why),
            Body::Maintenance { reason, during, cards } => {
                (words.maintenance)(&self.named_cards(cards), &when.range(during), reason)
            }
            Body::MaintenanceOff { reason, during, cards } => {
                (words.maintenance_off)(&self.named_cards(cards), &when.range(during), reason)
            }
            Body::CardTroubled { card, why, instead, window } => {
                for other in instead {
                    let label = (words.take)(&self.beside(other, card));
                    answer(label, Answer::Take { card: other.uuid.clone() });
                }
                let card = self.named_cards(std::slice::from_ref(card));
                let told = (words.troubled)(&card, why, &when.range(window));
                if instead.is_empty() { told } else { told + &(words.instead)(&self.named_cards(instead)) }
            }
            Body::Idle { card, since, released_at } => {
                answer(words.still_using.to_owned(), Answer::StillUsing);
                let short = (words.cards)(&[card.number]);
                answer((words.give_back)(&short), Answer::GiveBack);
                let told = (words.idle)(&self.named_cards(std::slice::from_ref(card)), &when.at(*since));
                match released_at {
                    Some(at) => told + &(words.idle_rule)(&card.host, &when.at(*at), &short),
                    None => told,
                }
            }
            Body::Released { card, rule, missed } => {
                (words.released)(rule, &self.named_cards(std::slice::from_ref(card)), *missed)
            }
            Body::Free { cards, window, held_until } => {
                let told = (words.free)(&self.named_cards(cards), &when.range(window));
                match held_until {
                    Some(until) => {
                        answer((words.take)(&self.short_cards(cards)), Answer::Accept);
                        answer(words.decline.to_owned(), Answer::Decline);
                        told + &(words.held)(&when.at(*until), *until <= now)
                    }
                    None => told,
                }
            }
            Body::WaitBlocked { why, cards, window } => {
                (words.wait_blocked)(&self.named_cards(cards), &when.range(window), why)
            }
            Body::WaitOver { until } => (words.wait_over)(&when.at(*until)),
            Body::WaitedAndBooked { cards, window } => {
                (words.waited_and_booked)(&self.named_cards(cards), &when.range(window))
            }
            Body::Asked { by, window } => (words.asked)(by, &theirs, &when.range(window)),
            Body::Changed { by, what, window } => (words.changed)(by, *what, &theirs, &when.range(window)),
        };
        ways.extend(self.page_of(told));
        Said { sentence, ways }
    }

    /// The page that a notice leads to.
    fn page_of(&self, told: &Told) -> Option<Way> {
        let words = &self.notices;
        let page = |label: &str, path: String| Some(Way { label: label.to_owned(), to: To::Page(path) });
        match (&told.notice.body, told.notice.reservation) {
            (Body::ApprovalWanted { .. }, Some(id)) => page(words.decide, format!("/bookings/{id}")),
            (_, Some(id)) => page(words.open_booking, format!("/bookings/{id}")),
            (Body::Free { .. } | Body::WaitOver { .. } | Body::WaitBlocked { .. }, None) => {
                page(words.book, "/book".to_owned())
            }
            (_, None) => None,
        }
    }

    /// `dgx-h100 cards 0, 1 and rig card 3`, in this order of hosts.
    #[must_use]
    pub fn named_cards(&self, cards: &[NamedCard]) -> String {
        let words = &self.notices;
        let parts: Vec<String> = by_host(cards).iter().map(|(host, cards)| (words.cards_on)(host, cards)).collect();
        if parts.is_empty() { words.some_cards.to_owned() } else { parts.join(words.and) }
    }

    /// The same without the host where there is only one.
    fn short_cards(&self, cards: &[NamedCard]) -> String {
        match by_host(cards).as_slice() {
            [(_, numbers)] => (self.notices.cards)(numbers),
            _ => self.named_cards(cards),
        }
    }

    fn beside(&self, card: &NamedCard, other: &NamedCard) -> String {
        if card.host == other.host {
            (self.notices.cards)(&[card.number])
        } else {
            self.named_cards(std::slice::from_ref(card))
        }
    }
}

fn by_host(cards: &[NamedCard]) -> Vec<(&str, Vec<CardNumber>)> {
    let mut hosts: Vec<(&str, Vec<CardNumber>)> = Vec::new();
    for card in cards {
        match hosts.iter_mut().find(|(host, _)| *host == card.host) {
            Some((_, numbers)) => numbers.push(card.number),
            None => hosts.push((&card.host, vec![card.number])),
        }
    }
    for (_, numbers) in &mut hosts {
        numbers.sort_unstable();
        numbers.dedup();
    }
    hosts
}

#[cfg(test)]
mod tests;
