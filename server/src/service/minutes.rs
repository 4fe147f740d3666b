//! The record of minutes: taken in once, whatever is repeated, in one transaction for each message.

use domain::error::{ApiError, ErrorCode};
use domain::text::en;
use domain::wire::minutes_v1::{HostMinute, MINUTES_MAX, Minutes, MinutesReply, Refusal, RefusedMinute};

use super::{Services, minutes_check};
use crate::auth::AgentHost;
use crate::store::{StoreError, minutes as store, traces};

/// A minute has at most so many parts: each is a restart with everything lost, or a clock that was set back.
const PARTS_MAX: usize = 16;

/// Takes minutes of a host in. What it answers is committed.
///
/// # Errors
/// `input.invalid` where there are too many, `server.unavailable` where they could not be written.
pub async fn take(services: &Services, host: &AgentHost, asked: Minutes) -> Result<MinutesReply, ApiError> {
    if asked.minutes.len() > MINUTES_MAX {
        return Err(ApiError::new(ErrorCode::BadInput, (en().reports.too_many_minutes)(MINUTES_MAX)));
    }
    let (minutes, mut refused) = minutes_check::checked(asked.minutes, services.site.minute, services.clock.now());
    match write(services, host, &minutes).await {
        // Nothing of it was written, or all of it and only the answer was lost: either way it can be sent again.
        Err(error) if error.is_outage() || error.is_retryable() => {
            refused.extend(write(services, host, &minutes).await?)
        }
        outcome => refused.extend(outcome?),
    }
    if !refused.is_empty() {
        tracing::warn!(host = %host.name, refused = refused.len(), first = ?refused.first(), "minutes were refused");
    }
    Ok(MinutesReply { refused })
}

async fn write(
    services: &Services,
    host: &AgentHost,
    minutes: &[HostMinute],
) -> Result<Vec<RefusedMinute>, StoreError> {
    let mut tx = services.pool.begin_with("begin; set local lock_timeout = '3s'").await?;
    let Some(numbers) = store::numbers(&mut tx, host.id).await? else { return Ok(Vec::new()) };
    let (fresh, beyond) = store::note(&mut tx, &numbers, minutes, PARTS_MAX, services.clock.now()).await?;
    store::add(&mut tx, &numbers, fresh.iter().map(|at| &minutes[*at])).await?;
    let added: Vec<_> = fresh.iter().map(|at| minutes[*at].minute).collect();
    traces::roll(&mut tx, &numbers, &added).await?;
    tx.commit().await?;
    let too_many =
        beyond.iter().map(|at| RefusedMinute { minute: minutes[*at].minute, card: None, why: Refusal::TooManyParts });
    let strangers = minutes.iter().flat_map(|minute| {
        let strange = minute.cards.iter().filter(|card| !numbers.has(&card.card));
        strange.map(|card| RefusedMinute {
            minute: minute.minute,
            card: Some(card.card.clone()),
            why: Refusal::NotYours,
        })
    });
    Ok(too_many.chain(strangers).collect())
}
