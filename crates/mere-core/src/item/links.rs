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

/// The note that lies at `at`, with its links to the entry `from` leading to `to`; none if it has no
/// link to change.
///
/// A bare id is taken for the entry's: whether another category has the same one, the caller knows.
pub fn relink(
    text: &str,
    at: &ScopedPath,
    from: &EntryName,
    to: &EntryName,
) -> Result<Option<String>, Fault> {
    let renaming = Renaming { bare: (from, to), qualified: (from.qualified(), to.qualified()) };
    let entry = Knowledge::parse(text, at)?;
    let (top, body) = text.split_at(entry.content.start);
    let relations = renaming.relations(&Frontmatter::parse(text)?, text)?;
    let wikilinks = renaming.wikilinks(body)?;
    if relations.is_empty() && wikilinks.is_empty() {
        return Ok(None);
    }
    let (top, body) = (edit::apply(top, relations), edit::apply(body, wikilinks));
    let relinked = [&*top, &*body].concat();
    let after = Knowledge::parse(&relinked, at)?;
    let is_proved =
        after.content.start == top.len() && after.frontmatter == renaming.frontmatter(&entry);
    let fix = "Write each relation as `[a, b]`, and try again.";
    let unproved = || Fault::whole("the links cannot be rewritten without changing more", fix);
    is_proved.then_some(Some(relinked)).ok_or_else(unproved)
}

/// Whether a key of the frontmatter names entries.
fn is_relation(key: &str) -> bool {
    key.parse::<Relation>().is_ok()
}

/// An entry's old and new name, in both spellings.
struct Renaming<'a> {
    bare: (&'a EntryName, &'a EntryName),
    qualified: (String, String),
}

impl Renaming<'_> {
    /// What a link becomes, if it leads to the entry and does not say so already.
    fn renamed(&self, target: &str) -> Option<&str> {
        let (old, new) = if target == self.qualified.0 {
            (&*self.qualified.0, &*self.qualified.1)
        } else {
            (self.bare.0.id.as_str(), self.bare.1.id.as_str())
        };
        (target == old && old != new).then_some(new)
    }

    /// The edits of the frontmatter: a relation is one text, or a list of them.
    fn relations(&self, front: &Frontmatter<'_>, text: &str) -> Result<Vec<Edit>, Fault> {
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
    fn wikilinks(&self, body: &str) -> Result<Vec<Edit>, Fault> {
        if !body.contains(self.bare.0.id.as_str()) {
            return Ok(Vec::new());
        }
        let edits = wikilinks(body)?.into_iter().filter_map(|range| {
            let text = self.renamed(&body[range.clone()])?.to_owned();
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
