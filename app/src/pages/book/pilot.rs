//! Keeps the form true while it is filled: reads its fields, works out how it looks, changes what differs.
//!
//! The markup is the server's. Without this the form works too; what is wrong is then said once it is sent.

use leptos::ev::{Event, MouseEvent, SubmitEvent};
use leptos::prelude::*;

/// The form's element.
#[island]
pub fn Pilot(
    /// [`super::form::Start`], as JSON.
    start: String,
    /// Everything in the form.
    children: Children,
) -> impl IntoView {
    let start = StoredValue::new(start);
    let done = RwSignal::new(false);
    Effect::new(move || start.with_value(|start| inside::begin(start, done)));
    view! {
        <form
            method="post"
            action="/api/page/book_form"
            class="bookform"
            autocomplete="off"
            novalidate
            on:input=move |_: Event| start.with_value(|start| inside::refresh(start, done))
            on:click=move |event: MouseEvent| start.with_value(|start| inside::click(start, done, &event))
            on:submit=move |event: SubmitEvent| start.with_value(|start| inside::submit(start, done, &event))
        >
            {children()}
        </form>
    }
}

#[cfg(not(feature = "hydrate"))]
mod inside {
    use super::{MouseEvent, RwSignal, SubmitEvent};

    pub fn begin(_start: &str, _done: RwSignal<bool>) {}
    pub fn refresh(_start: &str, _done: RwSignal<bool>) {}
    pub fn click(_start: &str, _done: RwSignal<bool>, _event: &MouseEvent) {}
    pub fn submit(_start: &str, _done: RwSignal<bool>, _event: &SubmitEvent) {}
}

#[cfg(feature = "hydrate")]
mod inside {
    use std::cell::RefCell;

    use domain::draft::Draft;
    use domain::draft::wall;
    use domain::text::t;
    use leptos::prelude::*;
    use leptos::web_sys::{Element, HtmlElement};
    use time::{Duration, OffsetDateTime, Time};
    use wasm_bindgen::JsCast;

    use super::super::fields::{self, END, PURPOSE, START};
    use super::super::form::Start;
    use super::super::look::{Look, TimeLook, look};
    use super::{MouseEvent, SubmitEvent};

    /// When the working day begins.
    const MORNING: Time = match Time::from_hms(9, 0, 0) {
        Ok(time) => time,
        Err(_) => Time::MIDNIGHT,
    };

    /// What the form began with, and what has become of it.
    struct State {
        start: Start,
        began: f64,
        sent: bool,
    }

    thread_local! {
        static STATE: RefCell<Option<State>> = const { RefCell::new(None) };
    }

    fn with<T>(text: &str, act: impl FnOnce(&mut State) -> T) -> Option<T> {
        STATE.with_borrow_mut(|state| {
            if state.is_none() {
                let start = serde_json::from_slice(text.as_bytes()).ok()?;
                *state = Some(State { start, began: js_sys::Date::now(), sent: false });
            }
            state.as_mut().map(act)
        })
    }

    impl State {
        /// The portal's clock: how much time has passed is measured here, what time it is the portal has said.
        fn now(&self) -> OffsetDateTime {
            let passed = Duration::seconds_f64((js_sys::Date::now() - self.began) / 1000.0);
            OffsetDateTime::from_unix_timestamp(self.start.now).unwrap_or(OffsetDateTime::UNIX_EPOCH) + passed
        }

        fn look(&self, done: bool) -> Look {
            let now = wall::minute(self.now());
            look(&fields::read(&self.start), &self.start.known, &self.start.zone, now, done)
        }
    }

    /// Takes over what was typed before this program ran.
    pub fn begin(text: &str, done: RwSignal<bool>) {
        let came_back = with(text, |state| state.start.done).unwrap_or_default();
        done.set(came_back);
        refresh(text, done);
        // Back from the booking that this form made: the page is fetched anew, with no card ticked.
        let anew = window_event_listener(leptos::ev::pageshow, |event| {
            if event.persisted() {
                let _ = window().location().reload();
            }
        });
        on_cleanup(move || anew.remove());
    }

    /// Shows the form as it stands.
    pub fn refresh(text: &str, done: RwSignal<bool>) {
        with(text, |state| show(&state.start, &state.look(done.get_untracked())));
    }

    /// Buttons that fill in times.
    pub fn click(text: &str, done: RwSignal<bool>, event: &MouseEvent) {
        let button = event
            .target()
            .and_then(|target| target.dyn_into::<Element>().ok())
            .and_then(|target| target.closest("button[type=button]").ok().flatten());
        let Some(button) = button else { return };
        with(text, |state| {
            let mut draft = fields::read(&state.start);
            fill(&mut draft, &button, state);
            fields::write(&draft);
        });
        refresh(text, done);
    }

    fn fill(draft: &mut Draft, button: &Element, state: &State) {
        let zone = &state.start.zone;
        let start = wall::read(&draft.start, draft.start_which, zone).ok();
        let number = |name: &str| button.get_attribute(name).and_then(|text| text.parse::<i64>().ok());
        if let Some(seconds) = number("data-at")
            && let Ok(at) = OffsetDateTime::from_unix_timestamp(seconds)
        {
            if button.id().starts_with(START) { draft.set_start(at, zone) } else { draft.set_end(at, zone) }
        } else if let (Some(hours), Some(start)) = (number("data-hours"), start) {
            draft.set_end(start + Duration::hours(hours), zone);
        } else if let (true, Some(start)) = (button.has_attribute("data-morning"), start) {
            draft.set_end(wall::tomorrow(start, MORNING, zone), zone);
        }
    }

    /// Lets the form go, once, and only where nothing is wrong that is known here.
    pub fn submit(text: &str, done: RwSignal<bool>, event: &SubmitEvent) {
        done.set(true);
        with(text, |state| {
            let look = state.look(true);
            show(&state.start, &look);
            if !look.sendable() {
                event.prevent_default();
                let wrong = [(&look.start.error, START), (&look.end.error, END), (&look.purpose_error, PURPOSE)];
                if let Some((_, id)) = wrong.iter().find(|(error, _)| !error.is_empty()) {
                    fields::focus(id);
                }
            } else if state.sent {
                event.prevent_default();
            } else {
                state.sent = true;
                set("book-label", t().book.booking);
                if let Some(button) = by_id("book-button") {
                    let _ = button.set_attribute("aria-disabled", "true");
                }
                if let Ok(Some(busy)) = document().query_selector("#book-button .busy") {
                    hide(&busy, false);
                }
            }
        });
    }

    fn show(start: &Start, look: &Look) {
        set("cards-count", &look.picked);
        set("cards-note", &look.cards_error);
        set("utc", &look.utc);
        set("book-label", &look.label);
        time(START, &look.start);
        time(END, &look.end);
        note(PURPOSE, &look.purpose_error);
        for hours in super::super::look::LENGTHS {
            if let Ok(Some(chip)) = document().query_selector(&format!("[data-hours='{hours}']")) {
                let _ = chip.set_attribute("aria-pressed", if look.hours == Some(hours) { "true" } else { "false" });
            }
        }
        fields::mark(start, &look.taken);
        conflict(look);
    }

    fn time(id: &str, look: &TimeLook) {
        note(id, &look.error);
        if let Some(row) = by_id(&format!("{id}-twice")) {
            hide(&row, look.twice.is_none());
            if let (Some((first, second)), Ok(words)) = (&look.twice, row.query_selector_all("span")) {
                for (at, text) in [first, second].into_iter().enumerate() {
                    if let Some(word) = u32::try_from(at).ok().and_then(|at| words.item(at)) {
                        word.set_text_content(Some(text));
                    }
                }
            }
        }
        if let Some(button) = by_id(&format!("{id}-way")) {
            hide(&button, look.way.is_none());
            if let Some((words, at)) = &look.way {
                button.set_text_content(Some(words));
                let _ = button.set_attribute("data-at", &at.to_string());
            }
        }
    }

    fn note(id: &str, error: &str) {
        set(&format!("{id}-note"), error);
        if let Some(field) = by_id(id) {
            let _ = if error.is_empty() {
                field.remove_attribute("aria-invalid")
            } else {
                field.set_attribute("aria-invalid", "true")
            };
        }
    }

    fn conflict(look: &Look) {
        let Some(conflict) = by_id("conflict") else { return };
        hide(&conflict, look.conflict.is_none());
        let Some(look) = &look.conflict else { return };
        set("conflict-head", &look.head);
        list("conflict-who", look.who.iter().map(|line| (line, None)));
        list("conflict-ways", look.ways.iter().map(|(words, href)| (words, Some(href))));
    }

    /// Fills a list anew, where it differs, so that nothing is read out twice.
    fn list<'a>(id: &str, items: impl Iterator<Item = (&'a String, Option<&'a String>)>) {
        let Some(list) = by_id(id) else { return };
        let wanted: Vec<_> = items.collect();
        let text: String = wanted.iter().map(|(words, _)| words.as_str()).collect();
        let hrefs = list.query_selector("a").ok().flatten().and_then(|link| link.get_attribute("href"));
        let first = wanted.first().and_then(|(_, href)| href.cloned());
        if list.text_content().unwrap_or_default() == text && hrefs == first {
            return;
        }
        list.set_text_content(None);
        for (words, href) in wanted {
            let Ok(item) = document().create_element("li") else { return };
            let inner = match href {
                Some(href) => {
                    let Ok(link) = document().create_element("a") else { return };
                    let _ = link.set_attribute("href", href);
                    let _ = item.append_child(&link);
                    link
                }
                None => item.clone(),
            };
            inner.set_text_content(Some(words));
            let _ = list.append_child(&item);
        }
    }

    fn by_id(id: &str) -> Option<HtmlElement> {
        document().get_element_by_id(id)?.dyn_into().ok()
    }

    fn hide(element: &Element, hidden: bool) {
        let _ = if hidden { element.set_attribute("hidden", "") } else { element.remove_attribute("hidden") };
    }

    /// Changes a text only where it differs: a live region repeats what is written into it.
    fn set(id: &str, text: &str) {
        if let Some(element) = by_id(id)
            && element.text_content().as_deref() != Some(text)
        {
            element.set_text_content(Some(text));
        }
    }
}
