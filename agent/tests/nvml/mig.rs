//! Cards that are cut into MIG instances.

use domain::card::{CardHealth, ProcessState};
use domain::reading::{Missing, Reading};
use domain::wire::agent_v1::CardReport;

use crate::support::SimHost;
use crate::{first, start, until};

fn parts(cards: &[CardReport], parent: usize) -> Vec<&CardReport> {
    let physical: Vec<&CardReport> = cards.iter().filter(|card| card.facts.part.is_none()).collect();
    let of_it =
        |card: &&CardReport| card.facts.part.as_ref().is_some_and(|part| part.parent == physical[parent].facts.uuid);
    cards.iter().filter(of_it).collect()
}

#[test]
fn instances_follow_their_card_and_gaps_end_nothing() {
    let cards = first(&SimHost::new("a100-mig"));
    let order: Vec<Option<u32>> =
        cards.iter().map(|card| card.facts.part.as_ref().map(|part| part.gpu_instance)).collect();
    assert_eq!(order, [None, None, Some(1), Some(5), Some(9), Some(10), None, Some(3), Some(5), Some(6), None]);
    let cut: Vec<bool> = cards.iter().filter(|card| card.facts.part.is_none()).map(|card| card.facts.mig_on).collect();
    assert_eq!(cut, [false, true, true, true]);
    let numbers: Vec<String> = cards[1..6].iter().map(|card| card.facts.number().to_string()).collect();
    assert_eq!(numbers, ["1", "1:0", "1:3", "1:5", "1:6"], "as the driver counts them");
    let part = &cards[2];
    let told = part.facts.part.as_ref().expect("a part");
    assert_eq!((told.profile.as_str(), told.compute_slices), ("3g.40gb", Reading::Value(3)));
    assert_eq!(told.multiprocessors, Reading::Value(42));
    assert_eq!(part.facts.uuid.as_str(), "MIG-d293d3e1-ecc1-b91f-c640-0ca823027467");
    assert_eq!(part.facts.memory_total_mib, Reading::Value(40192));
    assert_eq!(part.facts.pci_bus_id, cards[1].facts.pci_bus_id);
    assert_eq!((part.facts.index, part.facts.minor), (1, Some(1)));
}

#[test]
fn a_cut_card_is_never_shown_as_idle() {
    let cards = first(&SimHost::new("a100-mig"));
    for card in &cards[1..6] {
        assert_eq!(card.sample.utilisation_percent, Reading::missing(Missing::NotSupported));
        assert_eq!(card.health, CardHealth::Ok);
        assert!(card.sample.memory_used_mib.value().is_some());
        assert!(card.detail.memory_free_mib.value().is_some());
    }
    assert!(cards[1].sample.temperature_celsius.value().is_some());
    assert_eq!(cards[2].sample.temperature_celsius, Reading::missing(Missing::NotSupported));
}

#[test]
fn who_is_on_an_instance_is_on_that_one_and_on_its_card() {
    let host = SimHost::new("a100-mig");
    host.control(&format!(
        "[[process]]\ncard = 1\npid = {0}\nmemory_mib = 700\ngi = 5\n[[process]]\ncard = 1\npid = {0}\nmemory_mib = 300\ngi = 9\n",
        std::process::id()
    ));
    let cards = first(&host);
    let on = |card: &CardReport| card.processes.as_ref().expect("a list").clone();
    assert_eq!(on(&cards[3])[0].memory_mib, Reading::Value(700));
    assert_eq!(on(&cards[4])[0].memory_mib, Reading::Value(300));
    assert_eq!(on(&cards[3])[0].utilisation_percent, Reading::missing(Missing::NotSupported));
    assert_eq!(on(&cards[3])[0].state, ProcessState::Running);
    assert!(on(&cards[2]).is_empty() && on(&cards[5]).is_empty());
    assert_eq!(on(&cards[1]).len(), 1);
    assert_eq!(on(&cards[1])[0].memory_mib, Reading::Value(1000));
}

#[test]
fn a_card_that_may_not_be_asked_is_told_of_by_its_instances() {
    let host = SimHost::new("a100-mig");
    host.control(
        "[[process]]\ncard = 1\npid = 1\nmemory_mib = 700\ngi = 5\n\
         [[fault]]\ncall = \"nvmlDeviceGetMemoryInfo*\"\ncard = 0\ncode = 4\n",
    );
    let cards = first(&host);
    assert_eq!(cards[0].facts.memory_total_mib, Reading::missing(Missing::NoPermission));
    assert_eq!(cards[0].health, CardHealth::Ok);
    assert_eq!(cards[3].processes.as_ref().map(Vec::len), Some(1));
}

#[test]
fn a_card_that_is_cut_anew_shows_its_new_instances_at_once() {
    let host = SimHost::new("a100-mig");
    let sampler = start(&host);
    let uuids = |snapshot: &agent::nvml::Snapshot| -> Vec<String> {
        parts(&snapshot.cards, 1).iter().map(|card| card.facts.uuid.to_string()).collect()
    };
    until(&sampler, "four instances", |snapshot| uuids(snapshot).len() == 4);
    host.control(
        "[[mig]]\ncard = 1\non = true\ninstances = [\n\
         { place = 0, gi = 1, size = \"3g.40gb\", uuid = \"MIG-00000000-0000-0000-0000-000000000001\" },\n\
         { place = 3, gi = 6, size = \"2g.20gb\", uuid = \"MIG-00000000-0000-0000-0000-000000000002\" },\n]\n",
    );
    let expected = ["MIG-00000000-0000-0000-0000-000000000001", "MIG-00000000-0000-0000-0000-000000000002"];
    let after = until(&sampler, "two others", |snapshot| uuids(snapshot) == expected).snapshot;
    assert_eq!(after.inventory.as_ref().expect("an inventory").cards.len(), after.cards.len());
    host.control("[[mig]]\ncard = 1\non = false\n");
    let whole = until(&sampler, "one card", |snapshot| uuids(snapshot).is_empty()).snapshot;
    assert!(!whole.cards[1].facts.mig_on);
    host.control("");
    until(&sampler, "four again", |snapshot| uuids(snapshot).len() == 4);
}

#[test]
fn instances_are_lost_with_their_card_and_stay_listed() {
    let host = SimHost::new("a100-mig");
    let sampler = start(&host);
    let before = until(&sampler, "all", |snapshot| snapshot.cards.len() == 11).snapshot;
    host.control("lost = [1]");
    let lost = until(&sampler, "lost", |snapshot| snapshot.cards[1].health == CardHealth::Lost).snapshot;
    let names =
        |snapshot: &agent::nvml::Snapshot| -> Vec<_> { snapshot.cards.iter().map(|card| card.facts.clone()).collect() };
    assert_eq!(names(&lost), names(&before));
    assert!(lost.cards[2..6].iter().all(|card| card.health == CardHealth::Lost));
    assert_eq!(lost.cards[7].health, CardHealth::Ok);
    host.control("");
    until(&sampler, "well", |snapshot| snapshot.cards.iter().all(|card| card.health == CardHealth::Ok));
}

#[test]
fn an_instance_that_does_not_answer_moves_no_other() {
    let host = SimHost::new("a100-mig");
    let sampler = start(&host);
    let before = until(&sampler, "all", |snapshot| snapshot.cards.len() == 11).snapshot;
    for code in [999, 25] {
        host.control(&format!("[[fault]]\ncall = \"nvmlDeviceGetMigDeviceHandleByIndex\"\ncard = 2\ncode = {code}\n"));
        let failing = until(&sampler, "failing", |snapshot| snapshot.cards[7].health == CardHealth::Failing).snapshot;
        let uuids = |snapshot: &agent::nvml::Snapshot| -> Vec<_> {
            snapshot.cards.iter().map(|card| card.facts.uuid.clone()).collect()
        };
        assert_eq!(uuids(&failing), uuids(&before));
        assert_eq!((failing.cards[6].health, failing.cards[2].health), (CardHealth::Ok, CardHealth::Ok));
        host.control("[[fault]]\ncall = \"nvmlDeviceGetMigMode\"\ncard = 2\ncode = 999\n");
        let unsure = until(&sampler, "well", |snapshot| snapshot.cards[7].health == CardHealth::Ok).snapshot;
        assert!(unsure.cards[6].facts.mig_on, "a card that does not say is as it was");
    }
}
