//! What a report may say of one card and of those who are on it: text is cleaned and cut, numbers and times that cannot
//! be are unknown.

use domain::card::{CardDetail, CardProcess, CardSample, Container, MigPart, Xid};
use domain::reading::Reading;
use domain::wire::agent_v1::CardReport;
use time::OffsetDateTime;

use super::report_check::{MEMORY_MAX_MIB, NUMBER_MAX, SHORT_MAX, at_most, clean, instant, short};

/// Longest command, in characters.
const COMMAND_MAX: usize = 256;
/// Highest number of a part of a card: all that any driver knows are far below.
const PART_MAX: u32 = 1024;
/// More reasons than there are.
const REASONS_MAX: usize = 32;
/// Highest temperature, in degrees Celsius.
const CELSIUS_MAX: u32 = 1_000;
/// A hundred kilowatts.
const POWER_MAX_MW: u32 = 100_000_000;
/// A hundred gigahertz.
const CLOCK_MAX_MHZ: u32 = 100_000;
/// Fans may pass 100 percent.
const FAN_MAX_PERCENT: u32 = 1_000;
/// What the database's numbers hold.
const COUNT_MAX: u64 = i64::MAX.unsigned_abs();

/// Whether a part's numbers can be: a booking rests on them.
#[must_use]
pub fn is_part(part: &MigPart) -> bool {
    part.gpu_instance <= PART_MAX && part.compute_instance <= PART_MAX && part.instance <= PART_MAX
}

/// The card's values with everything in bounds; what it is, is checked elsewhere.
pub(super) fn values(card: &mut CardReport, now: OffsetDateTime) {
    if let Some(part) = &mut card.facts.part {
        part.profile = clean(&part.profile, SHORT_MAX);
        part.compute_slices = at_most(part.compute_slices, PART_MAX);
        part.multiprocessors = at_most(part.multiprocessors, NUMBER_MAX);
    }
    card.sample = sample(&card.sample);
    card.detail = detail(std::mem::take(&mut card.detail), now);
    card.processes = card.processes.take().map(|list| list.into_iter().map(|one| process(one, now)).collect());
}

fn sample(sample: &CardSample) -> CardSample {
    CardSample {
        utilisation_percent: at_most(sample.utilisation_percent, 100),
        memory_used_mib: at_most(sample.memory_used_mib, MEMORY_MAX_MIB),
        temperature_celsius: at_most(sample.temperature_celsius, CELSIUS_MAX),
        power_milliwatts: at_most(sample.power_milliwatts, POWER_MAX_MW),
        power_limit_milliwatts: at_most(sample.power_limit_milliwatts, POWER_MAX_MW),
        fan_percent: at_most(sample.fan_percent, FAN_MAX_PERCENT),
        sm_clock_mhz: at_most(sample.sm_clock_mhz, CLOCK_MAX_MHZ),
    }
}

fn detail(detail: CardDetail, now: OffsetDateTime) -> CardDetail {
    let percent = |reading: Reading<u32>| at_most(reading, 100);
    let clock = |reading: Reading<u32>| at_most(reading, CLOCK_MAX_MHZ);
    let small = |reading: Reading<u32>| at_most(reading, PART_MAX);
    let memory = |reading: Reading<u64>| at_most(reading, MEMORY_MAX_MIB);
    let at = |at: Option<OffsetDateTime>| at.map(|at| instant(at, now));
    CardDetail {
        memory_reserved_mib: memory(detail.memory_reserved_mib),
        memory_free_mib: memory(detail.memory_free_mib),
        memory_is_unified: detail.memory_is_unified,
        memory_used_has_reserved: detail.memory_used_has_reserved,
        memory_utilisation_percent: percent(detail.memory_utilisation_percent),
        encoder_percent: percent(detail.encoder_percent),
        decoder_percent: percent(detail.decoder_percent),
        memory_temperature_celsius: at_most(detail.memory_temperature_celsius, CELSIUS_MAX),
        energy_millijoules: at_most(detail.energy_millijoules, COUNT_MAX),
        graphics_clock_mhz: clock(detail.graphics_clock_mhz),
        memory_clock_mhz: clock(detail.memory_clock_mhz),
        performance_state: small(detail.performance_state),
        slowed_by: detail.slowed_by.map(|reasons| reasons.into_iter().take(REASONS_MAX).collect()),
        pcie_generation: small(detail.pcie_generation),
        pcie_width: small(detail.pcie_width),
        ecc_corrected: at_most(detail.ecc_corrected, COUNT_MAX),
        ecc_uncorrected: at_most(detail.ecc_uncorrected, COUNT_MAX),
        retired_pages: at_most(detail.retired_pages, NUMBER_MAX),
        retirement_pending: detail.retirement_pending,
        remapped_rows: detail.remapped_rows,
        last_xid: detail.last_xid.map(|xid| Xid { code: xid.code.min(COUNT_MAX), at: instant(xid.at, now) }),
        hot_since: at(detail.hot_since),
        power_capped_since: at(detail.power_capped_since),
    }
}

fn process(process: CardProcess, now: OffsetDateTime) -> CardProcess {
    let container = process.container.map(|container| Container { id: clean(&container.id, SHORT_MAX), ..container });
    CardProcess {
        pid: process.pid,
        kind: process.kind,
        memory_mib: at_most(process.memory_mib, MEMORY_MAX_MIB),
        os_user: short(process.os_user),
        command: process.command.map(|command| clean(&command, COMMAND_MAX)).filter(|command| !command.is_empty()),
        state: process.state,
        started_at: process.started_at.map(|at| instant(at, now)),
        utilisation_percent: at_most(process.utilisation_percent, 100),
        container: container.filter(|container| !container.id.is_empty()),
    }
}

#[cfg(test)]
mod tests;
