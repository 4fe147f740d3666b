//! The administrators' pages, as a browser without scripts uses them.

use domain::upkeep::PlanAsk;
use reqwest::Method;
use reqwest::header::LOCATION;

use crate::support::TestApp;
use crate::support::actor::Actor;
use crate::support::fleet::host;

/// Sends a form as a page without scripts would, and says where it leads.
async fn send(actor: &Actor, app: &TestApp, page: &str, function: &str, fields: &[(&str, &str)]) -> String {
    let answer = actor
        .request(Method::POST, &format!("/api/page/{function}"))
        .header("origin", &app.url)
        .header("referer", format!("{}{page}", app.url))
        .header("sec-fetch-site", "same-origin")
        .header("accept", "text/html")
        .form(fields)
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 302, "{function}");
    answer.headers()[LOCATION].to_str().unwrap().replace(&app.url, "")
}

async fn text(actor: &Actor, page: &str) -> String {
    let answer = actor.get(page).await;
    assert_eq!(answer.status(), 200, "{page}");
    answer.text().await.unwrap()
}

fn says(page: &str, all: &[&str]) {
    for said in all {
        assert!(page.contains(said), "no `{said}` in {page}");
    }
}

/// The value of the hidden field of this name, read as a browser reads it.
fn hidden(page: &str, name: &str) -> String {
    let (_, rest) = page.split_once(&format!("name=\"{name}\" value=\"")).unwrap_or_else(|| panic!("{name} in {page}"));
    let (value, _) = rest.split_once('"').unwrap();
    value.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

async fn book(app: &TestApp, who: &str, card: &str, start: &str, end: &str) {
    let ada = app.member(who).await;
    let window = serde_json::json!({ "start": start, "end": end });
    let key = uuid::Uuid::new_v4();
    let ask = serde_json::json!({ "cards": [card], "window": window, "purpose": "ViT", "idempotency_key": key });
    let answer = ada.call("book", &serde_json::json!({ "ask": ask })).await;
    assert_eq!(answer.status(), 200, "{}", answer.text().await.unwrap());
}

#[tokio::test]
async fn maintenance_is_looked_at_then_planned_changed_and_called_off_without_scripts() {
    let app = TestApp::spawn().await;
    let (rig, cards) = host(&app.pool, "rig", 2).await;
    let root = app.admin().await;
    book(&app, "ada", cards[0].as_str(), "2026-11-30T13:00:00Z", "2026-11-30T15:00:00Z").await;

    let empty = text(&root, "/admin/maintenance").await;
    says(
        &empty,
        &["No maintenance is planned.", "href=\"/admin/cards\"", "value=\"2026-11-30T12:00\"", "Europe/Berlin"],
    );

    // What is missing is said at its field, with all that was typed.
    let form = "/admin/maintenance?look=1&start=2026-11-30T15:00&end=2026-11-30T18:00";
    let wordless = text(&root, &format!("{form}&reason=%20&host={}", rig.0)).await;
    says(&wordless, &["Say why, in at most 200 characters", "value=\"2026-11-30T15:00\"", "checked"]);
    let backwards =
        text(&root, "/admin/maintenance?look=1&reason=x&start=2026-11-30T15:00&end=2026-11-30T14:00&everywhere=1");
    says(&backwards.await, &["aria-invalid=\"true\""]);

    let address = format!("{form}&reason=New%20%3Cfans%3E&host={}", rig.0);
    let look = text(&root, &address).await;
    says(
        &look,
        &["2 cards are closed 15:00 – 18:00 (3 h).", "1 booking is hit.", "rig, card 0", "Plan it and tell 1 owner"],
    );
    let ask = hidden(&look, "ask");

    // Somebody books meanwhile: nothing is saved, and the page that comes back lists them.
    book(&app, "bob", cards[1].as_str(), "2026-11-30T14:00:00Z", "2026-11-30T15:00:00Z").await;
    let back = send(&root, &app, &address, "save_maintenance", &[("ask", &ask)]).await;
    let again = text(&root, &back).await;
    says(&again, &["Nothing was saved. Meanwhile bob has booked", "2 bookings are hit.", "rig, card 1"]);

    let ask = hidden(&again, "ask");
    assert_eq!(send(&root, &app, &back, "save_maintenance", &[("ask", &ask)]).await, "/admin/maintenance");
    let planned = text(&root, "/admin/maintenance").await;
    says(&planned, &["15:00 – 18:00", "New &lt;fans&gt;", "rig, all cards", "2 bookings hit", "Planned by root-admin"]);
    let id = serde_json::from_str::<PlanAsk>(&ask).unwrap().id.to_string();

    let change = text(&root, &format!("/admin/maintenance?change={id}")).await;
    says(
        &change,
        &["Change maintenance", "value=\"New &lt;fans&gt;\"", "value=\"2026-11-30T18:00\"", "Leave it as it is"],
    );
    let shorter = format!("{address}&change={id}").replace("T18:00", "T17:00");
    let look = text(&root, &shorter).await;
    says(&look, &["Save the change"]);
    let fields = [("ask", &*hidden(&look, "ask")), ("change", "true")];
    send(&root, &app, &shorter, "save_maintenance", &fields).await;
    says(&text(&root, "/admin/maintenance").await, &["15:00 – 17:00"]);

    send(&root, &app, "/admin/maintenance", "call_off_maintenance", &[("id", &id)]).await;
    let over = text(&root, "/admin/maintenance").await;
    says(&over, &["No maintenance is planned.", "called off"]);
    let back = send(&root, &app, "/admin/maintenance", "call_off_maintenance", &[("id", &id)]).await;
    says(&text(&root, &back).await, &["This maintenance is over or was called off."]);
    app.stop().await;
}

#[tokio::test]
async fn cards_are_kept_back_and_shared_without_scripts() {
    let app = TestApp::spawn().await;
    let (_, cards) = host(&app.pool, "rig", 2).await;
    let root = app.admin().await;
    let card = cards[0].as_str();
    let open = format!("/admin/cards?card={card}");
    says(&text(&root, "/admin/cards").await, &["2 cards, all bookable", "whole card only"]);
    says(&text(&root, &open).await, &["Keep it from being booked", "Open it for shares", "The card has 79.6 GB."]);

    let back = send(&root, &app, &open, "keep_card_back", &[("card", card), ("reason", " ")]).await;
    says(&text(&root, &back).await, &["Say why, in at most 200 characters"]);
    let done = send(&root, &app, &open, "keep_card_back", &[("card", card), ("reason", "Display card")]).await;
    assert_eq!(done, format!("{open}#card-{card}"));
    says(&text(&root, &open).await, &["Display card, not bookable", "2 cards, 1 bookable", "Let people book it"]);
    send(&root, &app, &open, "let_card_be_booked", &[("card", card)]).await;

    let share = |count: &'static str, memory: &'static str| [("card", card), ("count", count), ("memory", memory)];
    for (fields, said) in [
        (share("four", "20"), "Enter a whole number of shares"),
        (share("4", "20"), "their budgets together stay within its memory, which is 79.6 GB"),
    ] {
        let back = send(&root, &app, &open, "share_card", &fields).await;
        let page = text(&root, &back).await;
        says(&page, &[said, &format!("value=\"{}\"", fields[1].1)]);
    }
    send(&root, &app, &open, "share_card", &share("4", "19.5")).await;
    says(&text(&root, &open).await, &["4 shares of 19.5 GB", "Close it for shares", "nobody enforces it"]);
    send(&root, &app, &open, "close_shares", &[("card", card)]).await;
    says(&text(&root, &open).await, &["Open it for shares"]);

    // Not for members.
    let ada = app.member("ada").await;
    for page in ["/admin/cards", "/admin/maintenance"] {
        let answer = ada.get(page).await.text().await.unwrap();
        assert!(answer.contains("Your role does not allow this.") && !answer.contains(card), "{answer}");
    }
    app.stop().await;
}
