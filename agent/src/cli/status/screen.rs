//! Where the table goes: a terminal or a file, in colour or not, how wide.

use std::io::{self, IsTerminal};

use clap::ValueEnum;

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    /// On a terminal, unless `NO_COLOR` is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// What standard output takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Screen {
    /// It is a terminal.
    pub terminal: bool,
    /// Colour is wanted.
    pub colour: bool,
    /// Columns; `None` where lines may be of any length.
    pub width: Option<usize>,
    /// Lines, likewise.
    pub height: Option<usize>,
}

impl Screen {
    /// As it is now; terminals change their size.
    pub fn now(colour: Colour) -> Self {
        let terminal = io::stdout().is_terminal();
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        let size = rustix::termios::tcgetwinsize(io::stdout()).ok().filter(|size| size.ws_col > 0 && terminal);
        let asked =
            std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()).filter(|columns| *columns > 0);
        Self {
            terminal,
            colour: match colour {
                Colour::Always => true,
                Colour::Never => false,
                Colour::Auto => terminal && !dumb && !set("NO_COLOR"),
            },
            width: asked.or(size.map(|size| usize::from(size.ws_col))),
            height: size.map(|size| usize::from(size.ws_row)).filter(|rows| *rows > 0),
        }
    }
}
