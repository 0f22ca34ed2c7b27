//! The legend: a sample of each relation that is drawn, in rows.

use super::geometry::Point;
use super::text_measure;
use super::xml::XmlWriter;
use crate::item::Relation;

const FONT_SIZE: i32 = 11;
const SAMPLE_WIDTH: i32 = 30;
const ROW_HEIGHT: i32 = 20;

/// The keys of a legend and their positions.
pub(super) struct Legend {
    keys: Vec<(LegendKey, Point)>,
    pub(super) height: i32,
    pub(super) width: i32,
}

/// Something that the legend explains.
#[derive(Clone, Copy)]
pub(super) enum LegendKey {
    Line(Relation),
    Superseded,
}

impl LegendKey {
    fn text(self) -> &'static str {
        match self {
            Self::Line(relation) => relation.name(),
            Self::Superseded => "superseded",
        }
    }
}

impl Legend {
    /// Arranges the keys in rows of the given width.
    pub(super) fn new(all: impl Iterator<Item = LegendKey>, max_width: i32) -> Self {
        let (mut x, mut y, mut width) = (0, 0, 0);
        let mut keys = Vec::new();
        for key in all {
            let needed = SAMPLE_WIDTH + 7 + text_measure::text_width(key.text(), FONT_SIZE);
            if x > 0 && x + needed > max_width {
                (x, y) = (0, y + ROW_HEIGHT);
            }
            keys.push((key, Point { x, y }));
            width = width.max(x + needed);
            x += needed + 18;
        }
        let height = if keys.is_empty() { 0 } else { y + ROW_HEIGHT };
        Self { keys, height, width }
    }

    /// Writes the legend with its upper left corner at `at`.
    pub(super) fn write(&self, xml: &mut XmlWriter, at: Point) {
        for (key, place) in &self.keys {
            let Point { x, y } = at.translate(*place).translate(Point { x: 0, y: ROW_HEIGHT / 2 });
            match key {
                LegendKey::Line(relation) => write_line_sample(xml, *relation, Point { x, y }),
                LegendKey::Superseded => xml.push_markup(format_args!(
                    "<g class=\"entry old\"><rect x=\"{x}\" y=\"{}\" width=\"{SAMPLE_WIDTH}\" \
                     height=\"12\" rx=\"4\"/></g>",
                    y - 6
                )),
            }
            let (x, y) = (x + SAMPLE_WIDTH + 7, y + 4);
            xml.push_markup(format_args!(
                "<text class=\"key\" x=\"{x}\" y=\"{y}\">{}</text>\n",
                key.text()
            ));
        }
    }
}

fn write_line_sample(xml: &mut XmlWriter, relation: Relation, Point { x, y }: Point) {
    let end = x + SAMPLE_WIDTH;
    let short = if relation.is_symmetric() { end } else { end - 7 };
    xml.push_markup(format_args!("<path class=\"link {relation}\" d=\"M{x} {y}H{short}\"/>"));
    if !relation.is_symmetric() {
        let d = format!("M{end} {y}L{} {}L{} {}Z", end - 8, y - 4, end - 8, y + 4);
        xml.push_markup(format_args!("<path class=\"head {relation}\" d=\"{d}\"/>"));
    }
}
