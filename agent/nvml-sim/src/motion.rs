//! Values that move as on a real card, computed from the clock: two processes that look at once see the same.

use std::f64::consts::TAU;

use crate::profile::Model;

/// Seconds in which a card warms up or cools down by about two thirds.
const WARM_SECONDS: f64 = 30.0;
/// Seconds that a program needs until it uses its card.
const RAMP_SECONDS: f64 = 3.0;
/// Seconds in which a program takes its memory.
const ALLOCATE_SECONDS: f64 = 4.0;

/// A card's work at one instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// Seconds since the first of its programs started.
    pub age: f64,
    /// Tells one program's habits from another's.
    pub seed: u64,
}

/// What the sensors say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sensors {
    /// Share of time with a kernel running, 0 to 100.
    pub gpu_percent: u32,
    /// Share of time with memory traffic, 0 to 100.
    pub memory_percent: u32,
    /// Power drawn.
    pub milliwatts: u32,
    /// Core temperature.
    pub celsius: u32,
    /// SM clock.
    pub sm_mhz: u32,
    /// Memory clock.
    pub memory_mhz: u32,
    /// Fan speed; zero without fans.
    pub fan_percent: u32,
}

/// How hard a card works, 0 to 1.
#[must_use]
pub fn effort(load: Option<Load>, seed: u64, now: f64) -> f64 {
    let Some(load) = load else { return 0.0 };
    let ramp = (load.age / RAMP_SECONDS).clamp(0.0, 1.0);
    let habit = 0.80 + 0.15 * share(load.seed);
    // Now and then a program writes a checkpoint and leaves its card half idle for some seconds.
    let pause = ((wave(load.seed, now, 95.0) - 0.98) / 0.02).clamp(0.0, 1.0);
    let level = habit + 0.06 * drift(seed ^ load.seed, now, 17.0) - 0.45 * pause;
    ramp * level.clamp(0.05, 1.0)
}

/// Warmth after some seconds under an effort; 0 is a cold card, 1 a card warm from full load.
#[must_use]
pub fn warmth(before: f64, effort: f64, seconds: f64) -> f64 {
    effort + (before - effort) * (-seconds.max(0.0) / WARM_SECONDS).exp()
}

/// The sensors of a card.
#[must_use]
pub fn sensors(model: &Model, seed: u64, now: f64, effort: f64, warmth: f64) -> Sensors {
    let between = |[low, high]: [f64; 2], at: f64| low + (high - low) * at;
    let idle = f64::from(model.idle_watts) * (1.0 + 0.05 * drift(seed, now, 41.0));
    let full = f64::from(model.limit_watts) * (0.93 + 0.04 * drift(seed ^ 1, now, 5.0));
    let celsius = between([f64::from(model.idle_celsius), f64::from(model.busy_celsius)], warmth);
    let celsius = celsius + 1.2 * drift(seed ^ 2, now, 71.0);
    let awake = if effort > 0.0 { 0.90 + 0.04 * drift(seed ^ 3, now, 11.0) } else { 0.0 };
    let fan = match (model.fans, warmth) {
        (0, _) => 0.0,
        (_, warm) if warm < 0.05 => 0.0,
        (_, warm) => 30.0 + 45.0 * warm + 1.5 * drift(seed ^ 4, now, 13.0),
    };
    let memory_mhz = if effort > 0.0 { model.memory_mhz[1] } else { model.memory_mhz[0] };
    Sensors {
        gpu_percent: whole(effort * 100.0).min(100),
        memory_percent: whole(effort * (52.0 + 12.0 * drift(seed ^ 5, now, 9.0))).min(100),
        milliwatts: whole(between([idle, full], effort) * 1000.0),
        celsius: whole(celsius),
        sm_mhz: whole(between(model.sm_mhz.map(f64::from), awake) / 15.0) * 15,
        memory_mhz,
        fan_percent: whole(fan),
    }
}

/// Bytes that each program of a card holds. Together they leave a little of the card free.
#[must_use]
pub fn memory_of(usable: u64, programs: &[Load]) -> Vec<u64> {
    let wish = |load: &Load| (0.40 + 0.50 * share(load.seed)) * (load.age / ALLOCATE_SECONDS).clamp(0.03, 1.0);
    let wanted: f64 = programs.iter().map(wish).sum();
    let scale = if wanted > 0.97 { 0.97 / wanted } else { 1.0 };
    // Drivers hand out memory in steps of 2 MiB.
    let bytes = |part: f64| (part * usable as f64) as u64 / (2 << 20) * (2 << 20);
    programs.iter().map(|load| bytes(wish(load) * scale)).collect()
}

/// A number that stays the same for the same text.
#[must_use]
pub fn seed(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Spreads a seed over 0 to 1.
fn share(seed: u64) -> f64 {
    let mixed = (seed ^ (seed >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 40) as f64 / f64::from(1_u32 << 24)
}

fn wave(seed: u64, now: f64, period: f64) -> f64 {
    ((now / period).fract() * TAU + share(seed) * TAU).sin()
}

/// Wanders between -1 and 1 without a rhythm that an eye would find.
fn drift(seed: u64, now: f64, period: f64) -> f64 {
    0.5 * wave(seed, now, period)
        + 0.3 * wave(seed.rotate_left(17), now, period * 0.37)
        + 0.2 * wave(seed.rotate_left(31), now, period * 2.71)
}

fn whole(value: f64) -> u32 {
    value.round().max(0.0) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Profile;

    const NOW: f64 = 1_796_000_000.0;

    fn models() -> Vec<Model> {
        [include_str!("../profiles/dgx-h100.toml"), include_str!("../profiles/ws-mixed.toml")]
            .iter()
            .flat_map(|text| Profile::parse(text).expect("profile").model.into_values())
            .collect()
    }

    #[test]
    fn an_idle_card_rests_and_still_drifts() {
        for model in models() {
            let at = |second: u32| sensors(&model, 42, NOW + f64::from(second), 0.0, 0.0);
            let watts: Vec<u32> = (0..120).map(|second| at(second).milliwatts).collect();
            assert!(watts.iter().all(|&mw| mw > 0 && mw < model.idle_watts * 1100), "{watts:?}");
            assert!(watts.windows(2).any(|pair| pair[0] != pair[1]));
            assert!((0..120).all(|second| at(second).gpu_percent == 0 && at(second).celsius > 20));
        }
    }

    #[test]
    fn a_busy_card_stays_within_its_limits_and_moves_smoothly() {
        for model in models() {
            for seed in 0..20 {
                let at = |second: u32| {
                    let now = NOW + f64::from(second);
                    let effort = effort(Some(Load { age: 100.0, seed }), seed ^ 7, now);
                    sensors(&model, seed, now, effort, 1.0)
                };
                for second in 0..300 {
                    let (here, next) = (at(second), at(second + 1));
                    assert!(here.milliwatts <= model.limit_watts * 1000, "{here:?}");
                    assert!(here.celsius < model.limit_celsius[0] && here.sm_mhz <= model.sm_mhz[1]);
                    assert!((20..=100).contains(&here.gpu_percent), "{here:?}");
                    assert!(here.gpu_percent.abs_diff(next.gpu_percent) < 35, "{here:?} {next:?}");
                }
            }
        }
    }

    #[test]
    fn programs_share_a_cards_memory_and_keep_their_part() {
        let usable = 80 << 30;
        let old = |seed| Load { age: 100.0, seed };
        let alone = memory_of(usable, &[old(3)])[0];
        assert!(alone > usable * 39 / 100 && alone < usable * 91 / 100);
        assert_eq!(alone, memory_of(usable, &[Load { age: 5000.0, seed: 3 }])[0]);
        assert!(memory_of(usable, &[Load { age: 0.5, seed: 3 }])[0] < alone / 2);
        let many: Vec<Load> = (0..40).map(old).collect();
        assert!(memory_of(usable, &many).iter().sum::<u64>() <= usable);
    }

    #[test]
    fn warmth_comes_and_goes_slowly() {
        assert!(warmth(0.0, 1.0, 1.0) < 0.05);
        assert!(warmth(0.0, 1.0, 300.0) > 0.99);
        assert!(warmth(1.0, 0.0, 5.0) > 0.8);
    }
}
