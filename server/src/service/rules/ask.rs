//! Judging a booking inside its own transaction: its owner's row is locked, so nobody else counts or adds to what the
//! owner has before this one is written or given up. Quotas cannot be raced.

use domain::error::{ApiError, ErrorCode};
use domain::id::{CardUuid, ReservationId, UserId};
use domain::rules::{Asked, Breach, Claim, Clocks, Held, Measure, Rule, Standing, judge};
use domain::text::{When, en};
use domain::user::Act;
use domain::window::Window;
use domain::wire::page::Viewer;
use domain::zone::ZoneTable;
use sqlx::PgConnection;
use time::{Duration, OffsetDateTime};

use crate::store::StoreError;
use crate::store::reservations::held::Held as Booking;
use crate::store::reservations::people::manages;
use crate::store::rules as store;
use crate::store::rules::standing::{self, RuledCard, RuledPerson};
use crate::zone;

/// How far back what somebody has held can matter: to the first of the month in which something begins.
pub(in crate::service) const BACK: Duration = Duration::days(40);

/// What is asked.
#[derive(Debug)]
pub struct Question<'a> {
    /// The booking as it is to be. Its owner's row is locked.
    pub booking: &'a Booking,
    /// As it is, where it is edited: then a rule may stay as broken as it was. `None` where it is new, changes its owner or
    /// is approved: then every rule counts in full.
    pub before: Option<&'a Booking>,
    /// Whoever asks; `None`: the portal. Where they may approve it, it needs nobody else's approval, also while it runs.
    pub by: Option<&'a Viewer>,
    /// The zone in which its times are meant.
    pub zone: &'a ZoneTable,
    /// The clock.
    pub now: OffsetDateTime,
}

/// Judges it by the rules that are for its owner. Gives whether a rule asks for somebody's approval.
///
/// # Errors
/// `rule.broken`, naming each rule and how to comply, with the input that it is about; `server.unavailable`.
pub async fn judge_in(conn: &mut PgConnection, rules: &[Rule], question: &Question<'_>) -> Result<bool, ApiError> {
    if rules.is_empty() {
        return Ok(false);
    }
    let Question { booking, before, now, zone, .. } = *question;
    let person = person(conn, booking.owner).await?;
    let from = booking.window.start().min(now);
    let mut standing = standing(conn, booking.owner, &person, from, Some(booking.id), now).await?;
    let bookings = std::iter::once(booking).chain(before);
    let mut names: Vec<CardUuid> = bookings.flat_map(|booking| &booking.holds).map(|hold| hold.card.clone()).collect();
    names.sort_unstable();
    names.dedup();
    let cards = standing::cards(conn, &names).await?;
    // What it has given back already, it has used.
    standing.holds.extend(held(booking, &cards).filter(|held| held.window.end() <= now));
    let claim = |booking: &Booking| {
        let cards = held(booking, &cards).filter(|held| held.window.end() > now).collect();
        Claim { window: booking.window, cards }
    };
    let was = before.map(|before| claim(&unused(before, booking, now)));
    let asked = Asked { claim: claim(booking), was };
    let person_zone = zone::table(&person.zone, now);
    let mut judgement = judge(rules, &standing, &asked, &Clocks { now, person: &person_zone, booking: zone });
    let waits = judgement.needs_approval.is_some() || judgement.breaches.iter().any(is_approval);
    if waits
        && let Some(by) = question.by
        && may_approve(conn, by, booking.owner).await?
    {
        judgement.breaches.retain(|breach| !is_approval(breach));
    }
    // Times are said in the zone in which they were meant.
    match en().against_rules(&judgement, &standing, &When::new(zone, now)) {
        Some(refusal) => Err(refusal),
        None => Ok(waits),
    }
}

/// What a booking holds or has held, but for what is on record only.
fn held<'a>(booking: &'a Booking, cards: &'a [RuledCard]) -> impl Iterator<Item = Held> + 'a {
    booking.holds.iter().filter(|hold| !hold.released).filter_map(|hold| {
        let card = cards.iter().find(|card| card.uuid == hold.card)?;
        let (part, labels) = (card.part((hold.slices.from, hold.slices.until)), card.labels.clone());
        Some(Held { reservation: None, card: hold.card.clone(), part, window: hold.window, labels })
    })
}

/// A booking as it is, without what its cards have been used where it gives them back: that is counted already, and would
/// else be counted twice.
fn unused(before: &Booking, becomes: &Booking, now: OffsetDateTime) -> Booking {
    let mut before = before.clone();
    for hold in &mut before.holds {
        let cut = becomes.holds.iter().find(|cut| cut.id == hold.id && cut.window.end() <= now);
        if let Some(left) = cut.and_then(|cut| Window::new(cut.window.end(), hold.window.end()).ok()) {
            hold.window = left;
        }
    }
    before
}

fn is_approval(breach: &Breach) -> bool {
    breach.measure == Measure::Approval
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
    now: OffsetDateTime,
) -> Result<Standing, StoreError> {
    let holds = standing::holds(conn, id, from - BACK, except, now).await?;
    Ok(Standing { groups: person.groups.clone(), holds, approves: false, ask: person.ask.clone() })
}

/// Whether somebody may approve what another one books: administrators, and managers of a group that the other one is in.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn may_approve(conn: &mut PgConnection, viewer: &Viewer, owner: UserId) -> Result<bool, StoreError> {
    Ok(viewer.role.may(Act::ChangeAnyBooking) || manages(conn, viewer.id, owner).await?)
}

/// For how long a booking waits for approval before it is given up.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn approval_within(conn: &mut PgConnection) -> Result<Duration, StoreError> {
    Ok(Duration::hours(store::approval_hours(conn).await?.into()))
}
