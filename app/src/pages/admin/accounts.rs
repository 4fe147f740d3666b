//! Which account of an operating system belongs to whom.

use domain::error::Field;
use domain::text::t;
use domain::wire::page::{AccountRow, AdminHost, Person};
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::desk::{Head, Part, Table, nothing, person_option, refusal, refusal_above};
use crate::api::admin::{MapAccount, UnmapAccount};
use crate::components::field::TextField;
use crate::pages::account::unmap_form;

/// The mapped accounts, and the form that adds one.
#[component]
pub fn Accounts(
    hosts: Vec<AdminHost>,
    people: Vec<Person>,
    accounts: Vec<AccountRow>,
    map: ServerAction<MapAccount>,
    unmap: ServerAction<UnmapAccount>,
) -> impl IntoView {
    let words = &t().admin;
    let refused = unmap.value().get_untracked().and_then(Result::err);
    let none = accounts.is_empty();
    let rows = accounts.iter().map(|row| account_row(row, unmap)).collect_view();
    let heads = vec![
        Head::Text(words.os_user),
        Head::Text(words.host),
        Head::Text(words.person),
        Head::Text(words.source),
        Head::Acts,
    ];
    view! {
        <Part id="accounts" heading=words.accounts note=words.accounts_note>
            {refusal_above(refused)}
            {nothing(none, words.no_accounts)}
            <Table heads empty=none>{rows}</Table>
            <div class="pad mapform">
                <h3>{words.map}</h3>
                <MapForm hosts people map />
            </div>
        </Part>
    }
}

fn account_row(row: &AccountRow, unmap: ServerAction<UnmapAccount>) -> AnyView {
    let words = &t().admin;
    let host = row.host_name.clone().unwrap_or_else(|| words.all_hosts.to_owned());
    let about = (t().bookings.about)(words.unmap, &(words.account_on)(&row.os_user, &host));
    view! {
        <tr>
            <th scope="row">
                <code>{row.os_user.clone()}</code>
            </th>
            <td>{host}</td>
            <td>{row.person_name.clone()}</td>
            <td class="ink2">{if row.proven { words.proven } else { words.set }}</td>
            <td class="acts">{unmap_form(row, unmap, words.unmap, about)}</td>
        </tr>
    }
    .into_any()
}

#[component]
fn MapForm(hosts: Vec<AdminHost>, people: Vec<Person>, map: ServerAction<MapAccount>) -> impl IntoView {
    let words = &t().admin;
    let refused = map.value().get_untracked().and_then(Result::err);
    // What was typed comes back in the address of a refused form, and stays there after the next one is taken.
    let query = use_query_map();
    let came_back = refused.is_some();
    let typed = move |name: &str| query.read_untracked().get(name).filter(|_| came_back).unwrap_or_default();
    // A refusal about the account stands at its field, any other below the form.
    let (error, other) = match refused {
        Some(error) if error.field() == Some(Field::OsUser) => (Some(error.message().to_owned()), None),
        other => (None, other),
    };
    let option = |chosen: &str, value: String, label: String| {
        let selected = chosen == value;
        view! {
            <option value=value selected=selected>
                {label}
            </option>
        }
        .into_any()
    };
    let (host, person) = (typed("host"), typed("person"));
    let hosts = hosts.into_iter().map(|row| option(&host, row.id.to_string(), row.name)).collect_view();
    let people = people
        .into_iter()
        .map(|row| person_option(row.id.to_string(), &row.display_name, &row.name, &person))
        .collect_view();
    view! {
        <ActionForm action=map attr:class="form">
            <div class="three">
                <TextField label=words.os_user name="os_user" value=typed("os_user") error=Signal::stored(error) maxlength=64 />
                <div class="field">
                    <label for="map-host">{words.host}</label>
                    <select class="input" id="map-host" name="host">
                        <option value="">{words.all_hosts}</option>
                        {hosts}
                    </select>
                </div>
                <div class="field">
                    <label for="map-person">{words.person}</label>
                    <select class="input" id="map-person" name="person" required>
                        <option value="">{words.choose}</option>
                        {people}
                    </select>
                </div>
            </div>
            {refusal(other)}
            <div class="row">
                <button class="btn">
                    {words.map_add}
                </button>
            </div>
        </ActionForm>
    }
}
