//! Walks the way to the portal step by step, to name the one that fails.

use std::io;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use time::OffsetDateTime;
use time::format_description::well_known::Rfc2822;

use super::client::{CONNECT_TIMEOUT, Portal};
use super::words::{in_words, is_tls_trouble};
use crate::clean::clean;

/// The resolver has this long.
const RESOLVE_TIMEOUT: Duration = Duration::from_secs(5);
/// Most of an answer that is looked at, in bytes.
const ANSWER_MAX_BYTES: u64 = 64 * 1024;

/// What the portal said about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Health {
    /// `ok`, `starting` or `degraded`.
    pub status: String,
    /// Its version.
    pub version: String,
    /// Its clock, to the second; `None` where it did not say.
    pub date: Option<OffsetDateTime>,
}

/// Where a request failed, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoHealth {
    /// TLS.
    Tls(String),
    /// HTTP, or what lies behind it.
    Http(String),
}

/// The addresses of a name.
///
/// # Errors
/// In words, why there are none.
pub fn resolve(host: &str, port: u16) -> Result<Vec<SocketAddr>, String> {
    let (done, waiting) = mpsc::channel();
    let name = (host.to_owned(), port);
    // A resolver that hangs is left behind.
    let look = move || done.send(name.to_socket_addrs().map(Iterator::collect::<Vec<_>>));
    thread::Builder::new().spawn(look).map_err(|error| error.to_string())?;
    match waiting.recv_timeout(RESOLVE_TIMEOUT) {
        Ok(Ok(addresses)) if !addresses.is_empty() => Ok(addresses),
        Ok(Ok(_)) => Err("the name has no address".to_owned()),
        Ok(Err(error)) => Err(clean(&error.to_string())),
        Err(_) => Err(format!("the resolver has not answered within {} s", RESOLVE_TIMEOUT.as_secs())),
    }
}

/// The first address that takes a connection.
///
/// # Errors
/// In words, why the last one does not.
pub fn connect(addresses: &[SocketAddr]) -> Result<SocketAddr, String> {
    let mut why = "there is no address".to_owned();
    for address in addresses {
        match TcpStream::connect_timeout(address, CONNECT_TIMEOUT) {
            Ok(_) => return Ok(*address),
            Err(error) => {
                let cause = match error.kind() {
                    io::ErrorKind::ConnectionRefused => "nothing listens there".to_owned(),
                    io::ErrorKind::TimedOut => format!("no connection within {} s", CONNECT_TIMEOUT.as_secs()),
                    _ => clean(&error.to_string()),
                };
                why = format!("{address}: {cause}");
            }
        }
    }
    Err(why)
}

impl Portal {
    /// Requests go through a proxy that the environment names.
    #[must_use]
    pub fn has_proxy(&self) -> bool {
        !self.address.is_loopback() && ureq::Proxy::try_from_env().is_some()
    }

    /// Asks how the portal is; needs no credential.
    ///
    /// # Errors
    /// [`NoHealth`].
    pub fn health(&self) -> Result<Health, NoHealth> {
        let mut response = self.agent.get(self.address.join("/healthz")).call().map_err(|error| {
            let words = clean(&in_words(&error));
            // Hung up on, where plain HTTP is spoken.
            let hung_up = matches!(&error, ureq::Error::Io(error) if error.kind() == io::ErrorKind::UnexpectedEof);
            let is_tls = is_tls_trouble(&error) || hung_up && self.address.is_tls();
            if is_tls { NoHealth::Tls(words) } else { NoHealth::Http(words) }
        })?;
        let date = response.headers().get("date").and_then(|date| date.to_str().ok()).and_then(parse_date);
        let code = response.status().as_u16();
        let answer = response.body_mut().with_config().limit(ANSWER_MAX_BYTES).read_to_vec().unwrap_or_default();
        let answer: serde_json::Value = serde_json::from_slice(&answer).unwrap_or_default();
        let field = |name: &str| answer[name].as_str().map(clean);
        match (field("status"), field("version"), field("database")) {
            (Some(status), Some(version), Some(_)) => Ok(Health { status, version, date }),
            _ => Err(NoHealth::Http(format!("what answers there is no Berth portal (HTTP status {code})"))),
        }
    }
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`.
fn parse_date(text: &str) -> Option<OffsetDateTime> {
    OffsetDateTime::parse(&text.replace("GMT", "+0000"), &Rfc2822).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    #[test]
    fn dates_of_http() {
        assert_eq!(parse_date("Sun, 06 Nov 1994 08:49:37 GMT"), Some(datetime!(1994-11-06 08:49:37 UTC)));
        assert_eq!(parse_date("yesterday"), None);
    }

    #[test]
    fn names_and_ports() {
        let listening = std::net::TcpListener::bind("127.0.0.1:0").expect("port");
        let there = listening.local_addr().expect("address");
        assert_eq!(resolve("127.0.0.1", there.port()), Ok(vec![there]));
        assert_eq!(connect(&[there]), Ok(there));
        drop(listening);
        assert_eq!(connect(&[there]), Err(format!("{there}: nothing listens there")));
        assert!(resolve("no-such-host.invalid", 443).is_err());
    }
}
