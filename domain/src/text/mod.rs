//! Every sentence that a person reads in the browser. A second language is one more file beside `en.rs`, with its folder.
//!
//! One struct per area, in a file of its own; [`Text`] holds them all, so a language that lacks a sentence does not
//! compile. A sentence that holds a value is a function: word order differs between languages.

pub mod account;
pub mod admin;
pub mod agenda;
pub mod book;
pub mod booking;
pub mod bookings;
pub mod calendar;
pub mod en;
pub mod errors;
pub mod finder;
pub mod frame;
pub mod host;
pub mod launch;
pub mod notices;
pub mod now;
pub mod reports;
pub mod reservation;
pub mod rules;
pub mod sign_in;
pub mod spoken;
pub mod upkeep;
pub mod when;

pub use account::AccountText;
pub use admin::AdminText;
pub use agenda::AgendaText;
pub use book::BookText;
pub use booking::BookingText;
pub use bookings::BookingsText;
pub use calendar::CalendarText;
pub use errors::ErrorText;
pub use finder::FinderText;
pub use frame::FrameText;
pub use host::HostText;
pub use launch::{ExplainText, LaunchText};
pub use notices::NoticesText;
pub use now::NowText;
pub use reports::ReportsText;
pub use reservation::ReservationText;
pub use rules::RulesText;
pub use sign_in::SignInText;
pub use spoken::SpokenText;
pub use upkeep::UpkeepText;
pub use when::{When, WhenText};

/// The whole catalogue of one language.
#[derive(Debug)]
pub struct Text {
    /// The viewer's own account.
    pub account: AccountText,
    /// The calendar as a list.
    pub agenda: AgendaText,
    /// The administrators' page.
    pub admin: AdminText,
    /// The booking form.
    pub book: BookText,
    /// The page of one booking.
    pub booking: BookingText,
    /// The list of bookings.
    pub bookings: BookingsText,
    /// Refusals.
    pub errors: ErrorText,
    /// What stands around every page.
    pub frame: FrameText,
    /// The page of a host.
    pub host: HostText,
    /// Launch commands.
    pub launch: LaunchText,
    /// The live page.
    pub now: NowText,
    /// Answers to agents.
    pub reports: ReportsText,
    /// Bookings.
    pub reservation: ReservationText,
    /// Signing in and up, set-up.
    pub sign_in: SignInText,
    /// Times as people say them.
    pub spoken: SpokenText,
    /// The calendar and its panel.
    pub calendar: CalendarText,
    /// The finder.
    pub finder: FinderText,
    /// The bell, and what it says.
    pub notices: NoticesText,
    /// Rules, groups and labels.
    pub rules: RulesText,
    /// Maintenance, and cards that are not to be had.
    pub upkeep: UpkeepText,
    /// Dates and times.
    pub when: WhenText,
}

/// English.
#[must_use]
pub fn en() -> &'static Text {
    &en::TEXT
}

/// The language in use.
#[must_use]
pub fn t() -> &'static Text {
    en()
}
