//! Many clients at once, each a person of its own with bookings of its own, all after the same few cards. Requests are
//! cut off on their way and sent again, some are sent twice at once, and connections are ended from outside. When all is
//! quiet, [`history`](crate::history) judges every answer, and the rows must be what was acknowledged.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration as StdDuration;

use domain::error::{ApiError, ErrorCode};
use domain::id::{CardUuid, ReservationId};
use domain::reservation::NewReservation;
use domain::reservation::edit::{Edit, EditAsk, Scope, Target};
use domain::window::Window;
use domain::wire::page::Viewer;
use server::clock::Clock;
use server::service::{Services, SiteFacts};
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use time::Duration;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::call::{Call, Done, is_try_again};
use crate::clock::TestClock;
use crate::cluster::database;
use crate::dice::Dice;
use crate::effort;
use crate::fault::{Control, Fault, steps};
use crate::history::{Between, Claim, Hold, Refusal, violations};
use crate::naive::verdict::Must;
use crate::naive::{Booking, Books};
use crate::park::Park;
use crate::rows;

/// Clients.
const CLIENTS: usize = 32;
/// Operations of each client between two moves of the clock.
const ROUND: usize = 10;
/// Rounds in one database.
const ROUNDS: usize = 5;
/// Connections that they share, fewer than there are clients, as in production.
const CONNECTIONS: u32 = 16;
/// How often a request is sent until it is answered with more than "try again".
const SENDINGS: usize = 100;

/// What is wrong with the answers, or with the rows.
#[derive(Debug, Default)]
struct Report {
    wrong: Vec<String>,
    booked: usize,
    refused: usize,
}

/// What all clients share.
#[derive(Clone)]
struct Place {
    pool: PgPool,
    services: Services,
    clock: TestClock,
    park: Arc<Park>,
    instants: Arc<AtomicU64>,
}

/// One client and all that it knows.
struct Client {
    place: Place,
    viewer: Viewer,
    dice: Dice,
    /// Its own bookings alone.
    books: Books,
    /// What they hold now.
    held: BTreeMap<ReservationId, Claim>,
    claims: Vec<Claim>,
    refusals: Vec<Refusal>,
    /// Answers that no request may get.
    wrong: Vec<String>,
}

impl Place {
    async fn new(clients: usize) -> Self {
        let first = database(1).await;
        let options = first.connect_options().as_ref().clone();
        first.close().await;
        let pool = PgPoolOptions::new().max_connections(CONNECTIONS).acquire_timeout(StdDuration::from_secs(60));
        let pool = pool.connect_lazy_with(options);
        let clock = TestClock::at_morning();
        let park = Arc::new(Park::of_people(&pool, clients).await);
        let site = SiteFacts::at("http://127.0.0.1:3000");
        let services = Services::new(pool.clone(), Arc::new(clock.clone()), site);
        Self { pool, services, clock, park, instants: Arc::new(AtomicU64::new(1)) }
    }

    fn instant(&self) -> u64 {
        self.instants.fetch_add(1, Ordering::SeqCst)
    }
}

impl Client {
    fn new(place: &Place, number: usize, seed: u64) -> Self {
        Self {
            place: place.clone(),
            viewer: place.park.people[number].clone(),
            dice: Dice::new(seed ^ (number as u64) << 32),
            books: Books::default(),
            held: BTreeMap::new(),
            claims: Vec::new(),
            refusals: Vec::new(),
            wrong: Vec::new(),
        }
    }

    async fn round(mut self) -> Self {
        for _ in 0..ROUND {
            let call = self.call();
            self.make(&call).await;
        }
        self
    }

    /// Something to do: a wish, or something with one of its open bookings.
    fn call(&mut self) -> Call {
        let now = self.place.clock.now();
        let open: Vec<(ReservationId, Booking)> = self
            .books
            .bookings
            .iter()
            .filter(|(_, booking)| booking.is_open(now))
            .map(|(id, booking)| (*id, booking.clone()))
            .collect();
        if open.is_empty() || self.dice.roll(10) < 5 {
            return Call::Book(self.wish());
        }
        let (id, booking) = self.dice.pick(&open).clone();
        match self.dice.roll(3) {
            0 if booking.is_active(now) => Call::EndNow(id),
            0 => Call::Cancel(id),
            _ => Call::Edit(self.edit(id, &booking)),
        }
    }

    fn wish(&mut self) -> NewReservation {
        let count = 1 + self.dice.index(3);
        let cards = (0..count).map(|_| self.card()).collect();
        let start = self.place.clock.now() + Duration::hours(self.dice.between(0, 8));
        let window = Window::new(start, start + Duration::hours(self.dice.between(1, 4))).unwrap();
        NewReservation::of_cards(cards, window, "crowd", Uuid::new_v4())
    }

    fn card(&mut self) -> CardUuid {
        let well = self.place.park.well();
        self.dice.pick(&well).uuid.clone()
    }

    /// Moves a booking, makes it longer or shorter, or gives it other cards.
    fn edit(&mut self, reservation: ReservationId, booking: &Booking) -> EditAsk {
        let hours = |dice: &mut Dice| Duration::hours(dice.between(-1, 3));
        let mut target = Target::default();
        let (start, end) = (booking.window.start(), booking.window.end());
        target.window = match self.dice.roll(3) {
            0 if !booking.has_begun(self.place.clock.now()) => {
                let by = hours(&mut self.dice);
                Window::new(start + by, end + by).ok()
            }
            1 => Window::new(start, end + hours(&mut self.dice)).ok(),
            _ => None,
        };
        if target.window.is_none() || self.dice.once_in(3) {
            let mut cards: Vec<CardUuid> = booking.wants().into_keys().collect();
            if cards.len() > 1 && self.dice.once_in(2) {
                let gone = self.dice.index(cards.len());
                cards.remove(gone);
            } else {
                cards.push(self.card());
            }
            target.cards = Some(cards);
        }
        let edit = Edit::Set(target);
        EditAsk { reservation, edit, scope: Scope::One, version: None, idempotency_key: Uuid::new_v4() }
    }

    /// Sends it and notes down what came of it.
    async fn make(&mut self, call: &Call) {
        let (place, viewer, now) = (self.place.clone(), self.viewer.clone(), self.place.clock.now());
        let verdict = self.books.judge(&place.park, &viewer, call, now);
        let (touched, becomes) = self.books.proposed(&place.park, &viewer, call, now);
        let keyed = matches!(call, Call::Book(_) | Call::Edit(_));
        let asked = place.instant();
        let answer = if keyed && self.dice.once_in(8) {
            let send = || place.send(Fault::None, &viewer, call);
            let (one, other) = tokio::join!(send(), send());
            if let (Ok(one), Ok(other)) = (&one, &other)
                && one != other
            {
                self.wrong.push(format!("one request came to {one:?} and {other:?}"));
            }
            // The later one of two that differ: the cards may have become free between them.
            if one.is_ok() { one } else { other }
        } else {
            let fault = self.fault();
            place.send(fault, &viewer, call).await
        };
        let during = Between { asked, answered: place.instant() };
        // Whose answer was lost has done it.
        let answer = if call.is_done_already(&answer) { Ok(Done::Did) } else { answer };
        match answer {
            Ok(done) if verdict.must == Must::Be => {
                let before = self.books.bookings.clone();
                if let Err(wrong) = self.books.note(&place.park, &viewer, call, now, &done) {
                    self.wrong.push(wrong);
                }
                self.claim(&before, during);
            }
            // Another one may be in the way beside its own.
            Err(refusal) if refusal.code == ErrorCode::Overlap => {
                let named =
                    refusal.clashes.into_iter().map(|clash| (clash.reservation, clash.card, clash.window)).collect();
                let wanted = becomes.iter().flat_map(|booking| Hold::all_of(booking, &place.park)).collect();
                self.refusals.push(Refusal { wanted, of: touched, during, named });
            }
            answer => self.wrong.extend(verdict.objection(&answer)),
        }
    }

    /// From now on its bookings are what they have become.
    fn claim(&mut self, before: &BTreeMap<ReservationId, Booking>, since: Between) {
        for (id, booking) in &self.books.bookings {
            if before.get(id) == Some(booking) {
                continue;
            }
            let claim = Claim { booking: *id, holds: Hold::all_of(booking, &self.place.park), since, until: None };
            if let Some(mut was) = self.held.insert(*id, claim) {
                was.until = Some(since);
                self.claims.push(was);
            }
        }
    }

    fn fault(&mut self) -> Fault {
        match Fault::roll(&mut self.dice, 8) {
            // The others go on with the same services.
            Fault::Cut(most) | Fault::Killed(most) => Fault::Dropped(most),
            fault => fault,
        }
    }
}

impl Place {
    /// Sends a request until it is answered.
    async fn send(&self, fault: Fault, viewer: &Viewer, call: &Call) -> Result<Done, ApiError> {
        let mut answer = None;
        if let Fault::Dropped(most) = fault {
            answer = steps(call.send(&self.services, viewer).as_mut(), most).await;
        }
        for _ in 0..SENDINGS {
            match answer {
                Some(ref told) if !is_try_again(told) => break,
                _ => answer = Some(call.send(&self.services, viewer).await),
            }
        }
        answer.unwrap()
    }
}

/// Lets everybody loose and judges what came of it. `prepare` may break something first.
async fn crowd(seed: u64, prepare: Option<&'static str>) -> Report {
    let place = Place::new(CLIENTS).await;
    if let Some(statement) = prepare {
        sqlx::query(statement).execute(&place.pool).await.unwrap();
    }
    let mut control = Control::of(&place.pool).await;
    let mut clients: Vec<Client> = (0..CLIENTS).map(|n| Client::new(&place, n, seed)).collect();
    let mut dice = Dice::new(seed);
    for _ in 0..ROUNDS {
        let mut running = JoinSet::new();
        for client in clients.drain(..) {
            running.spawn(client.round());
        }
        // Half of them are done: the database ends all connections under the other half.
        while let Some(client) = running.join_next().await {
            clients.push(client.unwrap());
            if clients.len() == CLIENTS / 2 {
                control.cut().await;
            }
        }
        place.clock.advance(Duration::minutes(dice.between(1, 180)));
    }
    let report = judge(&place, clients).await;
    place.pool.close().await;
    control.drop_database().await;
    report
}

async fn judge(place: &Place, clients: Vec<Client>) -> Report {
    let mut report = Report::default();
    let (mut claims, mut refusals, mut bookings) = (Vec::new(), Vec::new(), BTreeMap::new());
    for client in clients {
        report.wrong.extend(client.wrong);
        claims.extend(client.claims);
        refusals.extend(client.refusals);
        claims.extend(client.held.into_values());
        bookings.extend(client.books.bookings);
    }
    (report.booked, report.refused) = (bookings.len(), refusals.len());
    report.wrong.extend(violations(&claims, &refusals).iter().map(ToString::to_string));
    let stored = rows::bookings(&place.pool, &place.park).await;
    report.wrong.extend(rows::differences(&stored, &bookings));
    let overlaps = rows::overlaps(&place.pool).await;
    if overlaps > 0 {
        report.wrong.push(format!("{overlaps} pairs of rows hold the same card at the same time"));
    }
    report
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_32_clients_everybody_is_told_the_truth() {
    let mut seeds = Dice::new(effort::seed());
    let each = CLIENTS * ROUND * ROUNDS;
    // As many operations again as one after the other, where more than the usual number is asked for.
    for episode in 0..effort::operations(2 * each).div_ceil(each) {
        let seed = if effort::is_repeat() { effort::seed() } else { seeds.next() };
        println!("crowd {episode}: BERTH_MODEL_SEED={seed}");
        let report = crowd(seed, None).await;
        assert!(report.wrong.is_empty(), "seed {seed}:\n{}", report.wrong.join("\n"));
        assert!(report.booked > CLIENTS && report.refused > CLIENTS, "there was something to judge: {report:?}");
        if effort::is_repeat() {
            break;
        }
    }
}

/// If this finds nothing, the test above proves nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn without_the_constraint_the_history_is_seen_to_be_wrong() {
    let report = crowd(11, Some("alter table reservation_card drop constraint reservation_card_no_overlap")).await;
    let doubled = report.wrong.iter().filter(|line| line.contains("held the same card at the same time")).count();
    assert!(doubled > 0, "the clients' own record shows it: {:?}", report.wrong);
    assert!(report.wrong.iter().any(|line| line.contains("pairs of rows hold")), "the rows show it");
}
