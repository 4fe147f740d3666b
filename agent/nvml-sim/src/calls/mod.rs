//! The exported functions, one file per subject.
//!
//! All of them keep NVML's contract for their arguments: a handle comes from this library, an out-pointer is null
//! (which is refused) or points to writable memory of its type, a text or list has the room that is stated with it.

/// Functions that read one value of a card.
macro_rules! values {
    ($($(#[$doc:meta])* $lookup:ident $name:ident: $kind:ty = $read:expr;)*) => { $(
        $(#[$doc])*
        ///
        /// # Safety
        /// As the module says.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(device: nvmlDevice_t, out: *mut $kind) -> nvmlReturn_t {
            $crate::ffi::reply(|| {
                let card = $crate::state::$lookup(device, stringify!($name))?;
                let read: fn(&$crate::card::Card) -> $crate::code::Answer<$kind> = $read;
                // SAFETY: the caller's pointer is null or writable, by NVML's contract.
                unsafe { $crate::ffi::put(out, read(&card)?) }
            })
        }
    )* };
}

/// Functions that read one text of a card.
macro_rules! texts {
    ($($(#[$doc:meta])* $lookup:ident $name:ident = $read:expr;)*) => { $(
        $(#[$doc])*
        ///
        /// # Safety
        /// As the module says.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(device: nvmlDevice_t, out: *mut c_char, length: c_uint) -> nvmlReturn_t {
            $crate::ffi::reply(|| {
                let card = $crate::state::$lookup(device, stringify!($name))?;
                let read: fn(&$crate::card::Card) -> $crate::code::Answer<Vec<u8>> = $read;
                let other = card.sim.text(stringify!($name), Some(card.position));
                let text = other.map_or_else(|| read(&card), Ok)?;
                // SAFETY: the caller's buffer is null or has the length it states, by NVML's contract.
                unsafe { $crate::ffi::put_text(out, length, &text) }
            })
        }
    )* };
}

/// Functions that no simulated card offers.
macro_rules! not_supported {
    ($($name:ident($($argument:ident: $kind:ty),*);)*) => { $(
        /// Not offered by any simulated card.
        ///
        /// # Safety
        /// As the module says; nothing is written.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(device: nvmlDevice_t, $($argument: $kind),*) -> nvmlReturn_t {
            $crate::ffi::reply(|| {
                let _ = ($($argument,)*);
                $crate::state::card(device, stringify!($name))?;
                Err($crate::code::NOT_SUPPORTED)
            })
        }
    )* };
}

pub mod activity;
pub mod device;
pub mod ecc;
pub mod events;
pub mod fields;
pub mod links;
pub mod memory;
pub mod mig;
pub mod pcie;
pub mod power;
pub mod processes;
pub mod system;
pub mod topology;
