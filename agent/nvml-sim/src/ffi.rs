//! The edge to C: what comes in through pointers, what goes out, and no panic across it.

use std::borrow::Cow;
use std::ffi::{CStr, c_char, c_uint};
use std::panic::{AssertUnwindSafe, catch_unwind};

use nvml_wrapper_sys::bindings::nvmlReturn_t;

use crate::code::{Answer, INSUFFICIENT_SIZE, INVALID_ARGUMENT, SUCCESS, UNKNOWN};

/// Turns an answer into NVML's return code; a panic becomes `NVML_ERROR_UNKNOWN`.
pub fn reply(call: impl FnOnce() -> Answer<()>) -> nvmlReturn_t {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => SUCCESS,
        Ok(Err(code)) => code,
        Err(_) => UNKNOWN,
    }
}

/// Writes one value.
///
/// # Errors
/// `INVALID_ARGUMENT` where `out` is null.
///
/// # Safety
/// `out` is null or points to memory that may be written as a `T`.
pub unsafe fn put<T>(out: *mut T, value: T) -> Answer<()> {
    if out.is_null() {
        return Err(INVALID_ARGUMENT);
    }
    // SAFETY: not null, and the caller vouches for the rest.
    unsafe { out.write(value) };
    Ok(())
}

/// Writes text with its NUL.
///
/// # Errors
/// `INVALID_ARGUMENT` where `out` is null, `INSUFFICIENT_SIZE` where text and NUL exceed `length`.
///
/// # Safety
/// `out` is null or points to `length` writable bytes.
pub unsafe fn put_text(out: *mut c_char, length: c_uint, text: &[u8]) -> Answer<()> {
    if out.is_null() {
        return Err(INVALID_ARGUMENT);
    }
    if text.len() >= length as usize {
        return Err(INSUFFICIENT_SIZE);
    }
    // SAFETY: text and NUL fit, as just checked; two allocations of different owners do not overlap.
    unsafe {
        out.copy_from_nonoverlapping(text.as_ptr().cast(), text.len());
        out.add(text.len()).write(0);
    }
    Ok(())
}

/// Fills a fixed array of a struct, cut to fit, always with a NUL.
pub fn fill(array: &mut [c_char], text: &str) {
    let room = array.len().saturating_sub(1);
    for (slot, byte) in array.iter_mut().zip(text.bytes().take(room).chain(std::iter::once(0))) {
        *slot = byte.cast_signed();
    }
}

/// Reads a C string.
///
/// # Errors
/// `INVALID_ARGUMENT` where the pointer is null.
///
/// # Safety
/// `text` is null or points to a NUL-terminated string that outlives the result.
pub unsafe fn text<'a>(text: *const c_char) -> Answer<Cow<'a, str>> {
    if text.is_null() {
        return Err(INVALID_ARGUMENT);
    }
    // SAFETY: not null, and the caller vouches for the NUL and the lifetime.
    Ok(unsafe { CStr::from_ptr(text) }.to_string_lossy())
}

/// Fills a caller's list in NVML's way: the count comes in as room and goes out as length.
///
/// # Errors
/// `INVALID_ARGUMENT` without a count, `INSUFFICIENT_SIZE` (and the count needed) where there is too little room.
///
/// # Safety
/// `count` is null or writable; `list` is null or has room for `*count` items.
pub unsafe fn put_list<T: Copy>(count: *mut c_uint, list: *mut T, items: &[T]) -> Answer<()> {
    if count.is_null() {
        return Err(INVALID_ARGUMENT);
    }
    let length = c_uint::try_from(items.len()).map_err(|_| UNKNOWN)?;
    // SAFETY: `count` is not null; `list` is only written within the room that the caller stated.
    unsafe {
        let room = count.read();
        count.write(length);
        if items.is_empty() {
            return Ok(());
        }
        if list.is_null() || room < length {
            return Err(INSUFFICIENT_SIZE);
        }
        list.copy_from_nonoverlapping(items.as_ptr(), items.len());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_unknown() {
        assert_eq!(reply(|| panic!("boom")), UNKNOWN);
        assert_eq!(reply(|| Ok(())), SUCCESS);
    }

    #[test]
    fn text_never_passes_its_buffer() {
        let mut buffer = [1 as c_char; 4];
        // SAFETY: the length given is the buffer's.
        unsafe {
            assert_eq!(put_text(buffer.as_mut_ptr(), 4, b"abc"), Ok(()));
            assert_eq!(buffer, [97, 98, 99, 0]);
            assert_eq!(put_text(buffer.as_mut_ptr(), 3, b"abc"), Err(INSUFFICIENT_SIZE));
            assert_eq!(put_text(std::ptr::null_mut(), 3, b"a"), Err(INVALID_ARGUMENT));
        }
        fill(&mut buffer, "abcdef");
        assert_eq!(buffer, [97, 98, 99, 0]);
    }

    #[test]
    fn a_list_says_how_much_room_it_needs() {
        let items = [7_u32, 8];
        let mut room = [0_u32; 2];
        let mut count: c_uint = 0;
        // SAFETY: `count` is the room of the list passed with it.
        unsafe {
            assert_eq!(put_list(&raw mut count, std::ptr::null_mut(), &items), Err(INSUFFICIENT_SIZE));
            assert_eq!(count, 2);
            assert_eq!(put_list(&raw mut count, room.as_mut_ptr(), &items), Ok(()));
            assert_eq!((count, room), (2, [7, 8]));
            count = 1;
            assert_eq!(put_list(&raw mut count, room.as_mut_ptr(), &items), Err(INSUFFICIENT_SIZE));
        }
    }
}
