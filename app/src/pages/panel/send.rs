//! What is asked of the portal while a panel is filled, and once it is done. In the browser alone: without scripts the
//! form is sent as browsers send forms.

use leptos::ev::{Event, MouseEvent, SubmitEvent};
use leptos::prelude::*;

use super::state::Panel;
use crate::api::bookings::Sent;

#[cfg(feature = "hydrate")]
pub use browser::{begin, like_these, submit, typed, wait};

#[cfg(not(feature = "hydrate"))]
mod still {
    use super::{Callback, Event, MouseEvent, Panel, Sent, SubmitEvent};

    pub fn begin(_panel: Panel) {}
    pub fn typed(_panel: Panel, _event: &Event) {}
    pub fn submit(_panel: Panel, _event: &SubmitEvent, _after: Callback<Sent>) {}
    pub fn like_these(_panel: Panel) {}
    pub fn wait(_panel: Panel, _event: &MouseEvent) {}
}

#[cfg(not(feature = "hydrate"))]
pub use still::{begin, like_these, submit, typed, wait};

#[cfg(feature = "hydrate")]
mod browser {
    use std::time::Duration as Pace;

    use domain::draft::Draft;
    use domain::draft::offer::Booked;
    use domain::draft::wall;
    use domain::error::{ApiError, ErrorCode};
    use domain::text::t;
    use leptos::task::spawn_local;
    use time::Duration;
    use wasm_bindgen::JsCast;
    use web_sys::{Element, HtmlElement};

    use super::super::fields;
    use super::super::look::{conflict::take_cards, like, question, wait_for};
    use super::{Callback, Event, MouseEvent, Panel, Sent, SubmitEvent, *};
    use crate::api::bookings::{Advise, FindCards, SendWish};
    use crate::api::notices::Wait;
    use crate::error::AppError;
    use crate::live::fetch::call;

    /// Somebody who types is not asked about until so long after the last key.
    const PAUSE: Pace = Pace::from_millis(350);
    /// How often the time is looked at.
    const MINUTE: Pace = Pace::from_secs(20);

    /// Takes over what was typed before this program ran, and follows the time.
    pub fn begin(panel: Panel) {
        if let Some(form) = panel.form.get_untracked() {
            panel.draft.update(|draft| fields::read(draft, &form));
        }
        // How much time has passed is measured here; what time it is, the portal has said.
        let (made, began) = (panel.now.get_untracked(), js_sys::Date::now());
        let follow = move || {
            let passed = Duration::seconds_f64((js_sys::Date::now() - began) / 1000.0);
            let now = wall::minute(made + passed);
            if panel.now.get_untracked() < now {
                panel.now.set(now);
            }
        };
        if let Ok(clock) = set_interval_with_handle(follow, MINUTE) {
            on_cleanup(move || clock.clear());
        }
        follow_advice(panel);
        mark(panel);
    }

    /// Asks the finder about what stands in the fields once nobody has typed for a moment.
    fn follow_advice(panel: Panel) {
        let asked = StoredValue::new(None::<TimeoutHandle>);
        let wanted =
            Memo::new(move |_| panel.scene.with(|scene| panel.draft.with(|draft| question(draft, &scene.zone))));
        Effect::new(move || {
            let question = wanted.get();
            if let Some(earlier) = asked.try_update_value(Option::take).flatten() {
                earlier.clear();
            }
            let Some(question) = question else { return };
            let ask = move || {
                spawn_local(async move {
                    if let Ok(said) = call(&Advise { ask: question.clone() }).await
                        && wanted.try_get_untracked().flatten().as_ref() == Some(&question)
                    {
                        panel.advice.set(Some((question, said)));
                    }
                });
            };
            asked.set_value(set_timeout_with_handle(ask, PAUSE).ok());
        });
    }

    /// Takes over what a field says.
    pub fn typed(panel: Panel, event: &Event) {
        let Some(field) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) else { return };
        let before = panel.draft.get_untracked();
        let mut draft = before.clone();
        fields::read_one(&mut draft, &field);
        if draft != before {
            panel.refused.set(None);
            panel.draft.set(draft);
        }
    }

    /// Sends what stands in the fields, or the nearest that works, once.
    pub fn submit(panel: Panel, event: &SubmitEvent, after: Callback<Sent>) {
        event.prevent_default();
        if panel.sending.get_untracked() {
            return;
        }
        panel.hear();
        panel.done.set(true);
        let look = panel.look.get_untracked();
        if let Some(field) = look.wrong() {
            fields::focus(field);
            return;
        }
        if let Some(instead) = look.instead {
            panel.change(|draft| *draft = instead);
        }
        let zone = panel.scene.with_untracked(|scene| scene.zone.clone());
        let Ok(wish) = panel.draft.with_untracked(|draft| draft.wish(&zone)) else { return };
        panel.sending.set(true);
        panel.refused.set(None);
        spawn_local(async move {
            let answer = call(&SendWish { wish }).await;
            panel.sending.set(false);
            match answer {
                Ok(sent) => {
                    // The same key never does anything twice.
                    panel.draft.update(|draft| draft.key = sent.next_key.to_string());
                    after.run(sent);
                }
                Err(error) => refused(panel, &error),
            }
        });
    }

    /// Says why it was refused, and learns who was faster.
    fn refused(panel: Panel, error: &AppError) {
        panel.refused.set(Some(error.message().to_owned()));
        let AppError::Api(error) = error else { return };
        panel.twice.set(error.code == ErrorCode::WhichTime);
        learn(panel, error);
        if let Some(question) =
            panel.scene.with_untracked(|scene| panel.draft.with_untracked(|draft| question(draft, &scene.zone)))
            && !error.instead.is_empty()
        {
            let said = domain::finder::Advice {
                clashes: error.clashes.clone(),
                closed: Vec::new(),
                instead: error.instead.clone(),
                link: None,
                free_until: None,
            };
            panel.advice.set(Some((question, said)));
        }
    }

    /// Takes over bookings that were not known.
    fn learn(panel: Panel, error: &ApiError) {
        if error.clashes.is_empty() {
            return;
        }
        panel.scene.update(|scene| {
            for clash in &error.clashes {
                let Some(card) = scene.known.iter_mut().find(|card| card.uuid == clash.card) else { continue };
                if card.booked.iter().any(|booked| booked.reservation == Some(clash.reservation)) {
                    continue;
                }
                card.booked.push(Booked {
                    reservation: Some(clash.reservation),
                    holder: clash.holder.clone(),
                    own: clash.own,
                    start: clash.window.start().unix_timestamp(),
                    end: clash.window.end().unix_timestamp(),
                    ..Booked::default()
                });
                card.booked.sort_by_key(|booked| booked.start);
            }
        });
    }

    /// Puts the best cards into the form that are like those that are picked.
    pub fn like_these(panel: Panel) {
        let want = panel.scene.with_untracked(|scene| panel.draft.with_untracked(|draft| like(draft, scene)));
        let Some(want) = want else { return };
        spawn_local(async move {
            match call(&FindCards { want }).await {
                Ok(found) => match found.suggestions.into_iter().next() {
                    Some(best) => {
                        let zone = panel.scene.with_untracked(|scene| scene.zone.clone());
                        panel.change(|draft: &mut Draft| {
                            take_cards(draft, &best);
                            draft.set_window(&best.window, &zone);
                        });
                    }
                    None => panel.refused.set(Some(t().book.none_like_these.to_owned())),
                },
                Err(error) => panel.refused.set(Some(error.message().to_owned())),
            }
        });
    }

    /// Takes a place in the queue for such cards at that time.
    pub fn wait(panel: Panel, event: &MouseEvent) {
        event.prevent_default();
        let now = panel.now.get_untracked();
        let ask = panel.scene.with_untracked(|scene| panel.draft.with_untracked(|draft| wait_for(draft, scene, now)));
        let Some(ask) = ask else { return };
        spawn_local(async move {
            match call(&Wait { ask }).await {
                Ok(_) => panel.told.set(Some(t().book.waits.to_owned())),
                Err(error) => panel.refused.set(Some(error.message().to_owned())),
            }
        });
    }

    /// Marks the boxes of cards that are taken, where the form has boxes.
    fn mark(panel: Panel) {
        Effect::new(move || {
            let taken = panel.look.with(|look| look.taken.clone());
            let Some(form) = panel.form.get() else { return };
            let Ok(boxes) = form.query_selector_all("input[name='form[cards][]']") else { return };
            for at in 0..boxes.length() {
                let Some(card) = boxes.item(at).and_then(|item| item.dyn_into::<web_sys::HtmlInputElement>().ok())
                else {
                    continue;
                };
                let clash = taken.iter().any(|taken| taken.as_str() == card.value());
                if let Some(label) =
                    card.closest("label").ok().flatten().and_then(|it| it.dyn_into::<HtmlElement>().ok())
                {
                    let _ = if clash {
                        label.set_attribute("data-clash", "")
                    } else {
                        label.remove_attribute("data-clash")
                    };
                }
            }
        });
    }
}
