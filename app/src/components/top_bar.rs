//! Skip link, top bar with navigation and account menu, the strips below it, and the tab bar of phones.

use domain::text::t;
use domain::user::{Act, Role};
use domain::wire::page::{Frame, Viewer};
use leptos::prelude::*;
use leptos_router::components::A;

use crate::api::session::SignOut;
use crate::components::bell::Bell;
use crate::components::icon::Icon;
use crate::components::person::Avatar;
use crate::components::pulse::{Pulse, millis};
use crate::components::theme::ThemeButton;
use crate::frame::{framed, use_frame};

/// Everything above the page. Before one is signed in there is only the warning about plain HTTP.
#[component]
pub fn TopBar() -> impl IntoView {
    view! {
        <a class="skip" href="#main">
            {t().frame.skip}
        </a>
        {framed(|frame| {
            let insecure = frame.insecure_http;
            let bar = match frame.viewer.clone() {
                Some(viewer) => bar(frame, viewer),
                None => ().into_any(),
            };
            view! {
                {bar}
                {insecure.then(insecure_strip)}
            }
            .into_any()
        })}
    }
}

fn insecure_strip() -> AnyView {
    let words = &t().frame;
    view! {
        <aside class="strip" aria-label=words.insecure>
            <Icon name="rogue" />
            <span>
                <strong>{words.insecure}</strong>
                " "
                {words.insecure_why}
            </span>
        </aside>
    }
    .into_any()
}

fn bar(frame: Frame, viewer: Viewer) -> AnyView {
    let words = &t().frame;
    let role = viewer.role;
    view! {
        <header class="topbar">
            <a class="brand" href="/" aria-label=words.brand_home>
                <Icon name="brand" />
                {words.brand}
            </a>
            <nav aria-label=words.main_nav>
                <ul>{links(role)}</ul>
            </nav>
            <div class="end">
                <Pulse zone=frame.zone rendered_ms=millis(frame.now) />
                <Bell unread=frame.unread />
                <ThemeButton />
                {menu(viewer)}
            </div>
        </header>
    }
    .into_any()
}

fn links(role: Role) -> AnyView {
    let words = &t().frame;
    let admin = role.may(Act::ManageHosts);
    view! {
        <li>
            <A href="/" exact=true>
                {words.now}
            </A>
        </li>
        <li>
            <A href="/calendar">{words.calendar}</A>
        </li>
        <li>
            <A href="/hosts">{words.hosts}</A>
        </li>
        <li>
            <A href="/bookings">{words.bookings}</A>
        </li>
        <li>
            <A href="/book">{words.book}</A>
        </li>
        {admin
            .then(|| {
                view! {
                    <li>
                        <A href="/admin">{words.admin}</A>
                    </li>
                }
            })}
    }
    .into_any()
}

fn menu(viewer: Viewer) -> AnyView {
    let words = &t().frame;
    let sign_out = ServerAction::<SignOut>::new();
    view! {
        <details class="menu">
            <summary aria-label=(words.account_menu)(&viewer.display_name)>
                <Avatar name=viewer.display_name.clone() hue=None big=true />
            </summary>
            <div>
                <p class="who">
                    <b>{viewer.display_name}</b>
                    <small>{viewer.name}</small>
                </p>
                <a class="item" href="/account">
                    <Icon name="user" />
                    {words.account}
                </a>
                <ActionForm action=sign_out>
                    <button class="item">
                        <Icon name="out" />
                        {words.sign_out}
                    </button>
                </ActionForm>
            </div>
        </details>
    }
    .into_any()
}

/// Navigation at the thumb, on narrow screens.
#[component]
pub fn TabBar() -> impl IntoView {
    let words = &t().frame;
    let frame = use_frame();
    let tab = move |href: &'static str, icon: &'static str, label: &'static str| {
        view! {
            <li>
                <A href=href exact=href == "/">
                    <Icon name=icon />
                    {label}
                </A>
            </li>
        }
        .into_any()
    };
    view! {
        <Suspense fallback=|| ()>
            {move || Suspend::new(async move {
                let viewer = frame.await.ok().and_then(|frame| frame.viewer);
                viewer
                    .map(|viewer| {
                        view! {
                            <nav class="tabbar" aria-label=words.main_nav>
                                <ul>
                                    {tab("/", "now", words.now)}
                                    {tab("/calendar", "cal", words.calendar)}
                                    {tab("/hosts", "host", words.hosts)}
                                    {tab("/bookings", "mine", words.bookings_short)}
                                    {tab("/book", "plus", words.book)}
                                    {viewer
                                        .role
                                        .may(Act::ManageHosts)
                                        .then(|| tab("/admin", "maint", words.admin))}
                                    {tab("/account", "user", words.account)}
                                </ul>
                            </nav>
                        }
                    })
            })}
        </Suspense>
    }
}
