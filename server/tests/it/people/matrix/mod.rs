//! Who may do what: every method of the portal, for everybody. One file for each file of `app::port`.

mod calendar;
mod edits;
mod finder;
mod notices;
mod rules;
mod upkeep;

use app::port::Portal;
use domain::error::{ApiError, ErrorCode};
use domain::id::{CardUuid, HostId, ReservationId, UserId};
use domain::reservation::NewReservation;
use domain::window::Window;
use domain::wire::page::{SetUp, SignIn};
use uuid::Uuid;

use crate::support::clock::MORNING;
use crate::support::people::{Browser, Office, account};

/// What a refusal for want of a session or a role looks like; anything else means the act was allowed to be tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gate {
    Open,
    SignIn,
    Role,
}

fn gate<T>(result: Result<T, ApiError>) -> Gate {
    match result.map_err(|error| error.code) {
        Err(ErrorCode::SignInNeeded) => Gate::SignIn,
        Err(ErrorCode::NotAllowed) => Gate::Role,
        _ => Gate::Open,
    }
}

/// One method, with arguments that pass the gate and get no further than they must.
async fn call(portal: &impl Portal, method: &str) -> Gate {
    let nil = Uuid::nil();
    match method {
        "frame" => gate(portal.frame().await),
        "set_up" => gate(portal.set_up(SetUp { code: String::new(), account: account("x") }).await),
        "sign_up" => gate(portal.sign_up(account("a b")).await),
        "sign_in" => gate(portal.sign_in(SignIn { name: "x".to_owned(), password: String::new() }).await),
        "sign_out" => gate(portal.sign_out().await),
        "account" => gate(portal.account().await),
        "set_zone" => gate(portal.set_zone("UTC".to_owned()).await),
        "link_code" => gate(portal.link_code().await),
        "people" => gate(portal.people().await),
        "fleet" => gate(portal.fleet().await),
        "host_page" => gate(portal.host_page("rig".to_owned()).await),
        "book" => gate(
            portal
                .book(NewReservation::of_cards(
                    vec![CardUuid::parse("GPU-none").unwrap()],
                    Window::new(MORNING, MORNING + time::Duration::hours(1)).unwrap(),
                    "",
                    nil,
                ))
                .await,
        ),
        "bookings" => gate(portal.bookings().await),
        "booking" => gate(portal.booking(ReservationId(nil)).await),
        "cancel" => gate(portal.cancel(ReservationId(nil)).await),
        "end_now" => gate(portal.end_now(ReservationId(nil)).await),
        "admin" => gate(portal.admin().await),
        "enrol_code" => gate(portal.enrol_code("rig".to_owned()).await),
        "revoke_host" => gate(portal.revoke_host(HostId(nil)).await),
        "rotate_host" => gate(portal.rotate_host(HostId(nil)).await),
        "retire_host" => gate(portal.retire_host(HostId(nil)).await),
        "take_back_host" => gate(portal.take_back_host(HostId(nil)).await),
        "map_account" => gate(portal.map_account(None, "x".to_owned(), UserId(nil)).await),
        "unmap_account" => gate(portal.unmap_account(None, "x".to_owned(), UserId(nil)).await),
        other => {
            let found = match calendar::call(portal, other).await {
                None => edits::call(portal, other).await,
                found => found,
            };
            let found = match found {
                None => finder::call(portal, other).await,
                found => found,
            };
            let found = match found {
                None => notices::call(portal, other).await,
                found => found,
            };
            let found = match found {
                None => rules::call(portal, other).await,
                found => found,
            };
            match found {
                None => upkeep::call(portal, other).await.unwrap_or_else(|| panic!("{other} is not in the matrix")),
                Some(gate) => gate,
            }
        }
    }
}

/// Method, then anonymous, member, administrator.
type Row = (&'static str, [Gate; 3]);

const MATRIX: &[Row] = {
    use Gate::{Open, Role, SignIn};
    &[
        ("frame", [Open, Open, Open]),
        ("set_up", [Open, Open, Open]),
        ("sign_up", [Open, Open, Open]),
        ("sign_in", [Open, Open, Open]),
        ("account", [SignIn, Open, Open]),
        ("set_zone", [SignIn, Open, Open]),
        ("link_code", [SignIn, Open, Open]),
        ("people", [SignIn, Open, Open]),
        ("fleet", [SignIn, Open, Open]),
        ("host_page", [SignIn, Open, Open]),
        ("book", [SignIn, Open, Open]),
        ("bookings", [SignIn, Open, Open]),
        ("booking", [SignIn, Open, Open]),
        ("cancel", [SignIn, Open, Open]),
        ("end_now", [SignIn, Open, Open]),
        ("admin", [SignIn, Role, Open]),
        ("enrol_code", [SignIn, Role, Open]),
        ("revoke_host", [SignIn, Role, Open]),
        ("rotate_host", [SignIn, Role, Open]),
        ("retire_host", [SignIn, Role, Open]),
        ("take_back_host", [SignIn, Role, Open]),
        ("map_account", [SignIn, Role, Open]),
        // Somebody else's; one's own is tested with the links.
        ("unmap_account", [SignIn, Role, Open]),
        ("sign_out", [Open, Open, Open]),
    ]
};

#[tokio::test]
async fn everybody_against_every_method() {
    let (office, mut ruth) = Office::set_up().await;
    let mut ada = office.member("ada").await;
    let mut nobody = Browser::default();
    for &(method, expected) in rows() {
        let mut found = Vec::new();
        for browser in [&mut nobody, &mut ada, &mut ruth] {
            found.push(office.act(browser, async |portal| call(portal, method).await).await);
        }
        assert_eq!(found, expected, "{method}");
    }
}

fn rows() -> impl Iterator<Item = &'static Row> {
    // Last the one that ends with signing out.
    [calendar::ROWS, edits::ROWS, finder::ROWS, notices::ROWS, rules::ROWS, upkeep::ROWS, MATRIX].into_iter().flatten()
}

#[test]
fn no_method_is_forgotten() {
    let port = concat!(
        include_str!("../../../../../app/src/port/mod.rs"),
        include_str!("../../../../../app/src/port/calendar.rs"),
        include_str!("../../../../../app/src/port/edits.rs"),
        include_str!("../../../../../app/src/port/finder.rs"),
        include_str!("../../../../../app/src/port/notices.rs"),
        include_str!("../../../../../app/src/port/rules.rs"),
        include_str!("../../../../../app/src/port/upkeep.rs"),
    );
    let methods: Vec<_> = port
        .lines()
        .filter_map(|line| line.trim().strip_prefix("async fn ")?.split_once('('))
        .map(|(name, _)| name)
        .collect();
    assert_eq!(methods.len(), rows().count());
    for method in methods {
        assert!(rows().any(|(name, _)| *name == method), "{method}");
    }
}
