use domain::id::CardUuid;
use domain::wire::minutes_v1::CardMinute;
use time::OffsetDateTime;

use super::*;

fn minute(n: i64, part: u64) -> HostMinute {
    let card = CardMinute::new(CardUuid::parse("GPU-1").expect("valid"));
    let minute = OffsetDateTime::from_unix_timestamp(n * 60).expect("in range");
    HostMinute { minute, part, clock_ahead_ms: None, cards: vec![card] }
}

fn shelf(folder: &Path) -> Shelf {
    Shelf::open(folder.to_path_buf(), Duration::from_secs(60))
}

fn found(shelf: &Shelf, most: usize) -> Vec<(i64, u64)> {
    shelf.oldest(most, 1 << 20).into_iter().map(|((begin, part), _)| (begin / 60_000, part)).collect()
}

#[test]
fn minutes_outlast_a_restart_in_order_and_leave_nothing_behind() {
    let folder = tempfile::tempdir().expect("folder");
    let first = shelf(folder.path());
    for (n, part) in [(7, 1), (100, 2), (99, 3), (99, 1)] {
        first.put(minute(n, part));
    }
    drop(first);
    fs::write(folder.path().join("123-abc.new"), "half").expect("written");
    let second = shelf(folder.path());
    assert_eq!(found(&second, 3), [(7, 1), (99, 1), (99, 3)]);
    assert_eq!(second.oldest(10, 1).len(), 1, "one always goes, however large");
    second.done(second.oldest(3, 1 << 20).into_iter().map(|(key, _)| key));
    assert_eq!(found(&shelf(folder.path()), 10), [(100, 2)]);
    second.put(minute(100, 2));
    assert_eq!(found(&second, 10), [(100, 2)], "the same part again is the same minute");
}

#[test]
fn the_oldest_go_when_there_are_too_many() {
    let folder = tempfile::tempdir().expect("folder");
    let shelf = Shelf { most: 5, ..shelf(folder.path()) };
    for n in 1..=8 {
        shelf.put(minute(n, 1));
    }
    assert_eq!(found(&shelf, 10), [(4, 1), (5, 1), (6, 1), (7, 1), (8, 1)]);
    assert_eq!(shelf.dropped(), 3);
    assert_eq!(fs::read_dir(folder.path()).expect("listed").count(), 5);
    assert_eq!(self::shelf(folder.path()).most, 72 * 60);
}

#[test]
fn links_are_not_read() {
    let (folder, elsewhere) = (tempfile::tempdir().expect("folder"), tempfile::tempdir().expect("folder"));
    shelf(elsewhere.path()).put(minute(1, 1));
    let name = name_of((60_000, 1));
    std::os::unix::fs::symlink(elsewhere.path().join(&name), folder.path().join(&name)).expect("linked");
    assert_eq!(found(&shelf(folder.path()), 10), []);
    assert_eq!(found(&shelf(elsewhere.path()), 10), [(1, 1)], "what the link leads to stays");
}

#[test]
fn damage_loses_one_minute_and_no_more() {
    let folder = tempfile::tempdir().expect("folder");
    let shelf = shelf(folder.path());
    shelf.put(minute(1, 1));
    shelf.put(minute(2, 2));
    fs::write(folder.path().join(name_of((60_000, 1))), "{\"minute\":").expect("written");
    assert_eq!(found(&shelf, 10), [(2, 2)]);
    assert_eq!(shelf.dropped(), 1);
    fs::write(folder.path().join(UNFINISHED), "no json").expect("written");
    assert_eq!(shelf.unfinished(), Tally::default());
}

#[test]
fn without_a_disk_the_newest_are_kept_in_memory() {
    let shelf = shelf(Path::new("/proc/no-such-folder"));
    shelf.keep_unfinished(&Tally::default());
    for n in 0..200 {
        shelf.put(minute(n, 1));
    }
    assert_eq!(found(&shelf, 1), [(80, 1)]);
    assert_eq!(shelf.oldest(1000, 1 << 30).len(), IN_MEMORY_MAX);
    shelf.done([(80 * 60_000, 1)]);
    assert_eq!(found(&shelf, 1), [(81, 1)]);
}
