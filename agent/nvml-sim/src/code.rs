//! NVML's return codes, by the names that this library uses.

use nvml_wrapper_sys::bindings::nvmlReturn_t;

/// What a simulated call gives: a value, or the code that NVML would return.
pub type Answer<T> = Result<T, nvmlReturn_t>;

/// Success.
pub const SUCCESS: nvmlReturn_t = 0;
/// `nvmlInit_v2` was not called.
pub const UNINITIALIZED: nvmlReturn_t = 1;
/// A null pointer, a foreign handle, an index past the end.
pub const INVALID_ARGUMENT: nvmlReturn_t = 2;
/// The card does not offer this.
pub const NOT_SUPPORTED: nvmlReturn_t = 3;
/// No such card, or no samples.
pub const NOT_FOUND: nvmlReturn_t = 6;
/// The caller's buffer is too small.
pub const INSUFFICIENT_SIZE: nvmlReturn_t = 7;
/// No driver: here, no profile.
pub const DRIVER_NOT_LOADED: nvmlReturn_t = 9;
/// Nothing happened in time.
pub const TIMEOUT: nvmlReturn_t = 10;
/// The card has fallen off the bus.
pub const GPU_IS_LOST: nvmlReturn_t = 15;
/// The card wants a reset.
pub const RESET_REQUIRED: nvmlReturn_t = 16;
/// A struct of another version than this library knows.
pub const ARGUMENT_VERSION_MISMATCH: nvmlReturn_t = 25;
/// Anything else.
pub const UNKNOWN: nvmlReturn_t = 999;

/// The sentence of `nvmlErrorString`.
#[must_use]
pub fn sentence(code: nvmlReturn_t) -> &'static std::ffi::CStr {
    match code {
        SUCCESS => c"Success",
        UNINITIALIZED => c"Uninitialized",
        INVALID_ARGUMENT => c"Invalid Argument",
        NOT_SUPPORTED => c"Not Supported",
        4 => c"Insufficient Permissions",
        NOT_FOUND => c"Not Found",
        INSUFFICIENT_SIZE => c"Insufficient Size",
        DRIVER_NOT_LOADED => c"Driver Not Loaded",
        TIMEOUT => c"Timeout",
        GPU_IS_LOST => c"GPU is lost",
        RESET_REQUIRED => c"GPU requires reset",
        18 => c"Driver/library version mismatch",
        ARGUMENT_VERSION_MISMATCH => c"Argument version mismatch",
        _ => c"Unknown Error",
    }
}
