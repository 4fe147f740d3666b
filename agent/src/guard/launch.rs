//! Hands the granted cards to the command, by environment alone, and becomes it.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

use domain::id::ReservationId;
use domain::wire::guard_v1::CardName;

use super::command::{Ids, Telling, numbers};
use crate::clean::clean;

/// The shells' exit code for a command that is not there.
const EXIT_NOT_FOUND: u8 = 127;
/// The shells' exit code for a command that cannot be run.
const EXIT_NOT_EXECUTABLE: u8 = 126;

/// What the environment says already: somebody else, such as Slurm or an outer `berth run`, has chosen cards.
#[derive(Clone, Copy, Debug, Default)]
pub struct Chosen<'a> {
    /// `CUDA_VISIBLE_DEVICES`
    pub visible: Option<&'a OsStr>,
    /// `CUDA_DEVICE_ORDER`
    pub order: Option<&'a OsStr>,
}

/// The environment's choice and the grant do not go together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conflict {
    /// It names cards that are not granted.
    Others {
        /// Those, as written.
        names: Vec<String>,
    },
    /// It names cards by index in an order that CUDA makes up, so nobody can tell which ones they are.
    Order {
        /// The variable's value.
        value: String,
    },
    /// Cards asked for are not among those that it names.
    Excluded {
        /// Those cards.
        cards: Vec<CardName>,
    },
}

/// The cards to use: the granted ones, or those of them that the environment has chosen already. Cards that were
/// asked for by name are used in full or not at all.
///
/// # Errors
/// [`Conflict`] where the environment names anything that is not granted, or leaves out a card asked for.
pub fn choose(granted: &[CardName], asked: bool, chosen: Chosen<'_>) -> Result<Vec<CardName>, Conflict> {
    let value = chosen.visible.map(|value| value.to_string_lossy().trim().to_owned()).unwrap_or_default();
    // These hide every card. Who runs `berth run` wants to see some.
    if ["", "-1", "none", "void", "NoDevFiles"].contains(&value.as_str()) {
        return Ok(granted.to_vec());
    }
    let pci_order = chosen.order.is_some_and(|order| order == "PCI_BUS_ID");
    let names: Vec<&str> = value.split(',').map(str::trim).collect();
    if !pci_order && names.iter().any(|name| name.parse::<u32>().is_ok()) {
        return Err(Conflict::Order { value });
    }
    let is = |card: &CardName, name: &str| match name.parse::<u32>() {
        Ok(index) => (card.index, card.instance) == (Some(index), None),
        Err(_) => name.len() > "GPU-".len() && card.uuid.as_str().starts_with(name),
    };
    let known = |name: &&str| granted.iter().any(|card| is(card, name));
    let others: Vec<String> = names.iter().filter(|name| !known(name)).map(|name| (*name).to_owned()).collect();
    if !others.is_empty() {
        return Err(Conflict::Others { names: others });
    }
    let (kept, left_out): (Vec<CardName>, Vec<CardName>) =
        granted.iter().cloned().partition(|card| names.iter().any(|name| is(card, name)));
    if asked && !left_out.is_empty() { Err(Conflict::Excluded { cards: left_out }) } else { Ok(kept) }
}

/// What the command sees. The order makes an index mean the same to CUDA as to `nvidia-smi`.
#[must_use]
pub fn environment(cards: &[CardName]) -> [(&'static str, String); 3] {
    let uuids = cards.iter().map(|card| card.uuid.as_str()).collect::<Vec<_>>().join(",");
    [
        ("CUDA_DEVICE_ORDER", "PCI_BUS_ID".to_owned()),
        ("CUDA_VISIBLE_DEVICES", uuids.clone()),
        ("NVIDIA_VISIBLE_DEVICES", uuids),
    ]
}

/// The command could not be started.
#[derive(Debug)]
pub struct NotStarted {
    /// As a shell would give it.
    pub exit_code: u8,
    /// For people.
    pub message: String,
}

/// Name of the variable by which a command, and a run within it, knows its booking.
pub const BOOKING_VARIABLE: &str = "BERTH_RESERVATION";

/// What a command is given.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// Its cards.
    pub cards: &'a [CardName],
    /// How they are named to it.
    pub telling: Telling,
    /// The booking that gives the right.
    pub booking: ReservationId,
}

impl Given<'_> {
    fn variables(&self) -> [(&'static str, Option<String>); 4] {
        let [order, visible, containers] = environment(self.cards);
        let visible = match self.telling {
            Telling { by_options: true, .. } => None,
            Telling { ids: Ids::Index, .. } => Some(numbers(self.cards)),
            Telling { ids: Ids::Uuid, .. } => Some(visible.1),
        };
        [
            (order.0, Some(order.1)),
            ("CUDA_VISIBLE_DEVICES", visible),
            (containers.0, Some(containers.1)),
            (BOOKING_VARIABLE, Some(self.booking.to_string())),
        ]
    }
}

/// Becomes the command: its exit code, signals and terminal are its own. Returns only if it cannot be started.
#[must_use]
pub fn become_command(program: &OsStr, args: &[OsString], given: &Given<'_>) -> NotStarted {
    let mut command = Command::new(program);
    for (name, value) in given.variables() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let error = command.args(args).exec();
    let name = clean(&program.to_string_lossy());
    let (exit_code, message) = match error.kind() {
        io::ErrorKind::NotFound => (EXIT_NOT_FOUND, format!("{name}: command not found")),
        io::ErrorKind::PermissionDenied => {
            (EXIT_NOT_EXECUTABLE, format!("{name} cannot be run: it is not executable, or this account may not run it"))
        }
        io::ErrorKind::ArgumentListTooLong => (EXIT_NOT_EXECUTABLE, format!("{name}: the arguments are too long")),
        _ => (EXIT_NOT_EXECUTABLE, format!("{name} cannot be run: {error}")),
    };
    NotStarted { exit_code, message }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::id::CardUuid;

    fn card(index: u32) -> CardName {
        let uuid = CardUuid::parse(&format!("GPU-{index}aaa-bbbb")).expect("valid");
        CardName { uuid, index: Some(index), instance: None, model: String::new() }
    }

    fn pick(visible: &str, order: Option<&str>, asked: bool) -> Result<Vec<u32>, Conflict> {
        let chosen = Chosen { visible: Some(OsStr::new(visible)), order: order.map(OsStr::new) };
        let picked = choose(&[card(0), card(2)], asked, chosen)?;
        Ok(picked.into_iter().filter_map(|card| card.index).collect())
    }

    #[test]
    fn nothing_chosen_or_everything_hidden_is_replaced() {
        assert_eq!(choose(&[card(0)], false, Chosen::default()), Ok(vec![card(0)]));
        for hidden in ["", " ", "-1", "NoDevFiles", "void", "none"] {
            assert_eq!(pick(hidden, None, true), Ok(vec![0, 2]), "{hidden}");
        }
    }

    #[test]
    fn a_run_within_a_run_stays_within_its_cards() {
        assert_eq!(pick("GPU-2aaa-bbbb", None, false), Ok(vec![2]));
        assert_eq!(pick("GPU-2aaa-bbbb,GPU-0aaa", None, true), Ok(vec![0, 2]));
        assert_eq!(pick("GPU-2aaa-bbbb", None, true), Err(Conflict::Excluded { cards: vec![card(0)] }));
    }

    #[test]
    fn cards_of_others_are_a_conflict() {
        let others = |names: &[&str]| Err(Conflict::Others { names: names.iter().map(|n| (*n).to_owned()).collect() });
        assert_eq!(pick("GPU-0aaa-bbbb,GPU-9aaa", None, false), others(&["GPU-9aaa"]));
        assert_eq!(pick("GPU-", None, false), others(&["GPU-"]));
        assert_eq!(pick("MIG-0aaa", None, false), others(&["MIG-0aaa"]));
        assert_eq!(pick("GPU-0aaa-bbbb,,", None, false), others(&["", ""]));
    }

    #[test]
    fn an_index_means_something_in_pci_order_only() {
        assert_eq!(pick("2", Some("PCI_BUS_ID"), false), Ok(vec![2]));
        assert_eq!(pick("1", Some("PCI_BUS_ID"), false), Err(Conflict::Others { names: vec!["1".to_owned()] }));
        assert_eq!(pick("0,2", None, false), Err(Conflict::Order { value: "0,2".to_owned() }));
        assert_eq!(pick("0", Some("FASTEST_FIRST"), false), Err(Conflict::Order { value: "0".to_owned() }));
    }

    #[test]
    fn the_environment_has_whole_uuids() {
        let [order, visible, containers] = environment(&[card(2), card(0)]);
        assert_eq!(order, ("CUDA_DEVICE_ORDER", "PCI_BUS_ID".to_owned()));
        assert_eq!(visible, ("CUDA_VISIBLE_DEVICES", "GPU-2aaa-bbbb,GPU-0aaa-bbbb".to_owned()));
        assert_eq!(containers, ("NVIDIA_VISIBLE_DEVICES", visible.1));
    }

    #[test]
    fn numbers_are_for_cuda_alone_and_options_leave_nothing() {
        let visible = |ids, by_options| {
            let telling = Telling { ids, by_options };
            let given = Given { cards: &[card(2), card(0)], telling, booking: ReservationId(uuid::Uuid::nil()) };
            let [_, visible, containers, _] = given.variables();
            assert_eq!(containers.1.as_deref(), Some("GPU-2aaa-bbbb,GPU-0aaa-bbbb"));
            visible.1
        };
        assert_eq!(visible(Ids::Uuid, false).as_deref(), Some("GPU-2aaa-bbbb,GPU-0aaa-bbbb"));
        assert_eq!(visible(Ids::Index, false).as_deref(), Some("2,0"));
        assert_eq!(visible(Ids::Index, true), None);
    }
}
