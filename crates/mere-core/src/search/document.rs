//! An item as search sees it: its texts by field, and the exact marks that filters ask for.

use serde_json::Value;

use super::query::normalize_name;
use super::token::fold;
use crate::item::{Item, ScopedPath};

/// A part of an item that has words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentField {
    /// What people call it.
    Title,
    /// Its id.
    Id,
    /// Its tags.
    Tags,
    /// What it does.
    Description,
    /// Where it is filed.
    Category,
    /// All that it says.
    Body,
}

impl DocumentField {
    /// Every field, those that count most first.
    pub const ALL: [Self; 6] =
        [Self::Title, Self::Id, Self::Tags, Self::Description, Self::Category, Self::Body];

    /// Its bit among others.
    pub fn bit(self) -> u8 {
        match self {
            Self::Title => 1,
            Self::Id => 2,
            Self::Tags => 4,
            Self::Description => 8,
            Self::Category => 16,
            Self::Body => 32,
        }
    }
}

/// Something exact that an item has or has not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExactTerm {
    /// It is called exactly so: its title, its id, or category and id, as words.
    Name(String),
    /// A tag, folded.
    Tag(String),
    /// Its category, or one above it.
    Category(String),
    /// What kind of knowledge it is.
    EntryType(String),
    /// What kind of tool it is.
    ToolType(String),
    /// What runs the tool.
    Executor(String),
    /// For which models a directive is.
    ModelTier(String),
}

impl ExactTerm {
    /// What it is in an index of words: no word has its first character.
    pub fn to_index_term(&self) -> String {
        let (kind, value) = match self {
            Self::Name(value) => ("name", value),
            Self::Tag(value) => ("tag", value),
            Self::Category(value) => ("category", value),
            Self::EntryType(value) => ("entry_type", value),
            Self::ToolType(value) => ("tool_type", value),
            Self::Executor(value) => ("executor", value),
            Self::ModelTier(value) => ("model_tier", value),
        };
        format!("\u{1}{kind}:{value}")
    }
}

/// An item as search sees it.
#[derive(Clone, Debug)]
pub struct Document {
    /// Its texts, in the order of [`Field::ALL`].
    pub texts: [String; 6],
    /// What it has exactly.
    pub exact_terms: Vec<ExactTerm>,
}

impl Document {
    /// What search sees of the item that lies at `at`.
    pub fn from_item(item: &Item, at: &ScopedPath, text: &str) -> Self {
        let (id, category) = (at.id.as_str(), at.category.as_str());
        let title = item.title(at);
        let title = if title == id { "" } else { title };
        let body = item.content_range().and_then(|body| text.get(body)).unwrap_or(text);
        let texts = [
            title.to_owned(),
            id.to_owned(),
            item.tags().join("\n"),
            description(item),
            category.to_owned(),
            body.to_owned(),
        ];
        let mut exact_terms =
            vec![ExactTerm::Name(normalize_name(id)), ExactTerm::Name(normalize_name(title))];
        if !category.is_empty() {
            exact_terms.push(ExactTerm::Name(normalize_name(&format!("{category}/{id}"))));
        }
        exact_terms.retain(|mark| *mark != ExactTerm::Name(String::new()));
        exact_terms.extend(item.tags().iter().map(|tag| ExactTerm::Tag(fold(tag.trim()))));
        let levels = category.match_indices('/').map(|(end, _)| &category[..end]);
        let levels = levels.chain([category]).filter(|level| !level.is_empty());
        exact_terms.extend(levels.map(|level| ExactTerm::Category(fold(level))));
        exact_terms.extend(type_specific_terms(item));
        exact_terms.sort();
        exact_terms.dedup();
        Self { texts, exact_terms }
    }
}

fn description(item: &Item) -> String {
    let stated = match item {
        Item::Knowledge(entry) => entry.frontmatter.get("description"),
        Item::Memory(memory) => memory.frontmatter.get("description"),
        _ => None,
    };
    stated.and_then(Value::as_str).unwrap_or(item.description()).to_owned()
}

/// What filters of its type ask for.
fn type_specific_terms(item: &Item) -> Vec<ExactTerm> {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(fold);
    match item {
        Item::Knowledge(entry) => text(entry.frontmatter.get("entry_type"))
            .map(ExactTerm::EntryType)
            .into_iter()
            .collect(),
        Item::Tool(tool) => {
            let executor = tool.executor.as_ref().map(|id| ExactTerm::Executor(fold(id.as_str())));
            [ExactTerm::ToolType(fold(&tool.tool_type))].into_iter().chain(executor).collect()
        }
        Item::Directive(directive) => {
            let tier = directive.metadata.get("model").and_then(|model| model.get("tier"));
            text(tier).map(ExactTerm::ModelTier).into_iter().collect()
        }
        Item::Skill(_) | Item::Memory(_) | Item::Lockfile(_) => Vec::new(),
    }
}
