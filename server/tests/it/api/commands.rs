//! The launch commands of a booking, for programs.

use domain::launch::{FORMATS, Plan, commands};
use domain::text::en;
use domain::wire::page::{BookingPage, Person};
use reqwest::Response;
use serde_json::Value;

use super::bookings::app_with_cards;
use super::wish;
use crate::support::report::uuid;

fn texts(command: &Value) -> Vec<&str> {
    command["forms"].as_array().unwrap().iter().map(|form| form["text"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn programs_get_the_commands_that_the_page_shows() {
    let app = app_with_cards().await;
    let (ada, bob) = (app.member("ada").await, app.member("bob").await);
    let mut ask = wish(&[uuid("rig", 1), uuid("rig", 0), uuid("dgx", 2)], 0, 3);
    ask["ask"]["purpose"] = "ViT-L; $(id)".into();
    let id: String = ada.call("book", &ask).await.json().await.unwrap();
    let path = |query: &str| format!("/api/v1/bookings/{id}/commands{query}");
    let (page, _): (BookingPage, Vec<Person>) = ada.submit("booking", &[("id", &id)]).await.json().await.unwrap();
    let plan = Plan::from(&page);

    let told: Value = ada.get(&path("")).await.json().await.unwrap();
    assert_eq!((told["version"].as_u64(), told["reservation"].as_str()), (Some(1), Some(id.as_str())));
    let hosts = told["hosts"].as_array().unwrap();
    let names: Vec<_> = hosts.iter().map(|host| host["host"].as_str().unwrap()).collect();
    assert_eq!(names, ["dgx", "rig"]);
    for (at, host) in hosts.iter().enumerate() {
        let all = host["commands"].as_array().unwrap();
        assert_eq!(all.iter().map(|command| command["id"].as_str().unwrap()).collect::<Vec<_>>(), FORMATS);
        for (command, other) in all.iter().zip(commands(&plan, at, &en().launch)) {
            let shown: Vec<&str> = other.forms.iter().map(|form| form.text.as_str()).collect();
            assert_eq!(texts(command), shown, "{}", other.id);
        }
    }

    let one: Value = ada.get(&path("?format=Docker/cdi")).await.json().await.unwrap();
    assert_eq!(one["hosts"][1]["commands"].as_array().unwrap().len(), 1);
    let line = format!("--device nvidia.com/gpu={} --device nvidia.com/gpu={}", uuid("rig", 0), uuid("rig", 1));
    assert!(texts(&one["hosts"][1]["commands"][0])[0].contains(&line), "{one}");
    let read = ada.get(&path("?format=torchrun&text")).await;
    assert!(read.headers()["content-type"].to_str().unwrap().starts_with("text/plain"));
    assert_eq!(read.headers()["cache-control"], "no-store");
    let read = read.text().await.unwrap();
    assert!(read.contains("# dgx\n\n# torchrun (torchrun)") && read.contains("--rdzv-id=vit-l-id"), "{read}");

    let status = |answer: Response| answer.status().as_u16();
    assert_eq!(status(ada.get(&path("?format=nonsense")).await), 404);
    assert_eq!(status(bob.get(&path("")).await), 403, "not his to launch on");
    assert_eq!(status(app.anonymous().get(&path("")).await), 401);
    assert_eq!(status(ada.get("/api/v1/bookings/nonsense/commands").await), 400);
}
