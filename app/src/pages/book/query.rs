//! What the address of the form asks for: cards and times picked elsewhere, a booking that is changed, or a form that was
//! refused without scripts.

use domain::draft::Draft;
use domain::draft::offer::taken;
use domain::draft::wall;
use domain::error::ErrorCode;
use domain::id::CardUuid;
use domain::text::t;
use domain::wire::live_v1::Fleet;
use domain::wire::page::Booking;
use domain::zone::ZoneTable;
use leptos_router::params::ParamsMap;
use time::format_description::well_known::Rfc3339;
use time::{Duration, OffsetDateTime};

use crate::api::bookings::BookPage;
use crate::pages::panel::address;
use crate::pages::panel::look::{cards, shares};

/// Length of a booking that nobody has said anything about.
const USUAL: Duration = Duration::hours(4);

/// What an address asks for.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Asked {
    draft: Draft,
    /// Code of a refusal, or `zone`.
    error: Option<String>,
}

impl Asked {
    /// From the address.
    pub fn read(query: &ParamsMap) -> Self {
        Self { draft: address::read(query), error: query.get("error") }
    }

    /// Cards asked for that do not exist.
    pub fn unknown(&self, fleet: &Fleet) -> usize {
        self.draft.cards.iter().filter(|card| !exists(fleet, card)).count()
    }

    /// The form was sent without scripts and came back.
    pub fn was_refused(&self) -> bool {
        self.error.is_some()
    }

    /// Why, where neither the fields nor the cards in the way say it.
    pub fn refusal(&self, page: &BookPage) -> Option<String> {
        let error = self.error.as_deref()?;
        if let Some(zone) = error.strip_prefix("zone:") {
            return Some((t().book.zone_changed)(zone));
        }
        if error == "series" {
            return Some(t().book.none_of_series.to_owned());
        }
        let code = ErrorCode::ALL.iter().find(|code| code.as_str() == error);
        let (words, book) = (&t().errors, &t().book);
        let said = match code {
            Some(ErrorCode::BadInput) => return None,
            Some(ErrorCode::Overlap) => {
                // The cards in the way are shown with the form; a booking that has gone since is not.
                let draft = self.draft(page);
                let window = draft.window(&page.scene.zone).ok()?;
                let gone = taken(&page.scene.known, &cards(&draft), &shares(&draft), &window).is_empty();
                if gone { t().reservation.overlap_gone } else { book.refused_taken }
            }
            Some(ErrorCode::KeyReused) => t().reservation.key_reused,
            Some(ErrorCode::Busy) => t().reservation.busy,
            Some(ErrorCode::Unavailable) => words.unavailable,
            Some(ErrorCode::CardNotBookable | ErrorCode::UnknownCard) => book.not_bookable,
            Some(ErrorCode::Maintenance) => book.refused_maintenance,
            Some(ErrorCode::NoShares) => book.refused_shares,
            Some(ErrorCode::AgainstRule) => book.refused_rule,
            Some(ErrorCode::UnknownPerson) => book.refused_person,
            Some(ErrorCode::Changed) => book.refused_changed,
            Some(ErrorCode::PastIsFixed) => book.refused_past,
            Some(ErrorCode::WhichTime) => book.refused_twice,
            Some(ErrorCode::AlreadyOver) => t().reservation.already_over,
            Some(ErrorCode::NotAllowed) => words.not_allowed,
            _ => words.internal,
        };
        Some(said.to_owned())
    }

    /// Cards that are ticked and taken.
    pub fn taken(&self, page: &BookPage, draft: &Draft) -> Vec<CardUuid> {
        let Ok(window) = draft.window(&page.scene.zone) else { return Vec::new() };
        let taken = taken(&page.scene.known, &cards(draft), &shares(draft), &window);
        taken.into_iter().map(|(card, _)| card.uuid.clone()).collect()
    }

    /// The form to begin with: what was asked for, the rest as it is or as usual.
    pub fn draft(&self, page: &BookPage) -> Draft {
        let zone = &page.scene.zone;
        let mut draft = self.draft.clone();
        draft.cards.retain(|card| exists(&page.fleet, card));
        draft.key = page.key.to_string();
        if let Some(booking) = &page.change {
            change(&mut draft, booking, zone);
        }
        if draft.start.is_empty() {
            draft.set_start(wall::minute(page.fleet.now), zone);
        } else if let Ok(at) = OffsetDateTime::parse(&draft.start, &Rfc3339) {
            draft.set_start(at, zone);
        }
        if draft.end.is_empty() {
            if let Ok(start) = wall::read(&draft.start, draft.start_which, zone) {
                draft.set_end(start + USUAL, zone);
            }
        } else if let Ok(at) = OffsetDateTime::parse(&draft.end, &Rfc3339) {
            draft.set_end(at, zone);
        }
        draft
    }
}

/// Fills in what a booking is, unless the form has come back with something else.
fn change(draft: &mut Draft, booking: &Booking, zone: &ZoneTable) {
    let instant = |at: OffsetDateTime| at.format(&Rfc3339).unwrap_or_default();
    (draft.was_start, draft.was_end) = (instant(booking.window.start()), instant(booking.window.end()));
    "shown".clone_into(&mut draft.colleagues);
    let fresh = draft.version.is_empty();
    draft.version = booking.version.to_string();
    if fresh {
        if draft.start.is_empty() {
            draft.set_start(booking.window.start(), zone);
        }
        if draft.end.is_empty() {
            draft.set_end(booking.window.end(), zone);
        }
        if draft.cards.is_empty() {
            draft.cards = booking.cards.iter().map(|card| card.uuid.to_string()).collect();
            let shares =
                booking.cards.iter().filter_map(|card| Some((card.uuid.to_string(), card.shares?.to_string())));
            draft.shares = shares.collect();
        }
        draft.purpose.clone_from(&booking.purpose);
        draft.co_users = booking.co_users.iter().map(|person| person.id.to_string()).collect();
    }
    if booking.series.is_none() {
        "none".clone_into(&mut draft.scope);
    }
}

fn exists(fleet: &Fleet, card: &str) -> bool {
    fleet.hosts.iter().flat_map(|host| &host.cards).any(|known| known.facts.uuid.as_str() == card)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::panel::scene::Scene;
    use time::macros::datetime;

    fn page() -> BookPage {
        let now = datetime!(2026-11-30 09:12:40 UTC);
        BookPage {
            fleet: Fleet { seq: 0, now, hosts: Vec::new() },
            scene: Scene {
                zone: ZoneTable::utc(),
                now: now.unix_timestamp(),
                known: Vec::new(),
                linked: Vec::new(),
                rules: Vec::new(),
                standing: domain::rules::Standing::default(),
                people: Vec::new(),
                viewer: domain::id::UserId(uuid::Uuid::nil()),
                for_others: false,
            },
            change: None,
            key: uuid::Uuid::nil(),
        }
    }

    fn params(pairs: &[(&str, &str)]) -> ParamsMap {
        let mut map = ParamsMap::new();
        for (name, value) in pairs {
            map.insert((*name).to_owned(), (*value).to_owned());
        }
        map
    }

    #[test]
    fn nothing_asked_is_four_hours_from_now() {
        let draft = Asked::read(&params(&[])).draft(&page());
        assert_eq!((draft.start.as_str(), draft.end.as_str()), ("2026-11-30T09:12", "2026-11-30T13:12"));
    }

    #[test]
    fn instants_become_wall_times_and_cards_that_are_gone_are_counted() {
        let asked = Asked::read(&params(&[("card", "GPU-1"), ("start", "2026-11-30T14:00:00+01:00")]));
        let draft = asked.draft(&page());
        assert_eq!((draft.start.as_str(), draft.end.as_str()), ("2026-11-30T13:00", "2026-11-30T17:00"));
        assert_eq!((asked.unknown(&page().fleet), draft.cards.len()), (1, 0));
    }

    #[test]
    fn refusals_that_the_form_itself_shows_are_not_said_twice() {
        let said = |error: &str| Asked::read(&params(&[("error", error)])).refusal(&page());
        assert_eq!(said("input.invalid"), None);
        assert_eq!(said("reservation.overlap"), Some(t().reservation.overlap_gone.to_owned()));
        assert_eq!(said("zone:UTC"), Some((t().book.zone_changed)("UTC")));
        assert_eq!(said("<script>"), Some(t().errors.internal.to_owned()));
    }
}
