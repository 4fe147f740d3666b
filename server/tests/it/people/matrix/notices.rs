//! `app::port::Notices`.

use app::port::Portal;
use domain::finder::{Link, Span, Want};
use domain::id::{ReservationId, WaitId};
use domain::notice::{Answer, Which};
use domain::wire::calendar::{WaitAsk, WaitMode};
use uuid::Uuid;

use super::{Gate, Row, gate};
use crate::support::clock::MORNING;

fn ask() -> WaitAsk {
    let when = Span::Earliest { minutes: 0, from: MORNING, until: MORNING };
    let want = Want {
        count: 0,
        model: None,
        architecture: None,
        memory_mib: None,
        link: Link::Any,
        spread: false,
        hosts: Vec::new(),
        labels: Vec::new(),
        when,
    };
    WaitAsk { want, purpose: String::new(), mode: WaitMode::Tell, until: MORNING }
}

/// One method; `None` where it is none of these.
pub async fn call(portal: &impl Portal, method: &str) -> Option<Gate> {
    Some(match method {
        "notices" => gate(portal.notices().await),
        "mark_read" => gate(portal.mark_read(Which::UpTo { id: 0 }).await),
        "answer" => gate(portal.answer(0, Answer::StillUsing).await),
        "ask_holder" => gate(portal.ask_holder(ReservationId(Uuid::nil())).await),
        "wait" => gate(portal.wait(ask()).await),
        "stop_waiting" => gate(portal.stop_waiting(WaitId(Uuid::nil())).await),
        "waiting" => gate(portal.waiting().await),
        _ => return None,
    })
}

/// Its rows.
pub const ROWS: &[Row] = {
    use Gate::{Open, SignIn};
    &[
        ("notices", [SignIn, Open, Open]),
        ("mark_read", [SignIn, Open, Open]),
        ("answer", [SignIn, Open, Open]),
        ("ask_holder", [SignIn, Open, Open]),
        ("wait", [SignIn, Open, Open]),
        ("stop_waiting", [SignIn, Open, Open]),
        ("waiting", [SignIn, Open, Open]),
    ]
};
