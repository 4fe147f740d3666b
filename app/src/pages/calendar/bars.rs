//! Writes what lies on a row: bookings, and times in which the card is not to be had.

use domain::band::State as CardState;
use domain::calendar::lanes::{Block, HostRows};
use domain::card::CardNumber;
use domain::reservation::State;
use domain::text::t;
use domain::user::initials;
use domain::window::Window;
use domain::wire::calendar::CalendarBooking;

use super::markup::Markup;
use super::scene::Scene;

/// Everything that begins on a row.
#[must_use]
pub fn track(scene: &Scene<'_>, rows: &HostRows, row: usize) -> String {
    let mut html = Markup::default();
    for shut in rows.shut.iter().filter(|shut| shut.row == row) {
        if let Some(closure) = scene.sight.calendar.closures.get(shut.closure) {
            let tall = shut.rows > 1;
            closed(&mut html, scene, closure.window, shut.rows, tall, &closure.reason);
        }
    }
    trouble(&mut html, scene, rows, row);
    for block in rows.blocks.iter().filter(|block| block.row == row) {
        if let Some(booking) = scene.sight.calendar.bookings.get(block.booking) {
            bar(&mut html, scene, rows, block, booking);
        }
    }
    html.done()
}

fn closed(html: &mut Markup, scene: &Scene<'_>, window: Option<Window>, rows: usize, tall: bool, reason: &str) {
    let whole = Window::new(scene.axis.from(), scene.axis.to());
    let Some((at, long)) = window.or(whole.ok()).and_then(|window| scene.axis.clip(&window)) else { return };
    html.raw(if tall { "<li class=\"blk tall\" style=\"" } else { "<li class=\"blk\" style=\"" });
    lay(html, at, long, rows);
    html.raw("\"").attr("title", reason).raw("><span class=\"t\">").icon("maint").text(reason).raw("</span></li>");
}

/// What is wrong with a card now, from now on; and who uses it without a booking.
fn trouble(html: &mut Markup, scene: &Scene<'_>, rows: &HostRows, row: usize) {
    let card = rows.cards.get(row).and_then(|card| scene.host(rows)?.cards.get(*card));
    let Some(head) = card.and_then(|card| scene.head(&card.uuid)) else { return };
    let now = scene.axis.at(scene.sight.now);
    if now < 0.0 || now >= scene.axis.length() {
        return;
    }
    match head.state {
        CardState::Sick => {
            html.raw("<li class=\"blk\" data-state=\"sick\" style=\"");
            lay(html, now, scene.axis.length() - now, 1);
            html.raw("\"><span class=\"t\">").icon("sick").text(&head.words).raw("</span></li>");
        }
        CardState::Rogue => {
            html.raw("<li class=\"blk rogue\" style=\"");
            lay(html, now, 0.0, 1);
            html.raw("\"")
                .attr("title", &(t().calendar.without_booking)(&head.who))
                .raw(">")
                .icon("rogue")
                .raw("</li>");
        }
        _ => {}
    }
}

#[expect(clippy::cast_precision_loss, reason = "cards of one host")]
fn lay(html: &mut Markup, at: f64, long: f64, rows: usize) {
    html.number("at", at).number("for", long).number("rows", rows as f64);
}

fn bar(html: &mut Markup, scene: &Scene<'_>, rows: &HostRows, block: &Block, booking: &CalendarBooking) {
    let Some((at, long)) = scene.axis.clip(&block.window) else { return };
    let sight = &scene.sight;
    let own = booking.owner == sight.viewer;
    let running = block.window.contains(sight.now) && booking.state == State::Active;
    html.raw("<li class=\"bk");
    html.raw(if own { " me" } else { " o" });
    if running {
        html.raw(" run");
    }
    if !booking.state.is_open() || block.window.end() <= sight.now {
        html.raw(" past");
    }
    if block.window.start() < scene.axis.from() {
        html.raw(" cut");
    }
    if matches!(booking.state, State::Awaiting | State::Offered) {
        html.raw(" open");
    }
    if booking.may_change {
        html.raw(" mine");
    }
    if scene.hidden.contains(&booking.id) {
        html.raw(" moving");
    }
    html.raw("\"").attr("data-id", &booking.id.to_string()).raw(" style=\"");
    lay(html, at, long, block.rows);
    html.number("hue", f64::from(booking.hue));
    if let Some(slot) = block.slot {
        html.number("slot", f64::from(slot.first) / f64::from(slot.of.max(1)));
        html.number("share", f64::from(slot.count) / f64::from(slot.of.max(1)));
    }
    html.raw("\"><a class=\"bar\"").attr("href", &format!("/bookings/{}", booking.id));
    if sight.scripted {
        html.attr("tabindex", "-1");
    }
    html.attr("aria-label", &label(scene, rows, block, booking)).raw("><span class=\"t\">");
    let words = &t().calendar;
    let name = if own { words.you } else { booking.holder.as_str() };
    let short = if own { words.you.to_owned() } else { initials(&booking.holder) };
    html.raw("<b").attr("data-i", &short).raw(">").text(name).raw("</b>");
    marks(html, scene, rows, block, booking, running);
    if !booking.purpose.is_empty() {
        html.raw("<span>").text(&booking.purpose).raw("</span>");
    }
    if let Some(slot) = block.slot {
        html.raw("<small>").text(&(words.shares)(slot.count, slot.of)).raw("</small>");
    } else if block.part.1 > 1 {
        html.raw("<small class=\"part\">").text(&(words.part)(block.part.0, block.part.1)).raw("</small>");
    } else if booking.holds.len() > 1 {
        html.raw("<small>").text(&(words.of_cards)(booking.holds.len())).raw("</small>");
    }
    html.raw("</span></a></li>");
}

/// Icons with what they mean in the label: who waits, what repeats, what is not yet certain, what idles.
fn marks(
    html: &mut Markup,
    scene: &Scene<'_>,
    rows: &HostRows,
    block: &Block,
    booking: &CalendarBooking,
    running: bool,
) {
    if booking.waiting > 0 {
        html.raw("<span class=\"w\">").icon("wait").text(&booking.waiting.to_string()).raw("</span>");
    }
    if booking.repeats {
        html.raw("<span class=\"w\">").icon("repeat").raw("</span>");
    }
    match booking.state {
        State::Awaiting => _ = html.raw("<span class=\"z\">").icon("clock").text(t().calendar.awaiting).raw("</span>"),
        State::Offered => _ = html.raw("<span class=\"z\">").icon("clock").text(t().calendar.offered).raw("</span>"),
        _ => {}
    }
    if running && idles(scene, rows, block) {
        html.raw("<span class=\"z\">").icon("idle").text(t().calendar.idle).raw("</span>");
    }
}

/// Whether one of its cards does nothing.
fn idles(scene: &Scene<'_>, rows: &HostRows, block: &Block) -> bool {
    let cards = rows.cards.get(block.row..block.row + block.rows).unwrap_or_default();
    let cards = cards.iter().filter_map(|card| scene.host(rows)?.cards.get(*card));
    cards.filter_map(|card| scene.head(&card.uuid)).any(|head| head.idle)
}

/// All of it in one sentence, for those who hear it.
fn label(scene: &Scene<'_>, rows: &HostRows, block: &Block, booking: &CalendarBooking) -> String {
    let words = &t().calendar;
    let host = scene.host(rows);
    let cards = rows.cards.get(block.row..block.row + block.rows).unwrap_or_default();
    let numbers: Vec<CardNumber> = cards.iter().filter_map(|card| Some(host?.cards.get(*card)?.number)).collect();
    let place = host.map(|host| (words.cards_on)(&host.name, &numbers)).unwrap_or_default();
    let own = booking.owner == scene.sight.viewer;
    let waiting = if booking.waiting > 0 { (words.waiting)(booking.waiting) } else { String::new() };
    let part = if block.part.1 > 1 { (words.part)(block.part.0, block.part.1) } else { String::new() };
    let state = match booking.state {
        State::Awaiting => words.awaiting,
        State::Offered => words.offered,
        State::Ended => words.ended,
        State::Released => words.released,
        State::Missed => words.missed,
        State::Scheduled | State::Active | State::Cancelled => "",
    };
    (words.bar_label)(&[
        if own { words.you } else { &booking.holder },
        &booking.purpose,
        &place,
        &part,
        &scene.when().range(&block.window),
        state,
        if booking.repeats { words.repeats } else { "" },
        &waiting,
    ])
}
