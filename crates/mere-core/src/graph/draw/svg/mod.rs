//! Renders a subgraph as one SVG document, with no script and nothing from outside, such as fonts.
//! It is light or dark, as the reader prefers.
//!
//! Up to four hundred entries are laid out in layers, more in panels by category. The work is
//! bounded, and all arithmetic uses integers, so that the same graph gives the same drawing.

mod card;
mod diagram;
mod geometry;
mod layer_graph;
mod layered_layout;
mod legend;
mod order;
mod pack;
mod panels;
mod position;
mod rank;
mod rank_folding;
mod route;
mod style;
mod text_measure;
mod xml;

use crate::graph::{Subgraph, label};
use crate::item::Relation;
use diagram::{Curve, Diagram, MARGIN};
use geometry::{Point, Size};
use legend::{Legend, LegendKey};
use xml::XmlWriter;

/// The most entries that are drawn.
const MAX_DRAWN: usize = 2_000;
/// The longest title in the heading, in columns.
const MAX_TITLE_COLUMNS: usize = 60;
/// The height of the heading, and the smallest width of a drawing.
const HEADING_HEIGHT: i32 = 46;
const MIN_WIDTH: i32 = 320;

impl Subgraph<'_> {
    /// Renders the subgraph as an SVG document.
    pub fn to_svg(&self) -> String {
        if self.nodes.len() > MAX_DRAWN {
            return self.with_at_most(MAX_DRAWN).to_svg();
        }
        let diagram = Diagram::new(self);
        let heading = self.heading();
        let counts = self.counts();
        let needed =
            text_measure::text_width(&heading, 17).max(text_measure::text_width(&counts, 12));
        let width = diagram.layout.size.width.max(MIN_WIDTH).max(needed);
        let has_old = self.nodes.iter().any(|node| self.graph.is_superseded(*node));
        let lines = diagram.relations.iter().copied().map(LegendKey::Line);
        let legend = Legend::new(lines.chain(has_old.then_some(LegendKey::Superseded)), width);
        let width = width.max(legend.width);
        let top = MARGIN.y + HEADING_HEIGHT + legend.height + 14;
        let height = top + diagram.layout.size.height + MARGIN.y;
        let mut xml = XmlWriter::default();
        write_opening(&mut xml, Size { width: width + 2 * MARGIN.x, height }, (&heading, &counts));
        style::write_styles(&mut xml, &diagram.relations);
        xml.push_markup(format_args!("<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n"));
        write_text(&mut xml, "heading", MARGIN.translate(Point { x: 0, y: 15 }), &heading);
        write_text(&mut xml, "count", MARGIN.translate(Point { x: 0, y: 35 }), &counts);
        legend.write(&mut xml, MARGIN.translate(Point { x: 0, y: HEADING_HEIGHT }));
        let left = MARGIN.x + (width - diagram.layout.size.width) / 2;
        xml.push_markup(format_args!("<g transform=\"translate({left} {top})\">\n"));
        self.write_diagram(&mut xml, &diagram);
        xml.push_markup(format_args!("</g>\n</svg>\n"));
        xml.into_string()
    }

    fn heading(&self) -> String {
        match self.focus {
            Some(focus) => label::fit_to_columns(&self.graph.node(focus).title, MAX_TITLE_COLUMNS),
            None => "Knowledge graph".to_owned(),
        }
    }

    fn counts(&self) -> String {
        let counted = |count: usize, one: &str, many: &str| {
            format!("{count} {}", if count == 1 { one } else { many })
        };
        let entries = counted(self.nodes.len(), "entry", "entries");
        let links = counted(self.links.len(), "link", "links");
        match self.omitted_count {
            0 => format!("{entries}, {links}"),
            more => format!("{entries}, {links}; {more} more not shown"),
        }
    }

    fn write_diagram(&self, xml: &mut XmlWriter, diagram: &Diagram) {
        for panel in &diagram.layout.panels {
            let (at, size) = (panel.place.at, panel.place.size);
            xml.push_markup(format_args!(
                "<rect class=\"panel\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"10\"/>",
                at.x, at.y, size.width, size.height
            ));
        }
        let many = if diagram.layout.panels.is_empty() { "links" } else { "links many" };
        xml.push_markup(format_args!("<g class=\"{many}\">\n"));
        let mut curves = diagram.layout.curves.iter().collect::<Vec<_>>();
        // The least telling links are drawn at the bottom.
        curves.sort_by_key(|curve| curve.link.relation != Relation::References);
        for curve in curves {
            self.write_curve(xml, curve);
        }
        xml.push_markup(format_args!("</g>\n"));
        for panel in &diagram.layout.panels {
            let caption =
                text_measure::fit_to_width(&panel.caption, panel.place.size.width - 28, 12);
            write_text(xml, "caption", panel.place.at.translate(Point { x: 14, y: 19 }), &caption);
        }
        for (card, place) in diagram.cards.iter().zip(&diagram.layout.boxes) {
            card.write(xml, *place);
        }
    }

    fn write_curve(&self, xml: &mut XmlWriter, curve: &Curve) {
        let relation = curve.link.relation;
        xml.push_markup(format_args!(
            "<path class=\"link {relation}\" d=\"{}\"><title>",
            curve.path
        ));
        let (from, to) = (self.node(curve.link.from), self.node(curve.link.to));
        xml.push_text(&format!("{from} {relation} {to}"));
        xml.push_markup(format_args!("</title></path>"));
        if let Some(head) = &curve.head {
            xml.push_markup(format_args!("<path class=\"head {relation}\" d=\"{head}\"/>"));
        }
        xml.push_markup(format_args!("\n"));
    }
}

fn write_opening(xml: &mut XmlWriter, size: Size, (heading, counts): (&str, &str)) {
    let Size { width, height } = size;
    xml.push_markup(format_args!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"mere-graph\" role=\"img\" \
         aria-labelledby=\"mere-graph-title mere-graph-desc\" width=\"{width}\" \
         height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n<title id=\"mere-graph-title\">"
    ));
    xml.push_text(heading);
    xml.push_markup(format_args!("</title>\n<desc id=\"mere-graph-desc\">"));
    xml.push_text(&format!("Entries and the links between them: {counts}."));
    xml.push_markup(format_args!("</desc>\n"));
}

fn write_text(xml: &mut XmlWriter, class: &str, at: Point, text: &str) {
    xml.push_markup(format_args!("<text class=\"{class}\" x=\"{}\" y=\"{}\">", at.x, at.y));
    xml.push_text(text);
    xml.push_markup(format_args!("</text>\n"));
}
