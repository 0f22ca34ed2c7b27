//! The colour and line style of each relation, on a light and on a dark background.

use crate::item::Relation;

/// A colour for each background, and the dashes that distinguish a line without colour.
pub(in crate::graph) struct LineStyle {
    pub(in crate::graph) light: &'static str,
    pub(in crate::graph) dark: &'static str,
    /// The lengths of dash and gap; `None` for a solid line.
    pub(in crate::graph) dashes: Option<&'static str>,
}

/// Returns the line style of a relation.
pub(in crate::graph) fn line_style(relation: Relation) -> LineStyle {
    let (light, dark, dashes) = match relation {
        Relation::Extends => ("#2563eb", "#6ea8fe", None),
        Relation::References => ("#8b95a5", "#7d8590", None),
        Relation::Contradicts => ("#dc2626", "#ff7b72", Some("7 4")),
        Relation::Supersedes => ("#7c3aed", "#bc8cff", None),
        Relation::Implements => ("#059669", "#3fb984", None),
        Relation::DependsOn => ("#c2570c", "#f0883e", None),
        Relation::Related => ("#0e8ba5", "#56c7dd", Some("2 4")),
        Relation::ExampleOf => ("#be2a86", "#f084c4", Some("9 3 2 3")),
        Relation::Requires => ("#9a6700", "#d4a72c", None),
        Relation::Suggests => ("#4d7c0f", "#a3c64b", Some("4 4")),
    };
    LineStyle { light, dark, dashes }
}
