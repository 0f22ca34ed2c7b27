//! Small parts that many pages have.

use super::element::{Attribute, Element, Tag, element};
use super::html::Html;

/// How good or bad something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Nothing has to be done.
    Good,
    /// Somebody should look at it.
    Attention,
    /// Something is wrong.
    Bad,
    /// Neither.
    Plain,
}

/// A short word with a tone.
pub type Badge = Element;

/// Makes a badge. The word alone says everything; the colour only repeats it.
pub fn badge(tone: Tone, word: impl Into<Html>) -> Badge {
    let class = match tone {
        Tone::Good => "badge good",
        Tone::Attention => "badge attention",
        Tone::Bad => "badge bad",
        Tone::Plain => "badge",
    };
    element(Tag::Span).class(class).with(word)
}

/// Shows a command that a person can type, with a button that copies it. Without script there is no
/// button.
pub fn command_block(command: &str) -> Html {
    let code = element(Tag::Code).with(command);
    let code = element(Tag::Pre).set(Attribute::TabIndex, "0").with(code);
    let button = element(Tag::Button).set(Attribute::Type, "button").set(Attribute::Copy, "");
    let button = button.set(Attribute::Hidden, "").with("Copy");
    element(Tag::Div).class("command").with(code).with(button).into()
}

/// Makes a list of terms and what they stand for. Terms without a meaning are left out.
pub fn definition_list(pairs: impl IntoIterator<Item = (&'static str, Html)>) -> Html {
    let pairs = pairs.into_iter().filter(|(_, meaning)| !meaning.is_empty());
    let pairs = pairs.map(|(term, meaning)| {
        let pair = element(Tag::Div).with(element(Tag::Dt).with(term));
        pair.with(element(Tag::Dd).with(meaning))
    });
    element(Tag::Dl).with_all(pairs).into()
}

/// Makes a table. The caption says what it is; the rows have as many cells as there are columns.
pub fn table(label: &str, columns: &[&'static str], rows: Vec<Vec<Html>>) -> Html {
    let head = columns.iter().map(|name| element(Tag::Th).set(Attribute::Scope, "col").with(*name));
    let head = element(Tag::Thead).with(element(Tag::Tr).with_all(head));
    let rows = rows.into_iter().map(|cells| {
        element(Tag::Tr).with_all(cells.into_iter().map(|cell| element(Tag::Td).with(cell)))
    });
    let table = element(Tag::Table).set(Attribute::AriaLabel, label).with(head);
    let table = table.with(element(Tag::Tbody).with_all(rows));
    // A wide table scrolls by itself, so that the page does not, and by keyboard too.
    let scroll = element(Tag::Div).class("scroll").set(Attribute::TabIndex, "0");
    let scroll = scroll.set(Attribute::Role, "region").set(Attribute::AriaLabel, label);
    scroll.with(table).into()
}

/// Renders a sentence in which commands stand between backticks.
pub fn sentence(words: &str) -> Html {
    let parts = words.split('`').enumerate().map(|(at, part)| {
        if at % 2 == 1 { element(Tag::Code).with(part).into() } else { Html::text(part) }
    });
    parts.collect()
}

/// Says that there is nothing to show. Commands stand between backticks.
pub fn empty_note(words: &str) -> Html {
    element(Tag::P).class("empty").with(sentence(words)).into()
}
