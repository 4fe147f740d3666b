//! What can be done to a booking that exists. All of it goes through one path: all or nothing.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::draft::wall::Which;
use crate::id::{CardUuid, ReservationId, UserId};
use crate::window::Window;

/// An edit as it is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EditAsk {
    /// Which booking.
    pub reservation: ReservationId,
    /// What.
    pub edit: Edit,
    /// Of a booking that repeats: this one, or it and all that follow.
    #[serde(default)]
    pub scope: Scope,
    /// The version that the asker has seen; another one now is `reservation.changed`. `None`: whatever it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<i32>,
    /// Made up by the client; the same key never edits twice.
    pub idempotency_key: uuid::Uuid,
}

/// One edit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "act", rename_all = "snake_case")]
pub enum Edit {
    /// Move, resize, extend, shorten, add and remove cards, change purpose and co-users: what it is to become.
    Set(Target),
    /// Call it off before it begins.
    Cancel,
    /// End it now; the used time stays on record.
    EndNow,
    /// Give it to a colleague.
    Transfer {
        /// To whom.
        to: UserId,
    },
    /// Approve it; the rules are checked again.
    Approve,
    /// Refuse it.
    Refuse {
        /// Why; its owner reads it.
        why: String,
    },
    /// Take what was offered after waiting.
    Accept,
    /// Asked whether it is still wanted: it is.
    StillUsing,
}

/// What a booking is to become; `None` leaves it as it is.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Target {
    /// When. Of a running booking only the end may differ, and it must not lie in the past.
    pub window: Option<Window>,
    /// All cards that it is to have. Of a running booking the time used so far stays on record on those that it loses.
    pub cards: Option<Vec<CardUuid>>,
    /// Of these of `cards` only so many shares. Means nothing without `cards`.
    pub shares: BTreeMap<CardUuid, u32>,
    /// What for.
    pub purpose: Option<String>,
    /// Who may launch on it as well.
    pub co_users: Option<Vec<UserId>>,
    /// Which of two equal times is meant by those that follow, in the night in which clocks are set back; not said, such a
    /// move is `input.which_time`. The one that is named says its instants in `window`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doubled: Option<Which>,
}

/// How far an edit of a booking that repeats reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// This one.
    #[default]
    One,
    /// It and all that follow; a move moves each by the wall clock.
    Following,
}

/// What an edit has done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edited {
    /// Bookings that were changed.
    pub reservations: Vec<ReservationId>,
    /// Version of the first of them now.
    pub version: i32,
}
