//! Hosts, people and accounts, for administrators.

mod accounts;
mod add_host;
pub mod cards;
mod desk;
pub mod groups;
mod hosts;
pub mod labels;
pub mod maintenance;
pub mod nav;
pub mod rules;

use domain::text::t;
use domain::wire::page::{Admin as Facts, Frame, Person as Somebody};
use leptos::prelude::*;

use crate::api::admin::{MapAccount, UnmapAccount, admin};
use crate::components::person::Person;
use crate::frame::loaded;
use crate::pages::account::role;
use accounts::Accounts;
use add_host::AddHost;
use desk::{Desk, Head, Part, Table};
use hosts::{HostActs, Hosts};
use nav::AdminPage;

/// What can be done here.
#[derive(Clone, Copy)]
struct Acts {
    hosts: HostActs,
    map: ServerAction<MapAccount>,
    unmap: ServerAction<UnmapAccount>,
}

/// The page.
#[component]
pub fn Admin() -> impl IntoView {
    let words = &t().admin;
    let data = Resource::new_blocking(|| (), |()| admin());
    let acts = Acts { hosts: HostActs::new(), map: ServerAction::new(), unmap: ServerAction::new() };
    view! {
        <Desk title=words.title here=AdminPage::Overview>
            {loaded(data, move |frame, facts| view! { <HostsAndPeople frame facts acts /> }.into_any())}
        </Desk>
    }
}

#[component]
fn HostsAndPeople(frame: Frame, facts: Facts, acts: Acts) -> impl IntoView {
    let people = facts.people.clone();
    view! {
        <Hosts frame=frame.clone() hosts=facts.hosts.clone() acts=acts.hosts />
        <AddHost facts=facts.clone() insecure=frame.insecure_http />
        <People frame facts=facts.clone() />
        <Accounts hosts=facts.hosts people accounts=facts.accounts map=acts.map unmap=acts.unmap />
    }
}

#[component]
fn People(frame: Frame, facts: Facts) -> impl IntoView {
    let words = &t().admin;
    let rows = facts.people.iter().map(|person| row(&frame, &facts, person)).collect_view();
    let heads = vec![
        Head::Text(words.person),
        Head::Text(words.sign_in_name),
        Head::Text(words.role),
        Head::Text(words.os_accounts),
    ];
    view! {
        <Part id="people" heading=words.people>
            <Table heads>{rows}</Table>
        </Part>
    }
}

fn row(frame: &Frame, facts: &Facts, person: &Somebody) -> AnyView {
    let words = &t().admin;
    let own = frame.viewer.as_ref().is_some_and(|viewer| viewer.id == person.id);
    let accounts: Vec<String> = facts
        .accounts
        .iter()
        .filter(|row| row.person == person.id)
        .map(|row| (words.account_on)(&row.os_user, row.host_name.as_deref().unwrap_or(words.all_hosts)))
        .collect();
    let accounts = if accounts.is_empty() { words.none.to_owned() } else { accounts.join(", ") };
    let name = person.display_name.clone();
    view! {
        <tr>
            <th scope="row">
                {if own {
                    view! { <Person name hue=None /> }.into_any()
                } else {
                    view! { <span>{name}</span> }.into_any()
                }}
            </th>
            <td>{person.name.clone()}</td>
            <td>{role(person.role)}</td>
            <td class="wrap ink2">{accounts}</td>
        </tr>
    }
    .into_any()
}
