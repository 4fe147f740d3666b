//! The state of a card at a glance: one vocabulary, one order of precedence, the words that go with it.
//!
//! Only what is known is said. A card without values is not idle, an account that belongs to nobody is not accused, and
//! an empty list of processes is not the same as an unknown one.

use time::Duration;

use crate::card::{CardFacts, CardHealth, Mib, ProcessKind, ProcessState};
use crate::host::Freshness;
use crate::id::{ReservationId, UserId};
use crate::text::{NowText, When, t};
use crate::upkeep::Closed;
use crate::wire::agent_v1::NvmlState;
use crate::wire::live_v1::{BookingBrief, CardTruth, HostPulse, ProcessView, SPARK_POINTS, SPARK_STEP_S};

/// Below this utilisation a card counts as doing nothing.
pub const IDLE_BELOW_PERCENT: u8 = 3;
/// A driver keeps some memory for itself; where more than this is in use, somebody uses the card, seen or not.
pub const HIDDEN_ABOVE_MIB: Mib = 1024;

/// Memory in use that none of the listed processes holds; `None` where it is too little to mean something, or where a
/// process does not say what it holds.
#[must_use]
pub fn hidden_memory_mib(used: Option<Mib>, held: impl Iterator<Item = Option<Mib>>) -> Option<Mib> {
    let mut hidden = used?;
    for memory in held {
        hidden = hidden.saturating_sub(memory?);
    }
    (hidden > HIDDEN_ABOVE_MIB).then_some(hidden)
}

/// What a card's band says; the first that applies, from the top.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// The host is silent, or has no values.
    Stale,
    /// Lost, or in need of a reset.
    Sick,
    /// Cut into MIG instances, which are booked in its place.
    Cut,
    /// In maintenance, or kept from being booked.
    Maint,
    /// Used by somebody who has not booked it, or by nobody knows whom.
    Rogue,
    /// Booked by somebody else, and nothing has run for as long as the page can see.
    Idle,
    /// The viewer's.
    Mine,
    /// Somebody else's.
    Booked,
    /// Nobody has booked it and nobody uses it.
    Free,
}

impl State {
    /// Value of `data-state`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stale => "stale",
            Self::Sick => "sick",
            Self::Cut => "cut",
            Self::Maint => "maint",
            Self::Rogue => "rogue",
            Self::Idle => "idle",
            Self::Mine => "mine",
            Self::Booked => "booked",
            Self::Free => "free",
        }
    }
}

/// What can be done with the card at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Nothing.
    None,
    /// Book it.
    Book,
    /// Open the viewer's booking.
    Open(ReservationId),
}

/// A card's band.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Band {
    /// Decides colour and icon.
    pub state: State,
    /// Whose initials stand in place of the icon: name and hue.
    pub holder: Option<(String, u16)>,
    /// First words, in bold.
    pub lead: String,
    /// The words after them.
    pub rest: String,
    /// The small mark at the end.
    pub side: String,
    /// The mark is about idleness.
    pub side_idle: bool,
    /// The one act.
    pub act: Act,
}

/// Everything that is known about a card at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Sight<'a> {
    /// Its host's pulse.
    pub pulse: &'a HostPulse,
    /// What it is.
    pub facts: &'a CardFacts,
    /// Number of MIG instances that it is cut into.
    pub parts: usize,
    /// What it does.
    pub truth: &'a CardTruth,
    /// Its last five minutes.
    pub spark: &'a [Option<u8>],
    /// What is booked, in order of the start.
    pub bookings: &'a [BookingBrief],
    /// When it is not to be had.
    pub closed: &'a Closed,
    /// Who looks.
    pub viewer: UserId,
}

/// Who runs something on the card without holding it.
enum Stranger<'a> {
    Viewer,
    Person(&'a str),
    /// Nobody: a process that has ended and whose memory was not given back.
    Orphan(Option<Mib>),
    Unknown,
}

impl Sight<'_> {
    fn current(&self, when: &When<'_>) -> Option<&BookingBrief> {
        // Of several who share a card, the viewer first.
        let mut now = self.bookings.iter().filter(|booking| booking.window.contains(when.now));
        now.clone().find(|booking| self.is_mine(booking)).or_else(|| now.next())
    }

    fn is_mine(&self, booking: &BookingBrief) -> bool {
        booking.owner == self.viewer || booking.lets(self.viewer)
    }

    fn next(&self, when: &When<'_>) -> Option<&BookingBrief> {
        self.bookings.iter().find(|booking| booking.window.start() > when.now)
    }

    fn stranger(&self, when: &When<'_>) -> Option<Stranger<'_>> {
        let holders = || self.bookings.iter().filter(|booking| booking.window.contains(when.now) && !booking.waits);
        // A display server on a card is no job.
        let jobs = || self.truth.processes.iter().flatten().filter(|process| process.kind != ProcessKind::Graphics);
        // Nobody is called by a name for what runs in a container: its accounts need not be the host's.
        let foreign = |process: &&ProcessView| {
            process.account_tells()
                && !process.people.is_empty()
                && !holders().any(|booking| process.people.iter().any(|person| booking.lets(*person)))
        };
        if let Some(process) = jobs().find(foreign) {
            return Some(if process.people.as_slice() == [self.viewer] {
                Stranger::Viewer
            } else {
                process.person.as_deref().map_or(Stranger::Unknown, Stranger::Person)
            });
        }
        // On a booked card an account that nobody has claimed may well be its holder's, and so may what is left of a job.
        if holders().next().is_some() {
            return None;
        }
        let mut jobs = jobs().peekable();
        if jobs.peek().is_none() {
            return self.truth.hidden_memory_mib().map(|_| Stranger::Unknown);
        }
        let mut left = Some(0);
        for job in jobs {
            if job.state != ProcessState::Orphan {
                return Some(Stranger::Unknown);
            }
            left = left.zip(job.memory_mib.get()).map(|(sum, memory)| sum + memory);
        }
        Some(Stranger::Orphan(left))
    }

    /// Whether nothing ran in all of the visible past. A gap in the values is no proof.
    fn idle(&self) -> bool {
        let empty = self.truth.processes.as_ref().is_some_and(Vec::is_empty);
        let quiet = |point: &Option<u8>| point.is_some_and(|share| share < IDLE_BELOW_PERCENT);
        empty && self.spark.len() >= SPARK_POINTS && self.spark.iter().all(quiet)
    }

    /// The band at `when.now`.
    #[must_use]
    pub fn band(&self, when: &When<'_>) -> Band {
        let words = &t().now;
        let current = self.current(when);
        if let Some(band) = self.out_of_order(when, words, current) {
            return band;
        }
        if self.facts.mig_on {
            return self.cut(when, words, current);
        }
        if let Some(band) = self.kept_back(when, words, current) {
            return band;
        }
        if let Some(stranger) = self.stranger(when) {
            return rogue(&stranger, when, words, current);
        }
        let Some(booking) = current else { return self.free(when, words) };
        let until = (words.until)(&when.at(booking.window.end()));
        let idle = self.idle() && when.now - booking.window.start() >= sight_length();
        let idle_side = || (words.idle)(&when.length(sight_length()));
        if self.is_mine(booking) {
            let side = if idle { idle_side() } else { (words.left)(&when.length(booking.window.end() - when.now)) };
            return Band {
                state: State::Mine,
                holder: None,
                lead: words.yours.to_owned(),
                rest: until,
                side,
                side_idle: idle,
                act: Act::Open(booking.id),
            };
        }
        Band {
            state: if idle { State::Idle } else { State::Booked },
            holder: Some((booking.holder.clone(), booking.hue)),
            lead: booking.holder.clone(),
            rest: until,
            side: if idle { idle_side() } else { self.then(when, words) },
            side_idle: idle,
            act: Act::None,
        }
    }

    fn out_of_order(&self, when: &When<'_>, words: &NowText, current: Option<&BookingBrief>) -> Option<Band> {
        let (held, act) = self.held(when, words, current);
        let band = |state, lead: &str, rest: String, side| Band {
            state,
            holder: None,
            lead: lead.to_owned(),
            rest,
            side,
            side_idle: false,
            act,
        };
        match self.pulse.freshness(when.now) {
            Freshness::Never => return Some(band(State::Stale, words.no_report, String::new(), held)),
            Freshness::Silent => {
                let since = self.pulse.last_report.map(|at| (words.since)(&when.at(at))).unwrap_or_default();
                return Some(band(State::Stale, words.no_report, since, held));
            }
            Freshness::Live | Freshness::Late => {}
        }
        match &self.pulse.nvml {
            Some(NvmlState::Ok) => {}
            Some(NvmlState::Stalled { since }) => {
                return Some(band(State::Stale, words.no_values, (words.since)(&when.at(*since)), held));
            }
            _ => return Some(band(State::Stale, words.no_values, String::new(), held)),
        }
        let (lead, reason) = match self.truth.health {
            CardHealth::Ok | CardHealth::Asleep => return None,
            CardHealth::Lost => (words.lost, ""),
            CardHealth::ResetNeeded => (words.unhealthy, words.reset_needed),
            CardHealth::RepairPending => (words.unhealthy, words.repair_pending),
            CardHealth::Defective => (words.unhealthy, words.defective),
            CardHealth::Failing => (words.unhealthy, ""),
        };
        let side = if held.is_empty() { reason.to_owned() } else { held };
        Some(band(State::Sick, lead, words.not_bookable.to_owned(), side))
    }

    /// A card that is cut into instances; a booking of the whole card is older than the cut.
    fn cut(&self, when: &When<'_>, words: &NowText, current: Option<&BookingBrief>) -> Band {
        let (side, act) = self.held(when, words, current);
        Band {
            state: State::Cut,
            holder: None,
            lead: (words.cut)(self.parts),
            rest: if self.parts == 0 { words.not_bookable } else { words.book_those }.to_owned(),
            side,
            side_idle: false,
            act,
        }
    }

    /// Who holds the card all the same, and the way there where that is the viewer.
    fn held(&self, when: &When<'_>, words: &NowText, current: Option<&BookingBrief>) -> (String, Act) {
        let Some(booking) = current else { return (String::new(), Act::None) };
        let own = self.is_mine(booking);
        let name = if own { words.yours } else { &booking.holder };
        let act = if own { Act::Open(booking.id) } else { Act::None };
        ((words.held_by)(name, &when.at(booking.window.end())), act)
    }

    /// A card in maintenance, or one that nobody may book.
    fn kept_back(&self, when: &When<'_>, words: &NowText, current: Option<&BookingBrief>) -> Option<Band> {
        let (lead, rest, why) = match (self.closed.running(when.now), &self.closed.not_bookable) {
            (_, Some(reason)) => ((words.kept_back)(reason), words.not_bookable.to_owned(), ""),
            (Some(now), None) => {
                let until = self.closed.until(when.now).unwrap_or(now.window.end());
                (words.maintenance.to_owned(), (words.until)(&when.at(until)), now.reason.as_str())
            }
            (None, None) => return None,
        };
        let (held, act) = self.held(when, words, current);
        let side = if held.is_empty() { why.to_owned() } else { held };
        Some(Band { state: State::Maint, holder: None, lead, rest, side, side_idle: false, act })
    }

    fn free(&self, when: &When<'_>, words: &NowText) -> Band {
        let next = self.next(when);
        let closes = self
            .closed
            .next(when.now)
            .filter(|closes| next.is_none_or(|next| closes.window.start() <= next.window.start()));
        if let Some(closes) = closes {
            return Band {
                state: State::Free,
                holder: None,
                lead: words.free.to_owned(),
                rest: (words.until)(&when.at(closes.window.start())),
                side: words.then_maintenance.to_owned(),
                side_idle: false,
                act: Act::Book,
            };
        }
        Band {
            state: State::Free,
            holder: None,
            lead: words.free.to_owned(),
            rest: next.map(|next| (words.until)(&when.at(next.window.start()))).unwrap_or_default(),
            side: match next {
                // Its start is said already.
                Some(next) if next.owner == self.viewer => words.then_yours.to_owned(),
                _ => self.then(when, words),
            },
            side_idle: false,
            act: Act::Book,
        }
    }

    fn then(&self, when: &When<'_>, words: &NowText) -> String {
        match self.next(when) {
            None => String::new(),
            Some(next) if next.owner == self.viewer => (words.yours_from)(&when.at(next.window.start())),
            Some(next) => (words.then)(&next.holder),
        }
    }
}

fn rogue(stranger: &Stranger<'_>, when: &When<'_>, words: &NowText, current: Option<&BookingBrief>) -> Band {
    let without = words.without_booking.to_owned();
    let (lead, rest) = match stranger {
        Stranger::Viewer => (words.you, without),
        Stranger::Person(name) => (*name, without),
        Stranger::Orphan(memory) => (words.orphan, (words.orphan_holds)(&memory.map(gigabytes).unwrap_or_default())),
        Stranger::Unknown => (words.busy, words.owner_unknown.to_owned()),
    };
    let held = current.map(|booking| (words.held_by)(&booking.holder, &when.at(booking.window.end())));
    Band {
        state: State::Rogue,
        holder: None,
        lead: lead.to_owned(),
        rest,
        side: held.unwrap_or_else(|| words.not_booked.to_owned()),
        side_idle: false,
        // The kind way out for somebody who only forgot to book.
        act: if matches!(stranger, Stranger::Viewer) && current.is_none() { Act::Book } else { Act::None },
    }
}

/// Gigabytes as they are shown everywhere: of 1024 MiB, with tenths below 100.
#[must_use]
pub fn gigabytes(mib: Mib) -> String {
    let tenths = mib.saturating_mul(10).saturating_add(512) / 1024;
    if tenths == 0 || tenths >= 1000 { (tenths / 10).to_string() } else { format!("{}.{}", tenths / 10, tenths % 10) }
}

/// How far back a sparkline sees.
fn sight_length() -> Duration {
    Duration::seconds(SPARK_STEP_S * i64::try_from(SPARK_POINTS).unwrap_or(0))
}

#[cfg(test)]
#[path = "band_tests.rs"]
mod tests;
