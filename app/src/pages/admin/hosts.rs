//! Hosts: how their agents are doing, revoking one.

use domain::host::{Freshness, freshness};
use domain::text::{When, t};
use domain::wire::page::{AdminHost, Frame};
use leptos::prelude::*;
use time::Duration;

use super::desk::{Head, Part, Table, nothing, refusal_above};
use crate::api::admin::{RetireHost, RevokeHost, RotateHost, TakeBackHost};
use crate::components::confirm::Confirm;
use crate::components::icon::Icon;

/// What can be done with a host.
#[derive(Clone, Copy)]
pub struct HostActs {
    /// Takes its credential away.
    pub revoke: ServerAction<RevokeHost>,
    /// Renews it.
    pub rotate: ServerAction<RotateHost>,
    /// Retires it.
    pub retire: ServerAction<RetireHost>,
    /// Takes it back.
    pub take_back: ServerAction<TakeBackHost>,
}

impl HostActs {
    /// None done yet.
    #[must_use]
    pub fn new() -> Self {
        Self {
            revoke: ServerAction::new(),
            rotate: ServerAction::new(),
            retire: ServerAction::new(),
            take_back: ServerAction::new(),
        }
    }
}

/// The table of hosts.
#[component]
pub fn Hosts(frame: Frame, hosts: Vec<AdminHost>, acts: HostActs) -> impl IntoView {
    let words = &t().admin;
    let refused = acts.revoke.value().get_untracked().and_then(Result::err);
    let refused = refused.or_else(|| acts.rotate.value().get_untracked().and_then(Result::err));
    let refused = refused.or_else(|| acts.retire.value().get_untracked().and_then(Result::err));
    let refused = refused.or_else(|| acts.take_back.value().get_untracked().and_then(Result::err));
    let none = hosts.is_empty();
    let rows = hosts.into_iter().map(|host| row(&frame, &host, acts)).collect_view();
    let heads = vec![
        Head::Text(words.host),
        Head::Text(words.state),
        Head::Number(words.cards),
        Head::Text(words.agent),
        Head::Text(words.last_report),
        Head::Acts,
    ];
    view! {
        <Part id="hosts" heading=words.hosts note=words.hosts_note>
            {refusal_above(refused)}
            {nothing(none, words.no_hosts)}
            <Table heads empty=none>{rows}</Table>
        </Part>
    }
}

fn row(frame: &Frame, host: &AdminHost, acts: HostActs) -> AnyView {
    let words = &t().admin;
    let when = When::new(&frame.zone, frame.now);
    let last = host.last_report.map_or_else(
        || words.none.to_owned(),
        |at| {
            let age = frame.now - at;
            if age < Duration::hours(1) { (words.ago)(&when.length(age)) } else { when.at(at) }
        },
    );
    view! {
        <tr>
            <th scope="row">{host.name.clone()}</th>
            <td>{host_state(host, frame)}</td>
            <td class="num">{host.cards}</td>
            <td>{host.agent_version.clone().unwrap_or_else(|| words.none.to_owned())}</td>
            <td>{last}</td>
            <td class="acts">
                {if host.retired { take_back(host, acts) } else { retire(host, acts) }}
                {host.enrolled.then(|| credential_acts(host, acts))}
            </td>
        </tr>
    }
    .into_any()
}

/// What can be done about the credential of a host that has one.
fn credential_acts(host: &AdminHost, acts: HostActs) -> AnyView {
    let words = &t().admin;
    let (which, same) = (host_field(host), host_field(host));
    let rotate = if host.rotating {
        view! { <span class="muted sm">{words.rotating}</span> }.into_any()
    } else {
        asked(
            host,
            words.rotate,
            (words.rotate_sure)(&host.name),
            view! {
                <ActionForm action=acts.rotate>
                    {which} <button class="btn small">{words.rotate_yes}</button>
                </ActionForm>
            }
            .into_any(),
        )
    };
    let revoke = asked(
        host,
        words.revoke,
        (words.revoke_sure)(&host.name),
        view! {
            <ActionForm action=acts.revoke>
                {same} <button class="btn small danger">{words.revoke_yes}</button>
            </ActionForm>
        }
        .into_any(),
    );
    view! {
        {rotate}
        {revoke}
    }
    .into_any()
}

fn retire(host: &AdminHost, acts: HostActs) -> AnyView {
    let words = &t().admin;
    let which = host_field(host);
    let form = view! {
        <ActionForm action=acts.retire>
            {which} <button class="btn small danger">{words.retire_yes}</button>
        </ActionForm>
    };
    asked(host, words.retire, (words.retire_sure)(&host.name), form.into_any())
}

/// An act that is asked about before the form is there to send.
fn asked(host: &AdminHost, label: &'static str, sentence: String, form: AnyView) -> AnyView {
    let about = (t().bookings.about)(label, &host.name);
    view! {
        <Confirm label about sentence class="small quiet">
            {form}
        </Confirm>
    }
    .into_any()
}

/// The host that a form is about.
fn host_field(host: &AdminHost) -> AnyView {
    view! { <input type="hidden" name="host" value=host.id.to_string() /> }.into_any()
}

fn take_back(host: &AdminHost, acts: HostActs) -> AnyView {
    let words = &t().admin;
    let (which, about) = (host_field(host), (t().bookings.about)(words.take_back, &host.name));
    view! {
        <ActionForm action=acts.take_back>
            {which}
            <button class="btn small quiet" aria-label=about>
                {words.take_back}
            </button>
        </ActionForm>
    }
    .into_any()
}

fn host_state(host: &AdminHost, frame: &Frame) -> AnyView {
    let words = &t().admin;
    if host.retired {
        return view! { <span class="muted">{words.retired}</span> }.into_any();
    }
    if !host.enrolled {
        return view! { <span class="muted">{words.not_enrolled}</span> }.into_any();
    }
    match freshness(host.last_report, Duration::milliseconds(host.beat_ms.into()), frame.now) {
        Freshness::Live => view! { <span class="live">{words.live}</span> }.into_any(),
        Freshness::Late => view! { <span class="live late">{words.late}</span> }.into_any(),
        Freshness::Never => view! { <span class="live late">{words.never}</span> }.into_any(),
        Freshness::Silent => view! {
            <span class="st" data-state="stale">
                <Icon name="stale" />
                {words.silent}
            </span>
        }
        .into_any(),
    }
}
