//! What a rule would have done in the last 30 days.

use domain::text::{When, t};
use domain::wire::page::Frame;
use domain::wire::rules::{Trial, TrialRow};
use leptos::prelude::*;

use crate::components::notice::{Notice, Tone};

/// How many bookings it would have refused, and which.
pub fn result(frame: &Frame, trial: &Trial) -> AnyView {
    let words = &t().rules.pages;
    let when = When::new(&frame.zone, frame.now);
    let tone = if trial.refused_count == 0 { Tone::Good } else { Tone::Warn };
    let lead = (words.tried)(trial.days, trial.refused_count, trial.bookings);
    let approvals = if trial.approvals > 0 { (words.tried_approvals)(trial.approvals) } else { String::new() };
    let listed = trial.refused.len();
    let more = usize::try_from(trial.refused_count).is_ok_and(|count| count > listed);
    let rows = trial.refused.iter().map(|row| one(row, &when)).collect_view();
    view! {
        <div class="pad tried" id="tried">
            <Notice tone=tone lead=lead text=approvals />
            {more.then(|| view! { <p class="muted sm">{(words.tried_first)(listed)}</p> })}
        </div>
        {(listed > 0)
            .then(|| {
                view! {
                    <div class="scroll-x">
                        <table class="data">
                            <thead>
                                <tr>
                                    <th>{words.person}</th>
                                    <th>{words.booking}</th>
                                    <th class="num">{words.number_of_cards}</th>
                                    <th>{words.why}</th>
                                </tr>
                            </thead>
                            <tbody>{rows}</tbody>
                        </table>
                    </div>
                }
            })}
    }
    .into_any()
}

fn one(row: &TrialRow, when: &When<'_>) -> AnyView {
    view! {
        <tr>
            <th scope="row">{row.owner.clone()}</th>
            <td>
                <a class="lnk" href=format!("/bookings/{}", row.reservation)>
                    {when.range(&row.window)}
                </a>
            </td>
            <td class="num">{row.cards}</td>
            <td class="wrap ink2">{row.why.clone()}</td>
        </tr>
    }
    .into_any()
}
