//! The knowledge of a namespace and its links, drawn and as a table.

use std::collections::HashMap;

use mere_core::graph::{Graph, GraphEntry, Link, Subgraph, WalkOptions};
use mere_core::item::{CategoryBase, ItemForm, ItemType, Scope, ScopedPath};
use mere_core::registry::{
    MAX_PAGE_ITEMS, Namespace, RegistryItemName, RegistryItemRow, RegistryQuery, RegistryType,
};
use mere_pages::{Attribute, Href, Html, Tag, element, empty_note, link, table};

use super::{PageRequest, site};
use crate::error::RegistryError;
use crate::items::StatedLink;

/// The most entries of a drawing, and the most rows of the table beside it.
const MAX_ENTRIES: usize = 300;
const MAX_ROWS: usize = 300;

/// The entries of a namespace and the links that they state.
struct NamespaceKnowledge {
    entries: Vec<RegistryItemRow>,
    links: Vec<StatedLink>,
}

impl PageRequest<'_> {
    /// Shows the graph of a namespace: the one asked for, or the first that has knowledge.
    pub(super) fn graph(&self) -> Result<String, RegistryError> {
        let all = self.registry.count_items(self.access)?.namespaces;
        let Some((namespace, knowledge)) = self.find_knowledge(&all)? else {
            let words = empty_note("No knowledge is published here yet.");
            let content = Html::from(element(Tag::H1).with("Knowledge graph")).with(words);
            return Ok(site::render("Knowledge graph", Some(site::GRAPH), content));
        };
        let title = format!("Knowledge of {namespace}");
        let links = all.iter().map(|(other, _)| {
            let href = Href::page(&["graph"]).with_query(&[("namespace", other.as_str())]);
            let shown = link(&href, other.as_str());
            let is_this = *other == namespace;
            element(Tag::Li).with(if is_this {
                shown.set(Attribute::AriaCurrent, "page")
            } else {
                shown
            })
        });
        let choice = element(Tag::Nav).set(Attribute::AriaLabel, "Namespaces");
        let choice = choice.with(element(Tag::Ul).class("stats").with_all(links));
        let choice = (all.len() > 1).then_some(choice);
        let href = Href::page(&["graph.svg"]).with_query(&[("namespace", namespace.as_str())]);
        let words = format!("A drawing of {title}. The table below says the same.");
        let picture = element(Tag::Img).source(&href).set(Attribute::Alt, &words);
        let frame = element(Tag::Div).class("picture").set(Attribute::TabIndex, "0");
        let frame = frame.set(Attribute::Role, "region").set(Attribute::AriaLabel, "Drawing");
        let content = Html::from(element(Tag::H1).with(&title)).with(choice);
        let content = content.with(frame.with(picture)).with(knowledge.table(&namespace));
        Ok(site::render(&title, Some(site::GRAPH), content))
    }

    /// Draws the graph of a namespace.
    pub(super) fn graph_picture(&self) -> Result<String, RegistryError> {
        let namespace = self.list_query()?.namespace.ok_or(RegistryError::NotFound)?;
        self.registry.read_namespace(self.access, &namespace)?;
        let graph = self.read_knowledge(&namespace)?.graph();
        let options = WalkOptions { limit: MAX_ENTRIES, ..WalkOptions::default() };
        Ok(Subgraph::entire_graph(&graph, &options).to_svg())
    }

    fn find_knowledge(
        &self,
        all: &[(Namespace, u64)],
    ) -> Result<Option<(Namespace, NamespaceKnowledge)>, RegistryError> {
        if let Some(namespace) = self.list_query()?.namespace {
            self.registry.read_namespace(self.access, &namespace)?;
            let knowledge = self.read_knowledge(&namespace)?;
            return Ok(Some((namespace, knowledge)));
        }
        for (namespace, _) in all {
            let knowledge = self.read_knowledge(namespace)?;
            if !knowledge.entries.is_empty() {
                return Ok(Some((namespace.clone(), knowledge)));
            }
        }
        Ok(None)
    }

    fn read_knowledge(&self, namespace: &Namespace) -> Result<NamespaceKnowledge, RegistryError> {
        let mut query = RegistryQuery {
            types: vec![RegistryType::Knowledge],
            namespace: Some(namespace.clone()),
            limit: Some(MAX_PAGE_ITEMS),
            ..RegistryQuery::default()
        };
        let mut entries = Vec::new();
        loop {
            let page = self.registry.list_items(self.access, &query)?;
            entries.extend(page.items);
            query.cursor = page.next;
            if query.cursor.is_none() || entries.len() >= MAX_ENTRIES {
                break;
            }
        }
        let links = self.registry.read_stated_links(self.access, namespace)?;
        Ok(NamespaceKnowledge { entries, links })
    }
}

impl NamespaceKnowledge {
    fn graph(&self) -> Graph {
        let mut links = HashMap::<&str, Vec<Link>>::new();
        for one in &self.links {
            let link = Link { relation: one.relation, target: one.to.clone() };
            links.entry(&one.from).or_default().push(link);
        }
        let entries = self.entries.iter().map(|row| {
            let place = ScopedPath {
                scope: Scope::Registry,
                kind: ItemType::Knowledge,
                base: CategoryBase::Space,
                category: row.category.clone(),
                id: row.item_id.clone(),
                version: None,
                form: ItemForm::Flat,
            };
            let stated = links.remove(row.item_id.as_str()).unwrap_or_default();
            GraphEntry::new(&place, row.name.clone(), stated)
                .with_entry_type(row.entry_type.clone())
        });
        entries.collect()
    }

    /// Renders the same as a table, with links to the entries.
    fn table(&self, namespace: &Namespace) -> Html {
        let rows = self.entries.iter().take(MAX_ROWS).map(|row| {
            let item = RegistryItemName {
                kind: row.item_type,
                namespace: namespace.clone(),
                id: row.item_id.clone(),
            };
            let own = self.links.iter().filter(|one| one.from == row.item_id.as_str());
            let own = own.map(|one| format!("{} {}", one.relation, one.to)).collect::<Vec<_>>();
            let name = link(&site::item_href(&item), row.name.as_str());
            vec![name.into(), row.entry_type.clone().into(), own.join(", ").into()]
        });
        table("Entries and their links", &["Entry", "Kind", "Links"], rows.collect())
    }
}
