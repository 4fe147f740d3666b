//! Which page stands at which address.

use leptos::prelude::*;
use leptos_meta::provide_meta_context;
use leptos_router::components::{FlatRoutes, Route, Router};
use leptos_router::{SsrMode, path};

use crate::components::top_bar::{TabBar, TopBar};
use crate::frame::provide_frame;
use crate::pages::account::Account;
use crate::pages::admin::Admin;
use crate::pages::admin::cards::Cards;
use crate::pages::admin::groups::Groups;
use crate::pages::admin::labels::Labels;
use crate::pages::admin::maintenance::Maintenance;
use crate::pages::admin::rules::Rules;
use crate::pages::book::Book;
use crate::pages::booking::Booking;
use crate::pages::bookings::Bookings;
use crate::pages::calendar::Calendar;
use crate::pages::find::Find;
use crate::pages::host::Host;
use crate::pages::hosts::Hosts;
use crate::pages::missing::Missing;
use crate::pages::notices::Notices;
use crate::pages::now::Now;
use crate::pages::setup::Setup;
use crate::pages::sign_in::SignIn;
use crate::pages::sign_up::SignUp;

/// The whole application, on the server. The browser loads each page as a document of its own.
///
/// Its type is erased here, so that its code is made once with this package and not again by each program and test that
/// renders it.
#[component]
pub fn App() -> AnyView {
    provide_meta_context();
    provide_frame();
    view! {
        <Router>
            <TopBar />
            <FlatRoutes fallback=|| view! { <Missing /> }>
                // Rendered to the end before it is sent: every page also works without scripts.
                <Route path=path!("/") view=Now ssr=SsrMode::Async />
                <Route path=path!("/calendar") view=Calendar ssr=SsrMode::Async />
                <Route path=path!("/find") view=Find ssr=SsrMode::Async />
                <Route path=path!("/hosts") view=Hosts ssr=SsrMode::Async />
                <Route path=path!("/hosts/:name") view=Host ssr=SsrMode::Async />
                <Route path=path!("/book") view=Book ssr=SsrMode::Async />
                <Route path=path!("/bookings") view=Bookings ssr=SsrMode::Async />
                <Route path=path!("/bookings/:id") view=Booking ssr=SsrMode::Async />
                <Route path=path!("/admin") view=Admin ssr=SsrMode::Async />
                <Route path=path!("/admin/cards") view=Cards ssr=SsrMode::Async />
                <Route path=path!("/admin/maintenance") view=Maintenance ssr=SsrMode::Async />
                <Route path=path!("/admin/rules") view=Rules ssr=SsrMode::Async />
                <Route path=path!("/admin/groups") view=Groups ssr=SsrMode::Async />
                <Route path=path!("/admin/labels") view=Labels ssr=SsrMode::Async />
                <Route path=path!("/notices") view=Notices ssr=SsrMode::Async />
                <Route path=path!("/account") view=Account ssr=SsrMode::Async />
                <Route path=path!("/sign-in") view=SignIn ssr=SsrMode::Async />
                <Route path=path!("/sign-up") view=SignUp ssr=SsrMode::Async />
                <Route path=path!("/setup") view=Setup ssr=SsrMode::Async />
            </FlatRoutes>
            <TabBar />
        </Router>
    }
    .into_any()
}
