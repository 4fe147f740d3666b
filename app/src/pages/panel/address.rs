//! A form in an address: `/book?card=GPU-…&card=GPU-…&start=2026-11-30T14:00&end=…&purpose=…`.
//!
//! Links from other pages preselect cards and times with it; a form that was refused without scripts comes back in it.

use domain::address::with_query;
use domain::draft::Draft;
use domain::draft::wall::Which;
use leptos_router::params::ParamsMap;

/// The form that an address asks for.
pub fn read(query: &ParamsMap) -> Draft {
    let text = |name: &str| query.get(name).unwrap_or_default();
    let shares = query.get_all("share").unwrap_or_default();
    Draft {
        cards: query.get_all("card").unwrap_or_default(),
        start: text("start"),
        start_which: Which::parse(&text("start_which")),
        end: text("end"),
        end_which: Which::parse(&text("end_which")),
        spoken: text("when"),
        purpose: text("purpose"),
        // A card's UUID has no `=`.
        shares: shares.iter().filter_map(|one| one.split_once('=')).map(|(card, n)| (card.into(), n.into())).collect(),
        owner: text("owner"),
        co_users: query.get_all("with").unwrap_or_default(),
        every: text("every"),
        until: text("until"),
        take: text("take"),
        doubled: text("doubled"),
        change: text("change"),
        version: text("version"),
        scope: text("scope"),
        ..Draft::default()
    }
}

/// The address of a form; `error` is the code of a refusal.
pub fn address(draft: &Draft, error: Option<&str>) -> String {
    let which = |which: Option<Which>| which.map(Which::as_str).unwrap_or_default();
    let shares = draft.shares.iter().filter(|(_, count)| !count.is_empty());
    let shares: Vec<String> = shares.map(|(card, count)| format!("{card}={count}")).collect();
    let mut pairs: Vec<(&str, &str)> = draft.cards.iter().map(|card| ("card", card.as_str())).collect();
    pairs.extend(shares.iter().map(|share| ("share", share.as_str())));
    pairs.extend(draft.co_users.iter().map(|person| ("with", person.as_str())));
    pairs.extend([
        ("start", draft.start.as_str()),
        ("start_which", which(draft.start_which)),
        ("end", &draft.end),
        ("end_which", which(draft.end_which)),
        ("when", &draft.spoken),
        ("purpose", &draft.purpose),
        ("owner", &draft.owner),
        ("every", &draft.every),
        ("until", &draft.until),
        ("take", &draft.take),
        ("doubled", &draft.doubled),
        ("change", &draft.change),
        ("version", &draft.version),
        ("scope", &draft.scope),
        ("error", error.unwrap_or_default()),
    ]);
    with_query("/book", pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_form_comes_back_with_every_field() {
        let draft = Draft {
            cards: vec!["GPU-1".to_owned(), "GPU-2".to_owned()],
            start: "2026-10-25T02:30".to_owned(),
            start_which: Some(Which::Second),
            end: "2026-10-25T09:00".to_owned(),
            purpose: "50 % & more: ä\r\n".to_owned(),
            ..Draft::default()
        };
        assert_eq!(
            address(&draft, Some("reservation.overlap")),
            "/book?card=GPU-1&card=GPU-2&start=2026-10-25T02:30&start_which=second&end=2026-10-25T09:00\
             &purpose=50%20%25%20%26%20more:%20%C3%A4%0D%0A&error=reservation.overlap"
        );
    }

    #[test]
    fn what_an_address_says_is_read_again() {
        let draft = Draft {
            cards: vec!["GPU-1".to_owned()],
            start: "2026-12-01T09:00".to_owned(),
            end: "2026-12-01T17:00".to_owned(),
            shares: [("GPU-1".to_owned(), "2".to_owned())].into(),
            spoken: "now".to_owned(),
            owner: "o".to_owned(),
            co_users: vec!["a".to_owned(), "b".to_owned()],
            every: "weekday".to_owned(),
            until: "2026-12-11".to_owned(),
            take: "free".to_owned(),
            doubled: "first".to_owned(),
            change: "c".to_owned(),
            version: "3".to_owned(),
            scope: "following".to_owned(),
            ..Draft::default()
        };
        let query = address(&draft, None);
        let mut map = ParamsMap::new();
        for pair in query.split_once('?').expect("a query").1.split('&') {
            let (name, value) = pair.split_once('=').expect("a pair");
            map.insert(name.to_owned(), value.replace("%3D", "="));
        }
        assert_eq!(read(&map), draft);
    }
}
