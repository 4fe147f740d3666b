//! Which cards serve a wish best, and what is in the way of cards that were picked by hand.
//!
//! The search is [`domain::finder`]'s; here its stock is kept at hand as long as the log of changes says that nothing has
//! changed. Whatever writes what the stock is made of notes a change ([`change`](crate::store::change)).

use std::collections::HashMap;
use std::sync::Arc;

use domain::error::{ApiError, ErrorCode, Field};
use domain::finder::park::{Card, NewHost, Stock, Today};
use domain::finder::{self, Advice, AdviceAsk, Choices, Found, Leave, Park, Span, Suggestion, Want, power};
use domain::id::{CardUuid, HostId, ReservationId, UserId};
use domain::inventory::Inventory;
use domain::reservation::edit::Target;
use domain::reservation::{CARDS_MAX, NewReservation};
use domain::rules::{Clocks, Rule, Standing};
use domain::text::en;
use domain::topology::Topology;
use domain::trouble::Condition;
use domain::wire::page::Viewer;
use domain::zone::ZoneTable;
use sqlx::PgPool;
use time::{Duration, OffsetDateTime};
use tokio::sync::Mutex;

use crate::clock::Clock;
use crate::error::chain;
use crate::live::Live;
use crate::service::rules::ask::BACK;
use crate::store::change::Version;
use crate::store::rules::standing::{self, RuledPerson};
use crate::store::{StoreError, park as store, reservations, rules};
use crate::zone;

/// A stock is made anew after this time at the latest: bookings end without a change.
const STOCK_AGE_MAX: Duration = Duration::minutes(30);
/// Longest lists in a wish.
const NAMES_MAX: usize = 256;

/// A refusal waits no longer for what works in its place.
const OFFERS_WITHIN: std::time::Duration = std::time::Duration::from_millis(250);

/// What was refused.
#[derive(Clone, Copy, Debug)]
pub enum Refused<'a> {
    /// A new booking.
    New(&'a NewReservation),
    /// What a booking was to become.
    Edit {
        /// Which.
        booking: ReservationId,
        /// Whose.
        owner: UserId,
        /// What.
        target: &'a Target,
    },
}

/// Looks for cards.
#[derive(Clone)]
pub struct Finder {
    pool: PgPool,
    clock: Arc<dyn Clock>,
    live: Live,
    shelf: Arc<Mutex<Shelf>>,
}

/// What was read last. Can be thrown away.
#[derive(Default)]
struct Shelf {
    stock: Option<Stocked>,
    /// What inventories say, by the agents' names for them.
    known: HashMap<HostId, (Option<String>, Arc<Known>)>,
}

#[derive(Clone)]
struct Stocked {
    version: Version,
    made_at: OffsetDateTime,
    stock: Arc<Stock>,
    host_of: Arc<HashMap<CardUuid, HostId>>,
    /// Who may launch on the bookings of this stock's time.
    holders: Arc<HashMap<ReservationId, Vec<UserId>>>,
}

/// What a host's inventory says that the finder needs.
struct Known {
    topology: Topology,
    /// Architecture and speed.
    cards: HashMap<CardUuid, (Option<String>, Option<u64>)>,
}

/// Somebody's rules, and what these look at.
struct Ruled {
    rules: Vec<Rule>,
    standing: Standing,
    person: RuledPerson,
}

impl Ruled {
    fn leave<'a>(&'a self, zone: &'a ZoneTable, now: OffsetDateTime) -> Leave<'a> {
        Leave::new(&self.rules, &self.standing, Clocks::of(zone, now))
    }
}

fn checked(want: &Want) -> Result<(), ApiError> {
    let bad = |field| Err(ApiError::new(ErrorCode::BadInput, en().errors.malformed).on(field));
    if want.count == 0 || want.count as usize > CARDS_MAX || want.hosts.len().max(want.labels.len()) > NAMES_MAX {
        return bad(Field::Cards);
    }
    if matches!(want.when, Span::Earliest { minutes: 0, .. }) {
        return bad(Field::End);
    }
    Ok(())
}

impl Finder {
    /// Over a database and what hosts do now.
    #[must_use]
    pub fn new(pool: PgPool, clock: Arc<dyn Clock>, live: Live) -> Self {
        Self { pool, clock, live, shelf: Arc::default() }
    }

    /// The best cards for a wish, within the rules of whoever asks.
    ///
    /// # Errors
    /// `input.invalid` for a wish of no cards, or of too many; `server.unavailable`.
    pub async fn find(&self, viewer: &Viewer, want: &Want) -> Result<Found, ApiError> {
        checked(want)?;
        let ((park, now), ruled) = tokio::try_join!(self.park(viewer.id), self.ruled(viewer.id, None))?;
        let zones = ruled.as_ref().map(|ruled| (ruled, zone::table(&ruled.person.zone, now)));
        let leave = zones.as_ref().map(|(ruled, zone)| ruled.leave(zone, now));
        Ok(finder::find_within(&park, want, now, leave.as_ref()))
    }

    /// The best cards for a wish, whatever rules say of it.
    ///
    /// # Errors
    /// As [`Finder::find`].
    pub async fn find_for_anybody(&self, viewer: &Viewer, want: &Want) -> Result<Found, ApiError> {
        checked(want)?;
        let (park, now) = self.park(viewer.id).await?;
        Ok(finder::find(&park, want, now))
    }

    /// What rules look at where somebody asks; `None` where no rule is for them.
    async fn ruled(&self, person: UserId, except: Option<ReservationId>) -> Result<Option<Ruled>, StoreError> {
        let rules = rules::of_person(&self.pool, person).await?;
        if rules.is_empty() {
            return Ok(None);
        }
        let now = self.clock.now();
        let (person, holds) = tokio::try_join!(
            standing::person(&self.pool, person),
            standing::holds(&self.pool, person, now - BACK, except, now)
        )?;
        let Some(person) = person else { return Ok(None) };
        let standing = Standing { groups: person.groups.clone(), holds, ..Standing::default() };
        Ok(Some(Ruled { rules, standing, person }))
    }

    /// What there is to choose from.
    ///
    /// # Errors
    /// `server.unavailable`.
    pub async fn choices(&self, viewer: &Viewer) -> Result<Choices, ApiError> {
        Ok(Choices::of(&self.park(viewer.id).await?.0))
    }

    /// What is in the way of cards that were picked by hand, and what would work instead.
    ///
    /// # Errors
    /// `input.invalid` for too many cards; `server.unavailable`.
    pub async fn advise(&self, viewer: &Viewer, ask: &AdviceAsk) -> Result<Advice, ApiError> {
        if ask.cards.len() > CARDS_MAX {
            return Err(ApiError::new(ErrorCode::BadInput, en().errors.malformed).on(Field::Cards));
        }
        let mut clashes = reservations::clashes(&self.pool, viewer.id, &ask.cards, &ask.window).await?;
        let ((park, now), ruled) = tokio::try_join!(self.park(viewer.id), self.ruled(viewer.id, ask.replaces))?;
        let zones = ruled.as_ref().map(|ruled| (ruled, zone::table(&ruled.person.zone, now)));
        let leave = zones.as_ref().map(|(ruled, zone)| ruled.leave(zone, now));
        let (park, leave) = match ask.replaces {
            Some(booking) => (park.clone().without(booking), leave.map(|leave| leave.instead_of(&park, booking))),
            None => (park, leave),
        };
        clashes.retain(|clash| {
            // Other people's shares are in the way of one's own only where too few are left.
            let shares = ask.shares.get(&clash.card).copied();
            let leaves = shares.is_some() && finder::has_room(&park, &clash.card, shares, &ask.window);
            Some(clash.reservation) != ask.replaces && !leaves
        });
        let mut cards = ask.cards.clone();
        cards.sort();
        cards.dedup();
        let shut = |card| park.closed(card, ask.shares.get(card).copied(), &ask.window);
        let mut closed: Vec<_> = cards.iter().flat_map(shut).collect();
        closed.sort_by(|a, b| (&a.host, a.number).cmp(&(&b.host, b.number)));
        let free = clashes.is_empty() && closed.is_empty();
        Ok(Advice {
            instead: finder::alternatives_within(&park, &cards, &ask.shares, &ask.window, now, leave.as_ref()),
            link: finder::link_of(&park, &cards),
            free_until: free.then(|| finder::free_until(&park, &cards, &ask.shares, &ask.window)).flatten(),
            clashes,
            closed,
        })
    }

    /// What works in the place of something that was refused; nothing where that cannot be said at once.
    pub async fn instead(&self, asker: UserId, refused: Refused<'_>) -> Vec<Suggestion> {
        let offers = async {
            let (whose, except) = match refused {
                Refused::New(ask) => (ask.owner.unwrap_or(asker), None),
                Refused::Edit { owner, booking, .. } => (owner, Some(booking)),
            };
            let ((park, now), ruled) = tokio::try_join!(self.park(asker), self.ruled(whose, except))?;
            let zones = ruled.as_ref().map(|ruled| (ruled, zone::table(&ruled.person.zone, now)));
            let leave = zones.as_ref().map(|(ruled, zone)| ruled.leave(zone, now));
            Ok::<_, StoreError>(match refused {
                Refused::New(ask) => {
                    finder::alternatives_within(&park, &ask.cards, &ask.shares, &ask.window, now, leave.as_ref())
                }
                Refused::Edit { booking, target, .. } => {
                    let Some((cards, shares, window)) = park.wish_of(booking) else { return Ok(Vec::new()) };
                    let leave = leave.map(|leave| leave.instead_of(&park, booking));
                    let (cards, shares) = match &target.cards {
                        Some(cards) => (cards, &target.shares),
                        None => (&cards, &shares),
                    };
                    let (park, window) = (park.without(booking), target.window.unwrap_or(window));
                    finder::alternatives_within(&park, cards, shares, &window, now, leave.as_ref())
                }
            })
        };
        // A courtesy: the refusal itself does not wait for it.
        match tokio::time::timeout(OFFERS_WITHIN, offers).await {
            Ok(Ok(offers)) => offers,
            Ok(Err(error)) => {
                tracing::warn!(cause = %chain(&error), "nothing can be offered in the place of what was refused");
                Vec::new()
            }
            Err(_) => Vec::new(),
        }
    }

    /// Everything that can be booked, as it is now for one person: to be searched with [`domain::finder::find`] and
    /// [`domain::finder::alternatives`] as often as is wanted. With the instant that it is of.
    ///
    /// # Errors
    /// [`StoreError`] where the database does not answer.
    pub async fn park(&self, asker: UserId) -> Result<(Park, OffsetDateTime), StoreError> {
        let now = self.clock.now();
        let pulse = store::pulse(&self.pool).await?;
        let stocked = self.stocked(pulse.version, now).await?;
        let truths = self.live.truths(now);
        let look = |card: &Card| {
            let last_report = stocked.host_of.get(&card.uuid).and_then(|host| pulse.last_reports.get(host)).copied();
            let truth = truths.get(&card.uuid);
            let holders: Vec<UserId> = stocked
                .stock
                .held_at(card, now)
                .flat_map(|booking| stocked.holders.get(&booking).into_iter().flatten().copied())
                .collect();
            Today {
                trouble: Condition { last_report, ..card.condition }.trouble(now),
                used_by_others: truth.is_some_and(|truth| finder::used_by_others(truth, &holders, asker)),
                load_percent: truth.and_then(|truth| truth.sample.utilisation_percent.get()),
            }
        };
        Ok((Park::new(stocked.stock.clone(), now, look), now))
    }

    /// The stock at a version of the log. Whoever comes while it is made waits for it.
    async fn stocked(&self, version: Version, now: OffsetDateTime) -> Result<Stocked, StoreError> {
        let mut shelf = self.shelf.lock().await;
        let age = |known: &Stocked| now - known.made_at;
        let fits =
            |known: &&Stocked| known.version == version && age(known) < STOCK_AGE_MAX && age(known) >= Duration::ZERO;
        if let Some(known) = shelf.stock.as_ref().filter(fits) {
            return Ok(known.clone());
        }
        let (pool, until) = (&self.pool, now + STOCK_AGE_MAX);
        let (hosts, cards, holds, holders, works) = tokio::try_join!(
            store::hosts(pool),
            store::cards(pool),
            store::holds(pool, now),
            store::holders(pool, now, until),
            store::works(pool, now),
        )?;
        shelf.learn(pool, &hosts).await?;
        let host_of = cards.iter().map(|(host, card)| (card.uuid.clone(), *host)).collect();
        let mut by_host: HashMap<HostId, Vec<Card>> = HashMap::new();
        for (host, card) in cards {
            by_host.entry(host).or_default().push(card);
        }
        let whole = hosts.into_iter().map(|host| {
            let id = HostId(host.host_id);
            let known = shelf.known.get(&id).map(|(_, known)| Arc::clone(known));
            let mut cards = by_host.remove(&id).unwrap_or_default();
            if let Some(known) = &known {
                cards.iter_mut().for_each(|card| known.complete(card));
            }
            NewHost { name: host.name, labels: host.labels, topology: known.map(|known| known.topology.clone()), cards }
        });
        let stock = Arc::new(Stock::new(whole.collect(), holds, works));
        let stocked = Stocked { version, made_at: now, stock, host_of: Arc::new(host_of), holders: Arc::new(holders) };
        shelf.stock = Some(stocked.clone());
        Ok(stocked)
    }
}

impl Shelf {
    /// Reads inventories that have changed, and forgets those of hosts that are gone.
    async fn learn(&mut self, pool: &PgPool, hosts: &[store::HostRow]) -> Result<(), StoreError> {
        let is_new = |host: &&store::HostRow| {
            self.known.get(&HostId(host.host_id)).is_none_or(|(id, _)| *id != host.inventory_id)
        };
        let lacking: Vec<&store::HostRow> = hosts.iter().filter(is_new).collect();
        let ids: Vec<HostId> = lacking.iter().map(|host| HostId(host.host_id)).collect();
        let mut found = if ids.is_empty() { HashMap::new() } else { store::inventories(pool, &ids).await? };
        let learnt: Vec<_> = lacking
            .into_iter()
            .map(|host| {
                let id = HostId(host.host_id);
                // The content may come after its name: then it is asked for again.
                let known =
                    found.remove(&id).map(|inventory| (host.inventory_id.clone(), Arc::new(Known::of(inventory))));
                (id, known)
            })
            .collect();
        for (id, known) in learnt {
            match known {
                Some(known) => self.known.insert(id, known),
                None => self.known.remove(&id),
            };
        }
        self.known.retain(|id, _| hosts.iter().any(|host| host.host_id == id.0));
        Ok(())
    }
}

impl Known {
    fn of(inventory: Inventory) -> Self {
        let say = |traits: &domain::inventory::CardTraits| (traits.architecture.value().cloned(), power::speed(traits));
        let cards = inventory.cards.into_iter().map(|card| (card.uuid, say(&card.traits))).collect();
        Self { topology: inventory.topology, cards }
    }

    /// Adds what the inventory says. Of a MIG instance: what its card is, and its part of that.
    fn complete(&self, card: &mut Card) {
        let Some((architecture, speed)) = self.cards.get(&card.gpu) else { return };
        card.architecture.clone_from(architecture);
        card.speed = match (*speed, card.slice) {
            (Some(whole), Some(_)) => slices(&card.model).map(|slices| power::of_slices(whole, slices)),
            (speed, _) => speed,
        };
    }
}

/// Compute slices by the name of a profile: `MIG 3g.40gb`, `MIG 1c.3g.40gb`.
fn slices(model: &str) -> Option<u32> {
    let profile = model.strip_prefix("MIG ")?;
    let first = profile.split('.').next()?;
    first.trim_end_matches(['c', 'g']).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::slices;

    #[test]
    fn profiles_say_their_slices() {
        assert_eq!(slices("MIG 3g.40gb"), Some(3));
        assert_eq!(slices("MIG 1c.3g.40gb"), Some(1));
        assert_eq!(slices("MIG 1g.10gb+me"), Some(1));
        assert_eq!(slices("A100 80GB"), None);
        assert_eq!(slices("MIG 2/0"), None);
    }
}
