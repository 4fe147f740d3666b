use domain::card::{CardDetail, CardFacts, CardHealth, CardSample, Container, Runtime};
use domain::reading::Reading;

use super::*;

const MINUTE: i64 = 60_000;

fn moment(at_ms: i64) -> Moment {
    Moment { at_ms, clock_ahead_ms: Some(5), gap_ms: 34_000, length_ms: MINUTE }
}

fn uuid(n: u32) -> CardUuid {
    CardUuid::parse(&format!("GPU-{n}")).expect("valid")
}

/// A busy card whose counter shows this.
fn card(n: u32, energy: u64) -> CardReport {
    let process = |pid, os_user: &str| CardProcess {
        os_user: Some(os_user.to_owned()),
        memory_mib: Reading::Value(100),
        utilisation_percent: Reading::Value(30),
        ..CardProcess::new(pid, ProcessKind::Compute)
    };
    CardReport {
        facts: CardFacts::new(uuid(n), n, "NVIDIA H100"),
        sample: CardSample {
            utilisation_percent: Reading::Value(60),
            memory_used_mib: Reading::Value(200),
            temperature_celsius: Reading::Value(50),
            power_milliwatts: Reading::Value(300_000),
            ..CardSample::default()
        },
        detail: CardDetail { energy_millijoules: Reading::Value(energy), ..CardDetail::default() },
        health: CardHealth::Ok,
        processes: Some(vec![process(1, "ada"), process(2, "ada"), process(3, "jonas")]),
    }
}

/// Every minute that ends while the card is looked at at these times; the counter goes up by 1 a millisecond.
fn run(tally: &mut Tally, times: impl IntoIterator<Item = i64>) -> Vec<HostMinute> {
    let mut ended = Vec::new();
    for at in times {
        ended.extend(tally.take(&moment(at), &[card(1, u64::try_from(at).expect("positive"))]));
        tally.shelved();
    }
    ended
}

fn begin(minute: &HostMinute) -> i64 {
    super::super::milliseconds(minute.minute)
}

#[test]
fn whole_minutes_have_all_their_time_and_energy_whatever_the_interval() {
    for step in [700, 2_000, 7_777, 33_000] {
        let minutes = run(&mut Tally::default(), (30_500..400_000).step_by(step));
        assert_eq!(minutes.iter().map(begin).collect::<Vec<_>>(), [0, 60_000, 120_000, 180_000, 240_000, 300_000]);
        for minute in &minutes[1..] {
            let card = &minute.cards[0];
            assert_eq!((card.watched_ms, card.energy_mj, card.busy_ms), (60_000, Some(60_000), 60_000), "{step}");
            assert!(card.energy_is_counted && card.unwell_ms == 0);
            assert_eq!(card.utilisation.map(|u| (u.min, u.max, u.sum)), Some((60, 60, 60 * u64::from(card.samples))));
            let accounts: Vec<_> =
                card.accounts.iter().map(|a| (a.os_user.as_deref(), a.present_ms, a.memory_max_mib)).collect();
            assert_eq!(accounts, [(Some("ada"), 60_000, Some(200)), (Some("jonas"), 60_000, Some(100))]);
            assert!(
                card.accounts[0].compute_ms.is_some_and(|ms| (35_900..=36_000).contains(&ms)),
                "{:?}",
                card.accounts
            );
        }
        assert_eq!(minutes[0].cards[0].watched_ms, 29_500, "the first sample has no time behind it");
    }
}

#[test]
fn a_restart_after_any_sample_changes_nothing_but_the_part() {
    let times = || (1_000..200_000).step_by(1_900);
    let without = run(&mut Tally::default(), times());
    let mut tally = Tally::default();
    let mut minutes = Vec::new();
    for at in times() {
        let before = tally.clone();
        // Killed before it is written down: the sample is taken again after the restart, from what was written.
        tally.take(&moment(at), &[card(1, u64::try_from(at).expect("positive"))]);
        tally = serde_json::from_slice(&serde_json::to_vec(&before).expect("json")).expect("json");
        minutes.extend(run(&mut tally, [at]));
    }
    let plain = |minutes: &[HostMinute]| -> Vec<_> { minutes.iter().map(|m| (m.minute, m.cards.clone())).collect() };
    assert_eq!(plain(&minutes), plain(&without));
}

#[test]
fn minutes_that_ended_are_given_again_until_they_are_on_disk() {
    let mut tally = Tally::default();
    run(&mut tally, [1_000, 59_000]);
    let first = tally.take(&moment(61_000), &[card(1, 61_000)]);
    let kept: Tally = serde_json::from_slice(&serde_json::to_vec(&tally).expect("json")).expect("json");
    let mut restarted = kept;
    let again = restarted.take(&moment(62_000), &[card(1, 62_000)]);
    assert_eq!(first, again, "the same minute, under the same part");
    restarted.shelved();
    assert_eq!(restarted.take(&moment(63_000), &[card(1, 63_000)]), []);
}

#[test]
fn what_nobody_watched_is_not_made_up() {
    let mut tally = Tally::default();
    let minutes = run(&mut tally, [1_000, 3_000, 200_000, 202_000, 245_000]);
    assert_eq!(minutes.iter().map(begin).collect::<Vec<_>>(), [0, 180_000]);
    assert_eq!(minutes[0].cards[0].watched_ms, 2_000);
    assert_eq!(minutes[1].cards[0].watched_ms, 2_000, "43 seconds are too long to know what was");
    assert_eq!(minutes[1].cards[0].energy_mj, Some(2_000));
}

#[test]
fn a_card_that_is_missing_for_a_moment_is_made_up_for_within_its_minute() {
    let mut tally = Tally::default();
    let both = |at: i64| [card(1, u64::try_from(at).expect("positive")), card(2, 7)];
    tally.take(&moment(10_000), &both(10_000));
    tally.take(&moment(20_000), &[card(1, 20_000)]);
    tally.take(&moment(30_000), &both(30_000));
    let ended = tally.take(&moment(61_000), &both(61_000));
    let watched: Vec<u32> = ended[0].cards.iter().map(|card| card.watched_ms).collect();
    assert_eq!(watched, [50_000, 50_000]);
}

#[test]
fn a_clock_that_is_set_back_counts_nothing_twice() {
    let mut tally = Tally::default();
    let mut minutes = run(&mut tally, (1_000..=90_000).step_by(1_000));
    // A little: time stands still until the clock has caught up.
    minutes.extend(run(&mut tally, (80_000..=130_000).step_by(1_000)));
    assert_eq!(minutes.iter().map(begin).collect::<Vec<_>>(), [0, 60_000]);
    assert_eq!((minutes[1].cards[0].watched_ms, minutes[1].cards[0].energy_mj), (60_000, Some(60_000)));
    // For good: the same time once more, as another part.
    let again = run(&mut tally, (1_000..=65_000).map(|at| at - 1_000).step_by(1_000));
    assert_eq!(again.iter().map(begin).collect::<Vec<_>>(), [120_000, 0]);
    assert_ne!(again[1].part, minutes[0].part);
    assert_eq!(again[1].cards[0].watched_ms, 60_000);
}

#[test]
fn sick_cards_idle_ones_and_those_without_a_counter() {
    let mut sick = card(1, 0);
    sick.health = CardHealth::ResetNeeded;
    sick.detail.energy_millijoules = Reading::default();
    let mut idle = card(2, 500);
    idle.sample.utilisation_percent = Reading::Value(0);
    idle.processes.as_mut().expect("listed").retain_mut(|process| {
        process.kind = ProcessKind::Graphics;
        process.pid == 1
    });
    let mut tally = Tally::default();
    for at in [1_000, 31_000] {
        tally.take(&moment(at), &[sick.clone(), idle.clone()]);
    }
    // A counter that starts again says nothing about the time before.
    idle.detail.energy_millijoules = Reading::Value(3);
    let ended = tally.take(&moment(61_000), &[sick, idle]);
    let [sick, idle] = &ended[0].cards[..] else { panic!("two cards: {ended:?}") };
    assert_eq!((sick.unwell_ms, sick.busy_ms), (59_000, 59_000));
    assert_eq!((sick.energy_mj, sick.energy_is_counted), (Some(300 * 59_000), false));
    assert_eq!((idle.unwell_ms, idle.busy_ms), (0, 0));
    assert_eq!((idle.energy_mj, idle.energy_is_counted), (Some(300 * 29_000), false));
    assert_eq!(idle.accounts[0].os_user.as_deref(), Some("ada"));
}

#[test]
fn who_is_alone_does_all_that_the_card_does() {
    let mut one = card(1, 0);
    for process in one.processes.as_mut().expect("listed") {
        process.utilisation_percent = Reading::default();
        process.os_user = Some("ada".to_owned());
        process.container = Some(Container { runtime: Runtime::Docker, id: "0123456789ab".to_owned() });
    }
    let mut tally = Tally::default();
    tally.take(&moment(0), &[one.clone()]);
    tally.take(&moment(30_000), &[one.clone()]);
    let ended = tally.take(&moment(60_000), &[one.clone()]);
    let account = &ended[0].cards[0].accounts[0];
    assert_eq!((account.container.as_deref(), account.compute_ms), (Some("0123456789ab"), Some(36_000)));
    one.processes.as_mut().expect("listed")[0].os_user = None;
    let found: Vec<_> = accounts(&one).iter().map(|account| (account.os_user, account.percent)).collect();
    assert_eq!(found, [(None, None), (Some("ada"), None)], "of two, nobody can say who computes");
}

#[test]
fn too_many_accounts_share_the_last_place() {
    let mut crowded = card(1, 0);
    let process = |n: usize| CardProcess {
        os_user: Some(format!("user{n}")),
        ..CardProcess::new(u32::try_from(n).expect("small"), ProcessKind::Compute)
    };
    crowded.processes = Some((0..200).map(process).collect());
    let mut tally = Tally::default();
    tally.take(&moment(0), &[crowded.clone()]);
    tally.take(&moment(30_000), &[crowded.clone()]);
    let ended = tally.take(&moment(60_000), &[crowded]);
    let card = &ended[0].cards[0];
    assert_eq!(card.accounts.len(), ACCOUNTS_MAX);
    assert!(card.accounts.iter().all(|account| account.present_ms == 60_000));
}
