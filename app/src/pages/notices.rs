//! Everything that the viewer has been told.

use domain::notice::{Body, Notices as List, Told};
use domain::text::notices::{To, Way};
use domain::text::{When, t};
use domain::wire::page::Frame;
use leptos::prelude::*;

use crate::api::notices::{MarkAllRead, MarkRead, notices};
use crate::components::icon::Icon;
use crate::components::notice::{Notice, Tone};
use crate::components::page::Page;
use crate::frame::loaded;

/// What can be done here.
#[derive(Clone, Copy)]
struct Acts {
    one: ServerAction<MarkRead>,
    all: ServerAction<MarkAllRead>,
}

/// The page.
#[component]
pub fn Notices() -> impl IntoView {
    let words = &t().notices;
    let data = Resource::new_blocking(|| (), |()| notices());
    let acts = Acts { one: ServerAction::new(), all: ServerAction::new() };
    let failed = acts.one.value().get_untracked().or_else(|| acts.all.value().get_untracked());
    view! {
        <Page title=words.title class="narrow notices">
            {loaded(
                data,
                move |frame, list| {
                    view! {
                        <header class="pagehead">
                            <h1>{words.title}</h1>
                            <div class="end">{mark_all(&list, acts.all)}</div>
                        </header>
                        {failed
                            .clone()
                            .and_then(Result::err)
                            .map(|error| view! { <Notice tone=Tone::Bad lead=error.message().to_owned() /> })}
                        <All frame list acts />
                    }
                        .into_any()
                },
            )}
        </Page>
    }
}

fn mark_all(list: &List, action: ServerAction<MarkAllRead>) -> Option<AnyView> {
    let newest = list.told.first().filter(|_| list.unread > 0)?.notice.id;
    Some(
        view! {
            <ActionForm action>
                <input type="hidden" name="id" value=newest />
                <button class="btn">{t().notices.mark_all}</button>
            </ActionForm>
        }
        .into_any(),
    )
}

#[component]
fn All(frame: Frame, list: List, acts: Acts) -> impl IntoView {
    let words = &t().notices;
    if list.told.is_empty() {
        return view! {
            <div class="empty">
                <Icon name="bell" />
                <h2>{words.none}</h2>
                <p>{words.none_why}</p>
                <div>
                    <a class="btn primary" href="/">
                        {t().frame.to_now}
                    </a>
                </div>
            </div>
        }
        .into_any();
    }
    let rows = list.told.iter().map(|told| row(&frame, told, acts)).collect_view();
    view! {
        <section class="box" aria-label=words.title>
            <ul class="told">{rows}</ul>
        </section>
    }
    .into_any()
}

fn row(frame: &Frame, told: &Told, acts: Acts) -> AnyView {
    let words = &t().notices;
    let when = When::new(&frame.zone, frame.now);
    let said = t().notice(told, &frame.zone, frame.now);
    let id = told.notice.id;
    let unread = told.notice.read_at.is_none();
    let at = told.notice.at.format(&time::format_description::well_known::Rfc3339).unwrap_or_default();
    let ways = said.ways.into_iter().map(way).collect_view();
    let mark = unread.then(|| {
        view! {
            <ActionForm action=acts.one>
                <input type="hidden" name="id" value=id />
                <button class="btn quiet small">{words.mark_read}</button>
            </ActionForm>
        }
    });
    view! {
        <li id=format!("notice-{id}") data-unread=unread.then_some("")>
            <Icon name=icon(&told.notice.body) />
            <div>
                <p>
                    {unread.then(|| view! { <b class="new">{words.new}</b> })}
                    {unread.then_some(" ")}
                    {said.sentence}
                </p>
                <div class="acts">{ways} {mark}</div>
            </div>
            <time datetime=at>{when.at(told.notice.at)}</time>
        </li>
    }
    .into_any()
}

fn way(way: Way) -> AnyView {
    match way.to {
        To::Page(path) => view! {
            <a class="btn small" href=path>
                {way.label}
            </a>
        }
        .into_any(),
        To::Answer(_) => ().into_any(),
    }
}

fn icon(body: &Body) -> &'static str {
    match body {
        Body::Ending { .. } | Body::Approved { .. } | Body::Changed { .. } => "mine",
        Body::ApprovalWanted { .. } => "user",
        Body::Refused { .. } | Body::WaitBlocked { .. } => "rogue",
        Body::Maintenance { .. } | Body::MaintenanceOff { .. } => "maint",
        Body::CardTroubled { .. } => "sick",
        Body::Idle { .. } | Body::Released { .. } => "idle",
        Body::Free { .. } | Body::WaitedAndBooked { .. } | Body::WaitOver { .. } => "wait",
    }
}
