//! What moves around every page: whether it is live, the time, the strip that says that the connection is lost.

use domain::text::{When, t};
use domain::zone::ZoneTable;
use leptos::prelude::*;
use time::{Duration, OffsetDateTime};

use crate::components::icon::Icon;
use crate::live::{Link, use_live};

/// Milliseconds since 1970: how an island gets an instant.
#[must_use]
pub fn millis(at: OffsetDateTime) -> i64 {
    at.unix_timestamp() * 1000 + i64::from(at.millisecond())
}

/// The instant of [`millis`].
#[must_use]
pub fn instant(millis: i64) -> OffsetDateTime {
    OffsetDateTime::UNIX_EPOCH + Duration::milliseconds(millis)
}

/// Starts the stream; shows its state and the time in the viewer's zone.
#[island]
pub fn Pulse(zone: ZoneTable, rendered_ms: i64) -> impl IntoView {
    let (live, words, rendered) = (use_live(), &t().frame, instant(rendered_ms));
    crate::live::run(rendered);
    let name = zone.name().to_owned();
    let zone = StoredValue::new(zone);
    // By the minute, so that nothing is touched 59 times out of 60.
    let clock = Memo::new(move |_| {
        let now = live.now(rendered);
        zone.with_value(|zone| (When::new(zone, now).clock(now), zone.letters(now).to_owned()))
    });
    // Not read out, since it changes by itself.
    let look = move || match live.link.get() {
        Link::Live => "live hide-s",
        Link::Still | Link::Opening => "live late hide-s",
        Link::Lost | Link::SignedOut => "live off hide-s",
    };
    let word = move || match live.link.get() {
        Link::Live => words.live,
        Link::Opening | Link::Lost => words.connecting,
        Link::Still | Link::SignedOut => words.still,
    };
    let strip = move || match live.link.get() {
        Link::Lost => {
            let (last, now) = (live.last.get_untracked(), live.tick.get_untracked());
            let at = zone.with_value(|zone| When::new(zone, now.unwrap_or(rendered)).at(last.unwrap_or(rendered)));
            let retry = view! {
                <button type="button" class="btn small" on:click=move |_| crate::live::retry()>
                    {words.try_now}
                </button>
            };
            offline(words.offline, (words.offline_values)(&at), retry.into_any())
        }
        Link::SignedOut => {
            let beside = view! {
                <a class="btn small" href="/sign-in" target="_blank">
                    {words.sign_in_beside}
                </a>
            };
            offline(words.signed_out, words.signed_out_why.to_owned(), beside.into_any())
        }
        Link::Still | Link::Live | Link::Opening => ().into_any(),
    };
    view! {
        <span class=look>{word}</span>
        <span class="clock" title=name>
            <b>{move || clock.get().0}</b>
            " "
            <span class="muted">{move || clock.get().1}</span>
        </span>
        // The region exists from the start: one that appears with its text is not read out everywhere.
        <div role="status">{strip}</div>
    }
}

fn offline(lead: &'static str, text: String, act: AnyView) -> AnyView {
    view! {
        <p class="strip off">
            <Icon name="stale" />
            <span>
                <strong>{lead}</strong>
                " "
                {text}
            </span>
            {act}
        </p>
    }
    .into_any()
}
