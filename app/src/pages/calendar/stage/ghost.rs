//! What lies over the rows: the plan, what is in its way, what is being saved, the cursor.

use domain::calendar::clash::obstacles;
use domain::calendar::lanes::{Place, places};
use domain::id::CardUuid;
use domain::text::{When, t};
use domain::window::Window;
use domain::wire::calendar::Calendar;
use leptos::prelude::GetUntracked;

use super::Stage;
use crate::live::dom::find;
use crate::pages::calendar::desk::Plan;
use crate::pages::calendar::markup::Markup;

/// A plan is being saved for longer than usual after so many seconds.
const SLOW_S: i64 = 3;

/// Neighbouring rows of a host.
struct Piece {
    host: usize,
    row: usize,
    rows: usize,
}

impl Stage {
    /// Draws all of it, where it differs.
    pub(super) fn draw_over(&mut self) {
        let mut over: Vec<Markup> = self.drawn.iter().map(|_| Markup::default()).collect();
        let plan = self.desk.plan.get_untracked();
        let pending = self.desk.pending.get_untracked();
        if let Some(plan) = &plan {
            self.plan(&mut over, plan);
        }
        for one in &pending {
            let slow = (self.desk.now() - one.since).whole_seconds() >= SLOW_S;
            self.pending(&mut over, &one.plan, slow);
        }
        self.cursor_mark(&mut over);
        for (drawn, html) in self.drawn.iter_mut().zip(over) {
            let html = html.done();
            if drawn.inside.is_some() && drawn.over != html {
                if let Some(layer) = find(&Some(drawn.element.clone()), ".over") {
                    layer.set_inner_html(&html);
                }
                drawn.over = html;
            }
        }
    }

    fn plan(&self, over: &mut [Markup], plan: &Plan) {
        let Some((at, long)) = self.axis.clip(&plan.window) else { return };
        let now = self.desk.now();
        let when = When::new(&self.zone, now);
        let mut first = true;
        for piece in self.pieces(&plan.cards) {
            let Some(html) = over.get_mut(piece.host) else { continue };
            html.raw("<div class=\"sel\" style=\"");
            lay(html, at, long, &piece);
            html.raw("\">");
            if std::mem::take(&mut first) {
                html.raw("<b>").text(&when.range(&plan.window)).raw("</b><span>");
                html.text(&when.length(plan.window.length()))
                    .raw(" · ")
                    .text(&brief(&self.calendar, &plan.cards))
                    .raw("</span>");
            }
            html.raw("</div>");
        }
        let except = plan.edits.map(|(id, _)| id);
        for obstacle in obstacles(&self.calendar, &plan.cards, &plan.shares, &plan.window, except) {
            let Some((at, long)) = self.axis.clip(&obstacle.window) else { continue };
            for piece in self.pieces(std::slice::from_ref(&obstacle.card)) {
                let Some(html) = over.get_mut(piece.host) else { continue };
                html.raw("<i class=\"clash\" style=\"");
                lay(html, at, long, &piece);
                html.raw("\"></i>");
            }
        }
    }

    fn pending(&self, over: &mut [Markup], plan: &Plan, slow: bool) {
        let Some((at, long)) = self.axis.clip(&plan.window) else { return };
        let words = &t().calendar;
        for piece in self.pieces(&plan.cards) {
            let Some(html) = over.get_mut(piece.host) else { continue };
            html.raw("<div class=\"bk me pending\" style=\"");
            lay(html, at, long, &piece);
            html.raw("\"><span class=\"t\"><span class=\"busy\"></span><b").attr("data-i", words.you).raw(">");
            html.text(words.you).raw("</b><span class=\"w\">");
            html.text(if slow { words.still_saving } else { words.saving }).raw("</span></span></div>");
        }
    }

    fn cursor_mark(&self, over: &mut [Markup]) {
        let Some((place, at)) = self.cursor.at else { return };
        let end = domain::calendar::axis::step(&self.zone, at, self.view.zoom.snap(), 1);
        let Some((at, long)) = Window::new(at, end).ok().and_then(|window| self.axis.clip(&window)) else { return };
        if let Some(html) = over.get_mut(place.0) {
            html.raw("<div class=\"cur\" style=\"");
            lay(html, at, long, &Piece { host: place.0, row: place.1, rows: 1 });
            html.raw("\"></div>");
        }
    }

    /// Neighbouring rows of cards as one.
    fn pieces(&self, cards: &[CardUuid]) -> Vec<Piece> {
        let places = places(&self.calendar, &self.rows);
        let mut rows: Vec<Place> = cards.iter().filter_map(|card| places.get(card).copied()).collect();
        rows.sort_unstable();
        rows.dedup();
        let mut pieces: Vec<Piece> = Vec::new();
        for (host, row) in rows {
            match pieces.last_mut() {
                Some(last) if last.host == host && last.row + last.rows == row => last.rows += 1,
                _ => pieces.push(Piece { host, row, rows: 1 }),
            }
        }
        pieces
    }

    /// Cards by number, and how they are linked where one set has all of them.
    pub(super) fn names(&self, cards: &[CardUuid]) -> String {
        names(&self.calendar, cards)
    }
}

/// Cards by number, as short as it gets: `0 + 2 · NV4`; their count where they are many, or on several hosts.
fn brief(calendar: &Calendar, cards: &[CardUuid]) -> String {
    let host = calendar.hosts.iter().find(|host| host.cards.iter().any(|card| cards.contains(&card.uuid)));
    let Some(host) = host else { return String::new() };
    let mine: Vec<usize> =
        (0..host.cards.len()).filter(|at| host.cards.get(*at).is_some_and(|card| cards.contains(&card.uuid))).collect();
    if mine.len() != cards.len() || mine.len() > 4 {
        return (t().calendar.cards)(cards.len());
    }
    let numbers = mine.iter().filter_map(|at| Some(host.cards.get(*at)?.number.to_string()));
    let numbers = numbers.collect::<Vec<_>>().join(" + ");
    let all = |set: &[u16]| mine.iter().all(|card| set.iter().any(|member| usize::from(*member) == *card));
    match host.linked.iter().find(|(set, _)| all(set)) {
        Some((_, word)) if mine.len() > 1 => format!("{numbers} · {word}"),
        _ => numbers,
    }
}

fn names(calendar: &Calendar, cards: &[CardUuid]) -> String {
    let words = &t().calendar;
    let mut parts = Vec::new();
    for host in &calendar.hosts {
        let mine: Vec<u16> =
            (0..).zip(&host.cards).filter(|(_, card)| cards.contains(&card.uuid)).map(|(at, _)| at).collect();
        if mine.is_empty() {
            continue;
        }
        let numbers: Vec<_> = mine.iter().filter_map(|at| Some(host.cards.get(usize::from(*at))?.number)).collect();
        let mut part = (words.cards_on)(&host.name, &numbers);
        let link = host.linked.iter().find(|(set, _)| mine.iter().all(|card| set.contains(card)));
        if let (Some((_, word)), true) = (link, mine.len() > 1) {
            part = format!("{part} · {word}");
        }
        parts.push(part);
    }
    parts.join(", ")
}

#[expect(clippy::cast_precision_loss, reason = "rows of one host")]
fn lay(html: &mut Markup, at: f64, long: f64, piece: &Piece) {
    html.number("at", at).number("for", long).number("row", piece.row as f64).number("rows", piece.rows as f64);
}
