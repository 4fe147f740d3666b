//! Which cards a program sees, by the rules of NVIDIA's programming guide for `CUDA_VISIBLE_DEVICES`, written down apart
//! from the generator so that the one checks the other.

use std::collections::BTreeMap;

use crate::case::Device;

/// The cards that CUDA gives to a program with these variables on this machine, in its order, as UUIDs.
///
/// # Errors
/// What somebody would call a trap: a value that CUDA takes without a word, but that means less than it says.
pub fn visible(machine: &[Device], env: &BTreeMap<String, String>) -> Result<Vec<String>, String> {
    let counted = counted(machine, env.get("CUDA_DEVICE_ORDER").map(String::as_str));
    let Some(list) = env.get("CUDA_VISIBLE_DEVICES") else {
        return Err("CUDA_VISIBLE_DEVICES is not set: every card is visible".to_owned());
    };
    if env.get("CUDA_DEVICE_ORDER").map(String::as_str) != Some("PCI_BUS_ID") {
        return Err("CUDA_DEVICE_ORDER is not PCI_BUS_ID".to_owned());
    }
    let mut seen: Vec<String> = Vec::new();
    for entry in list.split(',') {
        let uuid = resolve(&counted, entry).ok_or_else(|| format!("{entry:?} in {list:?} ends the list early"))?;
        if seen.contains(&uuid) {
            return Err(format!("{entry:?} twice in {list:?}: no card at all is visible"));
        }
        if uuid.starts_with("MIG-") && !seen.is_empty() {
            return Err(format!("a second instance in {list:?}: only the first is visible"));
        }
        seen.push(uuid);
    }
    let kinds = |test: fn(&str) -> bool| list.split(',').filter(|entry| test(entry)).count();
    let numbers = kinds(|entry| entry.starts_with(|c: char| c.is_ascii_digit()));
    if numbers != 0 && numbers != seen.len() {
        return Err(format!("numbers and UUIDs in one list: {list:?}"));
    }
    Ok(seen)
}

/// The machine's cards as CUDA counts them.
pub fn counted(machine: &[Device], order: Option<&str>) -> Vec<Device> {
    let mut cards = machine.to_vec();
    if order == Some("PCI_BUS_ID") {
        cards.sort_by_key(|card| card.index);
    } else {
        // The fastest first; equal ones as the bus has them.
        cards.sort_by_key(|card| (std::cmp::Reverse(card.speed), card.index));
    }
    cards
}

/// What one entry of a list names. Only what always means the same: a full UUID, or a plain number.
fn resolve(counted: &[Device], entry: &str) -> Option<String> {
    if let Ok(number) = entry.parse::<usize>() {
        let plain = entry == number.to_string();
        return counted.get(number).filter(|card| plain && card.parts.is_empty()).map(|card| card.uuid.clone());
    }
    by_uuid(counted, entry)
}

/// A card by its whole UUID, or an instance by its own. A card that is split has nothing to run on but its instances.
pub fn by_uuid(machine: &[Device], uuid: &str) -> Option<String> {
    let whole = machine.iter().filter(|card| card.parts.is_empty()).map(|card| &card.uuid);
    let parts = machine.iter().flat_map(|card| card.parts.iter().map(|(part, _)| part));
    whole.chain(parts).find(|known| *known == uuid).cloned()
}

/// Everything on a machine that a program can run on.
pub fn every(machine: &[Device]) -> Vec<String> {
    let whole = machine.iter().filter(|card| card.parts.is_empty()).map(|card| card.uuid.clone());
    whole.chain(machine.iter().flat_map(|card| card.parts.iter().map(|(part, _)| part.clone()))).collect()
}

/// A card as NVIDIA's container runtime names it: by UUID, by number, or `0:1` for an instance.
pub fn by_container_id(machine: &[Device], id: &str) -> Option<String> {
    if let Some((card, part)) = id.split_once(':') {
        let (card, part): (u32, u32) = (card.parse().ok()?, part.parse().ok()?);
        let card = machine.iter().find(|device| device.index == card)?;
        return card.parts.iter().find(|(_, n)| *n == part).map(|(uuid, _)| uuid.clone());
    }
    match id.parse::<u32>() {
        Ok(number) => {
            machine.iter().find(|card| card.index == number && card.parts.is_empty()).map(|card| card.uuid.clone())
        }
        Err(_) => by_uuid(machine, id),
    }
}

/// The part of a machine that a container gets, its cards counted anew in the order of the bus.
pub fn within(machine: &[Device], uuids: &[String]) -> Vec<Device> {
    let mut cards = Vec::new();
    for card in counted(machine, Some("PCI_BUS_ID")) {
        let parts: Vec<_> = card.parts.iter().filter(|(part, _)| uuids.contains(part)).cloned().collect();
        if uuids.contains(&card.uuid) || !parts.is_empty() {
            let index = u32::try_from(cards.len()).unwrap_or(u32::MAX);
            cards.push(Device { index, parts, ..card });
        }
    }
    cards
}

/// What a program in a container sees that got these cards, with these variables set in it.
///
/// # Errors
/// As [`visible`].
pub fn in_container(
    machine: &[Device],
    given: &[String],
    env: &BTreeMap<String, String>,
) -> Result<Vec<String>, String> {
    let inside = within(machine, given);
    if env.contains_key("CUDA_VISIBLE_DEVICES") {
        return visible(&inside, env);
    }
    let all = counted(&inside, env.get("CUDA_DEVICE_ORDER").map(String::as_str));
    let parts: Vec<String> = all.iter().flat_map(|card| card.parts.iter().map(|(part, _)| part.clone())).collect();
    let whole: Vec<String> = all.iter().filter(|card| card.parts.is_empty()).map(|card| card.uuid.clone()).collect();
    // CUDA gives one instance and nothing beside it.
    match (whole.is_empty(), parts.as_slice()) {
        (false, []) => Ok(whole),
        (true, [one]) => Ok(vec![one.clone()]),
        _ => Err(format!(
            "a container with {} cards and {} instances: a program sees one instance",
            whole.len(),
            parts.len()
        )),
    }
}
