//! The buttons of a booking: each a plain form of its own, with its own idempotency key.

use domain::draft::Draft;
use domain::draft::wish::{again, write_day};
use domain::id::{ReservationId, WaitId};
use domain::reservation::{LENGTH_MIN, State};
use domain::text::{When, t};
use domain::window::Window;
use domain::wire::page::{Booking, Frame, Person};
use leptos::prelude::*;
use time::format_description::well_known::Rfc3339;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::name;
use crate::api::bookings::{ActOnBooking, BookingAct};
use crate::api::notices::{AskHolder, StopWaiting};
use crate::components::confirm::Confirm;
use crate::components::icon::Icon;
use crate::components::notice::{Notice, Tone};
use crate::error::AppError;
use crate::pages::panel::address::address;

/// Quick extensions, in hours.
const EXTEND: [i64; 2] = [1, 4];
/// Nobody extends to a time that is farther away than this with one click.
const EXTEND_MOST: Duration = Duration::hours(24);
/// A repeat that somebody begins from a booking ends so much later, until something else is chosen.
const REPEAT: Duration = Duration::weeks(4);

/// What can be done with bookings.
#[derive(Clone, Copy)]
pub struct Acts(ServerAction<ActOnBooking>, ServerAction<StopWaiting>, ServerAction<AskHolder>);

/// One button's form.
pub struct Form {
    /// Which booking.
    pub booking: ReservationId,
    /// What it does.
    pub act: BookingAct,
    /// Whatever else the act needs.
    pub more: Vec<(&'static str, String)>,
}

impl Acts {
    /// None done yet.
    #[must_use]
    pub fn new() -> Self {
        Self(ServerAction::new(), ServerAction::new(), ServerAction::new())
    }

    /// Why the last one was refused.
    #[must_use]
    pub fn refusal(self) -> AnyView {
        let error = |value: Option<Result<(), AppError>>| value.and_then(Result::err);
        let refused = error(self.0.value().get_untracked()).or_else(|| error(self.1.value().get_untracked()));
        let refused = refused.or_else(|| self.2.value().get_untracked().and_then(Result::err));
        refused.map(|error| view! { <Notice tone=Tone::Bad lead=error.message().to_owned() /> }).into_any()
    }

    /// Everything that can be done now by whoever looks. `next` is when one of the cards is wanted by another booking.
    #[must_use]
    pub fn buttons(self, booking: &Booking, next: Option<OffsetDateTime>, frame: &Frame) -> AnyView {
        let own = frame.viewer.as_ref().is_some_and(|viewer| viewer.id == booking.owner);
        let when = When::new(&frame.zone, frame.now);
        let first = match booking.state {
            State::Active if booking.may_change => self.extend(booking, next, &when),
            State::Offered if own => self.accept(booking),
            _ => ().into_any(),
        };
        let approve = booking.may_approve.then(|| self.approve(booking));
        let past = !booking.state.is_open();
        let again = (past && own).then(|| self.again(booking, frame));
        let change = booking.may_change && booking.state != State::Offered;
        view! {
            {approve}
            {first}
            {change.then(|| change_link(booking))}
            {self.give_up(booking)}
            {again}
        }
        .into_any()
    }

    /// A form that does one thing; the button is among its children.
    #[must_use]
    pub fn form(self, form: Form, children: AnyView) -> AnyView {
        let hidden = form.more.into_iter().map(|(name, value)| {
            view! { <input type="hidden" name=format!("form[{name}]") value=value /> }
        });
        view! {
            <ActionForm action=self.0>
                <input type="hidden" name="form[id]" value=form.booking.to_string() />
                <input type="hidden" name="form[act]" value=word(form.act) />
                <input type="hidden" name="form[key]" value=key() />
                {hidden.collect_view()}
                {children}
            </ActionForm>
        }
        .into_any()
    }

    /// Longer by an hour, by four, until somebody else wants a card.
    fn extend(self, booking: &Booking, next: Option<OffsetDateTime>, when: &When<'_>) -> AnyView {
        let words = &t().bookings;
        let end = booking.window.end();
        let free = |until: OffsetDateTime| next.is_none_or(|next| until <= next);
        let mut offers: Vec<(String, OffsetDateTime)> = EXTEND
            .into_iter()
            .map(|hours| ((words.extend_by)(hours), end + Duration::hours(hours)))
            .filter(|(_, until)| free(*until))
            .collect();
        let until = next.filter(|next| *next - end >= LENGTH_MIN && *next - end <= EXTEND_MOST);
        if let Some(next) = until.filter(|next| offers.iter().all(|(_, until)| until != next)) {
            offers.push(((words.extend_until)(&when.at(next)), next));
        }
        let name = name(booking);
        let each = offers.into_iter().map(|(label, until)| {
            let about = (words.about)(&(words.extend_to)(&when.at(until)), &name);
            let button = view! { <button class="btn small" aria-label=about>{label}</button> }.into_any();
            self.form(Form { booking: booking.id, act: BookingAct::Extend, more: vec![("end", text(until))] }, button)
        });
        each.collect_view().into_any()
    }

    /// What can be asked about a booking of somebody else: its holder, by a notice; and the form for the same cards at
    /// that time, which says who has them and where one can wait.
    #[must_use]
    pub fn ask(self, booking: &Booking, frame: &Frame) -> AnyView {
        let words = &t().calendar;
        let left = Window::new(booking.window.start().max(frame.now), booking.window.end());
        let Some(left) = left.ok().filter(|left| booking.state.is_open() && left.length() >= LENGTH_MIN) else {
            return ().into_any();
        };
        let asks = matches!(booking.state, State::Scheduled | State::Active).then(|| {
            let about = (t().bookings.about)(words.ask, &name(booking));
            let (note, id) = ((words.ask_note)(&booking.holder), booking.id.to_string());
            view! {
                <ActionForm action=self.2>
                    <input type="hidden" name="id" value=id />
                    <button class="btn small" title=note aria-label=about>
                        {words.ask}
                    </button>
                </ActionForm>
            }
        });
        let cards = booking.cards.iter().map(|card| card.uuid.to_string()).collect();
        let mut draft = Draft { cards, ..Draft::default() };
        draft.set_window(&left, &frame.zone);
        view! {
            {asks}
            <a class="btn small" href=address(&draft, None)>
                {words.wait}
            </a>
        }
        .into_any()
    }

    fn accept(self, booking: &Booking) -> AnyView {
        let words = &t().bookings;
        let about = (words.about)(words.accept, &name(booking));
        let button = view! { <button class="btn small primary" aria-label=about>{words.accept}</button> }.into_any();
        self.form(Form { booking: booking.id, act: BookingAct::Accept, more: Vec::new() }, button)
    }

    fn approve(self, booking: &Booking) -> AnyView {
        let words = &t().bookings;
        let (name, why) = (name(booking), format!("why-{}", booking.id));
        let about = (words.about)(words.approve, &name);
        let approve = view! { <button class="btn small primary" aria-label=about>{words.approve}</button> }.into_any();
        let refuse = view! {
            <div class="field">
                <label for=why.clone()>{words.refuse_why}</label>
                <input class="input" id=why name="form[why]" maxlength="200" />
            </div>
            <button class="btn small danger">{words.refuse_yes}</button>
        }
        .into_any();
        let refuse = self.form(Form { booking: booking.id, act: BookingAct::Refuse, more: Vec::new() }, refuse);
        view! {
            {self.form(Form { booking: booking.id, act: BookingAct::Approve, more: Vec::new() }, approve)}
            <Confirm label=words.refuse about=(words.about)(words.refuse, &name) sentence=words.refuse_sure>
                {refuse}
            </Confirm>
        }
        .into_any()
    }

    /// Cancelling before the start, ending after it.
    fn give_up(self, booking: &Booking) -> AnyView {
        let words = &t().bookings;
        if !booking.may_change {
            return ().into_any();
        }
        let name = name(booking);
        let button = |act, more, label: &'static str| {
            let button = view! { <button class="btn small danger">{label}</button> }.into_any();
            self.form(Form { booking: booking.id, act, more }, button)
        };
        let cancel = |more, label| button(BookingAct::Cancel, more, label);
        let (label, sentence, forms) = match booking.state {
            State::Active => {
                (words.end_now, words.end_sure, vec![button(BookingAct::EndNow, Vec::new(), words.end_yes)])
            }
            State::Scheduled | State::Awaiting if booking.series.is_some() => {
                let following = vec![("scope", "following".to_owned())];
                let forms = vec![cancel(Vec::new(), words.cancel_one), cancel(following, words.cancel_following)];
                (words.cancel, words.cancel_sure, forms)
            }
            State::Scheduled | State::Awaiting => {
                (words.cancel, words.cancel_sure, vec![cancel(Vec::new(), words.cancel_yes)])
            }
            State::Offered => {
                let about = (words.about)(words.decline, &name);
                let button = view! { <button class="btn small" aria-label=about>{words.decline}</button> }.into_any();
                return self.form(Form { booking: booking.id, act: BookingAct::Cancel, more: Vec::new() }, button);
            }
            _ => return ().into_any(),
        };
        view! {
            <Confirm label about=(words.about)(label, &name) sentence>
                {forms}
            </Confirm>
        }
        .into_any()
    }

    /// The same once more at the same time of day, and the form to have it repeat.
    fn again(self, booking: &Booking, frame: &Frame) -> AnyView {
        let words = &t().bookings;
        let when = When::new(&frame.zone, frame.now);
        let Some(next) = again(&booking.window, frame.now, &frame.zone) else { return ().into_any() };
        let name = name(booking);
        let label = (words.again)(&when.at(next.start()));
        let about = (words.about)(&label, &name);
        let button = view! { <button class="btn small" aria-label=about>{label}</button> }.into_any();
        let more = vec![("start", text(next.start())), ("end", text(next.end()))];
        let mut draft = Draft {
            cards: booking.cards.iter().map(|card| card.uuid.to_string()).collect(),
            purpose: booking.purpose.clone(),
            every: "week".to_owned(),
            until: write_day(frame.zone.local(next.start() + REPEAT).date()),
            ..Draft::default()
        };
        draft.set_window(&next, &frame.zone);
        view! {
            {self.form(Form { booking: booking.id, act: BookingAct::Again, more }, button)}
            <a class="btn small" href=address(&draft, None) aria-label=(words.about)(words.repeat, &name)>
                <Icon name="repeat" small=true />
                {words.repeat}
            </a>
        }
        .into_any()
    }

    /// Gives a place in the queue up.
    #[must_use]
    pub fn stop_waiting(self, id: WaitId) -> AnyView {
        view! {
            <ActionForm action=self.1>
                <input type="hidden" name="id" value=id.to_string() />
                <button class="btn small">{t().bookings.stop_waiting}</button>
            </ActionForm>
        }
        .into_any()
    }

    /// Gives a booking to a colleague.
    #[must_use]
    pub fn transfer(self, booking: &Booking, people: &[Person]) -> AnyView {
        let words = &t().bookings;
        let others = people.iter().filter(|person| person.id != booking.owner);
        let options = others
            .map(|person| view! { <option value=person.id.to_string()>{person.display_name.clone()}</option> })
            .collect_view();
        if !booking.may_change || people.len() < 2 || booking.state == State::Offered {
            return ().into_any();
        }
        let inside = view! {
            <div class="field">
                <label for="transfer-to">{words.transfer_to}</label>
                <select class="input" id="transfer-to" name="form[to]">
                    {options}
                </select>
            </div>
            <button class="btn small danger">{words.transfer_yes}</button>
        }
        .into_any();
        let about = (words.about)(words.transfer, &name(booking));
        let form = self.form(Form { booking: booking.id, act: BookingAct::Transfer, more: Vec::new() }, inside);
        view! {
            <Confirm label=words.transfer about sentence=words.transfer_sure>
                {form}
            </Confirm>
        }
        .into_any()
    }
}

impl Default for Acts {
    fn default() -> Self {
        Self::new()
    }
}

fn change_link(booking: &Booking) -> AnyView {
    let words = &t().bookings;
    view! {
        <a
            class="btn small"
            href=format!("/book?change={}", booking.id)
            aria-label=(words.about)(words.change, &name(booking))
        >
            {words.change}
        </a>
    }
    .into_any()
}

fn text(at: OffsetDateTime) -> String {
    at.format(&Rfc3339).unwrap_or_default()
}

/// Only the server makes forms.
#[cfg(feature = "ssr")]
fn key() -> String {
    Uuid::new_v4().to_string()
}

#[cfg(not(feature = "ssr"))]
fn key() -> String {
    Uuid::nil().to_string()
}

/// As a form field holds it.
fn word(act: BookingAct) -> &'static str {
    match act {
        BookingAct::Extend => "extend",
        BookingAct::Cancel => "cancel",
        BookingAct::EndNow => "end_now",
        BookingAct::Transfer => "transfer",
        BookingAct::Approve => "approve",
        BookingAct::Refuse => "refuse",
        BookingAct::Accept => "accept",
        BookingAct::StillUsing => "still_using",
        BookingAct::Again => "again",
        BookingAct::Share => "share",
        BookingAct::Unshare => "unshare",
    }
}
