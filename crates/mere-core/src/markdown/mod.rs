//! One named part of a Markdown text, and the edit that replaces it.
//!
//! A part is the body below a heading, a block with an Obsidian marker (`^id`), or the value of a
//! frontmatter key. [`patch`] answers with a byte range and the text to put there, and only after
//! it has read the result again: naming the same part once more finds exactly the new content, and
//! the headings, markers and keys around it are still the same. Time is linear in the text.

mod block;
mod document;
mod frontmatter;
mod heading;
mod marker;
mod section;
mod value;
mod yaml;

use std::ops::Range;

use crate::lines;
pub use frontmatter::FrontmatterError;

/// How many names [`PatchError::Missing`] lists.
pub const MAX_LISTED_NAMES: usize = 50;

/// The longest name in that list, in characters.
const MAX_NAME_CHARS: usize = 200;

/// The part of a text that is to be replaced, as its caller names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Section {
    /// The body below a heading. A name such as `## Title` asks for that level as well.
    Heading(String),
    /// The block with this marker, `^` or not.
    Block(String),
    /// The value of a top-level key. A missing key, or a missing frontmatter, is made.
    FrontmatterKey(String),
}

/// One edit: what is at `range` becomes `text`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// The bytes that go, on character boundaries.
    pub range: Range<usize>,
    /// What takes their place, with the line ends of the text it is for.
    pub text: String,
}

/// Why there is no edit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    /// Nothing has that name.
    #[error("there is no such section")]
    Missing {
        /// The first [`MAX_THERE`] names that are there.
        available: Vec<String>,
    },
    /// Several have that name, and it was not said which one is meant.
    #[error("{count} sections have that name")]
    Ambiguous {
        /// How many.
        count: usize,
    },
    /// An occurrence that is not there.
    #[error("the occurrence is not within 1 to {count}")]
    NoSuchOccurrence {
        /// How many there are.
        count: usize,
    },
    /// The content would not be the section: it opens another one, swallows what follows, is not
    /// one block, or repeats the marker that stays.
    #[error("the content does not stay within the section")]
    ContentEscapes,
    /// Quotes and lists within one another, beyond what the parser reads in linear time.
    #[error("quotes and lists are nested too deeply")]
    TooDeep,
    /// The frontmatter, its key or its new value.
    #[error(transparent)]
    Frontmatter(#[from] FrontmatterError),
}

impl Patch {
    /// The text with the edit made. A range that does not fit the text changes nothing.
    pub fn apply(&self, text: &str) -> String {
        match (text.get(..self.range.start), text.get(self.range.end..)) {
            (Some(before), Some(after)) => [before, &self.text, after].concat(),
            _ => text.to_owned(),
        }
    }

    /// Where a place of the text is once the edit is made. What is within it falls to its start.
    fn map_offset(&self, offset: usize) -> usize {
        match offset.checked_sub(self.range.end) {
            Some(behind) => self.range.start + self.text.len() + behind,
            None => offset.min(self.range.start),
        }
    }
}

/// Finds a section and says how to give it new content. `occurrence` counts from one.
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

/// The index of the one that is meant among `count` with the same name.
fn choose_occurrence(count: usize, occurrence: Option<usize>) -> Result<usize, PatchError> {
    match occurrence {
        None if count == 1 => Ok(0),
        None => Err(PatchError::Ambiguous { count }),
        Some(number) if (1..=count).contains(&number) => Ok(number - 1),
        Some(_) => Err(PatchError::NoSuchOccurrence { count }),
    }
}

/// A name for the list of what is there, cut where it is too long to be one.
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

    /// Pieces of Markdown and YAML in any order say more than letters do. `~` parts them.
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
