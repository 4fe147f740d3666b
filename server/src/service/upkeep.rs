//! Maintenance. Each act is one transaction: the plan, the notices to those who are hit and the record stand or fall
//! together. Nobody's booking moves: who is hit is listed before anything is saved, and told when it is.
//!
//! - [`cards`]: which cards may be booked, and which are open for shares

pub mod cards;

use std::net::IpAddr;
use std::time::Duration;

use domain::error::{ApiError, ErrorCode, Field};
use domain::id::MaintenanceId;
use domain::notice::{Body, NamedCard};
use domain::text::en;
use domain::upkeep::{BadPlan, Hit, Maintenance, MaintenancePage, Plan, PlanAsk, Preview};
use domain::window::Window;
use domain::wire::page::Viewer;
use domain::zone::ZoneTable;
use serde_json::json;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::Services;
use crate::clock::to_micros;
use crate::store::audit::Entry;
use crate::store::card_care::{self, Among};
use crate::store::maintenance::{self as store, Stored};
use crate::store::notices::{self, NewNotice};
use crate::store::{StoreError, audit, change, reservations};

/// How often an act that lost against another transaction is tried again.
const RETRIES: u32 = 3;
/// Seconds after which trying again makes sense when these were not enough.
const BUSY_RETRY_SECONDS: u64 = 3;

/// Who acts, and from where.
#[derive(Clone, Debug)]
pub struct By<'a> {
    /// The administrator.
    pub viewer: &'a Viewer,
    /// The administrator's zone, for times in refusals.
    pub zone: ZoneTable,
    /// Where the request came from.
    pub address: Option<IpAddr>,
}

/// Why one attempt did not work.
enum Failed {
    /// A refusal that trying again does not change.
    Refused(ApiError),
    /// The database did not do it.
    Store(StoreError),
}

impl From<StoreError> for Failed {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<sqlx::Error> for Failed {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

impl From<ApiError> for Failed {
    fn from(error: ApiError) -> Self {
        Self::Refused(error)
    }
}

/// Tries of one act.
#[derive(Default)]
struct Tries(u32);

impl Tries {
    /// Waits a random moment where another try may work; otherwise it is the refusal.
    async fn again(&mut self, failed: Failed) -> Result<(), ApiError> {
        let error = match failed {
            Failed::Refused(refusal) => return Err(refusal),
            Failed::Store(error) => error,
        };
        let lost = error.is_retryable() || error.sqlstate().as_deref() == Some("55P03");
        if !lost {
            return Err(error.into());
        }
        if self.0 == RETRIES {
            return Err(ApiError::new(ErrorCode::Busy, en().reservation.busy).retry_after(BUSY_RETRY_SECONDS));
        }
        self.0 += 1;
        let jitter = u64::from(Uuid::new_v4().as_bytes()[0]);
        tokio::time::sleep(Duration::from_millis(10 + jitter * (40 << self.0) / 255)).await;
        Ok(())
    }
}

/// Everything that is planned, running or past, and what maintenance can be planned for.
///
/// # Errors
/// `server.unavailable`.
pub async fn page(services: &Services) -> Result<MaintenancePage, ApiError> {
    let (pool, now) = (&services.pool, services.clock.now());
    let (open, past) = (store::open(pool, now).await?, store::past(pool, now).await?);
    let hosts = card_care::hosts(pool, now).await?;
    let mut conn = pool.acquire().await.map_err(StoreError::from)?;
    let mut page = MaintenancePage { now, open: Vec::new(), past: Vec::new(), hosts };
    for stored in open {
        let hits = hits(&mut conn, &stored.plan, now).await?.1;
        page.open.push(named(&mut conn, stored, hits).await?);
    }
    for stored in past {
        page.past.push(named(&mut conn, stored, Vec::new()).await?);
    }
    Ok(page)
}

async fn named(conn: &mut PgConnection, stored: Stored, hits: Vec<Hit>) -> Result<Maintenance, StoreError> {
    let (hosts, cards) = store::names(conn, &stored.plan.targets).await?;
    let Stored { id, plan, made_by, called_off_at } = stored;
    Ok(Maintenance { id, plan, hosts, cards, made_by, called_off: called_off_at.is_some(), hits })
}

/// The cards that a plan concerns and the bookings that it meets from now on.
async fn hits(conn: &mut PgConnection, plan: &Plan, now: OffsetDateTime) -> Result<(usize, Vec<Hit>), StoreError> {
    let cards = store::concerned(&mut *conn, &plan.targets).await?;
    let (from, to) = (plan.window.start().max(now), plan.window.end());
    if to <= from {
        return Ok((cards.len(), Vec::new()));
    }
    let hits = card_care::hits(conn, &cards, from, Some(to), Among::All).await?;
    Ok((cards.len(), hits))
}

/// What a plan would mean, without saving anything. `changing` is the maintenance that would become it.
///
/// # Errors
/// `input.invalid`, `not_found`, `reservation.already_over`, `server.unavailable`.
pub async fn preview(services: &Services, plan: &Plan, changing: Option<MaintenanceId>) -> Result<Preview, ApiError> {
    let now = services.clock.now();
    let mut conn = services.pool.acquire().await.map_err(StoreError::from)?;
    let begun = match changing {
        None => None,
        Some(id) => {
            let old = store::one(&mut conn, id).await?.ok_or_else(unknown)?;
            begun(&old, now)?
        }
    };
    let plan = checked(plan, now, begun)?;
    let (cards, hits) = hits(&mut conn, &plan, now).await?;
    Ok(Preview { plan, cards: u32::try_from(cards).unwrap_or(u32::MAX), hits })
}

/// Plans a maintenance. The same id never plans twice.
///
/// # Errors
/// `input.invalid`; `reservation.changed` where others are hit than were listed; `idempotency.key_reused`;
/// `server.busy`, `server.unavailable`.
pub async fn plan(services: &Services, by: &By<'_>, ask: &PlanAsk) -> Result<MaintenanceId, ApiError> {
    let mut tries = Tries::default();
    loop {
        match try_plan(services, by, ask).await {
            Ok(done) => {
                services.live.resync();
                return Ok(done);
            }
            Err(failed) => tries.again(failed).await?,
        }
    }
}

async fn try_plan(services: &Services, by: &By<'_>, ask: &PlanAsk) -> Result<MaintenanceId, Failed> {
    let mut tx = reservations::begin(&services.pool).await?;
    if let Some(known) = store::lock(&mut tx, ask.id).await? {
        return same(&known, &ask.plan);
    }
    store::lock_concerned(&mut tx, &ask.plan.targets).await?;
    // Waiting for the locks took time; maintenance never begins in the past.
    let now = services.clock.now();
    let plan = checked(&ask.plan, now, None)?;
    let (_, hits) = hits(&mut tx, &plan, now).await?;
    all_seen(ask, &hits)?;
    let made = store::insert(&mut tx, ask.id, &plan, by.viewer.id, now).await.map_err(unknown_target)?;
    if !made {
        // The same request a moment ago; it has committed by now.
        let known = store::lock(&mut tx, ask.id).await?;
        return known.map_or_else(|| Err(unknown().into()), |known| same(&known, &ask.plan));
    }
    let notices: Vec<NewNotice> = hits.into_iter().map(|hit| met(&plan, hit)).collect();
    notices::write(&mut tx, &notices, now).await?;
    let entry = Entry { after: Some(json!(plan)), ..entry(by, "maintenance.plan", ask.id, &plan.reason) };
    audit::write(&mut tx, &[entry], now).await?;
    change::note(&mut tx, now).await?;
    tx.commit().await?;
    Ok(ask.id)
}

/// The repeat of a request that has succeeded. A start that was past by a moment became the present then.
fn same(known: &Stored, asked: &Plan) -> Result<MaintenanceId, Failed> {
    let asked_targets = asked.targets.clone().tidy();
    let equal = known.plan.targets == asked_targets
        && known.plan.reason == asked.reason.trim()
        && known.plan.window.end() == to_micros(asked.window.end())
        && known.plan.window.start() >= to_micros(asked.window.start());
    if equal { Ok(known.id) } else { Err(ApiError::new(ErrorCode::KeyReused, en().upkeep.key_reused).into()) }
}

/// Makes another plan of a maintenance that is not over. Of one that runs, the start stays.
///
/// # Errors
/// As [`plan`]; `not_found`, `reservation.already_over`.
pub async fn change(services: &Services, by: &By<'_>, ask: &PlanAsk) -> Result<(), ApiError> {
    let mut tries = Tries::default();
    loop {
        match try_change(services, by, ask).await {
            Ok(done) => {
                services.live.resync();
                return Ok(done);
            }
            Err(failed) => tries.again(failed).await?,
        }
    }
}

async fn try_change(services: &Services, by: &By<'_>, ask: &PlanAsk) -> Result<(), Failed> {
    let mut tx = reservations::begin(&services.pool).await?;
    let old = store::lock(&mut tx, ask.id).await?.ok_or_else(unknown)?;
    store::lock_concerned(&mut tx, &ask.plan.targets).await?;
    let now = services.clock.now();
    let plan = checked(&ask.plan, now, begun(&old, now)?)?;
    if plan == old.plan {
        return Ok(());
    }
    let (_, before) = hits(&mut tx, &old.plan, now).await?;
    let (_, hits) = hits(&mut tx, &plan, now).await?;
    all_seen(ask, &hits)?;
    store::update(&mut tx, ask.id, &plan).await.map_err(unknown_target)?;
    // Told is who reads something new: whom it did not meet before, or not so, and whom it no longer meets.
    let as_before = |hit: &Hit| {
        let said = |plan: &Plan| (plan.reason.clone(), plan.window);
        said(&plan) == said(&old.plan)
            && before.iter().any(|was| was.reservation == hit.reservation && was.cards == hit.cards)
    };
    let freed: Vec<NewNotice> = before
        .iter()
        .filter(|was| hits.iter().all(|hit| hit.reservation != was.reservation))
        .map(|was| called_off_for(&old.plan, was.clone()))
        .collect();
    let mut notices: Vec<NewNotice> =
        hits.iter().filter(|hit| !as_before(hit)).map(|hit| met(&plan, hit.clone())).collect();
    notices.extend(freed);
    notices::write(&mut tx, &notices, now).await?;
    let entry = Entry {
        before: Some(json!(old.plan)),
        after: Some(json!(plan)),
        ..entry(by, "maintenance.change", ask.id, &plan.reason)
    };
    audit::write(&mut tx, &[entry], now).await?;
    change::note(&mut tx, now).await?;
    tx.commit().await?;
    Ok(())
}

/// Calls a maintenance off; one that runs ends now, and stays on record.
///
/// # Errors
/// `not_found`, `reservation.already_over`, `server.busy`, `server.unavailable`.
pub async fn call_off(services: &Services, by: &By<'_>, id: MaintenanceId) -> Result<(), ApiError> {
    let mut tries = Tries::default();
    loop {
        match try_call_off(services, by, id).await {
            Ok(done) => {
                services.live.resync();
                return Ok(done);
            }
            Err(failed) => tries.again(failed).await?,
        }
    }
}

async fn try_call_off(services: &Services, by: &By<'_>, id: MaintenanceId) -> Result<(), Failed> {
    let mut tx = reservations::begin(&services.pool).await?;
    let old = store::lock(&mut tx, id).await?.ok_or_else(unknown)?;
    let now = services.clock.now();
    let begun = begun(&old, now)?;
    let (_, before) = hits(&mut tx, &old.plan, now).await?;
    let ended = begun.and_then(|start| Window::new(start, now).ok());
    let action = match ended {
        Some(window) => {
            store::update(&mut tx, id, &Plan { window, ..old.plan.clone() }).await?;
            "maintenance.end"
        }
        None => {
            store::call_off(&mut tx, id, now).await?;
            "maintenance.call_off"
        }
    };
    let notices: Vec<NewNotice> = before.into_iter().map(|was| called_off_for(&old.plan, was)).collect();
    notices::write(&mut tx, &notices, now).await?;
    let entry = Entry { before: Some(json!(old.plan)), ..entry(by, action, id, &old.plan.reason) };
    audit::write(&mut tx, &[entry], now).await?;
    change::note(&mut tx, now).await?;
    tx.commit().await?;
    Ok(())
}

fn entry<'a>(by: &By<'_>, action: &'a str, id: MaintenanceId, reason: &str) -> Entry<'a> {
    let subject = format!("{reason} ({id})");
    Entry { actor: Some(by.viewer.id), action, subject, address: by.address, ..Entry::default() }
}

fn met(plan: &Plan, hit: Hit) -> NewNotice {
    let body = Body::Maintenance { reason: plan.reason.clone(), during: plan.window, cards: hit.cards };
    NewNotice { user: hit.owner, body, reservation: Some(hit.reservation), once: None }
}

fn called_off_for(plan: &Plan, hit: Hit) -> NewNotice {
    let body = Body::MaintenanceOff { reason: plan.reason.clone(), during: plan.window, cards: hit.cards };
    NewNotice { user: hit.owner, body, reservation: Some(hit.reservation), once: None }
}

/// The start of a maintenance that runs; `None` of one that is to come.
fn begun(old: &Stored, now: OffsetDateTime) -> Result<Option<OffsetDateTime>, ApiError> {
    if old.called_off_at.is_some() || old.plan.window.end() <= now {
        return Err(ApiError::new(ErrorCode::AlreadyOver, en().upkeep.already_over));
    }
    let start = old.plan.window.start();
    Ok((start <= now).then_some(start))
}

fn checked(plan: &Plan, now: OffsetDateTime, begun: Option<OffsetDateTime>) -> Result<Plan, ApiError> {
    let plan = plan.check(now, begun).map_err(refuse)?;
    let window = Window::new(to_micros(plan.window.start()), to_micros(plan.window.end()));
    Ok(Plan { window: window.map_err(|_| refuse(BadPlan::Over))?, ..plan })
}

fn refuse(why: BadPlan) -> ApiError {
    let field = match why {
        BadPlan::Reason => Field::Reason,
        BadPlan::InThePast | BadPlan::TooFarAhead => Field::Start,
        BadPlan::Over | BadPlan::TooLong => Field::End,
        BadPlan::NoTarget => Field::Cards,
    };
    ApiError::new(ErrorCode::BadInput, (en().upkeep.bad_plan)(why)).on(field)
}

fn unknown() -> ApiError {
    ApiError::new(ErrorCode::NotFound, en().upkeep.unknown)
}

fn unknown_target(error: StoreError) -> Failed {
    match error.constraint() {
        Some(store::HOST_EXISTS) => ApiError::new(ErrorCode::BadInput, en().errors.unknown_host).on(Field::Host).into(),
        Some(store::CARD_EXISTS) => {
            ApiError::new(ErrorCode::UnknownCard, en().upkeep.unknown_card).on(Field::Cards).into()
        }
        _ => error.into(),
    }
}

/// Nothing is saved whose consequences were not listed.
fn all_seen(ask: &PlanAsk, hits: &[Hit]) -> Result<(), ApiError> {
    let Some(seen) = &ask.seen else { return Ok(()) };
    let mut names: Vec<&str> =
        hits.iter().filter(|hit| !seen.contains(&hit.reservation)).map(|hit| hit.person.as_str()).collect();
    names.dedup();
    if names.is_empty() {
        return Ok(());
    }
    Err(ApiError::new(ErrorCode::Changed, (en().upkeep.others_hit)(&names)))
}

/// How a card is called in the record.
fn called(card: &NamedCard) -> String {
    format!("{} on {} ({})", card.number, card.host, card.uuid)
}
