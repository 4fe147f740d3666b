//! The navigation of the administrators' pages. A new page adds itself to [`LINKS`].

use domain::text::t;
use leptos::prelude::*;

use crate::components::icon::Icon;

/// A page for administrators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdminPage {
    /// Hosts, people, accounts: several places on one page.
    Overview,
    /// Maintenance.
    Maintenance,
    /// Which cards may be booked, and which are open for shares.
    Cards,
    /// What is allowed.
    Rules,
    /// For whom.
    Groups,
    /// On which cards.
    Labels,
}

type Link = (AdminPage, &'static str, &'static str, fn() -> &'static str);

/// Page, address, icon, words.
const LINKS: &[Link] = &[
    (AdminPage::Overview, "/admin#hosts", "host", || t().admin.hosts),
    (AdminPage::Overview, "/admin#add", "plus", || t().admin.add),
    (AdminPage::Cards, "/admin/cards", "now", || t().upkeep.cards_title),
    (AdminPage::Maintenance, "/admin/maintenance", "maint", || t().upkeep.title),
    (AdminPage::Rules, "/admin/rules", "shield", || t().rules.title),
    (AdminPage::Groups, "/admin/groups", "group", || t().rules.pages.groups),
    (AdminPage::Labels, "/admin/labels", "tag", || t().rules.pages.labels),
    (AdminPage::Overview, "/admin#people", "user", || t().admin.people),
    (AdminPage::Overview, "/admin#accounts", "key", || t().admin.accounts),
];

/// Links to all of them; `here` is the one that is shown.
#[component]
pub fn AdminNav(
    /// The page that it stands on.
    here: AdminPage,
) -> impl IntoView {
    let link = |&(page, address, icon, words): &Link| {
        // On their own page, places are reached without loading it again.
        let href = match address.split_once('#') {
            Some((_, place)) if page == here => format!("#{place}"),
            _ => address.to_owned(),
        };
        let current = (page == here && !address.contains('#')).then_some("page");
        view! {
            <li>
                <a href=href aria-current=current>
                    <Icon name=icon />
                    {words()}
                </a>
            </li>
        }
        .into_any()
    };
    view! {
        <nav class="sidenav" aria-label=t().admin.title>
            <ul>{LINKS.iter().map(link).collect_view()}</ul>
        </nav>
    }
}
