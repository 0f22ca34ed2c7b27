//! The first page: what there is, in short.

use mere_core::registry::RegistryQuery;
use mere_pages::{Attribute, Html, Tag, command_block, definition_list, element, empty_note, link};

use super::item_list::{cards, category_list};
use super::{PageRequest, site};
use crate::error::RegistryError;
use crate::items::ItemCounts;

/// How many items the first page shows.
const SHOWN_ITEMS: u16 = 12;

impl PageRequest<'_> {
    /// Shows what there is.
    pub(super) fn home(&self) -> Result<String, RegistryError> {
        let counts = self.registry.count_items(self.access)?;
        let query = RegistryQuery { limit: Some(SHOWN_ITEMS), ..RegistryQuery::default() };
        let found = self.registry.list_items(self.access, &query)?;
        let lead = "Directives, tools and knowledge for AI agents. Each version is signed by its \
                    author and recorded in a public log.";
        let hero = element(Tag::Header).class("hero");
        let hero = hero.with(element(Tag::H1).with("What agents use, signed and in the open"));
        let hero = hero.with(element(Tag::P).class("lead").with(lead));
        let items = element(Tag::Section).with(element(Tag::H2).with("Items"));
        let items = items.with(if found.items.is_empty() {
            empty_note("Nothing is published here yet. Publish with `mere publish TYPE ID`.")
        } else {
            cards(&found, Tag::H3)
        });
        let items = items.with(
            found
                .next
                .is_some()
                .then(|| element(Tag::P).with(link(&site::search_href(), "All items"))),
        );
        let columns = element(Tag::Div).class("columns").with(items);
        let content = Html::from(hero).with(self.numbers(&counts)?);
        let content = content.with(columns.with(self.side(&counts)));
        Ok(site::render("Start", None, content))
    }

    /// Shows how many items of each type there are, and how long the log is.
    fn numbers(&self, counts: &ItemCounts) -> Result<Html, RegistryError> {
        let types = counts.types.iter().map(|(kind, count)| {
            let word = match (kind.name(), count) {
                ("knowledge", _) => "knowledge".to_owned(),
                (name, 1) => name.to_owned(),
                (name, _) => format!("{name}s"),
            };
            (*count, word)
        });
        let size = self.registry.log_size()?;
        let word = if size == 1 { "entry in the log" } else { "entries in the log" };
        let log = (size, word.to_owned());
        let all = types.chain([log]).map(|(count, word)| {
            let count = element(Tag::Strong).with(count.to_string());
            element(Tag::Li).with(count).with(element(Tag::Span).with(word))
        });
        Ok(element(Tag::Ul).class("stats").with_all(all).into())
    }

    fn side(&self, counts: &ItemCounts) -> Html {
        let namespaces = counts.namespaces.iter().map(|(namespace, count)| {
            let name = link(&site::namespace_href(namespace), namespace.as_str());
            let count = element(Tag::Span).class("quiet small").with(format!(" {count}"));
            element(Tag::Li).with(name).with(count)
        });
        let namespaces = element(Tag::Ul).class("tree").with_all(namespaces);
        let categories =
            element(Tag::Section).class("panel").with(element(Tag::H2).with("Categories"));
        let categories = categories.with(category_list(&counts.categories));
        let authors =
            element(Tag::Section).class("panel").with(element(Tag::H2).with("Namespaces"));
        let key = self.registry.log_key().fingerprint().to_string();
        let key = element(Tag::Span).class("digest").with(key);
        let install = element(Tag::Section).class("panel").with(element(Tag::H2).with("Use it"));
        let install = install.with(command_block("mere pull TYPE NAMESPACE/ID"));
        let install = install.with(definition_list([("Key of the log", key.into())]));
        let side =
            element(Tag::Aside).class("stack").set(Attribute::AriaLabel, "About the registry");
        side.with(install).with(authors.with(namespaces)).with(categories).into()
    }
}
