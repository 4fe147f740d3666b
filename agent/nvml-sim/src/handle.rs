//! What a handle is made of. It points nowhere: it is a number that only this library reads.

use nvml_wrapper_sys::bindings::nvmlDevice_t;

use crate::mig::Key;

/// In every handle, so that neither null nor a small number passes for one.
const MARK: usize = 0x5e << 56;
/// Places of the parts.
const GENERATION: u32 = 40;
const INSTANCE: u32 = 20;

/// A card or an instance of one, of one load of the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handle {
    /// The load of the driver that it belongs to.
    pub generation: u16,
    /// Position of the card in the profile.
    pub position: usize,
    /// MIG instance, where it is one.
    pub instance: Option<Key>,
}

impl Handle {
    /// As NVML's users hold it.
    #[must_use]
    pub fn to_device(self) -> nvmlDevice_t {
        let instance = self.instance.map_or(0, |key| (key.gi as usize * 8 + key.ci as usize + 1) << INSTANCE);
        std::ptr::without_provenance_mut(MARK | usize::from(self.generation) << GENERATION | instance | self.position)
    }

    /// What somebody holds; `None` where it is no handle.
    #[must_use]
    pub fn from_device(device: nvmlDevice_t) -> Option<Self> {
        let number = device.addr();
        let field = |place: u32, bits: u32| (number >> place) & ((1 << bits) - 1);
        if number & (0xff << 56) != MARK {
            return None;
        }
        let part = |value: usize| u32::try_from(value).ok();
        let instance = match field(INSTANCE, 20).checked_sub(1) {
            Some(key) => Some(Key { gi: part(key / 8)?, ci: part(key % 8)? }),
            None => None,
        };
        let generation = u16::try_from(field(GENERATION, 16)).ok()?;
        Some(Self { generation, position: field(0, INSTANCE), instance })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_says_what_it_was_made_of() {
        for instance in [None, Some(Key { gi: 0, ci: 0 }), Some(Key { gi: 14, ci: 7 })] {
            for (generation, position) in [(0, 0), (u16::MAX, 15)] {
                let handle = Handle { generation, position, instance };
                assert_eq!(Handle::from_device(handle.to_device()), Some(handle));
            }
        }
        for number in [0, 1, 0x1000, usize::MAX] {
            assert_eq!(Handle::from_device(std::ptr::without_provenance_mut(number)), None);
        }
    }
}
