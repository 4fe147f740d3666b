//! Copies of the built library that lack functions, as libraries of older drivers do.
//!
//! The wrapper and its peers find out with `dlsym` what a library offers, so a function cannot be hidden while the
//! library is loaded. In a copy, its name among the exported ones is overwritten with as many other characters: the
//! loader then finds nothing under it.

/// Where names begin and end in a library, or why it is not one.
type Place = Result<std::ops::Range<usize>, String>;

/// Section type of the table of exported symbols (`SHT_DYNSYM`).
const DYNAMIC_SYMBOLS: u32 = 11;

/// A copy of the library without these functions.
///
/// # Errors
/// A sentence, where the bytes are no 64-bit library or do not export one of the names.
pub fn without<S: AsRef<str>>(library: &[u8], names: &[S]) -> Result<Vec<u8>, String> {
    let mut copy = library.to_vec();
    let place = exported_names(library)?;
    for name in names.iter().map(AsRef::as_ref) {
        let entry = [b"\0", name.as_bytes(), b"\0"].concat();
        let found = copy[place.clone()].windows(entry.len()).position(|bytes| bytes == entry);
        let at = place.start + 1 + found.ok_or_else(|| format!("the library does not export {name}"))?;
        copy[at..at + name.len()].fill(b'x');
    }
    Ok(copy)
}

/// The names of the exported symbols in an ELF file: the string table that its dynamic symbol table is linked to.
fn exported_names(file: &[u8]) -> Place {
    let broken = || "not a 64-bit library".to_owned();
    if file.get(..5) != Some(b"\x7fELF\x02") {
        return Err(broken());
    }
    let (table, size, count) = (number(file, 0x28, 8), number(file, 0x3a, 2), number(file, 0x3c, 2));
    let (table, size, count) = table.zip(size).zip(count).map(|((a, b), c)| (a, b, c)).ok_or_else(broken)?;
    let section = |index: usize| table + index * size;
    let symbols = (0..count).map(section).find(|&at| number(file, at + 4, 4) == Some(DYNAMIC_SYMBOLS as usize));
    let strings = symbols.and_then(|at| number(file, at + 0x28, 4)).map(section).ok_or_else(broken)?;
    let (offset, length) = number(file, strings + 0x18, 8).zip(number(file, strings + 0x20, 8)).ok_or_else(broken)?;
    let range = offset..offset.saturating_add(length);
    if range.end > file.len() { Err(broken()) } else { Ok(range) }
}

/// A little-endian number of 2, 4 or 8 bytes.
fn number(file: &[u8], at: usize, bytes: usize) -> Option<usize> {
    let part = file.get(at..at.checked_add(bytes)?)?;
    usize::try_from(part.iter().rev().fold(0_u64, |number, &byte| number << 8 | u64::from(byte))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_library_is_told() {
        for bytes in [&b""[..], b"\x7fELF\x02", &[0; 4096], b"#!/bin/sh\n"] {
            assert!(without(bytes, &["nvmlInit_v2"]).is_err());
        }
    }
}
