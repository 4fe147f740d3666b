//! What must come of a request, and whether an answer is that.

use std::collections::HashSet;

use domain::error::{ApiError, ErrorCode};

use super::Clashes;
use crate::call::Done;

/// What must come of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Must {
    /// It must be done.
    Be,
    /// It has been done already, and this is what came of it.
    Repeat(Done),
    /// It must be refused, for one of these reasons.
    Not(HashSet<ErrorCode>),
    /// Either: it hangs on which shares are whose, which the model does not know.
    May(HashSet<ErrorCode>),
}

/// What must come of a request, and who is in its way.
#[derive(Clone, Debug)]
pub struct Verdict {
    pub must: Must,
    pub clashes: Clashes,
}

impl From<HashSet<ErrorCode>> for Verdict {
    fn from(reasons: HashSet<ErrorCode>) -> Self {
        let must = if reasons.is_empty() { Must::Be } else { Must::Not(reasons) };
        Self { must, clashes: Clashes::new() }
    }
}

impl From<ErrorCode> for Verdict {
    fn from(reason: ErrorCode) -> Self {
        Self::from(HashSet::from([reason]))
    }
}

impl From<Must> for Verdict {
    fn from(must: Must) -> Self {
        Self { must, clashes: Clashes::new() }
    }
}

impl Verdict {
    /// What is wrong with an answer.
    pub fn objection(&self, answer: &Result<Done, ApiError>) -> Option<String> {
        match (&self.must, answer) {
            (Must::Be | Must::May(_), Ok(_)) => None,
            (Must::Repeat(before), Ok(done)) if before.is_same(done) => None,
            (Must::May(reasons), Err(refusal)) if reasons.contains(&refusal.code) => None,
            (Must::Not(reasons), Err(refusal)) if reasons.contains(&refusal.code) => misnamed(&self.clashes, refusal),
            (must, answer) => Some(format!("the model says {must:?}, the answer was {answer:?}")),
        }
    }
}

/// What is wrong with who is named as being in the way.
pub fn misnamed(clashes: &Clashes, refusal: &ApiError) -> Option<String> {
    if refusal.code != ErrorCode::Overlap {
        return None;
    }
    let named: Clashes = refusal.clashes.iter().map(|clash| (clash.reservation, clash.card.clone())).collect();
    (named != *clashes).then(|| format!("named as in the way: {named:?}; the model says {clashes:?}"))
}
