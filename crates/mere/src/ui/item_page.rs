//! One item: its text, and who vouches for it.

use mere_core::item::{ItemRef, ItemType, Scope};
use mere_core::request::{ItemVerb, Load, LookupScope};
use mere_pages::{Attribute, Html, Tag, command_block, definition_list, element, render_markdown};
use serde::Deserialize;

use super::items::TrustState;
use super::reader::{UiReader, Unreadable};
use super::site;

/// The longest source that is shown, in bytes.
const MAX_SOURCE: usize = 48 * 1024;

#[derive(Deserialize)]
struct ItemText {
    id: String,
    category: String,
    version: Option<String>,
    address: Option<String>,
    content: String,
    trust: TrustState,
    files: Vec<FileRow>,
}

#[derive(Deserialize)]
struct FileRow {
    path: String,
    size: u64,
}

/// Renders the page.
pub(super) fn render(
    reader: &UiReader,
    kind: ItemType,
    scope: Scope,
    item: &ItemRef,
) -> Result<String, Unreadable> {
    let load = Load {
        kind,
        item: item.clone(),
        source: LookupScope::Only(scope),
        destination: None,
        version: None,
        relationships: None,
    };
    let loaded = reader.read::<ItemText>("show", ItemVerb::Load(load))?;
    let name = site::item_name(&loaded.category, &loaded.id);
    let head = element(Tag::Header).class("title");
    let head = head.with(element(Tag::P).class("crumbs").with(kind.name()));
    let head = head.with(element(Tag::H1).with(&name));
    let files = loaded.files.iter().take(100).map(|file| {
        element(Tag::Li)
            .with(element(Tag::Code).with(&file.path))
            .with(format!(" {} bytes", file.size))
    });
    let files = Html::from(element(Tag::Ul).class("tree").with_all(files));
    let facts = definition_list([
        ("Trust", loaded.trust.render()),
        ("Version", loaded.version.clone().into()),
        ("Address", loaded.address.clone().map(|address| element(Tag::Code).with(address)).into()),
        ("Files", if loaded.files.is_empty() { Html::default() } else { files }),
    ]);
    let why = command_block(&format!("mere show {} {name}", kind.name()));
    let side = element(Tag::Aside).class("panel").set(Attribute::AriaLabel, "About this item");
    let columns = element(Tag::Div).class("columns").with(text(kind, &loaded.content));
    let content = Html::from(head).with(columns.with(side.with(facts).with(why)));
    Ok(site::render(&name, site::ITEMS, content))
}

fn text(kind: ItemType, content: &str) -> Html {
    let article = element(Tag::Article).class("panel");
    let body = match kind {
        ItemType::Knowledge | ItemType::Memory => render_markdown(without_frontmatter(content)),
        ItemType::Directive if content.starts_with("---") => {
            render_markdown(without_frontmatter(content))
        }
        _ => {
            let (shown, cut) = Html::beginning(content, MAX_SOURCE);
            let code = element(Tag::Code).with(shown);
            let code = element(Tag::Pre).set(Attribute::TabIndex, "0").with(code);
            let cut = cut.map(|words| element(Tag::P).class("note").with(words));
            Html::from(code).with(cut)
        }
    };
    article.with(body).into()
}

/// Returns what follows the frontmatter, which the page shows in its own way.
fn without_frontmatter(text: &str) -> &str {
    let rest = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n"));
    rest.map_or(text, |(_, body)| body)
}
