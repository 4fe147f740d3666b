//! The end of an enrolment: waits until the agent and the portal have met, and tells what cards there are.

use std::path::Path;
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use domain::card::CardFacts;
use domain::wire::guard_v1::{Answer, Ask, HostStatus};

use crate::clean::clean;
use crate::cli::{EXIT_FAILED, PATIENCE, print, say};
use crate::guard::client::ask;

/// The agent has this long to start and to be heard by the portal.
const MEETING: Duration = Duration::from_secs(30);
/// From one look to the next.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// Waits, then prints the cards and what to do next. The agent has been started after `since`.
pub(super) fn wait_and_tell(enrolled: &str, socket: &Path, since: Instant) -> ExitCode {
    match meeting(socket, since, MEETING) {
        Ok(status) => print(&format!("{enrolled} The service berth-agent runs and reports.\n{}", told(&status))),
        Err(why) => {
            say(&format!(
                "berth: {enrolled} The service berth-agent is installed, but {why}.\nSee what is wrong with: sudo berth \
                 doctor; and what the agent says with: journalctl -u berth-agent"
            ));
            ExitCode::from(EXIT_FAILED)
        }
    }
}

/// What the agent says once it has heard from the portal. Bookings from before `since`, which it keeps over a restart,
/// do not count: they came with another credential.
fn meeting(socket: &Path, since: Instant, patience: Duration) -> Result<HostStatus, String> {
    // Ages are told in whole seconds, rounded down.
    let is_new = |age_s: u64| Duration::from_secs(age_s.saturating_add(1)) <= since.elapsed();
    loop {
        let why = match ask(socket, &Ask::Status, PATIENCE) {
            Ok(Answer::Status(status)) if status.table_age_s.is_some_and(is_new) => return Ok(status),
            Ok(Answer::Status(_)) => "the portal has not taken a report from it yet".to_owned(),
            Ok(Answer::Failed { message }) => clean(&message),
            Ok(_) => "it answers another question than was asked".to_owned(),
            Err(error) => error.to_string(),
        };
        if since.elapsed() >= patience {
            return Err(why);
        }
        thread::sleep(LOOK_EVERY);
    }
}

fn told(status: &HostStatus) -> String {
    let mut cards: Vec<&CardFacts> = status.cards.iter().map(|card| &card.facts).collect();
    cards.sort_by_key(|card| card.number());
    let list: String = cards.iter().map(|card| format!("  {}  {}\n", card.number(), clean(&card.name))).collect();
    // MIG instances are listed, and are no cards of their own.
    let found = match cards.iter().filter(|card| card.part.is_none()).count() {
        0 if cards.is_empty() => "It sees no card. See why with: sudo berth doctor\n".to_owned(),
        1 => format!("It sees one card:\n{list}"),
        n => format!("It sees {n} cards:\n{list}"),
    };
    format!(
        "{found}Next: say whose account is whose, in the portal under Admin, Accounts; or each person runs `berth link` \
         here with a code from their own account page."
    )
}

#[cfg(test)]
mod tests {
    use domain::card::{CardHealth, CardSample, MigPart};
    use domain::id::CardUuid;
    use domain::reading::Reading;
    use domain::wire::agent_v1::CardReport;

    use super::*;

    fn status(cards: Vec<CardReport>) -> HostStatus {
        HostStatus {
            host_name: "dgx".to_owned(),
            portal_url: String::new(),
            os_user: "root".to_owned(),
            person: None,
            held: Vec::new(),
            free: Vec::new(),
            table_age_s: Some(0),
            nvml: None,
            driver_version: None,
            cuda_version: None,
            sampled_at: None,
            cards,
            accounts: Vec::new(),
            notices: Vec::new(),
        }
    }

    fn uuid(index: u32) -> CardUuid {
        CardUuid::parse(&format!("GPU-{index}")).expect("valid")
    }

    #[test]
    fn cards_are_listed_in_their_order() {
        let card = |index: u32, instance: Option<u32>| CardReport {
            facts: CardFacts {
                uuid: uuid(index),
                index,
                minor: None,
                name: "NVIDIA\u{1b} H100".to_owned(),
                pci_bus_id: None,
                memory_total_mib: Reading::default(),
                part: instance.map(|instance| MigPart::at(uuid(index), 0, instance)),
                mig_on: false,
            },
            sample: CardSample::default(),
            detail: Default::default(),
            health: CardHealth::Ok,
            processes: None,
        };
        assert!(told(&status(Vec::new())).starts_with("It sees no card. See why with: sudo berth doctor\nNext: "));
        assert!(told(&status(vec![card(0, None)])).starts_with("It sees one card:\n  0  NVIDIA? H100\nNext: "));
        let many = told(&status(vec![card(10, None), card(2, Some(1)), card(2, None), card(2, Some(0))]));
        let list = "  2  NVIDIA? H100\n  2:0  NVIDIA? H100\n  2:1  NVIDIA? H100\n  10  NVIDIA? H100\n";
        assert!(many.starts_with(&format!("It sees 2 cards:\n{list}Next: ")), "{many}");
    }

    #[test]
    fn bookings_from_before_the_start_do_not_count() {
        let folder = tempfile::tempdir().expect("folder");
        let socket = folder.path().join("agent.sock");
        let listener = std::os::unix::net::UnixListener::bind(&socket).expect("socket");
        let ages = [None, Some(3600), Some(1), Some(0)];
        let agent = thread::spawn(move || {
            for age in ages.into_iter().chain(std::iter::repeat(Some(0))) {
                let (stream, _) = listener.accept().expect("a caller");
                let mut line = String::new();
                std::io::BufRead::read_line(&mut std::io::BufReader::new(&stream), &mut line).expect("a question");
                let status = HostStatus { table_age_s: age, ..status(Vec::new()) };
                let answer = serde_json::to_vec(&Answer::Status(status)).expect("json");
                std::io::Write::write_all(&mut &stream, &[&answer[..], b"\n"].concat()).expect("answered");
                if line.contains("resume") {
                    return;
                }
            }
        });
        let since = Instant::now();
        let met = meeting(&socket, since, Duration::from_secs(30)).expect("met");
        assert!(met.table_age_s == Some(0) && since.elapsed() >= Duration::from_secs(1));
        ask(&socket, &Ask::Resume, PATIENCE).expect("ended");
        agent.join().expect("no panic");
    }

    #[test]
    fn an_agent_that_never_answers_is_named() {
        let folder = tempfile::tempdir().expect("folder");
        let why = meeting(&folder.path().join("none.sock"), Instant::now(), Duration::ZERO).expect_err("nobody");
        assert!(why.contains("there is no such socket"), "{why}");
    }
}
