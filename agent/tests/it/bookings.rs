//! `berth free`, `bookings`, `book`, `extend` and `end`, through a real agent.

use domain::id::ReservationId;
use domain::wire::agent_v1::TableBooking;
use domain::wire::host_v1::{BOOK_PATH, CHANGE_PATH};
use serde_json::{Value, json};
use time::format_description::well_known::Rfc3339;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::support::desk::Guard;
use crate::support::eventually;
use crate::support::host::{Agent, Host};
use crate::support::portal::{Mood, Portal};
use crate::support::scene::{ada, booked, booked_for, jonas, me, table, uuid};

fn id(n: u128) -> ReservationId {
    ReservationId(Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_aaaa_0000 + n))
}

fn named(n: u128, booking: TableBooking) -> TableBooking {
    TableBooking { id: id(n), ..booking }
}

/// A host whose agent knows these bookings.
fn host(bookings: Vec<TableBooking>) -> (Portal, Host, Agent) {
    let portal = Portal::fine(table(bookings));
    let host = Host::of(&portal);
    let agent = host.agent();
    eventually("the agent has a table", || host.run(&["bookings"]).code == Some(0));
    (portal, host, agent)
}

fn instant(value: &Value) -> OffsetDateTime {
    OffsetDateTime::parse(value.as_str().expect("text"), &Rfc3339).expect("an instant")
}

#[test]
fn what_is_free_and_what_is_ones_own_is_shown_to_people_and_to_programs() {
    let later = booked_for(ada(), &[uuid(1)], 90, 150);
    let guard =
        Guard::with(table(vec![named(1, booked(ada(), &[0])), named(2, booked(jonas(), &[3])), named(3, later)]));
    let said = guard.run(&["free"]);
    assert_eq!(said.code, Some(0));
    assert!(
        said.stdout.starts_with("Free on dgx-h100 now: card 1 until ") && said.stdout.contains("; card 2."),
        "{}",
        said.stdout
    );
    let free: Value = serde_json::from_str(&guard.run(&["free", "--json"]).stdout).expect("json");
    assert_eq!((&free["version"], &free["free"][1]["card"]["index"]), (&json!(1), &json!(2)));

    let said = guard.run(&["bookings"]);
    let lines: Vec<&str> = said.stdout.lines().collect();
    assert!(lines.len() == 2 && lines[0].starts_with("aaaa0001  card 0 until "), "{}", said.stdout);
    assert!(lines[1].starts_with("aaaa0003  card 1 from "), "{}", said.stdout);
    let own: Value = serde_json::from_str(&guard.run(&["bookings", "--json"]).stdout).expect("json");
    assert_eq!((&own["host_name"], &own["bookings"][0]["id"]), (&json!("dgx-h100"), &json!(id(1))));
    assert_eq!(own["bookings"].as_array().map(Vec::len), Some(2));
    // Without the portal nothing is booked, and that is said.
    let said = guard.run(&["book"]);
    assert_eq!(said.code, Some(1));
    assert!(
        said.stderr.starts_with("berth: not booked. Nothing can be booked while the portal does not answer"),
        "{}",
        said.stderr
    );
}

#[test]
fn booking_is_said_as_people_say_it() {
    let (portal, host, _agent) = host(vec![]);
    for (args, count, minutes) in [
        (&["book"][..], 1, 240),
        (&["book", "-n", "2", "90", "min"], 2, 90),
        (&["book", "--gpus", "2", "--for", "eval", "tomorrow", "9am", "6h"], 2, 360),
    ] {
        let said = host.run(args);
        assert_eq!(said.code, Some(0), "{args:?}: {}", said.stderr);
        assert!(said.stdout.starts_with("Booked: "), "{}", said.stdout);
        let ask = portal.sent_to(BOOK_PATH).pop().expect("asked").body;
        assert_eq!((&ask["os_user"], &ask["count"], &ask["minutes"]), (&json!(me()), &json!(count), &json!(minutes)));
    }
    let ask = portal.sent_to(BOOK_PATH).pop().expect("asked").body;
    let start = instant(&ask["start"]);
    assert_eq!((start.hour(), start.minute(), &ask["purpose"]), (9, 0, &json!("eval")));
    assert!(start > OffsetDateTime::now_utc());
    assert_eq!(portal.sent_to(BOOK_PATH)[0].body["start"], Value::Null, "now is the portal's");
    for (args, why) in [
        (&["book", "9"][..], "berth: not booked. "),
        (&["book", "--cards", "7"], "`7` is not the index of a card here"),
        (&["book", "blue"], "berth: not booked. "),
    ] {
        let said = host.run(args);
        assert_eq!((said.code, said.stdout.as_str()), (Some(1), ""), "{args:?}");
        assert!(said.stderr.contains(why), "{args:?}: {}", said.stderr);
    }
    assert_eq!(portal.sent_to(BOOK_PATH).len(), 3);
    portal.set(Mood::Refuses(409, "reservation.overlap", "Not booked. Jonas Weber has card 0."));
    assert_eq!(host.run(&["book"]).stderr, "berth: not booked. Jonas Weber has card 0.\n");
}

#[test]
fn extending_and_ending_is_of_the_booking_that_is_meant() {
    let now = booked(ada(), &[0]);
    let end = now.window.end();
    let later = booked_for(ada(), &[uuid(1)], 90, 150);
    let (portal, host, _agent) = host(vec![named(1, now), named(2, later), named(3, booked(jonas(), &[2]))]);
    let asked = || portal.sent_to(CHANGE_PATH).pop().expect("asked").body;
    let said = host.run(&["extend", "2h"]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let ask = asked();
    assert_eq!(ask["booking"], json!({ "id": id(1) }));
    assert_eq!(instant(&ask["act"]["until"]), end + Duration::hours(2));
    let said = host.run(&["extend", "--reservation", "aaaa0002", "30", "min"]);
    assert_eq!((said.code, asked()["booking"].clone()), (Some(0), json!({ "id": id(2) })));

    let said = host.run(&["end", "aaaa0003"]);
    assert_eq!(said.code, Some(1));
    assert!(said.stderr.contains("called `aaaa0003`") && said.stderr.contains("aaaa0001  "), "{}", said.stderr);
    assert_eq!(host.run(&["extend", "tomorrow"]).code, Some(1));
    // This portal gives a booking that was changed a start of its own; its next table has the right one again.
    eventually("the next table has come", || host.run(&["bookings"]).stdout.contains(" from "));
    let said = host.run(&["end"]);
    assert_eq!((said.code, asked()), (Some(0), json!({ "os_user": me(), "booking": { "id": id(1) }, "act": "end" })));
    assert!(said.stdout.starts_with("Ended: aaaa0001  "), "{}", said.stdout);
    portal.set(Mood::Refuses(409, "reservation.overlap", "Not changed. Jonas Weber has booked card 0 from 18:00."));
    let said = host.run(&["extend", "2h", "--reservation", "aaaa0002"]);
    assert_eq!(said.stderr, "berth: not changed. Jonas Weber has booked card 0 from 18:00.\n");
}
