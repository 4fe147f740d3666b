//! One operation after the other. The model says before each what must come of it, and after it the rows must be what
//! the model has.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration as StdDuration;

use domain::error::ApiError;
use domain::wire::page::Viewer;
use server::clock::Clock;
use server::service::{Services, SiteFacts};
use sqlx::PgPool;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use time::Duration;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::call::{Call, Done, is_try_again};
use crate::clock::TestClock;
use crate::cluster::database;
use crate::dice::Dice;
use crate::effort::{self, EPISODE};
use crate::fault::{Control, Fault, steps};
use crate::naive::Books;
use crate::naive::rules::LAWS;
use crate::naive::verdict::Must;
use crate::op::{self, Op, Step};
use crate::park::{Park, set_rule};
use crate::read::State;
use crate::{rows, shrink};

/// Connections of the server.
const CONNECTIONS: u32 = 3;
/// Walks that go on at once.
const LANES: usize = 3;
/// How often a request is sent until it is answered with more than "try again".
const SENDINGS: usize = 20;
/// What happens at least once in ten thousand operations.
const WAYS: &[&str] = &[
    "accept: done",
    "approve: auth.not_allowed",
    "approve: done",
    "approve: rule.broken",
    "book: done",
    "book: idempotency.key_reused",
    "book: reservation.card_not_bookable",
    "book: reservation.maintenance",
    "book: reservation.no_shares",
    "book: reservation.overlap",
    "book: rule.broken",
    "cancel: done",
    "edit: done",
    "accept: reservation.not_awaiting",
    "end now: done",
    "give back: done",
    "keep back: done",
    "offer: done",
    "plan: done",
    "refuse: done",
    "call off: done",
    "series: done",
    "set: done",
    "set: reservation.changed",
    "set: reservation.overlap",
    "set: reservation.past_is_fixed",
    "set: rule.broken",
    "share: done",
    "transfer: done",
    "transfer: rule.broken",
];
/// Operations between two looks at all rows.
const LOOK_EVERY: usize = 10;

/// A walk under way.
pub struct Walk {
    pool: PgPool,
    control: Control,
    clock: TestClock,
    services: Services,
    park: Park,
    books: Books,
    /// Requests that were sent, and by whom.
    sent: Vec<(Viewer, Call)>,
    /// What was done, for people.
    log: Vec<String>,
    tally: Tally,
}

/// How often each kind of request was answered in which way.
pub type Tally = BTreeMap<String, usize>;

/// Where a walk went wrong.
#[derive(Debug)]
pub struct Wrong {
    /// At which step.
    pub at: usize,
    pub what: String,
    /// What was done until then.
    pub log: Vec<String>,
}

/// Somebody's answer.
struct Told {
    answer: Result<Done, ApiError>,
    /// It may have been done by a sending that was not answered.
    resent: bool,
}

fn services(pool: &PgPool, clock: &TestClock) -> Services {
    Services::new(pool.clone(), Arc::new(clock.clone()), SiteFacts::at("http://127.0.0.1:3000"))
}

fn connect(options: PgConnectOptions) -> PgPool {
    let pool = PgPoolOptions::new().max_connections(CONNECTIONS).acquire_timeout(StdDuration::from_secs(20));
    pool.connect_lazy_with(options)
}

/// Walks to the end, or to where it goes wrong. `look_every` operations all rows are compared. `prepare` may break
/// something first.
pub async fn walk(steps: &[Step], look_every: usize, prepare: Option<&'static str>) -> Result<Tally, Box<Wrong>> {
    let mut walk = Walk::begin().await;
    if let Some(statement) = prepare {
        sqlx::query(statement).execute(&walk.pool).await.unwrap();
    }
    let mut wrong = None;
    for (at, step) in steps.iter().enumerate() {
        let mut outcome = walk.take(step).await;
        if outcome.is_ok() && (at % look_every == 0 || at + 1 == steps.len()) {
            outcome = walk.look().await;
        }
        if let Err(what) = outcome {
            wrong = Some(Box::new(Wrong { at, what, log: std::mem::take(&mut walk.log) }));
            break;
        }
    }
    walk.pool.close().await;
    walk.control.drop_database().await;
    wrong.map_or(Ok(walk.tally), Err)
}

impl Walk {
    async fn begin() -> Self {
        let pool = database(CONNECTIONS).await;
        let control = Control::of(&pool).await;
        let clock = TestClock::at_morning();
        let park = Park::found(&pool).await;
        let services = services(&pool, &clock);
        let (books, sent, log, tally) = (park.books(), Vec::new(), Vec::new(), Tally::new());
        Self { pool, control, clock, services, park, books, sent, log, tally }
    }

    /// All rows are what the model has, and no two hold the same.
    async fn look(&mut self) -> Result<(), String> {
        // What nobody has answered lapses when somebody meets it, or by and by.
        self.services.reservations.lapse_overdue().await.map_err(|refusal| format!("{refusal:?}"))?;
        self.books.lapse(self.clock.now());
        let overlaps = rows::overlaps(&self.pool).await;
        if overlaps > 0 {
            return Err(format!("{overlaps} pairs of bookings hold the same card at the same time"));
        }
        let differences = rows::differences(&rows::bookings(&self.pool, &self.park).await, &self.books.bookings);
        if differences.is_empty() { Ok(()) } else { Err(differences.join("\n")) }
    }

    async fn take(&mut self, step: &Step) -> Result<(), String> {
        let now = self.clock.now();
        self.log.push(format!("{now} {step:?}"));
        if let Op::Pass { seconds } = step.op {
            self.clock.advance(Duration::seconds(seconds));
            return Ok(());
        }
        if let Op::Rule(law, on) = step.op {
            let law = law % LAWS.len();
            set_rule(&self.pool, law, on).await;
            if on {
                self.books.laws.insert(law)
            } else {
                self.books.laws.remove(&law)
            };
            return Ok(());
        }
        let key = Uuid::from_u128(self.sent.len() as u128 + 1);
        let state = State { park: &self.park, books: &self.books, now, sent: &self.sent, key };
        let Some((viewer, call)) = state.read(&step.op) else { return Ok(()) };
        self.sent.push((viewer.clone(), call.clone()));
        let verdict = self.books.judge(&self.park, &viewer, &call, now);
        let Told { answer, resent } = self.send(step.fault, &viewer, &call).await;
        // An earlier sending has done it, and its answer was lost.
        let answer =
            if verdict.must == Must::Be && resent && call.is_done_already(&answer) { Ok(Done::Did) } else { answer };
        if let Some(objection) = verdict.objection(&answer) {
            return Err(objection);
        }
        match (verdict.must, answer) {
            (Must::Be | Must::May(_), Ok(done)) => self.books.note(&self.park, &viewer, &call, now, &done),
            _ => Ok(()),
        }
    }

    /// Sends a request until it is answered, whatever happens to it on its way.
    async fn send(&mut self, fault: Fault, viewer: &Viewer, call: &Call) -> Told {
        let mut request = call.send(&self.services, viewer);
        let mut answer = match fault {
            Fault::None => Some(request.await),
            Fault::Dropped(most) => {
                let done = steps(request.as_mut(), most).await;
                drop(request);
                done
            }
            Fault::Cut(most) => {
                let done = steps(request.as_mut(), most).await;
                self.control.cut().await;
                if done.is_some() { done } else { Some(request.await) }
            }
            Fault::Killed(most) => {
                let done = steps(request.as_mut(), most).await;
                drop(request);
                self.control.cut().await;
                self.pool = connect(self.control.options());
                self.services = services(&self.pool, &self.clock);
                done
            }
        };
        let resent = fault != Fault::None;
        for _ in 0..SENDINGS {
            match answer {
                Some(ref told) if !(resent && is_try_again(told)) => break,
                _ => answer = Some(call.send(&self.services, viewer).await),
            }
        }
        let answer = answer.expect("sent");
        self.log.push(format!("    {}", said(&answer)));
        let way = answer.as_ref().map_or_else(|refusal| refusal.code.as_str(), |_| "done");
        *self.tally.entry(format!("{}: {way}", call.name())).or_default() += 1;
        Told { answer, resent }
    }
}

fn said(answer: &Result<Done, ApiError>) -> String {
    match answer {
        Ok(done) => format!("{done:?}"),
        Err(refusal) => format!("{}: {}", refusal.code.as_str(), refusal.message),
    }
}

/// Episodes of a walk from a seed, each in a database of its own, several at once.
async fn episodes(seed: u64, operations: usize) -> Tally {
    let mut seeds = Dice::new(seed);
    let mut left = operations;
    let mut lanes = JoinSet::new();
    let (mut done, mut tally) = (0, Tally::new());
    loop {
        while lanes.len() < LANES && left > 0 {
            // The first episode is the seed's own, so that one seed repeats one episode.
            let own = if left == operations { seed } else { seeds.next() };
            let length = left.min(EPISODE);
            left -= length;
            lanes.spawn(async move {
                let steps = op::walk(&mut Dice::new(own), length);
                let outcome = walk(&steps, LOOK_EVERY, None).await;
                (own, steps, outcome)
            });
        }
        let Some(episode) = lanes.join_next().await else { break };
        let (own, steps, outcome) = episode.unwrap();
        match outcome {
            Ok(counted) => counted.into_iter().for_each(|(what, n)| *tally.entry(what).or_default() += n),
            Err(wrong) => {
                lanes.shutdown().await;
                shrink::report(own, &steps, *wrong).await;
            }
        }
        done += steps.len();
        if done.is_multiple_of(100 * EPISODE) {
            println!("{done} operations are as the model says");
        }
    }
    tally
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn whatever_is_done_is_what_the_model_says() {
    let seed = effort::seed();
    println!("BERTH_MODEL_SEED={seed}");
    let operations = if effort::is_repeat() { EPISODE } else { effort::operations(10_000) };
    let tally = episodes(seed, operations).await;
    println!("{tally:#?}");
    if operations >= 10_000 {
        for what in WAYS {
            assert!(tally.contains_key(*what), "never happened: {what}, of {tally:#?}");
        }
    }
}

/// If this finds nothing, the test above proves nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn without_the_constraint_the_model_objects() {
    let steps = op::walk(&mut Dice::new(7), EPISODE);
    let without = Some("alter table reservation_card drop constraint reservation_card_no_overlap");
    let wrong = walk(&steps, 1, without).await.unwrap_err();
    assert!(wrong.what.contains("the model says Not({Overlap})"), "{}", wrong.what);
    let (short, wrong) = shrink::shrink(&steps, *wrong, without).await;
    assert!(short.len() <= 3, "two bookings are enough: {short:?}");
    assert!(wrong.what.contains("the model says"), "{}", wrong.what);
}
