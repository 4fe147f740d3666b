//! Start and end, in the viewer's zone.

use domain::draft::wall::{self, BadWall, Which};
use domain::draft::{Draft, Unreadable};
use domain::error::Field;
use domain::text::{When, t};
use domain::zone::{Wall, ZoneTable};
use leptos::prelude::*;
use time::{Duration, Time};

use super::fields::{END, START, which_id};
use super::form::Form;

/// Quick lengths, in hours.
const LENGTHS: [i64; 3] = [1, 4, 8];
/// When the working day begins.
const MORNING: Time = match Time::from_hms(9, 0, 0) {
    Ok(time) => time,
    Err(_) => Time::MIDNIGHT,
};

/// The two times with quick lengths; the zone and UTC beside them.
#[component]
pub fn Times(form: Form) -> impl IntoView {
    let words = &t().book;
    let zone = form.zone.with_value(|zone| zone.name().to_owned());
    let in_utc = move || {
        let utc = ZoneTable::utc();
        form.window.get().ok().map(|window| (words.in_utc)(&When::new(&utc, form.now_untracked()).range(&window)))
    };
    view! {
        <section class="box" role="group" aria-labelledby="when-h">
            <header>
                <h2 id="when-h">{words.when}</h2>
                <p class="end">{zone} <span>{move || in_utc().map(|utc| format!(" · {utc}"))}</span></p>
            </header>
            <div class="pad form">
                <div class="two">
                    <TimeField form field=Field::Start />
                    <TimeField form field=Field::End />
                </div>
                <div class="row scripted" role="group" aria-label=words.lengths>
                    {LENGTHS.map(|hours| length(form, hours)).collect_view()}
                    <button type="button" class="chip" on:click=move |_| form.rewrite(until_morning)>
                        {(words.until_tomorrow)("09:00")}
                    </button>
                </div>
            </div>
        </section>
    }
}

fn length(form: Form, hours: i64) -> AnyView {
    let length = Duration::hours(hours);
    let pressed = move || form.window.get().is_ok_and(|window| window.length() == length);
    view! {
        <button
            type="button"
            class="chip"
            aria-pressed=move || if pressed() { "true" } else { "false" }
            on:click=move |_| {
                form.rewrite(|draft, zone| {
                    if let Ok(start) = wall::read(&draft.start, draft.start_which, zone) {
                        draft.set_end(start + length, zone);
                    }
                })
            }
        >
            {(t().book.hours)(hours)}
        </button>
    }
    .into_any()
}

fn until_morning(draft: &mut Draft, zone: &ZoneTable) {
    if let Ok(start) = wall::read(&draft.start, draft.start_which, zone) {
        draft.set_end(wall::tomorrow(start, MORNING, zone), zone);
    }
}

#[component]
fn TimeField(form: Form, field: Field) -> impl IntoView {
    let words = &t().book;
    let start = field == Field::Start;
    let id = if start { START } else { END };
    let note = format!("{id}-note");
    let label = if start { words.start } else { words.end };
    let error = form.error(field);
    let value = form.draft.with_untracked(|draft| if start { draft.start.clone() } else { draft.end.clone() });
    let described = note.clone();
    view! {
        <div class="field">
            <label for=id>{label}</label>
            <input
                class="input"
                type="datetime-local"
                id=id
                name=id
                value=value
                required
                aria-invalid=move || error.read().is_some().then_some("true")
                aria-describedby=move || error.read().is_some().then(|| described.clone())
            />
            {move || twice(form, start)}
            <small id=note class="err" role="alert">
                {error}
            </small>
            {move || way_out(form, start)}
        </div>
    }
}

/// The two meanings of a time that comes twice.
fn twice(form: Form, start: bool) -> Option<AnyView> {
    let id = if start { START } else { END };
    let (text, chosen) = {
        let draft = form.draft.read();
        if start { (draft.start.clone(), draft.start_which) } else { (draft.end.clone(), draft.end_which) }
    };
    let wall = wall::parse(&text)?;
    let Wall::Twice(first, second) = form.zone.with_value(|zone| zone.resolve(wall)) else { return None };
    let name = if start { "form[start_which]" } else { "form[end_which]" };
    let choice = |which: Which, at| {
        let letters = form.zone.with_value(|zone| zone.letters(at).to_owned());
        let words = form.say(|when| when.clock(at));
        view! {
            <label class="check">
                <input type="radio" name=name id=which_id(id, which) value=which.as_str() checked=chosen == Some(which) />
                {format!("{words}, {letters}")}
            </label>
        }
        .into_any()
    };
    let (first, second) = (choice(Which::First, first), choice(Which::Second, second));
    Some(view! { <div class="row twice">{first} {second}</div> }.into_any())
}

/// One click that makes the time right, where it is plain what was meant.
fn way_out(form: Form, start: bool) -> Option<AnyView> {
    let words = &t().book;
    let problem = form.problem.get()?.0?;
    if problem != if start { Field::Start } else { Field::End } {
        return None;
    }
    let at = match form.window.get() {
        Err(Unreadable::Start(BadWall::Never { next }) | Unreadable::End(BadWall::Never { next })) => next,
        Err(Unreadable::EndsFirst { meant: Some(meant) }) => meant,
        // The only thing wrong with a readable start that is wrong is that it is over.
        Ok(window) if start && window.start() < form.now() => {
            let now = wall::minute(form.now());
            return Some(button(words.start_now.to_owned(), form, start, now));
        }
        _ => return None,
    };
    let label = (words.take)(&form.say(|when| when.at(at)));
    Some(button(label, form, start, at))
}

fn button(label: String, form: Form, start: bool, at: time::OffsetDateTime) -> AnyView {
    let take = move |_| {
        form.rewrite(|draft, zone| if start { draft.set_start(at, zone) } else { draft.set_end(at, zone) });
    };
    view! {
        <div class="scripted">
            <button type="button" class="btn small" on:click=take>
                {label}
            </button>
        </div>
    }
    .into_any()
}
