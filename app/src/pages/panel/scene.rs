//! What the panel knows of cards, bookings and people.

use domain::draft::offer::Known;
use domain::id::{CardUuid, UserId};
use domain::rules::{Rule, Standing};
use domain::wire::calendar::Calendar;
use domain::wire::page::Person;
use domain::zone::ZoneTable;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

/// As many bookings of each card travel to the browser.
const KNOWN_MOST: usize = 8;

/// What the panel knows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scene {
    /// Zone of the times.
    pub zone: ZoneTable,
    /// The portal's clock when this was put together, in seconds.
    pub now: i64,
    /// Cards and what is known to be booked on them.
    pub known: Vec<Known>,
    /// Cards that are linked directly.
    #[serde(default)]
    pub linked: Vec<Linked>,
    /// Rules that hold for whoever books.
    #[serde(default)]
    pub rules: Vec<Rule>,
    /// What whoever books has already, as rules look at it.
    #[serde(default)]
    pub standing: Standing,
    /// Who may be named, in order of their display names.
    #[serde(default)]
    pub people: Vec<Person>,
    /// Who books.
    pub viewer: UserId,
    /// The viewer may book for others.
    #[serde(default)]
    pub for_others: bool,
}

/// Cards that are linked directly, each with each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Linked {
    /// Which.
    pub cards: Vec<CardUuid>,
    /// By what, as `nvidia-smi topo -m` says it: `NV4`.
    pub word: String,
}

impl Scene {
    /// The portal's clock when this was put together.
    pub fn made_at(&self) -> OffsetDateTime {
        OffsetDateTime::from_unix_timestamp(self.now).unwrap_or(OffsetDateTime::UNIX_EPOCH)
    }

    /// What two cards are linked by directly.
    pub fn link(&self, one: &CardUuid, other: &CardUuid) -> Option<&str> {
        let both = |set: &&Linked| set.cards.contains(one) && set.cards.contains(other);
        self.linked.iter().find(both).map(|set| set.word.as_str())
    }

    /// Takes over what a calendar knows of links and shares.
    pub fn with_calendar(mut self, calendar: &Calendar) -> Self {
        let all = calendar.hosts.iter().flat_map(|host| host.linked.iter().map(move |set| (host, set)));
        self.linked = all
            .map(|(host, (places, word))| {
                let card = |place: &u16| host.cards.get(usize::from(*place)).map(|card| card.uuid.clone());
                Linked { cards: places.iter().filter_map(card).collect(), word: word.clone() }
            })
            .collect();
        for (host, card) in calendar.hosts.iter().flat_map(|host| host.cards.iter().map(move |card| (host, card))) {
            if let Some(known) = self.known.iter_mut().find(|known| known.uuid == card.uuid) {
                known.labels = host.labels.iter().chain(&card.labels).cloned().collect();
                known.shares = card.shares;
                known.share_memory_mib = card.share_memory_mib;
            }
        }
        self
    }

    /// Without what is far away, so that it can be sent.
    pub fn shortened(mut self) -> Self {
        self.known.iter_mut().for_each(|card| card.shorten(KNOWN_MOST));
        self
    }
}
