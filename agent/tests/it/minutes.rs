//! The record of minutes and what else goes to the portal, with an agent, a portal and a network that come and go.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, Instant};

use domain::id::CardUuid;
use domain::wire::minutes_v1::{CardMinute, HostMinute};
use time::OffsetDateTime;

use crate::cards::simulated;
use crate::support::eventually;
use crate::support::host::{Agent, Host};
use crate::support::portal::{Mood, Portal};
use crate::support::scene::table;

/// A minute, in these tests.
const MINUTE: time::Duration = time::Duration::seconds(1);

fn rig(portal: &Portal) -> Host {
    portal.run_clock();
    let mut host = simulated(Host::of(portal), "dgx-h100");
    // Under a name of its own, or whatever else works on that simulated host at the same time would draw power here.
    let profile = Path::new(env!("CARGO_MANIFEST_DIR")).join("nvml-sim/profiles/dgx-h100.toml");
    let text = std::fs::read_to_string(profile).expect("profile");
    let own = text.replacen(
        "host = \"dgx-h100\"",
        &format!("host = \"dgx-h100-{:x}\"", getrandom::u64().expect("randomness")),
        1,
    );
    assert_ne!(own, text);
    let place = host.folder().join("profile.toml");
    std::fs::write(&place, own).expect("written");
    host.set("BERTH_NVML_SIM_PROFILE", &place);
    host
}

fn agent(host: &Host) -> Agent {
    host.agent_with(&["--minute", "1s"])
}

/// Minutes with all their parts added up.
fn record(portal: &Portal) -> BTreeMap<OffsetDateTime, BTreeMap<CardUuid, CardMinute>> {
    let mut record: BTreeMap<OffsetDateTime, BTreeMap<CardUuid, CardMinute>> = BTreeMap::new();
    for HostMinute { minute, cards, .. } in portal.ledger() {
        for card in cards {
            let empty = || CardMinute::new(card.card.clone());
            record.entry(minute).or_default().entry(card.card.clone()).or_insert_with(empty).add(card);
        }
    }
    record
}

/// The energy counters of all cards in the reports: lowest and highest.
fn counters(portal: &Portal) -> BTreeMap<String, (u64, u64)> {
    let mut counters: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for report in portal.reports() {
        for card in report.body["cards"].as_array().expect("cards") {
            let Some(energy) = card["detail"]["energy_millijoules"].as_u64() else { continue };
            let uuid = card["facts"]["uuid"].as_str().expect("uuid").to_owned();
            let known = counters.entry(uuid).or_insert((energy, energy));
            *known = (known.0.min(energy), known.1.max(energy));
        }
    }
    counters
}

/// So many minutes on the disk from more than a minute ago, the latest first, and the number of the part of each. Gives
/// what time it is.
fn lay_minutes(host: &Host, count: i32, part: impl Fn(i32) -> u64) -> OffsetDateTime {
    let folder = host.state().join("minutes");
    std::fs::create_dir_all(&folder).expect("folder");
    let now = OffsetDateTime::now_utc().replace_nanosecond(0).expect("valid");
    for n in 1..=count {
        let card = CardMinute { watched_ms: 1000, ..CardMinute::new("GPU-1".parse().expect("valid")) };
        let (minute, part) = (now - MINUTE * (n + 60), part(n));
        let name = format!("{}-{part:016x}.json", minute.unix_timestamp() * 1000);
        let minute = HostMinute { minute, part, clock_ahead_ms: None, cards: vec![card] };
        std::fs::write(folder.join(name), serde_json::to_vec(&minute).expect("json")).expect("written");
    }
    now
}

/// Small random numbers from a seed that a failure shows.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

#[test]
fn whatever_is_killed_whenever_the_record_has_no_hole_and_nothing_twice() {
    let seed = getrandom::u64().expect("randomness");
    let mut dice = Dice(seed);
    let portal = Portal::fine(table(vec![]));
    let host = rig(&portal);
    let mut running = agent(&host);
    eventually("reports come", || !portal.reports().is_empty());
    let until = Instant::now() + Duration::from_secs(20);
    while Instant::now() < until {
        // The moments are the test; nothing is waited for.
        std::thread::sleep(Duration::from_millis(dice.roll(900)));
        match dice.roll(8) {
            0 | 1 => {
                running.kill();
                running = agent(&host);
            }
            2 => portal.set(Mood::Away),
            3 => portal.set(Mood::Forgetful),
            4 => portal.set(Mood::HangsUpOnRecord(Box::new(table(vec![])), true)),
            5 => portal.set(Mood::HangsUpOnRecord(Box::new(table(vec![])), false)),
            6 => portal.set(Mood::Refuses(503, "server.unavailable", "Not now.")),
            _ => portal.give(table(vec![])),
        }
    }
    portal.give(table(vec![]));
    let end = OffsetDateTime::now_utc();
    eventually("all of it has arrived", || record(&portal).keys().last().is_some_and(|last| *last > end));
    running.kill();

    let record = record(&portal);
    let (first, last) = (*record.keys().next().expect("some"), *record.keys().last().expect("some"));
    let all: Vec<OffsetDateTime> = (0..).map(|n| first + MINUTE * n).take_while(|at| *at <= last).collect();
    assert!(all.len() > 15, "seed {seed}");
    assert_eq!(record.keys().copied().collect::<Vec<_>>(), all, "seed {seed}: a minute is missing");
    let parts: BTreeSet<OffsetDateTime> = portal.ledger().iter().map(|minute| minute.minute).collect();
    assert_eq!(portal.ledger().len(), parts.len(), "seed {seed}: a restart goes on with the minute that it finds");
    let mut energy: BTreeMap<String, u64> = BTreeMap::new();
    for (minute, cards) in &record {
        assert_eq!(cards.len(), 8, "seed {seed}: {minute}");
        for (uuid, card) in cards {
            *energy.entry(uuid.to_string()).or_default() += card.energy_mj.expect("counted");
            if *minute != first {
                assert_eq!(card.watched_ms, 1000, "seed {seed}: {minute}");
            }
        }
    }
    for (uuid, (low, high)) in counters(&portal) {
        let recorded = energy[&uuid];
        // The simulated counter loses a little with each process; what is missing comes from the power drawn.
        assert!(recorded * 10 <= (high - low) * 12, "seed {seed}: {uuid} took {recorded} of {low} to {high}");
        assert!(recorded * 10 >= (high - low) * 8, "seed {seed}: {uuid} took only {recorded} of {low} to {high}");
    }
}

#[test]
fn a_long_outage_is_made_up_for_a_little_at_a_time_and_the_present_comes_first() {
    let portal = Portal::fine(table(vec![]));
    let host = rig(&portal);
    let folder = host.state().join("minutes");
    // Two hours that an earlier agent could not bring.
    lay_minutes(&host, 120, |_| 7);
    let _agent = agent(&host);
    eventually("it is made up for", || portal.ledger().iter().filter(|minute| minute.part == 7).count() == 120);
    let messages = portal.sent_to("/api/v1/agent/minutes");
    assert!(messages.iter().all(|message| message.body["minutes"].as_array().expect("minutes").len() <= 30));
    let reports = portal.reports().len();
    assert!(reports >= messages.len(), "no more than one message for each of {reports} reports");
    eventually("nothing is left here", || {
        let left = std::fs::read_dir(&folder).expect("folder").flatten();
        left.filter(|entry| entry.file_name().to_string_lossy().contains("0000000000000007")).count() == 0
    });
}

#[test]
fn a_minute_that_the_portal_cannot_read_is_lost_alone() {
    let (good, bad) = (7, 8);
    let portal = Portal::fine(table(vec![]));
    let host = rig(&portal);
    let now = lay_minutes(&host, 40, |n| if n == 23 { bad } else { good });
    portal.set(Mood::RefusesRecord(Box::new(table(vec![])), Some(bad)));
    let running = agent(&host);
    eventually("the rest arrives", || portal.ledger().iter().filter(|minute| minute.part == good).count() == 39);
    eventually("what is new arrives too", || portal.ledger().iter().any(|minute| minute.minute >= now));
    assert!(portal.ledger().iter().all(|minute| minute.part != bad));
    assert!(
        running.log().contains("the portal cannot read a minute of the record, which is lost"),
        "{}",
        running.log()
    );
    let messages = portal.sent_to("/api/v1/agent/minutes");
    let lost = |body: &serde_json::Value| body["dropped"].as_u64().expect("a number");
    assert_eq!(messages.iter().map(|message| lost(&message.body)).max(), Some(1), "no other is thrown away");
}

#[test]
fn a_portal_that_can_read_no_minute_gets_ever_smaller_messages_and_all_reports() {
    let portal = Portal::fine(table(vec![]));
    let host = rig(&portal);
    lay_minutes(&host, 40, |_| 7);
    portal.set(Mood::RefusesRecord(Box::new(table(vec![])), None));
    let running = agent(&host);
    let sizes = |portal: &Portal| -> Vec<usize> {
        let messages = portal.sent_to("/api/v1/agent/minutes");
        messages.iter().map(|message| message.body["minutes"].as_array().expect("minutes").len()).collect()
    };
    eventually("it is down to one at a time", || sizes(&portal).ends_with(&[1, 1, 1]));
    assert!(sizes(&portal).starts_with(&[30, 15, 7, 3, 1, 1]), "{:?}", sizes(&portal));
    assert!(
        running.log().contains("the portal cannot read a minute of the record, which is lost"),
        "{}",
        running.log()
    );
    portal.give(table(vec![]));
    eventually("the record goes on", || portal.ledger().len() >= 30);
}

#[test]
fn reports_are_packed_and_the_inventory_comes_when_it_is_news_or_wanted() {
    let portal = Portal::fine(table(vec![]));
    let host = rig(&portal);
    let _agent = agent(&host);
    let with = |portal: &Portal| portal.reports().iter().filter(|r| r.body.get("inventory").is_some()).count();
    eventually("the inventory comes", || with(&portal) == 1);
    let count = portal.reports().len();
    eventually("more reports", || portal.reports().len() > count + 3);
    let reports = portal.reports();
    assert_eq!(with(&portal), 1, "it comes once");
    let full = reports.iter().find(|report| report.body.get("inventory").is_some()).expect("there");
    assert_eq!(full.body["inventory"]["cards"].as_array().expect("cards").len(), 8);
    let last = reports.last().expect("some");
    assert_eq!(last.body["inventory_id"], full.body["inventory_id"]);
    assert!(last.packed && last.size * 3 < last.body.to_string().len(), "{} bytes", last.size);
    assert!(last.body["sent_at"].is_string());
    portal.ask_inventory(true);
    eventually("it comes again", || with(&portal) >= 3);
    portal.ask_inventory(false);
}

#[test]
fn the_portal_sets_the_time_between_reports_within_bounds() {
    let portal = Portal::fine(table(vec![]));
    let mut host = rig(&portal);
    host.unset("BERTH_REPORT_EVERY");
    portal.ask_every(7);
    let running = agent(&host);
    eventually("it is heard", || running.log().contains("the portal sets the time between reports\" ms=1000"));
    portal.ask_every(3_600_000);
    eventually("it is heard", || running.log().contains("ms=60000"));
}

#[test]
fn a_portal_that_cannot_unpack_gets_plain_reports() {
    let portal = Portal::fine(table(vec![]));
    let host = rig(&portal);
    portal.set(Mood::Refuses(415, "input.unknown_encoding", "Not that."));
    let _agent = agent(&host);
    eventually("it is tried both ways", || {
        let ways: BTreeSet<bool> = portal.reports().iter().map(|report| report.packed).collect();
        ways.len() == 2
    });
}
