//! Where a request came from.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use axum::extract::{ConnectInfo, FromRequestParts};
use http::request::Parts;

/// The client's address: what the router found behind trusted proxies, else the peer's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientAddress(pub IpAddr);

impl<S: Send + Sync> FromRequestParts<S> for ClientAddress {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Infallible> {
        if let Some(found) = parts.extensions.get::<Self>() {
            return Ok(*found);
        }
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>();
        // Without either all share one address, and its limits.
        Ok(Self(peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |ConnectInfo(peer)| peer.ip().to_canonical())))
    }
}
