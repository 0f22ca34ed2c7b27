//! The memories of the store, by category.

use std::collections::BTreeMap;

use mere_core::request::{ListMemories, MemoryCall, StoreVerb, Verb};
use mere_pages::{Html, Tag, element, empty_note, table};
use serde::Deserialize;

use super::reader::{UiReader, Unreadable};
use super::site;

/// How many memories are shown.
const MAX_MEMORIES: usize = 200;

#[derive(Deserialize)]
struct Memories {
    memories: Vec<MemoryLine>,
    next: Option<String>,
}

#[derive(Deserialize)]
struct MemoryLine {
    path: String,
    title: String,
    tags: Vec<String>,
    updated_at: String,
    token_estimate: u64,
}

/// Renders the page.
pub(super) fn render(reader: &UiReader) -> Result<String, Unreadable> {
    let list = ListMemories { limit: MAX_MEMORIES, ..ListMemories::default() };
    let verb = Verb::Stores(StoreVerb::Memory(MemoryCall::List(list)));
    let found = reader.read::<Memories>("memory", verb)?;
    let mut content = Html::from(element(Tag::H1).with("Memories"));
    if found.memories.is_empty() {
        content.push(empty_note("Agents have not kept any memories yet."));
    }
    let mut by_category = BTreeMap::<&str, Vec<&MemoryLine>>::new();
    for memory in &found.memories {
        let category = memory.path.rsplit_once('/').map_or("", |(category, _)| category);
        by_category.entry(category).or_default().push(memory);
    }
    for (category, memories) in by_category {
        content.push(section(category, &memories));
    }
    if found.next.is_some() {
        let words = "There are more; `mere memory list` shows all.";
        content.push(element(Tag::P).class("note").with(words));
    }
    Ok(site::render("Memories", site::MEMORIES, content))
}

fn section(category: &str, memories: &[&MemoryLine]) -> Html {
    let title = if category.is_empty() { "Without a category" } else { category };
    let rows = memories.iter().map(|memory| {
        vec![
            memory.title.as_str().into(),
            element(Tag::Code).with(&memory.path).into(),
            memory.tags.join(", ").into(),
            memory.updated_at.as_str().into(),
            memory.token_estimate.to_string().into(),
        ]
    });
    let table = table(title, &["Memory", "Path", "Tags", "Changed", "Tokens"], rows.collect());
    element(Tag::Section).with(element(Tag::H2).with(title)).with(table).into()
}
