//! A portal without a router: people act on it through [`RequestPortal`], one request after the other.

use std::net::IpAddr;
use std::sync::Arc;

use app::port::Portal;
use domain::error::{ApiError, ErrorCode};
use domain::user::Role;
use domain::wire::page::{NewAccount, SetUp, SignIn, Viewer};
use server::auth::session::Sessions;
use server::auth::{AgentHost, Caller};
use server::portal::RequestPortal;
use server::service::{Services, SiteFacts, hosts, setup};
use sqlx::PgPool;
use tower_sessions::Session;
use tower_sessions::session::Id;

use super::clock::TestClock;
use super::cluster::database;

/// What everybody's password is here.
pub const PASSWORD: &str = "quiet orange ladder";

/// The portal.
pub struct Office {
    pub pool: PgPool,
    pub clock: TestClock,
    pub services: Services,
    sessions: Arc<Sessions>,
}

/// One browser: it keeps the session's id from one request to the next.
#[derive(Default)]
pub struct Browser {
    pub id: Option<Id>,
}

pub fn address() -> IpAddr {
    [192, 0, 2, 1].into()
}

/// An account that fits.
pub fn account(name: &str) -> NewAccount {
    NewAccount {
        name: name.to_owned(),
        display_name: format!("Person {name}"),
        password: PASSWORD.to_owned(),
        zone: "Europe/Berlin".to_owned(),
    }
}

/// The code of a refusal.
pub fn code<T>(result: Result<T, impl Into<ApiError>>) -> ErrorCode {
    result.err().unwrap().into().code
}

/// A host in this database whose agent has enrolled, and its credential.
pub async fn enrolled(pool: &PgPool, name: &str) -> (AgentHost, String) {
    let site = SiteFacts::at("http://127.0.0.1:3000");
    enrol(&Services::new(pool.clone(), Arc::new(TestClock::at_morning()), site), name).await
}

async fn enrol(services: &Services, name: &str) -> (AgentHost, String) {
    let code = hosts::enrol_code(services, name).await.unwrap().code;
    let ask =
        domain::wire::agent_v1::EnrolRequest { code, hostname: name.to_owned(), agent_version: "0.1.0".to_owned() };
    let reply = hosts::enrol(services, ask, address()).await.unwrap();
    (AgentHost { id: reply.host, name: reply.host_name }, reply.credential)
}

impl Office {
    /// A portal that is not set up.
    pub async fn new() -> Self {
        let pool = database(8).await;
        let clock = TestClock::at_morning();
        let site = SiteFacts::at("http://127.0.0.1:3000");
        let services = Services::new(pool.clone(), Arc::new(clock.clone()), site);
        let sessions = Arc::new(Sessions::new(pool.clone(), Arc::new(clock.clone())));
        Self { pool, clock, services, sessions }
    }

    /// A portal with an administrator, `ruth`.
    pub async fn set_up() -> (Self, Browser) {
        let office = Self::new().await;
        let code = setup::ensure_code(&office.services).await.unwrap().unwrap();
        let mut ruth = Browser::default();
        office
            .act(&mut ruth, async |portal| portal.set_up(SetUp { code, account: account("ruth") }).await)
            .await
            .unwrap();
        (office, ruth)
    }

    /// A browser in which a new member has signed up.
    pub async fn member(&self, name: &str) -> Browser {
        let mut browser = Browser::default();
        self.act(&mut browser, async |portal| portal.sign_up(account(name)).await).await.unwrap();
        browser
    }

    /// One request from a browser, from [`address`].
    pub async fn act<T>(&self, browser: &mut Browser, act: impl AsyncFnOnce(&RequestPortal) -> T) -> T {
        self.act_from(address(), browser, act).await
    }

    /// One request from a browser.
    pub async fn act_from<T>(
        &self,
        address: IpAddr,
        browser: &mut Browser,
        act: impl AsyncFnOnce(&RequestPortal) -> T,
    ) -> T {
        let session = Session::new(browser.id, self.sessions.clone(), None);
        let caller = Caller::find(&self.services, session.clone(), address).await;
        let portal = RequestPortal { services: self.services.clone(), caller };
        let answer = act(&portal).await;
        browser.id = session.id();
        answer
    }

    /// Who the portal thinks sits at a browser.
    pub async fn viewer(&self, browser: &mut Browser) -> Option<Viewer> {
        self.act(browser, async |portal| portal.frame().await).await.unwrap().viewer
    }

    /// Signs in.
    pub async fn sign_in(&self, browser: &mut Browser, name: &str, password: &str) -> Result<(), ApiError> {
        let ask = SignIn { name: name.to_owned(), password: password.to_owned() };
        self.act(browser, async |portal| portal.sign_in(ask).await).await
    }

    /// A host whose agent has enrolled, and its credential.
    pub async fn host(&self, name: &str) -> (AgentHost, String) {
        enrol(&self.services, name).await
    }

    /// How many administrators there are.
    pub async fn administrators(&self) -> i64 {
        sqlx::query_scalar(r#"select count(*) from "user" where role = $1"#)
            .bind(Role::Administrator.as_str())
            .fetch_one(&self.pool)
            .await
            .unwrap()
    }
}
