//! Masks known secrets in what replies say about items and memories.
//!
//! The body of an item can be had only from an item that its reader may use.

use mere_core::address::Address;
use mere_core::item::{ItemFault, MemoryText};
use mere_core::reply::{Content, Data, Prose, ProsePart};
use mere_core::schema::Problem;
use mere_core::secrets::{self, SecretPieces, TooManyPieces};
use mere_core::trust::Checked;
use serde_json::Value;

use super::redaction::{MASK, MaskedText};
use super::view::{View, nonzero};
use crate::policy::Usable;

/// The main file of an item that was read.
pub(crate) trait ItemText {
    fn address(&self) -> &Address;
    /// Returns the text of the whole file.
    fn text(&self) -> &str;
}

/// Masks the secrets in an item's texts and counts them.
pub(crate) struct ItemMasker {
    /// Whether a person has confirmed that the item may be shown unmasked.
    is_confirmed: bool,
    /// The secrets of the whole file, split into pieces, because a single piece is not recognised
    /// as a secret. If there are too many to search for, everything is masked.
    secret_pieces: Result<SecretPieces, TooManyPieces>,
    masked_count: u64,
}

/// The shortest piece of a secret that is masked elsewhere, the length of the shortest secret.
const MIN_PIECE_BYTES: usize = 6;

impl ItemMasker {
    /// Creates a masker for the texts of an item that its reader may use.
    pub(crate) fn new<T: ItemText>(view: &View<'_>, usable: &Usable<T>) -> Self {
        Self::for_file(view, usable.item().address(), usable.item().text())
    }

    /// Creates a masker for a memory. Memories are never signed, so everybody may use them.
    pub(crate) fn for_memory(view: &View<'_>, address: &Address, memory: &MemoryText) -> Self {
        Self::for_file(view, address, memory.text())
    }

    fn for_file(view: &View<'_>, address: &Address, text: &str) -> Self {
        let is_confirmed = view.world.is_confirmed_at(address);
        let secret_pieces = if is_confirmed { Vec::new() } else { find_secret_pieces(text) };
        Self { is_confirmed, secret_pieces: SecretPieces::new(&secret_pieces), masked_count: 0 }
    }

    /// Masks the whole text of a file.
    pub(crate) fn body(&mut self, text: &str) -> Content {
        Content::body(self.mask(text))
    }

    /// Masks a shorter text.
    pub(crate) fn mention(&mut self, text: &str) -> Content {
        Content::mention(self.mask(text))
    }

    /// Masks a text and returns it as a string, for a caller that cuts an excerpt from it.
    pub(crate) fn mask_text(&mut self, text: &str) -> String {
        self.mask(text)
    }

    /// Masks structured data of an item.
    pub(crate) fn data(&mut self, value: &Value) -> Data {
        if self.is_confirmed {
            return Data::from_foreign(value, &mut |text| self.mention(text));
        }
        let mut masked = value.clone();
        self.masked_count += mask_assigned(&mut masked);
        Data::from_foreign(&masked, &mut |text| self.mention(text))
    }

    /// Returns how many secrets were masked, or `None` if there were none.
    pub(crate) fn masked_count(&self) -> Option<u64> {
        nonzero(self.masked_count)
    }

    fn mask(&mut self, text: &str) -> String {
        if self.is_confirmed {
            return text.to_owned();
        }
        let replaced = match &self.secret_pieces {
            Ok(pieces) => pieces.replace(text, MASK),
            Err(TooManyPieces) => Some((MASK.to_owned(), 1)),
        };
        let text = match replaced {
            Some((text, count)) => {
                self.masked_count += count;
                text
            }
            None => text.to_owned(),
        };
        let masked = MaskedText::mask_whole(text);
        self.masked_count += masked.count;
        masked.text
    }
}

/// Masks the title and the description of an item in a list, which shows items that nobody vouches
/// for as well. It cannot give an item's body.
pub(crate) struct SummaryMasker(ItemMasker);

impl SummaryMasker {
    pub(crate) fn new<T: ItemText>(view: &View<'_>, checked: &Checked<T>) -> Self {
        Self(ItemMasker::for_file(view, checked.item().address(), checked.item().text()))
    }

    /// Masks a short text.
    pub(crate) fn mention(&mut self, text: &str) -> Content {
        self.0.mention(text)
    }
}

/// Returns the pieces of the secrets in a file.
fn find_secret_pieces(text: &str) -> Vec<String> {
    let parts = |c: char| c.is_whitespace() || "\"'`<>,;".contains(c);
    let mut pieces = Vec::new();
    for secret in secrets::find(text) {
        let found = text[secret].split(parts);
        let found =
            found.filter(|piece| piece.len() >= MIN_PIECE_BYTES && !piece.contains("-----"));
        pieces.extend(found.map(str::to_owned));
    }
    pieces.sort_unstable();
    pieces.dedup();
    pieces
}

/// Masks the known secrets of a text in an error, which nobody has confirmed.
pub(crate) fn mask_secrets(text: &str) -> String {
    MaskedText::mask_whole(text.to_owned()).text
}

/// Masks the values in structured data whose names say that they are secret, and returns how many
/// there were.
fn mask_assigned(value: &mut Value) -> u64 {
    match value {
        Value::Array(items) => items.iter_mut().map(mask_assigned).sum(),
        Value::Object(map) => map
            .iter_mut()
            .map(|(name, value)| match value {
                Value::String(text) if secrets::is_assigned_secret(name, text) => {
                    MASK.clone_into(text);
                    1
                }
                value => mask_assigned(value),
            })
            .sum(),
        _ => 0,
    }
}

/// Masks the known secrets in structured data.
pub(crate) fn mask_value(value: &Value) -> Value {
    let mut masked = value.clone();
    mask_assigned(&mut masked);
    mask_texts(&masked)
}

fn mask_texts(value: &Value) -> Value {
    match value {
        Value::String(text) => mask_secrets(text).into(),
        Value::Array(items) => items.iter().map(mask_texts).collect(),
        Value::Object(map) => {
            map.iter().map(|(key, value)| (mask_secrets(key), mask_texts(value))).collect()
        }
        other => other.clone(),
    }
}

/// Masks the known secrets in the description of an item's fault.
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

/// Masks the known secrets in schema violations.
pub(crate) fn mask_problems(problems: Vec<Problem>) -> Vec<Problem> {
    let problems = problems.into_iter();
    problems
        .map(|one| Problem {
            pointer: mask_secrets(&one.pointer),
            message: mask_secrets(&one.message),
        })
        .collect()
}
