//! What people are told: the bell, and what hosts carry to `berth status` and logins.

use domain::error::ApiError;
use domain::id::UserId;
use domain::notice::{Channel, Notices, Told, Which};

use crate::service::Services;
use crate::store::{StoreError, notices as store};

/// What is unread by each of these people, as much of it as the channel carries.
///
/// # Errors
/// [`StoreError`] where the database does not answer.
pub async fn for_channel(
    services: &Services,
    channel: Channel,
    people: &[UserId],
) -> Result<Vec<(UserId, Told)>, StoreError> {
    let mut conn = services.pool.acquire().await?;
    store::list(&mut conn, people, true, channel.most(), services.clock.now()).await
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
