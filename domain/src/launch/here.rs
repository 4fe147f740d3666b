//! The host that commands are written for, and the sets of its cards that a program can use together.

use super::quote::posix;
use super::{Form, HostCards, LaunchCard, Naming, Plan};
use crate::text::LaunchText;

/// What sets the order in which CUDA counts. Without it an index means another card on a host with unequal cards.
pub(super) const ORDER: &str = "CUDA_DEVICE_ORDER=PCI_BUS_ID";
/// The program in every example. People put their own in its place.
const PROGRAM: [&str; 2] = ["python", "train.py"];

/// One host of a booking, and words.
#[derive(Clone, Copy)]
pub(super) struct Here<'a> {
    pub plan: &'a Plan,
    /// Its place among the hosts of the plan.
    pub at: usize,
    pub host: &'a HostCards,
    pub text: &'a LaunchText,
}

/// Cards that one program can use together, in the order in which it shall see them. Never empty.
#[derive(Clone, Debug)]
pub(super) struct Set<'a> {
    pub cards: Vec<&'a LaunchCard>,
}

impl<'a> Here<'a> {
    /// All whole cards, and each MIG instance alone.
    pub fn sets(&self) -> Vec<Set<'a>> {
        sets(&self.host.cards)
    }

    /// All cards of the host as one list, instances beside each other: for what starts a program for each.
    pub fn all(&self) -> Set<'a> {
        Set { cards: self.host.cards.iter().collect() }
    }

    /// The program, its words quoted by `quote`.
    pub fn program_in(&self, quote: impl Fn(&str) -> String) -> String {
        let said: Vec<String> = match self.plan.job.program.as_slice() {
            [] => PROGRAM.iter().map(|&word| word.to_owned()).collect(),
            said => said.iter().map(|word| quote(word)).collect(),
        };
        said.join(" ")
    }

    /// The program for shells.
    pub fn program(&self) -> String {
        self.program_in(posix::word)
    }

    /// The words of the program, not quoted.
    pub fn words(&self) -> Vec<String> {
        match self.plan.job.program.as_slice() {
            [] => PROGRAM.map(str::to_owned).to_vec(),
            said => said.to_vec(),
        }
    }

    /// What stands for the program as long as nobody has said one.
    pub fn program_placeholder(&self) -> &'static [&'static str] {
        if self.plan.job.program.is_empty() { &["train.py"] } else { &[] }
    }

    /// A name for programs that stay, made of nothing that any tool reads as more than a name.
    pub fn job_name(&self) -> String {
        job_name(self.plan)
    }

    /// The name for a program on these cards: where a booking needs several programs, each has its own.
    pub fn name_of(&self, set: &Set<'_>) -> String {
        format!("{}{}", self.job_name(), self.suffix(set))
    }

    /// What tells the programs of a booking from each other: `-0-1`; empty where it is one program.
    pub fn suffix(&self, set: &Set<'_>) -> String {
        match set.cards.first() {
            Some(card) if self.sets().len() > 1 => format!("-{}", card.number.to_string().replace(':', "-")),
            _ => String::new(),
        }
    }

    /// Why some cards are named by UUID only; empty where all have an index too.
    pub fn why_by_uuid_alone(&self) -> String {
        if self.has_mig() {
            self.text.mig_no_index.to_owned()
        } else if self.sets().iter().any(|set| set.indices().is_none()) {
            self.text.stale_index.to_owned()
        } else {
            String::new()
        }
    }

    /// Forms for each set: by UUID, and by index beside it where there is one.
    pub fn both(&self, write: impl Fn(Naming, &str, &Set<'a>) -> Form) -> Vec<Form> {
        let mut forms = Vec::new();
        for set in self.sets() {
            forms.push(write(Naming::Uuid, &set.uuids(), &set).of(&set));
            if let Some(indices) = set.indices() {
                forms.push(write(Naming::Index, &indices, &set).of(&set));
            }
        }
        forms
    }

    /// The label of a naming.
    pub fn named(&self, naming: Naming) -> &'static str {
        match naming {
            Naming::Index => self.text.by_index,
            Naming::Uuid | Naming::ByBerth | Naming::Count => self.text.by_uuid,
        }
    }

    pub fn has_mig(&self) -> bool {
        self.host.cards.iter().any(|card| card.uuid.is_mig())
    }

    pub fn has_shared(&self) -> bool {
        self.host.cards.iter().any(|card| card.shared)
    }

    /// A note, with what is special about MIG and about shares added where the booking has some.
    pub fn note(&self, note: impl Into<String>) -> String {
        let note = note.into();
        self.shared_note(if self.has_mig() { joined(note, self.text.mig_note) } else { note })
    }

    /// A note of what needs no word about MIG, with what is special about shares added where the booking has some.
    pub fn shared_note(&self, note: impl Into<String>) -> String {
        let note = note.into();
        if self.has_shared() { joined(note, self.text.share_note) } else { note }
    }

    /// What part of the memory of every card a program may take so that it keeps within its shares: `0.45`; `None` where
    /// nothing is shared, or too little is known.
    pub fn share_of_memory(&self) -> Option<String> {
        let hundredths = |card: &LaunchCard| Some(card.budget_mib? * 100 / card.memory_mib.filter(|mib| *mib > 0)?);
        let shared = self.host.cards.iter().filter(|card| card.shared);
        let least = shared.map(hundredths).collect::<Option<Vec<_>>>()?.into_iter().min()?;
        (1..=100).contains(&least).then(|| format!("{}.{:02}", least / 100, least % 100))
    }
}

fn joined(mut note: String, more: &str) -> String {
    if !note.is_empty() {
        note.push(' ');
    }
    note.push_str(more);
    note
}

impl Set<'_> {
    /// `GPU-a,GPU-b`.
    pub fn uuids(&self) -> String {
        self.cards.iter().map(|card| card.uuid.as_str()).collect::<Vec<_>>().join(",")
    }

    /// `2,3`; `None` where a card has no index of its own that a tool would take.
    pub fn indices(&self) -> Option<String> {
        let mut indices: Vec<_> = self.cards.iter().map(|card| card.number).collect();
        let list = indices.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        indices.sort_unstable();
        // Two cards of one index: one of the two numbers is old, and a list with a repeat makes no card visible.
        let unique = indices.windows(2).all(|pair| pair[0] != pair[1]);
        (unique && !self.is_mig()).then_some(list)
    }

    /// The places that these cards have once they are counted anew in bus order: `1,0` for cards 3 and 2.
    pub fn places(&self) -> String {
        let place = |card: &&LaunchCard| self.cards.iter().filter(|other| other.number < card.number).count();
        self.cards.iter().map(|card| place(card).to_string()).collect::<Vec<_>>().join(",")
    }

    /// Whether the bus counts them as the booking does.
    pub fn is_in_bus_order(&self) -> bool {
        self.cards.is_sorted_by_key(|card| card.number)
    }

    /// Whether CUDA may count them in another order than the bus, since some are faster.
    pub fn is_mixed(&self) -> bool {
        self.cards.windows(2).any(|pair| pair[0].model != pair[1].model)
    }

    /// What `berth run --cards` takes: indices, which the agent resolves at that moment, or UUIDs where there are none.
    pub fn cards_argument(&self) -> String {
        self.indices().unwrap_or_else(|| self.uuids())
    }

    pub fn len(&self) -> usize {
        self.cards.len()
    }

    pub fn is_mig(&self) -> bool {
        self.cards.iter().any(|card| card.uuid.is_mig())
    }
}

/// Cards that one program can use together: all whole cards, and each MIG instance alone.
pub(super) fn sets(cards: &[LaunchCard]) -> Vec<Set<'_>> {
    let (mig, whole): (Vec<_>, Vec<_>) = cards.iter().partition(|card| card.uuid.is_mig());
    let whole = (!whole.is_empty()).then_some(whole);
    whole.into_iter().chain(mig.into_iter().map(|card| vec![card])).map(|cards| Set { cards }).collect()
}

/// Longest name made of a purpose, in characters.
const NAME_MAX: usize = 40;

/// `vit-l-ablation` of "ViT-L ablation", or a name by the booking's number: lower-case letters, digits and single
/// dashes, first and last a letter or digit.
pub(super) fn job_name(plan: &Plan) -> String {
    let mut name = String::new();
    for c in plan.purpose.chars() {
        if c.is_ascii_alphanumeric() {
            name.push(c.to_ascii_lowercase());
        } else if !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
        if name.len() >= NAME_MAX {
            break;
        }
    }
    let name = name.trim_end_matches('-');
    // A name of digits alone is a number to some tools.
    if name.chars().any(|c| c.is_ascii_alphabetic()) {
        return name.to_owned();
    }
    // The end of the number, since the beginnings of numbers that were made together are alike.
    let booking = plan.reservation.map(|id| id.0.simple().to_string());
    let short = booking.as_deref().and_then(|id| id.get(24..)).unwrap_or("job");
    format!("berth-{short}")
}
