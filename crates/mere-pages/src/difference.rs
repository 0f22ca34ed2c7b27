//! The difference between two texts, line by line.

use mere_core::text::diff::DiffLine;

use super::element::{Attribute, Tag, element};
use super::html::Html;

/// The most lines, and the most bytes, that are shown.
const MAX_LINES: usize = 800;
const MAX_BYTES: usize = 40 * 1024;

/// Renders a difference. Added and removed lines have signs as well as colours.
pub fn render_difference(lines: &[DiffLine]) -> Html {
    let mut shown = element(Tag::Code);
    let mut bytes = 0;
    let mut count = 0;
    for line in lines {
        let (class, sign, text) = match line {
            DiffLine::Same(text) => ("same", "  ", text.as_str()),
            DiffLine::Removed(text) => ("removed", "- ", text.as_str()),
            DiffLine::Added(text) => ("added", "+ ", text.as_str()),
            DiffLine::NoFinalNewline => ("gap", "\\ ", "no line feed at the end"),
            DiffLine::Gap => ("gap", "⋮ ", ""),
        };
        bytes += text.len();
        if count == MAX_LINES || bytes > MAX_BYTES {
            break;
        }
        count += 1;
        shown = shown.with(element(Tag::Span).class(class).with(sign).with(text).with("\n"));
    }
    let shown = element(Tag::Pre).class("difference").with(shown);
    // Long lines scroll sideways, which must be possible by keyboard.
    let shown = Html::from(shown.set(Attribute::TabIndex, "0"));
    if count == lines.len() {
        return shown;
    }
    shown.with(element(Tag::P).class("note").with("The difference is long; the rest is not shown."))
}
