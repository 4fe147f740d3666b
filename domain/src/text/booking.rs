//! The page of one booking.

use crate::card::CardNumber;
use crate::text::{Text, When};
use crate::trouble::Trouble;
use crate::wire::deed::{Deed, Done};

/// Words around the launch box; those inside are in [`crate::text::LaunchText`].
#[derive(Debug)]
pub struct BookingText {
    /// Title of a booking without a purpose.
    pub untitled: &'static str,
    /// Last part of the way here: the booking's short name.
    pub short_name: fn(&str) -> String,
    /// Host and indices: `dgx-h100, cards 2 and 3`.
    pub cards_on: fn(&str, &[CardNumber]) -> String,
    /// A card of the booking cannot be used for now; arguments: why, card and host.
    pub trouble: fn(Trouble, CardNumber, &str) -> String,
    /// What becomes of the booking.
    pub trouble_why: &'static str,
    /// Leads to the form.
    pub trouble_way: &'static str,
    /// Shares of a card; arguments: how many, card, host, and the memory in GB that they are asked to stay within.
    pub shares_of: fn(u32, CardNumber, &str, Option<&str>) -> String,
    /// That nobody enforces it.
    pub shares_why: &'static str,
    /// Before the holder.
    pub booked_by: &'static str,
    /// Label of the field for a colleague's name.
    pub share_label: &'static str,
    /// What that means.
    pub share_note: &'static str,
    /// Adds the colleague.
    pub share: &'static str,
    /// Takes a colleague away.
    pub unshare: &'static str,
    /// Refusal; the argument is what was typed.
    pub nobody_called: fn(&str) -> String,
    /// Refusal: it is the name of several people.
    pub several_called: fn(&str) -> String,
    /// Refusal: it is the owner.
    pub owner_already: fn(&str) -> String,
    /// Label of the box with the time.
    pub time: &'static str,
    /// Time left: length.
    pub left: fn(&str) -> String,
    /// Time until it begins: length.
    pub begins_in: fn(&str) -> String,
    /// Already begun.
    pub begun_note: &'static str,
    /// Not begun.
    pub scheduled_note: &'static str,
    /// Over.
    pub ended_note: &'static str,
    /// Called off.
    pub cancelled_note: &'static str,
    /// After the end: nobody is known.
    pub then_free: &'static str,
    /// After the end: free until, then who.
    pub then_free_until: fn(&str, &str) -> String,
    /// After the end: at once somebody else.
    pub then_at_once: fn(&str) -> String,
    /// The zone, and the span in UTC.
    pub zone: fn(&str, &str) -> String,
    /// Heading of the launch box, where all cards are on one host.
    pub launch: &'static str,
    /// The same for one of several hosts.
    pub launch_on: fn(&str) -> String,
    /// Label of the tabs.
    pub how: &'static str,
    /// Before the booking begins: from when lines work.
    pub not_yet: fn(&str) -> String,
    /// Heading of the list of cards where there is nothing to launch.
    pub cards: &'static str,
    /// Copies a text.
    pub copy: &'static str,
    /// It was copied.
    pub copied: &'static str,
    /// It could only be selected.
    pub selected: &'static str,
    /// First words.
    pub why_uuid: &'static str,
    /// Why.
    pub why_uuid_text: &'static str,
    /// Heading.
    pub check: &'static str,
    /// What it must print.
    pub expected: fn(&str) -> String,
    /// Caption of the table of cards.
    pub map_caption: &'static str,
    /// Column: card on a host.
    pub card_on: fn(&str) -> String,
    /// Column: name in a program.
    pub in_program: &'static str,
    /// Column.
    pub uuid: &'static str,
    /// Column.
    pub pci: &'static str,
    /// Column.
    pub model: &'static str,
    /// No value.
    pub not_reported: &'static str,
    /// The viewer has no account on the host.
    pub unlinked: fn(&str) -> String,
    /// What to do.
    pub unlinked_why: &'static str,
    /// Which account the viewer has there.
    pub linked: fn(&str, &str) -> String,
    /// What the guard is and is not.
    pub cooperative: &'static str,
    /// Makes a code.
    pub make_code: &'static str,
    /// Where to run it.
    pub run_there: fn(&str) -> String,
    /// Where to run it, on any host.
    pub run_anywhere: &'static str,
    /// Before the time until which it is valid.
    pub code_valid: &'static str,
    /// After it.
    pub code_once: &'static str,
    /// Making a code shows it once, which needs scripts.
    pub needs_scripts: &'static str,
    /// Heading: who else.
    pub people: &'static str,
    /// Somebody made it in its owner's name.
    pub made_by: fn(&str) -> String,
    /// Heading: the repeats that it is one of.
    pub series: &'static str,
    /// Its place among them, of how many.
    pub series_place: fn(usize, usize) -> String,
    /// The one before.
    pub series_before: &'static str,
    /// The one after.
    pub series_after: &'static str,
    /// Heading: what was done to it.
    pub history: &'static str,
    /// The portal itself did it.
    pub by_portal: &'static str,
    /// The viewer did it.
    pub by_you: &'static str,
    /// Who, what.
    pub deed: fn(&str, &str) -> String,
    /// So many cards; from when to when, which may be empty.
    pub did_book: fn(u32, &str) -> String,
    /// To when it was moved.
    pub did_move: fn(&str) -> String,
    /// From which end to which.
    pub did_resize: fn(&str, &str) -> String,
    /// From so many cards to so many.
    pub did_cards: fn(u32, u32) -> String,
    /// Something smaller was changed.
    pub did_purpose: &'static str,
    /// Who may use it was changed.
    pub did_people: &'static str,
    /// Nothing that is shown was changed.
    pub did_edit: &'static str,
    /// It was called off.
    pub did_cancel: &'static str,
    /// It was ended early.
    pub did_end: &'static str,
    /// It was given to its holder.
    pub did_transfer: &'static str,
    /// It was approved.
    pub did_approve: &'static str,
    /// It was refused, for this reason, which may be empty.
    pub did_refuse: fn(&str) -> String,
    /// What was offered was taken.
    pub did_accept: &'static str,
    /// Asked, its owner still wanted it.
    pub did_still_use: &'static str,
    /// Nobody answered in time.
    pub did_lapse: &'static str,
    /// A rule gave cards back.
    pub did_release: &'static str,
    /// Several things at once.
    pub and: &'static str,
}

impl Text {
    /// What was done to a booking, in a sentence. `viewer` is the display name of whoever reads it.
    #[must_use]
    pub fn deed(&self, deed: &Deed, viewer: Option<&str>, when: &When<'_>) -> String {
        let text = &self.booking;
        let who = match deed.by.as_deref() {
            None => text.by_portal,
            by if by == viewer => text.by_you,
            Some(by) => by,
        };
        let what = match &deed.what {
            Done::Booked { cards, window } => {
                (text.did_book)(*cards, &window.map(|window| when.range(&window)).unwrap_or_default())
            }
            Done::Edited { window, cards, purpose, people } => {
                let mut all = Vec::new();
                all.extend(window.map(|(was, is)| {
                    if was.start() == is.start() {
                        (text.did_resize)(&when.at(was.end()), &when.at(is.end()))
                    } else {
                        (text.did_move)(&when.range(&is))
                    }
                }));
                all.extend(cards.map(|(was, is)| (text.did_cards)(was, is)));
                all.extend(purpose.then(|| text.did_purpose.to_owned()));
                all.extend(people.then(|| text.did_people.to_owned()));
                if all.is_empty() { text.did_edit.to_owned() } else { all.join(text.and) }
            }
            Done::Cancelled => text.did_cancel.to_owned(),
            Done::Ended => text.did_end.to_owned(),
            Done::Transferred => text.did_transfer.to_owned(),
            Done::Approved => text.did_approve.to_owned(),
            Done::Refused { why } => (text.did_refuse)(why),
            Done::Accepted => text.did_accept.to_owned(),
            Done::StillUsing => text.did_still_use.to_owned(),
            Done::Lapsed => text.did_lapse.to_owned(),
            Done::Released => text.did_release.to_owned(),
            Done::Other { action } => action.clone(),
        };
        (text.deed)(who, &what)
    }
}

#[cfg(test)]
mod tests {
    use crate::text::{When, t};
    use crate::window::Window;
    use crate::wire::deed::{Deed, Done};
    use crate::zone::ZoneTable;
    use time::macros::datetime;

    #[test]
    fn what_was_done_is_told_in_the_order_in_which_it_matters() {
        let zone = ZoneTable::utc();
        let now = datetime!(2026-11-30 10:00 UTC);
        let when = When::new(&zone, now);
        let window = |end| Window::new(now, end).expect("not empty");
        let was = window(datetime!(2026-11-30 12:00 UTC));
        let deed = |by: Option<&str>, what| Deed { at: now, by: by.map(ToOwned::to_owned), what };
        let said = |deed: &Deed| t().deed(deed, Some("Lena Hoffmann"), &when);
        let booked = Done::Booked { cards: 2, window: Some(was) };
        assert_eq!(said(&deed(Some("Lena Hoffmann"), booked)), "You booked 2 cards, 10:00 – 12:00");
        let edited = Done::Edited {
            window: Some((was, window(datetime!(2026-11-30 14:00 UTC)))),
            cards: Some((2, 3)),
            purpose: false,
            people: false,
        };
        assert_eq!(
            said(&deed(Some("Ruth Keller"), edited)),
            "Ruth Keller moved the end from 12:00 to 14:00 and changed 2 cards to 3"
        );
        assert_eq!(said(&deed(None, Done::Lapsed)), "Berth gave it up: nobody answered in time");
    }
}
