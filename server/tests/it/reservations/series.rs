//! Bookings that repeat.

use domain::draft::wall::Which;
use domain::error::{ErrorCode, Field};
use domain::id::{CardUuid, ReservationId};
use domain::reservation::edit::{Edit, EditAsk, Scope, Target};
use domain::reservation::series::{Every, NewSeries, Repeat, RepeatEnd, Take};
use domain::window::Window;
use time::macros::{date, datetime};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::{Portal, booked, edit, hours, overlaps, portal, to_cards, wish};
use crate::support::fleet::{host, member};

fn repeat(cards: &[CardUuid], window: Window, every: Every, times: u16, take: Take) -> NewSeries {
    let mut first = wish(cards, window);
    first.zone = Some("europe/berlin".to_owned());
    NewSeries { first, repeat: Repeat { every, end: RepeatEnd::Times(times) }, take, doubled: None }
}

fn following(id: ReservationId, what: Edit) -> EditAsk {
    EditAsk { scope: Scope::Following, ..edit(id, what) }
}

async fn starts(portal: &Portal) -> Vec<OffsetDateTime> {
    sqlx::query_scalar("select lower(during) from reservation where fate is null order by 1")
        .fetch_all(&portal.pool)
        .await
        .unwrap()
}

fn window(start: OffsetDateTime, hours: i64) -> Window {
    Window::new(start, start + Duration::hours(hours)).unwrap()
}

#[tokio::test]
async fn nine_stays_nine_when_clocks_change() {
    let portal = portal(2).await;
    portal.clock.advance(Duration::days(110));
    let ada = member(&portal.pool, "ada").await;
    let (_, cards) = host(&portal.pool, "rig", 2).await;
    // Thursday 25 March 2027, 09:00 in Berlin; clocks are set forward on Sunday.
    let ask = repeat(&cards, window(datetime!(2027-03-25 08:00 UTC), 4), Every::Weekday, 4, Take::AllOrNothing);
    let outcome = portal.reservations.book_series(&ada, &ask).await.unwrap();
    assert_eq!((outcome.booked.len(), outcome.refused.len()), (4, 0));
    assert_eq!(
        starts(&portal).await,
        [
            datetime!(2027-03-25 08:00 UTC),
            datetime!(2027-03-26 08:00 UTC),
            datetime!(2027-03-29 07:00 UTC),
            datetime!(2027-03-30 07:00 UTC),
        ]
    );
    assert_eq!(portal.reservations.book_series(&ada, &ask).await, Ok(outcome.clone()), "the same key, the same series");
    assert_eq!(booked(&portal.pool).await.len(), 4);
    assert_eq!(portal.one::<String>("select distinct zone from reservation").await, "Europe/Berlin");

    // All of them an hour later by the clocks, from the second one on.
    let later = Target { window: Some(window(datetime!(2027-03-26 09:00 UTC), 4)), ..Target::default() };
    let edited = portal.reservations.edit(&ada, &following(outcome.booked[1], Edit::Set(later))).await.unwrap();
    assert_eq!(edited.reservations, outcome.booked[1..]);
    assert_eq!(
        starts(&portal).await,
        [
            datetime!(2027-03-25 08:00 UTC),
            datetime!(2027-03-26 09:00 UTC),
            datetime!(2027-03-29 08:00 UTC),
            datetime!(2027-03-30 08:00 UTC),
        ]
    );
}

#[tokio::test]
async fn a_time_that_is_not_there_is_refused_and_one_that_comes_twice_is_asked_about() {
    let portal = portal(2).await;
    portal.clock.advance(Duration::days(110));
    let ada = member(&portal.pool, "ada").await;
    let (_, cards) = host(&portal.pool, "rig", 1).await;
    // 02:30 from Friday on: on Sunday it does not exist.
    let ask = repeat(&cards, window(datetime!(2027-03-26 01:30 UTC), 2), Every::Day, 4, Take::FreeOnes);
    let outcome = portal.reservations.book_series(&ada, &ask).await.unwrap();
    assert_eq!(outcome.booked.len(), 3);
    let [never] = outcome.refused.as_slice() else { panic!("{outcome:?}") };
    assert_eq!((never.day, never.window, never.why.code), (date!(2027 - 03 - 28), None, ErrorCode::BadInput));

    portal.clock.advance(Duration::days(215));
    let autumn = window(datetime!(2027-10-30 00:30 UTC), 3);
    let mut ask = repeat(&cards, autumn, Every::Day, 3, Take::AllOrNothing);
    let outcome = portal.reservations.book_series(&ada, &ask).await.unwrap();
    assert_eq!((outcome.series, outcome.booked.len()), (None, 0));
    assert_eq!((outcome.refused.len(), outcome.refused[0].day), (1, date!(2027 - 10 - 31)));
    ask.doubled = Some(Which::Second);
    assert_eq!(portal.reservations.book_series(&ada, &ask).await.unwrap().booked.len(), 3);
    assert!(starts(&portal).await.contains(&datetime!(2027-10-31 01:30 UTC)));
}

#[tokio::test]
async fn a_move_onto_a_time_that_comes_twice_is_asked_about_and_then_made() {
    let portal = portal(2).await;
    portal.clock.advance(Duration::days(325));
    let ada = member(&portal.pool, "ada").await;
    let (_, cards) = host(&portal.pool, "rig", 1).await;
    // 09:00 from Friday on; clocks are set back on Sunday.
    let ask = repeat(&cards, window(datetime!(2027-10-29 07:00 UTC), 4), Every::Day, 4, Take::AllOrNothing);
    let booked = portal.reservations.book_series(&ada, &ask).await.unwrap().booked;
    let before = starts(&portal).await;
    let to = |doubled| {
        let early = window(datetime!(2027-10-30 00:30 UTC), 4);
        following(booked[1], Edit::Set(Target { window: Some(early), doubled, ..Target::default() }))
    };
    let refused = portal.reservations.edit(&ada, &to(None)).await.unwrap_err();
    assert_eq!((refused.code, refused.field), (ErrorCode::WhichTime, Some(Field::Start)));
    assert!(refused.message.contains("The one of 31 Oct 09:00 cannot follow."), "{}", refused.message);
    assert_eq!(starts(&portal).await, before, "all or nothing");
    for (which, sunday) in
        [(Which::Second, datetime!(2027-10-31 01:30 UTC)), (Which::First, datetime!(2027-10-31 00:30 UTC))]
    {
        portal.reservations.edit(&ada, &to(Some(which))).await.unwrap();
        assert_eq!(
            starts(&portal).await,
            [datetime!(2027-10-29 07:00 UTC), datetime!(2027-10-30 00:30 UTC), sunday, datetime!(2027-11-01 01:30 UTC),]
        );
        // Back to where all of them were.
        let back = Target { window: Some(window(datetime!(2027-10-30 07:00 UTC), 4)), ..Target::default() };
        portal.reservations.edit(&ada, &following(booked[1], Edit::Set(back))).await.unwrap();
        assert_eq!(starts(&portal).await, before);
    }
}

#[tokio::test]
async fn all_or_nothing_or_those_that_are_free() {
    let portal = portal(2).await;
    let (ada, bob) = (member(&portal.pool, "ada").await, member(&portal.pool, "bob").await);
    let (_, cards) = host(&portal.pool, "rig", 2).await;
    let bobs = portal.book(&bob, &cards[1..], hours(24, 30)).await;
    let mut ask = repeat(&cards, hours(1, 3), Every::Day, 3, Take::AllOrNothing);
    let nothing = portal.reservations.book_series(&ada, &ask).await.unwrap();
    assert_eq!((nothing.series, nothing.booked.as_slice()), (None, [].as_slice()));
    let [day] = nothing.refused.as_slice() else { panic!("{nothing:?}") };
    assert_eq!((day.day, day.window, day.why.code), (date!(2026 - 12 - 01), Some(hours(25, 27)), ErrorCode::Overlap));
    assert_eq!(day.why.clashes[0].reservation, bobs);
    assert_eq!(booked(&portal.pool).await.len(), 1, "nothing is left of it");
    assert_eq!(portal.one::<i64>("select (select count(*) from series) + (select count(*) from request_key)").await, 1);

    // Nothing was booked, so the key is not used up.
    ask.take = Take::FreeOnes;
    let some = portal.reservations.book_series(&ada, &ask).await.unwrap();
    assert_eq!((some.booked.len(), some.refused.len()), (2, 1));
    assert_eq!(some.refused, nothing.refused);
    assert_eq!(overlaps(&portal.pool).await, 0);
    assert_eq!(portal.one::<i64>("select count(*) from reservation where series_id is not null").await, 2);
}

#[tokio::test]
async fn days_that_reach_into_each_other_are_refused() {
    let portal = portal(2).await;
    let ada = member(&portal.pool, "ada").await;
    let (_, cards) = host(&portal.pool, "rig", 1).await;
    let ask = repeat(&cards, hours(1, 31), Every::Day, 3, Take::FreeOnes);
    let outcome = portal.reservations.book_series(&ada, &ask).await.unwrap();
    assert_eq!((outcome.booked.len(), outcome.refused.len()), (2, 1));
    assert_eq!(outcome.refused[0].why.clashes[0].reservation, outcome.booked[0]);
    for times in [0, 101] {
        let ask = repeat(&cards, hours(100, 101), Every::Day, times, Take::FreeOnes);
        assert_eq!(portal.reservations.book_series(&ada, &ask).await.unwrap_err().code, ErrorCode::BadInput, "{times}");
    }
}

#[tokio::test]
async fn each_may_go_where_the_next_one_was() {
    let portal = portal(2).await;
    let (ada, bob) = (member(&portal.pool, "ada").await, member(&portal.pool, "bob").await);
    let (_, cards) = host(&portal.pool, "rig", 2).await;
    let ask = repeat(&cards[..1], hours(2, 6), Every::Day, 4, Take::AllOrNothing);
    let ids = portal.reservations.book_series(&ada, &ask).await.unwrap().booked;
    let day_later = Target { window: Some(hours(26, 30)), ..Target::default() };
    portal.reservations.edit(&ada, &following(ids[0], Edit::Set(day_later))).await.unwrap();
    for (place, id) in ids.iter().enumerate() {
        let from = 26 + 24 * i64::try_from(place).unwrap();
        assert_eq!(portal.whole(*id).await, [(0, from, from + 4)]);
    }
    // One of them cannot: none is moved.
    let bobs = portal.book(&bob, &cards[1..], hours(75, 77)).await;
    let refused = portal.reservations.edit(&ada, &following(ids[1], to_cards(&cards))).await.unwrap_err();
    assert_eq!((refused.code, refused.clashes[0].reservation), (ErrorCode::Overlap, bobs));
    for id in &ids {
        assert_eq!(portal.whole(*id).await.len(), 1);
    }
    portal.edit(&bob, bobs, Edit::Cancel).await.unwrap();
    portal.reservations.edit(&ada, &following(ids[1], to_cards(&cards))).await.unwrap();
    assert_eq!(portal.whole(ids[0]).await.len(), 1, "those before stay as they are");
    assert!(portal.whole(ids[1]).await.len() == 2 && portal.whole(ids[3]).await.len() == 2);
    // And one alone is changed alone.
    portal.edit(&ada, ids[2], to_cards(&cards[..1])).await.unwrap();
    assert_eq!([portal.whole(ids[2]).await.len(), portal.whole(ids[3]).await.len()], [1, 2]);
    assert_eq!(overlaps(&portal.pool).await, 0);
}

#[tokio::test]
async fn those_that_follow_are_called_off_ended_and_given_away_together() {
    let portal = portal(2).await;
    let (ada, bob) = (member(&portal.pool, "ada").await, member(&portal.pool, "bob").await);
    let (_, cards) = host(&portal.pool, "rig", 1).await;
    let ask = repeat(&cards, hours(0, 4), Every::Day, 5, Take::AllOrNothing);
    let ids = portal.reservations.book_series(&ada, &ask).await.unwrap().booked;
    let cancelled = portal.reservations.edit(&ada, &following(ids[3], Edit::Cancel)).await.unwrap();
    assert_eq!(cancelled.reservations, ids[3..]);
    assert_eq!(starts(&portal).await.len(), 3);
    portal.reservations.edit(&ada, &following(ids[2], Edit::Transfer { to: bob.id })).await.unwrap();
    portal.clock.advance(Duration::hours(1));
    let refused = portal.reservations.edit(&ada, &following(ids[0], Edit::Cancel)).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::AlreadyBegun);
    let ended = portal.reservations.edit(&ada, &following(ids[0], Edit::EndNow)).await.unwrap();
    assert_eq!(ended.reservations, ids[..2], "what was given away is somebody else's");
    assert_eq!(portal.whole(ids[0]).await, [(0, 0, 1)]);
    assert_eq!(portal.one::<i64>("select count(*) from reservation where fate is null").await, 2);
    let key = EditAsk { idempotency_key: Uuid::new_v4(), ..following(ids[2], Edit::Cancel) };
    assert_eq!(portal.reservations.edit(&ada, &key).await.unwrap_err().code, ErrorCode::NotAllowed);
}
