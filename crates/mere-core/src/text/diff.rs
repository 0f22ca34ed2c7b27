//! A line diff of two texts, for people to read.
//!
//! Equal lines far from any change are left out. The lines are compared by `similar`; where finding
//! few changes takes longer than the caller waits, all old lines of a range are shown before all
//! new ones. Memory grows with the number of lines and no faster.

use std::collections::HashMap;
use std::ops::Range;
use std::time::Instant;

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

/// How many equal lines are shown before and after a change.
const CONTEXT: usize = 3;

/// One line of a diff, without its line feed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DiffLine {
    /// A line that both texts have.
    Same(String),
    /// A line of the old text only.
    Removed(String),
    /// A line of the new text only.
    Added(String),
    /// A mark: the line before it is the last one of its text and has no line feed.
    NoFinalNewline,
    /// A mark: equal lines are left out here.
    Gap,
}

/// Returns the diff that turns `old` into `new`; empty if they are equal. Few changes are looked
/// for until the deadline.
pub fn unified_diff(old: &str, new: &str, deadline: Instant) -> Vec<DiffLine> {
    let mut names = HashMap::new();
    let old = NumberedLines::new(old, &mut names);
    let new = NumberedLines::new(new, &mut names);
    let changes = find_hunks(&old.numbers, &new.numbers, deadline);
    let mut shown = Vec::new();
    let mut done = 0;
    for (index, change) in changes.iter().enumerate() {
        let start = change.old.start.saturating_sub(CONTEXT).max(done);
        if start > done {
            shown.push(DiffLine::Gap);
        }
        old.push_lines(start..change.old.start, DiffLine::Same, &mut shown);
        old.push_lines(change.old.clone(), DiffLine::Removed, &mut shown);
        new.push_lines(change.new.clone(), DiffLine::Added, &mut shown);
        let next = changes.get(index + 1).map_or(old.lines.len(), |next| next.old.start);
        done = next.min(change.old.end + CONTEXT);
        old.push_lines(change.old.end..done, DiffLine::Same, &mut shown);
    }
    if !changes.is_empty() && done < old.lines.len() {
        shown.push(DiffLine::Gap);
    }
    shown
}

/// A range of old lines that is replaced by a range of new ones. One of the ranges may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Hunk {
    old: Range<usize>,
    new: Range<usize>,
}

/// Returns the hunks that turn one list of lines into the other, in order: what lies between the
/// lines that stay. Lines that appear once in each text are matched first.
fn find_hunks(old: &[u32], new: &[u32], deadline: Instant) -> Vec<Hunk> {
    let operations = capture_diff_slices_deadline(Algorithm::Patience, old, new, Some(deadline));
    let equal = operations.iter().filter_map(|operation| match *operation {
        DiffOp::Equal { old_index, new_index, len } => Some((old_index, new_index, len)),
        _ => None,
    });
    let mut changes = Vec::new();
    let (mut left, mut right) = (0, 0);
    for (old, new, count) in equal.chain([(old.len(), new.len(), 0)]) {
        if old > left || new > right {
            changes.push(Hunk { old: left..old, new: right..new });
        }
        (left, right) = (old + count, new + count);
    }
    changes
}

/// The lines of a text, each with a number that equal lines share.
struct NumberedLines<'a> {
    lines: Vec<&'a str>,
    numbers: Vec<u32>,
}

impl<'a> NumberedLines<'a> {
    fn new(text: &'a str, names: &mut HashMap<&'a str, u32>) -> Self {
        let lines = text.split_inclusive('\n').collect::<Vec<_>>();
        let number = |line: &&'a str| {
            let next = u32::try_from(names.len()).unwrap_or(u32::MAX);
            *names.entry(line).or_insert(next)
        };
        let numbers = lines.iter().map(number).collect();
        Self { lines, numbers }
    }

    fn push_lines(
        &self,
        range: Range<usize>,
        kind: fn(String) -> DiffLine,
        shown: &mut Vec<DiffLine>,
    ) {
        for line in &self.lines[range] {
            let ended = line.strip_suffix('\n');
            shown.push(kind(ended.unwrap_or(line).to_owned()));
            if ended.is_none() {
                shown.push(DiffLine::NoFinalNewline);
            }
        }
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test decides how long it waits")]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;

    /// Returns a deadline that small texts never reach.
    fn late() -> Instant {
        Instant::now() + Duration::from_mins(10)
    }

    fn check(old: &str, new: &str, expected: &str) {
        let lines = unified_diff(old, new, late()).into_iter().map(|line| match line {
            DiffLine::Same(text) => [" ", &text].concat(),
            DiffLine::Removed(text) => ["-", &text].concat(),
            DiffLine::Added(text) => ["+", &text].concat(),
            DiffLine::NoFinalNewline => "\\".to_owned(),
            DiffLine::Gap => "@".to_owned(),
        });
        assert_eq!(lines.collect::<Vec<_>>().join("|"), expected, "{old:?} {new:?}");
    }

    /// Returns a text with one number on each line.
    fn lines(numbers: Range<usize>) -> String {
        numbers.map(|number| format!("{number}\n")).fold(String::new(), |text, line| text + &line)
    }

    #[test]
    fn changes_stand_among_lines_that_stay() {
        check("", "", "");
        check("a\n", "a\n", "");
        check("", "a\n", "+a");
        check("a\n", "", "-a");
        check("a\nb\nc\n", "a\nx\nc\n", " a|-b|+x| c");
        check("a\nb\n", "b\nc\n", "-a| b|+c");
        check("x\r\n", "x\n", "-x\r|+x");
        check("a\nb\nc\nd\ne\n", "a\nc\nd\nb\ne\n", " a|-b| c| d|+b| e");
    }

    #[test]
    fn a_missing_line_feed_is_marked() {
        check("a", "a\n", "-a|\\|+a");
        check("a\nb", "c\nb", "-a|+c| b|\\");
        check("a\n", "b", "-a|+b|\\");
        check("", "\n", "+");
    }

    #[test]
    fn what_is_far_from_changes_is_left_out() {
        let old = lines(0..20);
        let new = old.replace("\n10\n", "\nten\n");
        check(&old, &new, "@| 7| 8| 9|-10|+ten| 11| 12| 13|@");
        let new = format!("{}x\n", old.replace("\n13\n", "\n"));
        check(&old, &new, "@| 10| 11| 12|-13| 14| 15| 16| 17| 18| 19|+x");
        let new = format!("x\n{}x\n", lines(0..20));
        check(&old, &new, "+x| 0| 1| 2|@| 17| 18| 19|+x");
    }

    /// Returns a text of one-character lines, the same for the same seed.
    fn short_lines(count: usize, letters: u64, mut seed: u64) -> String {
        let line = |_| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            char::from(b'a' + u8::try_from((seed >> 33) % letters).unwrap_or_default())
        };
        (0..count).map(line).flat_map(|letter| [letter, '\n']).collect()
    }

    #[test]
    fn large_texts_are_shown_in_time() {
        let allowed = Duration::from_millis(300);
        let half = 256 * 1024;
        let pairs = [
            (lines(0..100_000), lines(100_000..200_000)),
            (short_lines(2 * half, 2, 1), short_lines(2 * half, 2, 2)),
            (short_lines(2 * half, 26, 1), short_lines(2 * half, 26, 2)),
            ("a\n".repeat(half) + &"b\n".repeat(half), "b\na\n".repeat(half)),
        ];
        for (old, new) in pairs {
            let began = Instant::now();
            let shown = unified_diff(&old, &new, began + allowed);
            // A debug build on a busy machine numbers and prints the lines slowly.
            assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
            let count =
                |kind: fn(&DiffLine) -> bool| shown.iter().filter(|line| kind(line)).count();
            let removed = count(|line| matches!(line, DiffLine::Removed(_)));
            let added = count(|line| matches!(line, DiffLine::Added(_)));
            assert_eq!(old.lines().count() - removed, new.lines().count() - added);
            assert!(removed > 0 && added > 0);
        }
    }

    #[test]
    fn without_any_time_all_of_it_is_shown() {
        let (old, new) = (lines(0..100), lines(50..150));
        let shown = unified_diff(&old, &new, Instant::now());
        let removed = shown.iter().filter(|line| matches!(line, DiffLine::Removed(_)));
        assert!(removed.count() >= 50);
    }

    fn numbers() -> impl Strategy<Value = Vec<u32>> {
        prop_oneof![
            proptest::collection::vec(0..4_u32, 0..40),
            proptest::collection::vec(0..40_u32, 0..40),
        ]
    }

    proptest! {
        #[test]
        fn changes_turn_the_old_into_the_new(
            old in numbers(),
            new in numbers(),
            wait in prop_oneof![Just(Duration::ZERO), Just(Duration::from_mins(10))],
        ) {
            let mut made = Vec::new();
            let mut place = 0;
            for change in find_hunks(&old, &new, Instant::now() + wait) {
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
