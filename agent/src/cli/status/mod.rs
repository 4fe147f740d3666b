//! `berth status`: what the cards do, who is on them, whose they are, and what is free.

mod cards;
mod json;
mod notes;
mod people;
mod screen;
mod sheet;
mod source;
mod style;
mod watch;

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use domain::wire::guard_v1::HostStatus;
use time::OffsetDateTime;

use self::screen::{Colour, Screen};
use self::source::{Look, Source};
use self::style::{Line, Piece, Style, cut_line, line_width, paint, wrap};
use super::{EXIT_FAILED, NvmlOption, SocketOption, print, say, start_agent_hint};
use crate::clean::clean;
use crate::guard::when::{LocalClock, how_long};

pub(crate) use self::json::harmless;
pub(super) use self::notes::told;

/// Values older than this are said to be so, in seconds.
const SAY_READ_FROM_S: i64 = 10;

/// Show the cards of this host: what they do, who is on them, whose they are until when, and what is free
///
/// Asks this host's agent. Without an agent it reads the cards itself and knows no bookings. This is also what `berth`
/// without a command does.
#[derive(Debug, Args)]
pub struct Options {
    /// Print JSON, for programs
    #[arg(long, conflicts_with = "watch")]
    json: bool,

    /// Draw again every so many seconds, until Ctrl-C
    #[arg(long, short, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "2", value_parser = seconds)]
    watch: Option<Duration>,

    /// When to use colour
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Colour::Auto)]
    color: Colour,

    #[command(flatten)]
    socket: SocketOption,

    #[command(flatten)]
    nvml: NvmlOption,
}

pub(super) fn run(options: &Options) -> ExitCode {
    let every = options.watch.unwrap_or(Duration::from_secs(2));
    let mut source = Source::new(options.socket.socket.clone(), options.nvml.clone(), every);
    if options.watch.is_some() {
        return watch::watch(&mut source, every, options.color);
    }
    let fail = |message: String| {
        say(&message);
        ExitCode::from(EXIT_FAILED)
    };
    let look = match source.look() {
        Ok(look) => look,
        Err(message) => return fail(message),
    };
    let text = if options.json {
        match json::document(&look) {
            Ok(json) => json,
            Err(error) => return fail(format!("berth: {error}.")),
        }
    } else {
        render(&look, &LocalClock::system(), &Screen::now(options.color)).join("\n")
    };
    let printed = print(&text);
    if look.is_good() { printed } else { ExitCode::from(EXIT_FAILED) }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "write seconds as a number, such as 2 or 0.5".to_owned())?;
    let range = 0.1..=3600.0;
    if range.contains(&seconds) { Ok(Duration::from_secs_f64(seconds)) } else { Err("from 0.1 to 3600".to_owned()) }
}

/// The lines as they are printed.
fn render(look: &Look, clock: &LocalClock, screen: &Screen) -> Vec<String> {
    let status = &look.status;
    let mut lines: Vec<Line> = vec![header(status, clock, screen.width)];
    let rows = cards::rows(status, clock);
    if !rows.is_empty() {
        lines.push(Line::new());
        lines.extend(sheet::lay_out(&cards::columns(screen.width), &rows, cards::REMARKS, screen.width));
    }
    let mut notes = notes::notes(status, clock);
    if let Some(why) = &look.no_agent {
        let text = format!("Bookings are unknown, as {}. {}", clean(why), start_agent_hint());
        notes.push(Piece::new(Style::Warn, text));
    } else if status.table_age_s.is_none() {
        let text = "This host has not heard from the portal yet, so it knows no bookings.";
        notes.push(Piece::new(Style::Warn, text));
    }
    if !notes.is_empty() {
        lines.push(Line::new());
    }
    for note in notes {
        let rows = screen.width.map_or_else(|| vec![note.text.clone()], |width| wrap(&note.text, width, 2));
        lines.extend(rows.into_iter().map(|text| vec![Piece::new(note.style, text)]));
    }
    lines.iter().map(|line| paint(line, screen.colour)).collect()
}

/// Host, driver, age of what is shown, and who asks; what does not fit is left out from the end.
fn header(status: &HostStatus, clock: &LocalClock, room: Option<usize>) -> Line {
    let host = if status.host_name.is_empty() { crate::host::name() } else { status.host_name.clone() };
    let mut parts = vec![Piece::new(Style::Bold, clean(&host))];
    let dim = |text: String| Piece::new(Style::Dim, text);
    parts.extend(status.driver_version.as_ref().map(|version| dim(format!("driver {}", clean(version)))));
    parts.extend(status.cuda_version.as_ref().map(|version| dim(format!("CUDA {}", clean(version)))));
    parts.extend(read_ago(status.sampled_at, clock.now()).map(|ago| Piece::new(Style::Warn, ago)));
    parts.extend(status.table_age_s.map(|age| dim(format!("bookings {} old", how_long(age)))));
    parts.push(dim(match &status.person {
        Some(person) => format!("you are {}, {}", clean(&status.os_user), clean(person)),
        None => format!("you are {}", clean(&status.os_user)),
    }));
    let mut line = Line::new();
    for part in parts {
        let gap = if line.is_empty() { "" } else { "  " };
        if line.is_empty() || room.is_none_or(|room| line_width(&line) + gap.len() + part.width() <= room) {
            line.extend([Piece::plain(gap), part]);
        }
    }
    match room {
        Some(room) => cut_line(line, room),
        None => line,
    }
}

fn read_ago(sampled_at: Option<OffsetDateTime>, now: OffsetDateTime) -> Option<String> {
    let seconds = (now - sampled_at?).whole_seconds();
    let said = u64::try_from(seconds).ok().filter(|_| seconds > SAY_READ_FROM_S)?;
    Some(format!("read {} ago", how_long(said)))
}

#[cfg(test)]
mod tests;
