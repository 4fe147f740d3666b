//! What a card says in the picture of its host: made on the server for the first paint, and in the browser afterwards.

use domain::band::State;
use domain::text::t;

use super::card_words::CardWords;

/// Longest word that fits beside the index.
const WORD_MAX_CHARS: usize = 13;

/// A card in the picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeWords {
    /// Whose it is, or what is wrong, in a word.
    pub word: String,
    /// All of it, for screen readers.
    pub label: String,
}

/// The words of a card that is called `name` and cut into `parts` instances.
#[must_use]
pub fn node_words(words: &CardWords, name: &str, parts: usize) -> NodeWords {
    let band = &words.band;
    let state = [band.lead.as_str(), band.rest.as_str()].join(" ");
    let label = (t().host.node)(name, state.trim(), &words.truth.utilisation);
    NodeWords { word: shortened(&word(words, parts)), label }
}

fn word(words: &CardWords, parts: usize) -> String {
    let (now, host, band) = (&t().now, &t().host, &words.band);
    let first = |name: &str| name.split_whitespace().next().unwrap_or_default().to_owned();
    match band.state {
        State::Mine if band.side_idle => (host.idle)(host.yours),
        State::Mine => host.yours.to_owned(),
        State::Idle => (host.idle)(&first(&band.lead)),
        State::Booked => first(&band.lead),
        State::Rogue if band.lead == now.you => host.yours.to_owned(),
        State::Rogue if band.lead == now.busy => host.busy_word.to_owned(),
        State::Rogue => first(&band.lead),
        State::Sick if band.lead == now.lost => host.lost_word.to_owned(),
        State::Sick => host.unhealthy.to_owned(),
        State::Cut => (host.cut)(parts),
        State::Maint => host.closed_word.to_owned(),
        State::Free | State::Stale => band.lead.clone(),
    }
}

fn shortened(word: &str) -> String {
    if word.chars().count() <= WORD_MAX_CHARS {
        return word.to_owned();
    }
    let kept: String = word.chars().take(WORD_MAX_CHARS - 1).collect();
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_is_cut_and_a_short_one_is_not() {
        assert_eq!(shortened("Wei"), "Wei");
        assert_eq!(shortened("Jonas, idle"), "Jonas, idle");
        assert_eq!(shortened("Wolfeschlegelstein"), "Wolfeschlege…");
    }
}
