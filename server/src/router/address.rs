//! Finds out where a request comes from, through the proxies that the operator trusts.

use std::net::{IpAddr, SocketAddr};

use axum::extract::{ConnectInfo, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::HeaderMap;

use super::Site;
use crate::auth::ClientAddress;
use crate::config::Config;

/// Puts the [`ClientAddress`] into the request.
pub async fn layer(
    State(site): State<Site>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    mut request: Request,
    next: Next,
) -> Response {
    let address = address(peer.ip(), request.headers(), &site.config);
    request.extensions_mut().insert(ClientAddress(address));
    next.run(request).await
}

/// A proxy's word is taken only from a proxy that the operator trusts, and only its last entry, the one that this proxy
/// wrote: those before it come from the client.
fn address(peer: IpAddr, headers: &HeaderMap, config: &Config) -> IpAddr {
    let peer = peer.to_canonical();
    if !config.secure_cookies() || !config.trusted_proxies.contains(&peer) {
        return peer;
    }
    let last = headers.get_all("x-forwarded-for").iter().next_back().and_then(|value| value.to_str().ok());
    last.and_then(|list| list.rsplit(',').next()).and_then(|entry| entry.trim().parse().ok()).unwrap_or(peer)
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use http::HeaderValue;

    use super::*;
    use crate::config::Cli;

    fn seen(flags: &[&str], peer: &str, forwarded: &'static str) -> String {
        let args = [&["berth-server", "--data-dir=/nowhere"], flags].concat();
        let config = Cli::parse_from(args).settings.check().expect("valid");
        let mut headers = HeaderMap::new();
        headers.insert("x-forwarded-for", HeaderValue::from_static(forwarded));
        address(peer.parse().expect("an address"), &headers, &config).to_string()
    }

    #[test]
    fn only_the_trusted_proxy_s_own_entry_counts() {
        let proxied = ["--public-url=https://gpu.example.org"];
        assert_eq!(seen(&proxied, "127.0.0.1", "198.51.100.7, 192.0.2.1"), "192.0.2.1");
        assert_eq!(seen(&proxied, "127.0.0.1", "nonsense"), "127.0.0.1");
        assert_eq!(seen(&proxied, "192.0.2.9", "198.51.100.7"), "192.0.2.9");
        assert_eq!(seen(&[], "127.0.0.1", "198.51.100.7"), "127.0.0.1");
    }
}
