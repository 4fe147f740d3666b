//! Demonstration data: people, groups, rules, maintenance and two weeks of bookings, so that nobody's first look is an
//! empty calendar. All of it is made by the services that real people use, each at the time at which it would have been
//! made; all of it says that it is a demonstration; all of it is removed by one act.
//!
//! - [`people`]: who there is
//! - [`schedule`]: who has booked what

mod people;
mod schedule;

use std::collections::BTreeMap;
use std::sync::Arc;

use domain::error::{ApiError, ErrorCode};
use domain::finder::{Link, Span, Want};
use domain::id::{CardUuid, GroupId, HostId, MaintenanceId};
use domain::reservation::NewReservation;
use domain::reservation::series::{NewSeries, Take};
use domain::rules::Limit;
use domain::upkeep::{CaredHost, Plan, PlanAsk, Shares, Targets};
use domain::user::Role;
use domain::window::Window;
use domain::wire::page::Viewer;
use domain::wire::rules::RuleAsk;
use domain::zone::ZoneTable;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::groups::{self, Membership};
use super::upkeep::{self, By, cards};
use super::{Services, labels, rules};
use crate::clock::{Clock, to_micros};
use crate::store::demo::{self as store, Marks};
use crate::store::{StoreError, card_care, change, labels as label_store};
use people::Made;
use schedule::{Becomes, Entry, Repeats};

/// The label of the host on which groups train.
const LABEL: &str = "demo-training";
/// Why a card is kept from being booked.
const KEPT_BACK: &str = "Display card (demo)";

/// What was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filled {
    /// How many people.
    pub people: usize,
    /// How many bookings.
    pub bookings: usize,
    /// The sign-in name of the one who can sign in.
    pub name: String,
    /// Its password, made up now and kept nowhere.
    pub password: String,
    /// An administrator where there was none.
    pub role: Role,
}

/// Why nothing was made; one sentence for the operator.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    /// There is nothing to book.
    #[error("no host has reported a card yet: start the hosts first")]
    NoCards,
    /// Real people use this portal.
    #[error(
        "people have {0} bookings on this portal, and demonstration data would stand among them: nothing was made. If \
         that is what you want, say --anyway"
    )]
    InUse(i64),
    /// A service refused something that it should not.
    #[error("{}", .0.message)]
    Refused(ApiError),
}

impl<E: Into<ApiError>> From<E> for DemoError {
    fn from(error: E) -> Self {
        Self::Refused(error.into())
    }
}

/// A clock that stands at the time at which something would have been done.
struct At(OffsetDateTime);

impl Clock for At {
    fn now(&self) -> OffsetDateTime {
        self.0
    }
}

/// The portal as it would have been used at another time.
fn at(services: &Services, when: OffsetDateTime) -> Services {
    Services::new(services.pool.clone(), Arc::new(At(to_micros(when))), services.site.clone())
}

/// Makes the demonstration data around now; what there was of it before is removed first.
///
/// # Errors
/// [`DemoError`].
pub async fn fill(services: &Services, anyway: bool) -> Result<Filled, DemoError> {
    let now = services.clock.now();
    hosts(services, now).await?;
    let mut conn = services.pool.acquire().await.map_err(StoreError::from)?;
    let before = store::marks(&mut conn).await?.unwrap_or_default();
    drop(conn);
    let real = store::real_bookings(&services.pool, &before.people, now).await?;
    if real > 0 && !anyway {
        return Err(DemoError::InUse(real));
    }
    remove(services).await?;
    // As they are without what was made before.
    let hosts = hosts(services, now).await?;

    let (made, password, mut marks) = people::make(services).await?;
    let keeper = Keeper::new(&made);
    // What follows is noted before it is done, so that what is left of a failure can be removed as well.
    plan_cards(services, &hosts, &mut marks).await?;
    note(services, &marks).await?;

    make_groups(services, &keeper, &made, &mut marks).await?;
    dress_cards(services, &keeper, &hosts, &marks).await?;
    maintain(services, &keeper, &hosts, now).await?;
    let bookings = book(services, &hosts, &made, now).await?;
    wait(services, &hosts, &made, now).await?;
    services.live.resync();
    let (name, role) =
        made.first().map_or((String::new(), Role::Member), |made| (made.viewer.name.clone(), made.viewer.role));
    Ok(Filled { people: made.len(), bookings, name, password, role })
}

/// Removes all of it. Tells whether there was any.
///
/// # Errors
/// [`DemoError::Refused`] where the database does not do it; then all of it is still there.
pub async fn remove(services: &Services) -> Result<bool, DemoError> {
    let mut tx = services.pool.begin().await.map_err(StoreError::from)?;
    let Some(marks) = store::marks(&mut tx).await? else { return Ok(false) };
    store::remove(&mut tx, &marks).await?;
    change::note(&mut tx, services.clock.now()).await?;
    tx.commit().await.map_err(StoreError::from)?;
    services.live.resync();
    Ok(true)
}

/// Hosts with cards that can be booked, the largest first.
async fn hosts(services: &Services, now: OffsetDateTime) -> Result<Vec<CaredHost>, DemoError> {
    let mut hosts = card_care::hosts(&services.pool, now).await?;
    for host in &mut hosts {
        host.cards.retain(|card| !card.cut && card.not_bookable.is_none());
    }
    hosts.retain(|host| !host.cards.is_empty());
    hosts.sort_by_key(|host| std::cmp::Reverse(host.cards.len()));
    if hosts.is_empty() { Err(DemoError::NoCards) } else { Ok(hosts) }
}

async fn note(services: &Services, marks: &Marks) -> Result<(), DemoError> {
    let mut conn = services.pool.acquire().await.map_err(StoreError::from)?;
    Ok(store::note(&mut conn, marks).await?)
}

/// A person of the demonstration in the place of an administrator. The account is a member's, and nobody can sign in with
/// it.
struct Keeper(Viewer);

impl Keeper {
    fn new(made: &[Made]) -> Self {
        let last = made.last().map(|made| made.viewer.clone());
        let nobody = || Viewer {
            id: domain::id::UserId(Uuid::nil()),
            name: String::new(),
            display_name: String::new(),
            role: Role::Member,
        };
        Self(Viewer { role: Role::Administrator, ..last.unwrap_or_else(nobody) })
    }

    fn by(&self) -> By<'_> {
        By { viewer: &self.0, zone: ZoneTable::utc(), address: None }
    }
}

/// Which cards are opened for shares and kept from being booked, and which label a host gets.
async fn plan_cards(services: &Services, hosts: &[CaredHost], marks: &mut Marks) -> Result<(), DemoError> {
    let free = |host: &&CaredHost| host.cards.len() > 1;
    let shared = hosts.iter().skip(1).filter(free).flat_map(|host| host.cards.last());
    marks.shared = shared
        .filter(|card| card.can_be_shared() && card.shares.is_none() && card.memory_mib.is_some())
        .map(|card| card.uuid.clone())
        .next();
    let last = hosts.iter().skip(1).rfind(free).and_then(|host| host.cards.last());
    marks.kept_back = last
        .filter(|card| card.booked == 0 && Some(&card.uuid) != marks.shared.as_ref())
        .map(|card| (card.uuid.clone(), KEPT_BACK.to_owned()));
    if let Some(host) = hosts.first() {
        marks.host_labels = vec![(host.id, LABEL.to_owned())];
    }
    let known = labels_of(services, hosts).await?;
    marks.host_labels.retain(|(host, label)| !known.get(host).is_some_and(|labels| labels.contains(label)));
    Ok(())
}

async fn labels_of(services: &Services, hosts: &[CaredHost]) -> Result<BTreeMap<HostId, Vec<String>>, DemoError> {
    let all = label_store::list(&services.pool).await?;
    let known = all.into_iter().filter(|row| hosts.iter().any(|host| host.id == row.id));
    Ok(known.map(|row| (row.id, row.labels)).collect())
}

async fn make_groups(services: &Services, keeper: &Keeper, made: &[Made], marks: &mut Marks) -> Result<(), DemoError> {
    let mut ids: Vec<GroupId> = Vec::new();
    for group in people::GROUPS {
        let id = groups::make(services, &keeper.by(), group.name).await?;
        ids.push(id);
        marks.groups.push(id);
        note(services, marks).await?;
        for (place, person) in group.people.iter().enumerate() {
            let Some(person) = made.get(*person) else { continue };
            let becomes = if place == 0 { Membership::Manager } else { Membership::Member };
            groups::set_member(services, &keeper.by(), id, person.viewer.id, becomes).await?;
        }
    }
    let rule = |name: &str, group: usize, label: Option<&str>, limit| RuleAsk {
        id: None,
        name: name.to_owned(),
        group: ids.get(group).copied(),
        label: label.map(ToOwned::to_owned),
        limit,
    };
    for ask in [
        rule("Approval for training (demo)", people::ROBOTICS, Some(LABEL), Limit::Approval),
        rule("At most 3 days (demo)", people::LANGUAGE, None, Limit::Longest { minutes: 3 * 24 * 60 }),
        rule("At most 8 cards at once (demo)", people::VISION, None, Limit::MostCards { cards: 8 }),
    ] {
        rules::save(services, &keeper.by(), &ask).await?;
    }
    Ok(())
}

async fn dress_cards(
    services: &Services,
    keeper: &Keeper,
    hosts: &[CaredHost],
    marks: &Marks,
) -> Result<(), DemoError> {
    let known = labels_of(services, hosts).await?;
    for (host, label) in &marks.host_labels {
        let mut labels = known.get(host).cloned().unwrap_or_default();
        labels.push(label.clone());
        labels::set_host(services, &keeper.by(), *host, &labels.join(" ")).await?;
    }
    if let Some(card) = &marks.shared {
        let memory = hosts.iter().flat_map(|host| &host.cards).find(|known| known.uuid == *card);
        let memory_mib = memory.and_then(|card| card.memory_mib).unwrap_or_default() / 4;
        cards::share(services, &keeper.by(), card, Some(Shares { count: 4, memory_mib })).await?;
    }
    if let Some((card, reason)) = &marks.kept_back {
        cards::keep_back(services, &keeper.by(), card, Some(reason)).await?;
    }
    Ok(())
}

/// One maintenance that was, and one that is to come.
async fn maintain(
    services: &Services,
    keeper: &Keeper,
    hosts: &[CaredHost],
    now: OffsetDateTime,
) -> Result<(), DemoError> {
    let Some(host) = hosts.get(1).or(hosts.first()) else { return Ok(()) };
    for (day, hour, hours, reason) in [(-5, 7, 3, "New power supply (demo)"), (3, 8, 4, "Driver update (demo)")] {
        let Some(window) = schedule::window(now, day, hour, hours) else { continue };
        let targets = Targets { hosts: vec![host.id], ..Targets::default() };
        let plan = Plan { reason: reason.to_owned(), window, targets };
        let ask = PlanAsk { id: MaintenanceId(Uuid::now_v7()), plan, seen: None };
        upkeep::plan(&at(services, now.min(window.start() - Duration::days(1))), &keeper.by(), &ask).await?;
    }
    Ok(())
}

/// Books what the schedule says, as far as there is room. Gives how many there are.
async fn book(
    services: &Services,
    hosts: &[CaredHost],
    made: &[Made],
    now: OffsetDateTime,
) -> Result<usize, DemoError> {
    let hosts = self::hosts(services, now).await.unwrap_or_else(|_| hosts.to_vec());
    let mut count = 0;
    for entry in schedule::entries(&hosts, now) {
        let Some(person) = made.get(entry.who) else { continue };
        let asked_at = now.min(entry.window.start() - entry.ahead);
        let then = at(services, asked_at);
        let mut ask = NewReservation::of_cards(entry.cards.clone(), entry.window, entry.purpose, Uuid::now_v7());
        ask.shares = entry.cards.iter().filter_map(|card| Some((card.clone(), entry.shares?))).collect();
        ask.zone = Some(person.zone.to_owned());
        count += match &entry.repeats {
            Some(Repeats(repeat)) => {
                let ask = NewSeries { first: ask, repeat: *repeat, take: Take::FreeOnes, doubled: None };
                skipped(then.reservations.book_series(&person.viewer, &ask).await)?.map_or(0, |done| done.booked.len())
            }
            None => match skipped(then.reservations.book(&person.viewer, &ask).await)? {
                Some(id) => {
                    finish(services, &person.viewer, id, &entry, now).await?;
                    1
                }
                None => 0,
            },
        };
    }
    Ok(count)
}

/// What became of it before now.
async fn finish(
    services: &Services,
    who: &Viewer,
    id: domain::id::ReservationId,
    entry: &Entry,
    now: OffsetDateTime,
) -> Result<(), DemoError> {
    match entry.becomes {
        Becomes::Whole => {}
        Becomes::Cancelled => {
            let when = entry.window.start() - Duration::minutes(90);
            skipped(at(services, when.min(now)).reservations.cancel(who, id).await)?;
        }
        Becomes::EndedEarly => {
            let when = entry.window.start() + entry.window.length() * 3 / 5;
            if when < now {
                skipped(at(services, when).reservations.end_now(who, id).await)?;
            }
        }
    }
    Ok(())
}

/// What does not fit is left out: cards may be sick, or booked by real people.
fn skipped<T>(result: Result<T, ApiError>) -> Result<Option<T>, DemoError> {
    match result {
        Ok(done) => Ok(Some(done)),
        Err(refusal) => match refusal.code {
            ErrorCode::Overlap
            | ErrorCode::Maintenance
            | ErrorCode::CardNotBookable
            | ErrorCode::UnknownCard
            | ErrorCode::NoShares
            | ErrorCode::AgainstRule
            | ErrorCode::AlreadyOver
            | ErrorCode::BadInput => Ok(None),
            _ => Err(refusal.into()),
        },
    }
}

/// Two people who wait for cards that somebody else has.
async fn wait(services: &Services, hosts: &[CaredHost], made: &[Made], now: OffsetDateTime) -> Result<(), DemoError> {
    let Some(host) = hosts.first() else { return Ok(()) };
    let mut conn = services.pool.acquire().await.map_err(StoreError::from)?;
    let count = u32::try_from(host.cards.len()).unwrap_or(1);
    for (person, hours) in [(3, 4), (6, 12)] {
        let (Some(person), Ok(window)) =
            (made.get(person), Window::new(now + Duration::hours(1), now + Duration::hours(1 + hours)))
        else {
            continue;
        };
        let want = Want {
            count,
            model: None,
            architecture: None,
            memory_mib: None,
            link: Link::Any,
            spread: false,
            hosts: vec![host.name.clone()],
            labels: Vec::new(),
            when: Span::At(window),
        };
        store::wait(&mut conn, person.viewer.id, &want, "Scaling test", window.start() + Duration::hours(1), now)
            .await?;
    }
    Ok(())
}

/// The cards of a host, by their places in its list; those that are not there are left out.
fn picked(host: &CaredHost, first: usize, count: usize) -> Vec<CardUuid> {
    host.cards.iter().skip(first).take(count).map(|card| card.uuid.clone()).collect()
}
