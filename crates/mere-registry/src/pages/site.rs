//! What all pages of a registry share, and the links between them.

use mere_core::item::{Category, Version};
use mere_core::registry::{Namespace, RegistryItemName};
use mere_pages::{Href, Html, Page, Site, SiteLink, Tag, element, link};

/// The words of the links at the top.
pub(super) const BROWSE: &str = "Browse";
pub(super) const CATEGORIES: &str = "Categories";
pub(super) const GRAPH: &str = "Graph";

/// Renders a page of the registry.
pub(super) fn render(title: &str, section: Option<&'static str>, content: Html) -> String {
    render_found(title, section, "", content)
}

/// Renders a page with something in its search field.
pub(super) fn render_found(
    title: &str,
    section: Option<&'static str>,
    query: &str,
    content: Html,
) -> String {
    let links = [
        (BROWSE, search_href()),
        (CATEGORIES, Href::page(&["c"])),
        (GRAPH, Href::page(&["graph"])),
    ];
    let links = links.map(|(words, href)| SiteLink { words, href }).to_vec();
    let words = "Authors sign what they publish, and a public log shows everybody the same. ";
    let footer = element(Tag::P).with(words).with(link(&Href::page(&["log", "checkpoint"]), "Log"));
    let footer = footer.with(" · ").with(link(&Href::page(&["openapi.json"]), "Interface"));
    let site =
        Site { name: "Merestone registry", links, search: search_href(), footer: footer.into() };
    Page { site: &site, title, section, query, content }.render()
}

/// Leads to the search.
pub(super) fn search_href() -> Href {
    Href::page(&["search"])
}

/// Leads to a namespace.
pub(super) fn namespace_href(namespace: &Namespace) -> Href {
    Href::page(&["n", namespace.as_str()])
}

/// Leads to a category.
pub(super) fn category_href(category: &Category) -> Href {
    let parts = category.as_str().split('/').filter(|part| !part.is_empty());
    Href::page(&["c"].into_iter().chain(parts).collect::<Vec<_>>())
}

/// Leads to an item.
pub(super) fn item_href(item: &RegistryItemName) -> Href {
    Href::page(&["i", item.kind.name(), item.namespace.as_str(), item.id.as_str()])
}

/// Leads to a version of an item.
pub(super) fn version_href(item: &RegistryItemName, version: &Version) -> Href {
    let version = version.to_string();
    Href::page(&["i", item.kind.name(), item.namespace.as_str(), item.id.as_str(), &version])
}

/// Leads to what two versions differ in.
pub(super) fn difference_href(item: &RegistryItemName, from: &Version, to: &Version) -> Href {
    let path = ["i", item.kind.name(), item.namespace.as_str(), item.id.as_str(), "diff"];
    Href::page(&path).with_query(&[("from", &from.to_string()), ("to", &to.to_string())])
}
