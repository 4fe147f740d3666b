//! Many clients at once, each a person of its own with bookings of its own, all after the same few cards. Requests are
//! cut off on their way and sent again, some are sent twice at once, and connections are ended from outside. When all is
//! quiet, [`history`](crate::history) judges every answer, and the rows must be what was acknowledged.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration as StdDuration;

use domain::error::{ApiError, ErrorCode};
use domain::id::ReservationId;
use domain::reservation::{Fate, NewReservation};
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
use crate::history::{Between, Claim, Refusal, violations};
use crate::naive::{Booking, Hold, wanted};
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
    bookings: BTreeMap<ReservationId, (Booking, Option<Claim>)>,
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
            bookings: BTreeMap::new(),
            claims: Vec::new(),
            refusals: Vec::new(),
            wrong: Vec::new(),
        }
    }

    async fn round(mut self) -> Self {
        for _ in 0..ROUND {
            let now = self.place.clock.now();
            let open: Vec<ReservationId> =
                self.bookings.iter().filter(|(_, (booking, _))| booking.is_open(now)).map(|(id, _)| *id).collect();
            if open.is_empty() || self.dice.roll(10) < 6 {
                self.book().await;
            } else {
                let id = *self.dice.pick(&open);
                self.give_back(id).await;
            }
        }
        self
    }

    fn wish(&mut self) -> NewReservation {
        let well = self.place.park.well();
        let count = 1 + self.dice.index(3);
        let cards = (0..count).map(|_| self.dice.pick(&well).uuid.clone()).collect();
        let start = self.place.clock.now() + Duration::hours(self.dice.between(0, 8));
        let window = Window::new(start, start + Duration::hours(self.dice.between(1, 4))).unwrap();
        NewReservation::of_cards(cards, window, "crowd", Uuid::new_v4())
    }

    async fn book(&mut self) {
        let ask = self.wish();
        let (viewer, now) = (self.viewer.clone(), self.place.clock.now());
        let twice = self.dice.once_in(8);
        let asked = self.place.instant();
        let call = Call::Book(ask.clone());
        let answer = if twice {
            let send = || self.place.send(Fault::None, &viewer, &call);
            let (one, other) = tokio::join!(send(), send());
            if let (Ok(one), Ok(other)) = (&one, &other)
                && one != other
            {
                self.wrong.push(format!("one request booked {one:?} and {other:?}"));
            }
            // The later one of two that differ: the cards may have become free between them.
            if one.is_ok() { one } else { other }
        } else {
            let fault = self.fault();
            self.place.send(fault, &viewer, &call).await
        };
        let during = Between { asked, answered: self.place.instant() };
        let (window, holds) = wanted(&self.place.park, &ask, now).unwrap();
        match answer {
            Ok(done) => {
                let Done::Booked(id) = done else { panic!("{done:?}") };
                let booking = Booking { owner: viewer.id, purpose: ask.purpose, window, fate: None, holds };
                self.hold(id, booking, during);
            }
            Err(refusal) => self.refused(refusal, holds, None, during),
        }
    }

    /// Calls a booking off, or ends it.
    async fn give_back(&mut self, id: ReservationId) {
        let (mut booking, now) = (self.bookings[&id].0.clone(), self.place.clock.now());
        let viewer = self.viewer.clone();
        let running = booking.has_begun(now);
        let asked = self.place.instant();
        let call = if running { Call::EndNow(id) } else { Call::Cancel(id) };
        let fault = self.fault();
        let answer = self.place.send(fault, &viewer, &call).await;
        let during = Between { asked, answered: self.place.instant() };
        match answer {
            // Whose answer was lost has done it.
            Err(refusal) if refusal.code != ErrorCode::AlreadyOver => {
                self.wrong.push(format!("giving back {id}: {refusal:?}"));
            }
            _ if running => {
                let end = now.max(booking.window.start() + Duration::MICROSECOND);
                booking.window = Window::new(booking.window.start(), end).unwrap();
                for hold in &mut booking.holds {
                    hold.window = booking.window;
                }
                self.hold(id, booking, during);
            }
            _ => {
                booking.fate = Some(Fate::Cancelled);
                for hold in &mut booking.holds {
                    hold.released = true;
                }
                self.hold(id, booking, during);
            }
        }
    }

    /// From now on the booking is this.
    fn hold(&mut self, id: ReservationId, booking: Booking, since: Between) {
        let holds: Vec<Hold> = booking.holds.clone();
        let claim = Claim { booking: id, holds, since, until: None };
        if let Some((_, Some(mut before))) = self.bookings.insert(id, (booking, Some(claim))) {
            before.until = Some(since);
            self.claims.push(before);
        }
    }

    fn refused(&mut self, refusal: ApiError, wanted: Vec<Hold>, of: Option<ReservationId>, during: Between) {
        if refusal.code != ErrorCode::Overlap {
            self.wrong.push(format!("{refusal:?}"));
            return;
        }
        let named = refusal.clashes.into_iter().map(|clash| (clash.reservation, clash.card, clash.window)).collect();
        self.refusals.push(Refusal { wanted, of, during, named });
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
        for (id, (booking, claim)) in client.bookings {
            claims.extend(claim);
            bookings.insert(id, booking);
        }
    }
    (report.booked, report.refused) = (bookings.len(), refusals.len());
    report.wrong.extend(violations(&claims, &refusals).iter().map(ToString::to_string));
    report.wrong.extend(rows::differences(&rows::bookings(&place.pool).await, &bookings));
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
