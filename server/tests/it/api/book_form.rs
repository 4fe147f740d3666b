//! Booking with the form as browsers send it by themselves: what is refused comes back to the form, filled in.

use reqwest::Method;
use reqwest::header::LOCATION;

use super::bookings::app_with_cards;
use crate::support::actor::Actor;
use crate::support::report::uuid;

/// Sends the form as a page without scripts would, and says where it leads.
async fn send(actor: &Actor, url: &str, fields: &[(&str, &str)]) -> String {
    let answer = actor
        .request(Method::POST, "/api/page/book_form")
        .header("origin", url)
        .header("sec-fetch-site", "same-origin")
        .header("accept", "text/html")
        .form(fields)
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 302);
    answer.headers()[LOCATION].to_str().unwrap().to_owned()
}

fn key() -> String {
    uuid::Uuid::new_v4().to_string()
}

#[tokio::test]
async fn a_booked_form_leads_to_its_booking_and_the_same_form_never_books_twice() {
    let app = app_with_cards().await;
    let ada = app.member("ada").await;
    let (one, two, key) = (uuid("rig", 0), uuid("dgx", 3), key());
    let fields = [
        ("form[zone]", "Europe/Berlin"),
        ("form[key]", key.as_str()),
        ("form[cards][]", one.as_str()),
        ("form[cards][]", two.as_str()),
        ("form[start]", "2026-11-30T14:00"),
        ("form[end]", "2026-11-30T18:00"),
        ("form[purpose]", "ViT & co"),
    ];
    let there = send(&ada, &app.url, &fields).await;
    assert!(there.starts_with("/bookings/"), "{there}");
    assert_eq!(send(&ada, &app.url, &fields).await, there);
    let page = ada.get(&there).await.text().await.unwrap();
    assert!(page.contains("ViT &amp; co") && page.contains("14:00") && page.contains(two.as_str()), "{page}");
}

#[tokio::test]
async fn a_refused_form_comes_back_with_all_that_was_typed_and_says_who_is_in_the_way() {
    let app = app_with_cards().await;
    let (ada, bob) = (app.member("ada").await, app.member("bob").await);
    let card = uuid("rig", 0);
    let fields = |key, purpose| {
        [
            ("form[zone]", "Europe/Berlin"),
            ("form[key]", key),
            ("form[cards][]", card.as_str()),
            ("form[start]", "2026-11-30T14:00"),
            ("form[end]", "2026-11-30T18:00"),
            ("form[purpose]", purpose),
        ]
    };
    let (first, second) = (key(), key());
    send(&ada, &app.url, &fields(&first, "")).await;
    let back = send(&bob, &app.url, &fields(&second, "me too")).await;
    assert_eq!(
        back,
        format!(
            "/book?card={card}&start=2026-11-30T14:00&end=2026-11-30T18:00&purpose=me%20too&error=reservation.overlap"
        )
    );
    let page = bob.get(&back).await.text().await.unwrap();
    for said in ["rig, card 0 is taken", "14:00 – 18:00 (4 h)", "Start at 18:00", "value=\"me too\""] {
        assert!(page.contains(said), "no `{said}` in {page}");
    }
}

#[tokio::test]
async fn nothing_typed_is_lost_without_a_session_a_card_or_the_same_zone() {
    let app = app_with_cards().await;
    let ada = app.member("ada").await;
    let (card, key) = (uuid("rig", 0), key());
    let typed = [("form[key]", key.as_str()), ("form[start]", "2026-11-30T14:00"), ("form[end]", "2026-11-30T18:00")];
    let with = |more: &[(&'static str, &'static str)]| [&typed[..], more].concat();

    let in_berlin =
        [&with(&[("form[zone]", "Europe/Berlin"), ("form[purpose]", "x")])[..], &[("form[cards][]", card.as_str())]]
            .concat();
    let there = send(&app.anonymous(), &app.url, &in_berlin).await;
    assert!(there.starts_with("/sign-in?next=/book%3Fcard%3D") && there.ends_with("%26purpose%3Dx"), "{there}");

    let there = send(&ada, &app.url, &with(&[("form[zone]", "Europe/Berlin"), ("form[purpose]", "")])).await;
    assert_eq!(there, "/book?start=2026-11-30T14:00&end=2026-11-30T18:00&error=input.invalid");
    assert!(ada.get(&there).await.text().await.unwrap().contains("Pick at least one card."));

    let there = send(&ada, &app.url, &with(&[("form[zone]", "UTC"), ("form[purpose]", "")])).await;
    assert!(there.ends_with("&error=zone:Europe/Berlin"), "{there}");
    assert!(ada.get(&there).await.text().await.unwrap().contains("Your time zone is Europe/Berlin now."));
}
