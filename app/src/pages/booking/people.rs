//! Who may launch on a booking beside its owner; whoever may change it adds colleagues by name, and takes them away.

use domain::text::t;
use domain::wire::page::{Booking, BookingPage, Person};
use leptos::prelude::*;

use crate::api::bookings::BookingAct;
use crate::pages::bookings::acts::{Acts, Form};

/// The box. `everyone` are those who can be named.
pub fn people(page: &BookingPage, everyone: &[Person], acts: Acts) -> Option<AnyView> {
    let words = &t().booking;
    let booking = &page.booking;
    let changes = booking.may_change && booking.state.is_open();
    if booking.co_users.is_empty() && booking.booked_by.is_none() && !changes {
        return None;
    }
    let rows = booking.co_users.iter().map(|person| row(booking, person, changes, acts)).collect_view();
    Some(
        view! {
            <section class="box" aria-labelledby="people-h">
                <header>
                    <h2 id="people-h">{words.people}</h2>
                </header>
                <div class="pad sm">
                    {booking.booked_by.as_ref().map(|by| view! { <p>{(words.made_by)(by)}</p> })}
                    <ul class="colleagues">{rows}</ul>
                    {changes.then(|| add(booking, everyone, acts))}
                </div>
            </section>
        }
        .into_any(),
    )
}

fn row(booking: &Booking, person: &Person, changes: bool, acts: Acts) -> AnyView {
    let words = &t().booking;
    let remove = changes.then(|| {
        let about = (t().bookings.about)(words.unshare, &person.display_name);
        let button = view! { <button class="btn small" aria-label=about>{words.unshare}</button> }.into_any();
        let more = vec![("to", person.id.to_string())];
        acts.form(Form { booking: booking.id, act: BookingAct::Unshare, more }, button)
    });
    view! {
        <li>
            <span>
                <b>{person.display_name.clone()}</b>
                " "
                <span class="muted">{person.name.clone()}</span>
            </span>
            {remove}
        </li>
    }
    .into_any()
}

/// A name to be typed, with those that there are.
fn add(booking: &Booking, everyone: &[Person], acts: Acts) -> AnyView {
    let words = &t().booking;
    let there = |person: &&Person| {
        person.id == booking.owner || booking.co_users.iter().any(|colleague| colleague.id == person.id)
    };
    let names = everyone.iter().filter(|person| !there(person)).map(|person| {
        view! { <option value=person.name.clone()>{person.display_name.clone()}</option> }
    });
    let names = names.collect_view();
    let inside = view! {
        <div class="field">
            <label for="share-with">{words.share_label}</label>
            <div class="row">
                <input
                    class="input"
                    id="share-with"
                    name="form[to]"
                    list="share-names"
                    autocomplete="off"
                    required
                    maxlength="100"
                    aria-describedby="share-note"
                />
                <button class="btn">{words.share}</button>
            </div>
            <datalist id="share-names">{names}</datalist>
            <small id="share-note">{words.share_note}</small>
        </div>
    }
    .into_any();
    acts.form(Form { booking: booking.id, act: BookingAct::Share, more: Vec::new() }, inside)
}
