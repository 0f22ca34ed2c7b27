//! Rewrites a knowledge entry's links to an entry that gets another name or category.
//!
//! Links are the relations in the frontmatter and the `[[wikilinks]]` in the body. A link is
//! rewritten in place and every other byte stays. The note is then parsed again, and it must say
//! what it said before, with only that name replaced.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::edit::{self, Edit};
use super::fault::ItemFault;
use super::frontmatter::{Frontmatter, id_text};
use super::id::{Category, ItemId};
use super::knowledge::Knowledge;
use super::path::ScopedPath;
use super::relation::Relation;
use super::wikilink::find_wikilinks;
use crate::text::yaml;
use crate::text::yaml::ScalarRole;

/// The full name of a knowledge entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryName {
    /// Its category.
    pub category: Category,
    /// Its id.
    pub id: ItemId,
}

impl EntryName {
    /// Returns `category/id`, or `/id` if there is no category.
    fn qualified_name(&self) -> String {
        format!("{}/{}", self.category, self.id)
    }
}

impl From<&ScopedPath> for EntryName {
    fn from(at: &ScopedPath) -> Self {
        Self { category: at.category.clone(), id: at.id.clone() }
    }
}

/// The renaming of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryRename {
    /// The old name.
    pub from: EntryName,
    /// The new name.
    pub to: EntryName,
    /// The treatment of links that give only the id.
    pub bare_links: BareLinks,
}

/// The treatment of links that give only an id. The caller knows which entries share one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BareLinks {
    /// They are changed to the new id.
    UseId,
    /// They are changed to the new name with its category, because other entries have the new id
    /// too.
    UseQualifiedName,
    /// They stay, because other entries had the old id too, and it is not known which one is meant.
    Keep,
}

/// The result of rewriting the links of a note.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RelinkedNote {
    /// The new text, if a link was changed.
    pub text: Option<String>,
    /// How many links by the old id alone were left, because it is not known which entry is meant.
    pub ambiguous: usize,
}

/// Rewrites the links to a renamed entry in the note that lies at `at`.
pub fn relink(
    text: &str,
    at: &ScopedPath,
    renaming: &EntryRename,
) -> Result<RelinkedNote, ItemFault> {
    let names = NameReplacement::new(renaming);
    let entry = Knowledge::parse(text, at)?;
    let (top, body) = text.split_at(entry.content.start);
    let mut unclear = 0;
    let relations = names.relation_edits(&Frontmatter::parse_note(text)?, text, &mut unclear)?;
    let wikilinks = names.wikilink_edits(body, &mut unclear)?;
    if relations.is_empty() && wikilinks.is_empty() {
        return Ok(RelinkedNote { text: None, ambiguous: unclear });
    }
    let (top, body) = (edit::apply_edits(top, relations), edit::apply_edits(body, wikilinks));
    let relinked = [&*top, &*body].concat();
    let after = Knowledge::parse(&relinked, at)?;
    let is_proved = after.content.start == top.len()
        && with_text_ids(&after.frontmatter, |target| target)
            == with_text_ids(&entry.frontmatter, |target| names.new_target(target));
    let fix = "Write each relation as `[a, b]`, and try again.";
    let unproved = || {
        ItemFault::whole_file(
            "the links cannot be rewritten without changing other parts of the note",
            fix,
        )
    };
    is_proved
        .then_some(RelinkedNote { text: Some(relinked), ambiguous: unclear })
        .ok_or_else(unproved)
}

/// Reports whether a frontmatter key is a relation.
fn is_relation(key: &str) -> bool {
    key.parse::<Relation>().is_ok()
}

/// The old name of an entry in both spellings, each with its replacement.
struct NameReplacement<'a> {
    bare: (&'a str, Option<String>),
    qualified: (String, String),
}

impl<'a> NameReplacement<'a> {
    fn new(renaming: &'a EntryRename) -> Self {
        let EntryRename { from, to, bare_links: bare } = renaming;
        let new = match bare {
            BareLinks::UseId => Some(to.id.to_string()),
            BareLinks::UseQualifiedName => Some(to.qualified_name()),
            BareLinks::Keep => None,
        };
        Self {
            bare: (from.id.as_str(), new),
            qualified: (from.qualified_name(), to.qualified_name()),
        }
    }

    /// Returns the new target of a link, if it leads to the renamed entry and changes.
    fn replacement_for(&self, target: &str) -> Option<&str> {
        let new = if target == self.qualified.0 {
            Some(self.qualified.1.as_str())
        } else {
            self.bare.1.as_deref().filter(|_| target == self.bare.0)
        };
        new.filter(|new| *new != target)
    }

    fn is_ambiguous(&self, target: &str) -> bool {
        self.bare.1.is_none() && target == self.bare.0
    }

    /// Returns the edits of the frontmatter. A relation is one text, or a list of texts.
    fn relation_edits(
        &self,
        frontmatter: &Frontmatter<'_>,
        text: &str,
        unclear: &mut usize,
    ) -> Result<Vec<Edit>, ItemFault> {
        let yaml = &text[frontmatter.yaml_start..frontmatter.yaml_end];
        let scalars = yaml::scan_scalars(yaml).map_err(|error| {
            let error = yaml::PlainMappingError::Yaml(error);
            ItemFault::from_yaml("the frontmatter", yaml, error)
                .relocate(text, frontmatter.yaml_start)
        })?;
        let mut key = Cow::Borrowed("");
        let mut edits = Vec::new();
        for scalar in scalars {
            match (scalar.depth, scalar.role) {
                (1, ScalarRole::Key) => key = scalar.value,
                (1, ScalarRole::Value) | (2, ScalarRole::Item) if is_relation(&key) => {
                    *unclear += usize::from(self.is_ambiguous(&scalar.value));
                    let Some(new) = self.replacement_for(&scalar.value) else { continue };
                    let raw = yaml.get(scalar.range.clone()).unwrap_or_default();
                    let text = edit::respell_scalar(raw, &scalar.value, new);
                    let start = frontmatter.yaml_start + scalar.range.start;
                    edits.push(Edit {
                        range: start..frontmatter.yaml_start + scalar.range.end,
                        text,
                    });
                }
                _ => {}
            }
        }
        Ok(edits)
    }

    /// Returns the edits of the body.
    fn wikilink_edits(&self, body: &str, unclear: &mut usize) -> Result<Vec<Edit>, ItemFault> {
        if !body.contains(self.bare.0) {
            return Ok(Vec::new());
        }
        let edits = find_wikilinks(body)?.into_iter().filter_map(|range| {
            let target = &body[range.clone()];
            *unclear += usize::from(self.is_ambiguous(target));
            let text = self.replacement_for(target)?.to_owned();
            Some(Edit { range, text })
        });
        Ok(edits.collect())
    }

    /// Returns what a link to this target must lead to afterwards.
    fn new_target(&self, target: String) -> String {
        self.replacement_for(&target).map(str::to_owned).unwrap_or(target)
    }
}

/// Returns a frontmatter with the ids of its relations as texts, each replaced. A number and the
/// text of its digits are the same id.
fn with_text_ids(
    frontmatter: &Map<String, Value>,
    replace: impl Fn(String) -> String,
) -> Map<String, Value> {
    let mut map = frontmatter.clone();
    for (_, value) in map.iter_mut().filter(|(key, _)| is_relation(key)) {
        let ids = match value {
            Value::Array(items) => items.iter_mut().collect(),
            value => vec![value],
        };
        for id in ids {
            if let Some(target) = id_text(id) {
                *id = Value::from(replace(target));
            }
        }
    }
    map
}
