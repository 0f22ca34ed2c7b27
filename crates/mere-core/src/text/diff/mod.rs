//! A line diff of two texts, for people to read.
//!
//! Equal lines far from any change are left out. Time and memory are bounded for any two texts:
//! where finding the fewest changes would take too long, all old lines of a range are shown before
//! all new ones.

mod align;
mod edits;

use std::collections::HashMap;
use std::ops::Range;

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

/// Returns the diff that turns `old` into `new`; empty if they are equal.
pub fn unified_diff(old: &str, new: &str) -> Vec<DiffLine> {
    let mut names = HashMap::new();
    let old = number_lines(old, &mut names);
    let new = number_lines(new, &mut names);
    let changes = align::find_hunks(&old.numbers, &new.numbers);
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

/// The lines of a text, each with a number that equal lines share.
struct NumberedLines<'a> {
    lines: Vec<&'a str>,
    numbers: Vec<u32>,
}

fn number_lines<'a>(text: &'a str, names: &mut HashMap<&'a str, u32>) -> NumberedLines<'a> {
    let lines = text.split_inclusive('\n').collect::<Vec<_>>();
    let number = |line: &&'a str| {
        let next = u32::try_from(names.len()).unwrap_or(u32::MAX);
        *names.entry(line).or_insert(next)
    };
    let numbers = lines.iter().map(number).collect();
    NumberedLines { lines, numbers }
}

impl NumberedLines<'_> {
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
mod tests {
    use super::*;

    fn check(old: &str, new: &str, expected: &str) {
        let lines = unified_diff(old, new).into_iter().map(|line| match line {
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

    #[test]
    fn large_texts_are_shown_too() {
        let (old, new) = (lines(0..100_000), lines(100_000..200_000));
        assert_eq!(unified_diff(&old, &new).len(), 200_000);
        let mixed = |step: usize| {
            let line = |number: usize| format!("{}\n", number * step % 9973 % 50);
            (0..100_000).map(line).fold(String::new(), |text, line| text + &line)
        };
        assert!(!unified_diff(&mixed(7), &mixed(11)).is_empty());
    }
}
