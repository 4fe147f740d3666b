//! The administrators' pages of rules, groups and labels, over HTTP, as a browser without scripts uses them.

use domain::error::ApiError;
use serde_json::{Value, json};

use crate::support::TestApp;
use crate::support::actor::Actor;
use crate::support::fleet::host;
use crate::support::plain::{says, send, text};

async fn id_of(app: &TestApp, sql: &'static str) -> String {
    let id: uuid::Uuid = sqlx::query_scalar(sql).fetch_one(&app.pool).await.unwrap();
    id.to_string()
}

/// Books a card from 12:00 to so many hours later.
async fn book(who: &Actor, card: &str, hours: u32) -> Result<(), ApiError> {
    let window = json!({ "start": "2026-11-30T12:00:00Z", "end": format!("2026-11-30T{}:00:00Z", 12 + hours) });
    let key = uuid::Uuid::new_v4();
    let ask = json!({ "cards": [card], "window": window, "purpose": "ViT", "idempotency_key": key });
    let answer = who.call("book", &json!({ "ask": ask })).await;
    let status = answer.status();
    let body: Value = answer.json().await.unwrap();
    if status == 200 {
        return Ok(());
    }
    let refusal: ApiError = serde_json::from_value(body["Api"].clone()).unwrap();
    assert_eq!(status, refusal.code.status());
    Err(refusal)
}

#[tokio::test]
async fn a_rule_is_filled_tried_saved_changed_and_removed() {
    let app = TestApp::spawn().await;
    let (_, cards) = host(&app.pool, "rig", 2).await;
    let (root, ada) = (app.admin().await, app.member("ada").await);
    book(&ada, cards[0].as_str(), 4).await.unwrap();
    let empty = text(&root, "/admin/rules").await;
    says(&empty, &["No rules yet", "/admin/rules?kind=longest#form", "value=\"24\"", "href=\"/admin/groups\""]);

    let form = text(&root, "/admin/rules?kind=longest").await;
    says(
        &form,
        &["value=\"Longest booking\"", "value=\"7 d\"", "formmethod=\"get\"", "formaction=\"/admin/rules#tried\""],
    );
    // What makes no sense comes back with what was typed, and is said at its field.
    let fields = |length: &'static str| [("id", ""), ("kind", "longest"), ("name", "Short <ones>"), ("length", length)];
    let back = send(&root, &app.url, "/admin/rules?kind=longest", "save_rule", &fields("soon")).await;
    let refused = text(&root, &back).await;
    says(&refused, &["This is no length.", "value=\"soon\"", "value=\"Short &lt;ones&gt;\"", "aria-invalid=\"true\""]);

    let tried = text(&root, "/admin/rules?try=1&id=&kind=longest&name=x&group=&label=&length=3+h").await;
    says(&tried, &["it would have refused 1 of 1 booking.", "4 h is over the limit of 3 h", "value=\"3 h\"", "ada"]);
    let loose = text(&root, "/admin/rules?try=1&kind=longest&name=x&length=5+h").await;
    says(&loose, &["it would have refused none of 1 booking."]);
    says(&text(&root, "/admin/rules?try=1&kind=longest&name=x&length=x").await, &["This is no length."]);

    assert_eq!(send(&root, &app.url, "/admin/rules?kind=longest", "save_rule", &fields("3 h")).await, "/admin/rules");
    let listed = text(&root, "/admin/rules").await;
    says(&listed, &["Short &lt;ones&gt;", "A booking lasts at most 3 h", "Everybody, every card", "root-admin"]);
    let refusal = book(&ada, cards[1].as_str(), 4).await.unwrap_err();
    assert_eq!(refusal.code.as_str(), "rule.broken");
    assert!(refusal.message.contains("“Short <ones>”"), "{}", refusal.message);

    let id = id_of(&app, "select rule_id from rule").await;
    let change = text(&root, &format!("/admin/rules?change={id}")).await;
    says(&change, &["Change “Short &lt;ones&gt;”", "value=\"3 h\"", &format!("value=\"{id}\"")]);
    let longer = [("id", id.as_str()), ("kind", "longest"), ("name", "Longer"), ("length", "6 h")];
    assert_eq!(send(&root, &app.url, "/admin/rules", "save_rule", &longer).await, "/admin/rules");
    book(&ada, cards[1].as_str(), 4).await.unwrap();
    assert_eq!(send(&root, &app.url, "/admin/rules", "remove_rule", &[("rule", &id)]).await, "/admin/rules");
    says(&text(&root, "/admin/rules").await, &["No rules yet"]);

    let back = send(&root, &app.url, "/admin/rules", "set_approval_hours", &[("hours", "0")]).await;
    says(&text(&root, &back).await, &["lies between 1 and 744 hours"]);
    send(&root, &app.url, "/admin/rules", "set_approval_hours", &[("hours", "48")]).await;
    says(&text(&root, "/admin/rules").await, &["value=\"48\""]);
}

#[tokio::test]
async fn every_kind_has_its_form() {
    let app = TestApp::spawn().await;
    let root = app.admin().await;
    let kinds = [
        ("shortest", "name=\"length\""),
        ("horizon", "name=\"length\""),
        ("most_cards", "name=\"cards\""),
        ("far", "name=\"length\""),
        ("gpu_hours", "name=\"per\""),
        ("hours", "name=\"spans\""),
        ("approval", "Bookings wait for a manager"),
        ("idle", "name=\"release\""),
    ];
    for (kind, field) in kinds {
        says(&text(&root, &format!("/admin/rules?kind={kind}")).await, &[field, "Save the rule"]);
    }
    let hours = [("kind", "hours"), ("name", "Nights"), ("spans", "Mon-Fri 18:00-08:00, Sat-Sun all day")];
    send(&root, &app.url, "/admin/rules?kind=hours", "save_rule", &hours).await;
    says(&text(&root, "/admin/rules").await, &["Bookings lie within Mon – Fri 18:00 – 08:00, Sat – Sun all day"]);
}

#[tokio::test]
async fn groups_are_made_by_administrators_and_looked_after_by_managers() {
    let app = TestApp::spawn().await;
    let (root, ada, bob) = (app.admin().await, app.member("ada").await, app.member("bob").await);
    says(&text(&root, "/admin/groups").await, &["No groups yet."]);
    assert_eq!(send(&root, &app.url, "/admin/groups", "make_group", &[("name", "Vision")]).await, "/admin/groups");
    let twice = send(&root, &app.url, "/admin/groups", "make_group", &[("name", "Vision")]).await;
    says(&text(&root, &twice).await, &["A group of that name exists.", "value=\"Vision\""]);

    let group = id_of(&app, "select group_id from person_group").await;
    let adas = id_of(&app, r#"select user_id from "user" where name = 'ada'"#).await;
    let bobs = id_of(&app, r#"select user_id from "user" where name = 'bob'"#).await;
    let manager = [("group", group.as_str()), ("person", adas.as_str()), ("manager", "true")];
    let there = send(&root, &app.url, "/admin/groups", "set_member", &manager).await;
    assert_eq!(there, format!("/admin/groups#group-{group}"));

    says(&text(&ada, "/account").await, &["Vision (manager)", "href=\"/admin/groups\""]);
    // A manager sees the group, and none of the acts of administrators.
    let page = text(&ada, "/admin/groups").await;
    says(&page, &["Vision", "Manager", "Person to add"]);
    for none in ["Make a group", "Make manager", "Rename", "href=\"/admin/rules\""] {
        assert!(!page.contains(none), "{none}");
    }
    send(&ada, &app.url, "/admin/groups", "set_member", &[("group", &group), ("person", &bobs)]).await;
    says(&text(&ada, "/admin/groups").await, &["bob", "Take out"]);
    let nobody = send(&ada, &app.url, "/admin/groups", "set_member", &[("group", &group), ("person", "")]).await;
    says(&text(&ada, &nobody).await, &["This person has no account here."]);

    // Everybody else is told no, on every one of these pages.
    for page in ["/admin/groups", "/admin/rules", "/admin/labels"] {
        let answer = bob.get(page).await.text().await.unwrap();
        says(&answer, &["Your role does not allow this."]);
    }
    let refused = bob.submit("remove_member", &[("group", group.as_str()), ("person", &adas)]).await;
    assert_eq!(refused.status(), 403);
}

#[tokio::test]
async fn labels_are_set_and_what_is_none_comes_back() {
    let app = TestApp::spawn().await;
    let root = app.admin().await;
    says(&text(&root, "/admin/labels").await, &["No host is here yet."]);
    let (rig, cards) = host(&app.pool, "rig", 2).await;
    let (rig, card) = (rig.to_string(), cards[1].to_string());
    let there =
        send(&root, &app.url, "/admin/labels", "set_host_labels", &[("host", &rig), ("labels", "Training")]).await;
    assert_eq!(there, format!("/admin/labels#host-{rig}"));
    let of_card = |labels: &'static str| [("host", rig.as_str()), ("card", card.as_str()), ("labels", labels)];
    let there = send(&root, &app.url, "/admin/labels", "set_card_labels", &of_card("fast, big")).await;
    says(
        &text(&root, &there).await,
        &["value=\"training\"", "value=\"big fast\"", "1 with labels of their own", "open"],
    );
    let back = send(&root, &app.url, "/admin/labels", "set_card_labels", &of_card("no/label")).await;
    says(&text(&root, &back).await, &["value=\"no/label\"", "Put spaces between them."]);
    send(&root, &app.url, "/admin/rules", "save_rule", &[("kind", "approval"), ("name", "Ask"), ("label", "fast")])
        .await;
    says(&text(&root, "/admin/labels").await, &["Labels with rules", "fast: Ask"]);
}
