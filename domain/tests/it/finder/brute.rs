//! The finder against trying everything, on parks so small that this can be done.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use domain::card::CardNumber;
use domain::finder::park::{Hold, NewHost, Park, Stock, Today};
use domain::finder::{Lack, Link, Reason, Span, Suggestion, Want, alternatives, find};
use domain::id::CardUuid;
use domain::topology::{Path, Topology};
use proptest::prelude::*;

use super::world::{A100, H100, Model, NOW, RTX3090, T4, Wires, at, hold, host, then, uuid, want, window};

const HORIZON: i64 = 150;

#[derive(Clone, Debug)]
struct World {
    hosts: Vec<NewHost>,
    holds: Vec<Hold>,
    used: BTreeSet<CardUuid>,
}

impl World {
    fn park(&self) -> Park {
        let stock = Arc::new(Stock::new(self.hosts.clone(), self.holds.clone(), Vec::new()));
        Park::new(stock, NOW, |card| Today { used_by_others: self.used.contains(&card.uuid), ..Today::default() })
    }

    fn is_free(&self, card: &CardUuid, start: i64, end: i64) -> bool {
        let wanted = window(start, end);
        (start >= 60 || !self.used.contains(card)) && self.has_room(card, &wanted)
    }

    fn has_room(&self, card: &CardUuid, wanted: &domain::window::Window) -> bool {
        !self.holds.iter().any(|hold| hold.gpu == *card && hold.window.overlaps(wanted))
    }

    fn host_of(&self, card: &CardUuid) -> &NewHost {
        self.hosts.iter().find(|host| host.cards.iter().any(|known| known.uuid == *card)).expect("known")
    }

    fn card(&self, card: &CardUuid) -> &domain::finder::park::Card {
        self.host_of(card).cards.iter().find(|known| known.uuid == *card).expect("known")
    }

    /// Every set of cards that serves the wish, were it for this time.
    fn all(&self, want: &Want, start: i64, end: i64) -> Vec<Vec<CardUuid>> {
        let fits = |host: &NewHost| -> Vec<CardUuid> {
            let good = host.cards.iter().filter(|card| {
                want.model.as_ref().is_none_or(|model| *model == card.model)
                    && want.memory_mib.is_none_or(|least| card.memory_mib.is_some_and(|has| has >= least))
                    && (want.hosts.is_empty() || want.hosts.contains(&host.name))
                    && card.not_bookable.is_none()
            });
            good.map(|card| card.uuid.clone()).filter(|card| self.is_free(card, start, end)).collect()
        };
        let pools: Vec<Vec<CardUuid>> = if want.spread && want.link == Link::Any {
            vec![self.hosts.iter().flat_map(fits).collect()]
        } else {
            self.hosts.iter().map(fits).collect()
        };
        let sets = pools.iter().flat_map(|pool| subsets(pool, want.count as usize));
        sets.filter(|set| want.count == 1 || self.linked(set, want.link)).collect()
    }

    fn linked(&self, set: &[CardUuid], link: Link) -> bool {
        if link == Link::Any {
            return true;
        }
        let host = self.host_of(&set[0]);
        let Some(topology) = &host.topology else { return false };
        let place =
            |card: &CardUuid| topology.cards.iter().position(|known| known.uuid == *card).expect("known") as u32;
        let pairs = || set.iter().flat_map(|a| set.iter().filter(move |b| place(a) < place(b)).map(move |b| (a, b)));
        let ancestor = |a, b| {
            let pair = topology.pairs.iter().find(|pair| (pair.a, pair.b) == (place(a), place(b))).expect("known");
            pair.ancestor.get().expect("known")
        };
        let path = |a: &CardUuid, b: &CardUuid| topology.linkage(&[a.clone(), b.clone()]).expect("two").weakest;
        match link {
            Link::Any => true,
            Link::NvLink => topology.linkage(set).expect("two or more").joined_by_nvlink,
            Link::Switch => pairs()
                .all(|(a, b)| matches!(path(a, b), Path::NvLink(_)) || Path::over_pcie(ancestor(a, b)) == Path::Pix),
            Link::Node => pairs().all(|(a, b)| Path::over_pcie(ancestor(a, b)) != Path::Sys),
        }
    }

    /// What is compared first: models, link, size.
    fn rank(&self, set: &[CardUuid]) -> (usize, u8, u64) {
        let models: BTreeSet<&str> = set.iter().map(|card| self.card(card).model.as_str()).collect();
        let size = set.iter().map(|card| self.card(card).memory_mib.unwrap_or(0)).sum();
        (models.len(), self.class(set), size)
    }

    fn class(&self, set: &[CardUuid]) -> u8 {
        if set.len() < 2 {
            return 0;
        }
        let linkage = self.host_of(&set[0]).topology.as_ref().and_then(|topology: &Topology| topology.linkage(set));
        let Some(linkage) = linkage else { return 9 };
        match linkage.weakest {
            Path::NvLink(_) => 0,
            _ if linkage.joined_by_nvlink => 1,
            Path::Pix => 2,
            Path::Pxb => 3,
            Path::Phb => 4,
            Path::Node => 5,
            Path::Sys => 6,
            Path::Same | Path::Unknown => 9,
        }
    }

    fn slowest(&self, set: &[CardUuid]) -> u64 {
        set.iter().map(|card| self.card(card).speed.unwrap_or(0)).min().unwrap_or(0)
    }

    fn earliest(&self, want: &Want, from: i64, until: i64, length: i64) -> Option<i64> {
        (from..=until - length).find(|start| !self.all(want, *start, start + length).is_empty())
    }
}

fn subsets(pool: &[CardUuid], count: usize) -> Vec<Vec<CardUuid>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (at, first) in pool.iter().enumerate() {
        for mut rest in subsets(&pool[at + 1..], count - 1) {
            rest.insert(0, first.clone());
            all.push(rest);
        }
    }
    all
}

fn cards(found: &Suggestion) -> Vec<CardUuid> {
    let mut cards: Vec<_> = found.cards.iter().map(|card| card.uuid.clone()).collect();
    cards.sort();
    cards
}

fn sorted(mut sets: Vec<Vec<CardUuid>>) -> Vec<Vec<CardUuid>> {
    sets.iter_mut().for_each(|set| set.sort());
    sets
}

fn models() -> impl Strategy<Value = Vec<Model>> {
    let one = prop_oneof![Just(H100), Just(A100), Just(RTX3090), Just(T4)];
    prop_oneof![
        (prop_oneof![Just(H100), Just(RTX3090), Just(T4)], 1usize..7).prop_map(|(model, count)| vec![model; count]),
        proptest::collection::vec(one, 1..6),
    ]
}

fn ways() -> impl Strategy<Value = Wires> {
    prop_oneof![
        Just(Wires::Unknown),
        Just(Wires::Node),
        Just(Wires::Switches),
        Just(Wires::Pairs(4)),
        Just(Wires::Crossed(4)),
        Just(Wires::Row),
        Just(Wires::Switched),
    ]
}

fn world() -> impl Strategy<Value = World> {
    let hosts = proptest::collection::vec((models(), ways()), 1..4);
    let holds = proptest::collection::vec((0usize..3, 0u32..6, 0i64..120, 1i64..60), 0..14);
    let marks = proptest::collection::vec((0usize..3, 0u32..6, any::<bool>()), 0..4);
    (hosts, holds, marks).prop_map(|(hosts, holds, marks)| {
        let name = |at: usize| ["a", "b", "c"][at];
        let mut hosts: Vec<NewHost> =
            hosts.iter().enumerate().map(|(at, (models, wires))| host(name(at), models, *wires)).collect();
        let mut used = BTreeSet::new();
        for (at, index, closed) in marks {
            if closed {
                let cards = hosts.get_mut(at).and_then(|host| host.cards.get_mut(index as usize));
                cards.into_iter().for_each(|card| card.not_bookable = Some("no".to_owned()));
            } else {
                used.insert(uuid(name(at), index));
            }
        }
        let holds =
            holds.into_iter().map(|(at, index, start, long)| hold(name(at), index, start, start + long)).collect();
        World { hosts, holds, used }
    })
}

fn wish() -> impl Strategy<Value = Want> {
    let link = prop_oneof![Just(Link::Any), Just(Link::Node), Just(Link::Switch), Just(Link::NvLink)];
    let model = proptest::option::weighted(0.2, prop_oneof![Just(H100.0), Just(RTX3090.0)]);
    let memory = proptest::option::weighted(0.2, prop_oneof![Just(20u64), Just(40)]);
    (1u32..5, link, any::<bool>(), model, memory).prop_map(|(count, link, spread, model, memory)| Want {
        spread,
        model: model.map(str::to_owned),
        memory_mib: memory.map(|gigabytes| gigabytes * 1024),
        ..want(count, link, then(0, 1))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn a_time_is_served_wherever_it_can_be_and_as_well_as_it_can_be(
        world in world(), wish in wish(), start in 0i64..100, length in 5i64..40,
    ) {
        let want = Want { when: then(start, start + length), ..wish };
        let found = find(&world.park(), &want, NOW);
        prop_assert_eq!(&found, &find(&world.park(), &want, NOW), "always the same");
        let all = sorted(world.all(&want, start, start + length));
        prop_assert_eq!(found.suggestions.iter().any(|one| one.reason != Reason::Later), !all.is_empty());
        prop_assert_eq!(found.lack.is_some(), all.is_empty());
        for one in &found.suggestions {
            let from = (one.window.start() - NOW).whole_minutes();
            prop_assert_eq!(one.window.length(), time::Duration::minutes(length));
            prop_assert!(sorted(world.all(&want, from, from + length)).contains(&cards(one)), "{one:?}");
            prop_assert_eq!(one.reason == Reason::Later, from > start);
        }
        if let Some(fit) = found.suggestions.iter().find(|one| one.reason == Reason::BestFit) {
            let one_host = |set: &&Vec<CardUuid>| set.iter().all(|card| world.host_of(card).name == world.host_of(&set[0]).name);
            let least = all.iter().filter(one_host).map(|set| world.rank(set)).min();
            if let Some(least) = least {
                prop_assert_eq!(world.rank(&cards(fit)), least);
            }
            let slowest = world.slowest(&cards(fit));
            for fast in found.suggestions.iter().filter(|one| one.reason == Reason::Fastest) {
                prop_assert!(world.slowest(&cards(fast)) > slowest);
            }
        }
        if all.is_empty() {
            let later = world.earliest(&want, start + 1, 400, length);
            prop_assert_eq!(found.suggestions.first().map(|one| one.window.start()), later.map(at));
            prop_assert_eq!(found.lack == Some(Lack::Taken), later.is_some());
        }
    }

    #[test]
    fn earliest_is_the_first_minute_that_works(
        world in world(), wish in wish(), from in 0i64..100, length in 5i64..40, within in 0i64..HORIZON,
    ) {
        let until = from + length + within;
        let want = Want {
            when: Span::Earliest { minutes: u32::try_from(length).expect("short"), from: at(from), until: at(until) },
            ..wish
        };
        let found = find(&world.park(), &want, NOW);
        let first = world.earliest(&want, from, until, length);
        prop_assert_eq!(found.suggestions.first().map(|one| one.window.start()), first.map(at));
        for one in &found.suggestions {
            let start = (one.window.start() - NOW).whole_minutes();
            prop_assert!(one.window.end() <= at(until));
            prop_assert!(sorted(world.all(&want, start, start + length)).contains(&cards(one)), "{one:?}");
        }
    }

    #[test]
    fn ways_out_work_and_none_is_missed(
        world in world(), picks in proptest::collection::btree_set((0usize..1, 0u32..5), 1..4), start in 0i64..80, length in 5i64..40,
    ) {
        let name = &world.hosts[0].name;
        let picked: Vec<CardUuid> = picks.iter().map(|(_, index)| uuid(name, *index)).collect();
        prop_assume!(picked.iter().all(|card| world.hosts[0].cards.iter().any(|known| known.uuid == *card)));
        let found = alternatives(&world.park(), &picked, &BTreeMap::new(), &window(start, start + length), NOW);
        let open = picked.iter().all(|card| world.card(card).not_bookable.is_none());
        let room = |start: i64, end: i64| open && picked.iter().all(|card| world.has_room(card, &window(start, end)));
        let of = |reason| found.iter().find(|one| one.reason == reason);
        if room(start, start + length) {
            prop_assert!(found.is_empty());
            return Ok(());
        }
        let shorter = (5..length).rev().find(|length| room(start, start + length));
        prop_assert_eq!(of(Reason::Shorter).map(|one| one.window), shorter.map(|length| window(start, start + length)));
        let later = (start + 1..400).find(|start| room(*start, start + length));
        prop_assert_eq!(of(Reason::SameLater).map(|one| one.window), later.map(|start| window(start, start + length)));
        // Equal cards: as many of each model, on one host, none worse linked than the worst were.
        let count = |set: &[CardUuid]| {
            let mut models: Vec<&str> = set.iter().map(|card| world.card(card).model.as_str()).collect();
            models.sort_unstable();
            models.into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        let worst = |set: &[CardUuid]| {
            let linkage = world.host_of(&set[0]).topology.as_ref().and_then(|topology| topology.linkage(set));
            linkage.map(|linkage| linkage.weakest).filter(|path| *path != Path::Unknown)
        };
        let least = worst(&picked);
        let equal = |set: &Vec<CardUuid>| {
            count(set) == count(&picked)
                && least.is_none_or(|least| worst(set).is_some_and(|path| !least.is_better_than(path)))
        };
        let any = Want { spread: false, ..want(u32::try_from(picked.len()).expect("few"), Link::Any, then(0, 1)) };
        let mut all = sorted(world.all(&any, start, start + length));
        all.retain(|set| equal(set));
        prop_assert_eq!(of(Reason::Elsewhere).is_some(), !all.is_empty());
        if let Some(one) = of(Reason::Elsewhere) {
            prop_assert!(all.contains(&cards(one)), "{one:?}");
            let kept = |set: &[CardUuid]| set.iter().filter(|card| picked.contains(card)).count();
            prop_assert_eq!(kept(&cards(one)), all.iter().map(|set| kept(set)).max().unwrap_or(0));
        }
    }
}

#[test]
fn numbers_are_in_the_order_of_the_host() {
    let world = World { hosts: vec![host("a", &[T4; 3], Wires::Node)], holds: Vec::new(), used: BTreeSet::new() };
    let found = find(&world.park(), &want(3, Link::Any, then(0, 60)), NOW);
    let numbers: Vec<CardNumber> = found.suggestions[0].cards.iter().map(|card| card.number).collect();
    assert_eq!(numbers, [0, 1, 2].map(CardNumber::from));
}
