//! Repeats: how often, until when, and what of them can be booked.

use domain::text::t;
use leptos::prelude::*;

use crate::pages::panel::fields::{DOUBLED, EVERY, SCOPE, TAKE, UNTIL};
use crate::pages::panel::look::series::SeriesLook;
use crate::pages::panel::state::Panel;

/// The choice of a repeat, or of how far an edit of one of several reaches.
pub fn repeat(panel: Panel) -> AnyView {
    let words = &t().book;
    let draft = panel.draft.get_untracked();
    if draft.is_change() {
        let choices = [("", words.this_one), ("following", words.and_following)];
        return match draft.scope.as_str() {
            // One that does not repeat reaches no further than itself.
            "none" => ().into_any(),
            scope => view! {
                <fieldset>
                    <legend>{words.scope}</legend>
                    {radios(SCOPE, &choices, scope)}
                    <div class="field" hidden=move || !panel.twice.get()>
                        <span>{words.day_twice_which}</span>
                        {which(&draft.doubled)}
                    </div>
                </fieldset>
            }
            .into_any(),
        };
    }
    let error = panel.part(|look| look.repeat_error.clone());
    let series = panel.part(|look| look.series.clone());
    let never = move || panel.draft.with(|draft| draft.every.is_empty());
    let every =
        [("", words.never), ("day", words.every_day), ("weekday", words.every_weekday), ("week", words.every_week)];
    let options = every
        .into_iter()
        .map(|(value, label)| view! { <option value=value selected=draft.every == value>{label}</option> })
        .collect_view();
    view! {
        <fieldset class="repeat">
            <div class="two">
                <div class="field">
                    <label for=EVERY>{words.repeat}</label>
                    <select class="input" id=EVERY name=EVERY>
                        {options}
                    </select>
                </div>
                <div class="field" data-off=move || never().then_some("")>
                    <label for=UNTIL>{words.until}</label>
                    <input
                        class="input"
                        type="date"
                        id=UNTIL
                        name=UNTIL
                        value=draft.until.clone()
                        aria-invalid=move || (!error.read().is_empty()).then_some("true")
                        aria-describedby="until-note"
                    />
                    {super::error("until-note".to_owned(), error)}
                </div>
            </div>
            <div aria-live="polite">
                {move || {
                    let (take, doubled) = panel.draft.with_untracked(|draft| (draft.take.clone(), draft.doubled.clone()));
                    series.get().map(|look| inside(look, &take, &doubled))
                }}
            </div>
        </fieldset>
    }
    .into_any()
}

fn inside(look: SeriesLook, take: &str, doubled: &str) -> AnyView {
    let words = &t().book;
    let clash = !look.clashes.is_empty();
    let twice = look.twice || !doubled.is_empty();
    let days = look
        .clashes
        .into_iter()
        .map(|(day, why)| {
            view! {
                <li>
                    <b>{day}</b>
                    " "
                    {why}
                </li>
            }
        })
        .collect_view();
    view! {
        <p class="sm muted">{look.said}</p>
        {clash
            .then(|| {
                view! {
                    <div class="conflict series">
                        <p class="hd">
                            <strong>{words.series_clash}</strong>
                        </p>
                        <ul class="days">{days}</ul>
                        {radios(TAKE, &[("free", words.take_free), ("all", words.take_all)], take)}
                    </div>
                }
            })}
        {twice
            .then(|| {
                view! {
                    <div class="field">
                        <span>{words.day_twice_which}</span>
                        {which(doubled)}
                    </div>
                }
            })}
    }
    .into_any()
}

/// Which of two equal times.
fn which(doubled: &str) -> AnyView {
    let words = &t().book;
    radios(DOUBLED, &[("first", words.doubled_first), ("second", words.doubled_second)], doubled)
}

fn radios(name: &'static str, choices: &[(&'static str, &'static str)], chosen: &str) -> AnyView {
    let each = choices.iter().map(|(value, label)| {
        view! {
            <label class="check">
                <input type="radio" name=name value=*value checked=*value == chosen />
                <span>{*label}</span>
            </label>
        }
    });
    view! { <div class="row">{each.collect_view()}</div> }.into_any()
}
