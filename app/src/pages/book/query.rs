//! The form in an address: `/book?card=GPU-…&card=GPU-…&start=2026-11-30T14:00&end=…&purpose=…`.
//!
//! Links from other pages preselect cards and times with it; a form that was refused without scripts comes back in it.

use domain::draft::Draft;
use domain::draft::offer::taken;
use domain::draft::wall::{self, Which};
use domain::error::ErrorCode;
use domain::text::t;
use domain::wire::live_v1::Fleet;
use domain::zone::ZoneTable;
use leptos_router::params::ParamsMap;
use time::format_description::well_known::Rfc3339;
use time::{Duration, OffsetDateTime};

use super::look::{cards, shares};
use crate::api::bookings::BookPage;

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
        let text = |name: &str| query.get(name).unwrap_or_default();
        Self {
            draft: Draft {
                cards: query.get_all("card").unwrap_or_default(),
                start: text("start"),
                start_which: Which::parse(&text("start_which")),
                end: text("end"),
                end_which: Which::parse(&text("end_which")),
                purpose: text("purpose"),
                ..Draft::default()
            },
            error: query.get("error"),
        }
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
    pub fn refusal(&self, page: &BookPage, zone: &ZoneTable) -> Option<String> {
        let error = self.error.as_deref()?;
        if let Some(zone) = error.strip_prefix("zone:") {
            return Some((t().book.zone_changed)(zone));
        }
        let code = ErrorCode::ALL.iter().find(|code| code.as_str() == error);
        let words = &t().errors;
        match code {
            Some(ErrorCode::BadInput) => None,
            Some(ErrorCode::Overlap) => {
                // The cards in the way are shown with the form; a booking that has gone since is not.
                let draft = self.draft(page, zone);
                let window = draft.window(zone).ok()?;
                let gone = taken(&page.known, &cards(&draft), &shares(&draft), &window).is_empty();
                Some(if gone { t().reservation.overlap_gone } else { t().book.refused_taken }.to_owned())
            }
            Some(ErrorCode::Maintenance) => Some(t().upkeep.in_the_way_plain.to_owned()),
            Some(ErrorCode::KeyReused) => Some(t().reservation.key_reused.to_owned()),
            Some(ErrorCode::Busy) => Some(t().reservation.busy.to_owned()),
            Some(ErrorCode::Unavailable) => Some(words.unavailable.to_owned()),
            Some(ErrorCode::CardNotBookable | ErrorCode::UnknownCard) => Some(t().book.not_bookable.to_owned()),
            Some(ErrorCode::NotAllowed) => Some(words.not_allowed.to_owned()),
            _ => Some(words.internal.to_owned()),
        }
    }

    /// The form to begin with: what was asked for, the rest as usual.
    pub fn draft(&self, page: &BookPage, zone: &ZoneTable) -> Draft {
        let mut draft = self.draft.clone();
        draft.cards.retain(|card| exists(&page.fleet, card));
        draft.key = page.key.to_string();
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

fn exists(fleet: &Fleet, card: &str) -> bool {
    fleet.hosts.iter().flat_map(|host| &host.cards).any(|known| known.facts.uuid.as_str() == card)
}

/// The address of a form; `error` is the code of a refusal.
pub fn address(draft: &Draft, error: Option<&str>) -> String {
    let which = |which: Option<Which>| which.map(Which::as_str).unwrap_or_default();
    let mut pairs: Vec<(&str, &str)> = draft.cards.iter().map(|card| ("card", card.as_str())).collect();
    pairs.extend([
        ("start", draft.start.as_str()),
        ("start_which", which(draft.start_which)),
        ("end", &draft.end),
        ("end_which", which(draft.end_which)),
        ("purpose", &draft.purpose),
        ("error", error.unwrap_or_default()),
    ]);
    let mut address = "/book".to_owned();
    let mut mark = '?';
    for (name, value) in pairs.into_iter().filter(|(_, value)| !value.is_empty()) {
        address.push(mark);
        address.push_str(name);
        address.push('=');
        encode(value, &mut address);
        mark = '&';
    }
    address
}

/// Percent-encodes everything that could mean something in an address or a header.
fn encode(value: &str, address: &mut String) {
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~' | b':' | b'/') {
            address.push(char::from(byte));
        } else {
            address.push('%');
            for digit in [byte >> 4, byte & 15] {
                address.push(char::from_digit(u32::from(digit), 16).unwrap_or('0').to_ascii_uppercase());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    fn page() -> BookPage {
        BookPage {
            fleet: Fleet { seq: 0, now: datetime!(2026-11-30 09:12:40 UTC), hosts: Vec::new() },
            known: Vec::new(),
            viewer: domain::id::UserId(uuid::Uuid::nil()),
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
        let draft = Asked::read(&params(&[])).draft(&page(), &ZoneTable::utc());
        assert_eq!((draft.start.as_str(), draft.end.as_str()), ("2026-11-30T09:12", "2026-11-30T13:12"));
    }

    #[test]
    fn instants_become_wall_times_and_cards_that_are_gone_are_counted() {
        let asked = Asked::read(&params(&[("card", "GPU-1"), ("start", "2026-11-30T14:00:00+01:00")]));
        let draft = asked.draft(&page(), &ZoneTable::utc());
        assert_eq!((draft.start.as_str(), draft.end.as_str()), ("2026-11-30T13:00", "2026-11-30T17:00"));
        assert_eq!((asked.unknown(&page().fleet), draft.cards.len()), (1, 0));
    }

    #[test]
    fn a_refused_form_comes_back_with_every_field() {
        let draft = Draft {
            cards: vec!["GPU-1".to_owned(), "GPU-2".to_owned()],
            start: "2026-10-25T02:30".to_owned(),
            start_which: Some(Which::Second),
            end: "2026-10-25T09:00".to_owned(),
            purpose: "50 % & more: ä\r\n".to_owned(),
            ..Draft::default()
        };
        assert_eq!(
            address(&draft, Some("reservation.overlap")),
            "/book?card=GPU-1&card=GPU-2&start=2026-10-25T02:30&start_which=second&end=2026-10-25T09:00\
             &purpose=50%20%25%20%26%20more:%20%C3%A4%0D%0A&error=reservation.overlap"
        );
    }

    #[test]
    fn refusals_that_the_form_itself_shows_are_not_said_twice() {
        let said = |error: &str| Asked::read(&params(&[("error", error)])).refusal(&page(), &ZoneTable::utc());
        assert_eq!(said("input.invalid"), None);
        assert_eq!(said("reservation.overlap"), Some(t().reservation.overlap_gone.to_owned()));
        assert_eq!(said("zone:UTC"), Some((t().book.zone_changed)("UTC")));
        assert_eq!(said("<script>"), Some(t().errors.internal.to_owned()));
    }
}
