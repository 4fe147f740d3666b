//! Why nothing was found, and what to do next.

use domain::finder::line::{From, Kind, Line, Place, Together};
use domain::finder::{Lack, Part};
use domain::text::{When, t};
use leptos::prelude::*;
use time::Duration;

use crate::api::finder::LinePage;
use crate::components::icon::Icon;

/// In one sentence.
pub fn sentence(page: &LinePage, why: &Lack, when: &When<'_>) -> String {
    let words = &t().finder;
    let line = &page.line;
    let length = when.length(Duration::minutes(i64::from(line.minutes)));
    match why {
        Lack::NoCards => words.no_cards.to_owned(),
        Lack::NoneFits { .. } => words.none_fits.to_owned(),
        Lack::TooFew { most } if line.together == Together::Anywhere => (words.too_few_at_all)(line.count, *most),
        Lack::TooFew { most } => (words.too_few)(line.count, *most),
        Lack::NotLinked { most } => (words.not_linked)(line.count, *most),
        Lack::Taken if line.from == From::Earliest => (words.never)(&length),
        Lack::Taken => (words.taken)(&length),
        Lack::AgainstRule { rule } => (words.against_rule)(rule),
    }
}

/// The next steps: each is the sentence with one part changed.
fn ways(page: &LinePage, why: &Lack) -> Vec<(String, Line)> {
    let words = &t().finder;
    let line = || page.line.clone();
    let take = |most: u32| ((words.take)(most), Line { count: most, ..line() });
    let anywhere = || (words.spread.to_owned(), Line { together: Together::Anywhere, ..line() });
    let any_link = || (words.any_link.to_owned(), Line { together: Together::Host, ..line() });
    let any_kind = || (words.drop_kind.to_owned(), Line { kind: Kind::Any, ..line() });
    let any_place = || (words.drop_place.to_owned(), Line { place: Place::Any, ..line() });
    match why {
        Lack::NoCards => Vec::new(),
        Lack::NoneFits { drop } => {
            let kind = drop.iter().any(|part| matches!(part, Part::Model | Part::Architecture | Part::Memory));
            let place = drop.iter().any(|part| matches!(part, Part::Host | Part::Label));
            let both = [kind.then(any_kind), place.then(any_place)];
            let some: Vec<_> = both.into_iter().flatten().collect();
            // Neither helps alone.
            if some.is_empty() {
                vec![(words.drop_kind.to_owned(), Line { place: Place::Any, ..any_kind().1 })]
            } else {
                some
            }
        }
        Lack::TooFew { most } if *most == 0 => vec![any_kind()],
        Lack::TooFew { most } => {
            let mut ways = vec![take(*most)];
            if page.line.together == Together::Host && page.line.count <= page.found.fitting {
                ways.push(anywhere());
            }
            if page.line.kind != Kind::Any {
                ways.push(any_kind());
            }
            ways
        }
        Lack::NotLinked { most } if *most < 2 => vec![any_link()],
        Lack::NotLinked { most } => vec![take(*most), any_link()],
        Lack::Taken | Lack::AgainstRule { .. } if page.line.from == From::Earliest => Vec::new(),
        Lack::Taken | Lack::AgainstRule { .. } => {
            vec![(words.try_earliest.to_owned(), Line { from: From::Earliest, ..line() })]
        }
    }
}

/// The sentence with its next steps, as links; `back` is the address of the page.
pub fn said(page: &LinePage, why: &Lack, when: &When<'_>, back: &str) -> AnyView {
    let at = back.split_once('?').map_or(back, |(at, _)| at);
    let link = |(words, line): (String, Line)| {
        view! { <a class="btn small" href=super::address(at, &line.pairs(), &[])>{words}</a> }
    };
    let hosts =
        matches!(why, Lack::NoCards).then(|| view! { <a class="btn small" href="/hosts">{t().finder.see_hosts}</a> });
    view! {
        <p class="lack">
            <Icon name="info" />
            <span>{sentence(page, why, when)}</span>
            {ways(page, why).into_iter().map(link).collect_view()}
            {hosts}
        </p>
    }
    .into_any()
}
