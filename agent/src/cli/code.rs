//! One-time codes, read from a terminal, a pipe or a file. Never from an argument that everybody on the host could
//! read, except where the code is worth nothing to others.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;

/// Longest input looked at, in bytes.
const MAX_BYTES: u64 = 4096;

/// Reads a code from standard input, after a prompt where that is a terminal.
///
/// # Errors
/// A sentence for the person.
pub(super) fn read_code(prompt: &str) -> Result<String, String> {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        let mut stderr = io::stderr().lock();
        let _ = write!(stderr, "{prompt}");
        let _ = stderr.flush();
    }
    first_line(stdin.lock()).map_err(|cause| format!("The code cannot be read: {cause}."))
}

/// Reads a code from a file.
///
/// # Errors
/// A sentence for the person.
pub(super) fn read_code_file(path: &Path) -> Result<String, String> {
    let cannot = |cause: String| format!("The code cannot be read from {}: {cause}.", path.display());
    let file = std::fs::File::open(path).map_err(|error| cannot(error.to_string()))?;
    first_line(io::BufReader::new(file)).map_err(cannot)
}

fn first_line(input: impl BufRead) -> Result<String, String> {
    let mut line = Vec::new();
    input.take(MAX_BYTES).read_until(b'\n', &mut line).map_err(|error| error.to_string())?;
    let code = String::from_utf8(line).map_err(|_| "it is not text".to_owned())?;
    let code = code.trim();
    if code.is_empty() { Err("there is none".to_owned()) } else { Ok(code.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_without_its_edges() {
        assert_eq!(first_line(&b"  ABCD-1234 \r\nrest"[..]), Ok("ABCD-1234".to_owned()));
        for bad in [&b""[..], b"\n", b"  \nABCD", b"\xff\xfe\n"] {
            assert!(first_line(bad).is_err(), "{bad:?}");
        }
    }
}
