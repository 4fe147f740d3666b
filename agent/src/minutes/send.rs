//! Brings the record to the portal: a few minutes after each report that it has taken, so that the present always comes
//! first and a long outage is made up for without a rush.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Instant;

use domain::error::ErrorCode;
use domain::wire::minutes_v1::{HostMinute, MINUTES_MAX, Minutes};

use super::Once;
use super::shelf::{Key, Shelf};
use crate::backoff::{Backoff, random};
use crate::log;
use crate::portal::PortalError;
use crate::uplink::Uplink;

/// Most minutes sent after one report: three days are made up for in five minutes.
const AT_ONCE: usize = if MINUTES_MAX < 30 { MINUTES_MAX } else { 30 };
/// Most bytes of them, before they are packed.
const BYTES_AT_ONCE: u64 = 512 * 1024;

/// Rung when the portal has taken a report.
#[derive(Debug, Default)]
pub struct Bell {
    rung: Mutex<bool>,
    heard: Condvar,
}

impl Bell {
    /// Rings; somebody who is busy hears it later.
    pub fn ring(&self) {
        *self.rung.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.heard.notify_one();
    }

    fn wait(&self) {
        let rung = self.rung.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.heard.wait_while(rung, |rung| !*rung);
        *waited.unwrap_or_else(PoisonError::into_inner) = false;
    }
}

/// Sends.
pub(super) struct Sender {
    shelf: Arc<Shelf>,
    uplink: Arc<Uplink>,
    bell: Arc<Bell>,
    backoff: Backoff,
    not_before: Option<Instant>,
    at_once: usize,
    failing: Once,
    refused: Once,
}

impl Sender {
    pub(super) fn new(shelf: Arc<Shelf>, uplink: Arc<Uplink>, bell: Arc<Bell>) -> Self {
        Self {
            shelf,
            uplink,
            bell,
            backoff: Backoff::default(),
            not_before: None,
            at_once: AT_ONCE,
            failing: Once::default(),
            refused: Once::default(),
        }
    }

    pub(super) fn run(mut self) {
        loop {
            self.bell.wait();
            if self.not_before.is_none_or(|at| Instant::now() >= at) {
                self.send();
            }
        }
    }

    fn send(&mut self) {
        let (keys, minutes): (Vec<Key>, Vec<HostMinute>) =
            self.shelf.oldest(self.at_once, BYTES_AT_ONCE).into_iter().unzip();
        if keys.is_empty() {
            return;
        }
        let connection = self.uplink.get();
        let message = Minutes { minutes, dropped: self.shelf.dropped() };
        match connection.portal.minutes(&connection.credential, &message) {
            Ok(reply) => {
                self.shelf.done(keys);
                self.backoff.reset();
                self.not_before = None;
                self.at_once = (self.at_once * 2).min(AT_ONCE);
                if self.failing.over() {
                    log::info("the portal takes the record", &[]);
                }
                if let Some(first) = reply.refused.first() {
                    self.refused
                        .warn("the portal has refused a part of the record for good", &format!("{:?}", first.why));
                }
            }
            Err(error) => self.fail(&error, &keys),
        }
    }

    fn fail(&mut self, error: &PortalError, keys: &[Key]) {
        // What is too large or not understood will never be taken: the smaller the message, the less is lost.
        if let (true, [first, rest @ ..]) = (is_about_content(error), keys) {
            if rest.is_empty() {
                self.shelf.drop_one(*first);
                self.refused.warn("the portal cannot read a minute of the record, which is lost", &error.to_string());
            } else {
                self.at_once = keys.len() / 2;
            }
            return;
        }
        let wait = self.backoff.after_failure(random()).max(error.retry_after());
        self.not_before = Some(Instant::now() + wait);
        self.failing.warn("the portal does not take the record; it is kept here", &error.to_string());
    }
}

fn is_about_content(error: &PortalError) -> bool {
    let PortalError::Refused { code: Some(code), .. } = error else { return false };
    matches!(code, ErrorCode::TooLarge | ErrorCode::BadInput | ErrorCode::Malformed)
}
