//! Rules, judged as simply as possible: a list of laws, and sums over what somebody has.

use domain::rules::hours::WeekSpan;
use domain::rules::{Limit, Period};
use domain::window::Window;
use domain::wire::page::Viewer;
use time::{Duration, OffsetDateTime};

use domain::id::{CardUuid, ReservationId, UserId};
use domain::reservation::Awaits;

use super::timeline::Amount;
use super::zone::Zone;
use super::{Booking, Books, is_administrator};
use crate::park::Park;

/// A billionth of a card.
const CARD: i128 = 1_000_000_000;
/// For so long a booking waits for approval.
const APPROVAL: Duration = Duration::hours(24);
/// Hours of the day in which one rule lets bookings lie.
const DAY: (i64, i64) = (7, 23);

/// A rule that can be put in force.
#[derive(Clone, Copy, Debug)]
pub struct Law {
    pub name: &'static str,
    /// For the students alone.
    pub students: bool,
    /// For the cards labelled training alone.
    pub training: bool,
    pub limit: fn() -> Limit,
}

/// All that there are. They are told apart by their place here.
pub const LAWS: &[Law] = &[
    Law { name: "Longest", students: false, training: false, limit: || Limit::Longest { minutes: 270 } },
    Law { name: "Three", students: true, training: false, limit: || Limit::MostCards { cards: 3 } },
    Law { name: "Week", students: false, training: false, limit: || Limit::GpuHours { hours: 24, per: Period::Week } },
    Law { name: "Ask", students: false, training: true, limit: || Limit::Approval },
    Law { name: "Day", students: false, training: false, limit: day },
    Law { name: "One", students: false, training: true, limit: || Limit::MostCards { cards: 1 } },
    Law { name: "Soon", students: true, training: false, limit: || Limit::Horizon { minutes: 16 * 60 } },
    Law { name: "Shortest", students: false, training: false, limit: || Limit::Shortest { minutes: 60 } },
    Law { name: "Ask all", students: true, training: false, limit: || Limit::Approval },
];

fn day() -> Limit {
    let minute = |hour| u16::try_from(hour * 60).unwrap();
    Limit::Hours { spans: vec![WeekSpan { days: (1..=7).collect(), from: minute(DAY.0), to: minute(DAY.1) }] }
}

/// What rules say of a booking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ruling {
    /// One of them forbids it.
    pub broken: bool,
    /// One of them asks for somebody's approval.
    pub asks: bool,
    /// Which it cannot wait for.
    pub too_late: bool,
}

/// Somebody has so much of a card for a while.
struct Piece {
    card: CardUuid,
    window: Window,
    weight: i128,
    training: bool,
}

impl Books {
    /// May the one approve what the other books?
    pub fn may_approve(&self, park: &Park, viewer: &Viewer, owner: UserId) -> bool {
        is_administrator(viewer) || (park.manager() == viewer.id && park.is_student(owner))
    }

    fn pieces(&self, park: &Park, booking: &Booking) -> Vec<Piece> {
        let weight = |card: &CardUuid, amount| match amount {
            Amount::Whole => CARD,
            Amount::Shares(count) => {
                i128::from(count) * self.shares.get(card).map_or(CARD, |shares| CARD / i128::from(*shares))
            }
        };
        let pieces = booking.cards.pieces().filter(|_| !booking.released);
        pieces
            .map(|(card, window, amount)| Piece {
                card: card.clone(),
                window,
                weight: weight(card, amount),
                training: park.card(card).is_some_and(|card| card.training),
            })
            .collect()
    }

    /// Judges what a booking is to become. `before`: as it is, where its owner edits it; it may stay as wrong as it is.
    pub fn ruling(
        &self,
        park: &Park,
        id: Option<ReservationId>,
        before: Option<&Booking>,
        after: &Booking,
        now: OffsetDateTime,
    ) -> Ruling {
        let mut others = Vec::new();
        for (other, booking) in &self.bookings {
            if Some(*other) != id && booking.owner == after.owner && !booking.is_overdue(now) {
                others.extend(self.pieces(park, booking));
            }
        }
        let mut ruling = Ruling::default();
        for law in self.laws.iter().map(|law| &LAWS[*law]) {
            if law.students && !park.is_student(after.owner) {
                continue;
            }
            let counts = |piece: &&Piece| !law.training || piece.training;
            let others: Vec<&Piece> = others.iter().filter(counts).collect();
            let now_own = self.pieces(park, after);
            let now_own: Vec<&Piece> = now_own.iter().filter(counts).collect();
            let then_own = before.map(|before| self.pieces(park, before)).unwrap_or_default();
            let then_own: Vec<&Piece> = then_own.iter().filter(counts).collect();
            if !now_own.iter().any(|piece| now < piece.window.end()) {
                continue;
            }
            let limit = (law.limit)();
            if limit == Limit::Approval {
                if before.is_none() || takes_more(&then_own, &now_own, now) {
                    ruling.asks = true;
                    ruling.too_late |= before.is_some_and(|before| before.has_begun(now));
                }
                continue;
            }
            let over = |booking: &Booking, own: &[&Piece]| over(&limit, booking, own, &others, now);
            let excess = over(after, &now_own);
            let had = before.and_then(|before| over(before, &then_own));
            ruling.broken |= excess.is_some_and(|excess| excess > 0 && had.is_none_or(|had| excess > had));
        }
        ruling
    }

    /// What comes of it: whether it is refused; if not, what it waits for is set. `begun`: it cannot wait for approval.
    pub fn apply(
        &self,
        park: &Park,
        ruling: Ruling,
        by: Option<&Viewer>,
        begun: bool,
        after: &mut Booking,
        now: OffsetDateTime,
    ) -> bool {
        let approver = by.is_some_and(|by| self.may_approve(park, by, after.owner));
        if ruling.broken || (ruling.too_late && !approver) {
            return false;
        }
        if ruling.asks && approver {
            after.awaits = None;
        } else if ruling.asks && after.awaits.is_none() {
            if begun {
                return false;
            }
            after.awaits = Some((Awaits::Approval, (now + APPROVAL).min(after.window.end())));
        }
        true
    }
}

/// By how much a limit is overdrawn, in whatever it counts; `None` where it has nothing to say.
fn over(limit: &Limit, booking: &Booking, own: &[&Piece], others: &[&Piece], now: OffsetDateTime) -> Option<i128> {
    let live: Vec<&Piece> = own.iter().copied().filter(|piece| now < piece.window.end()).collect();
    if live.is_empty() {
        return None;
    }
    let ahead = Window::new(booking.window.start().max(now), booking.window.end()).ok()?;
    let minutes = |minutes: u32| Duration::minutes(i64::from(minutes));
    match limit {
        Limit::Longest { minutes: most } => Some((ahead.length() - minutes(*most)).whole_nanoseconds()),
        Limit::Shortest { minutes: least } => Some((minutes(*least) - booking.window.length()).whole_nanoseconds()),
        Limit::Horizon { minutes: far } => Some((booking.window.start() - (now + minutes(*far))).whole_nanoseconds()),
        Limit::MostCards { cards } => {
            let all: Vec<&&Piece> = live.iter().chain(others).collect();
            let moments = all.iter().map(|piece| piece.window.start()).chain([ahead.start()]);
            let at = |at| all.iter().filter(|piece| piece.window.contains(at)).map(|piece| piece.weight).sum::<i128>();
            let most = moments.filter(|moment| ahead.contains(*moment)).map(at).max().unwrap();
            Some(most - i128::from(*cards) * CARD)
        }
        Limit::GpuHours { hours, .. } => {
            // People's zone is UTC, and the model began on a Monday.
            let midnight = crate::clock::MORNING.replace_time(time::Time::MIDNIGHT);
            let weeks = (-1..60).map(|n| midnight + Duration::weeks(n));
            let weeks = weeks.map(|start| Window::new(start, start + Duration::WEEK).unwrap());
            weeks
                .filter(|week| week.overlaps(&booking.window) && used(&live, week) > 0)
                .map(|week| used(own, &week) + used(others, &week) - i128::from(*hours) * CARD * 3_600_000_000_000)
                .max()
        }
        Limit::Hours { .. } => {
            let zone = Zone::named(&booking.zone);
            let first = zone.wall(ahead.start()).replace_time(time::Time::MIDNIGHT) - Duration::days(1);
            let mut inside = Duration::ZERO;
            for day in (0..40).map(|n| first + Duration::days(n)) {
                let at = |hour| zone.instants(day + Duration::hours(hour))[0];
                let (from, to) = (at(DAY.0).max(ahead.start()), at(DAY.1).min(ahead.end()));
                inside += (to - from).max(Duration::ZERO);
            }
            Some((ahead.length() - inside).whole_nanoseconds())
        }
        _ => None,
    }
}

fn used(pieces: &[&Piece], within: &Window) -> i128 {
    let time = |window: &Window| window.end().min(within.end()) - window.start().max(within.start());
    pieces.iter().map(|piece| time(&piece.window).whole_nanoseconds().max(0) * piece.weight).sum()
}

/// Something of a card that it did not have all of that time. Shares of what is labelled there are none.
fn takes_more(before: &[&Piece], after: &[&Piece], now: OffsetDateTime) -> bool {
    after.iter().filter(|piece| now < piece.window.end()).any(|new| {
        let has = |old: &&&Piece| {
            old.card == new.card && old.window.start() <= new.window.start() && new.window.end() <= old.window.end()
        };
        let had: i128 = before.iter().filter(has).map(|piece| piece.weight).sum();
        had < new.weight
    })
}
