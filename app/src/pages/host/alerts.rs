//! What on a host needs somebody's attention, why, and what to do.

use domain::band::gigabytes;
use domain::card::{CardDetail, CardHealth, ProcessState, Slowdown};
use domain::host::Freshness;
use domain::strain::is_worth_a_warning;
use domain::text::{When, t};
use domain::wire::live_v1::CardView;
use domain::wire::page::HostPage;
use time::{Duration, OffsetDateTime};

use super::facts::Facts;
use crate::components::host_words::host_words;

/// An error of the driver is worth a warning for this long.
const XID_NEWS: Duration = Duration::hours(24);
/// Errors of the driver that are about a card, not about the program that ran on it.
const XIDS_OF_CARDS: [u64; 10] = [48, 63, 64, 74, 79, 92, 94, 95, 119, 120];
/// From this utilisation on a card is busy: an idle one may save lanes.
const BUSY_FROM_PERCENT: u32 = 10;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tone {
    /// Something cannot be used.
    Bad,
    /// Something is slower or less certain than it should be.
    Warn,
    /// Good to know.
    Info,
}

/// Something to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alert {
    /// How bad.
    pub tone: Tone,
    /// Which cards; none where it is about the host.
    pub cards: Vec<u32>,
    /// What is the matter, in a few words; of a host, a sentence.
    pub what: String,
    /// Why, and what to do.
    pub text: String,
}

impl Alert {
    fn of_host(tone: Tone, what: impl Into<String>, text: impl Into<String>) -> Self {
        Self { tone, cards: Vec::new(), what: what.into(), text: text.into() }
    }

    /// First words: which cards, and what is the matter.
    #[must_use]
    pub fn lead(&self) -> String {
        let words = &t().host;
        if self.cards.is_empty() { self.what.clone() } else { (words.about)(&(words.cards)(&self.cards), &self.what) }
    }
}

/// Everything to look at, the worst first; the same of several cards is said once.
#[must_use]
pub fn alerts(page: &HostPage, facts: &Facts<'_>, when: &When<'_>) -> Vec<Alert> {
    let mut all = of_host(page, when);
    for card in page.host.cards.iter().filter(|card| card.facts.part.is_none()) {
        for (tone, what, text) in of_card(page, card, facts, when) {
            let index = card.facts.index;
            match all.iter_mut().find(|alert| alert.what == what && alert.text == text) {
                Some(alert) => alert.cards.push(index),
                None => all.push(Alert { tone, cards: vec![index], what, text }),
            }
        }
    }
    all.sort_by_key(|alert| alert.tone);
    all
}

fn of_host(page: &HostPage, when: &When<'_>) -> Vec<Alert> {
    let words = &t().host;
    let mut all = Vec::new();
    let (lead, why) = host_words(&page.host, when).trouble;
    if !lead.is_empty() {
        all.push(Alert::of_host(Tone::Warn, lead, why));
    }
    if page.told.inventory.as_ref().is_some_and(|inventory| !inventory.machine.sees_processes) {
        all.push(Alert::of_host(Tone::Warn, words.blind, words.blind_why));
    }
    if let Some(ahead) = page.host.pulse.clock_off() {
        let what = (words.clock)(&when.length(ahead.abs()), ahead.is_positive());
        all.push(Alert::of_host(Tone::Warn, what, words.clock_why));
    }
    all
}

type Said = (Tone, String, String);

fn of_card(page: &HostPage, card: &CardView, facts: &Facts<'_>, when: &When<'_>) -> Vec<Said> {
    let words = &t().host;
    let detail = facts.detail(&card.facts.uuid);
    let xid = detail.last_xid.filter(|xid| when.now - facts.ours(xid.at) < XID_NEWS);
    let xid = xid.map(|xid| (xid.code, (words.xid)(xid.code, &when.at(facts.ours(xid.at)))));
    let mut said = Vec::new();
    let sick = match card.truth.health {
        CardHealth::Ok | CardHealth::Asleep => None,
        CardHealth::Lost => Some((words.lost, words.lost_why)),
        CardHealth::ResetNeeded => Some((words.reset, words.reset_why)),
        CardHealth::RepairPending => Some((words.repair, words.repair_why)),
        CardHealth::Defective => Some((words.defective, words.defective_why)),
        CardHealth::Failing => Some((words.failing, words.failing_why)),
    };
    match (sick, xid) {
        (Some((what, why)), None) => said.push((Tone::Bad, what.to_owned(), why.to_owned())),
        // The error before it went is why it went.
        (Some((what, why)), Some((code, xid))) => {
            let meaning = (words.xid_means)(code).map(|(meaning, _)| format!(" {meaning}")).unwrap_or_default();
            said.push((Tone::Bad, what.to_owned(), (words.xid_before)(&xid, &meaning, why)));
        }
        (None, Some((code, xid))) if is_of_card(code) => {
            let (meaning, act) = (words.xid_means)(code).unwrap_or_default();
            said.push((Tone::Warn, xid, format!("{meaning} {act}").trim().to_owned()));
        }
        (None, _) => {}
    }
    if page.host.pulse.freshness(when.now) != Freshness::Silent {
        strain(detail, facts, when, &mut said);
        said.extend(lanes(card, detail, facts));
    }
    said.extend(orphans(card));
    if let Some(moved) = page.moved.iter().find(|moved| moved.card == card.facts.uuid) {
        let what = (words.moved)(moved.before, &when.at(moved.at));
        said.push((Tone::Info, what, words.moved_why.to_owned()));
    }
    said
}

/// Heat, power, and what the hardware does about them.
fn strain(detail: &CardDetail, facts: &Facts<'_>, when: &When<'_>, said: &mut Vec<Said>) {
    let words = &t().host;
    let lasts = |since: Option<OffsetDateTime>| {
        let since = since.map(|at| facts.ours(at));
        since.filter(|_| is_worth_a_warning(since, when.now)).map(|at| when.at(at))
    };
    if let Some(since) = lasts(detail.hot_since) {
        said.push((Tone::Bad, (words.hot)(&since), words.hot_why.to_owned()));
    }
    let slowed = detail.slowed_by.value().map(Vec::as_slice).unwrap_or_default();
    let hardware = [Slowdown::HardwareThermal, Slowdown::PowerBrake, Slowdown::Hardware];
    if let Some(why) = hardware.into_iter().find(|why| slowed.contains(why)) {
        said.push((Tone::Warn, words.throttled.to_owned(), (words.throttled_why)(why).to_owned()));
    }
    if let Some(since) = lasts(detail.power_capped_since) {
        said.push((Tone::Warn, (words.capped)(&since), words.capped_why.to_owned()));
    }
}

fn lanes(card: &CardView, detail: &CardDetail, facts: &Facts<'_>) -> Option<Said> {
    let words = &t().host;
    let busy = card.truth.sample.utilisation_percent.get().is_some_and(|share| share >= BUSY_FROM_PERCENT);
    let now = detail.pcie_width.get()?;
    let most = facts.traits(&card.facts.uuid)?.max_pcie_width.get()?;
    (busy && now < most).then(|| (Tone::Warn, (words.lanes)(now, most), words.lanes_why.to_owned()))
}

fn orphans(card: &CardView) -> Option<Said> {
    let words = &t().host;
    let mut orphans = card.truth.processes.iter().flatten().filter(|process| process.state == ProcessState::Orphan);
    let first = orphans.next()?;
    let sum =
        orphans.try_fold(first.memory_mib.get(), |sum, next| Some(sum.zip(next.memory_mib.get()).map(|(a, b)| a + b)));
    let memory = sum.flatten().map(gigabytes).unwrap_or_default();
    Some((Tone::Warn, (words.orphans)(&memory), words.orphans_why.to_owned()))
}

/// Whether an error of the driver is about the card, not about the program that ran on it.
#[must_use]
pub fn is_of_card(xid: u64) -> bool {
    XIDS_OF_CARDS.contains(&xid)
}

#[cfg(test)]
#[path = "alerts_tests.rs"]
mod tests;
