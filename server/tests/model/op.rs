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

/// A booking that is touched, and by whom.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    pub who: Who,
    pub which: Which,
    /// And all that follow it.
    pub following: bool,
    /// By the version that it had before.
    pub stale: bool,
}

/// What somebody wants.
#[derive(Clone, Debug)]
pub struct Wish {
    pub who: usize,
    pub cards: Vec<usize>,
    /// So many shares of the card that has some.
    pub shares: Option<u32>,
    pub from_minutes: i64,
    pub minutes: i64,
    /// For somebody else.
    pub owner: Option<usize>,
    /// Somebody who may use it too.
    pub co_user: Option<usize>,
}

/// What a booking is to have of cards.
#[derive(Clone, Debug)]
pub enum Cards {
    Same,
    Add(usize),
    Remove(usize),
    /// So many shares of the card that has some, beside those that it has.
    Shares(u32),
    These(Vec<usize>),
}

/// What is done to a booking that stays what it is.
#[derive(Clone, Copy, Debug)]
pub enum Act {
    Cancel,
    EndNow,
    Approve,
    Refuse,
    Accept,
    StillUsing,
}

/// An operation.
#[derive(Clone, Debug)]
pub enum Op {
    Book(Wish),
    /// Holds it for a while for somebody who has waited.
    Offer(Wish, i64),
    Series {
        first: Wish,
        every: u64,
        times: u16,
        all: bool,
        /// Over a change of the clocks of a zone, from so many half hours before it on.
        clocks: Option<(usize, i64)>,
    },
    /// Sends an earlier request again, or another one with its key.
    Again {
        nth: usize,
        twist: bool,
    },
    Cancel(Target),
    EndNow(Target),
    Act(Target, Act),
    Transfer(Target, usize),
    /// Moves the start and the end by minutes; nothing where both are `None`.
    Set {
        target: Target,
        start: Option<i64>,
        end: Option<i64>,
        cards: Cards,
        words: bool,
    },
    GiveBack {
        which: Which,
        card: usize,
        missed: bool,
    },
    Lapse,
    /// Maintenance of everything, a host or a card.
    Plan {
        of: usize,
        from_minutes: i64,
        minutes: i64,
    },
    CallOff(usize),
    KeepBack(usize),
    LetBook(usize),
    Share(usize, Option<u32>),
    /// A rule comes into force, or goes out of it.
    Rule(usize, bool),
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
        match dice.roll(200) {
            0..64 => Self::Book(Wish::roll(dice)),
            64..70 => Self::Offer(Wish::roll(dice), dice.between(1, 120)),
            70..78 => Self::Series {
                first: Wish::roll(dice),
                every: dice.roll(3),
                times: u16::try_from(dice.roll(5)).unwrap(),
                all: dice.once_in(2),
                clocks: dice.once_in(3).then(|| (number(dice), dice.between(-150, 10))),
            },
            78..92 => Self::Again { nth: number(dice), twist: dice.once_in(3) },
            92..104 => Self::Cancel(Target::roll(dice)),
            104..114 => Self::EndNow(Target::roll(dice)),
            114..124 => Self::Act(Target::roll(dice), act(dice)),
            124..131 => Self::Transfer(Target::roll(dice), number(dice)),
            131..161 => Self::set(dice),
            161..165 => Self::GiveBack { which: Which::roll(dice), card: number(dice), missed: dice.once_in(3) },
            165..167 => Self::Lapse,
            167..170 => Self::Plan {
                of: number(dice),
                from_minutes: dice.between(-1, 40) * 30,
                minutes: dice.between(1, 5) * 30,
            },
            170..174 => Self::CallOff(number(dice)),
            174 => Self::KeepBack(number(dice)),
            175..177 => Self::LetBook(number(dice)),
            177..179 => Self::Share(number(dice), *dice.pick(&[None, Some(2), Some(4), Some(8)])),
            179..185 => Self::Rule(number(dice), dice.once_in(3)),
            _ => Self::Pass { seconds: passing(dice) },
        }
    }

    fn set(dice: &mut Dice) -> Self {
        let target = Target::roll(dice);
        let by = |dice: &mut Dice| dice.between(-6, 9) * 30;
        let (start, end) = match dice.roll(6) {
            0 => (None, None),
            1 | 2 => (Some(0), Some(by(dice))),
            3 | 4 => {
                let by = by(dice);
                (Some(by), Some(by))
            }
            _ => (Some(by(dice)), Some(by(dice))),
        };
        let cards = match dice.roll(8) {
            0 => Cards::Add(number(dice)),
            1 => Cards::Remove(number(dice)),
            2 => Cards::Shares(u32::try_from(dice.roll(6)).unwrap()),
            3 => Cards::These(cards(dice)),
            _ => Cards::Same,
        };
        Self::Set { target, start, end, cards, words: dice.once_in(4) }
    }
}

/// Seconds, minutes, at times a day: what nobody has approved by then lapses.
fn passing(dice: &mut Dice) -> i64 {
    match dice.roll(24) {
        0 => 25 * 3600,
        1..7 => dice.between(1, 90),
        _ => dice.between(1, 90) * 60,
    }
}

fn act(dice: &mut Dice) -> Act {
    const ACTS: [Act; 9] = [
        Act::Cancel,
        Act::EndNow,
        Act::Accept,
        Act::Accept,
        Act::Approve,
        Act::Approve,
        Act::Approve,
        Act::Refuse,
        Act::StillUsing,
    ];
    *dice.pick(&ACTS)
}

impl Wish {
    fn roll(dice: &mut Dice) -> Self {
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
        Self {
            who: number(dice),
            cards: cards(dice),
            shares: dice.once_in(4).then(|| u32::try_from(dice.roll(6)).unwrap()),
            from_minutes,
            minutes,
            owner: dice.once_in(12).then(|| number(dice)),
            co_user: dice.once_in(8).then(|| number(dice)),
        }
    }
}

fn cards(dice: &mut Dice) -> Vec<usize> {
    match dice.roll(40) {
        0 => Vec::new(),
        n => (0..=n % 4).map(|_| number(dice)).collect(),
    }
}

impl Target {
    fn roll(dice: &mut Dice) -> Self {
        let who = match dice.roll(10) {
            0 => Who::Anybody(number(dice)),
            1 => Who::Administrator,
            _ => Who::Owner,
        };
        Self { who, which: Which::roll(dice), following: dice.once_in(4), stale: dice.once_in(16) }
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
