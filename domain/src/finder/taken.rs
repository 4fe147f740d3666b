//! When one thing is taken: spans in order, so that every question is a binary search.

/// Microseconds since 1970, as exact as what the database keeps.
pub(super) type Micros = i64;

/// When something is taken. Spans are half-open, in order, and neither overlap nor touch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Taken {
    spans: Vec<(Micros, Micros)>,
}

impl Taken {
    /// From spans in any order that may overlap.
    pub(super) fn of(mut spans: Vec<(Micros, Micros)>) -> Self {
        spans.retain(|(start, end)| start < end);
        spans.sort_unstable();
        let mut merged: Vec<(Micros, Micros)> = Vec::with_capacity(spans.len());
        for (start, end) in spans {
            match merged.last_mut() {
                Some(last) if start <= last.1 => last.1 = last.1.max(end),
                _ => merged.push((start, end)),
            }
        }
        Self { spans: merged }
    }

    /// Index of the first span that ends after `at`.
    fn after(&self, at: Micros) -> usize {
        self.spans.partition_point(|(_, end)| *end <= at)
    }

    /// Whether nothing of the span is taken.
    pub(super) fn is_free(&self, start: Micros, end: Micros) -> bool {
        self.spans.get(self.after(start)).is_none_or(|(next, _)| *next >= end)
    }

    /// When it is taken next, at `at` or later; `None` where it never is.
    pub(super) fn next(&self, at: Micros) -> Option<Micros> {
        self.spans.get(self.after(at)).map(|(start, _)| (*start).max(at))
    }

    /// When it was last given back, at `at` or before; `None` where it was never taken.
    pub(super) fn last(&self, at: Micros) -> Option<Micros> {
        self.after(at).checked_sub(1).and_then(|before| self.spans.get(before)).map(|(_, end)| *end)
    }

    /// When it is given back, after `at`.
    pub(super) fn ends_after(&self, at: Micros) -> impl Iterator<Item = Micros> + use<'_> {
        self.spans.get(self.after(at)..).unwrap_or_default().iter().map(|(_, end)| *end)
    }

    /// The starts, from `from` on and no later than `last`, at which it is free for so long: as spans of which both ends
    /// belong to them, in order.
    pub(super) fn starts(
        &self,
        from: Micros,
        last: Micros,
        length: Micros,
    ) -> impl Iterator<Item = (Micros, Micros)> + use<'_> {
        let first = self.after(from);
        let ends = self.spans.get(first..).unwrap_or_default();
        let begins = std::iter::once(from).chain(ends.iter().map(|(_, end)| *end));
        let limits = ends.iter().map(move |(start, _)| *start - length).chain(std::iter::once(last));
        begins.zip(limits).map(move |(a, b)| (a.max(from), b.min(last))).filter(|(a, b)| a <= b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn answers_are_those_of_a_minute_by_minute_list(
            spans in proptest::collection::vec((0i64..60, 0i64..12), 0..8),
            at in 0i64..70,
            length in 1i64..15,
        ) {
            let spans: Vec<_> = spans.into_iter().map(|(start, long)| (start, start + long)).collect();
            let taken = Taken::of(spans.clone());
            let busy = |minute: i64| spans.iter().any(|(start, end)| *start <= minute && minute < *end);
            let free = |start: i64| (start..start + length).all(|minute| !busy(minute));
            prop_assert_eq!(taken.is_free(at, at + length), free(at));
            prop_assert_eq!(taken.next(at), (at..80).find(|minute| busy(*minute)));
            let last = (0..at).rev().find(|minute| busy(*minute)).map(|minute| minute + 1);
            if !busy(at) {
                prop_assert_eq!(taken.last(at), last);
            }
            let from_spans: Vec<i64> = taken.starts(at, 75, length).flat_map(|(a, b)| a..=b).collect();
            let one_by_one: Vec<i64> = (at..=75).filter(|start| free(*start)).collect();
            prop_assert_eq!(from_spans, one_by_one);
        }
    }
}
