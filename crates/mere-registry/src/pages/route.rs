//! Which pages there are.

use mere_core::item::Category;
use mere_core::registry::{Namespace, RegistryItemName, RegistryVersionName};
use mere_pages::Asset;

/// A page that is served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PageRoute {
    /// What there is, in short.
    Home,
    /// Items by words and filters.
    Search,
    /// The items of a category, and the categories below it.
    Category(Category),
    /// A namespace, its keys and its items.
    Namespace(Namespace),
    /// The newest version of an item.
    Item(RegistryItemName),
    /// One version of an item.
    Version(RegistryVersionName),
    /// What two versions of an item differ in.
    Difference(RegistryItemName),
    /// The knowledge of a namespace and its links.
    Graph,
    /// The drawing of that.
    GraphPicture,
    /// A file that pages refer to.
    Asset(Asset),
}

impl PageRoute {
    /// Finds the page of a path.
    pub(crate) fn parse(path: &str) -> Option<Self> {
        match path {
            "/" => return Some(Self::Home),
            "/search" => return Some(Self::Search),
            "/graph" => return Some(Self::Graph),
            "/graph.svg" => return Some(Self::GraphPicture),
            "/c" => return Some(Self::Category(Category::default())),
            _ => {}
        }
        if let Some(asset) = Asset::at(path) {
            return Some(Self::Asset(asset));
        }
        if let Some(category) = path.strip_prefix("/c/") {
            let category = category.parse::<Category>().ok();
            return category.filter(|category| !category.is_empty()).map(Self::Category);
        }
        if let Some(namespace) = path.strip_prefix("/n/") {
            return namespace.parse().ok().map(Self::Namespace);
        }
        // No other character of a name is ever encoded.
        let name = path.strip_prefix("/i/")?.replace("%2B", "+");
        let parts = name.split('/').collect::<Vec<_>>();
        let item = |kind: &str, namespace: &str, id: &str| {
            let (kind, namespace) = (kind.parse().ok()?, namespace.parse().ok()?);
            Some(RegistryItemName { kind, namespace, id: id.parse().ok()? })
        };
        match parts.as_slice() {
            [kind, namespace, id] => item(kind, namespace, id).map(Self::Item),
            [kind, namespace, id, "diff"] => item(kind, namespace, id).map(Self::Difference),
            [kind, namespace, id, version] => {
                let version = version.parse().ok()?;
                item(kind, namespace, id).map(|item| Self::Version(item.with_version(version)))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_parsed_and_nothing_else_is_a_page() {
        for good in [
            "/",
            "/search",
            "/c",
            "/c/api/auth",
            "/n/acme",
            "/i/tool/acme/greet",
            "/i/tool/acme/greet/1.0.0",
            "/i/tool/acme/greet/1.0.0%2Bbuild",
            "/i/tool/acme/greet/diff",
            "/graph",
            "/graph.svg",
            "/assets/mere.css",
        ] {
            assert!(PageRoute::parse(good).is_some(), "{good}");
        }
        for bad in [
            "",
            "//",
            "/c/",
            "/c/../x",
            "/n/",
            "/n/Admin",
            "/i/memory/acme/x",
            "/i/tool/acme",
            "/i/tool/acme/x/y/z",
            "/i/tool/acme/%2e%2e",
            "/assets/../mere.css",
            "/search/",
        ] {
            assert_eq!(PageRoute::parse(bad), None, "{bad}");
        }
    }
}
