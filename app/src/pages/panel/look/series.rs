//! Which of those that repeat can be booked.

use domain::draft::Draft;
use domain::draft::offer::taken;
use domain::draft::wall::{BadWall, Which};
use domain::repeat::expand;
use domain::text::{When, t};
use domain::window::Window;
use time::Date;

use super::{Sight, cards, shares};

/// The repeats of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeriesLook {
    /// How many, and until when.
    pub said: String,
    /// Those that cannot be booked, as far as that is known: day and why.
    pub clashes: Vec<(String, String)>,
    /// A time comes twice on one of the days, and nobody has said which is meant.
    pub twice: bool,
    /// What the button says.
    pub label: String,
    /// What it sends, where that is not what stands in the fields.
    pub instead: Option<Draft>,
}

/// The repeats of a draft; `None` where it does not repeat, or cannot be read.
pub fn look(draft: &Draft, window: &Window, sight: &Sight<'_>) -> Option<SeriesLook> {
    let (zone, when, words) = (&sight.scene.zone, sight.when(), &t().book);
    let repeat = draft.repeat(window, zone).ok().flatten().filter(|_| !draft.is_change())?;
    let all = expand(window, &repeat, zone, Which::parse(&draft.doubled));
    let (cards, shares) = (cards(draft), shares(draft));
    let mut clashes = Vec::new();
    let mut twice = false;
    for one in &all {
        let why = match &one.window {
            Ok(window) => {
                let taken = taken(&sight.scene.known, &cards, &shares, window);
                let Some((card, booked)) = taken.first() else { continue };
                let holder = booked.first().map(|booked| if booked.own { words.you } else { booked.holder.as_str() });
                (words.day_taken)(card.number, &card.host, holder.unwrap_or_default())
            }
            Err(BadWall::Twice { .. }) => {
                twice = true;
                words.day_twice.to_owned()
            }
            Err(BadWall::Never { next }) => (words.day_never)(&when.clock(*next)),
            Err(BadWall::Empty | BadWall::Unreadable) => continue,
        };
        clashes.push((day(one.day, &when), why));
    }
    let last = all.last().map(|one| day(one.day, &when)).unwrap_or_default();
    let span = clocks(window, &when);
    let (count, free) = (all.len(), all.len() - clashes.len());
    let (label, instead) = match draft.take.as_str() {
        _ if clashes.is_empty() => ((words.book_series)(count, &span), None),
        "all" => ((words.book_all)(count, &span), None),
        // What can be had is what the button offers.
        _ => ((words.book_some)(free, count, &span), Some(Draft { take: "free".to_owned(), ..draft.clone() })),
    };
    Some(SeriesLook { said: (words.series)(count, &last), clashes, twice, label, instead })
}

/// A day with its date, today as well: "Mon 30 Nov".
pub fn day(day: Date, when: &When<'_>) -> String {
    let weekday = when.text.weekdays.get(usize::from(day.weekday().number_days_from_monday()));
    let month = when.text.months.get(usize::from(u8::from(day.month())) - 1);
    (t().book.dated)(weekday.copied().unwrap_or_default(), day.day(), month.copied().unwrap_or_default())
}

/// From clock to clock, whatever the day.
fn clocks(window: &Window, when: &When<'_>) -> String {
    (when.text.range)(&when.clock(window.start()), &when.clock(window.end()))
}
