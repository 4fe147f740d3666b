use std::sync::atomic::{AtomicU64, Ordering};

use nix::unistd::geteuid;

use domain::wire::host_v1::{HostBooked, HostBooking, HostChange, HostChanged};

use super::*;
use crate::guard::leases::Leases;
use crate::guard::walk_in::{Bookings, NotDone};
use crate::nvml::Snapshot;

/// A portal that is never asked.
struct Nobody;

impl Bookings for Nobody {
    fn book(&self, _: &HostBooking) -> Result<HostBooked, NotDone> {
        Err(NotDone::Away(String::new()))
    }

    fn change(&self, _: &HostChange) -> Result<HostChanged, NotDone> {
        Err(NotDone::Away(String::new()))
    }
}

/// Keeps the length of the last pause, in seconds; 0 for none.
#[derive(Default)]
struct Watch {
    paused_s: AtomicU64,
    hangs: bool,
}

impl Reader for Arc<Watch> {
    fn latest(&self) -> Latest {
        let snapshot = Arc::new(Snapshot::without_cards(NvmlState::Ok));
        Latest { snapshot, sampled_at: OffsetDateTime::UNIX_EPOCH, round: 1 }
    }

    fn cards(&self) -> Vec<HostCard> {
        Vec::new()
    }

    fn pause(&self, length: Duration) -> Result<OffsetDateTime, NotLetGo> {
        self.paused_s.store(length.as_secs(), Ordering::Relaxed);
        if self.hangs { Err(NotLetGo) } else { Ok(OffsetDateTime::UNIX_EPOCH + length) }
    }

    fn resume(&self) {
        self.paused_s.store(0, Ordering::Relaxed);
    }
}

fn desk(watch: &Arc<Watch>) -> Desk {
    Desk {
        tables: Arc::default(),
        reader: Box::new(Arc::clone(watch)),
        boot_id: String::new(),
        max_age: time::Duration::ZERO,
        linker: Box::new(|_, _| Err(String::new())),
        walk_ins: Arc::new(WalkIns {
            leases: Leases::default(),
            portal: Box::new(Nobody),
            tables: Arc::default(),
            boot_id: String::new(),
            state: None,
        }),
    }
}

#[test]
fn only_root_and_the_agents_own_account_let_nvml_go() {
    let watch = Arc::new(Watch::default());
    let desk = desk(&watch);
    let caller = |uid| Caller { uid, pid: 0, os_user: "somebody".to_owned() };
    for uid in [0, geteuid().as_raw()] {
        let until = Some(OffsetDateTime::UNIX_EPOCH + Duration::from_secs(600));
        assert_eq!(desk.answer(&caller(uid), &Ask::Pause { seconds: 600 }), Answer::Paused { until });
        for question in [Ask::Pause { seconds: 5 }, Ask::Resume] {
            let answer = desk.answer(&caller(3_999_999_999), &question);
            assert!(matches!(answer, Answer::Failed { message } if message.contains("Run it with sudo")));
        }
        assert_eq!(watch.paused_s.load(Ordering::Relaxed), 600);
        assert_eq!(desk.answer(&caller(uid), &Ask::Resume), Answer::Paused { until: None });
        assert_eq!(watch.paused_s.load(Ordering::Relaxed), 0);
    }
    let _ = desk.answer(&caller(0), &Ask::Pause { seconds: u32::MAX });
    assert_eq!(watch.paused_s.load(Ordering::Relaxed), u64::from(PAUSE_MAX_S), "nobody forgets a host for ever");
}

#[test]
fn a_pause_that_has_to_wait_for_the_driver_is_not_said_to_be_one() {
    let desk = desk(&Arc::new(Watch { hangs: true, ..Watch::default() }));
    let caller = Caller { uid: 0, pid: 0, os_user: "root".to_owned() };
    let answer = desk.answer(&caller, &Ask::Pause { seconds: 600 });
    assert!(matches!(answer, Answer::Failed { message } if message.contains("does not return")));
}
