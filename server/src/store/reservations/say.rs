//! What else has a say in a booking, asked in one way to the database and back: others wait for its cards meanwhile.

use domain::id::UserId;
use domain::rules::Rule;
use domain::window::Window;
use sqlx::PgConnection;
use sqlx::types::Json;

use crate::store::StoreError;
use crate::store::rules::of_person_sql;

/// What has a say.
#[derive(Debug)]
pub struct Say {
    /// Rules in force that are for its owner, by name.
    pub rules: Vec<Rule>,
    /// Something is planned at that time, for whatever cards.
    pub maintenance: bool,
}

/// What has a say in a booking of somebody's that takes cards within a window. The cards' rows are locked: whatever is
/// planned later sees the booking.
///
/// # Errors
/// [`StoreError`] where the database does not answer, or holds a rule that this version does not know.
pub async fn say(conn: &mut PgConnection, owner: UserId, within: &Window) -> Result<Say, StoreError> {
    let (Json(rules), maintenance): (Json<Vec<Rule>>, bool) = sqlx::query_as(concat!(
        "select (",
        of_person_sql!(),
        "), exists (select from maintenance where called_off_at is null and during && tstzrange($2, $3, '[)'))"
    ))
    .bind(owner.0)
    .bind(within.start())
    .bind(within.end())
    .fetch_one(conn)
    .await?;
    Ok(Say { rules, maintenance })
}
