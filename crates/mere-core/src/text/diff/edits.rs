//! The fewest edits between two short ranges of lines, by Myers' greedy algorithm.
//!
//! Each round allows one more edit and follows every diagonal as far as it goes. The result of
//! every round is kept for the way back, so memory grows with the square of the number of rounds,
//! which is therefore limited.

/// The most edits that are tried. The rounds then take 8 MB.
const MAX_EDITS: usize = 2000;

/// Returns the lines that stay, as pairs of indexes, or `None` if that takes more edits or
/// comparisons than allowed.
pub(super) fn match_lines(
    old: &[u32],
    new: &[u32],
    work: &mut usize,
) -> Option<Vec<(usize, usize)>> {
    let mut rounds: Vec<Vec<u32>> = Vec::new();
    for edits in 0..=MAX_EDITS.min(old.len() + new.len()) {
        let mut reached = Vec::with_capacity(edits + 1);
        for diagonal in 0..=edits {
            let start = diagonal_start(rounds.last(), diagonal);
            // On this diagonal, as many of the edits as its number are deletions; the rest are
            // insertions.
            let place = (start + edits).saturating_sub(2 * diagonal);
            let (left, right) = (old.get(start..), new.get(place..));
            let equal = left.unwrap_or_default().iter().zip(right.unwrap_or_default());
            let walked = equal.take_while(|(left, right)| left == right).count();
            *work = work.checked_sub(walked + 1)?;
            if start + walked == old.len() && place + walked == new.len() {
                return Some(backtrack(&rounds, (old.len(), new.len()), diagonal));
            }
            reached.push(u32::try_from(start + walked).ok()?);
        }
        rounds.push(reached);
    }
    None
}

/// Returns how many old lines have been consumed where a diagonal is entered from the previous
/// round: by an insertion from the diagonal above or by a deletion from the one below, whichever is
/// further.
fn diagonal_start(before: Option<&Vec<u32>>, diagonal: usize) -> usize {
    let Some(before) = before else { return 0 };
    let inserted = before.get(diagonal).map(|old| *old as usize);
    let deleted = diagonal.checked_sub(1).and_then(|below| before.get(below));
    inserted.max(deleted.map(|old| *old as usize + 1)).unwrap_or_default()
}

/// Walks back from the end to the beginning and returns the pairs on the way, in order.
fn backtrack(rounds: &[Vec<u32>], end: (usize, usize), mut diagonal: usize) -> Vec<(usize, usize)> {
    let (mut old, mut new) = end;
    let mut pairs = Vec::new();
    for edits in (0..=rounds.len()).rev() {
        let before = edits.checked_sub(1).map(|round| &rounds[round]);
        let start = diagonal_start(before, diagonal);
        while old > start {
            old -= 1;
            new -= 1;
            pairs.push((old, new));
        }
        let Some(before) = before else { break };
        if before.get(diagonal).is_some_and(|reached| *reached as usize == start) {
            new -= 1;
        } else {
            old -= 1;
            diagonal -= 1;
        }
    }
    pairs.reverse();
    pairs
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Computes the length of the longest common subsequence with the textbook algorithm.
    fn longest(old: &[u32], new: &[u32]) -> usize {
        let mut row = vec![0; new.len() + 1];
        for left in old {
            let mut above = 0;
            for (place, right) in new.iter().enumerate() {
                let best = if left == right { above + 1 } else { row[place].max(row[place + 1]) };
                above = std::mem::replace(&mut row[place + 1], best);
            }
        }
        row[new.len()]
    }

    #[test]
    fn too_much_work_is_not_done() {
        let (old, new) = (vec![1; 3000], vec![2; 3000]);
        let mut work = usize::MAX;
        assert_eq!(match_lines(&old, &new, &mut work), None);
        assert!(usize::MAX - work < 2_100_000);
        let mut work = 100;
        assert_eq!(match_lines(&old, &new, &mut work), None);
        assert_eq!(
            match_lines(&old, &old, &mut usize::MAX.clone()).map(|pairs| pairs.len()),
            Some(3000)
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn as_many_lines_stay_as_can(
            old in proptest::collection::vec(0..4_u32, 0..24),
            new in proptest::collection::vec(0..4_u32, 0..24),
        ) {
            let found = match_lines(&old, &new, &mut 1_000_000).expect("little work");
            prop_assert_eq!(found.len(), longest(&old, &new));
            prop_assert!(found.iter().all(|(left, right)| old[*left] == new[*right]));
            prop_assert!(found.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1));
        }
    }
}
