//! Every sentence that a person reads in the browser. A second language is one more file beside `en.rs`, with its folder.
//!
//! One struct per area, in a file of its own; [`Text`] holds them all, so a language that lacks a sentence does not
//! compile. A sentence that holds a value is a function: word order differs between languages.

pub mod en;
pub mod errors;
pub mod launch;
pub mod reservation;
pub mod when;

pub use errors::ErrorText;
pub use launch::LaunchText;
pub use reservation::ReservationText;
pub use when::WhenText;

/// The whole catalogue of one language.
#[derive(Debug)]
pub struct Text {
    /// Refusals.
    pub errors: ErrorText,
    /// Launch commands.
    pub launch: LaunchText,
    /// Bookings.
    pub reservation: ReservationText,
    /// Dates and times.
    pub when: WhenText,
}

/// English.
#[must_use]
pub fn en() -> &'static Text {
    &en::TEXT
}
