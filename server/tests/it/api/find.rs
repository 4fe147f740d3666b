//! The finder's line as browsers without scripts use it: a sentence in an address, suggestions as forms.

use reqwest::Method;
use reqwest::header::LOCATION;

use super::bookings::app_with_cards;
use crate::support::actor::Actor;
use crate::support::portal::TestApp;

/// The address of tomorrow's best two cards: nobody is on them without a booking then.
const TWO_TOMORROW: &str = "/?cards=2&begin=tomorrow&show=free";

async fn page(actor: &Actor, path: &str) -> String {
    let answer = actor.get(path).await;
    assert_eq!(answer.status(), 200);
    answer.text().await.unwrap()
}

/// Names and values of the first suggestion's form.
fn first_form(page: &str) -> Vec<(String, String)> {
    let form = page.split_once("action=\"/api/page/book_found\"").expect("a suggestion").1;
    let form = form.split_once("</form>").expect("its end").0;
    let value = |input: &str, name: &str| {
        let rest = input.split_once(&format!("{name}=\""))?.1;
        Some(rest.split_once('"')?.0.replace("&amp;", "&"))
    };
    form.split("<input").skip(1).filter_map(|input| Some((value(input, "name")?, value(input, "value")?))).collect()
}

/// Clicks the button of a suggestion, and says where it leads.
async fn click(app: &TestApp, actor: &Actor, form: &[(String, String)]) -> String {
    let answer = actor
        .request(Method::POST, "/api/page/book_found")
        .header("origin", &app.url)
        .header("sec-fetch-site", "same-origin")
        .header("accept", "text/html")
        .form(form)
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 302);
    answer.headers()[LOCATION].to_str().unwrap().to_owned()
}

#[tokio::test]
async fn one_click_books_once_and_whoever_is_late_is_told_and_offered_others() {
    let app = app_with_cards().await;
    let (ada, bob) = (app.member("ada").await, app.member("bob").await);
    let (for_ada, for_bob) = (page(&ada, TWO_TOMORROW).await, page(&bob, TWO_TOMORROW).await);
    for said in ["Best fit", "Smallest pair that fits.", "Book from Tue 09:00", "tomorrow 09:00", "2 cards"] {
        assert!(for_ada.contains(said), "no `{said}` in {for_ada}");
    }
    let form = first_form(&for_ada);
    assert_eq!(form.iter().filter(|(name, _)| name == "form[cards][]").count(), 2);
    let there = click(&app, &ada, &form).await;
    assert!(there.starts_with("/bookings/"), "{there}");
    assert_eq!(click(&app, &ada, &form).await, there, "clicked twice, booked once");
    let booking = page(&ada, &there).await;
    assert!(booking.contains("Tue 09:00") || booking.contains("09:00"), "{booking}");

    let late = first_form(&for_bob);
    let back = click(&app, &bob, &late).await;
    assert_eq!(back, "/?cards=2&begin=tomorrow&show=free&refused=overlap#finder");
    let again = page(&bob, back.trim_end_matches("#finder")).await;
    assert!(again.contains("Somebody took one of the cards just before you"), "{again}");
    let cards = |form: Vec<(String, String)>| -> Vec<String> {
        form.into_iter().filter(|(name, _)| name == "form[cards][]").map(|(_, card)| card).collect()
    };
    assert_ne!(cards(first_form(&again)), cards(late));
}

#[tokio::test]
async fn what_cannot_be_had_is_said_with_the_next_step() {
    let app = app_with_cards().await;
    let ada = app.member("ada").await;
    // Somebody without an account in the portal is on every card.
    let now = page(&ada, "/find").await;
    assert!(now.contains("Not enough such cards are free for 4 h then."), "{now}");
    assert!(now.contains("First time when enough are free.") && now.contains("Find the earliest time"), "{now}");
    let many = page(&ada, "/find?cards=16").await;
    assert!(many.contains("such cards that can be booked") && many.contains("Take "), "{many}");
    let linked = page(&ada, "/find?cards=2&link=nvlink").await;
    assert!(linked.contains("No two such cards are linked like that."), "{linked}");
    let odd = page(&ada, "/find?which=model:%3Cscript%3E&cards=999&at=//evil.example").await;
    assert!(odd.contains("No card here is like that.") && !odd.contains("<script>\""), "{odd}");
    assert!(!odd.contains("evil.example"), "{odd}");
}

#[tokio::test]
async fn only_those_who_are_signed_in_look_and_book() {
    let app = app_with_cards().await;
    let ada = app.member("ada").await;
    let form = first_form(&page(&ada, TWO_TOMORROW).await);
    let nobody = app.anonymous();
    assert_eq!(click(&app, &nobody, &form).await, "/sign-in?next=/%3Fcards%3D2%26begin%3Dtomorrow%26show%3Dfree");
    let answer = nobody.get("/find").await;
    assert_ne!(answer.status(), 200);
    let mut elsewhere = form.clone();
    elsewhere.iter_mut().filter(|(name, _)| name == "form[back]").for_each(|back| back.1 = "//evil.example".to_owned());
    assert_eq!(click(&app, &nobody, &elsewhere).await, "/sign-in");
    let damaged: Vec<_> = form.into_iter().filter(|(name, _)| name != "form[cards][]").collect();
    assert!(click(&app, &ada, &damaged).await.starts_with("/book?error=input.invalid"), "no card");
}
