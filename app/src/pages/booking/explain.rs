//! Beside the commands: what runs well on these cards, what the driver can run, how the cards are linked.

use domain::launch::{HostCards, Kind, SOURCE, images, kinds, pairs};
use domain::text::t;
use leptos::prelude::*;

/// The box of one host; none where the host has told nothing about itself.
pub fn explain(host: &HostCards, several: bool) -> Option<AnyView> {
    let words = &t().launch.explain;
    let (kinds, images, pairs) = (kinds(host), images(&host.facts), pairs(host));
    if kinds.is_empty() && images.is_none() && pairs.is_empty() {
        return None;
    }
    let title = if several { (words.title_on)(&host.host_name) } else { words.title.to_owned() };
    let heading = format!("explain-{}", host.host);
    let labelled = heading.clone();
    let images = images.map(|images| {
        view! {
            <h3>{words.images_title}</h3>
            <p>{(words.driver)(&images)} " " {(words.images)(&images)}</p>
            <p class="muted">
                {words.images_trap} " "
                <a class="lnk" href=SOURCE rel="noreferrer">
                    {words.source}
                </a>
            </p>
        }
    });
    let links = (!pairs.is_empty()).then(|| {
        let rows = pairs.iter().map(|(a, b, path)| {
            let said = (words.link)(&a.number.to_string(), &b.number.to_string(), &path.to_string());
            view! { <li><b>{said}</b> " " <span class="muted">{(words.path)(*path)}</span></li> }
        });
        view! {
            <h3>{words.links_title}</h3>
            <ul>{rows.collect_view()}</ul>
        }
    });
    Some(
        view! {
            <section class="box explain" aria-labelledby=labelled>
                <header>
                    <h2 id=heading>{title}</h2>
                </header>
                <div class="pad sm stack tight">
                    {kinds.iter().map(kind).collect_view()} {images} {links}
                </div>
            </section>
        }
        .into_any(),
    )
}

fn kind(kind: &Kind) -> AnyView {
    let words = &t().launch.explain;
    let formats = kind
        .precisions
        .iter()
        .map(|precision| view! { <div><dt>{precision.format}</dt><dd>{(words.fit)(precision.fit)}</dd></div> })
        .collect_view();
    view! {
        <h3>{(words.kind)(&kind.model, kind.capability)}</h3>
        <dl class="formats">{formats}</dl>
        <p>{(words.advice)(kind.advice)}</p>
    }
    .into_any()
}
