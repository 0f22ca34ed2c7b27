//! What is wrong with an item's file: where, what, and how to fix it.
//!
//! Words of the file appear in a fault only as `Content`, never as our own words.

use crate::reply::{Content, Prose};
use crate::text::conflict_markers::find_conflict;
use crate::text::yaml::PlainMappingError;

/// A fault in a file. Lines and columns count from 1.
#[derive(Clone, Debug)]
pub struct ItemFault {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
    /// What is wrong there.
    pub what: Prose,
    /// How to fix it.
    pub fix: Prose,
}

impl ItemFault {
    /// Creates a fault at a byte offset of a text.
    pub(super) fn at_offset(
        text: &str,
        offset: usize,
        what: impl Into<Prose>,
        fix: impl Into<Prose>,
    ) -> Self {
        let (line, column) = line_and_column(text, offset);
        Self { line, column, what: what.into(), fix: fix.into() }
    }

    /// Creates a fault of the file as a whole.
    pub(super) fn whole_file(what: impl Into<Prose>, fix: impl Into<Prose>) -> Self {
        Self { line: 1, column: 1, what: what.into(), fix: fix.into() }
    }

    /// Creates a fault from a YAML error. `what` names the YAML, such as `the manifest`.
    pub(super) fn from_yaml(what: &str, text: &str, error: PlainMappingError) -> Self {
        let number = |number| usize::try_from(number).unwrap_or(1);
        match error {
            PlainMappingError::Yaml(error) => Self {
                line: number(error.line),
                column: number(error.column),
                what: Prose::words(format!("{what} is not one plain YAML mapping")),
                fix: suggest_yaml_fix(text, number(error.line)).into(),
            },
            PlainMappingError::AmbiguousScalar(line, column) => Self {
                line: number(line),
                column: number(column),
                what: "YAML parsers disagree on how to read this value".into(),
                fix: "Put it in quotes to make it a string, or write it plainly: `15`, `true`."
                    .into(),
            },
        }
    }

    /// Returns what is wrong with a text in which git left both sides of a merge, or else this
    /// fault: whatever else is wrong with such a text follows from that.
    pub(super) fn or_conflict(self, text: &str) -> Self {
        let Some(line) = find_conflict(text) else { return self };
        let what = "git left its conflict markers here, with both sides of a merge";
        let fix = "Keep what is right between `<<<<<<<` and `>>>>>>>`, and remove the markers.";
        Self { line, column: 1, what: what.into(), fix: fix.into() }
    }

    /// Relocates a fault in a part of a text to the whole text, in which the part begins at
    /// `start`.
    pub(super) fn relocate(self, text: &str, start: usize) -> Self {
        let (line, column) = line_and_column(text, start);
        let column = if self.line == 1 { self.column + column - 1 } else { self.column };
        Self { line: self.line + line - 1, column, ..self }
    }
}

/// Guesses what is wrong around a line that is not valid YAML, and how to fix it.
fn suggest_yaml_fix(text: &str, line: usize) -> &'static str {
    let near = text.lines().skip(line.saturating_sub(2)).take(2).collect::<Vec<_>>();
    let any = |wrong: &dyn Fn(&str) -> bool| near.iter().any(|line| wrong(line));
    let conflicts = ["<<<<<<<", "=======", ">>>>>>>"];
    if text.lines().any(|line| conflicts.iter().any(|mark| line.starts_with(mark))) {
        return "There are merge conflict markers: choose one side, and remove the markers.";
    }
    if any(&|line| line.starts_with('\t') || line.trim_start_matches(' ').starts_with('\t')) {
        return "Indent with spaces, not with tabs.";
    }
    let colon = |line: &str| {
        let value = line.split_once(": ").map(|(_, value)| value.trim_start());
        value.is_some_and(|value| !value.starts_with(['"', '\'', '[', '{']) && value.contains(": "))
    };
    if any(&colon) {
        return "A value with a colon and a space in it needs quotes: `key: \"a: b\"`.";
    }
    "Write each key once with even indentation, and use no anchors, aliases, merge keys or tags."
}

/// Says that a value stated in the file differs from the one its location implies.
pub(super) fn place_mismatch(what: &'static str, stated: &str, found: &str) -> Prose {
    let stated = match stated {
        "" => Prose::words(what).and(" empty in the file, but "),
        stated => Prose::words(what)
            .and(" `")
            .content(Content::mention(stated))
            .and("` in the file, but "),
    };
    match found {
        "" => stated.and("it has none by its location"),
        found => stated.and("`").content(Content::mention(found)).and("` by its location"),
    }
}

fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let mut end = offset.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let before = &text[..end];
    let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    (line, before[start..].chars().count() + 1)
}
