//! The style sheet of a diagram, for a light and a dark background.

use super::xml::XmlWriter;
use crate::graph::draw::palette;
use crate::item::Relation;

const LIGHT_STYLES: &str = ".mere-graph text{font-family:system-ui,-apple-system,\"Segoe UI\",Roboto,\
\"Helvetica Neue\",Arial,\"Noto Sans\",sans-serif;fill:#1f2733}\
.mere-graph .ground{fill:#f7f8fa}\
.mere-graph .entry rect{fill:#ffffff;stroke:#cfd6df;stroke-width:1}\
.mere-graph .title{font-size:13px;font-weight:600}\
.mere-graph .small,.mere-graph .key{font-size:11px;fill:#677284}\
.mere-graph .tiny{font-size:11px}\
.mere-graph .heading{font-size:17px;font-weight:650}\
.mere-graph .count{font-size:12px;fill:#677284}\
.mere-graph .panel{fill:#eef1f5;stroke:#dde2e9}\
.mere-graph .caption{font-size:12px;font-weight:600;fill:#4a5565}\
.mere-graph .focus rect{stroke:#2563eb;stroke-width:2.5}\
.mere-graph .old rect{fill:#f1f3f6;stroke-dasharray:4 3}\
.mere-graph .old text{fill:#98a1af}\
.mere-graph .old .title,.mere-graph .old .tiny{text-decoration:line-through}\
.mere-graph .link{fill:none;stroke-width:1.6;stroke-linecap:round}\
.mere-graph .many .link{stroke-width:1;stroke-opacity:.4}\
.mere-graph .many .head{fill-opacity:.7}\
.mere-graph .caption{paint-order:stroke;stroke:#eef1f5;stroke-width:4px}";

const DARK_STYLES: &str = ".mere-graph text{fill:#e4e8ee}\
.mere-graph .ground{fill:#0e1218}\
.mere-graph .entry rect{fill:#1a212b;stroke:#374252}\
.mere-graph .small,.mere-graph .key,.mere-graph .count{fill:#96a1b1}\
.mere-graph .panel{fill:#141a22;stroke:#252e3a}\
.mere-graph .caption{fill:#b4becb;stroke:#141a22}\
.mere-graph .focus rect{stroke:#6ea8fe}\
.mere-graph .old rect{fill:#141921}\
.mere-graph .old text{fill:#6b7686}";

/// Writes the styles of some relations' lines, and of everything else.
pub(super) fn write_styles(xml: &mut XmlWriter, relations: &[Relation]) {
    xml.push_markup(format_args!("<style>{LIGHT_STYLES}"));
    for relation in relations {
        let ink = palette::line_style(*relation);
        write_rule(xml, *relation, ink.light);
        if let Some(dashes) = ink.dashes {
            xml.push_markup(format_args!(
                ".mere-graph .link.{relation}{{stroke-dasharray:{dashes}}}"
            ));
        }
    }
    xml.push_markup(format_args!("@media (prefers-color-scheme:dark){{{DARK_STYLES}"));
    for relation in relations {
        write_rule(xml, *relation, palette::line_style(*relation).dark);
    }
    xml.push_markup(format_args!("}}</style>\n"));
}

fn write_rule(xml: &mut XmlWriter, relation: Relation, colour: &str) {
    xml.push_markup(format_args!(
        ".mere-graph .link.{relation}{{stroke:{colour}}}.mere-graph .head.{relation}{{fill:{colour}}}"
    ));
}
