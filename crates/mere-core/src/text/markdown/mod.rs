//! Finds one named section of a Markdown text and builds the edit that replaces it.
//!
//! A section is the body below a heading, a block with an Obsidian marker (`^id`), or the value of
//! a frontmatter key. [`patch`] returns a byte range and the text to put there, but only after it
//! has parsed the result: naming the same section again finds exactly the new content, and the
//! headings, markers and keys around it are unchanged. The time is linear in the length of the
//! text.

mod block;
mod document;
mod frontmatter;
mod frontmatter_value;
mod heading;
mod marker;
mod section;
mod yaml;

use std::ops::Range;

use crate::text::lines;
pub use document::is_too_deep;
pub use frontmatter::FrontmatterError;

/// How many names [`PatchError::Missing`] lists.
pub const MAX_LISTED_NAMES: usize = 50;

/// The longest name in that list, in characters.
const MAX_NAME_CHARS: usize = 200;

/// The section of a text that is to be replaced, as the caller names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Section {
    /// The body below a heading. A name such as `## Title` asks for that level as well.
    Heading(String),
    /// The block with this marker, with or without its `^`.
    Block(String),
    /// The value of a top-level key. A missing key, or a missing frontmatter, is created.
    FrontmatterKey(String),
}

/// One edit: the bytes at `range` are replaced by `text`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// The bytes to replace, on character boundaries.
    pub range: Range<usize>,
    /// The replacement, with the line endings of the text it is for.
    pub text: String,
}

/// The reason why a section cannot be patched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    /// No section has that name.
    #[error("there is no such section")]
    Missing {
        /// The first [`MAX_LISTED_NAMES`] names that exist.
        available: Vec<String>,
    },
    /// Several sections have that name, and no occurrence was given.
    #[error("{count} sections have that name")]
    Ambiguous {
        /// How many there are.
        count: usize,
    },
    /// The occurrence does not exist.
    #[error("the occurrence is not within 1 to {count}")]
    NoSuchOccurrence {
        /// How many there are.
        count: usize,
    },
    /// The content would not stay in the section: it opens another one, swallows what follows, is
    /// not one block, or repeats the marker that stays.
    #[error("the content does not stay within the section")]
    ContentEscapes,
    /// Quotes and lists are nested more deeply than the parser can read in linear time.
    #[error("quotes and lists are nested too deeply")]
    TooDeep,
    /// The frontmatter, its key or its new value is at fault.
    #[error(transparent)]
    Frontmatter(#[from] FrontmatterError),
}

impl Patch {
    /// Applies the edit to a text. A range that does not fit the text changes nothing.
    pub fn apply(&self, text: &str) -> String {
        match (text.get(..self.range.start), text.get(self.range.end..)) {
            (Some(before), Some(after)) => [before, &self.text, after].concat(),
            _ => text.to_owned(),
        }
    }

    /// Maps an offset of the text to the edited text. An offset within the edit becomes its start.
    fn map_offset(&self, offset: usize) -> usize {
        match offset.checked_sub(self.range.end) {
            Some(behind) => self.range.start + self.text.len() + behind,
            None => offset.min(self.range.start),
        }
    }
}

/// Finds a section and returns the edit that gives it new content. `occurrence` counts from 1.
pub fn patch(
    text: &str,
    section: &Section,
    occurrence: Option<usize>,
    content: &str,
) -> Result<Patch, PatchError> {
    match section {
        Section::Heading(name) => section::patch(text, name, occurrence, content),
        Section::Block(id) => block::patch(text, id, occurrence, content),
        Section::FrontmatterKey(key) => frontmatter::patch(text, key, occurrence, content),
    }
}

/// Returns the index of the section that is meant among `count` of the same name.
fn choose_occurrence(count: usize, occurrence: Option<usize>) -> Result<usize, PatchError> {
    match occurrence {
        None if count == 1 => Ok(0),
        None => Err(PatchError::Ambiguous { count }),
        Some(number) if (1..=count).contains(&number) => Ok(number - 1),
        Some(_) => Err(PatchError::NoSuchOccurrence { count }),
    }
}

/// Cuts a name for the list of existing names if it is too long.
fn truncate_name(name: &str) -> String {
    match name.char_indices().nth(MAX_NAME_CHARS) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Random sequences of Markdown and YAML pieces find more than random letters. `~` separates
    /// them.
    const PIECES: &str = "# a~## a~a~a ~b~===~---~...~\n~\n~\n\n~\t~    ~> ~- ~1. ~- [ ] ~^a~ ^a\
        ~ ^b-1~```~`~<!--~-->~<div>~| a |\n|---|\n~|~\\~*~[^1]: ~é~\u{feff}~a: ~a: |\n  ~'~\"\
        ~[~]~{~: ~#~ # ~\u{2028}~\0";

    fn markdown() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(PIECES.split('~').collect::<Vec<_>>());
        proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
    }

    fn text() -> impl Strategy<Value = String> {
        prop_oneof![
            markdown(),
            markdown().prop_map(|text| format!("---\n{text}\n---\n")),
            markdown().prop_map(|text| format!("{text} ^a")),
            (markdown(), markdown()).prop_map(|(above, body)| format!("{above}\n\n# a\n\n{body}")),
        ]
    }

    fn sections() -> [Section; 3] {
        [
            Section::Heading("a".to_owned()),
            Section::Block("a".to_owned()),
            Section::FrontmatterKey("a".to_owned()),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn any_text_gives_a_fitting_edit_or_an_error(
            text in prop_oneof![text(), any::<String>()],
            content in prop_oneof![markdown(), any::<String>()],
            occurrence in prop_oneof![Just(None), (0..3_usize).prop_map(Some)],
        ) {
            for section in sections() {
                if let Ok(patch) = patch(&text, &section, occurrence, &content) {
                    prop_assert!(text.get(patch.range.clone()).is_some(), "{patch:?}");
                }
            }
        }

        #[test]
        fn the_same_edit_again_changes_nothing(
            text in text(),
            content in markdown(),
            ending in prop_oneof![Just("\n"), Just("\r\n")],
        ) {
            let text = text.replace('\n', ending);
            for section in sections() {
                if let Ok(first) = patch(&text, &section, Some(1), &content) {
                    let once = first.apply(&text);
                    let again = patch(&once, &section, Some(1), &content);
                    let twice = again.map(|again| again.apply(&once));
                    prop_assert_eq!(twice.as_ref(), Ok(&once), "{:?} {:?}", text, section);
                }
            }
        }
    }
}
