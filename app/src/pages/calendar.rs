//! The calendar: rows are cards, time goes to the right.
//!
//! The server renders all of it: bar, axis, rows, bookings; links lead through time and filters. In the browser an
//! island takes the timeline over.
//!
//! - [`desk`]: the island, and what the timeline and the panel share
//! - [`scene`], [`axis`], [`rows`], [`bars`], [`heads`], [`markup`]: the picture, written on both sides
//! - [`toolbar`]: the bar above it; [`agenda`]: the same as a list; [`panel`]: beside it, what is planned
//! - [`timeline`]: comes alive: `stage` draws what is in sight, `drag` and `keys` select, `steer` changes the view
//! - [`popover`], [`ask`]: a booking at a glance, and what can be asked about it; [`toast`]: what can be taken back

mod agenda;
mod ask;
mod axis;
mod bars;
pub mod desk;
mod heads;
mod help;
mod markup;
mod panel;
mod popover;
mod rows;
mod scene;
#[cfg(feature = "hydrate")]
pub mod stage;
pub mod timeline;
mod toast;
mod toolbar;

use domain::calendar::view::{PATH, View};
use domain::text::{When, t};
use domain::user::{Act, Role};
use domain::wire::page::{Frame, Viewer};
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_query_map;

use crate::api::calendar::{CalendarPage, calendar_page};
use crate::components::finder::FinderLine;
use crate::components::icon::Icon;
use crate::frame::loaded;
use desk::{CalendarDesk, Start};
use markup::Markup;
use scene::{Scene, Sight};

/// The page.
#[component]
pub fn Calendar() -> impl IntoView {
    let query = use_query_map();
    let pairs: Vec<(String, String)> = query
        .with_untracked(|query| query.clone().into_iter().map(|(name, value)| (name.into_owned(), value)).collect());
    let view = View::read(pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    let (asked, keep) = (view.clone(), view.pairs());
    let shape = if view.list { "list" } else { "timeline" };
    let data = Resource::new_blocking(|| (), move |()| calendar_page(asked.zoom.word().to_owned(), asked.from));
    view! {
        <Title text=crate::frame::title(t().calendar.title) />
        <main id="main" class="calpage" data-view=shape tabindex="-1">
            <h1 class="sr">{t().calendar.title}</h1>
            // On phones alone; elsewhere the free cards are in sight.
            <FinderLine at=PATH keep />
            {loaded(
                data,
                move |frame, page| {
                    let Some(viewer) = frame.viewer.clone() else { return ().into_any() };
                    if page.calendar.hosts.is_empty() { no_hosts(viewer.role) } else { board(&frame, viewer, &view, &page) }
                },
            )}
        </main>
    }
}

fn no_hosts(role: Role) -> AnyView {
    view! {
        <section class="empty">
            <Icon name="host" />
            <h2>{t().now.no_hosts}</h2>
            <p>{t().calendar.no_hosts}</p>
            {role
                .may(Act::ManageHosts)
                .then(|| {
                    view! {
                        <div>
                            <a class="btn primary" href="/admin#add">
                                {t().now.add_host}
                            </a>
                        </div>
                    }
                })}
        </section>
    }
    .into_any()
}

fn board(frame: &Frame, viewer: Viewer, view: &View, page: &CalendarPage) -> AnyView {
    let now = page.calendar.now;
    let when = When::new(&frame.zone, now);
    let heads = heads::row_heads(&page.fleet, viewer.id, &when);
    let sight = Sight {
        calendar: &page.calendar,
        heads: &heads,
        view,
        zone: &frame.zone,
        viewer: viewer.id,
        now,
        scripted: false,
    };
    let scene = Scene::new(sight);
    let bar = toolbar::toolbar(view, &page.calendar, &scene.axis, &frame.zone);
    let (style, picture) = picture(&scene);
    let list = agenda::write(&scene);
    let pairs = view.pairs().into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let start = Start { zone: frame.zone.clone(), viewer, now: now.unix_timestamp(), view: pairs };
    // Strings, numbers and lists always become JSON.
    let start = serde_json::to_string(&start).unwrap_or_default();
    view! {
        {bar}
        <CalendarDesk start>
            <div class="tl" id="cal-tl" style=style inner_html=picture></div>
        </CalendarDesk>
        <div class="agenda" id="cal-agenda" role="region" aria-label=t().agenda.title inner_html=list></div>
    }
    .into_any()
}

/// The numbers of the timeline as a whole, and everything in it.
fn picture(scene: &Scene<'_>) -> (String, String) {
    let mut html = Markup::default();
    axis::write(&mut html, scene);
    for rows in scene.rows.iter() {
        rows::section(&mut html, scene, rows);
    }
    if scene.rows.is_empty() {
        nothing(&mut html, scene);
    }
    (numbers(scene), html.done())
}

/// Where the filters leave nothing to see.
fn nothing(html: &mut Markup, scene: &Scene<'_>) {
    let all = toolbar::target("all", scene.sight.view, scene.sight.zone, scene.sight.now).unwrap_or_default();
    html.raw("<div class=\"empty\"><p>").text(t().calendar.none_match).raw("</p><div><a class=\"btn\" data-go=\"all\"");
    html.attr("href", &all.address()).raw(">").text(t().calendar.show_all).raw("</a></div></div>");
}

/// Where now is, and how long the axis is, in hours.
fn numbers(scene: &Scene<'_>) -> String {
    let mut style = Markup::default();
    style.number("now", scene.axis.at(scene.sight.now)).number("hours", scene.axis.length());
    style.done()
}
