//! What people are told: the bell, and what hosts carry to `berth status` and logins.

use domain::error::ApiError;
use domain::id::{HostId, UserId};
use domain::notice::{Channel, Notices, Told, Which};
use domain::text::notices::To;
use domain::text::t;
use domain::wire::agent_v1::{HOST_NOTICES_MAX, HostNotice};
use domain::zone::ZoneTable;
use time::OffsetDateTime;

use crate::service::Services;
use crate::store::StoreError;
use crate::store::notices::{self as store, Reader};
use crate::zone;

/// What hosts tell the people whose accounts they have: the sentences that these would read in the portal, newest first
/// and at most [`HOST_NOTICES_MAX`] for each host.
#[must_use]
pub fn for_hosts(readers: &[Reader], portal_url: &str, now: OffsetDateTime) -> Vec<(HostId, HostNotice)> {
    let mut told: Vec<(HostId, HostNotice)> = readers
        .iter()
        .flat_map(|reader| {
            let zone = zone::table(&reader.zone, now);
            reader.unread.iter().map(move |told| (reader, said(told, reader.person, &zone, portal_url, now)))
        })
        .map(|(reader, notice)| (reader.host, notice))
        .collect();
    told.sort_by_key(|(host, notice)| (*host, std::cmp::Reverse(notice.at)));
    let (mut host, mut so_many) = (None, 0);
    told.retain(|(of, _)| {
        so_many = if host == Some(*of) { so_many + 1 } else { 1 };
        host = Some(*of);
        so_many <= HOST_NOTICES_MAX
    });
    told
}

fn said(told: &Told, person: UserId, zone: &ZoneTable, portal_url: &str, now: OffsetDateTime) -> HostNotice {
    let said = t().notice(told, zone, now);
    // What can be answered is answered where the buttons are.
    let page = said.ways.iter().find_map(|way| match &way.to {
        To::Page(path) => Some(path.as_str()),
        To::Answer(_) => None,
    });
    let asks = said.ways.iter().any(|way| matches!(way.to, To::Answer(_)));
    let page = page.filter(|_| !asks).unwrap_or("/notices");
    HostNotice { person, at: told.notice.at, sentence: said.sentence, page: format!("{portal_url}{page}") }
}

/// Somebody's notices, newest first.
///
/// # Errors
/// `server.unavailable`.
pub async fn all(services: &Services, reader: UserId) -> Result<Notices, ApiError> {
    let mut conn = services.pool.acquire().await.map_err(StoreError::from)?;
    let told = store::list(&mut conn, &[reader], false, Channel::Bell.most(), services.clock.now()).await?;
    drop(conn);
    let unread = store::unread(&services.pool, reader).await?;
    Ok(Notices { told: told.into_iter().map(|(_, told)| told).collect(), unread })
}

/// How many somebody has not read.
///
/// # Errors
/// `server.unavailable`.
pub async fn unread(services: &Services, reader: UserId) -> Result<u32, ApiError> {
    Ok(store::unread(&services.pool, reader).await?)
}

/// Marks somebody's own notices as read.
///
/// # Errors
/// `server.unavailable`.
pub async fn mark_read(services: &Services, reader: UserId, which: &Which) -> Result<(), ApiError> {
    let mut conn = services.pool.acquire().await.map_err(StoreError::from)?;
    if store::mark_read(&mut conn, reader, which, services.clock.now()).await? {
        services.live.resync();
    }
    Ok(())
}
