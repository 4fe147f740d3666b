//! `berth free`, `bookings`, `book`, `extend` and `end`: one's bookings on this host, through its agent.
//!
//! A host may touch what lies wholly on itself. Everything else needs the portal.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use domain::draft::spoken::{self, Spoken};
use domain::text;
use domain::text::When;
use domain::window::Window;
use domain::wire::guard_v1::{Answer, Ask, Free};
use domain::wire::host_v1::HostAct;
use domain::wire::launch_v1::{BookAsk, OwnBooking, OwnBookings, is_called};
use serde::Serialize;

use super::status::harmless;
use super::{EXIT_FAILED, PATIENCE, SocketOption, print, say, start_agent_hint};
use crate::clean::clean;
use crate::guard::client;
use crate::guard::explain::bookings::line;
use crate::guard::explain::{age, cards_named, free_list};
use crate::guard::when::LocalClock;

/// How long the agent may take where it asks the portal.
const PORTAL_PATIENCE: Duration = Duration::from_secs(30);
/// Where nobody says how long.
const LENGTH_DEFAULT: time::Duration = time::Duration::hours(4);

/// Nothing is known yet.
const NO_TABLE: &str = "This host has not heard from the portal yet.";

/// How the answer is wanted.
#[derive(Debug, Args)]
struct Output {
    /// Print JSON, for programs
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    socket: SocketOption,
}

/// Show which cards of this host are free now, and until when
#[derive(Debug, Args)]
pub struct FreeOptions {
    #[command(flatten)]
    output: Output,
}

/// Show your bookings on this host
#[derive(Debug, Args)]
pub struct ListOptions {
    #[command(flatten)]
    output: Output,
}

/// Book cards of this host for yourself
///
/// When is said as in the portal: `4h` from now, `tomorrow 9am 6h`, `fri 14:00-18:00`, `until 18:00`.
#[derive(Debug, Args)]
pub struct BookOptions {
    /// So many cards, the best linked that are free
    #[arg(long, short = 'n', value_name = "N", default_value_t = 1, conflicts_with = "cards")]
    gpus: u32,

    /// Just these cards, by index or UUID, such as `0,2`
    #[arg(long, value_name = "CARDS", value_delimiter = ',')]
    cards: Vec<String>,

    /// What for
    #[arg(long = "for", value_name = "PURPOSE", default_value = "")]
    purpose: String,

    #[command(flatten)]
    output: Output,

    /// When [default: now, for 4 hours]
    #[arg(value_name = "WHEN")]
    when: Vec<String>,
}

/// Let a booking of yours on this host last longer
///
/// `berth extend 2h` adds two hours, `berth extend until 18:00` says the end.
#[derive(Debug, Args)]
pub struct ExtendOptions {
    /// The booking, by its id or four digits or more from either end of it [default: the one that you have now]
    #[arg(long, value_name = "BOOKING")]
    reservation: Option<String>,

    #[command(flatten)]
    output: Output,

    /// How much longer, or until when
    #[arg(value_name = "TIME", required = true)]
    time: Vec<String>,
}

/// End a booking of yours on this host now, or call it off
#[derive(Debug, Args)]
pub struct EndOptions {
    /// The booking, by its id or four digits or more from either end of it [default: the one that you have now]
    #[arg(value_name = "BOOKING")]
    reservation: Option<String>,

    #[command(flatten)]
    output: Output,
}

/// Counts up when a field goes or changes its meaning; new fields may come at any time.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct Document<T> {
    version: u32,
    #[serde(flatten)]
    content: T,
}

#[derive(Serialize)]
struct FreeCards<'a> {
    host_name: &'a str,
    free: &'a [Free],
    table_age_s: Option<u64>,
}

#[derive(Serialize)]
struct Changed<'a> {
    booking: Option<&'a OwnBooking>,
    awaits: bool,
}

pub(super) fn free(options: &FreeOptions) -> ExitCode {
    ending("not shown", || {
        let Answer::Status(status) = ask(&options.output, &Ask::Status)? else { return Err(other_question()) };
        if options.output.json {
            let (host_name, free) = (status.host_name.as_str(), status.free.as_slice());
            return json(FreeCards { host_name, free, table_age_s: status.table_age_s });
        }
        let clock = LocalClock::system();
        let (used, free): (Vec<&Free>, Vec<&Free>) = status.free.iter().partition(|free| free.used_by.is_some());
        let host = clean(&status.host_name);
        let mut lines = vec![match free.as_slice() {
            _ if status.table_age_s.is_none() => NO_TABLE.to_owned(),
            [] => format!("No card of {host} is free now."),
            free => format!("Free on {host} now: {}.", free_list(free, &clock)),
        }];
        for free in used {
            let who = clean(free.used_by.as_deref().unwrap_or_default());
            lines.push(format!("Booked by nobody, but in use: {} by {who}.", cards_named([&free.card])));
        }
        lines.extend(status.table_age_s.and_then(age));
        Ok(lines.join("\n"))
    })
}

pub(super) fn list(options: &ListOptions) -> ExitCode {
    ending("not shown", || {
        let own = bookings(&options.output)?;
        if options.output.json {
            return json(own);
        }
        let clock = LocalClock::system();
        let mut lines = match own.bookings.as_slice() {
            [] => vec![format!("You have no booking on {} in the next days.", clean(&own.host_name))],
            all => all.iter().map(|booking| line(booking, &clock).trim_start().to_owned()).collect(),
        };
        lines.extend(own.table_age_s.and_then(age));
        Ok(lines.join("\n"))
    })
}

pub(super) fn book(options: &BookOptions) -> ExitCode {
    ending("not booked", || {
        let clock = LocalClock::system();
        let window = window(&options.when.join(" "), &clock)?;
        let start = Some(window.start()).filter(|start| *start > clock.now());
        let minutes = u32::try_from(window.length().whole_minutes()).unwrap_or(u32::MAX);
        let count = if options.cards.is_empty() { options.gpus } else { 0 };
        let (cards, purpose) = (options.cards.clone(), options.purpose.clone());
        let question = Ask::Book(BookAsk { cards, count, start, minutes, purpose });
        done(&options.output, &question, |booking, awaits| {
            let what = line(booking, &clock).trim_start().to_owned();
            if awaits {
                format!("Asked for, and not yours before somebody approves it: {what}")
            } else {
                format!("Booked: {what}")
            }
        })
    })
}

pub(super) fn extend(options: &ExtendOptions) -> ExitCode {
    ending("not changed", || {
        let clock = LocalClock::system();
        let booking = meant(&options.output, options.reservation.as_deref(), &clock)?;
        let end = later_end(&options.time.join(" "), &booking.window, &clock)?;
        let question = Ask::Change { booking: booking.id, act: HostAct::Until(end) };
        done(&options.output, &question, |booking, _| format!("Now: {}", line(booking, &clock).trim_start()))
    })
}

pub(super) fn end(options: &EndOptions) -> ExitCode {
    ending("not ended", || {
        let clock = LocalClock::system();
        let booking = meant(&options.output, options.reservation.as_deref(), &clock)?;
        let question = Ask::Change { booking: booking.id, act: HostAct::End };
        let said = done(&options.output, &question, |_, _| String::new())?;
        Ok(if said.is_empty() { format!("Ended: {}", line(&booking, &clock).trim_start()) } else { said })
    })
}

/// The window that somebody says; from now for four hours where nothing is said.
fn window(said: &str, clock: &LocalClock) -> Result<Window, String> {
    let (zone, now) = (clock.zone_table(), clock.now());
    let standing = Window::new(now, now + LENGTH_DEFAULT).map_err(|_| "There is no such time.".to_owned())?;
    if said.trim().is_empty() {
        return Ok(standing);
    }
    let spoken = spoken::parse(said, &zone, now).and_then(|spoken| spoken.over(&standing, &zone));
    spoken.map_err(|why| text::en().misheard(&why, &When::new(&zone, now)))
}

/// The end of a booking that is to last longer. A bare length is added.
fn later_end(said: &str, window: &Window, clock: &LocalClock) -> Result<time::OffsetDateTime, String> {
    let (zone, now) = (clock.zone_table(), clock.now());
    let spoken = match spoken::length(said) {
        Some(length) => Ok(Spoken::Longer(length)),
        None => spoken::parse(said, &zone, now),
    };
    let later = spoken.and_then(|spoken| spoken.over(window, &zone));
    let later = later.map_err(|why| text::en().misheard(&why, &When::new(&zone, now)))?;
    if later.start() == window.start() {
        return Ok(later.end());
    }
    Err("Say how much longer, such as 2h, or until when, such as until 18:00.".to_owned())
}

/// The booking that is named, or the one that there is.
fn meant(output: &Output, named: Option<&str>, clock: &LocalClock) -> Result<OwnBooking, String> {
    let own = bookings(output)?;
    let host = clean(&own.host_name);
    let now = |booking: &&OwnBooking| booking.window.contains(clock.now());
    let found: Vec<&OwnBooking> = match named {
        Some(text) => own.bookings.iter().filter(|booking| is_called(booking.id, text)).collect(),
        None => own.bookings.iter().filter(now).collect(),
    };
    match (found.as_slice(), named) {
        ([one], _) => Ok((*one).clone()),
        ([], None) if own.bookings.is_empty() => Err(format!("You have no booking on {host}.")),
        ([], None) => {
            Err(format!("You have no booking on {host} now. Say which one is meant:\n{}", lines(&own, clock)))
        }
        ([], Some(text)) => {
            Err(format!("No booking of yours on {host} is called `{}`:\n{}", clean(text), lines(&own, clock)))
        }
        _ => Err(format!("Say which of your bookings on {host} is meant:\n{}", lines(&own, clock))),
    }
}

fn lines(own: &OwnBookings, clock: &LocalClock) -> String {
    own.bookings.iter().map(|booking| line(booking, clock)).collect::<Vec<_>>().join("\n")
}

fn bookings(output: &Output) -> Result<OwnBookings, String> {
    match ask(output, &Ask::Bookings)? {
        Answer::Bookings(own) if own.table_age_s.is_none() => Err(NO_TABLE.to_owned()),
        Answer::Bookings(own) => Ok(own),
        _ => Err(other_question()),
    }
}

/// Has it done; what is said of the booking that there is now.
fn done(output: &Output, question: &Ask, say: impl FnOnce(&OwnBooking, bool) -> String) -> Result<String, String> {
    let Answer::Booked { booking, awaits } = ask(output, question)? else { return Err(other_question()) };
    if output.json {
        return json(Changed { booking: booking.as_ref(), awaits });
    }
    Ok(booking.map(|booking| say(&booking, awaits)).unwrap_or_default())
}

fn ask(output: &Output, question: &Ask) -> Result<Answer, String> {
    let slow = matches!(question, Ask::Book(_) | Ask::Change { .. });
    let patience = if slow { PORTAL_PATIENCE } else { PATIENCE };
    match client::ask(&output.socket.socket, question, patience) {
        Ok(Answer::Failed { message }) => Err(clean(&message)),
        Ok(answer) => Ok(answer),
        Err(error) => Err(format!("{error}. {}", start_agent_hint())),
    }
}

fn json(content: impl Serialize) -> Result<String, String> {
    let document = serde_json::to_string_pretty(&Document { version: VERSION, content });
    document.map(harmless).map_err(|error| error.to_string())
}

fn other_question() -> String {
    "The agent answers another question than was asked.".to_owned()
}

/// Prints what was found, or says why there is nothing.
fn ending(not_done: &str, work: impl FnOnce() -> Result<String, String>) -> ExitCode {
    match work() {
        Ok(text) => print(&text),
        Err(why) => {
            // What the portal refuses begins with the same words.
            let why = why.strip_prefix("Not booked. ").or_else(|| why.strip_prefix("Not changed. ")).unwrap_or(&why);
            say(&format!("berth: {not_done}. {why}"));
            ExitCode::from(EXIT_FAILED)
        }
    }
}
