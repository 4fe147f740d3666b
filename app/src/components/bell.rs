//! The bell in the top bar: how many notices are unread. A link to all of them, so that it works without scripts.

use domain::text::t;
use leptos::prelude::*;

use crate::components::icon::Icon;
use crate::live::use_live;

/// The bell. In the browser it counts again whenever something has changed.
#[island]
pub fn Bell(unread: u32) -> impl IntoView {
    let words = &t().notices;
    let count = RwSignal::new(unread);
    let said = RwSignal::new(String::new());
    let live = use_live();
    Effect::new(move |before: Option<u32>| {
        let changes = live.changes.get();
        if before.is_some_and(|before| before != changes) {
            look(count, said);
        }
        changes
    });
    view! {
        <a class="btn quiet icon bell" href="/notices" aria-label=move || (words.bell)(count.get())>
            <Icon name="bell" />
            <span class="badge" aria-hidden="true" hidden=move || count.get() == 0>
                {move || count.get()}
            </span>
        </a>
        // Only news is read out, not what the page began with.
        <span class="sr" role="status">
            {move || said.get()}
        </span>
    }
}

#[cfg(feature = "hydrate")]
fn look(count: RwSignal<u32>, said: RwSignal<String>) {
    leptos::task::spawn_local(async move {
        let answer = crate::live::fetch::post("/api/page/unread", crate::live::fetch::FORM, "").await;
        let Some(unread) = answer.filter(|(status, _)| *status == 200).and_then(|(_, body)| body.parse().ok()) else {
            return;
        };
        if unread > count.get_untracked() {
            said.set((t().notices.bell)(unread));
        }
        if unread != count.get_untracked() {
            count.set(unread);
        }
    });
}

#[cfg(not(feature = "hydrate"))]
fn look(_count: RwSignal<u32>, _said: RwSignal<String>) {}
