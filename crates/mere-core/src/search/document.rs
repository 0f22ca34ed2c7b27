//! An item as search sees it: its texts by field, and the exact terms that filters ask for.

use serde_json::Value;

use super::query::normalize_name;
use super::token::fold;
use crate::embed::EmbeddingText;
use crate::item::{Item, ScopedPath};

/// A part of an item that is searched for words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentField {
    /// The title.
    Title,
    /// The id.
    Id,
    /// The tags.
    Tags,
    /// The description.
    Description,
    /// The category.
    Category,
    /// The whole text.
    Body,
}

impl DocumentField {
    /// Every field, the most important first.
    pub const ALL: [Self; 6] =
        [Self::Title, Self::Id, Self::Tags, Self::Description, Self::Category, Self::Body];

    /// Returns the bit that stands for the field in a bit set.
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

/// A property that an item either has exactly or does not have.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExactTerm {
    /// A normalised name: the title, the id, or category and id.
    Name(String),
    /// A folded tag.
    Tag(String),
    /// The category, or one of its ancestors.
    Category(String),
    /// The type of a knowledge entry.
    EntryType(String),
    /// The type of a tool.
    ToolType(String),
    /// The tool that runs a tool.
    Executor(String),
    /// The model tier that a directive is meant for.
    ModelTier(String),
}

impl ExactTerm {
    /// Returns the term for the inverted index. It begins with a character that no word contains.
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
    /// The texts, in the order of [`DocumentField::ALL`].
    pub texts: [String; 6],
    /// What the whole text says in sentences, for models.
    pub prose: String,
    /// The properties that filters can ask for.
    pub exact_terms: Vec<ExactTerm>,
}

impl Document {
    /// Builds the document of the item that lies at `at`.
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
        Self { texts, prose: item.prose(text).into_owned(), exact_terms }
    }

    /// Returns what models embed of the item.
    pub fn embedding_text(&self) -> EmbeddingText {
        let [title, id, tags, description, ..] = &self.texts;
        let name = id.replace(['-', '_'], " ");
        let heading = if title.is_empty() { &name } else { title };
        let whole = [title, &name, description, tags, &self.prose];
        EmbeddingText {
            heading: format!("{heading}\n{description}"),
            whole: whole.map(String::as_str).join("\n"),
        }
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

/// Returns the exact terms that only items of this type have.
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
