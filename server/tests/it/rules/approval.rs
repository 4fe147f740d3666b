//! Bookings that wait for approval: who gives it, until when, and that the rules are looked at again.

use app::port::{Portal, Rules};
use domain::error::ErrorCode;
use domain::id::ReservationId;
use domain::reservation::edit::Edit;
use domain::reservation::{Fate, State};
use domain::rules::Limit;
use domain::wire::page::Booking;
use domain::wire::rules::RuleAsk;
use time::Duration;

use super::{Yard, again, broken, hours, rule};
use crate::support::people::{Browser, code};

impl Yard {
    async fn booking(&self, who: &Browser, id: ReservationId) -> Booking {
        self.office.act(&mut again(who), async |portal| portal.booking(id).await).await.unwrap().booking
    }

    async fn approval_hours(&self, by: &Browser, hours: u32) -> Result<(), domain::error::ApiError> {
        self.office.act(&mut again(by), async |portal| portal.set_approval_hours(hours).await).await
    }
}

#[tokio::test]
async fn managers_and_administrators_approve_and_nobody_else() {
    let yard = Yard::new().await;
    let (ada, bob, cyd) =
        (yard.office.member("ada").await, yard.office.member("bob").await, yard.office.member("cyd").await);
    let students = yard.group("Students", &[&ada, &bob]).await;
    yard.save(&RuleAsk { group: Some(students), ..rule("Ask first", Limit::Approval) }).await.unwrap();

    let id = yard.book(&bob, &[0], hours(30, 32)).await.unwrap();
    let booking = yard.booking(&bob, id).await;
    assert_eq!((booking.state, booking.may_approve), (State::Awaiting, false));
    assert_eq!(booking.awaits_until, Some(hours(0, 24).end()));
    assert!(yard.booking(&ada, id).await.may_approve && yard.booking(&yard.ruth, id).await.may_approve);
    // It holds its cards meanwhile.
    assert_eq!(code(yard.book(&cyd, &[0], hours(30, 31)).await), ErrorCode::Overlap);
    for nobody in [&bob, &cyd] {
        assert_eq!(code(yard.edit(nobody, id, Edit::Approve).await), ErrorCode::NotAllowed);
    }
    yard.edit(&ada, id, Edit::Approve).await.unwrap();
    assert_eq!(yard.booking(&bob, id).await.state, State::Scheduled);

    // Smaller needs nobody's leave; later does.
    yard.set(&bob, id, hours(30, 31)).await.unwrap();
    assert_eq!(yard.booking(&bob, id).await.state, State::Scheduled);
    yard.set(&bob, id, hours(31, 32)).await.unwrap();
    assert_eq!(yard.booking(&bob, id).await.state, State::Awaiting);
    // Whoever may approve it needs no approval: not for one's own, and not for what one books for others.
    let own = yard.book(&ada, &[1], hours(30, 32)).await.unwrap();
    assert_eq!(yard.booking(&ada, own).await.state, State::Scheduled);
    // Others are not in the group.
    let cyds = yard.book(&cyd, &[2], hours(30, 32)).await.unwrap();
    assert_eq!(yard.booking(&cyd, cyds).await.state, State::Scheduled);
}

#[tokio::test]
async fn rules_are_looked_at_again_at_approval() {
    let yard = Yard::new().await;
    let bob = yard.office.member("bob").await;
    yard.rule("Ask first", Limit::Approval).await;
    let id = yard.book(&bob, &[0, 1], hours(30, 40)).await.unwrap();
    let most = yard.rule("Most cards", Limit::MostCards { cards: 1 }).await;
    let (_, said) = broken(yard.edit(&yard.ruth, id, Edit::Approve).await);
    assert!(said.contains("“Most cards”"), "{said}");
    assert_eq!(yard.booking(&bob, id).await.state, State::Awaiting);
    yard.office.act(&mut again(&yard.ruth), async |portal| portal.remove_rule(most).await).await.unwrap();
    yard.edit(&yard.ruth, id, Edit::Approve).await.unwrap();
    assert_eq!(yard.booking(&bob, id).await.state, State::Scheduled);
}

#[tokio::test]
async fn a_running_booking_cannot_wait() {
    let yard = Yard::new().await;
    let bob = yard.office.member("bob").await;
    let id = yard.book(&bob, &[0], hours(0, 4)).await.unwrap();
    yard.rule("Ask first", Limit::Approval).await;
    yard.office.clock.advance(Duration::hours(1));
    let (_, said) = broken(yard.set(&bob, id, hours(0, 6)).await);
    assert!(said.contains("a booking of its own"), "{said}");
    yard.set(&bob, id, hours(0, 3)).await.unwrap();
    // Whoever may approve it makes it longer.
    yard.set(&yard.ruth, id, hours(0, 6)).await.unwrap();
    assert_eq!(yard.booking(&bob, id).await.state, State::Active);
}

#[tokio::test]
async fn without_an_answer_in_time_it_is_given_up() {
    let yard = Yard::new().await;
    let bob = yard.office.member("bob").await;
    yard.rule("Ask first", Limit::Approval).await;
    assert_eq!(code(yard.approval_hours(&bob, 2).await), ErrorCode::NotAllowed);
    for bad in [0, 31 * 24 + 1] {
        assert_eq!(code(yard.approval_hours(&yard.ruth, bad).await), ErrorCode::BadInput);
    }
    yard.approval_hours(&yard.ruth, 2).await.unwrap();
    let id = yard.book(&bob, &[0], hours(30, 32)).await.unwrap();
    let soon = yard.book(&bob, &[1], hours(1, 2)).await.unwrap();
    assert_eq!(yard.booking(&bob, id).await.awaits_until, Some(hours(0, 2).end()));
    assert_eq!(yard.booking(&bob, soon).await.awaits_until, Some(hours(0, 2).end()));
    yard.office.clock.advance(Duration::hours(2));
    // Its card is free at once, whether it has been written down or not.
    yard.office.services.reservations.lapse_overdue().await.unwrap();
    let booking = yard.booking(&bob, id).await;
    assert_eq!((booking.state, booking.fate), (State::Cancelled, Some(Fate::Lapsed)));
    assert_eq!(code(yard.edit(&yard.ruth, id, Edit::Approve).await), ErrorCode::AlreadyOver);
    assert_eq!(yard.record().await.last(), Some(&("setting.change".to_owned(), "approval_hours".to_owned())));
}
