//! Skip link, top bar with navigation and account menu, the strips below it, and the tab bar of phones.

use domain::text::{When, t};
use domain::user::{Act, Role};
use domain::wire::page::{Frame, Viewer};
use leptos::prelude::*;
use leptos_router::components::A;
use leptos_router::hooks::use_location;

use crate::api::session::SignOut;
use crate::components::icon::Icon;
use crate::components::person::Avatar;
use crate::components::theme::ThemeButton;
use crate::frame::{framed, go, use_frame};
use crate::live::{Link, use_live};

/// Everything above the page. Before one is signed in there is only the warning about plain HTTP.
#[component]
pub fn TopBar() -> impl IntoView {
    // A new page begins at its start for keyboards and screen readers too, as a new document would.
    let path = use_location().pathname;
    Effect::watch(
        move || path.get(),
        |_, _, _| {
            request_animation_frame(|| {
                #[cfg(feature = "hydrate")]
                if let Some(main) = document().get_element_by_id("main") {
                    use wasm_bindgen::JsCast;
                    let _ = main.unchecked_into::<web_sys::HtmlElement>().focus();
                }
            });
        },
        false,
    );
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
        <p class="strip">
            <Icon name="rogue" />
            <span>
                <strong>{words.insecure}</strong>
                " "
                {words.insecure_why}
            </span>
        </p>
    }
    .into_any()
}

fn bar(frame: Frame, viewer: Viewer) -> AnyView {
    let words = &t().frame;
    let role = viewer.role;
    crate::live::run(frame.now);
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
                <Connection />
                <Clock frame=frame.clone() />
                <ThemeButton />
                {menu(viewer)}
            </div>
        </header>
        <OfflineStrip frame />
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
    let menu = NodeRef::<leptos::html::Details>::new();
    close_on_click_elsewhere(menu);
    Effect::new(move || {
        if matches!(sign_out.value().get(), Some(Ok(()))) {
            go("/sign-in");
        }
    });
    view! {
        <details class="menu" node_ref=menu>
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

/// A click anywhere but on its summary, or Escape, closes the menu; a `<details>` does neither by itself.
fn close_on_click_elsewhere(menu: NodeRef<leptos::html::Details>) {
    #[cfg(feature = "hydrate")]
    Effect::new(move || {
        use wasm_bindgen::JsCast;
        let clicks = window_event_listener(leptos::ev::click, move |event| {
            let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
            let on_summary = target.is_some_and(|target| target.closest(".menu > summary").ok().flatten().is_some());
            if let (Some(menu), false) = (menu.get_untracked(), on_summary) {
                menu.set_open(false);
            }
        });
        let keys = window_event_listener(leptos::ev::keydown, move |event| {
            if let (Some(menu), "Escape") = (menu.get_untracked(), event.key().as_str()) {
                menu.set_open(false);
            }
        });
        on_cleanup(move || {
            clicks.remove();
            keys.remove();
        });
    });
    #[cfg(not(feature = "hydrate"))]
    let _ = menu;
}

/// Whether the page is live; not read out, since it changes by itself.
#[component]
fn Connection() -> impl IntoView {
    let live = use_live();
    let words = &t().frame;
    view! {
        <span class=move || match live.link.get() {
            Link::Live => "live hide-s",
            Link::Still | Link::Opening => "live late hide-s",
            Link::Lost | Link::SignedOut => "live off hide-s",
        }>
            {move || match live.link.get() {
                Link::Live => words.live,
                Link::Opening | Link::Lost => words.connecting,
                Link::Still | Link::SignedOut => words.still,
            }}
        </span>
    }
}

/// The time in the viewer's zone.
#[component]
fn Clock(frame: Frame) -> impl IntoView {
    let live = use_live();
    let zone = frame.zone.name().to_owned();
    // By the minute, so that nothing is touched 59 times out of 60.
    let minute = Memo::new(move |_| {
        let now = live.now(frame.now);
        let when = When::new(&frame.zone, now);
        (when.clock(now), frame.zone.letters(now).to_owned())
    });
    view! {
        <span class="clock" title=zone>
            <b>{move || minute.get().0}</b>
            " "
            <span class="muted">{move || minute.get().1}</span>
        </span>
    }
}

/// Says that values are old and that nothing can be sent.
#[component]
fn OfflineStrip(frame: Frame) -> impl IntoView {
    let live = use_live();
    let words = &t().frame;
    // The region exists from the start: one that appears with its text is not read out everywhere.
    view! {
        <div role="status">
            {move || match live.link.get() {
                Link::Lost => {
                    let last = live.last.get_untracked().unwrap_or(frame.now);
                    let when = When::new(&frame.zone, live.tick.get_untracked().unwrap_or(frame.now));
                    let act = view! {
                        <button type="button" class="btn small" on:click=move |_| crate::live::retry()>
                            {words.try_now}
                        </button>
                    };
                    strip(words.offline, (words.offline_values)(&when.at(last)), act.into_any())
                }
                Link::SignedOut => {
                    let act = view! {
                        <a class="btn small" href="/sign-in" target="_blank">
                            {words.sign_in_beside}
                        </a>
                    };
                    strip(words.signed_out, words.signed_out_why.to_owned(), act.into_any())
                }
                Link::Still | Link::Live | Link::Opening => ().into_any(),
            }}
        </div>
    }
}

fn strip(lead: &'static str, text: String, act: AnyView) -> AnyView {
    view! {
        <p class="strip off">
            <Icon name="stale" />
            <span>
                <strong>{lead}</strong>
                " "
                {text}
            </span>
            {act}
        </p>
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
                                    {tab("/bookings", "mine", words.bookings_short)}
                                    {tab("/book", "cal", words.book)}
                                    {viewer
                                        .role
                                        .may(Act::ManageHosts)
                                        .then(|| tab("/admin", "host", words.admin))}
                                    {tab("/account", "user", words.account)}
                                </ul>
                            </nav>
                        }
                    })
            })}
        </Suspense>
    }
}
