//! Who learns of a deed: the owner of a booking that somebody else has touched, who may launch on it from now on, who
//! can approve it.

use domain::id::UserId;
use domain::notice::{Body, What};
use domain::reservation::{Awaits, Fate};
use domain::wire::page::Viewer;
use sqlx::PgConnection;

use crate::store::StoreError;
use crate::store::notices::NewNotice;
use crate::store::reservations::held::Held;
use crate::store::reservations::people::approvers;

/// What is to be said of one booking that somebody has made or changed.
pub(super) async fn of(
    conn: &mut PgConnection,
    viewer: Option<&Viewer>,
    before: Option<&Held>,
    after: &Held,
    what: What,
    owner_name: &str,
) -> Result<Vec<NewNotice>, StoreError> {
    let by = viewer.map(|viewer| viewer.display_name.clone()).unwrap_or_default();
    let actor = viewer.map(|viewer| viewer.id);
    let window = after.window;
    let mut notices: Vec<NewNotice> = Vec::new();
    let mut tell = |user: UserId, body: Body| {
        if Some(user) != actor {
            notices.push(NewNotice { user, body, reservation: Some(after.id), once: None });
        }
    };
    let waited = |held: Option<&Held>| held.and_then(|held| held.awaits).map(|(awaits, _)| awaits);
    let waits = waited(Some(after));
    match (&after.fate, waited(before)) {
        (Some(end), Some(Awaits::Approval)) if matches!(end.fate, Fate::Refused | Fate::Lapsed) => {
            tell(after.owner, Body::Refused { by, why: end.why.clone().unwrap_or_default(), window });
        }
        (Some(end), _) if end.fate == Fate::Lapsed => {}
        (None, Some(Awaits::Approval)) if waits.is_none() => tell(after.owner, Body::Approved { by, window }),
        // Of what the portal does by a rule, the rule's own notice says more.
        _ if actor.is_some() => {
            tell(after.owner, Body::Changed { by: by.clone(), what, window });
            if let Some(before) = before.filter(|before| before.owner != after.owner) {
                tell(before.owner, Body::Changed { by: by.clone(), what: What::Edited, window });
            }
            for person in &after.co_users {
                if before.is_none_or(|before| !before.co_users.contains(person)) {
                    tell(*person, Body::Changed { by: by.clone(), what: What::CoUser, window });
                }
            }
        }
        _ => {}
    }
    if after.fate.is_none() && waits == Some(Awaits::Approval) && waited(before) != waits {
        for person in approvers(conn, after.owner).await? {
            tell(person, Body::ApprovalWanted { person: owner_name.to_owned(), window });
        }
    }
    Ok(notices)
}
