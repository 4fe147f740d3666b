//! The table of a host's cards: clocks, links, errors, limits. What has no value says why.

use domain::card::{CardDetail, RemappedRows, Slowdown};
use domain::inventory::CardTraits;
use domain::reading::{Missing, Reading};
use domain::strain::{is_capped, is_hot};
use domain::text::{When, t};
use domain::wire::live_v1::{CardView, HostView};
use domain::wire::page::HostPage;
use leptos::prelude::*;
use time::OffsetDateTime;

use super::alerts::Alert;
use super::facts::Facts;
use crate::components::icon::Icon;

/// How a value stands out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    Plain,
    Quiet,
    Warn,
    Bad,
}

/// A value, or why there is none.
type Cell = Result<(String, Look), Missing>;

fn plain(text: impl ToString) -> (String, Look) {
    (text.to_string(), Look::Plain)
}

fn read<T: Clone>(reading: &Reading<T>, say: impl FnOnce(T) -> (String, Look)) -> Cell {
    match reading {
        Reading::Value(value) => Ok(say(value.clone())),
        Reading::Missing { na } => Err(*na),
    }
}

/// The table, and how many things there are to look at.
pub fn cards_box(page: &HostPage, facts: &Facts<'_>, alerts: &[Alert], when: &When<'_>) -> AnyView {
    let words = &t().host;
    let host = &page.host;
    let cards: Vec<&CardView> = host.cards.iter().filter(|card| card.facts.part.is_none()).collect();
    let mixed = cards.iter().any(|card| card.facts.model() != cards[0].facts.model());
    let rows = cards.iter().map(|card| row(page, card, facts, mixed, when)).collect_view();
    let as_of = page.host.pulse.last_report.map(|at| (words.as_of)(&when.at(at)));
    view! {
        <section class="box" id="cards" aria-labelledby="cards-h" data-fresh="">
            <header>
                <h2 id="cards-h">{words.cards_heading}</h2>
                <p>{things(alerts)}</p>
                <p class="end">{as_of}</p>
            </header>
            <div class="scroll-x">
                <table class="data">
                    <thead>
                        <tr>
                            <th scope="col">{words.card}</th>
                            <th scope="col" class="num">{words.sm_clock}</th>
                            <th scope="col" class="num">{words.memory_clock}</th>
                            <th scope="col">{words.pcie}</th>
                            <th scope="col">{words.ecc}</th>
                            <th scope="col">{words.remap}</th>
                            <th scope="col">{words.slowed_by}</th>
                            <th scope="col">{words.last_xid}</th>
                            <th scope="col">{words.mig}</th>
                            <th scope="col" class="num">{words.heat}</th>
                            <th scope="col" class="num">{words.power}</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        </section>
    }
    .into_any()
}

/// "2 things to look at: 1 at its power limit since 10:04; 7 lost, not bookable".
fn things(alerts: &[Alert]) -> String {
    let words = &t().host;
    let of_cards: Vec<&Alert> = alerts.iter().filter(|alert| !alert.cards.is_empty()).collect();
    if of_cards.is_empty() {
        return words.all_well.to_owned();
    }
    let said = of_cards.iter().map(|alert| {
        let cards: Vec<String> = alert.cards.iter().map(ToString::to_string).collect();
        format!("{} {}", cards.join(", "), alert.what)
    });
    format!("{} {}", (words.look_at)(of_cards.len()), said.collect::<Vec<_>>().join("; "))
}

fn row(page: &HostPage, card: &CardView, facts: &Facts<'_>, mixed: bool, when: &When<'_>) -> AnyView {
    let words = &t().host;
    let uuid = &card.facts.uuid;
    let (detail, traits) = (facts.detail(uuid), facts.traits(uuid));
    let sample = &card.truth.sample;
    let was = page.moved.iter().find(|moved| moved.card == *uuid).map(|moved| (words.was)(moved.before));
    let address = card.facts.pci_bus_id.as_deref().map(words.address);
    let busy = sample.utilisation_percent.get().is_some_and(|share| share > 0);
    view! {
        <tr id=super::topology::row_id(uuid) data-row=uuid.to_string() data-ends=card.facts.index.to_string()>
            <th scope="row" title=address>
                {card.facts.index}
                {mixed.then(|| view! { " "<small class="muted">{card.facts.title()}</small> })}
                {was.map(|was| view! { " "<small class="warnval">{was}</small> })}
            </th>
            {number(read(&sample.sm_clock_mhz, plain), "sm", None)}
            {number(read(&detail.memory_clock_mhz, plain), "", None)}
            {cell(pcie(detail, traits, busy), pcie_most(traits))}
            {cell(ecc(detail, traits), None)}
            {cell(remap(detail), rows(detail))}
            {cell(read(&detail.slowed_by, |why| slowed(&why)), None)}
            {cell(Ok(xid(detail, facts, when)), xid_title(detail))}
            {cell(mig(traits), None)}
            {number(
                read(&sample.temperature_celsius, |degrees| {
                    (degrees.to_string(), if is_hot(degrees) { Look::Bad } else { Look::Plain })
                }),
                "heat",
                traits.and_then(heat_limit),
            )}
            {number(power(card), "power", sample.power_limit_milliwatts.get().map(watts))}
        </tr>
    }
    .into_any()
}

fn heat_limit(traits: &CardTraits) -> Option<u32> {
    traits.max_operating_celsius.get().or_else(|| traits.slowdown_celsius.get())
}

fn watts(milliwatts: u32) -> u32 {
    milliwatts.saturating_add(500) / 1000
}

fn power(card: &CardView) -> Cell {
    let sample = &card.truth.sample;
    read(&sample.power_milliwatts, |drawn| {
        let capped = sample.power_limit_milliwatts.get().is_some_and(|limit| is_capped(drawn, limit));
        (watts(drawn).to_string(), if capped { Look::Warn } else { Look::Plain })
    })
}

fn pcie(detail: &CardDetail, traits: Option<&CardTraits>, busy: bool) -> Cell {
    let words = &t().host;
    let Some(generation) = detail.pcie_generation.get() else { return read(&detail.pcie_generation, plain) };
    read(&detail.pcie_width, |lanes| match traits.and_then(|traits| traits.max_pcie_width.get()) {
        Some(most) if lanes < most => {
            ((words.pcie_of)(generation, lanes, most), if busy { Look::Warn } else { Look::Plain })
        }
        _ => ((words.pcie_value)(generation, lanes), Look::Plain),
    })
}

fn pcie_most(traits: Option<&CardTraits>) -> Option<String> {
    let (generation, lanes) = (traits?.max_pcie_generation.get()?, traits?.max_pcie_width.get()?);
    Some((t().host.pcie_most)(generation, lanes))
}

fn ecc(detail: &CardDetail, traits: Option<&CardTraits>) -> Cell {
    if traits.and_then(|traits| traits.ecc_enabled.get()) == Some(false) {
        return Ok((t().host.ecc_off.to_owned(), Look::Quiet));
    }
    let corrected = detail.ecc_corrected.get();
    read(&detail.ecc_uncorrected, |uncorrected| {
        let corrected = corrected.map_or_else(|| t().now.not_available.to_owned(), |count| count.to_string());
        (format!("{corrected} / {uncorrected}"), if uncorrected > 0 { Look::Bad } else { Look::Plain })
    })
}

/// Rows of newer cards, pages of older ones.
fn remap(detail: &CardDetail) -> Cell {
    let words = &t().host;
    match detail.remapped_rows {
        Reading::Value(RemappedRows { failed: true, .. }) => Ok((words.remap_failed.to_owned(), Look::Bad)),
        Reading::Value(RemappedRows { pending: true, .. }) => Ok((words.remap_pending.to_owned(), Look::Bad)),
        Reading::Value(rows) => Ok(plain(rows.corrected.saturating_add(rows.uncorrected))),
        Reading::Missing { na } => match (detail.retirement_pending.get(), detail.retired_pages.get()) {
            (Some(true), _) => Ok((words.remap_pending.to_owned(), Look::Bad)),
            (_, Some(pages)) => Ok(plain((words.pages)(pages))),
            _ => Err(na),
        },
    }
}

fn rows(detail: &CardDetail) -> Option<String> {
    detail.remapped_rows.get().map(|rows| (t().host.rows)(rows.corrected, rows.uncorrected))
}

fn slowed(why: &[Slowdown]) -> (String, Look) {
    let words = &t().host;
    let look = |why: &Slowdown| match why {
        Slowdown::Hardware | Slowdown::HardwareThermal | Slowdown::PowerBrake | Slowdown::SoftwareThermal => Look::Bad,
        Slowdown::PowerCap => Look::Warn,
        Slowdown::Idle => Look::Quiet,
        _ => Look::Plain,
    };
    if why.is_empty() {
        return (words.none.to_owned(), Look::Quiet);
    }
    let looks: Vec<Look> = why.iter().map(look).collect();
    let worst = [Look::Bad, Look::Warn, Look::Plain].into_iter().find(|look| looks.contains(look));
    let said: Vec<&str> = why.iter().map(|why| (words.slowdown)(*why)).collect();
    (said.join(", "), worst.unwrap_or(Look::Quiet))
}

fn xid(detail: &CardDetail, facts: &Facts<'_>, when: &When<'_>) -> (String, Look) {
    let words = &t().host;
    let Some(xid) = detail.last_xid else { return (words.none.to_owned(), Look::Quiet) };
    let at: OffsetDateTime = facts.ours(xid.at);
    ((words.xid_at)(xid.code, &when.at(at)), if super::alerts::is_of_card(xid.code) { Look::Bad } else { Look::Plain })
}

fn xid_title(detail: &CardDetail) -> Option<String> {
    let (meaning, act) = (t().host.xid_means)(detail.last_xid?.code)?;
    Some(format!("{meaning} {act}"))
}

fn mig(traits: Option<&CardTraits>) -> Cell {
    let words = &t().host;
    let traits = traits.ok_or(Missing::Unknown)?;
    read(&traits.mig_enabled, |on| match (on, traits.mig_pending.get()) {
        (false, Some(true)) => (words.on_pending.to_owned(), Look::Warn),
        (true, Some(false)) => (words.off_pending.to_owned(), Look::Warn),
        (true, _) => plain(words.on),
        (false, _) => (words.off.to_owned(), Look::Quiet),
    })
}

fn look_class(look: Look) -> (&'static str, Option<&'static str>) {
    match look {
        Look::Plain => ("", None),
        Look::Quiet => ("muted", None),
        Look::Warn => ("warnval", Some("rogue")),
        Look::Bad => ("hotval", Some("sick")),
    }
}

/// No value, and why.
pub fn missing(why: Missing) -> AnyView {
    view! { <abbr title=(t().host.missing)(why)>{t().now.not_available}</abbr> }.into_any()
}

fn cell(cell: Cell, title: Option<String>) -> AnyView {
    let content = match cell {
        Err(why) => missing(why),
        Ok((text, look)) => {
            let (class, icon) = look_class(look);
            view! {
                <span class=class title=title>
                    {icon.map(|name| view! { <Icon name /> })}
                    {text}
                </span>
            }
            .into_any()
        }
    };
    view! { <td>{content}</td> }.into_any()
}

/// A number with its limit; `name` is how the browser finds it again.
fn number(cell: Cell, name: &'static str, limit: Option<u32>) -> AnyView {
    let limit = limit.map(|limit| view! { <span class="muted">" / " {limit}</span> });
    let content = match cell {
        Err(why) => missing(why),
        Ok((text, look)) => {
            let (class, _) = look_class(look);
            view! {
                <span class=class data-value=name>
                    {text}
                </span>
                {limit}
            }
            .into_any()
        }
    };
    view! { <td class="num">{content}</td> }.into_any()
}

/// Cards of a host whose processes could not be read.
#[must_use]
pub fn unread(host: &HostView) -> Vec<u32> {
    let unread = host.cards.iter().filter(|card| {
        card.truth.processes.is_none() && card.truth.health.is_well() && !card.facts.mig_on && card.facts.part.is_none()
    });
    unread.map(|card| card.facts.index).collect()
}
