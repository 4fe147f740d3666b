//! Which hosts have to be there while somebody scrolls: those in sight, and one window more on either side.

use std::ops::Range;

/// The first and the last host of which any part is between `top` and `bottom`, as a range of indices.
///
/// `heights` are those of all hosts, from the top, in any unit. More than what is asked for is never given: what lies
/// outside is not worth a node.
#[must_use]
pub fn visible(heights: &[f64], top: f64, bottom: f64) -> Range<usize> {
    let mut edge = 0.0;
    let mut range = heights.len()..heights.len();
    for (index, height) in heights.iter().enumerate() {
        let (start, end) = (edge, edge + height);
        edge = end;
        if end > top && start < bottom {
            range.start = range.start.min(index);
            range.end = index + 1;
        }
    }
    if range.start > range.end || range.start == heights.len() { 0..0 } else { range }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_in_sight() {
        let heights = [100.0, 50.0, 100.0, 100.0];
        assert_eq!(visible(&heights, 0.0, 100.0), 0..1);
        assert_eq!(visible(&heights, 99.0, 151.0), 0..3);
        assert_eq!(visible(&heights, 150.0, 151.0), 2..3);
        assert_eq!(visible(&heights, 400.0, 900.0), 0..0);
        assert_eq!(visible(&[], 0.0, 900.0), 0..0);
    }

    proptest! {
        #[test]
        fn each_host_in_sight_is_there_and_no_other(
            heights in proptest::collection::vec(1.0f64..500.0, 0..40), top in 0.0f64..5000.0, tall in 1.0f64..2000.0
        ) {
            let range = visible(&heights, top, top + tall);
            let mut edge = 0.0;
            for (index, height) in heights.iter().enumerate() {
                let seen = edge + height > top && edge < top + tall;
                prop_assert_eq!(range.contains(&index), seen, "host {}", index);
                edge += height;
            }
        }
    }
}
