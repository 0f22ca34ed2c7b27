//! What a reply tells of an item. Every string of it is content, with known secrets masked.

use mere_core::address::{Address, RelPath};
use mere_core::item::{ItemFault, ScopedPath};
use mere_core::reply::{Content, Data, Fields, Prose, ProsePart};
use mere_core::schema::Problem;
use mere_core::secrets;
use serde_json::Value;

use super::Loaded;
use crate::seen::{MASK, MaskedText};
use crate::view::{View, nonzero};

/// Tells an item's texts, and counts the secrets in them.
pub(crate) struct Teller {
    /// Whether a person has confirmed that the item may be shown as it is.
    confirmed: bool,
    /// The secrets of the whole file, piece by piece: a piece alone does not look like one.
    hidden: Vec<String>,
    masked: u64,
}

/// The shortest piece of a secret that is looked for elsewhere.
const SHORTEST: usize = 8;

impl Teller {
    pub(crate) fn new(view: &View<'_>, loaded: &Loaded) -> Self {
        Self::of(view, &loaded.address, &loaded.text)
    }

    /// Tells the texts of a file.
    pub(crate) fn of(view: &View<'_>, address: &Address, text: &str) -> Self {
        let confirmed = view.world.is_confirmed_at(address);
        let hidden = if confirmed { Vec::new() } else { pieces(text) };
        Self { confirmed, hidden, masked: 0 }
    }

    /// The whole of a file.
    pub(crate) fn body(&mut self, text: &str) -> Content {
        Content::body(self.mask(text))
    }

    /// Any shorter text.
    pub(crate) fn mention(&mut self, text: &str) -> Content {
        Content::mention(self.mask(text))
    }

    /// A text with its secrets masked, for whoever cuts a piece from it.
    pub(crate) fn hide(&mut self, text: &str) -> String {
        self.mask(text)
    }

    /// Data of an item.
    pub(crate) fn value(&mut self, value: &Value) -> Data {
        Data::from_foreign(value, &mut |text| self.mention(text))
    }

    /// How many secrets were masked, if any.
    pub(crate) fn masked(&self) -> Option<u64> {
        nonzero(self.masked)
    }

    fn mask(&mut self, text: &str) -> String {
        if self.confirmed {
            return text.to_owned();
        }
        let mut text = text.to_owned();
        for piece in &self.hidden {
            if text.contains(piece.as_str()) {
                self.masked += 1;
                text = text.replace(piece.as_str(), MASK);
            }
        }
        let masked = MaskedText::mask_whole(text);
        self.masked += masked.count;
        masked.text
    }
}

/// The pieces of the secrets in a file, the longest first.
fn pieces(text: &str) -> Vec<String> {
    let parts = |c: char| c.is_whitespace() || "\"'`<>,;".contains(c);
    let mut pieces = Vec::new();
    for secret in secrets::find(text) {
        let found = text[secret].split(parts);
        let found = found.filter(|piece| piece.len() >= SHORTEST && !piece.contains("-----"));
        pieces.extend(found.map(str::to_owned));
    }
    pieces.sort_by_key(|piece| std::cmp::Reverse(piece.len()));
    pieces.dedup();
    pieces
}

/// A text for an error, which nobody has confirmed: known secrets are masked.
pub(crate) fn masked(text: &str) -> String {
    MaskedText::mask_whole(text.to_owned()).text
}

/// The same for data.
pub(crate) fn masked_value(value: &Value) -> Value {
    match value {
        Value::String(text) => masked(text).into(),
        Value::Array(items) => items.iter().map(masked_value).collect(),
        Value::Object(map) => {
            map.iter().map(|(key, value)| (masked(key), masked_value(value))).collect()
        }
        other => other.clone(),
    }
}

/// The same for what is wrong with an item's file.
pub(crate) fn masked_fault(fault: ItemFault) -> ItemFault {
    let what = fault.what.parts().iter().fold(Prose::default(), |prose, part| match part {
        ProsePart::Words(words) => prose.and(words.clone()),
        ProsePart::Address(address) => prose.address(address.clone()),
        ProsePart::Name(name) => prose.name(name.clone()),
        ProsePart::Content(content) => prose.content(Content::mention(masked(content.text()))),
    });
    ItemFault { what, ..fault }
}

/// The same for what does not fit a schema.
pub(crate) fn masked_problems(problems: Vec<Problem>) -> Vec<Problem> {
    let problems = problems.into_iter();
    problems
        .map(|one| Problem { pointer: masked(&one.pointer), message: masked(&one.message) })
        .collect()
}

/// Where items lie.
pub(crate) fn addresses<'a>(places: impl IntoIterator<Item = &'a ScopedPath>) -> Data {
    places.into_iter().filter_map(ScopedPath::address).map(Data::from).collect()
}

/// An id or another parsed word of ours.
pub(crate) fn word<T: ToString>(word: &T) -> Data {
    Data::Words(word.to_string().into())
}

/// What is odd about an item, if anything is.
pub(crate) fn warnings(warnings: Vec<Content>) -> Option<Data> {
    let some = !warnings.is_empty();
    some.then(|| warnings.into_iter().map(Data::from).collect())
}

/// The files of an item, its main one first.
pub(crate) fn files(view: &View<'_>, loaded: &Loaded) -> Data {
    let file = |path: &str, size: u64, sha256| {
        let path = Content::mention(path);
        Data::from(Fields::default().with("path", path).with("size", size).with("sha256", sha256))
    };
    let main = file(loaded.main_name(), loaded.text.len() as u64, loaded.sha256);
    let folder = loaded.address.path().split_last().map(|(folder, _)| folder).unwrap_or_default();
    // What may not be seen by its path is not told here either.
    let shown = |path: &str| {
        let path = path.parse::<RelPath>().ok().map(|path| folder.join_path(&path));
        path.is_some_and(|path| {
            view.world.may_show(&Address::file(loaded.address.root().clone(), path))
        })
    };
    let others = loaded.files.iter().filter(|other| shown(&other.path));
    let others = others.map(|other| file(&other.path, other.size, other.sha256));
    std::iter::once(main).chain(others).collect()
}
