//! All cards, live.

use domain::id::UserId;
use domain::text::t;
use domain::user::{Act, Role};
use domain::wire::page::Frame;
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use crate::api::fleet::fleet;
use crate::components::icon::Icon;
use crate::components::live_board::LiveBoard;
use crate::components::page::Page;
use crate::frame::loaded;

/// The Now page.
#[component]
pub fn Now() -> impl IntoView {
    let cards = Resource::new_blocking(|| (), |()| fleet());
    let query = use_query_map();
    view! {
        <Page title=t().frame.now class="now">
            <h1 class="sr">{t().now.heading}</h1>
            {loaded(
                cards,
                move |frame, fleet| {
                    if fleet.hosts.is_empty() {
                        return no_hosts(&frame);
                    }
                    let query = query.read_untracked();
                    let viewer = frame.viewer.map_or(UserId(uuid::Uuid::nil()), |viewer| viewer.id);
                    let (show, host) = (query.get("show").unwrap_or_default(), query.get("host").unwrap_or_default());
                    view! { <LiveBoard fleet viewer zone=frame.zone show host /> }.into_any()
                },
            )}
        </Page>
    }
}

fn no_hosts(frame: &Frame) -> AnyView {
    let words = &t().now;
    let admin = frame.viewer.as_ref().map_or(Role::Member, |viewer| viewer.role).may(Act::ManageHosts);
    view! {
        <section class="empty">
            <Icon name="host" />
            <h2>{words.no_hosts}</h2>
            <p>{if admin { words.no_hosts_admin } else { words.no_hosts_member }}</p>
            {admin
                .then(|| {
                    view! {
                        <div>
                            <a class="btn primary" href="/admin">
                                {words.add_host}
                            </a>
                        </div>
                    }
                })}
        </section>
    }
    .into_any()
}
