//! Renders a subgraph as JSON: `nodes`, and `edges` whose `source` and `target` are indices of that
//! list.

use serde_json::{Value, json};

use crate::graph::{Subgraph, UnresolvedReason};

impl Subgraph<'_> {
    /// Renders the subgraph as JSON.
    pub fn to_json(&self) -> String {
        let nodes = (0..self.nodes.len()).map(|index| self.json_node(index)).collect::<Vec<_>>();
        let edges = self.links.iter().map(|stroke| {
            json!({
                "source": stroke.from,
                "target": stroke.to,
                "relation": stroke.relation.name(),
            })
        });
        let drawing = json!({
            "focus": self.focus.map(|_| 0),
            "nodes": nodes,
            "edges": edges.collect::<Vec<_>>(),
            "loose": self.json_unresolved_links(),
            "left_out": self.omitted_count,
        });
        format!("{drawing:#}\n")
    }

    fn json_node(&self, index: usize) -> Value {
        let node = self.node(index);
        json!({
            "item_type": node.kind.name(),
            "id": node.id.as_str(),
            "category": node.category.as_str(),
            "scope": node.scope.name(),
            "title": &*node.title,
            "entry_type": node.entry_type.as_deref(),
            "superseded": self.graph.is_superseded(self.nodes[index]),
        })
    }

    /// Returns the unresolved links of its entries.
    fn json_unresolved_links(&self) -> Vec<Value> {
        let nodes = self.nodes.iter().enumerate();
        let links = nodes.flat_map(|(source, node)| {
            let links = self.graph.unresolved_links(*node).iter();
            let links = links.filter(|link| self.options.relations.contains(link.relation));
            links.map(move |link| {
                json!({
                    "source": source,
                    "relation": link.relation.name(),
                    "target": &*link.target,
                    "ambiguous": link.reason == UnresolvedReason::Ambiguous,
                })
            })
        });
        links.collect()
    }
}
