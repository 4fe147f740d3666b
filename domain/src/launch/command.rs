//! What the generator gives out: commands with their forms.

use serde::Serialize;

use crate::id::CardUuid;

/// One tab of the launch box: everything about one tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Command {
    /// Stable name, one of [`super::FORMATS`]: for addresses, element ids and `--format`.
    pub id: &'static str,
    /// Heading under which it stands.
    pub group: &'static str,
    /// What the tab says.
    pub title: &'static str,
    /// Ways to write it, the best first. None where it cannot be done with these cards; then `reason` says why.
    pub forms: Vec<Form>,
    /// Why cards are named in one way only, or why there is no form; may be empty.
    pub reason: String,
    /// Its trap and what else holds for all of its forms; may be empty.
    pub note: String,
    /// Lines that show whether it works, one for each set of cards that a program can use together.
    pub checks: Vec<Check>,
}

/// One text to copy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Form {
    /// Stable name within its command; forms for several sets of cards share one.
    pub key: &'static str,
    /// Who reads the text.
    pub dialect: Dialect,
    /// How it names the cards; a form by index stands right after its twin by UUID.
    pub naming: Naming,
    /// What distinguishes it from the other forms.
    pub label: String,
    /// What it needs to work; may be empty.
    pub needs: String,
    /// The file that the text belongs into, where it is no line to run.
    pub file: Option<String>,
    /// The text itself.
    pub text: String,
    /// Words in the text that people put their own in place of: `IMAGE`, `train.py`.
    pub placeholders: Vec<&'static str>,
    /// Exactly the cards that a program started so sees, in its order. Empty where that is left to the moment: whatever
    /// the caller holds then, or whatever a scheduler gives.
    pub cards: Vec<CardUuid>,
}

/// How a form names the cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Naming {
    /// It leaves that to `berth`.
    ByBerth,
    /// By full UUID.
    Uuid,
    /// By index, in bus order.
    Index,
    /// It names no card: the tool knows only how many.
    Count,
}

/// Who reads a text, and so how words in it are quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    /// sh, dash, bash, zsh; and fish where the text has nothing that it reads in another way.
    Posix,
    /// fish.
    Fish,
    /// PowerShell 7.3 and newer.
    PowerShell,
    /// Windows PowerShell 5.1, and PowerShell up to 7.2: they lose double quotes within an argument.
    WindowsPowerShell,
    /// cmd.exe.
    Cmd,
    /// Every shell of this list alike: one line without anything that one of them would expand.
    AnyShell,
    /// Python.
    Python,
    /// YAML.
    Yaml,
    /// JSON.
    Json,
    /// A unit file of systemd.
    Unit,
    /// Plain lines of a file of the tool's own.
    Plain,
}

impl Dialect {
    /// Whether the text is typed into a shell.
    #[must_use]
    pub fn is_shell(self) -> bool {
        matches!(
            self,
            Self::Posix | Self::Fish | Self::PowerShell | Self::WindowsPowerShell | Self::Cmd | Self::AnyShell
        )
    }
}

/// A line to run, and what it must print.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// The line.
    pub text: String,
    /// What it prints on standard output, and nothing else; lines in any order.
    pub expected: String,
}

impl Form {
    /// A form without a label, of no card.
    pub(super) fn new(key: &'static str, dialect: Dialect, naming: Naming, text: String) -> Self {
        Self {
            key,
            dialect,
            naming,
            label: String::new(),
            needs: String::new(),
            file: None,
            text,
            placeholders: Vec::new(),
            cards: Vec::new(),
        }
    }

    /// With what distinguishes it.
    pub(super) fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// With what it needs.
    pub(super) fn needs(mut self, needs: impl Into<String>) -> Self {
        self.needs = needs.into();
        self
    }

    /// With the file that it belongs into.
    pub(super) fn file(mut self, file: impl Into<String>) -> Self {
        self.file = Some(file.into());
        self
    }

    /// With words to be replaced.
    pub(super) fn holding(mut self, placeholders: &[&'static str]) -> Self {
        self.placeholders.extend(placeholders);
        self
    }

    /// With the cards that it selects.
    pub(super) fn of(mut self, set: &super::here::Set<'_>) -> Self {
        self.cards = set.cards.iter().map(|card| card.uuid.clone()).collect();
        self
    }
}
