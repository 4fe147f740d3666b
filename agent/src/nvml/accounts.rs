//! Names of accounts, by the system's own name service.
//!
//! A lookup may ask a directory server and wait for it. It is made on a thread of its own, so that a slow directory
//! neither delays the cards nor looks like a hanging driver.

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use domain::user::is_deceptive;
use nix::unistd::{Uid, User};

/// A known name is asked for again after this.
const KEEP: Duration = Duration::from_secs(600);
/// So is an account without a name, which may just have been made.
const KEEP_UNKNOWN: Duration = Duration::from_secs(60);
/// How long a round waits for a name that it does not know yet.
const PATIENCE: Duration = Duration::from_millis(200);
/// More accounts than this are not remembered.
const REMEMBERED_MAX: usize = 4096;

/// Names of accounts, remembered.
#[derive(Default)]
pub(super) struct Accounts {
    names: HashMap<u32, Entry>,
    clerk: Option<Clerk>,
}

struct Entry {
    name: Option<String>,
    good_until: Instant,
}

/// The thread that asks.
struct Clerk {
    ask: Sender<u32>,
    answers: Receiver<(u32, Option<String>)>,
    /// Asked and not answered.
    open: Vec<u32>,
}

impl Accounts {
    /// The account's name, or `uid:1005` where it has none or the name service does not answer.
    pub(super) fn name(&mut self, uid: u32) -> String {
        self.collect(Duration::ZERO);
        if self.names.get(&uid).is_none_or(|entry| Instant::now() >= entry.good_until) {
            let asked = self.ask(uid);
            // A name that was known before stands in until the new answer is there. A directory that is slow is waited
            // for once only, not once a round.
            if asked && !self.names.contains_key(&uid) {
                self.await_answer(uid);
            }
        }
        let known = self.names.get(&uid).and_then(|entry| entry.name.clone());
        known.unwrap_or_else(|| format!("uid:{uid}"))
    }

    /// Whether the name was asked for and has not come yet.
    pub(super) fn is_waiting_for(&self, uid: u32) -> bool {
        self.clerk.as_ref().is_some_and(|clerk| clerk.open.contains(&uid))
    }

    /// Whether it was asked just now, and not long ago without an answer.
    fn ask(&mut self, uid: u32) -> bool {
        if self.clerk.is_none() {
            self.clerk = Clerk::start();
        }
        if let Some(clerk) = &mut self.clerk
            && !clerk.open.contains(&uid)
            && clerk.ask.send(uid).is_ok()
        {
            clerk.open.push(uid);
            return true;
        }
        false
    }

    fn await_answer(&mut self, uid: u32) {
        let deadline = Instant::now() + PATIENCE;
        // Whoever is asked for while the directory is slow has been waited for once already.
        if self.clerk.as_ref().is_some_and(|clerk| clerk.open.len() > 1) {
            return;
        }
        while !self.names.contains_key(&uid) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || !self.collect(left) {
                return;
            }
        }
    }

    /// Takes in answers, waiting for the first of them; whether there was any.
    fn collect(&mut self, wait: Duration) -> bool {
        let Some(clerk) = &mut self.clerk else { return false };
        let mut next = clerk.answers.recv_timeout(wait).ok();
        let any = next.is_some();
        while let Some((uid, name)) = next {
            clerk.open.retain(|&open| open != uid);
            if self.names.len() >= REMEMBERED_MAX {
                self.names.clear();
            }
            let keep = if name.is_some() { KEEP } else { KEEP_UNKNOWN };
            self.names.insert(uid, Entry { name, good_until: Instant::now() + keep });
            next = clerk.answers.try_recv().ok();
        }
        any
    }
}

impl Clerk {
    fn start() -> Option<Self> {
        let (ask, asked) = channel();
        let (answer, answers) = channel();
        let work = move || {
            for uid in asked {
                if answer.send((uid, look_up(uid))).is_err() {
                    return;
                }
            }
        };
        thread::Builder::new().name("accounts".to_owned()).spawn(work).ok()?;
        Some(Self { ask, answers, open: Vec::new() })
    }
}

fn look_up(uid: u32) -> Option<String> {
    let name = User::from_uid(Uid::from_raw(uid)).ok()??.name;
    let sound = !name.is_empty() && name.len() <= 256 && !name.chars().any(is_deceptive);
    sound.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_from_the_system_and_numbers_where_it_has_none() {
        let mut accounts = Accounts::default();
        assert_eq!(accounts.name(0), "root");
        assert_eq!(accounts.name(3_999_999_999), "uid:3999999999");
        assert_eq!(accounts.name(0), "root");
        assert_eq!(accounts.names.len(), 2);
    }

    #[test]
    fn an_old_name_stands_in_while_the_new_one_is_asked_for() {
        let mut accounts = Accounts::default();
        let gone_by = Instant::now();
        accounts.names.insert(0, Entry { name: Some("admin".to_owned()), good_until: gone_by });
        assert_eq!(accounts.name(0), "admin");
        let deadline = Instant::now() + Duration::from_secs(10);
        while accounts.name(0) != "root" {
            assert!(Instant::now() < deadline, "the new name never came");
            thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn a_directory_that_does_not_answer_delays_one_round_a_little() {
        let (ask, _asked) = channel();
        let (_answer, answers) = channel();
        let mut accounts = Accounts { clerk: Some(Clerk { ask, answers, open: Vec::new() }), ..Accounts::default() };
        assert_eq!(accounts.name(1), "uid:1");
        let open = |accounts: &Accounts| accounts.clerk.as_ref().map(|clerk| clerk.open.clone());
        assert_eq!(open(&accounts), Some(vec![1]));
        assert_eq!(accounts.name(2), "uid:2");
        assert_eq!(accounts.name(1), "uid:1");
        assert_eq!(open(&accounts), Some(vec![1, 2]), "nobody is asked for twice");
    }
}
