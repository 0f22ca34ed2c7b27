//! What stands in a box: a title on one or two lines, and below it the type and the category.

use super::geometry::{Rect, Size};
use super::measure;
use super::xml::Xml;
use crate::graph::{Node, Picture, label};
use crate::item::ItemType;

/// The size of titles, and of what is below them.
const TITLE: i32 = 13;
const SMALL: i32 = 11;
/// The room for text in a box.
const ROOM: i32 = 192;
/// What a box keeps free at its left and right.
const PAD: i32 = 12;
const NARROWEST: i32 = 96;
/// How high a line is, and a box without its title.
const LINE: i32 = 17;
const REST: i32 = 31;
/// A box where there are many.
const COMPACT: Size = Size { width: 172, height: 28 };
/// The longest text that is shown when a box is pointed at, in columns.
const HOVER: usize = 200;

/// The text of a box.
#[derive(Debug)]
pub(super) struct Card {
    pub(super) size: Size,
    lines: Vec<String>,
    small: Option<String>,
    hover: String,
    class: &'static str,
}

impl Card {
    /// The card of an entry of a picture.
    pub(super) fn new(picture: &Picture<'_>, index: usize) -> Self {
        let node = picture.node(index);
        let lines = measure::wrap(&title(node), ROOM, TITLE);
        let small = measure::fit(&small(node), ROOM, SMALL);
        let widths = lines.iter().map(|line| measure::width(line, TITLE));
        let width = widths.chain([measure::width(&small, SMALL)]).max().unwrap_or_default();
        let height = REST + LINE * super::geometry::int(lines.len());
        let size = Size { width: (width + 2 * PAD).max(NARROWEST), height };
        let (hover, class) = (hover(node), class(picture, index));
        Self { size, lines, small: Some(small), hover, class }
    }

    /// The same where there are many.
    pub(super) fn compact(picture: &Picture<'_>, index: usize) -> Self {
        let node = picture.node(index);
        let lines = vec![measure::fit(&title(node), COMPACT.width - 2 * PAD + 6, SMALL)];
        let (hover, class) = (hover(node), class(picture, index));
        Self { size: COMPACT, lines, small: None, hover, class }
    }

    /// Writes it where it lies.
    pub(super) fn write(&self, xml: &mut Xml, place: Rect) {
        let Rect { at, size } = place;
        xml.raw(format_args!("<g class=\"{}\"><title>", self.class));
        xml.text(&self.hover);
        xml.raw(format_args!(
            "</title><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"8\"/>",
            at.x, at.y, size.width, size.height
        ));
        let (x, free) = (at.x + PAD, (size.height - self.size.height) / 2);
        let Some(small) = &self.small else {
            line(xml, "tiny", (at.x + PAD - 3, at.y + 18), &self.lines[0]);
            xml.raw(format_args!("</g>\n"));
            return;
        };
        let mut y = at.y + free + 21;
        for text in &self.lines {
            line(xml, "title", (x, y), text);
            y += LINE;
        }
        line(xml, "small", (x, y), small);
        xml.raw(format_args!("</g>\n"));
    }
}

fn line(xml: &mut Xml, class: &str, (x, y): (i32, i32), text: &str) {
    xml.raw(format_args!("<text class=\"{class}\" x=\"{x}\" y=\"{y}\">"));
    xml.text(text);
    xml.raw(format_args!("</text>"));
}

fn title(node: &Node) -> String {
    let title = label::fit(&node.title, HOVER);
    if title.is_empty() { node.id.to_string() } else { title }
}

/// Its type and its category.
fn small(node: &Node) -> String {
    let kind = match node.kind {
        ItemType::Knowledge => node.entry_type.as_deref().unwrap_or_default(),
        other => other.name(),
    };
    let kind = label::fit(kind, 24);
    let dot = if kind.is_empty() || node.category.is_empty() { "" } else { " · " };
    let small = format!("{kind}{dot}{}", node.category);
    if small.is_empty() { node.id.to_string() } else { small }
}

fn hover(node: &Node) -> String {
    format!("{} ({node})", title(node))
}

fn class(picture: &Picture<'_>, index: usize) -> &'static str {
    let is_superseded = picture.graph.is_superseded(picture.nodes[index]);
    match (is_superseded, picture.focus.is_some() && index == 0) {
        (true, true) => "entry old focus",
        (true, false) => "entry old",
        (false, true) => "entry focus",
        (false, false) => "entry",
    }
}
