//! Watches whether booked cards are used, card by card: a busy one says nothing about the others. Owners are asked, and
//! where an administrator's rule says so, an idle card is given back, and that card only.

use std::collections::HashMap;

use domain::error::ApiError;
use domain::host::Freshness;
use domain::id::{CardUuid, ReservationId};
use domain::idle::{Next, Seen, Terms, USUAL, look as look_at};
use domain::notice::{Body, NamedCard};
use domain::rules::idle::idle_rule;
use domain::wire::live_v1::{BookingBrief, CardView, HostView};
use sqlx::PgConnection;
use time::OffsetDateTime;

use crate::live::Live;
use crate::service::Services;
use crate::service::reservations::GiveBack;
use crate::store::StoreError;
use crate::store::card_watch::{self, Watched};
use crate::store::notices::{self, NewNotice};
use crate::store::reservations::held::Left;

/// What came of a look.
#[derive(Debug, Default)]
pub(super) struct Looked {
    /// So many owners were asked.
    pub told: u64,
    /// What is to be given back.
    pub releases: Vec<Release>,
}

/// A card that a rule gives back.
#[derive(Debug)]
pub(super) struct Release {
    pub reservation: ReservationId,
    owner: domain::id::UserId,
    card: NamedCard,
    rule: String,
    missed: bool,
}

pub(super) async fn look(conn: &mut PgConnection, live: &Live, now: OffsetDateTime) -> Result<Looked, StoreError> {
    let mut running = card_watch::running(conn, now).await?;
    if running.is_empty() {
        return Ok(Looked::default());
    }
    let rules = card_watch::idle_rules(conn).await?;
    let (_, hosts) = live.hosts(now);
    let cards: HashMap<&CardUuid, (&HostView, &CardView)> =
        hosts.iter().flat_map(|host| host.cards.iter().map(move |card| (&card.facts.uuid, (host, card)))).collect();
    let (mut looked, mut news) = (Looked::default(), Vec::new());
    for one in &mut running {
        let rule = idle_rule(&rules, &one.groups, &one.labels);
        let terms = rule.as_ref().map_or(USUAL, |rule| Terms {
            idle: rule.idle,
            no_show: rule.no_show,
            release_after: rule.release_after,
        });
        let seen = cards.get(&one.card.uuid).map_or(Seen::Unknown, |(host, card)| seen(host, card, one, now));
        let next = one.watch.take(seen, &terms, now);
        if next == Next::Nothing {
            continue;
        }
        // What was not seen live may be in the record.
        let since = one.watch.idle_since.unwrap_or(now);
        if let Some(at) = card_watch::used_since(conn, &one.card.uuid, &one.people, since).await? {
            one.watch.used_at(at.min(now));
            continue;
        }
        match next {
            Next::Ask { since, release_at } => news.push(asked(one, since, release_at)),
            Next::Release { missed } => looked.releases.push(Release {
                reservation: one.reservation,
                owner: one.owner,
                card: one.card.clone(),
                rule: rule.map(|rule| rule.rule.name.clone()).unwrap_or_default(),
                missed,
            }),
            Next::Nothing => {}
        }
    }
    card_watch::save(conn, &running).await?;
    looked.told = notices::write(conn, &news, now).await?;
    Ok(looked)
}

fn seen(host: &HostView, card: &CardView, one: &Watched, now: OffsetDateTime) -> Seen {
    if !matches!(host.pulse.freshness(now), Freshness::Live | Freshness::Late) {
        return Seen::Unknown;
    }
    let booking = BookingBrief {
        id: one.reservation,
        owner: one.owner,
        holder: one.holder.clone(),
        hue: 0,
        window: one.window,
        co_users: one.people.iter().copied().filter(|person| *person != one.owner).collect(),
        waits: false,
    };
    look_at(&card.truth, card.facts.part.is_some(), &booking)
}

fn asked(one: &Watched, since: OffsetDateTime, released_at: Option<OffsetDateTime>) -> NewNotice {
    let again = one.watch.asked.map(OffsetDateTime::unix_timestamp).unwrap_or_default();
    NewNotice {
        user: one.owner,
        reservation: Some(one.reservation),
        once: Some(format!("idle:{}:{}:{again}", one.reservation, one.card.uuid)),
        body: Body::Idle { card: one.card.clone(), since, released_at },
    }
}

/// Gives a card back, unless its owner has, or has answered, meanwhile.
pub(super) async fn release(services: &Services, what: &Release) -> Result<(), ApiError> {
    let notice = NewNotice {
        user: what.owner,
        reservation: Some(what.reservation),
        once: Some(format!("released:{}:{}", what.reservation, what.card.uuid)),
        body: Body::Released { card: what.card.clone(), rule: what.rule.clone(), missed: what.missed },
    };
    let give_back = GiveBack {
        reservation: what.reservation,
        cards: vec![what.card.uuid.clone()],
        why: if what.missed { Left::Missed } else { Left::Idle },
        notices: vec![notice],
    };
    services.reservations.give_back(&give_back).await?;
    Ok(())
}
