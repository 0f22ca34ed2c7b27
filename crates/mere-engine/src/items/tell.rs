//! What a reply tells of an item. Every string of it is content, with known secrets masked.

use mere_core::address::{Address, RelPath};
use mere_core::item::{ItemFault, ScopedPath};
use mere_core::reply::{Content, Data, Fields, Prose, ProsePart};
use mere_core::schema::Problem;
use mere_core::secrets;
use serde_json::Value;

use super::LoadedItem;
use crate::seen::{MASK, MaskedText};
use crate::view::{View, nonzero};

/// Tells an item's texts, and counts the secrets in them.
pub(crate) struct ItemMasker {
    /// Whether a person has confirmed that the item may be shown as it is.
    is_confirmed: bool,
    /// The secrets of the whole file, piece by piece: a piece alone does not look like one.
    secret_pieces: Vec<String>,
    masked_count: u64,
}

/// The shortest piece of a secret that is looked for elsewhere.
const MIN_PIECE_BYTES: usize = 8;

impl ItemMasker {
    pub(crate) fn new(view: &View<'_>, loaded: &LoadedItem) -> Self {
        Self::for_file(view, &loaded.address, &loaded.text)
    }

    /// Tells the texts of a file.
    pub(crate) fn for_file(view: &View<'_>, address: &Address, text: &str) -> Self {
        let is_confirmed = view.world.is_confirmed_at(address);
        let secret_pieces = if is_confirmed { Vec::new() } else { find_secret_pieces(text) };
        Self { is_confirmed, secret_pieces, masked_count: 0 }
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
    pub(crate) fn mask_text(&mut self, text: &str) -> String {
        self.mask(text)
    }

    /// Data of an item.
    pub(crate) fn data(&mut self, value: &Value) -> Data {
        Data::from_foreign(value, &mut |text| self.mention(text))
    }

    /// How many secrets were masked, if any.
    pub(crate) fn masked_count(&self) -> Option<u64> {
        nonzero(self.masked_count)
    }

    fn mask(&mut self, text: &str) -> String {
        if self.is_confirmed {
            return text.to_owned();
        }
        let mut text = text.to_owned();
        for piece in &self.secret_pieces {
            if text.contains(piece.as_str()) {
                self.masked_count += 1;
                text = text.replace(piece.as_str(), MASK);
            }
        }
        let masked = MaskedText::mask_whole(text);
        self.masked_count += masked.count;
        masked.text
    }
}

/// The pieces of the secrets in a file, the longest first.
fn find_secret_pieces(text: &str) -> Vec<String> {
    let parts = |c: char| c.is_whitespace() || "\"'`<>,;".contains(c);
    let mut pieces = Vec::new();
    for secret in secrets::find(text) {
        let found = text[secret].split(parts);
        let found =
            found.filter(|piece| piece.len() >= MIN_PIECE_BYTES && !piece.contains("-----"));
        pieces.extend(found.map(str::to_owned));
    }
    pieces.sort_by_key(|piece| std::cmp::Reverse(piece.len()));
    pieces.dedup();
    pieces
}

/// A text for an error, which nobody has confirmed: known secrets are masked.
pub(crate) fn mask_secrets(text: &str) -> String {
    MaskedText::mask_whole(text.to_owned()).text
}

/// The same for data.
pub(crate) fn mask_value(value: &Value) -> Value {
    match value {
        Value::String(text) => mask_secrets(text).into(),
        Value::Array(items) => items.iter().map(mask_value).collect(),
        Value::Object(map) => {
            map.iter().map(|(key, value)| (mask_secrets(key), mask_value(value))).collect()
        }
        other => other.clone(),
    }
}

/// The same for what is wrong with an item's file.
pub(crate) fn mask_fault(fault: ItemFault) -> ItemFault {
    let what = fault.what.parts().iter().fold(Prose::default(), |prose, part| match part {
        ProsePart::Words(words) => prose.and(words.clone()),
        ProsePart::Address(address) => prose.address(address.clone()),
        ProsePart::Name(name) => prose.name(name.clone()),
        ProsePart::Content(content) => {
            prose.content(Content::mention(mask_secrets(content.text())))
        }
    });
    ItemFault { what, ..fault }
}

/// The same for what does not fit a schema.
pub(crate) fn mask_problems(problems: Vec<Problem>) -> Vec<Problem> {
    let problems = problems.into_iter();
    problems
        .map(|one| Problem {
            pointer: mask_secrets(&one.pointer),
            message: mask_secrets(&one.message),
        })
        .collect()
}

/// Where items lie.
pub(crate) fn addresses<'a>(places: impl IntoIterator<Item = &'a ScopedPath>) -> Data {
    places.into_iter().filter_map(ScopedPath::address).map(Data::from).collect()
}

/// An id or another parsed word of ours.
pub(crate) fn own_text<T: ToString>(word: &T) -> Data {
    Data::Words(word.to_string().into())
}

/// What is odd about an item, if anything is.
pub(crate) fn warning_list(warnings: Vec<Content>) -> Option<Data> {
    let some = !warnings.is_empty();
    some.then(|| warnings.into_iter().map(Data::from).collect())
}

/// The files of an item, its main one first.
pub(crate) fn file_list(view: &View<'_>, loaded: &LoadedItem) -> Data {
    let file = |path: &str, size: u64, sha256| {
        let path = Content::mention(path);
        Data::from(Fields::default().with("path", path).with("size", size).with("sha256", sha256))
    };
    let main = file(loaded.main_file_name(), loaded.text.len() as u64, loaded.sha256);
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
