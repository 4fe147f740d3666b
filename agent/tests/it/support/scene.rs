//! People, cards and bookings. The account is the one that runs the tests.

use agent::guard::peer::name_of;
use domain::card::{CardFacts, CardHealth, CardSample};
use domain::id::{CardUuid, ReservationId, UserId};
use domain::reading::Reading;
use domain::window::Window;
use domain::wire::agent_v1::{Account, CardReport, HostTable, TableBooking};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

/// Who runs the tests.
pub fn me() -> String {
    name_of(nix::unistd::getuid().as_raw())
}

pub fn ada() -> UserId {
    UserId(Uuid::from_u128(1))
}

pub fn jonas() -> UserId {
    UserId(Uuid::from_u128(2))
}

pub fn uuid(index: u32) -> CardUuid {
    CardUuid::parse(&format!("GPU-{index}a23c669-1f69-c64e-cf85-44e9b07e7a2a")).expect("valid")
}

/// A card as the agent samples it.
pub fn sampled(index: u32) -> CardReport {
    CardReport {
        detail: Default::default(),
        facts: CardFacts {
            part: None,
            mig_on: false,
            uuid: uuid(index),
            index,
            minor: Some(index),
            name: "NVIDIA H100 80GB HBM3".to_owned(),
            pci_bus_id: None,
            memory_total_mib: Reading::Value(81559),
        },
        sample: CardSample::default(),
        health: CardHealth::Ok,
        processes: None,
    }
}

/// A booking that began an hour ago and ends in two hours.
pub fn booked(who: UserId, cards: &[u32]) -> TableBooking {
    booked_for(who, &cards.iter().copied().map(uuid).collect::<Vec<_>>(), -60, 120)
}

pub fn booked_for(who: UserId, cards: &[CardUuid], from_minute: i64, to_minute: i64) -> TableBooking {
    let now = OffsetDateTime::now_utc();
    let window = Window::new(now + Duration::minutes(from_minute), now + Duration::minutes(to_minute));
    TableBooking {
        id: ReservationId(Uuid::from_u128(77)),
        person: who,
        holder: if who == ada() { "Ada Lovelace" } else { "Jonas Weber" }.to_owned(),
        cards: cards.to_vec(),
        window: window.expect("not empty"),
        co_users: Vec::new(),
    }
}

/// Ada owns the account that runs the tests.
pub fn table(bookings: Vec<TableBooking>) -> HostTable {
    HostTable {
        made_at: OffsetDateTime::now_utc(),
        host_name: "dgx-h100".to_owned(),
        portal_url: "https://berth.example.org".to_owned(),
        accounts: vec![Account { os_user: me(), person: ada(), name: "Ada Lovelace".to_owned() }],
        bookings,
        waiting: Vec::new(),
        notices: Vec::new(),
    }
}
