//! Judging a booking inside its own transaction: its owner's row is locked, so nobody else counts or adds to what the
//! owner has before this one is written or given up. Quotas cannot be raced.

use domain::error::{ApiError, ErrorCode};
use domain::id::{ReservationId, UserId};
use domain::rules::{Asked, Claim, Clocks, Held, Judgement, Measure, Standing, judge};
use domain::text::{When, en};
use domain::user::Act;
use domain::window::Window;
use domain::wire::page::Viewer;
use domain::zone::ZoneTable;
use sqlx::PgConnection;
use time::{Duration, OffsetDateTime};

use crate::store::rules as store;
use crate::store::rules::standing::{self, RuledPerson};
use crate::store::{StoreError, groups};
use crate::zone;

/// How far back what somebody has held can matter: to the first of the month in which something begins.
const BACK: Duration = Duration::days(40);

/// A card, an instance or a share that a booking has or had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Which.
    pub card: domain::id::CardUuid,
    /// The part of the physical card, as it is stored: from, until.
    pub slices: (i32, Option<i32>),
    /// When.
    pub window: Window,
}

/// A booking, as it is or as it is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stand {
    /// As a whole.
    pub window: Window,
    /// Everything that it holds or has held, but for what is on record only.
    pub pieces: Vec<Piece>,
}

/// What is asked.
#[derive(Debug)]
pub struct Question<'a> {
    /// Which booking; it is not among what its owner has otherwise.
    pub reservation: ReservationId,
    /// Whose it is to be. The row is locked.
    pub owner: UserId,
    /// As it is to be.
    pub becomes: Stand,
    /// As it is, where it is edited; then a rule may stay as broken as it was. `None` where it is new, changes its owner
    /// or is approved: then every rule counts in full.
    pub was: Option<Stand>,
    /// Whoever asks may approve it: it needs nobody else's approval, also while it runs.
    pub approved: bool,
    /// The zone in which its times are meant.
    pub zone: &'a ZoneTable,
    /// The clock.
    pub now: OffsetDateTime,
}

/// Judges it. Gives whether a rule asks for somebody's approval.
///
/// # Errors
/// `rule.broken`, naming each rule and how to comply, with the input that it is about; `server.unavailable`.
pub async fn judge_in(conn: &mut PgConnection, question: &Question<'_>) -> Result<bool, ApiError> {
    let rules = store::of_person(&mut *conn, question.owner).await?;
    if rules.is_empty() {
        return Ok(false);
    }
    let Question { now, zone, .. } = *question;
    let person = person(conn, question.owner).await?;
    let from = question.becomes.window.start().min(now);
    let mut standing = standing(conn, question.owner, &person, from, Some(question.reservation)).await?;
    let stands: Vec<&Stand> = std::iter::once(&question.becomes).chain(&question.was).collect();
    let mut names: Vec<_> = stands.iter().flat_map(|stand| &stand.pieces).map(|piece| piece.card.clone()).collect();
    names.sort_unstable();
    names.dedup();
    let cards = standing::cards(conn, &names).await?;
    let held = |piece: &Piece| {
        let card = cards.iter().find(|card| card.uuid == piece.card)?;
        let (part, labels) = (card.part(piece.slices), card.labels.clone());
        Some(Held { reservation: None, card: piece.card.clone(), part, window: piece.window, labels })
    };
    let claim = |stand: &Stand| {
        let live = stand.pieces.iter().filter(|piece| piece.window.end() > now);
        Claim { window: stand.window, cards: live.filter_map(held).collect() }
    };
    // What it has given back already, it has used.
    let used = question.becomes.pieces.iter().filter(|piece| piece.window.end() <= now).filter_map(held);
    standing.holds.extend(used);
    let asked = Asked { claim: claim(&question.becomes), was: question.was.as_ref().map(claim) };
    let person_zone = zone::table(&person.zone, now);
    let mut judgement = judge(&rules, &standing, &asked, &Clocks { now, person: &person_zone, booking: zone });
    let waits = needs_approval(&mut judgement, question.approved);
    // Times are said in the zone in which they were meant.
    match en().against_rules(&judgement, &standing, &When::new(zone, now)) {
        Some(refusal) => Err(refusal),
        None => Ok(waits),
    }
}

/// Whether a rule asks for approval; whoever may give it has given it.
fn needs_approval(judgement: &mut Judgement, approved: bool) -> bool {
    let running = judgement.breaches.iter().any(|breach| breach.measure == Measure::Approval);
    if approved {
        judgement.breaches.retain(|breach| breach.measure != Measure::Approval);
    }
    judgement.needs_approval.is_some() || (approved && running)
}

/// Somebody as rules look at them.
pub(super) async fn person(conn: &mut PgConnection, id: UserId) -> Result<RuledPerson, ApiError> {
    let unknown = || ApiError::new(ErrorCode::UnknownPerson, en().errors.unknown_person);
    standing::person(conn, id).await?.ok_or_else(unknown)
}

/// What somebody has beside one booking, as far as it matters for one that begins at `from` or later.
pub(super) async fn standing(
    conn: &mut PgConnection,
    id: UserId,
    person: &RuledPerson,
    from: OffsetDateTime,
    except: Option<ReservationId>,
) -> Result<Standing, StoreError> {
    let holds = standing::holds(conn, id, from - BACK, except).await?;
    Ok(Standing { groups: person.groups.clone(), holds, approves: false, ask: person.ask.clone() })
}

/// Whether somebody may approve what another one books: administrators, and managers of a group that the other one is in.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn may_approve(conn: &mut PgConnection, viewer: &Viewer, owner: UserId) -> Result<bool, StoreError> {
    Ok(viewer.role.may(Act::ManageRules) || groups::manages(conn, viewer.id, owner).await?)
}

/// For how long a booking waits for approval before it is given up.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn approval_within(conn: &mut PgConnection) -> Result<Duration, StoreError> {
    Ok(Duration::hours(store::approval_hours(conn).await?.into()))
}
