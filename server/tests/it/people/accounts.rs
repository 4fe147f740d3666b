//! One's own account.

use app::port::Portal;
use domain::error::{ErrorCode, Field};

use crate::support::people::Office;

#[tokio::test]
async fn a_zone_is_chosen_from_those_there_are() {
    let (office, _ruth) = Office::set_up().await;
    let mut ada = office.member("ada").await;
    office.act(&mut ada, async |portal| portal.set_zone("asia/tokyo".to_owned()).await).await.unwrap();
    let frame = office.act(&mut ada, async |portal| portal.frame().await).await.unwrap();
    assert_eq!(frame.zone.name(), "Asia/Tokyo");
    let bad = office.act(&mut ada, async |portal| portal.set_zone("Mars/Olympus".to_owned()).await).await.unwrap_err();
    assert_eq!((bad.code, bad.field), (ErrorCode::BadInput, Some(Field::Zone)));
    let own = office.act(&mut ada, async |portal| portal.account().await).await.unwrap();
    assert_eq!(own.zone, "Asia/Tokyo");
    assert!(own.zones.contains(&"Europe/Berlin".to_owned()));
}

#[tokio::test]
async fn the_overview_lists_people_by_their_names() {
    let (office, mut ruth) = Office::set_up().await;
    office.member("zoe").await;
    office.member("ada").await;
    let admin = office.act(&mut ruth, async |portal| portal.admin().await).await.unwrap();
    let names: Vec<_> = admin.people.iter().map(|person| person.name.as_str()).collect();
    assert_eq!(names, ["ada", "ruth", "zoe"]);
}
