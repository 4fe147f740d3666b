//! The calendar as a list: hosts, cards, and on each what is booked in the order of time. It is the view of phones, the
//! view on paper, and the one for those who hear the page.
//!
//! Written as text on both sides: the server for the first paint, the browser where something of it has changed.

use domain::calendar::free::Standing;
use domain::draft::wall;
use domain::id::CardUuid;
use domain::reservation::LENGTH_MIN;
use domain::text::t;
use domain::user::initials;
use domain::window::Window;
use domain::wire::calendar::{CalendarBooking, CalendarCard, CalendarHost, Closure};
use time::format_description::well_known::Rfc3339;
use time::{Date, Duration, OffsetDateTime};

use super::markup::Markup;
use super::scene::Scene;

/// Length of a booking that is begun from the list, where that much is free.
const USUAL: Duration = Duration::hours(4);
/// Days to choose from.
const DAYS: i64 = 7;

/// What is on a card for a while.
enum Item<'a> {
    Booking(&'a CalendarBooking, Window),
    Shut(&'a Closure, Window),
}

impl Item<'_> {
    fn window(&self) -> Window {
        match self {
            Self::Booking(_, window) | Self::Shut(_, window) => *window,
        }
    }
}

/// The whole list.
#[must_use]
pub fn write(scene: &Scene<'_>) -> String {
    let mut html = Markup::default();
    days(&mut html, scene);
    for rows in scene.rows.iter() {
        let Some(host) = scene.host(rows) else { continue };
        let cards = rows.cards.iter().filter_map(|at| host.cards.get(*at));
        section(&mut html, scene, host, cards);
    }
    if scene.rows.is_empty() {
        super::nothing(&mut html, scene);
    }
    html.done()
}

/// The days of a week, each a link.
fn days(html: &mut Markup, scene: &Scene<'_>) {
    let sight = &scene.sight;
    let first = sight.view.first_day(sight.zone, sight.now);
    let today = sight.zone.local(sight.now).date();
    // The week begins today, or where somebody looks at another time.
    let from = if (first - today).whole_days() < DAYS && first >= today { today } else { first };
    html.raw("<ol class=\"days\"").attr("aria-label", t().agenda.days).raw(">");
    for day in (0..DAYS).filter_map(|more| from.checked_add(Duration::days(more))) {
        let view = sight.view.with(|view| view.from = (day != today).then_some(day));
        html.raw("<li><a").attr("href", &view.address());
        if day == first {
            html.raw(" aria-current=\"date\"");
        }
        html.raw(">").text(weekday(day)).raw("<b>").text(&day.day().to_string()).raw("</b></a></li>");
    }
    html.raw("</ol>");
}

fn weekday(day: Date) -> &'static str {
    let index = usize::from(day.weekday().number_days_from_monday());
    t().when.weekdays.get(index).copied().unwrap_or_default()
}

fn section<'a>(
    html: &mut Markup,
    scene: &Scene<'_>,
    host: &CalendarHost,
    cards: impl Iterator<Item = &'a CalendarCard>,
) {
    html.raw("<section><h2>").text(&host.name).raw(" <small>").text(&kinds(host)).raw("</small></h2>");
    for card in cards {
        row(html, scene, card);
    }
    html.raw("</section>");
}

/// "8 × H100 · NV18".
fn kinds(host: &CalendarHost) -> String {
    let mut kinds: Vec<(&str, usize)> = Vec::new();
    for card in &host.cards {
        match kinds.iter_mut().find(|(model, _)| *model == card.model) {
            Some((_, count)) => *count += 1,
            None => kinds.push((&card.model, 1)),
        }
    }
    let mut words: Vec<String> = kinds.iter().map(|(model, count)| (t().calendar.models_of)(*count, model)).collect();
    if let Some((_, word)) = host.linked.first() {
        words.push(word.clone());
    }
    words.join(" · ")
}

fn row(html: &mut Markup, scene: &Scene<'_>, card: &CalendarCard) {
    let items = items(scene, &card.uuid);
    let head = scene.head(&card.uuid);
    let own = |item: &Item<'_>| matches!(item, Item::Booking(booking, _) if booking.owner == scene.sight.viewer);
    html.raw("<details").attr("data-card", card.uuid.as_str());
    if items.iter().any(own) {
        html.raw(" open");
    }
    html.raw("><summary><b>").text(&card.number.to_string()).raw("</b><span>");
    if let Some(head) = head {
        html.raw("<span class=\"st\"").attr("data-state", head.state.as_str()).raw(">");
        html.icon(crate::components::card_words::icon(head.state)).text(&head.words).raw("</span>");
    }
    html.raw("<small>").text(&card.model);
    if let Some(share) = head.map(|head| head.share.as_str()).filter(|share| !share.is_empty()) {
        html.raw(" · ").text(share);
    }
    html.raw("</small></span>");
    mini(html, scene, &items);
    html.raw("</summary><ol>");
    for item in &items {
        entry(html, scene, item);
    }
    if items.is_empty() {
        html.raw("<li class=\"muted\">").text(t().agenda.none).raw("</li>");
    }
    book(html, scene, card, &items);
    html.raw("</ol></details>");
}

/// Everything on a card in the time that is shown, in its order.
fn items<'a>(scene: &Scene<'a>, card: &CardUuid) -> Vec<Item<'a>> {
    let shown = |window: &Window| scene.axis.clip(window).is_some();
    let calendar = scene.sight.calendar;
    let held = calendar.bookings.iter().filter_map(|booking| {
        let hold = booking.holds.iter().find(|hold| hold.card == *card)?;
        Some(Item::Booking(booking, hold.window.unwrap_or(booking.window)))
    });
    let shut = calendar.closures.iter().filter(|closure| closure.cards.contains(card));
    let shut = shut.filter_map(|closure| Some(Item::Shut(closure, closure.window?)));
    let mut items: Vec<Item<'_>> = held.chain(shut).filter(|item| shown(&item.window())).collect();
    items.sort_by_key(|item| item.window().start());
    items
}

/// The time that is shown as a line, what is taken of it in the colours of those who have it.
fn mini(html: &mut Markup, scene: &Scene<'_>, items: &[Item<'_>]) {
    let long = scene.axis.length().max(1.0);
    let now = scene.axis.at(scene.sight.now) / long * 100.0;
    html.raw("<span class=\"mini\" aria-hidden=\"true\" style=\"").number("now", now).raw("\">");
    for item in items {
        let Some((at, length)) = scene.axis.clip(&item.window()) else { continue };
        html.raw("<i class=\"").raw(match item {
            Item::Shut(..) => "m",
            Item::Booking(booking, _) if booking.owner == scene.sight.viewer => "y",
            Item::Booking(..) => "o",
        });
        html.raw("\" style=\"").number("at", at / long * 100.0).number("for", length / long * 100.0);
        if let Item::Booking(booking, _) = item {
            html.number("hue", f64::from(booking.hue));
        }
        html.raw("\"></i>");
    }
    html.raw("</span>");
}

fn entry(html: &mut Markup, scene: &Scene<'_>, item: &Item<'_>) {
    let words = &t().calendar;
    let span = scene.when().range(&item.window());
    match item {
        Item::Shut(closure, _) => {
            html.raw("<li>").icon("maint").raw("<span><time>").text(&span).raw("</time> ");
            html.text(&closure.reason).raw("</span></li>");
        }
        Item::Booking(booking, _) => {
            let own = booking.owner == scene.sight.viewer;
            let name = if own { words.you } else { booking.holder.as_str() };
            html.raw("<li><span class=\"av ").raw(if own { "me" } else { "o" }).raw("\" aria-hidden=\"true\" style=\"");
            html.number("hue", f64::from(booking.hue)).raw("\">").text(&initials(&booking.holder)).raw("</span><span>");
            html.raw("<time>")
                .text(&span)
                .raw("</time> <a")
                .attr("href", &format!("/bookings/{}", booking.id))
                .raw(">");
            html.text(name);
            if !booking.purpose.is_empty() {
                html.raw(", ").text(&booking.purpose);
            }
            html.raw("</a>");
            if booking.repeats {
                html.raw(" ").icon("repeat");
            }
            html.raw("</span></li>");
        }
    }
}

/// The next time at which the card is free for a while, as a link to the form. The browser puts it into the panel.
fn book(html: &mut Markup, scene: &Scene<'_>, card: &CalendarCard, items: &[Item<'_>]) {
    if scene.standing(&card.uuid) == Standing::Out || !bookable(scene, &card.uuid) {
        return;
    }
    let Some(window) = gap(scene, &card.uuid, items) else { return };
    let now = window.start() <= wall::minute(scene.sight.now);
    let label =
        if now { t().agenda.book_now.to_owned() } else { (t().agenda.book_from)(&scene.when().at(window.start())) };
    let text = |at: OffsetDateTime| at.format(&Rfc3339).unwrap_or_default();
    let (start, end) = (text(window.start()), text(window.end()));
    let href = format!("/book?card={}&start={start}&end={end}", card.uuid);
    html.raw("<li><a class=\"btn small wide\"").attr("href", &href).attr("data-plan", card.uuid.as_str());
    html.attr("data-start", &start).attr("data-end", &end).raw(">").icon("plus").text(&label).raw("</a></li>");
}

fn bookable(scene: &Scene<'_>, card: &CardUuid) -> bool {
    !scene.sight.calendar.closures.iter().any(|closure| closure.window.is_none() && closure.cards.contains(card))
}

/// The first free time from now on in what is shown, as long as usual where so much is free.
fn gap(scene: &Scene<'_>, card: &CardUuid, items: &[Item<'_>]) -> Option<Window> {
    let mut start = scene.axis.from().max(wall::minute(scene.sight.now));
    for item in items {
        let window = item.window();
        if window.end() <= start {
            continue;
        }
        if window.start() - start >= LENGTH_MIN {
            break;
        }
        start = window.end();
    }
    let until = scene.busy.free_until(card, start).filter(|until| *until > start);
    let end = until.map_or(start + USUAL, |until| until.min(start + USUAL));
    (start < scene.axis.to()).then(|| Window::new(start, end).ok()).flatten()
}

/// Brings the list in the document to what is the case; what was open stays open.
#[cfg(feature = "hydrate")]
pub fn show(scene: &Scene<'_>) {
    use crate::live::dom::{all, set};
    thread_local! {
        static SHOWN: std::cell::RefCell<String> = const { std::cell::RefCell::new(String::new()) };
    }
    let list = scene.sight.view.list;
    for page in all(".calpage") {
        set(&page, "data-view", Some(if list { "list" } else { "timeline" }));
    }
    let Some(agenda) = leptos::prelude::document().get_element_by_id("cal-agenda") else { return };
    // Where the timeline is shown nobody looks at it.
    if agenda.client_height() == 0 {
        return;
    }
    let html = write(scene);
    let differs = SHOWN.with_borrow_mut(|shown| {
        let differs = *shown != html;
        shown.clone_from(&html);
        differs
    });
    if !differs {
        return;
    }
    let rows = all("#cal-agenda details");
    let open = |row: &web_sys::Element| (row.get_attribute("data-card"), row.has_attribute("open"));
    let before: Vec<(Option<String>, bool)> = rows.iter().map(open).collect();
    agenda.set_inner_html(&html);
    for row in all("#cal-agenda details") {
        let card = row.get_attribute("data-card");
        if let Some((_, open)) = before.iter().find(|(other, _)| *other == card) {
            set(&row, "open", open.then_some(""));
        }
    }
}
