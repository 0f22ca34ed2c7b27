//! The knowledge graph of the spaces, drawn and as text.

use mere_core::graph::WalkOptions;
use mere_core::request::{DrawingFormat, GraphCommand, ItemCommand};
use mere_pages::{Attribute, Href, Html, Tag, element};
use serde::Deserialize;

use super::reader::{UiReader, Unreadable};
use super::site;

/// The most entries that are drawn.
const MAX_ENTRIES: usize = 300;
/// The longest text beside the drawing, in bytes.
const MAX_TEXT: usize = 40 * 1024;

#[derive(Deserialize)]
struct Drawing {
    drawing: String,
}

/// Renders the page. The same graph as text is for those who do not see the picture.
pub(super) fn render(reader: &UiReader) -> Result<String, Unreadable> {
    let text = read_drawing(reader, DrawingFormat::Text)?;
    let (shown, cut) = Html::beginning(&text, MAX_TEXT);
    let cut = cut.map(|words| element(Tag::P).class("note").with(words));
    let words = "A drawing of knowledge entries and their links. The text below says the same.";
    let picture = element(Tag::Img).source(&Href::page(&["graph.svg"])).set(Attribute::Alt, words);
    let frame = element(Tag::Div).class("picture").set(Attribute::TabIndex, "0");
    let frame = frame.set(Attribute::Role, "region").set(Attribute::AriaLabel, "Drawing");
    let tree = element(Tag::Pre).class("plain").set(Attribute::TabIndex, "0").with(shown);
    let details = element(Tag::Details).with(element(Tag::Summary).with("The same as text"));
    let content = Html::from(element(Tag::H1).with("Knowledge graph")).with(frame.with(picture));
    Ok(site::render("Knowledge graph", site::GRAPH, content.with(details.with(tree).with(cut))))
}

/// Draws the graph as SVG.
pub(super) fn draw(reader: &UiReader) -> Result<String, Unreadable> {
    read_drawing(reader, DrawingFormat::Svg)
}

fn read_drawing(reader: &UiReader, format: DrawingFormat) -> Result<String, Unreadable> {
    let walk = WalkOptions { limit: MAX_ENTRIES, ..WalkOptions::default() };
    let draw = GraphCommand::Draw { entry: None, walk, format };
    Ok(reader.read::<Drawing>("graph", ItemCommand::Graph(draw))?.drawing)
}
