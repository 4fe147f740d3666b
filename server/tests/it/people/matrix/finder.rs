//! `app::port::Finder`.

use app::port::Portal;
use domain::finder::{AdviceAsk, Link, Span, Want};
use domain::window::Window;
use std::collections::BTreeMap;

use super::{Gate, Row, gate};
use crate::support::clock::MORNING;

/// One method; `None` where it is none of these.
pub async fn call(portal: &impl Portal, method: &str) -> Option<Gate> {
    let window = Window::new(MORNING, MORNING + time::Duration::hours(1)).unwrap();
    Some(match method {
        "find" => gate(portal.find(want(Span::At(window))).await),
        "choices" => gate(portal.choices().await),
        "advise" => {
            let ask = AdviceAsk { cards: Vec::new(), shares: BTreeMap::new(), window, replaces: None };
            gate(portal.advise(ask).await)
        }
        _ => return None,
    })
}

fn want(when: Span) -> Want {
    Want {
        count: 1,
        model: None,
        architecture: None,
        memory_mib: None,
        link: Link::Any,
        spread: false,
        hosts: Vec::new(),
        labels: Vec::new(),
        when,
    }
}

/// Its rows.
pub const ROWS: &[Row] = {
    use Gate::{Open, SignIn};
    &[("find", [SignIn, Open, Open]), ("choices", [SignIn, Open, Open]), ("advise", [SignIn, Open, Open])]
};
