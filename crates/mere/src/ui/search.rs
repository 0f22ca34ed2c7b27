//! Items by words, ranked as agents find them.

use mere_core::request::{HitDetail, HitLimit, ItemVerb, RankMode, Search};
use mere_pages::{Html, Tag, Tone, badge, element, empty_note, link};
use serde::Deserialize;

use super::items::TrustState;
use super::reader::{UiReader, Unreadable};
use super::site;

/// How many items are shown.
const MAX_FOUND: usize = 30;

#[derive(Deserialize)]
struct FoundItems {
    results: Vec<FoundItem>,
}

#[derive(Deserialize)]
struct FoundItem {
    item_type: String,
    id: String,
    category: String,
    scope: String,
    title: Option<String>,
    description: Option<String>,
    preview: Option<String>,
    trust: TrustState,
}

/// Renders the page for the words of a query.
pub(super) fn render(reader: &UiReader, words: &str) -> Result<String, Unreadable> {
    let search = Search {
        query: words.to_owned(),
        rank: RankMode::Unified,
        limit: HitLimit::Given(MAX_FOUND),
        detail: HitDetail::Full,
        ..Search::default()
    };
    let found = reader.read::<FoundItems>("search", ItemVerb::Search(search))?.results;
    let content = Html::from(element(Tag::H1).with("Search results"));
    let content = if found.is_empty() {
        content.with(empty_note("Nothing was found."))
    } else {
        content.with(element(Tag::Ul).class("cards").with_all(found.iter().map(card)))
    };
    Ok(site::render_found("Search results", site::ITEMS, words, content))
}

fn card(item: &FoundItem) -> Html {
    let name = site::item_name(&item.category, &item.id);
    let href = site::item_href(&item.item_type, &item.scope, &name);
    let title = item.title.clone().unwrap_or_else(|| name.clone());
    let about = item.description.as_ref().or(item.preview.as_ref());
    let about = about.map(|about| {
        let plain = about.replace(mere_core::search::HIGHLIGHT_MARK, "");
        element(Tag::P).with(plain)
    });
    let meta = element(Tag::P).class("meta").with(badge(Tone::Plain, item.item_type.as_str()));
    let meta = meta.with(element(Tag::Span).with(name)).with(item.trust.render());
    let card = element(Tag::Li).class("card").with(element(Tag::H2).with(link(&href, title)));
    card.with(about).with(meta).into()
}
