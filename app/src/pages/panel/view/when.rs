//! Start, end and length.

use domain::draft::wall::{self, Which};
use domain::text::t;
use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use time::{Duration, OffsetDateTime, Time};

use crate::pages::panel::fields::{END, END_WHICH, SPOKEN, START, START_WHICH};
use crate::pages::panel::look::{Heard, LENGTHS, Look, TimeLook};
use crate::pages::panel::state::Panel;

/// When the working day begins.
const MORNING: Time = match Time::from_hms(9, 0, 0) {
    Ok(time) => time,
    Err(_) => Time::MIDNIGHT,
};

/// One of the two times.
#[derive(Clone, Copy)]
struct Field {
    id: &'static str,
    which: &'static str,
    label: &'static str,
    look: fn(&Look) -> &TimeLook,
}

/// The times.
pub fn when(panel: Panel) -> AnyView {
    let words = &t().book;
    let zone = panel.scene.with_untracked(|scene| scene.zone.name().to_owned());
    let utc = panel.part(|look| look.utc.clone());
    let start = Field { id: START, which: START_WHICH, label: words.start, look: |look| &look.start };
    let end = Field { id: END, which: END_WHICH, label: words.end, look: |look| &look.end };
    view! {
        <fieldset class="when">
            <legend>
                {words.when} <small>{zone} " · " <span class="scripted">{move || utc.get()}</span></small>
            </legend>
            <div class="two">{time_field(panel, start)} {time_field(panel, end)}</div>
            {lengths(panel)}
            {spoken(panel)}
        </fieldset>
    }
    .into_any()
}

fn time_field(panel: Panel, field: Field) -> AnyView {
    let Field { id, which, label, look } = field;
    let note = format!("{id}-note");
    let (value, chosen) = panel.draft.with_untracked(|draft| {
        if id == START { (draft.start.clone(), draft.start_which) } else { (draft.end.clone(), draft.end_which) }
    });
    let error = panel.part(move |it| look(it).error.clone());
    let twice = panel.part(move |it| look(it).twice.clone());
    let way = panel.part(move |it| look(it).way.clone());
    let choice = move |meaning: Which| {
        let words = move || {
            let (first, second) = twice.get().unwrap_or_default();
            if meaning == Which::First { first } else { second }
        };
        view! {
            <label class="check">
                <input type="radio" name=which value=meaning.as_str() checked=chosen == Some(meaning) />
                <span>{words}</span>
            </label>
        }
        .into_any()
    };
    let take = move |_| {
        let Some((_, seconds)) = way.get_untracked() else { return };
        let Ok(at) = OffsetDateTime::from_unix_timestamp(seconds) else { return };
        let zone = panel.scene.with_untracked(|scene| scene.zone.clone());
        panel.change(|draft| if id == START { draft.set_start(at, &zone) } else { draft.set_end(at, &zone) });
    };
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
                data-panel-focus=(id == START).then_some("")
                aria-invalid=move || (!error.read().is_empty()).then_some("true")
                aria-describedby=note.clone()
            />
            <div class="row twice" hidden=move || twice.read().is_none()>
                {choice(Which::First)} {choice(Which::Second)}
            </div>
            {super::error(note, error)}
            <div class="scripted">
                <button type="button" class="btn small" hidden=move || way.read().is_none() on:click=take>
                    {move || way.get().map(|(words, _)| words)}
                </button>
            </div>
        </div>
    }
    .into_any()
}

/// Start and end in words; what they mean is said while they are typed.
fn spoken(panel: Panel) -> AnyView {
    let words = &t().book;
    let value = panel.draft.with_untracked(|draft| draft.spoken.clone());
    let heard = panel.part(|look| look.spoken.clone());
    let wrong = move || matches!(heard.get(), Heard::Misheard(_));
    let key = move |event: KeyboardEvent| {
        // Enter takes the words over; the next one books.
        if event.key() == "Enter" && !panel.draft.with_untracked(|draft| draft.spoken.trim().is_empty()) {
            event.prevent_default();
            panel.hear();
        }
    };
    view! {
        <div class="field">
            <label for=SPOKEN>{words.spoken}</label>
            <input
                class="input"
                id=SPOKEN
                name=SPOKEN
                value=value
                maxlength="120"
                placeholder=words.spoken_hint
                aria-invalid=move || wrong().then_some("true")
                aria-describedby="spoken-note"
                on:keydown=key
                on:blur=move |_| panel.hear()
            />
            <small id="spoken-note" class=move || if wrong() { "err" } else { "" } aria-live="polite">
                {move || match heard.get() {
                    Heard::Nothing => String::new(),
                    Heard::Means(words) | Heard::Misheard(words) => words,
                }}
            </small>
        </div>
    }
    .into_any()
}

fn lengths(panel: Panel) -> AnyView {
    let words = &t().book;
    let minutes = panel.part(|look| look.minutes);
    let until = move |end: fn(OffsetDateTime, i64, &domain::zone::ZoneTable) -> OffsetDateTime, minutes: i64| {
        let zone = panel.scene.with_untracked(|scene| scene.zone.clone());
        panel.change(|draft| {
            if let Ok(start) = wall::read(&draft.start, draft.start_which, &zone) {
                draft.set_end(end(start, minutes, &zone), &zone);
            }
        });
    };
    let chips = LENGTHS
        .into_iter()
        .map(|length| {
            view! {
                <button
                    type="button"
                    class="chip"
                    data-minutes=length.to_string()
                    aria-pressed=move || if minutes.get() == Some(length) { "true" } else { "false" }
                    on:click=move |_| until(|start, minutes, _| start + Duration::minutes(minutes), length)
                >
                    {(words.chip)(length)}
                </button>
            }
        })
        .collect_view();
    view! {
        <div class="row dur scripted" role="group" aria-label=words.lengths>
            {chips}
            <button type="button" class="chip" on:click=move |_| until(|start, _, zone| wall::tomorrow(start, MORNING, zone), 0)>
                {(words.until_tomorrow)("09:00")}
            </button>
        </div>
    }
    .into_any()
}
