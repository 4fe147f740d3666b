//! What administrators allow: groups, labels, rules. Everybody acts through the portal, as from a browser.

mod approval;
mod edits;
mod groups;
mod labels;
mod limits;
mod pages;
mod quotas;
mod trial;

use app::port::{Edits, Portal, Rules};
use domain::error::{ApiError, ErrorCode, Field};
use domain::id::{CardUuid, GroupId, HostId, ReservationId, RuleId};
use domain::reservation::NewReservation;
use domain::reservation::edit::{Edit, EditAsk, Edited, Scope, Target};
use domain::rules::Limit;
use domain::window::Window;
use domain::wire::rules::RuleAsk;
use time::Duration;
use uuid::Uuid;

use crate::support::clock::MORNING;
use crate::support::fleet::host;
use crate::support::people::{Browser, Office};

/// A portal with an administrator, Ruth, and a host with eight cards.
struct Yard {
    office: Office,
    ruth: Browser,
    host: HostId,
    cards: Vec<CardUuid>,
}

impl Yard {
    async fn new() -> Self {
        let (office, ruth) = Office::set_up().await;
        let (host, cards) = host(&office.pool, "rig", 8).await;
        Self { office, ruth, host, cards }
    }

    /// Makes a rule for everybody and every card.
    async fn rule(&self, name: &str, limit: Limit) -> RuleId {
        self.save(&rule(name, limit)).await.unwrap()
    }

    async fn save(&self, ask: &RuleAsk) -> Result<RuleId, ApiError> {
        let ask = ask.clone();
        self.office.act(&mut again(&self.ruth), async |portal| portal.save_rule(ask).await).await
    }

    /// Makes a group with these members, the first of whom manages it.
    async fn group(&self, name: &str, members: &[&Browser]) -> GroupId {
        let name = name.to_owned();
        let mut ruth = again(&self.ruth);
        let group = self.office.act(&mut ruth, async |portal| portal.make_group(name).await).await.unwrap();
        for (place, member) in members.iter().enumerate() {
            let person = self.office.viewer(&mut again(member)).await.unwrap().id;
            let set = async |portal: &_| Rules::set_member(portal, group, person, place == 0).await;
            self.office.act(&mut ruth, set).await.unwrap();
        }
        group
    }

    async fn book(&self, who: &Browser, cards: &[usize], window: Window) -> Result<ReservationId, ApiError> {
        let cards = cards.iter().map(|card| self.cards[*card].clone()).collect();
        let ask = NewReservation::of_cards(cards, window, "training", Uuid::new_v4());
        self.office.act(&mut again(who), async |portal| portal.book(ask).await).await
    }

    async fn edit(&self, who: &Browser, reservation: ReservationId, edit: Edit) -> Result<Edited, ApiError> {
        let ask = EditAsk { reservation, edit, scope: Scope::One, version: None, idempotency_key: Uuid::new_v4() };
        self.office.act(&mut again(who), async |portal| portal.edit(ask).await).await
    }

    /// Moves it.
    async fn set(&self, who: &Browser, id: ReservationId, window: Window) -> Result<Edited, ApiError> {
        self.edit(who, id, Edit::Set(Target { window: Some(window), ..Target::default() })).await
    }

    /// The actions in the record that are not about bookings, with what they were done to.
    async fn record(&self) -> Vec<(String, String)> {
        sqlx::query_as(
            "select action, subject from audit
             where action !~ '^reservation' and actor is not null and address is not null order by audit_id",
        )
        .fetch_all(&self.office.pool)
        .await
        .unwrap()
    }
}

/// The same browser, for another request at the same time.
fn again(browser: &Browser) -> Browser {
    Browser { id: browser.id }
}

fn rule(name: &str, limit: Limit) -> RuleAsk {
    RuleAsk { id: None, name: name.to_owned(), group: None, label: None, limit }
}

/// Hours from [`MORNING`].
fn hours(from: i64, until: i64) -> Window {
    Window::new(MORNING + Duration::hours(from), MORNING + Duration::hours(until)).unwrap()
}

/// A refusal by a rule: the input that it is about, and the sentence.
fn broken<T: std::fmt::Debug>(result: Result<T, ApiError>) -> (Field, String) {
    let refusal = result.unwrap_err();
    assert_eq!(refusal.code, ErrorCode::AgainstRule, "{refusal:?}");
    (refusal.field.unwrap(), refusal.message)
}
