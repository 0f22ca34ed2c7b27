//! The difference between two texts, line by line.

use mere_core::text::diff::DiffLine;

use super::element::{Attribute, Tag, element};
use super::html::Html;

/// The most lines, and the most bytes, that are shown.
const MAX_LINES: usize = 800;
const MAX_BYTES: usize = 48 * 1024;
/// The most bytes of one line.
const MAX_LINE_BYTES: usize = 8 * 1024;

/// Renders a difference. Added and removed lines have signs as well as colours.
pub fn render_difference(lines: &[DiffLine]) -> Html {
    let mut shown = Html::default();
    let mut count = 0;
    for line in lines {
        let (class, sign, text) = match line {
            DiffLine::Same(text) => ("same", "  ", text.as_str()),
            DiffLine::Removed(text) => ("removed", "- ", text.as_str()),
            DiffLine::Added(text) => ("added", "+ ", text.as_str()),
            DiffLine::NoFinalNewline => ("gap", "\\ ", "no line feed at the end"),
            DiffLine::Gap => ("gap", "⋮ ", ""),
        };
        if count == MAX_LINES || shown.len() > MAX_BYTES {
            break;
        }
        count += 1;
        let (text, cut) = Html::beginning(text, MAX_LINE_BYTES);
        let line = element(Tag::Span).class(class).with(sign).with(text).with(cut);
        shown.push(line.with("\n"));
    }
    let shown = element(Tag::Pre).class("difference").with(element(Tag::Code).with(shown));
    // Long lines scroll sideways, which must be possible by keyboard.
    let shown = Html::from(shown.set(Attribute::TabIndex, "0"));
    if count == lines.len() {
        return shown;
    }
    shown.with(element(Tag::P).class("note").with("The difference is long; the rest is not shown."))
}
