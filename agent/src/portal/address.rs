//! The portal's address, checked before anything is sent to it.

use std::fmt;
use std::net::IpAddr;

use ureq::http::Uri;

/// Scheme, host, port and perhaps a path to put before ours; no slash at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    text: String,
    host: String,
    port: u16,
    loopback: bool,
    tls: bool,
}

/// The address cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadAddress {
    /// Not of the form that is needed.
    #[error("{0} is not an address of a portal. Write it like https://berth.example.org")]
    Form(String),
    /// Plain HTTP over a network.
    #[error(
        "{0} would carry this host's credential in the clear. Use https, or add --insecure if everybody on the way is \
         trusted"
    )]
    PlainHttp(String),
}

impl Address {
    /// Reads and checks an address; plain HTTP goes to this machine only, unless `insecure` says otherwise.
    ///
    /// # Errors
    /// [`BadAddress`], whose text is meant for people.
    pub fn parse(text: &str, insecure: bool) -> Result<Self, BadAddress> {
        let text = text.trim();
        let form = || BadAddress::Form(crate::clean::clean(text));
        let uri: Uri = text.parse().map_err(|_| form())?;
        let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else { return Err(form()) };
        let tls = match scheme {
            "https" => true,
            "http" => false,
            _ => return Err(form()),
        };
        if authority.as_str().contains('@')
            || authority.host().is_empty()
            || uri.query().is_some()
            || text.contains('#')
        {
            return Err(form());
        }
        let loopback = is_loopback(authority.host());
        if !tls && !loopback && !insecure {
            return Err(BadAddress::PlainHttp(crate::clean::clean(text)));
        }
        let host = authority.host().trim_start_matches('[').trim_end_matches(']').to_owned();
        let port = authority.port_u16().unwrap_or(if tls { 443 } else { 80 });
        Ok(Self { text: text.trim_end_matches('/').to_owned(), host, port, loopback, tls })
    }

    /// The address of a path on the portal.
    #[must_use]
    pub fn join(&self, path: &str) -> String {
        format!("{}{path}", self.text)
    }

    /// As it was given, without a slash at the end.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Name or number of the host, without brackets.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Port, that of the scheme where none is given.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// On this very machine.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        self.loopback
    }

    /// Over TLS.
    #[must_use]
    pub fn is_tls(&self) -> bool {
        self.tls
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost") || bare.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_http_stays_on_this_machine() {
        for good in ["http://127.0.0.1:3000", "http://localhost:3000/", "http://[::1]:3000", "http://127.8.9.1"] {
            assert!(Address::parse(good, false).is_ok_and(|address| address.is_loopback()), "{good}");
        }
        for risky in ["http://berth.example.org", "http://10.0.0.1:3000", "http://localhost.example.org"] {
            assert!(matches!(Address::parse(risky, false), Err(BadAddress::PlainHttp(_))), "{risky}");
            assert!(Address::parse(risky, true).is_ok(), "{risky}");
        }
    }

    #[test]
    fn a_path_before_ours_is_kept() {
        let address = Address::parse(" https://lab.example.org/berth/ ", false).expect("valid");
        assert_eq!(address.join("/api/v1/x"), "https://lab.example.org/berth/api/v1/x");
        assert!(address.is_tls());
        assert_eq!((address.host(), address.port()), ("lab.example.org", 443));
        let address = Address::parse("http://[::1]:3000", false).expect("valid");
        assert_eq!((address.host(), address.port()), ("::1", 3000));
    }

    #[test]
    fn other_things_are_no_address() {
        for bad in
            ["", "berth.example.org", "ftp://x", "https://", "https://u:p@x", "https://x/?a=b", "https://x/#a", "a b"]
        {
            assert!(matches!(Address::parse(bad, true), Err(BadAddress::Form(_))), "{bad}");
        }
    }
}
