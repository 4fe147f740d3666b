//! Changes what is there already: texts, shapes, and rows that say something else now. No node is replaced that need not
//! be.

use web_sys::Element;

use super::{Inside, Stage};
use crate::components::card_words::icon;
use crate::live::dom::{attribute, children, find, set, text};
use crate::pages::calendar::heads::RowHead;

impl Stage {
    /// Changes the heads in sight where they differ: texts and shapes, no node.
    pub(super) fn paint_heads(&mut self) {
        for (drawn, rows) in self.drawn.iter_mut().zip(self.rows.iter()) {
            let (Some(inside), Some(host)) = (&mut drawn.inside, self.calendar.hosts.get(rows.host)) else { continue };
            let lanes = children(&drawn.element, ".lanes > .lane > .lane-head");
            for ((lane, card), old) in lanes.iter().zip(&rows.cards).zip(&mut inside.heads) {
                let head = host.cards.get(*card).and_then(|card| self.heads.get(&card.uuid));
                if old.as_ref() != head {
                    if let Some(head) = head {
                        paint_head(lane, head);
                    }
                    *old = head.cloned();
                }
            }
        }
    }
}

/// Changes the rows of a host that differ.
pub(super) fn change(host: &Element, inside: &mut Inside, free: String, tracks: Vec<String>) {
    if inside.free != free {
        if let Some(list) = find(&Some(host.clone()), ".free") {
            list.set_inner_html(&free);
        }
        inside.free = free;
    }
    if inside.tracks != tracks {
        let lists = children(host, ".lanes > .lane > .track");
        for ((list, new), old) in lists.iter().zip(&tracks).zip(&inside.tracks) {
            if new != old {
                list.set_inner_html(new);
            }
        }
        inside.tracks = tracks;
    }
}

/// Changes the use of a host's cards, where it is another.
pub(super) fn change_used(host: &Element, inside: &mut Inside, used: String) {
    if inside.used != used {
        if let Some(uses) = find(&Some(host.clone()), ".uses") {
            uses.set_inner_html(&used);
        }
        inside.used = used;
    }
}

fn paint_head(lane: &Element, head: &RowHead) {
    let root = Some(lane.clone());
    set(lane, "data-state", Some(head.state.as_str()));
    text(&root, "p span", &head.who);
    text(&root, "p small", &head.below);
    text(&root, "output", &head.share);
    attribute(&root, ".a", "d", &head.trace.0);
    attribute(&root, ".l", "d", &head.trace.1);
    attribute(&root, ".dot", "title", &head.words);
    attribute(&root, ".dot use", "href", &format!("#i-{}", icon(head.state)));
}
