//! The viewer's bookings and everybody else's.

use domain::launch::by_host;
use domain::reservation::State;
use domain::text::{When, t};
use domain::wire::page::{Booking, Bookings as Lists, Frame};
use leptos::prelude::*;

use crate::api::bookings::{CancelBooking, EndBooking, bookings};
use crate::components::booking_state::BookingState;
use crate::components::confirm::Confirm;
use crate::components::icon::Icon;
use crate::components::notice::{Notice, Tone};
use crate::components::page::Page;
use crate::components::person::Person;
use crate::error::AppError;
use crate::frame::loaded;

/// What can be done with a booking.
#[derive(Clone, Copy, Default)]
pub struct Acts {
    /// Before the start.
    pub cancel: ServerAction<CancelBooking>,
    /// After the start.
    pub end: ServerAction<EndBooking>,
}

impl Acts {
    /// Both acts.
    #[must_use]
    pub fn new() -> Self {
        Self { cancel: ServerAction::new(), end: ServerAction::new() }
    }

    /// The last refusal.
    #[must_use]
    pub fn refusal(self) -> AnyView {
        let error = |value: Option<Result<(), AppError>>| value.and_then(Result::err);
        let refused = error(self.cancel.value().get_untracked()).or_else(|| error(self.end.value().get_untracked()));
        refused.map(|error| view! { <Notice tone=Tone::Bad lead=error.message().to_owned() /> }).into_any()
    }

    /// The one act that is possible now, where the viewer may do it.
    #[must_use]
    pub fn button(self, booking: &Booking, class: &'static str) -> AnyView {
        let words = &t().bookings;
        if !booking.may_change {
            return ().into_any();
        }
        let name = name(booking);
        let id = booking.id.to_string();
        match booking.state {
            State::Scheduled | State::Awaiting | State::Offered => view! {
                <Confirm label=words.cancel about=(words.about)(words.cancel, &name) sentence=words.cancel_sure class>
                    <ActionForm action=self.cancel>
                        <input type="hidden" name="id" value=id />
                        <button class="btn small danger">{words.cancel_yes}</button>
                    </ActionForm>
                </Confirm>
            }
            .into_any(),
            State::Active => view! {
                <Confirm label=words.end_now about=(words.about)(words.end_now, &name) sentence=words.end_sure class>
                    <ActionForm action=self.end>
                        <input type="hidden" name="id" value=id />
                        <button class="btn small danger">{words.end_yes}</button>
                    </ActionForm>
                </Confirm>
            }
            .into_any(),
            State::Ended | State::Cancelled | State::Released | State::Missed => ().into_any(),
        }
    }
}

/// What a booking is called: its purpose, or that it has none.
#[must_use]
pub fn name(booking: &Booking) -> String {
    if booking.purpose.is_empty() { t().bookings.untitled.to_owned() } else { booking.purpose.clone() }
}

/// The page.
#[component]
pub fn Bookings() -> impl IntoView {
    let words = &t().bookings;
    let data = Resource::new_blocking(|| (), |()| bookings());
    let acts = Acts::new();
    view! {
        <Page title=words.title class="bookings">
            <header class="pagehead">
                <h1>{words.title}</h1>
                <div class="end">
                    <a class="btn primary" href="/book">
                        <Icon name="plus" />
                        {words.find}
                    </a>
                </div>
            </header>
            {acts.refusal()}
            {loaded(data, move |frame, lists| view! { <All frame lists acts /> }.into_any())}
        </Page>
    }
}

#[component]
fn All(frame: Frame, lists: Lists, acts: Acts) -> impl IntoView {
    let words = &t().bookings;
    let none = lists.mine.is_empty();
    view! {
        <section class="box" aria-labelledby="mine">
            <header>
                <h2 id="mine">{words.mine}</h2>
            </header>
            {if none {
                view! {
                    <div class="pad">
                        <div class="empty">
                            <Icon name="mine" />
                            <h3>{words.none}</h3>
                            <p>{words.none_why}</p>
                            <div>
                                <a class="btn primary" href="/book">
                                    {words.find}
                                </a>
                            </div>
                        </div>
                    </div>
                }
                    .into_any()
            } else {
                table(&frame, lists.mine, false, acts)
            }}
        </section>
        <section class="box" aria-labelledby="others">
            <header>
                <h2 id="others">{words.others}</h2>
            </header>
            {if lists.others.is_empty() {
                view! { <p class="pad muted sm">{words.others_none}</p> }.into_any()
            } else {
                table(&frame, lists.others, true, acts)
            }}
        </section>
        {(!lists.past.is_empty())
            .then(|| {
                view! {
                    <section class="box" aria-labelledby="past">
                        <header>
                            <h2 id="past">{words.past}</h2>
                        </header>
                        {table(&frame, lists.past, false, acts)}
                    </section>
                }
            })}
    }
}

fn table(frame: &Frame, bookings: Vec<Booking>, others: bool, acts: Acts) -> AnyView {
    let words = &t().bookings;
    let rows = bookings.into_iter().map(|booking| row(frame, &booking, others, acts)).collect_view();
    view! {
        <table class="data bookinglist">
            <thead>
                <tr>
                    <th>{words.booking}</th>
                    {others.then(|| view! { <th>{words.holder}</th> })}
                    <th>{words.cards}</th>
                    <th>{words.when}</th>
                    <th>{words.state}</th>
                    <th>
                        <span class="sr">{words.acts}</span>
                    </th>
                </tr>
            </thead>
            <tbody>{rows}</tbody>
        </table>
    }
    .into_any()
}

fn row(frame: &Frame, booking: &Booking, others: bool, acts: Acts) -> AnyView {
    let when = When::new(&frame.zone, frame.now);
    let own = frame.viewer.as_ref().is_some_and(|viewer| viewer.id == booking.owner);
    let class = if booking.purpose.is_empty() { "lnk muted" } else { "lnk" };
    view! {
        <tr>
            <th scope="row" class="wrap">
                <a class=class href=format!("/bookings/{}", booking.id)>
                    {name(booking)}
                </a>
            </th>
            {others
                .then(|| {
                    view! {
                        <td>
                            <Person name=booking.holder.clone() hue=(!own).then_some(booking.hue) />
                        </td>
                    }
                })}
            <td class="wrap">{cards(booking)} {unusable(booking)}</td>
            <td title=utc(booking)>{when.range(&booking.window)}</td>
            <td>
                <BookingState state=booking.state own />
            </td>
            <td class="acts">{acts.button(booking, "small")}</td>
        </tr>
    }
    .into_any()
}

/// Hosts and indices of a booking: `dgx-h100: 0, 1`.
fn cards(booking: &Booking) -> String {
    let host = |host: &domain::launch::HostCards| {
        let indices: Vec<String> = host.cards.iter().map(|card| card.number.to_string()).collect();
        (t().bookings.cards_on)(&host.host_name, &indices.join(", "))
    };
    by_host(&booking.cards).iter().map(host).collect::<Vec<_>>().join("; ")
}

/// A mark where cards of a booking that is not over cannot be used for now; its page says why.
fn unusable(booking: &Booking) -> Option<AnyView> {
    let open = booking.state.is_open();
    let count = booking.cards.iter().filter(|card| card.trouble.is_some()).count();
    (open && count > 0).then(|| {
        view! {
            " "
            <span class="st" data-state="sick">
                <Icon name="sick" />
                {(t().bookings.unusable)(count)}
            </span>
        }
        .into_any()
    })
}

/// The span in coordinated universal time, with its dates.
#[must_use]
pub fn utc(booking: &Booking) -> String {
    let zone = domain::zone::ZoneTable::utc();
    let span = When::new(&zone, booking.window.start()).range(&booking.window);
    (t().book.in_utc)(&span)
}
