//! Addresses of pages with what follows their question mark.

/// A path with names and values; those whose value is empty are left out.
#[must_use]
pub fn with_query<N: AsRef<str>, V: AsRef<str>>(path: &str, pairs: impl IntoIterator<Item = (N, V)>) -> String {
    let mut address = path.to_owned();
    let mut mark = '?';
    for (name, value) in pairs {
        if value.as_ref().is_empty() {
            continue;
        }
        address.push(mark);
        address.push_str(name.as_ref());
        address.push('=');
        encode(value.as_ref(), &mut address);
        mark = '&';
    }
    address
}

/// Percent-encodes everything that could mean something in a query or a header.
fn encode(value: &str, address: &mut String) {
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~' | b':' | b'/') {
            address.push(char::from(byte));
        } else {
            address.push('%');
            for digit in [byte >> 4, byte & 15] {
                address.push(char::from_digit(u32::from(digit), 16).unwrap_or('0').to_ascii_uppercase());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_could_end_a_value_or_a_header_is_encoded() {
        let pairs = [("which", "model:H100 80GB & more"), ("host", ""), ("back", "/find?a=b#c"), ("q", "ä%\r\n\"")];
        assert_eq!(
            with_query("/", pairs),
            "/?which=model:H100%2080GB%20%26%20more&back=/find%3Fa%3Db%23c&q=%C3%A4%25%0D%0A%22"
        );
        assert_eq!(with_query("/find", [("host", "")]), "/find");
    }
}
