//! What stands at the head of each row: what the card does now.

use std::collections::HashMap;

use domain::band::State;
use domain::calendar::brief_model;
use domain::calendar::free::Standing;
use domain::id::{CardUuid, UserId};
use domain::text::{When, t};
use domain::wire::live_v1::{CardView, Fleet, HostView};
use time::{Duration, OffsetDateTime};

use super::markup::Markup;
use crate::components::card_words::{CardWords, card_words, icon};

/// A card that is used without a booking is not counted as free for so long.
const USED_FOR: Duration = Duration::hours(1);

/// The head of a row, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowHead {
    /// In the one vocabulary.
    pub state: State,
    /// Who is on it, or what is wrong with it.
    pub who: String,
    /// Line below that.
    pub below: String,
    /// Utilisation.
    pub share: String,
    /// Area and line of the sparkline.
    pub trace: (String, String),
    /// The promise in full.
    pub words: String,
    /// Nothing has run on it for as long as the page can see.
    pub idle: bool,
    /// Whether it counts as free.
    pub standing: Standing,
    /// When it is booked next, or not to be had; `None` where nothing is known to come.
    pub taken_from: Option<OffsetDateTime>,
}

#[cfg(feature = "hydrate")]
impl RowHead {
    /// Whether it counts as free, without the time at which that changes by itself.
    pub fn standing_kind(&self) -> u8 {
        match self.standing {
            Standing::Well => 0,
            Standing::UsedUntil(_) => 1,
            Standing::Out => 2,
        }
    }
}

/// The heads of all cards.
pub type RowHeads = HashMap<CardUuid, RowHead>;

/// The heads of a fleet.
#[must_use]
pub fn row_heads(fleet: &Fleet, viewer: UserId, when: &When<'_>) -> RowHeads {
    let cards = fleet.hosts.iter().flat_map(|host| host.cards.iter().map(move |card| (host, card)));
    cards.map(|(host, card)| (card.facts.uuid.clone(), row_head(host, card, viewer, when))).collect()
}

fn row_head(host: &HostView, card: &CardView, viewer: UserId, when: &When<'_>) -> RowHead {
    let CardWords { band, truth, trace, .. } = card_words(card, host, viewer, when);
    let words = &t().calendar;
    let model = brief_model(&card.facts.title());
    let on_it = || if truth.who.is_empty() { words.nobody.to_owned() } else { truth.who.clone() };
    let who = match band.state {
        State::Stale | State::Sick | State::Cut | State::Maint => band.lead.clone(),
        State::Rogue if truth.who.is_empty() => band.lead.clone(),
        State::Rogue | State::Booked | State::Mine | State::Free => on_it(),
        State::Idle => band.side.clone(),
    };
    let standing = if host.trouble(card, when.now).is_some() {
        Standing::Out
    } else if band.state == State::Rogue {
        Standing::UsedUntil(when.now + USED_FOR)
    } else {
        Standing::Well
    };
    let booked = card.bookings.iter().map(|booking| booking.window.start());
    let closed = card.closed.maintenance.iter().map(|planned| planned.window.start());
    RowHead {
        taken_from: booked.chain(closed).filter(|from| *from > when.now).min(),
        state: band.state,
        who,
        below: if band.state == State::Rogue { words.not_booked.to_owned() } else { model },
        share: truth.utilisation,
        trace,
        idle: band.side_idle,
        words: format!("{} {}", band.lead, band.rest).trim_end().to_owned(),
        standing,
    }
}

/// What the panel needs of them.
#[cfg(feature = "hydrate")]
#[must_use]
pub fn shared(heads: &RowHeads) -> std::collections::BTreeMap<CardUuid, super::desk::Head> {
    let head = |head: &RowHead| super::desk::Head {
        state: head.state,
        words: head.words.clone(),
        well: head.standing != Standing::Out,
    };
    heads.iter().map(|(card, of)| (card.clone(), head(of))).collect()
}

/// Writes the inside of a head, without the card's number.
pub fn write(html: &mut Markup, head: Option<&RowHead>, model: &str) {
    let Some(head) = head else {
        // A card that is not there any more, and was booked.
        html.raw("<p><span></span><small>").text(&brief_model(model)).raw("</small></p>");
        return;
    };
    html.raw("<p><span>").text(&head.who).raw("</span><small>").text(&head.below).raw("</small></p>");
    html.raw("<svg class=\"spark\" viewBox=\"0 0 118 100\" preserveAspectRatio=\"none\" aria-hidden=\"true\">");
    html.raw("<path class=\"a\"").attr("d", &head.trace.0).raw("></path>");
    html.raw("<path class=\"l\"").attr("d", &head.trace.1).raw("></path></svg>");
    html.raw("<output>").text(&head.share).raw("</output>");
    html.raw("<span class=\"dot\"").attr("title", &head.words).raw(">").icon(icon(head.state)).raw("</span>");
}
