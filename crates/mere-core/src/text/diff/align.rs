//! Finds which lines two texts have in common, in bounded time.
//!
//! Lines that appear exactly once in each text anchor the two texts to each other. The lines
//! between two anchors are compared closely for as long as the comparison budget lasts.

use std::ops::Range;

use super::edits;

/// The comparison budget for two texts.
const MAX_COMPARISONS: usize = 10_000_000;

/// A range of old lines that is replaced by a range of new ones. One of the ranges may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hunk {
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
}

/// Returns the hunks that turn one list of lines into the other, in order.
pub(super) fn find_hunks(old: &[u32], new: &[u32]) -> Vec<Hunk> {
    let mut pairs = match_lines(old, new);
    pairs.push((old.len(), new.len()));
    let mut changes = Vec::new();
    let (mut left, mut right) = (0, 0);
    for (old, new) in pairs {
        if old > left || new > right {
            changes.push(Hunk { old: left..old, new: right..new });
        }
        (left, right) = (old + 1, new + 1);
    }
    changes
}

/// Returns the lines that stay, as pairs of old and new index.
fn match_lines(old: &[u32], new: &[u32]) -> Vec<(usize, usize)> {
    let mut search = Aligner {
        old,
        new,
        counts: count_lines(old, new),
        pairs: Vec::new(),
        comparisons_left: MAX_COMPARISONS,
    };
    let (start, end) = search.trim_common_ends(0..old.len(), 0..new.len());
    let anchors = search.find_anchors(start.0..end.0, start.1..end.1);
    let mut place = start;
    for anchor in anchors {
        search.match_between(place.0..anchor.0, place.1..anchor.1);
        search.pairs.push(anchor);
        place = (anchor.0 + 1, anchor.1 + 1);
    }
    search.match_between(place.0..end.0, place.1..end.1);
    search.pairs.extend((end.0..old.len()).zip(end.1..new.len()));
    search.pairs
}

/// Counts how often each line appears in the old and in the new text.
fn count_lines(old: &[u32], new: &[u32]) -> Vec<(u32, u32)> {
    let most = old.iter().chain(new).max().map_or(0, |line| *line as usize + 1);
    let mut counts = vec![(0, 0); most];
    for line in old {
        counts[*line as usize].0 += 1;
    }
    for line in new {
        counts[*line as usize].1 += 1;
    }
    counts
}

/// The state of a comparison of two texts.
struct Aligner<'a> {
    old: &'a [u32],
    new: &'a [u32],
    counts: Vec<(u32, u32)>,
    pairs: Vec<(usize, usize)>,
    /// How many comparisons are left.
    comparisons_left: usize,
}

impl Aligner<'_> {
    /// Pairs the lines that both ranges begin with. Returns the start and end of what remains once
    /// the common beginning and the common end are left out.
    fn trim_common_ends(
        &mut self,
        old: Range<usize>,
        new: Range<usize>,
    ) -> ((usize, usize), (usize, usize)) {
        let (left, right) = (&self.old[old.clone()], &self.new[new.clone()]);
        let head = left.iter().zip(right).take_while(|(left, right)| left == right).count();
        let (left, right) = (&left[head..], &right[head..]);
        let ends = left.iter().rev().zip(right.iter().rev());
        let tail = ends.take_while(|(left, right)| left == right).count();
        self.pairs.extend((old.start..old.start + head).zip(new.start..));
        ((old.start + head, new.start + head), (old.end - tail, new.end - tail))
    }

    /// Returns the longest sequence of lines that appear once in each text, in the order of both.
    fn find_anchors(&self, old: Range<usize>, new: Range<usize>) -> Vec<(usize, usize)> {
        let mut places = vec![None; self.counts.len()];
        for place in new {
            places[self.new[place] as usize] = Some(place);
        }
        let is_once = |line: u32| self.counts[line as usize] == (1, 1);
        let once = old.filter(|place| is_once(self.old[*place]));
        let once = once.filter_map(|place| Some((place, places[self.old[place] as usize]?)));
        longest_increasing_run(&once.collect::<Vec<_>>())
    }

    /// Pairs what it can in the ranges between two anchors.
    fn match_between(&mut self, old: Range<usize>, new: Range<usize>) {
        let (start, end) = self.trim_common_ends(old.clone(), new.clone());
        // A line that the other text does not contain cannot be paired.
        let old_places = (start.0..end.0).filter(|at| self.counts[self.old[*at] as usize].1 > 0);
        let new_places = (start.1..end.1).filter(|at| self.counts[self.new[*at] as usize].0 > 0);
        let (old_places, new_places) =
            (old_places.collect::<Vec<_>>(), new_places.collect::<Vec<_>>());
        let lines = |places: &[usize], all: &[u32]| places.iter().map(|at| all[*at]).collect();
        let left: Vec<u32> = lines(&old_places, self.old);
        let right: Vec<u32> = lines(&new_places, self.new);
        // One range uses at most half of the remaining budget, so that the next ranges get some
        // too.
        let mut work = self.comparisons_left / 2;
        let given = work;
        let found = edits::match_lines(&left, &right, &mut work).unwrap_or_default();
        self.comparisons_left -= given - work;
        self.pairs.extend(found.into_iter().map(|(old, new)| (old_places[old], new_places[new])));
        self.pairs.extend((end.0..old.end).zip(end.1..new.end));
    }
}

/// Returns the longest subsequence whose second members increase. The first members increase
/// already.
fn longest_increasing_run(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // `ends` holds the last pair of the best run of each length; `before` holds each pair's
    // predecessor in its run.
    let mut ends: Vec<usize> = Vec::new();
    let mut before = vec![None; pairs.len()];
    for (index, pair) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs[*end].1 < pair.1);
        before[index] = length.checked_sub(1).map(|shorter| ends[shorter]);
        match ends.get_mut(length) {
            Some(end) => *end = index,
            None => ends.push(index),
        }
    }
    let last = ends.last().copied();
    let run = std::iter::successors(last, |index| before[*index]).map(|index| pairs[index]);
    let mut run = run.collect::<Vec<_>>();
    run.reverse();
    run
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_longest_rising_run_is_found() {
        let run = |seconds: &[usize]| {
            let pairs = seconds.iter().copied().enumerate().collect::<Vec<_>>();
            longest_increasing_run(&pairs).into_iter().map(|pair| pair.1).collect::<Vec<_>>()
        };
        assert!(run(&[]).is_empty());
        assert_eq!(run(&[3, 2, 1]), [1]);
        assert_eq!(run(&[5, 0, 6, 1, 2, 7, 3]), [0, 1, 2, 3]);
    }

    #[test]
    fn a_moved_line_leaves_the_others_in_place() {
        let found = find_hunks(&[0, 1, 2, 3, 4], &[0, 2, 3, 1, 4]);
        let change = |old, new| Hunk { old, new };
        assert_eq!(found, [change(1..2, 1..1), change(4..4, 3..4)]);
    }

    fn lines() -> impl Strategy<Value = Vec<u32>> {
        prop_oneof![
            proptest::collection::vec(0..4_u32, 0..40),
            proptest::collection::vec(0..40_u32, 0..40),
        ]
    }

    proptest! {
        #[test]
        fn changes_turn_the_old_into_the_new(old in lines(), new in lines()) {
            let mut made = Vec::new();
            let mut place = 0;
            for change in find_hunks(&old, &new) {
                made.extend_from_slice(&old[place..change.old.start]);
                prop_assert_eq!(made.len(), change.new.start);
                prop_assert!(!change.old.is_empty() || !change.new.is_empty());
                made.extend_from_slice(&new[change.new.clone()]);
                place = change.old.end;
            }
            made.extend_from_slice(&old[place..]);
            prop_assert_eq!(made, new);
        }
    }
}
