//! Beside the commands: the repeats that it is one of, and what was done to it.

use domain::text::{When, t};
use domain::wire::page::{BookingPage, Frame};
use leptos::prelude::*;

use crate::components::booking_state::BookingState;
use crate::components::icon::Icon;

/// Most of a series that are listed around the one that is looked at.
const NEAR: usize = 3;

/// Everything beside the commands, except who shares it.
pub fn side(page: &BookingPage, frame: &Frame, own: bool) -> AnyView {
    view! {
        {series(page, frame, own)}
        {history(page, frame)}
    }
    .into_any()
}

/// The neighbours of one that repeats, with the way to the first and the last.
fn series(page: &BookingPage, frame: &Frame, own: bool) -> Option<AnyView> {
    let words = &t().booking;
    let all = &page.series;
    let at = all.iter().position(|one| one.id == page.booking.id)?;
    let when = When::new(&frame.zone, frame.now);
    let from = at.saturating_sub(NEAR);
    let near = all.iter().enumerate().skip(from).take(2 * NEAR + 1);
    let rows = near
        .map(|(place, one)| {
            let here = place == at;
            let said = when.range(&one.window);
            let inside = if here {
                view! { <b aria-current="true">{said}</b> }.into_any()
            } else {
                view! {
                    <a class="lnk" href=format!("/bookings/{}", one.id)>
                        {said}
                    </a>
                }
                .into_any()
            };
            view! { <li>{inside} " " <BookingState state=one.state own /></li> }
        })
        .collect_view();
    let step = |place: Option<usize>, icon: &'static str, label: &'static str| {
        let one = place.and_then(|place| all.get(place))?;
        Some(view! {
            <a class="btn small" href=format!("/bookings/{}", one.id)>
                <Icon name=icon small=true />
                {label}
            </a>
        })
    };
    Some(
        view! {
            <section class="box series" aria-labelledby="series-h">
                <header>
                    <h2 id="series-h">{words.series}</h2>
                    <p class="end muted sm">{(words.series_place)(at + 1, all.len())}</p>
                </header>
                <div class="pad sm">
                    <ul class="stacked">{rows}</ul>
                    <nav class="row" aria-label=words.series>
                        {step(at.checked_sub(1), "left", words.series_before)}
                        {step(Some(at + 1), "right", words.series_after)}
                    </nav>
                </div>
            </section>
        }
        .into_any(),
    )
}

/// Newest first.
fn history(page: &BookingPage, frame: &Frame) -> Option<AnyView> {
    let words = &t().booking;
    let when = When::new(&frame.zone, frame.now);
    let viewer = frame.viewer.as_ref().map(|viewer| viewer.display_name.as_str());
    let rows = page
        .history
        .iter()
        .rev()
        .map(|deed| {
            view! {
                <li>
                    <time datetime=deed.at.to_string()>{when.at(deed.at)}</time>
                    <span>{t().deed(deed, viewer, &when)}</span>
                </li>
            }
        })
        .collect_view();
    (!page.history.is_empty()).then(|| {
        view! {
            <section class="box" aria-labelledby="history-h">
                <header>
                    <h2 id="history-h">{words.history}</h2>
                </header>
                <ol class="history pad sm">{rows}</ol>
            </section>
        }
        .into_any()
    })
}
