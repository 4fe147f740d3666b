//! Everything that the viewer has been told, and what the viewer waits for.

use domain::finder::{Link, Span, Want};
use domain::notice::{Answer, Body, Notices as List, Told};
use domain::text::notices::{To, Way};
use domain::text::{When, t};
use domain::wire::calendar::{WaitMode, Waiting};
use domain::wire::page::Frame;
use leptos::prelude::*;

use crate::api::notices::{AnswerNotice, MarkAllRead, MarkRead, StopWaiting, notices};
use crate::components::icon::Icon;
use crate::components::notice::{Notice, Tone};
use crate::components::page::Page;
use crate::error::AppError;
use crate::frame::loaded;

/// What can be done here.
#[derive(Clone, Copy)]
struct Acts {
    one: ServerAction<MarkRead>,
    all: ServerAction<MarkAllRead>,
    answer: ServerAction<AnswerNotice>,
    stop: ServerAction<StopWaiting>,
}

impl Acts {
    fn new() -> Self {
        Self {
            one: ServerAction::new(),
            all: ServerAction::new(),
            answer: ServerAction::new(),
            stop: ServerAction::new(),
        }
    }

    /// The last refusal.
    fn refusal(self) -> Option<AppError> {
        let done = [
            self.one.value().get_untracked(),
            self.all.value().get_untracked(),
            self.answer.value().get_untracked(),
            self.stop.value().get_untracked(),
        ];
        done.into_iter().flatten().find_map(Result::err)
    }
}

/// The page.
#[component]
pub fn Notices() -> impl IntoView {
    let words = &t().notices;
    let data = Resource::new_blocking(|| (), |()| notices());
    let acts = Acts::new();
    view! {
        <Page title=words.title class="narrow notices">
            {loaded(
                data,
                move |frame, page| {
                    let waiting = (!page.waiting.is_empty())
                        .then(|| view! { <Places frame=frame.clone() waiting=page.waiting acts /> });
                    view! {
                        <header class="pagehead">
                            <h1>{words.title}</h1>
                            <div class="end">{mark_all(&page.notices, acts.all)}</div>
                        </header>
                        {acts
                            .refusal()
                            .map(|error| view! { <Notice tone=Tone::Bad lead=error.message().to_owned() /> })}
                        <All frame list=page.notices acts />
                        {waiting}
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
    let ways = said.ways.into_iter().enumerate().map(|(place, way)| button(id, place, way, acts)).collect_view();
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

fn button(id: i64, place: usize, way: Way, acts: Acts) -> AnyView {
    match way.to {
        To::Page(path) => view! {
            <a class="btn small" href=path>
                {way.label}
            </a>
        }
        .into_any(),
        To::Answer(answer) => {
            let (word, card) = match answer {
                Answer::StillUsing => ("still_using", None),
                Answer::GiveBack => ("give_back", None),
                Answer::Accept => ("accept", None),
                Answer::Decline => ("decline", None),
                Answer::Take { card } => ("take", Some(card.to_string())),
            };
            let class = if place == 0 { "btn small primary" } else { "btn small" };
            view! {
                <ActionForm action=acts.answer>
                    <input type="hidden" name="id" value=id />
                    <input type="hidden" name="answer" value=word />
                    {card.map(|card| view! { <input type="hidden" name="card" value=card /> })}
                    <button class=class>{way.label}</button>
                </ActionForm>
            }
            .into_any()
        }
    }
}

fn icon(body: &Body) -> &'static str {
    match body {
        Body::Ending { .. } | Body::Approved { .. } | Body::Changed { .. } => "mine",
        Body::ApprovalWanted { .. } | Body::Asked { .. } => "user",
        Body::Refused { .. } | Body::WaitBlocked { .. } => "rogue",
        Body::Maintenance { .. } | Body::MaintenanceOff { .. } => "maint",
        Body::CardTroubled { .. } => "sick",
        Body::Idle { .. } | Body::Released { .. } => "idle",
        Body::Free { .. } | Body::WaitedAndBooked { .. } | Body::WaitOver { .. } => "wait",
    }
}

/// What the viewer waits for.
#[component]
fn Places(frame: Frame, waiting: Vec<Waiting>, acts: Acts) -> impl IntoView {
    let words = &t().notices;
    let place = |wait: Waiting| {
        let when = When::new(&frame.zone, frame.now);
        let wanted = wanted(&wait.want, &when);
        let then = words.then[usize::from(wait.mode == WaitMode::Book)];
        let about = format!("{}: {wanted}", words.stop_waiting);
        let purpose = (!wait.purpose.is_empty()).then(|| format!(" ({})", wait.purpose));
        let place = (words.place)(wait.position);
        let until = (words.wait_until)(&when.at(wait.until));
        view! {
            <li>
                <Icon name="wait" />
                <div>
                    <p>{wanted} {purpose}</p>
                    <p class="muted sm">{format!("{place}. {then}, {until}.")}</p>
                    <div class="acts">
                        <ActionForm action=acts.stop>
                            <input type="hidden" name="id" value=wait.id.to_string() />
                            <button class="btn small" aria-label=about>
                                {words.stop_waiting}
                            </button>
                        </ActionForm>
                    </div>
                </div>
            </li>
        }
        .into_any()
    };
    view! {
        <section class="box" aria-labelledby="waiting-h">
            <header>
                <h2 id="waiting-h">{words.waiting}</h2>
            </header>
            <ul class="told">{waiting.into_iter().map(place).collect_view()}</ul>
        </section>
    }
}

/// A wish in words, such as: 2 H100, linked by NVLink, on dgx, 10:00 to 14:00.
fn wanted(want: &Want, when: &When<'_>) -> String {
    let words = &t().notices;
    let kind = want.model.as_ref().or(want.architecture.as_ref()).map(String::as_str).unwrap_or_default();
    let mut parts = vec![(words.wanted)(want.count, kind)];
    parts.extend(want.memory_mib.map(|mib| (words.memory)(mib.div_ceil(1024))));
    parts.extend(match want.link {
        Link::Any => None,
        Link::NvLink => Some(words.linked[0].to_owned()),
        Link::Switch => Some(words.linked[1].to_owned()),
        Link::Node => Some(words.linked[2].to_owned()),
    });
    if !want.hosts.is_empty() {
        parts.push((words.on_hosts)(&want.hosts.join(", ")));
    }
    parts.extend(want.labels.iter().cloned());
    parts.push(match &want.when {
        Span::At(window) => when.range(window),
        Span::Earliest { until, .. } => (words.as_early)(&when.length(want.when.length()), &when.at(*until)),
    });
    parts.join(", ")
}
