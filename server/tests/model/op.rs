//! What can be done, as plain numbers: an operation means something in whatever state it meets, so that a failing walk
//! can be shortened by leaving operations out.

use crate::dice::Dice;
use crate::fault::Fault;

/// An operation and what happens to it on its way.
#[derive(Clone, Debug)]
pub struct Step {
    pub op: Op,
    pub fault: Fault,
}

/// Who does something to a booking.
#[derive(Clone, Copy, Debug)]
pub enum Who {
    Owner,
    Administrator,
    /// Anybody, by number.
    Anybody(usize),
}

/// Which booking, by number: of the open ones, or of all that there ever were.
#[derive(Clone, Copy, Debug)]
pub enum Which {
    Open(usize),
    Any(usize),
}

/// An operation.
#[derive(Clone, Debug)]
pub enum Op {
    /// Books cards, by their numbers.
    Book {
        who: usize,
        cards: Vec<usize>,
        from_minutes: i64,
        minutes: i64,
    },
    /// Sends an earlier wish again, or another one with its key.
    Again {
        nth: usize,
        twist: bool,
    },
    Cancel {
        who: Who,
        which: Which,
    },
    EndNow {
        who: Who,
        which: Which,
    },
    /// Time passes.
    Pass {
        seconds: i64,
    },
}

/// A walk of so many steps.
pub fn walk(dice: &mut Dice, length: usize) -> Vec<Step> {
    (0..length).map(|_| Step { op: Op::roll(dice), fault: Fault::roll(dice, 16) }).collect()
}

impl Op {
    fn roll(dice: &mut Dice) -> Self {
        match dice.roll(100) {
            0..52 => Self::book(dice),
            52..60 => Self::Again { nth: number(dice), twist: dice.once_in(3) },
            60..72 => Self::Cancel { who: Who::roll(dice), which: Which::roll(dice) },
            72..84 => Self::EndNow { who: Who::roll(dice), which: Which::roll(dice) },
            _ => Self::Pass { seconds: if dice.once_in(4) { dice.between(1, 90) } else { dice.between(1, 90) * 60 } },
        }
    }

    fn book(dice: &mut Dice) -> Self {
        let cards = match dice.roll(40) {
            0 => Vec::new(),
            n => (0..=n % 4).map(|_| number(dice)).collect(),
        };
        let from_minutes = match dice.roll(40) {
            0 => -10,
            1 => 367 * 24 * 60,
            2..8 => dice.between(-5, 1),
            _ => dice.between(0, 40) * 30,
        };
        let minutes = match dice.roll(40) {
            0 => 4,
            1 => 5,
            2 => 32 * 24 * 60,
            _ => dice.between(1, 13) * 30,
        };
        Self::Book { who: number(dice), cards, from_minutes, minutes }
    }
}

impl Who {
    fn roll(dice: &mut Dice) -> Self {
        match dice.roll(10) {
            0 => Self::Anybody(number(dice)),
            1 => Self::Administrator,
            _ => Self::Owner,
        }
    }
}

impl Which {
    fn roll(dice: &mut Dice) -> Self {
        if dice.once_in(8) { Self::Any(number(dice)) } else { Self::Open(number(dice)) }
    }
}

fn number(dice: &mut Dice) -> usize {
    dice.index(10_000)
}
