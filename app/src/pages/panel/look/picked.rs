//! The picked cards with the links between them.

use domain::card::CardNumber;
use domain::draft::offer::Known;
use domain::id::CardUuid;
use domain::text::t;
use domain::window::Window;

use super::Sight;

/// The picked cards of one host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PickedHost {
    /// Its name.
    pub host: String,
    /// In the order of the host.
    pub chips: Vec<Chip>,
    /// What they are.
    pub title: String,
    /// How they are linked, or until when the one is free.
    pub line: String,
}

/// One picked card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chip {
    /// Its number.
    pub number: CardNumber,
    /// It is taken at that time.
    pub clash: bool,
    /// What it is linked to the one before it by; `None` for the first, or where that is not known to be direct.
    pub wire: Option<String>,
}

/// The picked cards of `sight`, host by host. `window` is when they are wanted.
pub fn look(cards: &[CardUuid], taken: &[CardUuid], window: Option<&Window>, sight: &Sight<'_>) -> Vec<PickedHost> {
    let mut hosts: Vec<(&str, Vec<&Known>)> = Vec::new();
    for card in sight.scene.known.iter().filter(|card| cards.contains(&card.uuid)) {
        match hosts.last_mut().filter(|(host, _)| *host == card.host) {
            Some((_, picked)) => picked.push(card),
            None => hosts.push((&card.host, vec![card])),
        }
    }
    let only = hosts.len() == 1;
    // The finder knows every kind of link, between the very cards that were asked about.
    let path = sight.advice.filter(|(ask, _)| only && same(&ask.cards, cards)).and_then(|(_, said)| said.link.clone());
    let host = |(host, picked): (&str, Vec<&Known>)| PickedHost {
        host: host.to_owned(),
        chips: chips(&picked, taken, path.as_deref(), sight),
        title: title(&picked),
        line: line(&picked, path.as_deref(), window, sight),
    };
    hosts.into_iter().map(host).collect()
}

fn same(asked: &[CardUuid], cards: &[CardUuid]) -> bool {
    asked.len() == cards.len() && asked.iter().all(|card| cards.contains(card))
}

fn chips(picked: &[&Known], taken: &[CardUuid], path: Option<&str>, sight: &Sight<'_>) -> Vec<Chip> {
    let mut chips = Vec::with_capacity(picked.len());
    let mut before: Option<&Known> = None;
    for card in picked {
        let direct = before.and_then(|before| sight.scene.link(&before.uuid, &card.uuid));
        // Of two cards the worst path is the path.
        let wire =
            direct.or_else(|| path.filter(|path| picked.len() == 2 && before.is_some() && path.starts_with("NV")));
        chips.push(Chip { number: card.number, clash: taken.contains(&card.uuid), wire: wire.map(ToOwned::to_owned) });
        before = Some(card);
    }
    chips
}

/// "H100 80 GB", or the models where they differ.
fn title(picked: &[&Known]) -> String {
    let mut models: Vec<String> = Vec::new();
    for card in picked {
        let memory = card.memory_mib.map(|mib| format!(" {} GB", (mib + 512) / 1024)).unwrap_or_default();
        let model = format!("{}{memory}", card.model);
        if !models.contains(&model) {
            models.push(model);
        }
    }
    models.join(", ")
}

fn line(picked: &[&Known], path: Option<&str>, window: Option<&Window>, sight: &Sight<'_>) -> String {
    let words = &t().book;
    if picked.len() > 1 {
        let first = picked[0];
        let direct = |card: &&Known| sight.scene.link(&first.uuid, &card.uuid);
        let all: Option<Vec<&str>> = picked[1..].iter().map(direct).collect();
        let word = path.or_else(|| all.and_then(|all| all.first().copied()));
        return word.map(words.linked_by).unwrap_or_default();
    }
    let (Some(card), Some(window)) = (picked.first(), window) else { return String::new() };
    let end = window.end().unix_timestamp();
    match card.booked.iter().filter(|booked| booked.start >= end).min_by_key(|booked| booked.start) {
        Some(next) => next.window().map(|next| (words.next_wanted)(&sight.when().at(next.start()))).unwrap_or_default(),
        None => String::new(),
    }
}
