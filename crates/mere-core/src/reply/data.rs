//! The structured part of a reply, with every string typed by its origin.
//!
//! A bare `String` cannot be put into a reply: a string is our words, an address, a name or
//! content, and the gate treats each of them by a rule of its own.

use std::borrow::Cow;

use serde_json::Value;

use super::name::ParsedName;
use crate::address::{Address, Root};

/// The kind of a piece of content, which decides how much the gate rewrites in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentKind {
    /// A whole file or item. Roots of one component, such as `/root`, are left alone, because they
    /// are common words in common files.
    Body,
    /// A title, a name, a preview, a line of output.
    Mention,
}

/// Text that comes from a file, an item or a tool: never our own words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    text: String,
    kind: ContentKind,
    cut: Option<Cut>,
}

/// Where a content is cut, and what marks the place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    pub(crate) end: usize,
    pub(crate) mark: &'static str,
}

impl Content {
    /// Makes content from the body of a file or an item.
    pub fn body(text: impl Into<String>) -> Self {
        Self { text: text.into(), kind: ContentKind::Body, cut: None }
    }

    /// Makes content from any shorter string that comes from a file or an item.
    pub fn mention(text: impl Into<String>) -> Self {
        Self { text: text.into(), kind: ContentKind::Mention, cut: None }
    }

    /// Shows no more than the first `end` bytes. A text for an agent is cut in no other way: the
    /// gate judges the whole of it and only then cuts, so no half of a path is taken for something
    /// else. Pass some of what follows as well, where a path or a secret may lie across the end.
    #[must_use]
    pub fn cut_at(self, end: usize) -> Self {
        Self { cut: (end < self.text.len()).then_some(Cut { end, mark: "" }), ..self }
    }

    /// Shows no more than the first `most` characters, with a sign if there are more.
    #[must_use]
    pub fn shorten(self, most: usize) -> Self {
        let end = self.text.char_indices().nth(most).map(|(end, _)| end);
        Self { cut: end.map(|end| Cut { end, mark: "…" }), ..self }
    }

    pub(crate) fn cut(&self) -> Option<Cut> {
        self.cut
    }

    /// Returns the text as it is on disk.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the kind, which decides which roots the gate rewrites.
    pub fn kind(&self) -> ContentKind {
        self.kind
    }
}

/// A value of a reply.
#[derive(Clone, Debug)]
pub enum Data {
    /// Nothing.
    Null,
    /// Yes or no.
    Bool(bool),
    /// A count, a size, a line number.
    Number(u64),
    /// A number that comes from a file or an item.
    ForeignNumber(serde_json::Number),
    /// Our own words.
    Words(Cow<'static, str>),
    /// The address of something.
    Address(Address),
    /// A root without its `:/`.
    Root(Root),
    /// The parsed name of something.
    Name(ParsedName),
    /// Text that comes from a file, an item or a tool.
    Content(Content),
    /// Values in order.
    List(Vec<Data>),
    /// Named values in order.
    Fields(Fields),
    /// Named values from a file or an item, whose names are content too.
    ForeignFields(Vec<(Content, Data)>),
}

impl Data {
    /// Converts a value from a file or an item: every text in it becomes content, names included.
    pub fn from_foreign(value: &Value, text: &mut dyn FnMut(&str) -> Content) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Number(number) => Self::ForeignNumber(number.clone()),
            Value::String(string) => Self::Content(text(string)),
            Value::Array(items) => {
                items.iter().map(|item| Self::from_foreign(item, text)).collect()
            }
            Value::Object(map) => {
                let fields =
                    map.iter().map(|(name, value)| (text(name), Self::from_foreign(value, text)));
                Self::ForeignFields(fields.collect())
            }
        }
    }
}

/// Named values in the order they are printed.
#[derive(Clone, Debug, Default)]
pub struct Fields(pub(super) Vec<(Cow<'static, str>, Data)>);

impl Fields {
    /// Adds all values of others.
    #[must_use]
    pub fn with_all(mut self, others: Self) -> Self {
        self.0.extend(others.0);
        self
    }

    /// Adds a value.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<Data>) -> Self {
        self.0.push((Cow::Borrowed(name), value.into()));
        self
    }

    /// Adds a value if there is one.
    #[must_use]
    pub fn with_some(self, name: &'static str, value: Option<impl Into<Data>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// Removes a value.
    pub(super) fn remove(&mut self, name: &str) {
        self.0.retain(|(other, _)| other != name);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &(Cow<'static, str>, Data)> {
        self.0.iter()
    }
}

impl From<Fields> for Data {
    fn from(fields: Fields) -> Self {
        Self::Fields(fields)
    }
}

impl From<Address> for Data {
    fn from(address: Address) -> Self {
        Self::Address(address)
    }
}

impl From<Root> for Data {
    fn from(root: Root) -> Self {
        Self::Root(root)
    }
}

impl From<ParsedName> for Data {
    fn from(name: ParsedName) -> Self {
        Self::Name(name)
    }
}

impl From<Content> for Data {
    fn from(content: Content) -> Self {
        Self::Content(content)
    }
}

impl From<&'static str> for Data {
    fn from(words: &'static str) -> Self {
        Self::Words(Cow::Borrowed(words))
    }
}

impl From<crate::digest::ShownDigest> for Data {
    fn from(digest: crate::digest::ShownDigest) -> Self {
        Self::Words(digest.to_string().into())
    }
}

impl From<u64> for Data {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

impl From<bool> for Data {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl FromIterator<Data> for Data {
    fn from_iter<I: IntoIterator<Item = Data>>(values: I) -> Self {
        Self::List(values.into_iter().collect())
    }
}

impl<T: Into<Data>> From<Option<T>> for Data {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}
