//! The calendar as a picture: pure geometry, the same on the server and in the browser.
//!
//! - here: the zooms, and the numbers that a picture is made of
//! - [`view`]: what an address asks for: time, zoom, filters
//! - [`axis`]: days, hours and ticks of a zone; days of 23 and 25 hours; snapping
//! - [`lanes`]: rows of cards in their order, brackets of links, bookings as blocks over rows
//! - [`free`]: how many cards of a host are free when
//! - [`clash`]: what is in the way of a plan
//! - [`choice`]: which rows a view shows
//! - [`links`]: which cards of a host belong together
//! - [`traces`]: what cards did so far
//! - [`wants`]: whether somebody waits for a card of a booking
//! - [`visible`]: which rows have to be there while somebody scrolls

pub mod axis;
pub mod choice;
pub mod clash;
pub mod free;
pub mod lanes;
pub mod links;
#[cfg(test)]
mod sample;
pub mod traces;
pub mod view;
pub mod visible;
pub mod wants;

use time::Duration;

/// How much time fits into the width of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Zoom {
    /// One day.
    #[default]
    Day,
    /// Three.
    ThreeDays,
    /// Seven.
    Week,
    /// Fourteen.
    TwoWeeks,
}

impl Zoom {
    /// All, the nearest first.
    pub const ALL: [Self; 4] = [Self::Day, Self::ThreeDays, Self::Week, Self::TwoWeeks];

    /// The word in the address.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::ThreeDays => "3d",
            Self::Week => "week",
            Self::TwoWeeks => "2w",
        }
    }

    /// Reads it.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|zoom| zoom.word() == word)
    }

    /// Days that are seen at once.
    #[must_use]
    pub fn days(self) -> u16 {
        match self {
            Self::Day => 1,
            Self::ThreeDays => 3,
            Self::Week => 7,
            Self::TwoWeeks => 14,
        }
    }

    /// Days that can be scrolled through without leaving the page: twice as many, up to two weeks.
    #[must_use]
    pub fn axis_days(self) -> u16 {
        (self.days() * 2).min(14)
    }

    /// What a drag snaps to.
    #[must_use]
    pub fn snap(self) -> Duration {
        match self {
            Self::Day => Duration::minutes(15),
            Self::ThreeDays => Duration::minutes(30),
            Self::Week => Duration::hours(1),
            Self::TwoWeeks => Duration::hours(6),
        }
    }

    /// Hours between two ticks with a number; `None`: the days are enough.
    #[must_use]
    pub fn tick_hours(self) -> Option<u8> {
        match self {
            Self::Day => Some(2),
            Self::ThreeDays => Some(6),
            Self::Week | Self::TwoWeeks => None,
        }
    }
}

/// What a drag snaps to while the Alt key is held.
pub const FINE_SNAP: Duration = Duration::minutes(5);

/// A model as it fits at the head of a row: `H100 80GB`, without the kind of memory and of socket.
#[must_use]
pub fn brief_model(model: &str) -> String {
    let plain = model.trim_start_matches("MIG ").replace("-SXM2-", " ").replace("-SXM3-", " ").replace("-SXM4-", " ");
    let plain = plain.replace("-PCIE-", " ").replace("-PCIe-", " ");
    match plain.find("GB ") {
        Some(at) => plain[..at + 2].to_owned(),
        None => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_in_brief() {
        for (model, brief) in [
            ("H100 80GB HBM3", "H100 80GB"),
            ("A100-SXM4-80GB", "A100 80GB"),
            ("A100-PCIE-40GB", "A100 40GB"),
            ("RTX 3090", "RTX 3090"),
            ("MIG 3g.40gb", "3g.40gb"),
            ("Tesla V100-SXM2-32GB", "Tesla V100 32GB"),
        ] {
            assert_eq!(brief_model(model), brief);
        }
    }

    #[test]
    fn zooms_and_their_words() {
        for zoom in Zoom::ALL {
            assert_eq!(Zoom::parse(zoom.word()), Some(zoom));
            assert!(zoom.axis_days() >= zoom.days());
        }
    }
}
