//! Every way in which JSON is written is read again.

use std::collections::BTreeMap;

use serde::Serialize;

use super::*;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Kind {
    Plain,
    Wrapped(u16),
    Pair(i8, String),
    Named { deep: Option<f64> },
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
enum Tagged {
    Here { at: u64 },
    Gone,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Either {
    Number(u32),
    Other { why: String },
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Name(String);

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct All {
    kinds: Vec<Kind>,
    tagged: Vec<Tagged>,
    either: (Either, Either),
    by_number: BTreeMap<u16, bool>,
    name: Name,
    nothing: Option<String>,
    #[serde(default)]
    left_out: u8,
    least: i64,
    most: u64,
    id: uuid::Uuid,
    #[serde(with = "time::serde::rfc3339")]
    at: time::OffsetDateTime,
    day: time::Date,
    #[serde(flatten)]
    more: BTreeMap<String, f32>,
}

fn all() -> All {
    All {
        kinds: vec![
            Kind::Plain,
            Kind::Wrapped(7),
            Kind::Pair(-3, "\"\u{e9}\n".to_owned()),
            Kind::Named { deep: Some(2.5) },
            Kind::Named { deep: None },
        ],
        tagged: vec![Tagged::Here { at: 9 }, Tagged::Gone],
        either: (Either::Number(1), Either::Other { why: "so".to_owned() }),
        by_number: BTreeMap::from([(3, true), (40, false)]),
        name: Name("x".to_owned()),
        nothing: None,
        left_out: 0,
        least: i64::MIN,
        most: u64::MAX,
        id: uuid::Uuid::from_u128(5),
        at: time::OffsetDateTime::UNIX_EPOCH,
        day: time::OffsetDateTime::UNIX_EPOCH.date(),
        more: BTreeMap::from([("a".to_owned(), 1.5), ("b".to_owned(), 4.0)]),
    }
}

#[test]
fn what_was_written_is_read() {
    let text = serde_json::to_string(&all()).expect("json");
    assert_eq!(read::<All>(&text), Some(all()));
    assert_eq!(read::<All>(&text.replace("\"left_out\":0,", "")), Some(all()));
    assert_eq!(read::<Kind>("{\"Named\":{\"unknown\":[{}],\"deep\":null}}"), Some(Kind::Named { deep: None }));
}

#[test]
fn what_is_something_else_is_not_read() {
    assert_eq!(read::<u8>("256"), None);
    assert_eq!(read::<u8>("-1"), None);
    assert_eq!(read::<u8>("1.5"), None);
    assert_eq!(read::<i64>("18446744073709551615"), None);
    assert_eq!(read::<f64>("3"), Some(3.0));
    assert_eq!(read::<Kind>("\"Other\""), None);
    assert_eq!(read::<Kind>("{\"Plain\":1}"), None);
    assert_eq!(read::<Kind>("{\"Wrapped\":1,\"Plain\":null}"), None);
    assert_eq!(read::<Tagged>("{\"at\":9}"), None);
    assert_eq!(read::<Vec<u8>>("{}"), None);
    assert_eq!(read::<Option<bool>>("null"), Some(None));
    assert_eq!(read::<bool>("1"), None);
    assert_eq!(read::<String>("\"unfinished"), None);
}
