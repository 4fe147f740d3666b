//! Why a wish cannot be served, so that the next step can be said.

use super::choose::exists;
use super::links::bit;
use super::park::Park;
use super::search::{Fitting, fits, may_spread};
use super::stock::{Card, Host};
use super::{Lack, Link, Part, Want};

const PARTS: [Part; 5] = [Part::Model, Part::Architecture, Part::Memory, Part::Host, Part::Label];

pub(super) fn lack(park: &Park, want: &Want, fitting: &Fitting) -> Lack {
    let any = |fits: &dyn Fn(&Card, &Host) -> bool| Fitting::of(park, fits).count() > 0;
    if !any(&|_, _| true) {
        return Lack::NoCards;
    }
    if fitting.count() == 0 {
        let helps = |part: &Part| any(&|card, host| fits(want, card, host, Some(*part)));
        return Lack::NoneFits { drop: PARTS.into_iter().filter(helps).collect() };
    }
    let per_host = fitting.hosts.values().map(Vec::len).max().unwrap_or(0);
    let most = if may_spread(want) { fitting.count() } else { u32::try_from(per_host).unwrap_or(u32::MAX) };
    if most < want.count {
        return Lack::TooFew { most };
    }
    if want.count > 1 && want.link != Link::Any {
        let linked = |count: u32| {
            fitting.hosts.iter().any(|(host, cards)| {
                let host = &park.stock.hosts[*host];
                let all = cards.iter().fold(0, |all, card| all | bit(card - host.cards.start));
                exists(&host.links, all, count, want.link)
            })
        };
        let most = (1..=want.count).rev().find(|count| linked(*count)).unwrap_or(1);
        if most < want.count {
            return Lack::NotLinked { most };
        }
    }
    Lack::Taken
}
