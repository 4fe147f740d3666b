//! Puts the [`Caller`] of every request of a person into its extensions.

use std::net::{IpAddr, Ipv4Addr};

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use tower_sessions::Session;

use super::Site;
use crate::auth::{Caller, ClientAddress};

/// Finds out who is calling.
pub async fn layer(State(site): State<Site>, session: Session, mut request: Request, next: Next) -> Response {
    let address =
        request.extensions().get::<ClientAddress>().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |found| found.0);
    let caller = Caller::find(&site.services, session, address).await;
    request.extensions_mut().insert(caller);
    next.run(request).await
}
