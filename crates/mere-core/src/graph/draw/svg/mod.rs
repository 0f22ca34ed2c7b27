//! A picture as one SVG document: no script, no fonts or anything else from outside, light or dark
//! as the reader likes it.
//!
//! Up to four hundred entries are laid out in layers, more in panels by category. The work is
//! bounded, and everything is reckoned in whole numbers, so that the same graph is the same drawing.

mod card;
mod fold;
mod geometry;
mod lattice;
mod layered;
mod legend;
mod measure;
mod order;
mod pack;
mod panels;
mod place;
mod rank;
mod route;
mod sheet;
mod style;
mod xml;

use crate::graph::{Picture, label};
use crate::item::Relation;
use geometry::{Point, Size};
use legend::{Key, Legend};
use sheet::{Curve, MARGIN, Sheet};
use xml::Xml;

/// The most entries that are drawn.
const MAX_DRAWN: usize = 2_000;
/// The heading's longest title, in columns.
const TITLE: usize = 60;
/// The heading's height, and the narrowest drawing.
const HEADING: i32 = 46;
const NARROWEST: i32 = 320;

impl Picture<'_> {
    /// The picture as an SVG document.
    pub fn svg(&self) -> String {
        if self.nodes.len() > MAX_DRAWN {
            return self.with_at_most(MAX_DRAWN).svg();
        }
        let sheet = Sheet::new(self);
        let heading = self.heading();
        let counts = self.counts();
        let needed = measure::width(&heading, 17).max(measure::width(&counts, 12));
        let width = sheet.spread.size.width.max(NARROWEST).max(needed);
        let has_old = self.nodes.iter().any(|node| self.graph.is_superseded(*node));
        let lines = sheet.relations.iter().copied().map(Key::Line);
        let legend = Legend::new(lines.chain(has_old.then_some(Key::Superseded)), width);
        let width = width.max(legend.width);
        let top = MARGIN.y + HEADING + legend.height + 14;
        let height = top + sheet.spread.size.height + MARGIN.y;
        let mut xml = Xml::default();
        open(&mut xml, Size { width: width + 2 * MARGIN.x, height }, (&heading, &counts));
        style::write(&mut xml, &sheet.relations);
        xml.raw(format_args!("<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n"));
        line(&mut xml, "heading", MARGIN.moved(Point { x: 0, y: 15 }), &heading);
        line(&mut xml, "count", MARGIN.moved(Point { x: 0, y: 35 }), &counts);
        legend.write(&mut xml, MARGIN.moved(Point { x: 0, y: HEADING }));
        let left = MARGIN.x + (width - sheet.spread.size.width) / 2;
        xml.raw(format_args!("<g transform=\"translate({left} {top})\">\n"));
        self.write(&mut xml, &sheet);
        xml.raw(format_args!("</g>\n</svg>\n"));
        xml.finish()
    }

    fn heading(&self) -> String {
        match self.focus {
            Some(focus) => label::fit(&self.graph.node(focus).title, TITLE),
            None => "Knowledge graph".to_owned(),
        }
    }

    fn counts(&self) -> String {
        let counted = |count: usize, one: &str, many: &str| {
            format!("{count} {}", if count == 1 { one } else { many })
        };
        let entries = counted(self.nodes.len(), "entry", "entries");
        let links = counted(self.strokes.len(), "link", "links");
        match self.left_out {
            0 => format!("{entries}, {links}"),
            more => format!("{entries}, {links}; {more} more not shown"),
        }
    }

    fn write(&self, xml: &mut Xml, sheet: &Sheet) {
        for panel in &sheet.spread.panels {
            let (at, size) = (panel.place.at, panel.place.size);
            xml.raw(format_args!(
                "<rect class=\"panel\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"10\"/>",
                at.x, at.y, size.width, size.height
            ));
        }
        let many = if sheet.spread.panels.is_empty() { "links" } else { "links many" };
        xml.raw(format_args!("<g class=\"{many}\">\n"));
        let mut curves = sheet.spread.curves.iter().collect::<Vec<_>>();
        // What says least lies lowest.
        curves.sort_by_key(|curve| curve.stroke.relation != Relation::References);
        for curve in curves {
            self.write_curve(xml, curve);
        }
        xml.raw(format_args!("</g>\n"));
        for panel in &sheet.spread.panels {
            let caption = measure::fit(&panel.caption, panel.place.size.width - 28, 12);
            line(xml, "caption", panel.place.at.moved(Point { x: 14, y: 19 }), &caption);
        }
        for (card, place) in sheet.cards.iter().zip(&sheet.spread.boxes) {
            card.write(xml, *place);
        }
    }

    fn write_curve(&self, xml: &mut Xml, curve: &Curve) {
        let relation = curve.stroke.relation;
        xml.raw(format_args!("<path class=\"link {relation}\" d=\"{}\"><title>", curve.path));
        let (from, to) = (self.node(curve.stroke.from), self.node(curve.stroke.to));
        xml.text(&format!("{from} {relation} {to}"));
        xml.raw(format_args!("</title></path>"));
        if let Some(head) = &curve.head {
            xml.raw(format_args!("<path class=\"head {relation}\" d=\"{head}\"/>"));
        }
        xml.raw(format_args!("\n"));
    }
}

fn open(xml: &mut Xml, size: Size, (heading, counts): (&str, &str)) {
    let Size { width, height } = size;
    xml.raw(format_args!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"mere-graph\" role=\"img\" \
         aria-labelledby=\"mere-graph-title mere-graph-desc\" width=\"{width}\" \
         height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n<title id=\"mere-graph-title\">"
    ));
    xml.text(heading);
    xml.raw(format_args!("</title>\n<desc id=\"mere-graph-desc\">"));
    xml.text(&format!("Entries and the links between them: {counts}."));
    xml.raw(format_args!("</desc>\n"));
}

fn line(xml: &mut Xml, class: &str, at: Point, text: &str) {
    xml.raw(format_args!("<text class=\"{class}\" x=\"{}\" y=\"{}\">", at.x, at.y));
    xml.text(text);
    xml.raw(format_args!("</text>\n"));
}
