//! Which of a card's shares a booking gets. A share is one of N slots, held as `[k, k+1)`; which one means nothing to
//! anybody. A booking may change its slot on the way: what counts is that enough are free at every instant, so nobody is
//! refused because free slots do not lie in one row.

use std::collections::BTreeSet;

use domain::id::CardUuid;
use domain::window::Window;
use time::OffsetDateTime;

use crate::store::reservations::cards::{Slices, Taken};

/// Why a card has no room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoRoom {
    /// It is booked whole only.
    NotOpen {
        /// Which.
        card: CardUuid,
    },
    /// So few shares are free all the time.
    Full {
        /// Which.
        card: CardUuid,
        /// Free ones.
        free: u32,
        /// All of them.
        of: u32,
    },
}

/// Slots for `count` shares of a card that has `of`, all through `window`, each for a while; those in `prefer` first.
/// `taken` is what others hold of the card, as far as it lies in the window.
///
/// # Errors
/// How many are free at the worst moment.
pub fn lanes(count: u32, of: u32, window: &Window, taken: &[Taken], prefer: &[i32]) -> Result<Vec<(i32, Window)>, u32> {
    let mut moments: BTreeSet<OffsetDateTime> = [window.start(), window.end()].into();
    let inside = |at: &OffsetDateTime| *at > window.start() && *at < window.end();
    moments.extend(taken.iter().flat_map(|held| [held.window.start(), held.window.end()]).filter(inside));
    let moments: Vec<OffsetDateTime> = moments.into_iter().collect();

    let mut free = of;
    let mut mine: Vec<i32> = Vec::new();
    let mut found: Vec<(i32, Window)> = Vec::new();
    for pair in moments.windows(2) {
        let Ok(part) = Window::new(pair[0], pair[1]) else { continue };
        let busy: Vec<Slices> = taken.iter().filter(|h| h.window.overlaps(&part)).map(|held| held.slices).collect();
        let used = if busy.iter().any(|slices| slices.until.is_none()) { of } else { width(&busy) };
        free = free.min(of.saturating_sub(used));
        if free < count {
            continue;
        }
        let is_free = |slot: i32| !busy.iter().any(|slices| slices.meets(Slices::one(slot)));
        mine.retain(|slot| is_free(*slot));
        let others = 0..i32::try_from(of).unwrap_or(i32::MAX);
        for slot in prefer.iter().copied().chain(others) {
            if mine.len() >= usize::try_from(count).unwrap_or(usize::MAX) {
                break;
            }
            if is_free(slot) && !mine.contains(&slot) {
                mine.push(slot);
            }
        }
        for slot in &mine {
            let before = found.iter_mut().rfind(|(known, window)| known == slot && window.end() == part.start());
            match before.map(|(_, before)| (Window::new(before.start(), part.end()), before)) {
                Some((Ok(longer), before)) => *before = longer,
                _ => found.push((*slot, part)),
            }
        }
    }
    if free < count { Err(free) } else { Ok(found) }
}

fn width(busy: &[Slices]) -> u32 {
    busy.iter().filter_map(|slices| u32::try_from(slices.until? - slices.from).ok()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::Duration;
    use time::macros::datetime;

    const NOON: OffsetDateTime = datetime!(2026-11-30 12:00 UTC);

    fn hours(from: i64, until: i64) -> Window {
        Window::new(NOON + Duration::hours(from), NOON + Duration::hours(until)).expect("not empty")
    }

    fn taken(slot: i32, from: i64, until: i64) -> Taken {
        Taken { gpu: "GPU-1".to_owned(), slices: Slices::one(slot), window: hours(from, until) }
    }

    #[test]
    fn the_first_free_slots_for_all_of_the_time() {
        assert_eq!(
            lanes(2, 4, &hours(0, 4), &[taken(0, 1, 2)], &[]),
            Ok(vec![(0, hours(0, 1)), (1, hours(0, 4)), (2, hours(1, 4)),])
        );
        assert_eq!(lanes(1, 4, &hours(0, 4), &[taken(0, 1, 2)], &[3]), Ok(vec![(3, hours(0, 4))]));
    }

    #[test]
    fn the_worst_moment_decides() {
        let others = [taken(0, 0, 1), taken(1, 1, 2), taken(2, 1, 2)];
        assert_eq!(lanes(3, 4, &hours(0, 4), &others, &[]), Err(2));
        assert!(lanes(2, 4, &hours(0, 4), &others, &[]).is_ok());
        let whole = Taken { slices: Slices::WHOLE, ..taken(0, 3, 4) };
        assert_eq!(lanes(1, 4, &hours(0, 4), &[whole], &[]), Err(0));
    }

    #[test]
    fn shares_beyond_those_that_there_are_now_count_as_well() {
        // Four were open once, and the last two are still booked: of two now none is free.
        assert_eq!(lanes(1, 2, &hours(0, 2), &[taken(2, 0, 2), taken(3, 0, 2)], &[]), Err(0));
    }

    #[test]
    fn at_every_instant_so_many_and_nobody_elses() {
        let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
        let mut roll = |sides: i64| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            i64::try_from(seed % sides.unsigned_abs()).expect("small")
        };
        for _ in 0..2000 {
            let (count, of) = (u32::try_from(1 + roll(3)).expect("few"), u32::try_from(2 + roll(3)).expect("few"));
            let mut held: Vec<Taken> = Vec::new();
            for _ in 0..roll(12) {
                let (slot, from, length) = (i32::try_from(roll(4)).expect("few"), roll(10), 1 + roll(5));
                let next = taken(slot, from, from + length);
                if !held.iter().any(|h| h.slices.meets(next.slices) && h.window.overlaps(&next.window)) {
                    held.push(next);
                }
            }
            let at = |hour: i64| NOON + Duration::minutes(60 * hour + 30);
            let room = |hour: i64| {
                let used = held.iter().filter(|held| held.window.contains(at(hour))).count();
                of.saturating_sub(u32::try_from(used).expect("few"))
            };
            match lanes(count, of, &hours(2, 9), &held, &[]) {
                Err(free) => assert_eq!(Some(free), (2..9).map(room).min().filter(|free| *free < count), "{held:?}"),
                Ok(found) => {
                    for hour in 2..9 {
                        let mine: Vec<_> = found.iter().filter(|(_, window)| window.contains(at(hour))).collect();
                        assert_eq!(mine.len(), usize::try_from(count).expect("few"), "{held:?}");
                        for (place, (slot, _)) in mine.iter().enumerate() {
                            assert!(mine[..place].iter().all(|(other, _)| other != slot), "{held:?}");
                            let mut now = held.iter().filter(|held| held.window.contains(at(hour)));
                            assert!(now.all(|held| !held.slices.meets(Slices::one(*slot))), "{held:?}");
                        }
                    }
                }
            }
        }
    }
}
