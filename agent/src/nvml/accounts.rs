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
/// A question that is open for so long keeps others waiting no longer.
const STUCK: Duration = Duration::from_secs(5);
/// Threads that may be stuck at once.
const CLERKS_MAX: usize = 4;
/// More accounts than this are not remembered.
const REMEMBERED_MAX: usize = 4096;

/// Names of accounts, remembered.
#[derive(Default)]
pub(super) struct Accounts {
    names: HashMap<u32, Entry>,
    /// The last one is asked; those before are stuck.
    clerks: Vec<Clerk>,
}

struct Entry {
    name: Option<String>,
    good_until: Instant,
}

/// An account and its name, where it has one.
type Named = (u32, Option<String>);

/// A thread that asks.
struct Clerk {
    ask: Sender<u32>,
    answers: Receiver<Named>,
    /// Asked and not answered, and since when.
    open: Vec<(u32, Instant)>,
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
        self.clerks.iter().any(|clerk| clerk.has(uid))
    }

    /// Whether it was asked just now, and not long ago without an answer.
    fn ask(&mut self, uid: u32) -> bool {
        if self.is_waiting_for(uid) {
            return false;
        }
        let stuck = self.clerks.last().is_none_or(|clerk| clerk.is_stuck());
        if stuck && self.clerks.len() < CLERKS_MAX {
            let mut next = Clerk::start();
            // The first question is what the old one is stuck at. Those behind it are asked again.
            if let (Some(next), Some(old)) = (&mut next, self.clerks.last_mut()) {
                let behind = if old.open.is_empty() { Vec::new() } else { old.open.split_off(1) };
                behind.into_iter().for_each(|(uid, _)| next.ask(uid));
            }
            self.clerks.extend(next);
        }
        if let Some(clerk) = self.clerks.last_mut() {
            clerk.ask(uid);
        }
        self.is_waiting_for(uid)
    }

    fn await_answer(&mut self, uid: u32) {
        let deadline = Instant::now() + PATIENCE;
        // Whoever is asked for while the directory is slow has been waited for once already.
        if self.clerks.iter().map(|clerk| clerk.open.len()).sum::<usize>() > 1 {
            return;
        }
        while !self.names.contains_key(&uid) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || !self.collect(left) {
                return;
            }
        }
    }

    /// Takes in answers, waiting for the first of the last clerk; whether there was any.
    fn collect(&mut self, wait: Duration) -> bool {
        let mut fresh = Vec::new();
        for (at, clerk) in self.clerks.iter_mut().rev().enumerate() {
            let patience = if at == 0 && !clerk.open.is_empty() { wait } else { Duration::ZERO };
            let mut next = clerk.answers.recv_timeout(patience).ok();
            while let Some((uid, name)) = next {
                clerk.open.retain(|(open, _)| *open != uid);
                fresh.push((uid, name));
                next = clerk.answers.try_recv().ok();
            }
        }
        // One that got over what it was stuck at is needed no longer.
        let last = self.clerks.len().saturating_sub(1);
        let mut at = 0;
        self.clerks.retain(|clerk| {
            at += 1;
            at > last || !clerk.open.is_empty()
        });
        for (uid, name) in &fresh {
            if self.names.len() >= REMEMBERED_MAX {
                self.names.clear();
            }
            let keep = if name.is_some() { KEEP } else { KEEP_UNKNOWN };
            self.names.insert(*uid, Entry { name: name.clone(), good_until: Instant::now() + keep });
        }
        !fresh.is_empty()
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

    fn ask(&mut self, uid: u32) {
        if self.ask.send(uid).is_ok() {
            self.open.push((uid, Instant::now()));
        }
    }

    fn has(&self, uid: u32) -> bool {
        self.open.iter().any(|(open, _)| *open == uid)
    }

    fn is_stuck(&self) -> bool {
        self.open.first().is_some_and(|(_, since)| since.elapsed() >= STUCK)
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

    /// A directory that never answers; what it was asked, and a line that must stay open.
    fn silent() -> (Clerk, Receiver<u32>, Sender<Named>) {
        let (ask, asked) = channel();
        let (answer, answers) = channel();
        (Clerk { ask, answers, open: Vec::new() }, asked, answer)
    }

    #[test]
    fn a_directory_that_does_not_answer_delays_one_round_a_little() {
        let (clerk, asked, _answer) = silent();
        let mut accounts = Accounts { clerks: vec![clerk], ..Accounts::default() };
        assert_eq!(accounts.name(1), "uid:1");
        assert!(!accounts.ask(1), "it is asked for once, and waited for once");
        assert_eq!(accounts.name(2), "uid:2");
        assert_eq!(accounts.name(1), "uid:1");
        assert_eq!(asked.try_iter().collect::<Vec<_>>(), [1, 2], "nobody is asked for twice");
        assert!(accounts.is_waiting_for(1) && accounts.is_waiting_for(2));
    }

    #[test]
    fn an_account_that_the_directory_is_stuck_at_keeps_no_other_waiting() {
        let (mut clerk, _asked, answer) = silent();
        let long_ago = Instant::now().checked_sub(STUCK).expect("a machine that is up for so long");
        clerk.open = vec![(987_654, long_ago), (0, long_ago)];
        let mut accounts = Accounts { clerks: vec![clerk], ..Accounts::default() };
        let deadline = Instant::now() + Duration::from_secs(10);
        accounts.name(3_999_999_999);
        while accounts.name(0) != "root" {
            assert!(Instant::now() < deadline, "root is still asked of the one that is stuck");
            thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(accounts.clerks.len(), 2);
        answer.send((987_654, Some("late".to_owned()))).expect("open");
        assert_eq!(accounts.name(987_654), "late");
        assert_eq!(accounts.clerks.len(), 1, "it is stuck no longer");
    }
}
