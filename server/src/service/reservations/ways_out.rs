//! What works in the place of a deed that is refused because cards are not to be had.

use domain::error::{ApiError, ErrorCode};
use domain::id::{ReservationId, UserId};
use domain::reservation::edit::{Edit, Scope};
use sqlx::PgPool;

use super::Reservations;
use super::run::{By, Deed};
use crate::service::finder::Refused;
use crate::store::reservations::held::peek;

impl Reservations {
    /// Adds ways out to a refusal, where there can be any.
    pub(super) async fn with_ways_out(&self, by: By<'_>, deed: &Deed<'_>, refusal: ApiError) -> ApiError {
        let about_cards = matches!(
            refusal.code,
            ErrorCode::Overlap | ErrorCode::Maintenance | ErrorCode::NoShares | ErrorCode::CardNotBookable
        );
        let refused = match deed {
            Deed::Book { ask, .. } => Refused::New(ask),
            Deed::Edit { ask, .. } if ask.scope == Scope::One => match &ask.edit {
                Edit::Set(target) if about_cards => {
                    // Whose it was a moment ago: nobody's offers are refused by another one's rules.
                    let Some(owner) = owner_of(&self.pool, ask.reservation).await else { return refusal };
                    Refused::Edit { booking: ask.reservation, owner, target }
                }
                _ => return refusal,
            },
            _ => return refusal,
        };
        match by.id().filter(|_| about_cards) {
            Some(asker) => ApiError { instead: self.finder.instead(asker, refused).await, ..refusal },
            None => refusal,
        }
    }
}

async fn owner_of(pool: &PgPool, booking: ReservationId) -> Option<UserId> {
    let mut conn = pool.acquire().await.ok()?;
    peek(&mut conn, booking).await.ok().flatten().map(|seen| seen.owner)
}
