//! What all pages of `mere ui` share.

use mere_pages::{Href, Html, Page, Site, SiteLink, Tag, element};

/// The words of the links at the top.
pub(super) const ITEMS: &str = "Items";
pub(super) const REVIEW: &str = "Review";
pub(super) const MEMORIES: &str = "Memories";
pub(super) const GRAPH: &str = "Graph";
pub(super) const RUNS: &str = "Runs";
pub(super) const CALLS: &str = "Calls";
pub(super) const CLIENTS: &str = "Clients";

/// Renders a page.
pub(super) fn render(title: &str, section: &'static str, content: Html) -> String {
    render_found(title, section, "", content)
}

/// Renders a page with something in its search field.
pub(super) fn render_found(
    title: &str,
    section: &'static str,
    query: &str,
    content: Html,
) -> String {
    let links = [
        (ITEMS, Href::page(&[])),
        (REVIEW, Href::page(&["review"])),
        (MEMORIES, Href::page(&["memories"])),
        (GRAPH, Href::page(&["graph"])),
        (RUNS, Href::page(&["runs"])),
        (CALLS, Href::page(&["calls"])),
        (CLIENTS, Href::page(&["clients"])),
    ];
    let links = links.map(|(words, href)| SiteLink { words, href }).to_vec();
    let words = "These pages are read-only. To accept, sign or grant something, type the command.";
    let footer = element(Tag::P).with(words).into();
    let site = Site { name: "Merestone", links, search: Href::page(&["search"]), footer };
    Page { site: &site, title, section: Some(section), query, content }.render()
}

/// Leads to an item.
pub(super) fn item_href(kind: &str, scope: &str, name: &str) -> Href {
    let mut parts = vec!["item", kind, scope];
    parts.extend(name.split('/'));
    Href::page(&parts)
}

/// Returns the full name of an item.
pub(super) fn item_name(category: &str, id: &str) -> String {
    if category.is_empty() { id.to_owned() } else { format!("{category}/{id}") }
}
