//! The table as it is printed, for hosts made up for it.

use domain::card::{CardFacts, CardHealth, CardProcess, CardSample, MigPart, ProcessKind, ProcessState, Xid};
use domain::guard::HostCard;
use domain::id::{CardUuid, UserId};
use domain::reading::{Missing, Reading};
use domain::window::Window;
use domain::wire::agent_v1::{Account, CardReport, NvmlState};
use domain::wire::guard_v1::{CardName, Free, Held};
use jiff::tz::TimeZone;
use time::macros::datetime;

use super::*;

const NOW: OffsetDateTime = datetime!(2026-11-30 10:00 UTC);

fn clock() -> LocalClock {
    LocalClock::new(TimeZone::fixed(jiff::tz::offset(1)), NOW)
}

fn uuid(n: u32) -> CardUuid {
    CardUuid::parse(&format!("GPU-{n}a23c669-1f69-c64e-cf85-44e9b07e7a2a")).expect("valid")
}

fn card(n: u32, utilisation: u32, used_mib: u64, celsius: u32, watts: u32) -> CardReport {
    let mut facts = CardFacts::new(uuid(n), n, "NVIDIA H100 80GB HBM3");
    facts.memory_total_mib = Reading::Value(81_559);
    let sample = CardSample {
        utilisation_percent: Reading::Value(utilisation),
        memory_used_mib: Reading::Value(used_mib),
        temperature_celsius: Reading::Value(celsius),
        power_milliwatts: Reading::Value(watts * 1000),
        power_limit_milliwatts: Reading::Value(700_000),
        fan_percent: Reading::missing(Missing::NotSupported),
        sm_clock_mhz: Reading::Value(1980),
    };
    CardReport { facts, sample, detail: Default::default(), health: CardHealth::Ok, processes: Some(Vec::new()) }
}

fn process(os_user: Option<&str>, memory_mib: u64) -> CardProcess {
    CardProcess {
        os_user: os_user.map(str::to_owned),
        memory_mib: Reading::Value(memory_mib),
        ..CardProcess::new(4711, ProcessKind::Compute)
    }
}

fn name(report: &CardReport) -> CardName {
    let facts = &report.facts;
    CardName { uuid: facts.uuid.clone(), index: Some(facts.index), instance: None, model: facts.model().to_owned() }
}

fn held(card: CardName, holder: &str, own: bool, from: OffsetDateTime, to: OffsetDateTime) -> Held {
    Held { card, holder: holder.to_owned(), own, window: Window::new(from, to).expect("not empty") }
}

fn status(cards: Vec<CardReport>) -> HostStatus {
    let account = |os_user: &str, name: &str, id| Account {
        os_user: os_user.to_owned(),
        person: UserId(uuid::Uuid::from_u128(id)),
        name: name.to_owned(),
    };
    HostStatus {
        host_name: "dgx-h100".to_owned(),
        portal_url: "https://berth.example.org".to_owned(),
        os_user: "ada".to_owned(),
        person: Some("Ada Lovelace".to_owned()),
        held: Vec::new(),
        free: cards.iter().map(|report| Free { card: name(report), until: None, used_by: None }).collect(),
        table_age_s: Some(2),
        nvml: Some(NvmlState::Ok),
        driver_version: Some("550.54.15".to_owned()),
        cuda_version: Some("12.4".to_owned()),
        sampled_at: Some(NOW - time::Duration::seconds(1)),
        cards,
        accounts: vec![account("ada", "Ada Lovelace", 1), account("jonas", "Jonas Weber", 2)],
        notices: Vec::new(),
    }
}

/// Busy, booked, used by strangers, hot, lost.
fn busy() -> HostStatus {
    let mut cards = vec![
        card(0, 97, 72_909, 64, 612),
        card(1, 88, 40_000, 78, 401),
        card(2, 0, 10_151, 31, 88),
        card(3, 100, 3_000, 86, 690),
        card(4, 0, 0, 0, 0),
    ];
    cards[0].processes = Some(vec![process(Some("ada"), 72_000), process(Some("ada"), 400)]);
    cards[1].processes = Some(vec![process(Some("jonas"), 30_000), process(Some("root"), 9_000)]);
    cards[2].processes = Some(vec![CardProcess { state: ProcessState::Orphan, ..process(None, 10_140) }]);
    cards[3].processes = Some(vec![process(Some("jonas"), 900)]);
    cards[3].detail.hot_since = Some(NOW - time::Duration::minutes(4));
    cards[3].detail.power_capped_since = Some(NOW - time::Duration::seconds(61));
    cards[4].health = CardHealth::Lost;
    cards[4].sample = CardSample { power_limit_milliwatts: Reading::Value(700_000), ..CardSample::default() };
    cards[4].processes = None;
    cards[4].detail.last_xid = Some(Xid { code: 79, at: datetime!(2026-11-30 09:12 UTC) });
    let mut status = status(cards);
    let names: Vec<CardName> = status.cards.iter().map(name).collect();
    status.free = vec![
        Free { card: names[2].clone(), until: Some(datetime!(2026-11-30 15:00 UTC)), used_by: None },
        Free { card: names[3].clone(), until: None, used_by: None },
    ];
    let from = datetime!(2026-11-30 08:00 UTC);
    status.held = vec![
        held(names[0].clone(), "Ada Lovelace", true, from, datetime!(2026-11-30 17:00 UTC)),
        held(names[1].clone(), "Jonas Weber", false, from, datetime!(2026-12-01 17:00 UTC)),
        held(names[2].clone(), "Ada Lovelace", true, datetime!(2026-11-30 15:00 UTC), datetime!(2026-11-30 19:00 UTC)),
        held(names[4].clone(), "李雷", false, from, datetime!(2026-11-30 19:00 UTC)),
    ];
    status
}

fn look(status: HostStatus) -> Look {
    Look { status, no_agent: None }
}

fn shown(look: &Look, width: Option<usize>, colour: bool) -> String {
    let screen = Screen { terminal: colour, colour, width, height: None };
    let lines = render(look, &clock(), &screen);
    for line in lines.iter().filter(|_| !colour) {
        assert!(style::width(line) <= width.unwrap_or(usize::MAX), "too wide: {line}");
        assert_eq!(line.trim_end(), line);
    }
    format!("\n{}\n", lines.join("\n"))
}

/// A card in two parts, one of them used.
fn cut_up() -> HostStatus {
    let mut parent = card(1, 0, 37_000, 45, 87);
    parent.facts.mig_on = true;
    parent.sample.utilisation_percent = Reading::missing(Missing::NotSupported);
    parent.processes = Some(vec![process(Some("jonas"), 8_900)]);
    let part = |n: u32, gpu_instance: u32, used_mib: u64| {
        let mut report = card(1, 0, used_mib, 0, 0);
        report.facts.uuid = CardUuid::parse(&format!("MIG-{n}77e0049-0000-0000-0000-000000000000")).expect("valid");
        report.facts.memory_total_mib = Reading::Value(20_096);
        report.sample = CardSample {
            memory_used_mib: Reading::Value(used_mib),
            utilisation_percent: Reading::missing(Missing::NotSupported),
            ..CardSample::default()
        };
        report.facts.part = Some(MigPart {
            parent: uuid(1),
            gpu_instance,
            compute_instance: 0,
            instance: n,
            profile: "2g.20gb".to_owned(),
            compute_slices: Reading::Value(2),
            multiprocessors: Reading::Value(28),
        });
        report
    };
    let mut used = part(0, 3, 9_000);
    used.processes = Some(vec![process(Some("jonas"), 8_900)]);
    let mut status = status(vec![card(0, 0, 0, 30, 70), parent, used, part(1, 5, 12)]);
    let names: Vec<CardName> = HostCard::all(&status.cards).into_iter().map(|card| card.name).collect();
    status.free = vec![
        Free { card: names[0].clone(), until: None, used_by: None },
        Free { card: names[3].clone(), until: Some(datetime!(2026-11-30 12:00 UTC)), used_by: None },
    ];
    let window = (datetime!(2026-11-30 08:00 UTC), datetime!(2026-11-30 17:00 UTC));
    status.held = vec![held(names[2].clone(), "Jonas Weber", false, window.0, window.1)];
    status
}

#[test]
fn a_wide_terminal_has_everything_about_a_card_on_one_line() {
    let expected = "
dgx-h100  driver 550.54.15  CUDA 12.4  bookings 2 s old  you are ada, Ada Lovelace

#  card            temp  util    mem GiB  power W  booking                      on it
0  H100 80GB HBM3  64°C   97%  71.2/79.6  612/700  yours until 18:00            you 70.7 GiB
1  H100 80GB HBM3  78°C   88%  39.1/79.6  401/700  Jonas Weber until Tue 18:00  Jonas Weber 29.3 GiB, root 8.8 GiB
2  H100 80GB HBM3  31°C    0%   9.9/79.6   88/700  free until 16:00             an ended process still holds 9.9 GiB
3  H100 80GB HBM3  86°C  100%   2.9/79.6  690/700  free                         owner unknown 2.1 GiB, Jonas Weber 0.9 GiB without a booking
4  H100 80GB HBM3     ?     ?     ?/79.6        ?  李雷 until 20:00             lost

Card 3 has been at 85 °C or more for 4 min. Look at the airflow, the fans and the dust, or lower its clocks: sudo nvidia-smi -i 3 -lgc MIN,MAX
Card 3 has been held back by its power limit (97 % of it or more) for 1 min. If it is too slow, raise the limit with `sudo nvidia-smi -i 3 -pl WATTS`, or lower its clocks.
Card 4 does not answer any more. Restart the machine; if it is lost again, look at its power, its slot and its heat.
Card 4: the driver reported error Xid 79 at 10:12.
Yours later: card 2 from 16:00 until 20:00.
Book at https://berth.example.org
";
    assert_eq!(shown(&look(busy()), None, false), expected);
}

#[test]
fn eighty_columns_have_the_people_beneath() {
    let expected = "
dgx-h100  driver 550.54.15  CUDA 12.4  bookings 2 s old

#  card            temp  util    mem GiB  power W  booking
0  H100 80GB HBM3  64°C   97%  71.2/79.6  612/700  yours until 18:00
    you 70.7 GiB
1  H100 80GB HBM3  78°C   88%  39.1/79.6  401/700  Jonas Weber until Tue 18:00
    Jonas Weber 29.3 GiB, root 8.8 GiB
2  H100 80GB HBM3  31°C    0%   9.9/79.6   88/700  free until 16:00
    an ended process still holds 9.9 GiB
3  H100 80GB HBM3  86°C  100%   2.9/79.6  690/700  free
    owner unknown 2.1 GiB, Jonas Weber 0.9 GiB without a booking
4  H100 80GB HBM3     ?     ?     ?/79.6        ?  李雷 until 20:00
    lost

Card 3 has been at 85 °C or more for 4 min. Look at the airflow, the fans and
  the dust, or lower its clocks: sudo nvidia-smi -i 3 -lgc MIN,MAX
";
    let text = shown(&look(busy()), Some(80), false);
    assert!(text.starts_with(expected), "{text}");
}

#[test]
fn forty_columns_keep_number_load_memory_and_booking() {
    let expected = "
dgx-h100  driver 550.54.15  CUDA 12.4

#  util    mem GiB  booking
0   97%  71.2/79.6  yours until 18:00
    you 70.7 GiB
1   88%  39.1/79.6  Jonas Weber until T…
    Jonas Weber 29.3 GiB, root 8.8 GiB
2    0%   9.9/79.6  free until 16:00
    an ended process still holds 9.9 GiB
3  100%   2.9/79.6  free
    owner unknown 2.1 GiB,
    Jonas Weber 0.9 GiB without a
      booking
4     ?     ?/79.6  李雷 until 20:00
    lost

Card 3 has been at 85 °C or more for 4
  min. Look at the airflow, the fans and
";
    let text = shown(&look(busy()), Some(40), false);
    assert!(text.starts_with(expected), "{text}");
    for width in 1..140 {
        shown(&look(busy()), Some(width), false);
    }
}

#[test]
fn colours_stress_what_the_words_say() {
    let text = shown(&look(busy()), None, true).replace('\u{1b}', "^");
    for part in [
        "^[1mdgx-h100^[0m  ^[2mdriver 550.54.15^[0m",
        "^[1m97%^[0m  71.2/79.6  612/700  ^[1;36myours until 18:00^[0m            ^[1;36myou 70.7 GiB^[0m\n",
        "^[33m78°C^[0m",
        "^[1;31m86°C^[0m",
        "^[33m690/700^[0m  ^[32mfree^[0m",
        "^[33mJonas Weber 0.9 GiB without a booking^[0m\n",
        "^[1;31mlost^[0m\n",
    ] {
        assert!(text.contains(part), "{part} is not in:\n{text}");
    }
    let bare: String = text
        .split('^')
        .map(|piece| piece.split_once('m').filter(|_| piece.starts_with('[')).map_or(piece, |(_, rest)| rest))
        .collect();
    assert_eq!(bare, shown(&look(busy()), None, false), "colour changes nothing else");
}

#[test]
fn instances_are_beneath_their_card() {
    let expected = "
dgx-h100  driver 550.54.15  CUDA 12.4  bookings 2 s old

#    card            temp  util    mem GiB  power W  booking
0    H100 80GB HBM3  30°C    0%   0.0/79.6   70/700  free
1    H100 80GB HBM3  45°C   n/a  36.1/79.6   87/700  2 MIG instances
1:0    MIG 2g.20gb                8.8/19.6           Jonas Weber until 18:00
    Jonas Weber 8.7 GiB
1:1    MIG 2g.20gb                0.0/19.6           free until 13:00

Book at https://berth.example.org
";
    assert_eq!(shown(&look(cut_up()), Some(80), false), expected);
}

#[test]
fn without_an_agent_the_cards_are_shown_and_bookings_unknown() {
    let mut alone = busy();
    (alone.table_age_s, alone.person, alone.held, alone.free) = (None, None, vec![], vec![]);
    (alone.portal_url, alone.accounts) = (String::new(), vec![]);
    let look = Look { status: alone, no_agent: Some("no agent answers on /run/x".to_owned()) };
    let text = shown(&look, Some(100), false);
    let expected = "
dgx-h100  driver 550.54.15  CUDA 12.4  you are ada

#  card            temp  util    mem GiB  power W  on it
0  H100 80GB HBM3  64°C   97%  71.2/79.6  612/700  you 70.7 GiB
1  H100 80GB HBM3  78°C   88%  39.1/79.6  401/700  jonas 29.3 GiB, root 8.8 GiB
";
    assert!(text.starts_with(expected), "{text}");
    let end = "\nBookings are unknown, as no agent answers on /run/x. Start it with `sudo systemctl start\n  berth-agent`, or by hand with `sudo berth agent`.\n";
    assert!(text.ends_with(end), "{text}");
}

#[test]
fn before_the_portal_has_answered_no_bookings_are_made_up() {
    let mut early = busy();
    (early.table_age_s, early.person, early.held, early.free) = (None, None, vec![], vec![]);
    let text = shown(&look(early), None, false);
    assert!(text.contains("This host has not heard from the portal yet") && !text.contains("free"), "{text}");
}

#[test]
fn values_from_before_are_dimmed_and_said_to_be_so() {
    let mut stalled = busy();
    stalled.nvml = Some(NvmlState::Stalled { since: NOW - time::Duration::seconds(185) });
    stalled.sampled_at = Some(NOW - time::Duration::seconds(187));
    let text = shown(&look(stalled), None, true).replace('\u{1b}', "^");
    assert!(text.contains("^[33mread 3 min ago^[0m"), "{text}");
    assert!(text.contains("^[2m64°C^[0m   ^[2m97%^[0m  ^[2m71.2/79.6^[0m  ^[2m612/700^[0m"), "{text}");
    assert!(text.contains("\n^[1;31mThe driver has not answered for 3 min: the values are from before."), "{text}");
}

#[test]
fn a_paused_host_still_shows_whose_its_cards_are() {
    let mut paused = busy();
    paused.nvml = Some(NvmlState::Paused { until: datetime!(2026-11-30 10:10 UTC) });
    (paused.cards, paused.free) = (vec![], vec![]);
    let expected = "
dgx-h100  driver 550.54.15  CUDA 12.4  bookings 2 s old

#  card            booking
0  H100 80GB HBM3  yours until 18:00
1  H100 80GB HBM3  Jonas Weber until Tue 18:00
2  H100 80GB HBM3
4  H100 80GB HBM3  李雷 until 20:00

An administrator has paused the reading of the cards until 11:10. To end it now:
  sudo berth agent resume
Yours later: card 2 from 16:00 until 20:00.
Book at https://berth.example.org
";
    assert_eq!(shown(&look(paused), Some(80), false), expected);
}

#[test]
fn a_card_that_is_booked_and_gone_is_missed() {
    let mut status = busy();
    status.cards.remove(0);
    let text = shown(&look(status), None, false);
    let words: Vec<String> = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    let expected = "0 H100 80GB HBM3 yours until 18:00 not reported by the host".to_owned();
    assert!(words.contains(&expected), "{text}");
}

#[test]
fn every_trouble_of_the_driver_says_what_to_do() {
    let mismatch = NvmlState::VersionMismatch { kernel: Some("550.54.14".to_owned()), library: None };
    for (state, part) in [
        (NvmlState::NoLibrary { detail: "no\u{1b}[2J file".to_owned() }, "Install the driver."),
        (NvmlState::DriverNotLoaded, "sudo modprobe nvidia"),
        (mismatch, "the kernel module is 550.54.14, the library is another one. Restart the machine."),
        (NvmlState::Blocked, "wsl --shutdown"),
        (NvmlState::LostInContainer, "Make the container anew."),
        (NvmlState::Failed, "`nvidia-smi` may say more."),
    ] {
        let mut status = status(vec![]);
        status.nvml = Some(state);
        let text = shown(&look(status), None, false);
        assert!(text.contains(part) && !text.contains('\u{1b}'), "{text}");
    }
}

#[test]
fn every_trouble_of_a_card_says_what_to_do() {
    for (health, part) in [
        (
            CardHealth::ResetNeeded,
            "needs a reset. Let go of it with `sudo berth agent pause`, then `sudo nvidia-smi --gpu-reset -i 0`.",
        ),
        (CardHealth::RepairPending, "has memory to be repaired at the next reset."),
        (CardHealth::Defective, "Have it replaced."),
        (CardHealth::Failing, "answers with errors."),
        (CardHealth::Asleep, " asleep\n"),
    ] {
        let mut report = card(0, 0, 0, 30, 70);
        report.health = health;
        let text = shown(&look(status(vec![report])), None, false);
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn what_is_not_known_is_not_shown_as_nothing() {
    let mut orin = card(0, 0, 0, 0, 0);
    orin.facts = CardFacts::new(uuid(0), 0, "Orin (nvgpu)");
    let no = || Reading::missing(Missing::NotSupported);
    let denied = || Reading::missing(Missing::NoPermission);
    orin.sample = CardSample { temperature_celsius: denied(), utilisation_percent: no(), ..CardSample::default() };
    orin.processes = None;
    let text = shown(&look(status(vec![orin])), None, false);
    assert!(text.contains("\n0  Orin (nvgpu)  denied   n/a        ?        ?  free     processes unknown\n"), "{text}");
}

#[test]
fn memory_that_a_driver_keeps_for_itself_belongs_to_nobody_unknown() {
    let mut cards = vec![card(0, 0, 1_024, 30, 70), card(1, 0, 1_025, 30, 70), card(2, 0, 40_000, 30, 70)];
    cards[2].detail.memory_is_unified = true;
    let text = shown(&look(status(cards)), None, false);
    assert_eq!(text.matches("owner unknown").count(), 1, "{text}");
    assert!(text.contains("free     owner unknown 1.0 GiB\n"), "{text}");
    assert!(text.contains("\nThe memory of card 2 is the machine's own, shared with the CPU.\n"), "{text}");
}

#[test]
fn an_agent_that_cannot_see_the_hosts_processes_says_so() {
    let mut report = card(0, 90, 9_000, 30, 70);
    report.processes = Some(vec![CardProcess { state: ProcessState::Unseen, ..process(None, 8_800) }]);
    let text = shown(&look(status(vec![report])), None, false);
    assert!(text.contains("free     owner unknown 8.6 GiB\n") && text.contains("`berth doctor` says why"), "{text}");
}

#[test]
fn a_display_is_no_job_and_a_shared_account_has_all_its_people() {
    let mut report = card(0, 0, 900, 30, 70);
    let display = CardProcess { kind: ProcessKind::Graphics, ..process(Some("jonas"), 300) };
    report.processes = Some(vec![display, process(Some("lab"), 500), process(Some("uid:1005"), 100)]);
    let mut status = status(vec![report]);
    for (id, person) in [(2, "Jonas Weber"), (3, "Ruth Keller")] {
        let person =
            Account { os_user: "lab".to_owned(), person: UserId(uuid::Uuid::from_u128(id)), name: person.to_owned() };
        status.accounts.push(person);
    }
    let text = shown(&look(status), None, false);
    let expected =
        "Jonas Weber or Ruth Keller 0.5 GiB without a booking, Jonas Weber display 0.3 GiB, uid:1005 0.1 GiB\n";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn nothing_from_elsewhere_is_printed_raw() {
    let evil = "E\u{1b}[2J\u{7}\u{202e}\nvil";
    let mut status = busy();
    status.cards[0].facts.name = evil.to_owned();
    status.cards[1].processes = Some(vec![process(Some(evil), 5_000)]);
    (status.host_name, status.portal_url, status.os_user) = (evil.to_owned(), evil.to_owned(), evil.to_owned());
    (status.person, status.driver_version, status.cuda_version) = (None, Some(evil.to_owned()), Some(evil.to_owned()));
    status.held[1].holder = evil.to_owned();
    let lines = shown(&look(busy()), None, false).lines().count();
    let text = shown(&look(status), None, false);
    assert!(text.chars().all(|c| c == '\n' || !domain::user::is_deceptive(c)), "{text:?}");
    // One more note: the account belongs to nobody.
    assert_eq!(text.lines().count(), lines + 1, "{text}");
}
