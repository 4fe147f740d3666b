//! Writes a host: its head with the free cards over time, and a row for each card. The bars on the rows are
//! [`super::bars`]'.

#[cfg(feature = "hydrate")]
use domain::calendar::axis::hours;
use domain::calendar::brief_model;
use domain::calendar::lanes::HostRows;
#[cfg(feature = "hydrate")]
use domain::calendar::traces::Traces;
use domain::text::t;
use domain::wire::calendar::CalendarHost;

use super::heads;
use super::markup::Markup;
use super::scene::Scene;

/// The whole of a host, as an element.
pub fn section(html: &mut Markup, scene: &Scene<'_>, rows: &HostRows) {
    let Some(host) = scene.host(rows) else { return };
    open(html, scene, rows, host);
    let count = if scene.is_folded(&host.name) { 0 } else { rows.cards.len() };
    let tracks: Vec<String> = (0..count).map(|row| super::bars::track(scene, rows, row)).collect();
    inside(html, scene, rows, host, &free(scene, host), &tracks, "");
    html.raw("</section>");
}

/// The element of a host with nothing in it, as high as it is with all.
#[cfg(feature = "hydrate")]
pub fn shell(html: &mut Markup, scene: &Scene<'_>, rows: &HostRows) {
    let Some(host) = scene.host(rows) else { return };
    open(html, scene, rows, host);
    html.raw("</section>");
}

fn open(html: &mut Markup, scene: &Scene<'_>, rows: &HostRows, host: &CalendarHost) {
    html.raw("<section class=\"tl-host\"").attr("data-host", &host.name);
    if scene.is_folded(&host.name) {
        html.raw(" data-folded=\"\"");
    }
    #[expect(clippy::cast_precision_loss, reason = "cards of one host")]
    let lanes = rows.cards.len() as f64;
    html.raw(" style=\"").number("lanes", lanes).raw("\"").attr("aria-label", &host.name).raw(">");
}

/// What stands in it: with the free cards over time, one track for each row, and the use of the cards.
pub fn inside(
    html: &mut Markup,
    scene: &Scene<'_>,
    rows: &HostRows,
    host: &CalendarHost,
    free: &str,
    tracks: &[String],
    used: &str,
) {
    let folded = scene.is_folded(&host.name);
    let id = format!("cal-{}", host.name);
    html.raw("<div class=\"lane hosthead\"><div class=\"lane-head\"><h2><a class=\"fold\"");
    let other = scene.sight.view.with(|view| {
        if folded { view.folded.retain(|name| *name != host.name) } else { view.folded.push(host.name.clone()) }
    });
    html.attr("href", &other.address()).attr("data-fold", &host.name).attr("aria-controls", &id);
    html.attr("aria-expanded", if folded { "false" } else { "true" });
    html.attr("title", &(t().calendar.fold)(&host.name));
    if scene.sight.scripted {
        html.attr("tabindex", "-1");
    }
    html.raw(">").icon("down").text(&host.name).raw("</a></h2><small>").text(&models(host)).raw("</small></div>");
    html.raw("<ol class=\"track free\"").attr("aria-label", &(t().calendar.free_on)(&host.name)).raw(">");
    html.part(free).raw("</ol></div>");
    html.raw("<ol class=\"lanes\"").attr("id", &id).raw(">");
    if !folded {
        for ((row, card), track) in rows.cards.iter().enumerate().zip(tracks) {
            let Some(card) = host.cards.get(*card) else { continue };
            let head = scene.head(&card.uuid);
            html.raw("<li class=\"lane\"").attr("data-card", card.uuid.as_str()).raw("><div class=\"lane-head\"");
            html.attr("data-state", head.map_or("stale", |head| head.state.as_str())).raw(">");
            bracket(html, rows, row);
            html.raw("<b>").text(&card.number.to_string()).raw("</b>");
            heads::write(html, head, &card.model);
            html.raw("</div><ol class=\"track\">").part(track).raw("</ol></li>");
        }
    }
    html.raw("</ol><div class=\"uses\">").part(used).raw("</div><div class=\"over\"></div>");
}

/// The line that joins linked rows; the word of the link stands at its middle.
fn bracket(html: &mut Markup, rows: &HostRows, row: usize) {
    let Some(bracket) = rows.brackets.iter().find(|bracket| (bracket.row..bracket.row + bracket.rows).contains(&row))
    else {
        return;
    };
    let last = bracket.row + bracket.rows - 1;
    html.raw(match row {
        row if row == bracket.row => "<span class=\"lkb top\"",
        row if row == last => "<span class=\"lkb bot\"",
        _ => "<span class=\"lkb mid\"",
    });
    // Where the middle is between two rows, at the foot of the upper one.
    if row == bracket.row + (bracket.rows - 1) / 2 {
        html.attr("data-word", &bracket.word);
    }
    html.raw("></span>");
}

/// Which cards a host has, and how all of them are linked, where they are.
fn models(host: &CalendarHost) -> String {
    let mut kinds: Vec<(String, usize)> = Vec::new();
    for card in &host.cards {
        let model = brief_model(&card.model);
        match kinds.iter_mut().find(|(kind, _)| *kind == model) {
            Some((_, count)) => *count += 1,
            None => kinds.push((model, 1)),
        }
    }
    let words = &t().calendar;
    let mut parts: Vec<String> = kinds.iter().map(|(model, count)| (words.models_of)(*count, model)).collect();
    if kinds.len() > 2 {
        parts = vec![(words.cards)(host.cards.len())];
    }
    if let Some((_, word)) = host.linked.first().filter(|(set, _)| set.len() == host.cards.len()) {
        parts.push(word.clone());
    } else if let Some((_, word)) = host.linked.first() {
        parts.push(word.clone());
    }
    parts.join(" · ")
}

/// What its cards did so far, each over its row and left of now.
#[cfg(feature = "hydrate")]
pub fn used(scene: &Scene<'_>, traces: Option<&Traces>, rows: &HostRows, host: &CalendarHost) -> String {
    let mut html = Markup::default();
    let Some(traces) = traces.filter(|traces| traces.begin_at(scene.axis.from())) else {
        return html.done();
    };
    if scene.is_folded(&host.name) {
        return html.done();
    }
    for (row, card) in rows.cards.iter().enumerate() {
        let Some(card) = host.cards.get(*card) else { continue };
        let Some((trace, (percent, length))) = traces.of(&card.uuid).and_then(|trace| Some((trace, trace.mean()?)))
        else {
            continue;
        };
        #[expect(clippy::cast_precision_loss, reason = "rows of one host, steps of one axis")]
        let (row, steps) = (row as f64, trace.steps() as f64);
        html.raw("<i role=\"img\" style=\"").number("row", row);
        html.number("for", steps * hours(trace.step)).raw("\"");
        html.attr("aria-label", &(t().calendar.used)(&host.name, card.number, percent, length.whole_minutes()));
        html.raw("><svg preserveAspectRatio=\"none\" aria-hidden=\"true\"");
        html.attr("viewBox", &format!("0 0 {steps} 36")).raw("><path").attr("d", &trace.path()).raw("/></svg></i>");
    }
    html.done()
}

/// How many of its cards are free when, from now on.
pub fn free(scene: &Scene<'_>, host: &CalendarHost) -> String {
    let mut html = Markup::default();
    let from = scene.axis.from().max(scene.sight.now);
    let when = scene.when();
    let standing = |card: &_| scene.standing(card);
    #[expect(clippy::cast_precision_loss, reason = "cards of one host")]
    let all = host.cards.len().max(1) as f64;
    for stretch in scene.busy.stretches(host, from, scene.axis.to(), &standing) {
        let Some((at, long)) = scene.axis.clip(&stretch.window) else { continue };
        html.raw("<li");
        if stretch.cards == 0 {
            html.raw(" data-none");
        }
        html.raw(" style=\"")
            .number("at", at)
            .number("for", long)
            .number("n", f64::from(stretch.cards) / all)
            .raw("\"");
        let window = stretch.window;
        html.attr("title", &(t().calendar.free_label)(stretch.cards, &when.at(window.start()), &when.at(window.end())));
        html.raw("><b>")
            .text(&stretch.cards.to_string())
            .raw("<span> ")
            .text(t().calendar.free)
            .raw("</span></b></li>");
    }
    html.done()
}
