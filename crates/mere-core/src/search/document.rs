//! An item as search sees it: its texts by field, and the exact marks that filters ask for.

use serde_json::Value;

use super::query::normal;
use super::token::fold;
use crate::item::{Item, ScopedPath};

/// A part of an item that has words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
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

impl Field {
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
pub enum Mark {
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

impl Mark {
    /// What it is in an index of words: no word has its first character.
    pub fn term(&self) -> String {
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
    pub marks: Vec<Mark>,
}

impl Document {
    /// What search sees of the item that lies at `at`.
    pub fn of(item: &Item, at: &ScopedPath, text: &str) -> Self {
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
        let mut marks = vec![Mark::Name(normal(id)), Mark::Name(normal(title))];
        if !category.is_empty() {
            marks.push(Mark::Name(normal(&format!("{category}/{id}"))));
        }
        marks.retain(|mark| *mark != Mark::Name(String::new()));
        marks.extend(item.tags().iter().map(|tag| Mark::Tag(fold(tag.trim()))));
        let levels = category.match_indices('/').map(|(end, _)| &category[..end]);
        let levels = levels.chain([category]).filter(|level| !level.is_empty());
        marks.extend(levels.map(|level| Mark::Category(fold(level))));
        marks.extend(own_marks(item));
        marks.sort();
        marks.dedup();
        Self { texts, marks }
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
fn own_marks(item: &Item) -> Vec<Mark> {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(fold);
    match item {
        Item::Knowledge(entry) => {
            text(entry.frontmatter.get("entry_type")).map(Mark::EntryType).into_iter().collect()
        }
        Item::Tool(tool) => {
            let executor = tool.executor.as_ref().map(|id| Mark::Executor(fold(id.as_str())));
            [Mark::ToolType(fold(&tool.tool_type))].into_iter().chain(executor).collect()
        }
        Item::Directive(directive) => {
            let tier = directive.metadata.get("model").and_then(|model| model.get("tier"));
            text(tier).map(Mark::ModelTier).into_iter().collect()
        }
        Item::Skill(_) | Item::Memory(_) | Item::Lockfile(_) => Vec::new(),
    }
}
