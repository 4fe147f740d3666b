//! Hosts: how their agents are doing, adding one, revoking one.

use domain::host::{Freshness, freshness};
use domain::text::{When, t};
use domain::wire::page::{AdminHost, EnrolCode, Frame};
use leptos::prelude::*;

use crate::api::admin::{MakeEnrolCode, RevokeHost};
use crate::components::confirm::Confirm;
use crate::components::copy::CopyBox;
use crate::components::field::TextField;
use crate::components::icon::Icon;
use crate::components::notice::{Notice, Tone};
use crate::live::use_live;

/// The table of hosts.
#[component]
pub fn Hosts(frame: Frame, hosts: Vec<AdminHost>, revoke: ServerAction<RevokeHost>) -> impl IntoView {
    let words = &t().admin;
    let refused = move || revoke.value().get().and_then(Result::err);
    let none = hosts.is_empty();
    let rows = hosts.into_iter().map(|host| row(&frame, host, revoke)).collect_view();
    view! {
        <section class="box" id="hosts" aria-labelledby="hosts-h">
            <header>
                <h2 id="hosts-h">{words.hosts}</h2>
                <p>{words.hosts_note}</p>
            </header>
            {move || {
                refused()
                    .map(|error| {
                        view! {
                            <div class="pad">
                                <Notice tone=Tone::Bad lead=error.message().to_owned() />
                            </div>
                        }
                    })
            }}
            {none.then(|| view! { <p class="pad muted sm">{words.no_hosts}</p> })}
            <div class="scroll-x" hidden=none>
                <table class="data">
                    <thead>
                        <tr>
                            <th>{words.host}</th>
                            <th>{words.state}</th>
                            <th class="num">{words.cards}</th>
                            <th>{words.agent}</th>
                            <th>{words.last_report}</th>
                            <th>
                                <span class="sr">{words.acts}</span>
                            </th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        </section>
    }
}

fn row(frame: &Frame, host: AdminHost, revoke: ServerAction<RevokeHost>) -> AnyView {
    let words = &t().admin;
    let when = When::new(&frame.zone, frame.now);
    let last = host.last_report.map_or_else(
        || words.none.to_owned(),
        |at| {
            let age = frame.now - at;
            if age < time::Duration::hours(1) { (words.ago)(&when.length(age)) } else { when.at(at) }
        },
    );
    view! {
        <tr>
            <th scope="row">{host.name.clone()}</th>
            <td>{host_state(&host, frame)}</td>
            <td class="num">{host.cards}</td>
            <td>{host.agent_version.clone().unwrap_or_else(|| words.none.to_owned())}</td>
            <td>{last}</td>
            <td class="acts">
                {host
                    .enrolled
                    .then(|| {
                        view! {
                            <Confirm
                                label=words.revoke
                                about=(t().bookings.about)(words.revoke, &host.name)
                                sentence=(words.revoke_sure)(&host.name)
                                class="small quiet"
                            >
                                <ActionForm action=revoke>
                                    <input type="hidden" name="host" value=host.id.to_string() />
                                    <button class="btn small danger">{words.revoke_yes}</button>
                                </ActionForm>
                            </Confirm>
                        }
                    })}
            </td>
        </tr>
    }
    .into_any()
}

fn host_state(host: &AdminHost, frame: &Frame) -> AnyView {
    let words = &t().admin;
    if !host.enrolled {
        return view! { <span class="muted">{words.not_enrolled}</span> }.into_any();
    }
    match freshness(host.last_report, frame.now) {
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

/// The form that makes a code, and the code with its two steps.
#[component]
pub fn AddHost(frame: Frame, enrol: ServerAction<MakeEnrolCode>) -> impl IntoView {
    let words = &t().admin;
    let value = enrol.value();
    let error = Signal::derive(move || match value.get() {
        Some(Err(error)) => Some(error.message().to_owned()),
        _ => None,
    });
    let zone = frame.zone;
    let live = use_live();
    let made = move || match value.get() {
        Some(Ok(code)) => {
            let until = When::new(&zone, live.tick.get_untracked().unwrap_or(frame.now)).at(code.expires_at);
            steps(&code, &until)
        }
        _ => ().into_any(),
    };
    view! {
        <section class="box" id="add" aria-labelledby="add-h">
            <header>
                <h2 id="add-h">{words.add}</h2>
                <p>{words.add_note}</p>
            </header>
            <div class="pad stack">
                <ActionForm action=enrol attr:class="form inline">
                    <TextField label=words.host_name name="host_name" hint=words.host_name_hint error maxlength=63 />
                    <button class="btn primary" aria-disabled=move || enrol.pending().get().then_some("true")>
                        {words.make_code}
                    </button>
                </ActionForm>
                <noscript inner_html=t().booking.needs_scripts></noscript>
                <div role="status">{made}</div>
            </div>
        </section>
    }
}

fn steps(code: &EnrolCode, until: &str) -> AnyView {
    let words = &t().admin;
    view! {
        <div class="enrol">
            <h3>{(words.code_for)(&code.host_name)}</h3>
            <ol class="twosteps">
                <li>
                    <h4>{words.step_copy}</h4>
                    <p class="ink2 sm">{words.step_copy_how}</p>
                </li>
                <li>
                    <h4>{words.step_run}</h4>
                    <CopyBox text=format!("sudo berth enrol {}", code.portal_url) name=words.step_run />
                    <CopyBox text=code.code.clone() name=words.code once=true />
                    <div class="note warn">
                        <Icon name="lock" />
                        <strong>{words.code_once}</strong>
                        " "
                        {(words.code_valid)(until)}
                    </div>
                </li>
            </ol>
        </div>
    }
    .into_any()
}
