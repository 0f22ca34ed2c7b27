//! What the lines mean: a sample of each relation that is drawn, in rows.

use super::geometry::Point;
use super::measure;
use super::xml::Xml;
use crate::item::Relation;

const SIZE: i32 = 11;
const SAMPLE: i32 = 30;
const ROW: i32 = 20;

/// The keys of a legend, and where they lie.
pub(super) struct Legend {
    keys: Vec<(Key, Point)>,
    pub(super) height: i32,
    pub(super) width: i32,
}

/// Something that wants to be explained.
#[derive(Clone, Copy)]
pub(super) enum Key {
    Line(Relation),
    Superseded,
}

impl Key {
    fn words(self) -> &'static str {
        match self {
            Self::Line(relation) => relation.name(),
            Self::Superseded => "superseded",
        }
    }
}

impl Legend {
    /// The legend of a picture of this width.
    pub(super) fn new(all: impl Iterator<Item = Key>, room: i32) -> Self {
        let (mut x, mut y, mut width) = (0, 0, 0);
        let mut keys = Vec::new();
        for key in all {
            let needed = SAMPLE + 7 + measure::width(key.words(), SIZE);
            if x > 0 && x + needed > room {
                (x, y) = (0, y + ROW);
            }
            keys.push((key, Point { x, y }));
            width = width.max(x + needed);
            x += needed + 18;
        }
        let height = if keys.is_empty() { 0 } else { y + ROW };
        Self { keys, height, width }
    }

    /// Writes it from its upper left corner.
    pub(super) fn write(&self, xml: &mut Xml, at: Point) {
        for (key, place) in &self.keys {
            let Point { x, y } = at.moved(*place).moved(Point { x: 0, y: ROW / 2 });
            match key {
                Key::Line(relation) => line(xml, *relation, Point { x, y }),
                Key::Superseded => xml.raw(format_args!(
                    "<g class=\"entry old\"><rect x=\"{x}\" y=\"{}\" width=\"{SAMPLE}\" \
                     height=\"12\" rx=\"4\"/></g>",
                    y - 6
                )),
            }
            let (x, y) = (x + SAMPLE + 7, y + 4);
            xml.raw(format_args!(
                "<text class=\"key\" x=\"{x}\" y=\"{y}\">{}</text>\n",
                key.words()
            ));
        }
    }
}

fn line(xml: &mut Xml, relation: Relation, Point { x, y }: Point) {
    let end = x + SAMPLE;
    let short = if relation.is_symmetric() { end } else { end - 7 };
    xml.raw(format_args!("<path class=\"link {relation}\" d=\"M{x} {y}H{short}\"/>"));
    if !relation.is_symmetric() {
        let d = format!("M{end} {y}L{} {}L{} {}Z", end - 8, y - 4, end - 8, y + 4);
        xml.raw(format_args!("<path class=\"head {relation}\" d=\"{d}\"/>"));
    }
}
