//! Groups: who is in them, who manages them. Managers see their own.

use domain::rules::NAME_MAX_CHARS;
use domain::text::t;
use domain::wire::page::Person as Somebody;
use domain::wire::rules::{GroupMember, GroupRow, GroupsPage};
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::desk::{Head, Part, Table, nothing, person_option, refusal};
use super::nav::{AdminNav, AdminPage};
use crate::api::rules::{DeleteGroup, MakeGroup, RemoveMember, RenameGroup, SetMember, groups};
use crate::components::confirm::Confirm;
use crate::components::field::TextField;
use crate::components::notice::{Notice, Tone};
use crate::components::page::Page;
use crate::error::AppError;
use crate::frame::loaded;

/// What can be done here.
#[derive(Clone, Copy)]
struct Acts {
    make: ServerAction<MakeGroup>,
    rename: ServerAction<RenameGroup>,
    delete: ServerAction<DeleteGroup>,
    set: ServerAction<SetMember>,
    remove: ServerAction<RemoveMember>,
}

impl Acts {
    /// The last refusal of an act on a group that exists.
    fn refused(self) -> Option<AppError> {
        let error = |value: Option<Result<(), AppError>>| value.and_then(Result::err);
        error(self.rename.value().get_untracked())
            .or_else(|| error(self.delete.value().get_untracked()))
            .or_else(|| error(self.set.value().get_untracked()))
            .or_else(|| error(self.remove.value().get_untracked()))
    }
}

/// The page.
#[component]
pub fn Groups() -> impl IntoView {
    let words = &t().rules.pages;
    let data = Resource::new_blocking(|| (), |()| groups());
    let acts = Acts {
        make: ServerAction::new(),
        rename: ServerAction::new(),
        delete: ServerAction::new(),
        set: ServerAction::new(),
        remove: ServerAction::new(),
    };
    view! {
        <Page title=words.groups class="admin">
            <header class="pagehead">
                <h1>{words.groups}</h1>
            </header>
            {loaded(data, move |_, page| content(&page, acts))}
        </Page>
    }
}

fn content(page: &GroupsPage, acts: Acts) -> AnyView {
    let words = &t().rules.pages;
    let boxes = page.groups.iter().map(|group| one(group, page, acts)).collect_view();
    let all = page.all;
    let list = view! {
        <div class="stack">
            <p class="ink2">{words.groups_note}</p>
            {refusal(acts.refused())}
            {page
                .groups
                .is_empty()
                .then(|| view! { <Notice tone=Tone::Plain lead=words.no_groups /> })}
            {boxes}
            {all.then(|| make(acts))}
        </div>
    }
    .into_any();
    // Whoever manages a group and is no administrator has none of the other pages.
    if all {
        view! {
            <div class="adm">
                <AdminNav here=AdminPage::Groups />
                {list}
            </div>
        }
        .into_any()
    } else {
        list
    }
}

fn one(group: &GroupRow, page: &GroupsPage, acts: Acts) -> AnyView {
    let words = &t().rules.pages;
    let rows = group.members.iter().map(|member| row(group, member, page.all, acts)).collect_view();
    let none = group.members.is_empty();
    let (add, keep) = (add(group, &page.people, page.all, acts), page.all.then(|| keep(group, acts)));
    let heads = vec![Head::Text(words.person), Head::Text(t().admin.sign_in_name), Head::Text(words.role), Head::Acts];
    view! {
        <Part
            id=format!("group-{}", group.id)
            heading=group.name.clone()
            note=(words.group_size)(group.members.len(), group.rules.len())
            aside=group.rules.join(", ")
        >
            {nothing(none, words.no_members)}
            <Table heads empty=none>{rows}</Table>
            <div class="pad groupacts">
                {add} {keep}
            </div>
        </Part>
    }
    .into_any()
}

fn row(group: &GroupRow, member: &GroupMember, all: bool, acts: Acts) -> AnyView {
    let words = &t().rules.pages;
    let person = &member.person;
    let about = |label| (t().bookings.about)(label, &person.display_name);
    // Who manages a group is the administrators' word.
    let turn = all.then(|| {
        let label = if member.manager { words.make_member } else { words.make_manager };
        let manager = if member.manager { "false" } else { "true" };
        let (which, about) = (hidden(group, person), about(label));
        view! {
            <ActionForm action=acts.set>
                {which} <input type="hidden" name="manager" value=manager />
                <button class="btn small quiet" aria-label=about>
                    {label}
                </button>
            </ActionForm>
        }
    });
    let out = (all || !member.manager).then(|| {
        let (which, about) = (hidden(group, person), about(words.take_out));
        view! {
            <ActionForm action=acts.remove>
                {which}
                <button class="btn small quiet" aria-label=about>
                    {words.take_out}
                </button>
            </ActionForm>
        }
    });
    view! {
        <tr>
            <th scope="row">{person.display_name.clone()}</th>
            <td>{person.name.clone()}</td>
            <td>{if member.manager { words.manager } else { words.member }}</td>
            <td class="acts">{turn} {out}</td>
        </tr>
    }
    .into_any()
}

fn group_field(group: &GroupRow) -> AnyView {
    view! { <input type="hidden" name="group" value=group.id.to_string() /> }.into_any()
}

fn hidden(group: &GroupRow, person: &Somebody) -> AnyView {
    view! {
        <input type="hidden" name="group" value=group.id.to_string() />
        <input type="hidden" name="person" value=person.id.to_string() />
    }
    .into_any()
}

/// Puts somebody into the group.
fn add(group: &GroupRow, people: &[Somebody], all: bool, acts: Acts) -> AnyView {
    let words = &t().rules.pages;
    let outside = |person: &&Somebody| !group.members.iter().any(|member| member.person.id == person.id);
    let option = |person: &Somebody| person_option(person.id.to_string(), &person.display_name, &person.name, "");
    let options = people.iter().filter(outside).map(option);
    let options = options.collect_view();
    let (id, which) = (format!("add-{}", group.id), group_field(group));
    view! {
        <ActionForm action=acts.set attr:class="form inline">
            {which}
            <div class="field">
                <label for=id.clone()>{words.add_person}</label>
                <select class="input" id=id name="person" required>
                    <option value="">{t().admin.choose}</option>
                    {options}
                </select>
            </div>
            {all
                .then(|| {
                    view! {
                        <label class="check">
                            <input type="checkbox" name="manager" value="true" />
                            {words.manager}
                        </label>
                    }
                })}
            <button class="btn">{words.add}</button>
        </ActionForm>
    }
    .into_any()
}

/// Renames it, removes it.
fn keep(group: &GroupRow, acts: Acts) -> AnyView {
    let words = &t().rules.pages;
    let about = |label| (t().bookings.about)(label, &group.name);
    let (id, name) = (format!("name-{}", group.id), group.name.clone());
    let (which, same) = (group_field(group), group_field(group));
    view! {
        <div class="row">
            <details class="confirm">
                <summary class="btn small quiet" aria-label=about(words.rename)>
                    {words.rename}
                </summary>
                <div class="ask">
                    <ActionForm action=acts.rename attr:class="form">
                        {which}
                        <div class="field">
                            <label for=id.clone()>{words.group_name}</label>
                            <input
                                class="input"
                                id=id
                                name="name"
                                value=name
                                required
                                maxlength=NAME_MAX_CHARS.to_string()
                                autocomplete="off"
                            />
                        </div>
                        <button class="btn small">{words.rename}</button>
                    </ActionForm>
                </div>
            </details>
            <Confirm
                label=words.remove
                about=about(words.remove)
                sentence=(words.remove_group_sure)(&group.name)
                class="small quiet"
            >
                <ActionForm action=acts.delete>
                    {same}
                    <button class="btn small danger">{words.remove_yes}</button>
                </ActionForm>
            </Confirm>
        </div>
    }
    .into_any()
}

fn make(acts: Acts) -> AnyView {
    let words = &t().rules.pages;
    let refused = acts.make.value().get_untracked().and_then(Result::err).map(|error| error.message().to_owned());
    let query = use_query_map();
    let typed = query.read_untracked().get("name").filter(|_| refused.is_some()).unwrap_or_default();
    view! {
        <Part id="make" heading=words.make_group>
            <div class="pad">
                <ActionForm action=acts.make attr:class="form inline">
                    <TextField
                        label=words.group_name
                        name="name"
                        value=typed
                        error=Signal::stored(refused)
                        maxlength=u32::try_from(NAME_MAX_CHARS).unwrap_or(u32::MAX)
                    />
                    <button class="btn">{words.make_group}</button>
                </ActionForm>
            </div>
        </Part>
    }
    .into_any()
}
