//! The viewer's own account: zone, accounts on hosts, a code to link one.

use domain::text::t;
use domain::user::Role;
use domain::wire::page::{Account as Facts, AccountRow};
use leptos::prelude::*;

use crate::api::admin::UnmapAccount;
use crate::api::session::{SetZone, account};
use crate::components::icon::Icon;
use crate::components::link_code::LinkCode;
use crate::components::notice::{Notice, Tone};
use crate::components::page::Page;
use crate::components::person::Person;
use crate::frame::loaded;

/// The page.
#[component]
pub fn Account() -> impl IntoView {
    let words = &t().account;
    let data = Resource::new_blocking(|| (), |()| account());
    let unlink = ServerAction::<UnmapAccount>::new();
    view! {
        <Page title=words.title class="narrow account">
            <header class="pagehead">
                <h1>{words.title}</h1>
            </header>
            {loaded(
                data,
                move |_frame, facts| {
                    view! {
                        <You facts=facts.clone() />
                        <Zone facts=facts.clone() />
                        <OnHosts accounts=facts.accounts unlink />
                        <Link />
                    }
                        .into_any()
                },
            )}
        </Page>
    }
}

/// A role in words.
#[must_use]
pub fn role(role: Role) -> &'static str {
    match role {
        Role::Member => t().admin.member,
        Role::Administrator => t().admin.administrator,
    }
}

#[component]
fn You(facts: Facts) -> impl IntoView {
    let words = &t().account;
    let pages = &t().rules.pages;
    let viewer = facts.viewer;
    let manages = facts.groups.iter().any(|(_, manages)| *manages);
    let named = |(name, manages): &(String, bool)| {
        if *manages { (pages.managed)(name) } else { name.clone() }
    };
    let names = facts.groups.iter().map(named).collect::<Vec<_>>().join(", ");
    let groups = match (names.is_empty(), manages) {
        (true, _) => t().admin.none.to_owned().into_any(),
        (false, false) => names.into_any(),
        (false, true) => view! {
            <a class="lnk" href="/admin/groups">
                {names}
            </a>
        }
        .into_any(),
    };
    view! {
        <section class="box" aria-labelledby="you">
            <header>
                <h2 id="you">{words.you}</h2>
            </header>
            <dl class="kv pad">
                <dt>{words.name}</dt>
                <dd>
                    <Person name=viewer.display_name hue=None />
                </dd>
                <dt>{words.sign_in_name}</dt>
                <dd>{viewer.name}</dd>
                <dt>{words.role}</dt>
                <dd>{role(viewer.role)}</dd>
                <dt>{pages.groups}</dt>
                <dd>{groups}</dd>
            </dl>
        </section>
    }
}

#[component]
fn Zone(facts: Facts) -> impl IntoView {
    let words = &t().account;
    let set_zone = ServerAction::<SetZone>::new();
    let refused = set_zone.value().get_untracked().and_then(Result::err);
    let mut zones = facts.zones;
    if !zones.contains(&facts.zone) {
        zones.insert(0, facts.zone.clone());
    }
    let options = zones
        .into_iter()
        .map(|zone| {
            let selected = zone == facts.zone;
            view! {
                <option value=zone.clone() selected=selected>
                    {zone.replace('_', " ")}
                </option>
            }
        })
        .collect_view();
    view! {
        <section class="box" aria-labelledby="zone-h">
            <header>
                <h2 id="zone-h">{words.zone}</h2>
            </header>
            <div class="pad">
                <ActionForm action=set_zone attr:class="form inline">
                    <div class="field">
                        <label for="zone">{words.zone}</label>
                        <select class="input" id="zone" name="zone" aria-describedby="zone-note">
                            {options}
                        </select>
                        <small id="zone-note">{words.zone_hint}</small>
                    </div>
                    <button class="btn">{words.zone_save}</button>
                </ActionForm>
                {refused.map(|error| view! { <Notice tone=Tone::Bad lead=error.message().to_owned() /> })}
            </div>
        </section>
    }
}

#[component]
fn OnHosts(accounts: Vec<AccountRow>, unlink: ServerAction<UnmapAccount>) -> impl IntoView {
    let words = &t().account;
    let refused = unlink.value().get_untracked().and_then(Result::err);
    let rows = accounts.iter().map(|row| account_row(row, unlink)).collect_view();
    view! {
        <section class="box" aria-labelledby="accounts-h">
            <header>
                <h2 id="accounts-h">{words.accounts}</h2>
                <p>{words.accounts_note}</p>
            </header>
            {refused
                .map(|error| {
                    view! {
                        <div class="pad">
                            <Notice tone=Tone::Bad lead=error.message().to_owned() />
                        </div>
                    }
                })}
            {if accounts.is_empty() {
                view! {
                    <div class="pad">
                        <div class="note warn">
                            <Icon name="key" />
                            {words.none}
                        </div>
                    </div>
                }
                    .into_any()
            } else {
                view! {
                    <div class="scroll-x">
                        <table class="data">
                            <thead>
                                <tr>
                                    <th>{t().admin.os_user}</th>
                                    <th>{t().admin.host}</th>
                                    <th>{t().admin.source}</th>
                                    <th>
                                        <span class="sr">{t().bookings.acts}</span>
                                    </th>
                                </tr>
                            </thead>
                            <tbody>{rows}</tbody>
                        </table>
                    </div>
                }
                    .into_any()
            }}
        </section>
    }
}

fn account_row(row: &AccountRow, unlink: ServerAction<UnmapAccount>) -> AnyView {
    let words = &t().admin;
    let host = row.host_name.clone().unwrap_or_else(|| words.all_hosts.to_owned());
    let about = (t().account.unlink_which)(&row.os_user, &host);
    view! {
        <tr>
            <th scope="row">
                <code>{row.os_user.clone()}</code>
            </th>
            <td>{host}</td>
            <td class="ink2">{if row.proven { words.proven } else { words.set }}</td>
            <td class="acts">
                {unmap_form(row, unlink, t().account.unlink, about)}
            </td>
        </tr>
    }
    .into_any()
}

/// The form that takes a mapping back.
#[must_use]
pub fn unmap_form(row: &AccountRow, action: ServerAction<UnmapAccount>, label: &'static str, about: String) -> AnyView {
    let AccountRow { host, os_user, person, .. } = row.clone();
    view! {
        <ActionForm action>
            <input type="hidden" name="host" value=host.map(|host| host.to_string()).unwrap_or_default() />
            <input type="hidden" name="os_user" value=os_user />
            <input type="hidden" name="person" value=person.to_string() />
            <button class="btn small quiet" aria-label=about>
                {label}
            </button>
        </ActionForm>
    }
    .into_any()
}

#[component]
fn Link() -> impl IntoView {
    let words = &t().account;
    view! {
        <section class="box" aria-labelledby="link-h">
            <header>
                <h2 id="link-h">{words.link}</h2>
            </header>
            <div class="pad stack">
                <p class="ink2">{words.link_how}</p>
                <LinkCode host=None />
            </div>
        </section>
    }
}
