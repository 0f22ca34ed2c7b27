//! The text in a box: a title on one or two lines, and below it the type and the category.

use super::geometry::{Point, Rect, Size};
use super::text_measure;
use super::xml::XmlWriter;
use crate::graph::{Node, Subgraph, label};
use crate::item::ItemType;

/// The font sizes of titles and subtitles.
const TITLE_SIZE: i32 = 13;
const SUBTITLE_SIZE: i32 = 11;
/// The largest width of text in a box.
const MAX_TEXT_WIDTH: i32 = 192;
/// The space at the left and right of a box.
const PADDING: i32 = 12;
const MIN_WIDTH: i32 = 96;
/// The height of a line, and of a box without its title.
const LINE_HEIGHT: i32 = 17;
const BASE_HEIGHT: i32 = 31;
/// The size of a box in a drawing with many entries.
const COMPACT_SIZE: Size = Size { width: 172, height: 28 };
/// The longest tooltip, in columns.
const MAX_TOOLTIP_COLUMNS: usize = 200;

/// The text of a box.
#[derive(Debug)]
pub(super) struct Card {
    pub(super) size: Size,
    lines: Vec<String>,
    subtitle: Option<String>,
    tooltip: String,
    class: &'static str,
}

impl Card {
    /// Makes the card of an entry.
    pub(super) fn new(subgraph: &Subgraph<'_>, index: usize) -> Self {
        let node = subgraph.node(index);
        let lines = text_measure::wrap_in_two(&title(node), MAX_TEXT_WIDTH, TITLE_SIZE);
        let small = text_measure::fit_to_width(&subtitle(node), MAX_TEXT_WIDTH, SUBTITLE_SIZE);
        let widths = lines.iter().map(|line| text_measure::text_width(line, TITLE_SIZE));
        let width = widths
            .chain([text_measure::text_width(&small, SUBTITLE_SIZE)])
            .max()
            .unwrap_or_default();
        let height = BASE_HEIGHT + LINE_HEIGHT * super::geometry::to_i32(lines.len());
        let size = Size { width: (width + 2 * PADDING).max(MIN_WIDTH), height };
        let (tooltip, class) = (tooltip(node), css_class(subgraph, index));
        Self { size, lines, subtitle: Some(small), tooltip, class }
    }

    /// Makes a small card, for a drawing with many entries.
    pub(super) fn compact(subgraph: &Subgraph<'_>, index: usize) -> Self {
        let node = subgraph.node(index);
        let lines = vec![text_measure::fit_to_width(
            &title(node),
            COMPACT_SIZE.width - 2 * PADDING + 6,
            SUBTITLE_SIZE,
        )];
        let (tooltip, class) = (tooltip(node), css_class(subgraph, index));
        Self { size: COMPACT_SIZE, lines, subtitle: None, tooltip, class }
    }

    /// Writes the card into the given rectangle.
    pub(super) fn write(&self, xml: &mut XmlWriter, place: Rect) {
        let Rect { at, size } = place;
        xml.push_markup(format_args!("<g class=\"{}\"><title>", self.class));
        xml.push_text(&self.tooltip);
        xml.push_markup(format_args!(
            "</title><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"8\"/>",
            at.x, at.y, size.width, size.height
        ));
        let (x, free) = (at.x + PADDING, (size.height - self.size.height) / 2);
        let Some(small) = &self.subtitle else {
            let line = Point { x: at.x + PADDING - 3, y: at.y + 18 };
            write_line(xml, "tiny", line, &self.lines[0]);
            xml.push_markup(format_args!("</g>\n"));
            return;
        };
        let mut y = at.y + free + 21;
        for text in &self.lines {
            write_line(xml, "title", Point { x, y }, text);
            y += LINE_HEIGHT;
        }
        write_line(xml, "small", Point { x, y }, small);
        xml.push_markup(format_args!("</g>\n"));
    }
}

fn write_line(xml: &mut XmlWriter, class: &str, at: Point, text: &str) {
    let Point { x, y } = at;
    xml.push_markup(format_args!("<text class=\"{class}\" x=\"{x}\" y=\"{y}\">"));
    xml.push_text(text);
    xml.push_markup(format_args!("</text>"));
}

fn title(node: &Node) -> String {
    let title = label::fit_to_columns(&node.title, MAX_TOOLTIP_COLUMNS);
    if title.is_empty() { node.id.to_string() } else { title }
}

/// Returns the type and the category of an entry.
fn subtitle(node: &Node) -> String {
    let kind = match node.kind {
        ItemType::Knowledge => node.entry_type.as_deref().unwrap_or_default(),
        other => other.name(),
    };
    let kind = label::fit_to_columns(kind, 24);
    let dot = if kind.is_empty() || node.category.is_empty() { "" } else { " · " };
    let small = format!("{kind}{dot}{}", node.category);
    if small.is_empty() { node.id.to_string() } else { small }
}

fn tooltip(node: &Node) -> String {
    format!("{} ({node})", title(node))
}

fn css_class(subgraph: &Subgraph<'_>, index: usize) -> &'static str {
    let is_superseded = subgraph.graph.is_superseded(subgraph.nodes[index]);
    match (is_superseded, subgraph.focus.is_some() && index == 0) {
        (true, true) => "entry old focus",
        (true, false) => "entry old",
        (false, true) => "entry focus",
        (false, false) => "entry",
    }
}
