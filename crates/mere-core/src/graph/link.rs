//! A link as an entry states it: a relation and the name of another entry, which may not exist.

use serde_json::Value;

use crate::item::{Directive, ItemFault, Knowledge, Relation, find_wikilinks};

/// A link that an entry states.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Link {
    /// The relation of the entry to the target.
    pub relation: Relation,
    /// The name of the target as written: `id`, `category/id`, `/id`, or anything.
    pub target: String,
}

impl Link {
    /// Returns every link of a knowledge entry once: the relations of its frontmatter, then the
    /// wikilinks of its body as `references`. `text` is the whole note that was parsed.
    pub fn from_knowledge(entry: &Knowledge, text: &str) -> Result<Vec<Self>, ItemFault> {
        let mut links = Self::from_frontmatter(entry);
        let body = text.get(entry.content.clone()).unwrap_or_default();
        let targets = find_wikilinks(body)?;
        links
            .extend(targets.into_iter().map(|range| Self::new(Relation::References, &body[range])));
        Ok(deduplicate(links))
    }

    /// Returns only the links of a knowledge entry's frontmatter, for a body that cannot be read.
    pub fn from_frontmatter(entry: &Knowledge) -> Vec<Self> {
        let relations = entry.relations.iter();
        let links = relations
            .flat_map(|(relation, ids)| ids.iter().map(|target| Self::new(*relation, target)));
        deduplicate(links.collect())
    }

    /// Returns each link in a directive's `<relationships>` once.
    pub fn from_directive(directive: &Directive) -> Vec<Self> {
        let stated = &directive.metadata["relationships"];
        let links = Relation::ALL.into_iter().flat_map(|relation| {
            let value = &stated[relation.name()];
            let values = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
            values.iter().filter_map(element_text).map(move |target| Self::new(relation, target))
        });
        deduplicate(links.collect())
    }

    fn new(relation: Relation, target: &str) -> Self {
        Self { relation, target: target.to_owned() }
    }
}

/// Returns the text of an element, with or without attributes.
fn element_text(element: &Value) -> Option<&str> {
    element.as_str().or_else(|| element["_text"].as_str())
}

/// Removes repetitions, and links to the entry's own headings, which have no target.
fn deduplicate(mut links: Vec<Link>) -> Vec<Link> {
    links.retain(|link| !link.target.is_empty());
    let mut seen = std::collections::HashSet::with_capacity(links.len());
    let is_new = links.iter().map(|link| seen.insert(link)).collect::<Vec<_>>();
    let mut is_new = is_new.into_iter();
    links.retain(|_| is_new.next().unwrap_or(false));
    links
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::RelPath;
    use crate::item::{Scope, ScopedPath};

    fn place(path: &str) -> ScopedPath {
        let path = path.parse::<RelPath>().expect("a path");
        ScopedPath::from_space_path(Scope::Project, &path).expect("an item")
    }

    fn describe(links: &[Link]) -> Vec<String> {
        links.iter().map(|link| format!("{} {}", link.relation, link.target)).collect()
    }

    #[test]
    fn a_note_links_by_frontmatter_and_body() {
        let text = "---\nid: n\ntitle: N\nextends: a\nrelated: [b, x/c, b]\nreferences: [d]\n---\n\
                    [[d]] [[/e|alias]] [[#own]] [[a#heading]] `[[code]]` [[Any Text]] [[e]]\n";
        let entry = Knowledge::parse(text, &place("knowledge/x/n.md")).expect("a note");
        let links = Link::from_knowledge(&entry, text).expect("links");
        let expected = [
            "extends a",
            "references d",
            "related b",
            "related x/c",
            "references /e",
            "references a",
            "references Any Text",
            "references e",
        ];
        assert_eq!(describe(&links), expected);
        assert_eq!(describe(&Link::from_frontmatter(&entry)), expected[..4]);
    }

    #[test]
    fn a_directive_links_by_its_relationships() {
        let text = "<directive name=\"d\" version=\"1.0.0\"><metadata><relationships>\
                    <extends>base</extends><related>a</related><related why=\"x\">b</related>\
                    <related>a</related><owns>c</owns></relationships></metadata>\
                    <process></process></directive>";
        let directive = Directive::parse(text, &place("directives/d.md")).expect("a directive");
        assert_eq!(
            describe(&Link::from_directive(&directive)),
            ["extends base", "related a", "related b"]
        );
        let plain = text.replace("<relationships>", "<x>").replace("</relationships>", "</x>");
        let directive = Directive::parse(&plain, &place("directives/d.md")).expect("a directive");
        assert_eq!(Link::from_directive(&directive), []);
    }
}
