//! The bar above the timeline: where in time, how much of it, which rows. Links and one GET form, so that it works
//! without scripts; in the browser [`super::steer`] takes its clicks.

use domain::calendar::Zoom;
use domain::calendar::axis::Axis;
use domain::calendar::view::{FREE_HOURS, View};
use domain::text::t;
use domain::wire::calendar::Calendar;
use domain::zone::ZoneTable;
use leptos::prelude::*;
use time::OffsetDateTime;

use super::axis::heading;
use crate::components::icon::Icon;

/// The places that links of the bar lead to; the word stands in `data-go`.
#[must_use]
pub fn target(go: &str, view: &View, zone: &ZoneTable, now: OffsetDateTime) -> Option<View> {
    Some(match go {
        "earlier" => view.step(-1, zone, now),
        "later" => view.step(1, zone, now),
        "now" => view.with(|view| view.from = None),
        "mine" => view.with(|view| view.mine = !view.mine),
        "timeline" => view.with(|view| view.list = false),
        "list" => view.with(|view| view.list = true),
        "all" => View { zoom: view.zoom, from: view.from, ..View::default() },
        zoom => {
            let zoom = Zoom::parse(zoom)?;
            view.with(|view| view.zoom = zoom)
        }
    })
}

/// Whether a link leads to where one is.
#[must_use]
pub fn is_here(go: &str, view: &View) -> bool {
    match go {
        "mine" => view.mine,
        "timeline" => !view.list,
        "list" => view.list,
        zoom => Zoom::parse(zoom) == Some(view.zoom),
    }
}

/// The bar.
pub fn toolbar(view: &View, calendar: &Calendar, axis: &Axis, zone: &ZoneTable) -> AnyView {
    let words = &t().calendar;
    let (view, zone, now) = (view.clone(), zone.clone(), calendar.now);
    let link =
        |go: &'static str, class: &'static str, icon: Option<&'static str>, label: &'static str, hidden: bool| {
            let href = target(go, &view, &zone, now).unwrap_or_default().address();
            view! {
                <a
                    class=class
                    href=href
                    data-go=go
                    aria-current=is_here(go, &view).then_some("true")
                    aria-label=hidden.then_some(label)
                    title=hidden.then_some(label)
                >
                    {icon.map(|name| view! { <Icon name small=!hidden /> })}
                    {(!hidden).then_some(label)}
                </a>
            }
            .into_any()
        };
    let zooms = Zoom::ALL.into_iter().zip(words.zooms).map(|(zoom, label)| link(zoom.word(), "", None, label, false));
    view! {
        <div class="calbar" role="group" aria-label=words.bar>
            <div class="step">
                {link("earlier", "btn icon", Some("left"), words.earlier, true)}
                {link("now", "btn", None, words.now, false)} {link("later", "btn icon", Some("right"), words.later, true)}
            </div>
            <b class="range" id="cal-range">
                {heading(&view, axis)}
            </b>
            <nav class="seg" aria-label=words.zoom>
                {zooms.collect_view()}
            </nav>
            <span class="gap"></span>
            {link("mine", "chip", Some("mine"), words.only_mine, false)} {choices(&view, calendar)}
            <nav class="seg" aria-label=words.view>
                {link("timeline", "", None, words.timeline, false)}
                {link("list", "", None, words.list, false)}
            </nav>
            <button type="button" class="btn quiet icon scripted" id="cal-keys" aria-label=words.keys title=words.keys>
                <Icon name="keys" />
            </button>
        </div>
    }
    .into_any()
}

/// The filters that are a choice of many.
fn choices(view: &View, calendar: &Calendar) -> AnyView {
    let words = &t().calendar;
    let hosts: Vec<String> = calendar.hosts.iter().map(|host| host.name.clone()).collect();
    let cards = || calendar.hosts.iter().flat_map(|host| &host.cards);
    let labels = calendar.hosts.iter().flat_map(|host| &host.labels).chain(cards().flat_map(|card| &card.labels));
    let labels = sorted(labels);
    let models = sorted(cards().map(|card| &card.model));
    let people = sorted(calendar.bookings.iter().map(|booking| &booking.holder));
    let host = view.hosts.first().cloned().unwrap_or_default();
    let kept = ["zoom", "from", "mine", "view", "fold"];
    let kept = view.pairs().into_iter().filter(|(name, _)| kept.contains(name));
    view! {
        <form method="get" action="/calendar" class="choices" id="cal-choices" role="search">
            {kept.map(|(name, value)| view! { <input type="hidden" name=name value=value /> }).collect_view()}
            {free(view)} {select("host", words.hosts, (words.all_hosts)(hosts.len()), hosts, &host, true)}
            <details class="more">
                <summary class="btn" id="cal-more" data-on=inner(view).then_some("")>
                    {words.more}
                    <Icon name="down" small=true />
                </summary>
                <div>
                    {(!labels.is_empty())
                        .then(|| {
                            select("label", words.labels, words.all_labels.to_owned(), labels, &view.label, false)
                        })}
                    {select("model", words.models, words.all_models.to_owned(), models, &view.model, false)}
                    {select("who", words.people, words.all_people.to_owned(), people, &view.person, false)}
                    <label>
                        <span>{words.order}</span>
                        <select name="rows" class="input">
                            <option value="">{words.by_links}</option>
                            <option value="number" selected=view.by_number>
                                {words.by_number}
                            </option>
                        </select>
                    </label>
                </div>
            </details>
            <label class="find">
                <span class="sr">{words.find}</span>
                <Icon name="search" small=true />
                <input type="search" name="q" id="cal-find" class="input" placeholder=words.find value=view.find.clone() />
            </label>
            <button class="btn unscripted">{words.show}</button>
        </form>
    }
    .into_any()
}

/// For how long cards must be free from now on.
fn free(view: &View) -> AnyView {
    let words = &t().calendar;
    let chosen = view.free;
    let options = FREE_HOURS.into_iter().map(|hours| {
        view! {
            <option value=hours selected=chosen == Some(hours)>
                {(words.free_for)(hours)}
            </option>
        }
    });
    view! {
        <label>
            <span class="sr">{words.free_now}</span>
            <select name="free" class="input">
                <option value="">{words.free_or_not}</option>
                {options.collect_view()}
            </select>
        </label>
    }
    .into_any()
}

fn sorted<'a>(names: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut names: Vec<String> = names.cloned().collect();
    names.sort();
    names.dedup();
    names
}

/// Whether something is chosen that is folded away.
#[must_use]
pub fn inner(view: &View) -> bool {
    view.by_number || [&view.label, &view.model, &view.person].iter().any(|chosen| !chosen.is_empty())
}

fn select(
    name: &'static str,
    label: &'static str,
    all: String,
    names: Vec<String>,
    chosen: &str,
    hidden: bool,
) -> AnyView {
    let options = names.into_iter().map(|option| {
        let selected = option == chosen;
        view! {
            <option value=option.clone() selected=selected>
                {option.clone()}
            </option>
        }
    });
    view! {
        <label>
            <span class:sr=hidden>{label}</span>
            <select name=name class="input">
                <option value="">{all}</option>
                {options.collect_view()}
            </select>
        </label>
    }
    .into_any()
}
