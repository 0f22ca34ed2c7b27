//! Links of a knowledge entry to one that gets another name or place.
//!
//! They are the relations of the frontmatter and the `[[wikilinks]]` of the body. A link is
//! rewritten where it stands and every other byte stays; then the note is read again, and it must
//! say what it said, with that one name replaced.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::edit::{self, Edit};
use super::fault::Fault;
use super::frontmatter::Frontmatter;
use super::id::{Category, ItemId};
use super::knowledge::Knowledge;
use super::path::ScopedPath;
use super::relation::Relation;
use super::wikilink::wikilinks;
use crate::yaml::{self, Role};

/// What a knowledge entry is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryName {
    /// Its category.
    pub category: Category,
    /// Its id.
    pub id: ItemId,
}

impl EntryName {
    /// `category/id`, and `/id` where there is no category.
    fn qualified(&self) -> String {
        format!("{}/{}", self.category, self.id)
    }
}

impl From<&ScopedPath> for EntryName {
    fn from(at: &ScopedPath) -> Self {
        Self { category: at.category.clone(), id: at.id.clone() }
    }
}

/// An entry that gets another name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renaming {
    /// What it was called.
    pub from: EntryName,
    /// What it is called now.
    pub to: EntryName,
    /// What becomes of links by its id alone.
    pub bare: Bare,
}

/// What becomes of links by an id alone. Which entries share one, the caller knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bare {
    /// They say the new id.
    Id,
    /// They say the new name with its category, since others have the new id too.
    Whole,
    /// They stay: others had the old id too, and nobody knows which one is meant.
    Stays,
}

/// What became of a note.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Relinked {
    /// Its text, if a link of it was changed.
    pub text: Option<String>,
    /// How many links by the old id alone stay, since nobody knows which entry is meant.
    pub unclear: usize,
}

/// The note that lies at `at`, with its links to an entry leading to where that is now.
pub fn relink(text: &str, at: &ScopedPath, renaming: &Renaming) -> Result<Relinked, Fault> {
    let names = Names::new(renaming);
    let entry = Knowledge::parse(text, at)?;
    let (top, body) = text.split_at(entry.content.start);
    let mut unclear = 0;
    let relations = names.relations(&Frontmatter::parse(text)?, text, &mut unclear)?;
    let wikilinks = names.wikilinks(body, &mut unclear)?;
    if relations.is_empty() && wikilinks.is_empty() {
        return Ok(Relinked { text: None, unclear });
    }
    let (top, body) = (edit::apply(top, relations), edit::apply(body, wikilinks));
    let relinked = [&*top, &*body].concat();
    let after = Knowledge::parse(&relinked, at)?;
    let is_proved =
        after.content.start == top.len() && after.frontmatter == names.frontmatter(&entry);
    let fix = "Write each relation as `[a, b]`, and try again.";
    let unproved = || Fault::whole("the links cannot be rewritten without changing more", fix);
    is_proved.then_some(Relinked { text: Some(relinked), unclear }).ok_or_else(unproved)
}

/// Whether a key of the frontmatter names entries.
fn is_relation(key: &str) -> bool {
    key.parse::<Relation>().is_ok()
}

/// An entry's old name in both spellings, and what stands there then.
struct Names<'a> {
    bare: (&'a str, Option<String>),
    whole: (String, String),
}

impl<'a> Names<'a> {
    fn new(renaming: &'a Renaming) -> Self {
        let Renaming { from, to, bare } = renaming;
        let new = match bare {
            Bare::Id => Some(to.id.to_string()),
            Bare::Whole => Some(to.qualified()),
            Bare::Stays => None,
        };
        Self { bare: (from.id.as_str(), new), whole: (from.qualified(), to.qualified()) }
    }

    /// What a link becomes, if it leads to the entry and does not say so already.
    fn renamed(&self, target: &str) -> Option<&str> {
        let new = if target == self.whole.0 {
            Some(self.whole.1.as_str())
        } else {
            self.bare.1.as_deref().filter(|_| target == self.bare.0)
        };
        new.filter(|new| *new != target)
    }

    fn is_unclear(&self, target: &str) -> bool {
        self.bare.1.is_none() && target == self.bare.0
    }

    /// The edits of the frontmatter: a relation is one text, or a list of them.
    fn relations(
        &self,
        front: &Frontmatter<'_>,
        text: &str,
        unclear: &mut usize,
    ) -> Result<Vec<Edit>, Fault> {
        let yaml = &text[front.start..front.end];
        let scalars = yaml::scalars(yaml).map_err(|error| {
            let error = yaml::Unplain::Yaml(error);
            Fault::of_yaml("the frontmatter", yaml, error).within(text, front.start)
        })?;
        let mut key = Cow::Borrowed("");
        let mut edits = Vec::new();
        for scalar in scalars {
            match (scalar.depth, scalar.role) {
                (1, Role::Key) => key = scalar.value,
                (1, Role::Value) | (2, Role::Item) if is_relation(&key) => {
                    *unclear += usize::from(self.is_unclear(&scalar.value));
                    let Some(new) = self.renamed(&scalar.value) else { continue };
                    let raw = yaml.get(scalar.range.clone()).unwrap_or_default();
                    let text = edit::scalar(raw, &scalar.value, new);
                    let start = front.start + scalar.range.start;
                    edits.push(Edit { range: start..front.start + scalar.range.end, text });
                }
                _ => {}
            }
        }
        Ok(edits)
    }

    /// The edits of the body.
    fn wikilinks(&self, body: &str, unclear: &mut usize) -> Result<Vec<Edit>, Fault> {
        if !body.contains(self.bare.0) {
            return Ok(Vec::new());
        }
        let edits = wikilinks(body)?.into_iter().filter_map(|range| {
            let target = &body[range.clone()];
            *unclear += usize::from(self.is_unclear(target));
            let text = self.renamed(target)?.to_owned();
            Some(Edit { range, text })
        });
        Ok(edits.collect())
    }

    /// What the frontmatter has to say afterwards.
    fn frontmatter(&self, entry: &Knowledge) -> Map<String, Value> {
        let mut map = entry.frontmatter.clone();
        for (_, value) in map.iter_mut().filter(|(key, _)| is_relation(key)) {
            let texts = match value {
                Value::Array(items) => items.iter_mut().collect(),
                value => vec![value],
            };
            for text in texts {
                let new = text.as_str().and_then(|target| self.renamed(target)).map(Value::from);
                *text = new.unwrap_or_else(|| text.take());
            }
        }
        map
    }
}
