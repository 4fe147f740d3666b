//! What a check says: whether something is all right, and where it is not, why and what to do.

use serde::Serialize;

/// The outcome of one check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Which check; stable, for programs.
    pub check: &'static str,
    /// How it went.
    pub state: State,
    /// What was found, in one sentence.
    pub found: String,
    /// Why that is a problem, or why nothing was found out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// What to do.
    #[serde(rename = "do", skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
}

/// How a check went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// All right.
    Ok,
    /// Something is to be done.
    Problem,
    /// Not looked at.
    Skipped,
}

impl Finding {
    /// All right.
    pub(super) fn ok(check: &'static str, found: impl Into<String>) -> Self {
        Self { check, state: State::Ok, found: found.into(), why: None, fix: None }
    }

    /// Something is to be done.
    pub(super) fn problem(
        check: &'static str,
        found: impl Into<String>,
        why: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self { check, state: State::Problem, found: found.into(), why: Some(why.into()), fix: Some(fix.into()) }
    }

    /// Not looked at.
    pub(super) fn skipped(check: &'static str, why: impl Into<String>) -> Self {
        Self { check, state: State::Skipped, found: why.into(), why: None, fix: None }
    }

    /// For people, with what to do below.
    pub(super) fn render(&self) -> String {
        let state = match self.state {
            State::Ok => "ok",
            State::Problem => "problem",
            State::Skipped => "skipped",
        };
        let mut text = format!("{state:<8} {:<10} {}\n", self.check, self.found);
        for (label, more) in [("why:", &self.why), ("do:", &self.fix)] {
            if let Some(more) = more {
                text += &format!("{:19} {label:<4} {more}\n", "");
            }
        }
        text
    }
}
